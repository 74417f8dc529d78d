//! `allocate`: advice worked out by hand, and refused input.

use serde_json::{Value, json as value};

use crate::{Folder, SACCT, column, json, stdout};

/// Ten processors. At 100 s the first (six processors, until 1000 s if it takes what it asks for) and the second (two,
/// until 510 s) run, and the third waits for four. What comes after is the future.
pub const BUSY: &str = "\
; MaxProcs: 10
; UnixStartTime: 843436800
1   0   0 1000 6 -1 -1 6 1000 -1 1 1 1 1 1 1 -1 -1
2  10   0  500 2 -1 -1 2  500 -1 1 1 1 1 1 1 -1 -1
3  20 490  100 4 -1 -1 4  100 -1 1 2 1 1 1 1 -1 -1
4 600   0   50 1 -1 -1 1   60 -1 1 2 1 1 1 1 -1 -1
";

/// With all jobs running as long as they ask for.
pub const PLANNED: &str = "allocate busy.swf --at 100 --runs 2=400,4=300,6=200 --outlook forecast";

/// Processors, median queue time and median turnaround of each size.
pub fn sizes(result: &Value) -> Vec<(u64, f64, f64)> {
    let number = |size: &Value, what: &str| size[what]["median"].as_f64().unwrap();
    let sizes = result["sizes"].as_array().unwrap().iter();
    sizes
        .map(|size| (size["procs"].as_u64().unwrap(), number(size, "queue"), number(size, "turnaround")))
        .collect()
}

#[test]
fn advice_worked_out_by_hand() {
    let folder = Folder::with("busy.swf", BUSY);
    // The third starts at 510 s and holds four until 610 s.
    let fcfs = json(&mut folder.queuecast(&format!("{PLANNED} --policy fcfs --format json")));
    assert_eq!(sizes(&fcfs), [(2, 510.0, 910.0), (4, 510.0, 810.0), (6, 900.0, 1100.0)]);
    assert_eq!((&fcfs["recommended"], &fcfs["soonest"]), (&value!(4), &value!(4)));
    // Two for 400 s are back before the third can start.
    let easy = json(&mut folder.queuecast(&format!("{PLANNED} --format json")));
    assert_eq!(sizes(&easy), [(2, 0.0, 400.0), (4, 510.0, 810.0), (6, 900.0, 1100.0)]);
    assert_eq!(easy["recommended"], 2);
    assert_eq!(easy["sizes"][0]["best"], 1.0);
    assert_eq!(easy["sizes"][0]["at_once"], 1.0);
    let state = &easy["state"];
    assert_eq!(
        (
            &state["procs"],
            &state["free"],
            &state["running"],
            &state["waiting"],
            &state["wanted"],
            &state["ended"]
        ),
        (&value!(10), &value!(2), &value!(2), &value!(1), &value!(4), &value!(0))
    );
    assert_eq!(easy["moment"], value!({"time": 100, "date": "1996-09-23 00:01:40"}));
    assert_eq!(easy["settings"]["outlook"], "forecast");
    assert_eq!((&easy["record"], &easy["unknown"]), (&Value::Null, &value!([])));
    // At 15 s no job waits, and four processors are free in 495 s: done in 795 s instead of 900, a gain of 12 %.
    let averse = |share: &str| {
        let line = format!(
            "allocate busy.swf --at 15 --runs 2=900,4=300 --outlook forecast --averse {share} --format json"
        );
        json(&mut folder.queuecast(&line))["recommended"].clone()
    };
    assert_eq!(["0", "0.1", "0.2"].map(averse), [value!(4), value!(4), value!(2)]);
    // The chart marks the size to ask for, also where another is done sooner.
    let marked = |share: &str| -> Vec<String> {
        let line =
            format!("allocate busy.swf --at 15 --runs 2=900,4=300 --outlook forecast --averse {share}");
        let text = stdout(&mut folder.queuecast(&line));
        let rows = text.lines().filter(|line| line.contains("◂ ask for this"));
        rows.filter_map(|row| row.split_whitespace().next().map(str::to_owned)).collect()
    };
    assert_eq!((marked("0"), marked("0.2")), (vec!["4".to_owned()], vec!["2".to_owned()]));
}

#[test]
fn people_read_a_sentence() {
    let folder = Folder::with("busy.swf", BUSY);
    let text = stdout(&mut folder.queuecast(PLANNED));
    assert!(text.starts_with("Ask for 2 processors: done in 6 min 40 s; no size starts sooner.\n"), "{text}");
    assert!(text.contains("2 of 10 processors") && text.contains("1 job, for 4 processors"), "{text}");
    assert!(text.contains("Turnaround by processors") && text.contains("2*"), "{text}");
    assert!(text.contains("100 s (1996-09-23 00:01:40)"), "{text}");
    let bare = stdout(&mut folder.queuecast(&format!("{PLANNED} --no-plot")));
    assert!(!bare.contains("Turnaround by"));
    let later = "allocate busy.swf --at 100 --runs 2=4h,6=200 --outlook forecast --policy fcfs";
    let text = stdout(&mut folder.queuecast(later));
    let sentence = "Ask for 6 processors: done in about 18 min 20 s; 2 processors would start in about 8 min 30 s and take 4 h.\n";
    assert!(text.starts_with(sentence), "{text}");
    let markdown = stdout(&mut folder.queuecast(&format!("{PLANNED} --format markdown")));
    assert!(markdown.contains("| **2** |"), "{markdown}");
}

#[test]
fn what_is_said_fits_what_was_compared() {
    let folder = Folder::with("busy.swf", BUSY);
    let ask = |settings: &str| {
        let line = format!("allocate busy.swf --at 15 --runs 2=900,4=300 --outlook forecast:3 {settings}");
        stdout(&mut folder.queuecast(&line))
    };
    for target in ["mean", "p90"] {
        let text = ask(&format!("--target {target}"));
        assert!(text.contains(&format!("Turnaround by processors ({target})")), "{text}");
        assert!(text.contains(&format!("times are medians; the star is by {target}")), "{text}");
        assert!(
            text.contains("done first") && text.contains(&format!(" processors, by {target}: done in")),
            "{text}"
        );
    }
    // Control: by medians nothing else is said.
    let plain = ask("");
    assert!(plain.contains("Turnaround by processors: 80% range, with a tick at the median"), "{plain}");
    assert!(plain.contains("◂ ask for this") && plain.contains('┃'), "{plain}");
    assert!(!plain.contains("the star is by") && !plain.contains("done first"), "{plain}");
    // 795 s instead of 900: a gain of 105 s.
    let averse = |share: &str| {
        let line =
            format!("allocate busy.swf --at 15 --runs 2=900,4=300 --outlook forecast --averse {share}");
        stdout(&mut folder.queuecast(&line))
    };
    let said = "Ask for 2 processors: done in 15 min; 4 would be done sooner (about 13 min 15 s), but gains less than 0.2 of the run time on 2.\n";
    assert!(averse("0.2").starts_with(said), "{}", averse("0.2"));
    assert!(!averse("0.1").contains("would be done sooner"));
    // A formula knows medians only, and says so.
    let formula = stdout(&mut folder.queuecast(
        "allocate busy.swf --at 15 --runs 2=900,4=300 --outlook forecast --formula mean --target p90",
    ));
    assert!(formula.contains("(median)") && formula.contains("does not know the p90"), "{formula}");
}

#[test]
fn the_cleaning_note_names_no_option_that_is_not_there() {
    let folder = Folder::with("busy.swf", BUSY.replace("1000 6 -1 -1 6 1000", "1000 6 -1 -1 6 900"));
    let said = |line: &str| {
        let output = folder.queuecast(line).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let text = said("allocate busy.swf --at 1000 --runs 2=60");
    assert!(text.contains("run-above-request 1 kept") && !text.contains("--limit"), "{text}");
    assert!(said("simulate busy.swf").contains("kept; --limit decides"), "control");
}

#[test]
fn rows_for_spreadsheets() {
    let folder = Folder::with("busy.swf", BUSY);
    let csv = stdout(&mut folder.queuecast(&format!("{PLANNED} --format csv")));
    assert_eq!(column(&csv, "procs"), ["2", "4", "6"]);
    assert_eq!(column(&csv, "turnaround_median_seconds"), ["400", "810", "1100"]);
    assert_eq!(column(&csv, "queue_high_seconds"), ["0", "510", "900"]);
    assert_eq!(column(&csv, "recommended"), ["1", "0", "0"]);
}

#[test]
fn the_same_on_any_number_of_threads_and_another_with_another_seed() {
    let folder = Folder::with("unused", "");
    folder.queuecast("demo --jobs 800 --load 1.2 --output demo.swf").assert().success();
    let line =
        "allocate demo.swf --lifetime 40d --parallelism 256 --variance 0.5 --give-or-take 2 --format json";
    let run = |threads: &str| stdout(folder.queuecast(line).env("RAYON_NUM_THREADS", threads));
    assert_eq!(run("1"), run("4"));
    assert_ne!(run("1"), stdout(&mut folder.queuecast(&format!("{line} --seed 2"))));
    let result = json(&mut folder.queuecast(line));
    assert!(result["state"]["simulated"] == true && result["sizes"].as_array().unwrap().len() > 8);
    let shares: f64 =
        result["sizes"].as_array().unwrap().iter().map(|size| size["best"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
}

#[test]
fn formulas_are_for_the_head_of_the_queue() {
    let folder = Folder::with("busy.swf", BUSY);
    // At 15 s no job waits.
    let line =
        "allocate busy.swf --at 15 --runs 2=400,4=300,6=200,9=10 --outlook forecast --format json --formula";
    for by in ["exact", "mean", "combined"] {
        let result = json(&mut folder.queuecast(&format!("{line} {by}")));
        assert_eq!(sizes(&result)[..2], [(2, 0.0, 400.0), (4, 495.0, 795.0)], "{by}");
    }
    let median = json(&mut folder.queuecast(&format!("{line} median")));
    assert_eq!(median["unknown"], value!([9]), "six more of ten are held by one job, seven by none");
    assert_eq!(median["sizes"][0]["best"], Value::Null);
    let refused =
        folder.queuecast("allocate busy.swf --at 100 --runs 2=400 --formula exact").assert().code(2);
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(
        said.contains("--formula exact predicts for the head of the queue, and 1 job waits ahead"),
        "{said}"
    );
}

#[test]
fn accounting_records_have_moments_too() {
    let folder = Folder::with("site.sacct", SACCT);
    for at in ["20s", "1700000020", "2023-11-14T22:13:40"] {
        let line = format!("allocate site.sacct --at {at} --runs 1=60,4=20 --format json --outlook forecast");
        let result = json(&mut folder.queuecast(&line));
        assert_eq!(result["moment"]["time"], 1_700_000_020_i64);
        assert_eq!((&result["state"]["running"], &result["state"]["waiting"]), (&value!(1), &value!(1)));
    }
}

#[test]
fn sizes_between_the_measured_ones_are_by_a_curve() {
    let folder = Folder::with("busy.swf", BUSY);
    let ask = |settings: &str| {
        let line = format!("allocate busy.swf --at 15 --outlook forecast --format json {settings}");
        json(&mut folder.queuecast(&line))
    };
    let run = |result: &Value| -> Vec<(u64, f64)> {
        let sizes = result["sizes"].as_array().unwrap().iter();
        let run = |size: &Value| size["run"]["median"].as_f64().unwrap();
        sizes.map(|size| (size["procs"].as_u64().unwrap(), run(size))).collect()
    };
    // Perfect speedup.
    let result = ask("--runs 1=1200,2=600,6=200 --between");
    assert_eq!(run(&result), [(1, 1200.0), (2, 600.0), (3, 400.0), (4, 300.0), (5, 240.0), (6, 200.0)]);
    assert_eq!(result["between"]["measured"], value!([1, 2, 6]));
    assert!(result["between"]["deviation"].as_f64() < Some(0.001), "{}", result["between"]);
    // What was measured stays as measured, however far off the curve is.
    let odd = ask("--runs 1=1200,2=2400,6=200 --between --fewest 2 --sizes 2,4,9");
    assert_eq!((run(&odd)[0], run(&odd).len()), ((2, 2400.0), 2));
    assert!(odd["between"]["deviation"].as_f64() > Some(0.1), "{}", odd["between"]);
    assert_eq!(ask("--runs 1=1200,6=200")["between"], Value::Null);
    let two = folder.queuecast("allocate busy.swf --runs 1=1200,6=200 --between").assert().success();
    let output = two.get_output();
    assert!(String::from_utf8_lossy(&output.stderr).contains("measure a third"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("by a fitted curve (parallelism"));
    // There is a warning for a bad fit, and none for a good one.
    let warned = |runs: &str| {
        let line = format!("allocate busy.swf --runs {runs} --between");
        let output = folder.queuecast(&line).output().unwrap();
        String::from_utf8_lossy(&output.stderr).contains("warning: --between: the fitted curve is up to")
    };
    assert!(warned("1=1200,2=2400,6=200") && !warned("1=1200,2=600,6=200"));
}

#[test]
fn all_sizes_between_the_measured_ones_are_shown() {
    let folder = Folder::with("wide.swf", BUSY.replace("MaxProcs: 10", "MaxProcs: 64"));
    let line = "allocate wide.swf --at 15 --runs 8=4h,16=2h10m,32=80m --outlook forecast --no-plot";
    let rows = |text: &str| {
        text.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).count()
    };
    let text = stdout(&mut folder.queuecast(&format!("{line} --between")));
    assert_eq!(rows(&text), 25, "{text}");
    assert!(!text.contains("sizes are shown"), "{text}");
    assert_eq!(rows(&stdout(&mut folder.queuecast(line))), 3, "control");
}

#[test]
fn a_plain_number_below_a_minute_is_warned_of() {
    let folder = Folder::with("busy.swf", BUSY);
    let warnings = |line: &str| {
        let output = folder.queuecast(&format!("allocate busy.swf {line}")).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        error.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        warnings("--runs 8=4,4=2m"),
        [
            "warning: --runs 8=4: a plain number is in seconds; write 8=4m or 8=4h if 4 minutes or hours are meant"
        ]
    );
    assert_eq!(warnings("--lifetime 40 --parallelism 4 --variance 1").len(), 1);
    for line in ["--runs 8=4s", "--runs 8=60", "--runs 8=4m", "--lifetime 40s --parallelism 4 --variance 1"] {
        assert_eq!(warnings(line), [""; 0], "{line}");
    }
}

#[test]
fn a_load_that_the_machine_cannot_have_is_warned_of() {
    // Without a header the machine is as large as the largest job: five such jobs run at once.
    let log: String = (0..40)
        .map(|job| format!("{job} {} 0 500 4 -1 -1 4 600 -1 1 1 1 1 1 1 -1 -1\n", 100 * job))
        .collect();
    let folder = Folder::with("bare.swf", &log);
    let warned = |line: &str| {
        let output = folder.queuecast(line).output().unwrap();
        String::from_utf8_lossy(&output.stderr).contains("warning: bare.swf: an offered load of")
    };
    let line = "allocate bare.swf --runs 4=10m";
    assert!(warned(line));
    assert!(!warned(&format!("{line} --procs 20")), "control");
    let result = json(&mut folder.queuecast(&format!("{line} --format json")));
    assert_eq!(result["machine"], value!({"procs": 4, "source": "largest_job_by_then"}));
    assert!(result["state"]["load"].as_f64() > Some(4.0), "{}", result["state"]);
    let text = stdout(&mut folder.queuecast(line));
    assert!(
        text.contains("the machine is taken to have 4 processors") && text.contains("an offered load of"),
        "{text}"
    );
    let declared = Folder::with("busy.swf", BUSY);
    let text = stdout(&mut declared.queuecast(PLANNED));
    assert!(!text.contains("is taken to have") && !text.contains("offered load"), "control: {text}");
}

#[test]
fn sizes_that_cannot_be_told_apart_are_too_close_to_call() {
    let folder = Folder::with("unused", "");
    folder.queuecast("demo --jobs 500 --load 1.2 --save demo.swf").assert().success();
    folder.queuecast("simulate demo.swf --limit ignore --schedule-swf log.swf --no-plot").assert().success();
    let ask = |runs: &str, settings: &str| {
        let line = format!("allocate log.swf --at 150000 --runs {runs} {settings}");
        (json(&mut folder.queuecast(&format!("{line} --format json"))), stdout(&mut folder.queuecast(&line)))
    };
    for settings in ["", "--calibrate 200", "--target mean", "--target p90"] {
        let (result, text) = ask("4=1m,8=1m", settings);
        assert_eq!(
            (&result["recommended"], &result["too_close"]),
            (&value!(4), &value!([4, 8])),
            "{settings}"
        );
        assert!(
            text.contains("4 and 8 are too close to call") && text.contains(", and this is the smallest"),
            "{text}"
        );
        assert_eq!(text.contains("known to two hundredths"), settings.contains("p90"), "{text}");
    }
    // Control: in simulations alone the smaller is done sooner in every draw.
    let (result, text) = ask("4=1m,8=1m", "--calibrate 0");
    assert_eq!((&result["sizes"][0]["best"], &result["too_close"]), (&value!(1.0), &value!([])), "{text}");
    // Control: four times as fast is not too close.
    let (result, text) = ask("4=40h,8=10h", "");
    assert_eq!((&result["recommended"], &result["too_close"]), (&value!(8), &value!([])));
    assert!(!text.contains("too close"), "{text}");
}

#[test]
fn what_makes_no_sense_is_said_in_one_line_with_what_would() {
    let folder = Folder::with("busy.swf", BUSY);
    std::fs::write(
        folder.path("none.swf"),
        "; MaxProcs: 10\n1 0 -1 -1 4 -1 -1 4 120 -1 5 3 -1 -1 -1 -1 -1 -1\n",
    )
    .unwrap();
    let model = "--lifetime 1h --parallelism 4 --variance 1";
    for (line, code, said) in [
        ("busy.swf".to_owned(), 2, "give --runs, as in"),
        ("none.swf --runs 2=60".to_owned(), 3, "none.swf"),
        ("missing.swf --runs 2=60".to_owned(), 3, "missing.swf"),
        ("busy.swf --runs 11=60".to_owned(), 2, "11 processors: sizes are from 1 to 10"),
        ("busy.swf --runs 0=60".to_owned(), 2, "at least 1"),
        ("busy.swf --runs 2=60,2=70".to_owned(), 2, "2 processors are given twice"),
        ("busy.swf --runs 2=0".to_owned(), 2, "above zero"),
        ("busy.swf --runs 2=-5".to_owned(), 2, "negative"),
        ("busy.swf --runs 2=NaN".to_owned(), 2, "not a length of time"),
        ("busy.swf --runs 2=99999999999999999999d".to_owned(), 2, "too long"),
        ("busy.swf --runs 2=9999999999d".to_owned(), 2, "at most 10^12 s"),
        ("busy.swf --runs 2=60 --fewest 3".to_owned(), 2, "there are only 2"),
        ("busy.swf --runs 2=60 --fewest 3 --most 2".to_owned(), 2, "no viable size from 3 to 2"),
        ("busy.swf --runs 2=60 --fewest 11".to_owned(), 2, "up to 10 on this machine"),
        ("busy.swf --runs 2=60 --most 11".to_owned(), 2, "up to 10 on this machine"),
        ("busy.swf --runs 2=60 --most 99999999999".to_owned(), 2, "too large"),
        ("busy.swf --runs 2=60 --sizes 4".to_owned(), 2, "there are only 2"),
        ("busy.swf --runs 2=60 --sizes 1,3".to_owned(), 2, "none of 1, 3 processors has a run time"),
        ("busy.swf --runs 2=60,8=20 --fewest 4 --sizes 2".to_owned(), 2, "there are only 8"),
        (
            "busy.swf --runs 2=60 --between".to_owned(),
            2,
            "--between: a speedup needs run times on at least 2",
        ),
        ("busy.swf --runs 2=60,2=70 --between".to_owned(), 2, "2 processors are given twice"),
        ("busy.swf --runs 2=60 --calibrate -1".to_owned(), 2, "must be at least 0"),
        ("busy.swf --runs 2=60 --calibrate many".to_owned(), 2, "expected a whole number"),
        (format!("busy.swf {model} --between"), 2, "cannot be used with"),
        ("busy.swf --runs 2=60 --at 2000".to_owned(), 2, "outside the log, which goes from 0 to 1000 s"),
        ("busy.swf --runs 2=60 --at -1".to_owned(), 2, "outside the log"),
        ("busy.swf --runs 2=60 --at noon".to_owned(), 2, "a date (1996-12-24"),
        ("busy.swf --runs 2=60 --averse 1.5".to_owned(), 2, "from 0 to 1"),
        ("busy.swf --runs 2=60 --averse NaN".to_owned(), 2, "from 0 to 1"),
        ("busy.swf --runs 2=60 --draws 0".to_owned(), 2, "from 1 to 100000"),
        ("busy.swf --runs 2=60 --give-or-take 0.5".to_owned(), 2, "from 1 to 1000"),
        ("busy.swf --runs 2=60 --outlook soon".to_owned(), 2, "shares, fitted"),
        ("busy.swf --runs 2=60 --formula luck".to_owned(), 2, "exact"),
        ("busy.swf --runs 2=60 --formula mean --outlook shares".to_owned(), 2, "leave one of them out"),
        ("busy.swf --runs 2=60 --formula mean --check 5".to_owned(), 2, "leave out --formula"),
        (format!("busy.swf {model} --runs 2=60"), 2, "cannot be used with"),
        (format!("busy.swf {model} --policy easy --method past"), 2, "cannot be used with"),
        (format!("busy.swf {model} --check 9 --trials 50"), 2, "cannot be used with"),
        (format!("busy.swf {model} --sizes 1,11"), 2, "11 processors: sizes are from 1 to 10"),
        (format!("busy.swf {model} --fewest 5"), 2, "no viable size from 5 to 4"),
        (format!("busy.swf {model}").replace("--variance 1", "--variance -1"), 2, "from 0 to 10^9"),
        (format!("busy.swf {model}").replace("--variance 1", "--variance 1e300"), 2, "a variance of 1e300"),
        (
            format!("busy.swf {model}").replace("ism 4", "ism 0.9"),
            2,
            "a parallelism of 0.9: it must be from 1",
        ),
        (format!("busy.swf {model}").replace("ism 4", "ism inf"), 2, "a parallelism of inf"),
        (format!("busy.swf {model}").replace("ism 4", "ism NaN"), 2, "a parallelism of NaN"),
        (format!("busy.swf {model}").replace("1h", "0"), 2, "above zero"),
        (format!("busy.swf {model}").replace("1h", "-1h"), 2, "negative"),
    ] {
        let output = folder.queuecast(&format!("allocate {line}")).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}: {error}");
        assert!(error.contains(said) && error.starts_with("error: "), "{line}: {error}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn a_size_larger_than_the_free_processors_never_starts_at_once() {
    // A hundred jobs found the machine idle. Now one holds eight of ten processors.
    let line = |job: i64| format!("{job} {} 0 100 4 -1 -1 4 400 -1 1 1 1 1 1 1 -1 -1\n", 10_000 * job);
    let last = "100 1000000 0 5000 8 -1 -1 8 9000 -1 1 1 1 1 1 1 -1 -1\n";
    let log = format!("; MaxProcs: 10\n{}{last}", (0..100).map(line).collect::<String>());
    let folder = Folder::with("log.swf", log);
    let result =
        json(&mut folder.queuecast("allocate log.swf --runs 2=20m,4=10m --policy easy --format json"));
    assert_eq!((&result["state"]["free"], &result["calibration"]["jobs"]), (&value!(2), &value!(96)));
    let at_once = |place: usize| result["sizes"][place]["at_once"].as_f64().unwrap();
    assert_eq!(at_once(1), 0.0, "{}", result["sizes"]);
    assert!(result["sizes"][1]["queue"]["low"].as_f64() >= Some(1.0), "{}", result["sizes"]);
    assert_eq!(at_once(0), 1.0, "control: two are free");
}

#[test]
fn a_log_of_several_partitions_is_one_machine_with_a_note() {
    let two = BUSY.replace("-1 1 1 1 1 1 1 -1 -1\n2 ", "-1 1 1 1 1 1 2 -1 -1\n2 ");
    let said = "the log has jobs of 2 partitions; they are treated as one machine";
    let ask = |log: &str, settings: &str| {
        let folder = Folder::with("busy.swf", log);
        let line = format!("allocate busy.swf --runs 2=400 {settings}");
        let result = json(&mut folder.queuecast(&format!("{line} --format json")));
        (stdout(&mut folder.queuecast(&line)).contains(said), result["state"]["partitions"].clone())
    };
    assert_eq!(ask(&two, ""), (true, value!(2)));
    assert_eq!(ask(BUSY, ""), (false, value!(1)), "control");
    assert_eq!(ask(&two, "--at 5"), (false, value!(1)), "nothing is known of later jobs");
}
