//! Options: one name for one meaning, former names, and options that several commands share.

use crate::when::OPEN;
use crate::{FOUR, Folder, column, queuecast, stdout};

#[test]
fn former_names_of_options_are_read() {
    let folder = Folder::with("four.swf", FOUR);
    for (former, now) in [
        (
            "simulate four.swf --format csv --by size_class",
            "simulate four.swf --format csv --group-by size-class",
        ),
        ("compare four.swf --factor 2", "compare four.swf --prediction-factor 2"),
        (
            "generate rescale four.swf --factor 2 --by sizes",
            "generate rescale four.swf --load-factor 2 --scale sizes",
        ),
        ("generate shake four.swf --by 10s", "generate shake four.swf --max-shift 10s"),
        (
            "allocate four.swf --runs 2=60 --outlook forecast --by mean",
            "allocate four.swf --runs 2=60 --outlook forecast --formula mean",
        ),
    ] {
        let without_times = |text: String| {
            text.lines()
                .map(|line| line.split(",0.0").next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        let [former, now] = [former, now].map(|line| folder.queuecast(line).output().unwrap());
        let [said, says] = [&former, &now].map(|output| String::from_utf8(output.stderr.clone()).unwrap());
        assert_eq!((former.status.code(), said), (now.status.code(), says));
        let [former, now] =
            [former, now].map(|output| without_times(String::from_utf8(output.stdout).unwrap()));
        assert_eq!(former, now);
    }
    folder.queuecast("demo --jobs 50 --save kept.swf").assert().success();
    assert!(folder.path("kept.swf").exists());
}

#[test]
fn options_that_change_a_policy_are_there_wherever_one_is_taken() {
    let folder = Folder::with("four.swf", FOUR);
    let csv = stdout(&mut folder.queuecast("compare four.swf --policy easy,sjbf --depth 4 --format csv"));
    assert_eq!(column(&csv, "predictor"), ["requested"; 2]);
    let json =
        crate::json(&mut folder.queuecast("compare four.swf --policy easy,sjbf --depth 4 --format json"));
    let policies = [0, 1].map(|at| json["results"][at]["experiment"]["policy"].as_str().unwrap().to_owned());
    assert_eq!(policies, ["easy:depth=4", "sjbf:depth=4"]);
    folder.queuecast("compare four.swf --depth 4").assert().code(2);
    let line =
        "allocate four.swf --runs 2=60 --priority wait/requested --backfill-order largest --format json";
    let settings = crate::json(&mut folder.queuecast(line))["settings"].take();
    assert_eq!(settings["policy"], "easy:order=largest,priority=wait/requested");
}

#[test]
fn the_help_names_no_former_option() {
    for command in ["simulate", "compare", "allocate", "demo", "generate shake", "generate rescale"] {
        let help = stdout(queuecast().args(command.split(' ')).arg("--help"));
        for former in ["--by ", "--factor ", "--save "] {
            assert!(!help.contains(former), "{command} {former}: {help}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_the_demo_says_to_type_next_works_as_printed() {
    let folder = Folder::with("unused", "");
    let text = stdout(&mut folder.queuecast("demo --jobs 300"));
    let line = text.lines().find_map(|line| line.strip_prefix("Look closer: ")).unwrap();
    let ran =
        std::process::Command::new("sh").args(["-c", line]).current_dir(folder.0.path()).output().unwrap();
    assert!(ran.status.success(), "{line}: {ran:?}");
    for word in ["fcfs: first come", "easy: ", "sjbf: ", "bounded slowdown: "] {
        assert!(text.contains(word), "{text}");
    }
    assert!(text.contains(r"--delimiter=$'\x1f'") && text.contains("sinfo"), "{text}");
}

/// The time limit that was understood, as the answer repeats it and in seconds.
fn understood(line: &str) -> (String, i64) {
    let folder = Folder::with("site.sacct", OPEN);
    let line = format!("when site.sacct --procs 4 -n 1 {line} --no-plot");
    let text = stdout(folder.queuecast(&line).env("PATH", "/nowhere"));
    let said = text.lines().find_map(|line| line.strip_prefix("Asked: ")).unwrap();
    let said = said.split(" at ").next().unwrap().to_owned();
    let answer = crate::json(folder.queuecast(&line).args(["--format", "json"]).env("PATH", "/nowhere"));
    (said, answer["asked"]["time"].as_i64().unwrap())
}

#[test]
fn a_time_limit_is_read_as_sbatch_reads_it() {
    for (typed, said, seconds) in [
        ("-t 90", "1 processor for 1 h 30 min", 5_400),
        ("-t 10:30", "1 processor for 10 min 30 s", 630),
        ("--time 02:10:00", "1 processor for 2 h 10 min", 7_800),
        ("-t 1-12", "1 processor for 1 d 12 h", 129_600),
        ("-t 1-12:30", "1 processor for 1 d 12 h 30 min", 131_400),
        ("-t 1-12:30:05", "1 processor for 1 d 12 h 30 min 5 s", 131_405),
        ("-t 2h10m", "1 processor for 2 h 10 min", 7_800),
    ] {
        assert_eq!(understood(typed), (said.to_owned(), seconds), "{typed}");
    }
}

#[test]
fn an_absurd_time_limit_is_refused_by_every_command_that_asks_for_one() {
    for (typed, why) in [
        ("99999999999999h", "is not a time limit: it is longer than 100 years"),
        ("99999999999999999999", "is not a time limit: it is too long"),
        ("0", "is not a time limit: it is not above zero"),
        ("1.5", "is not a time limit: a unit is missing after 1.5; write 90 for minutes, 2h10m"),
    ] {
        for command in ["when LOG", "advise LOG", "metaschedule SITES.toml"] {
            let refused =
                queuecast().args(command.split(' ')).args(["-n", "4", "-t", typed]).assert().code(2);
            let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
            assert!(said.contains(why), "{command} -t {typed}: {said}");
        }
    }
    // Control: a run time is not a time limit, and a bare number of it is seconds.
    let folder = Folder::with("four.swf", FOUR);
    let answer = crate::json(&mut folder.queuecast("allocate four.swf --runs 2=600 --format json"));
    assert_eq!(answer["sizes"][0]["run"]["median"], 600.0);
}
