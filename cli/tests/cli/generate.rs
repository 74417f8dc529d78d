//! `generate`: what is written is what the library made, can be made again, and says how.

use std::fs;

use queuecast_core::job::Ending;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_synth::synth::{
    EstimateModel, Estimates, Habits, LoadTarget, Lublin, LublinKinds, Pairing, Population, Rescale, Routine,
    Shaken, Variant,
};
use queuecast_trace::{ReadOptions, read};

use crate::{FOUR, Folder, column, json, queuecast, stdout};

fn empty() -> Folder {
    Folder::with("unused", "")
}

/// What a line writes to standard output.
fn made(folder: &Folder, line: &str) -> String {
    stdout(&mut folder.queuecast(line))
}

fn workload(text: &str) -> Workload {
    read(text.as_bytes(), &ReadOptions::default()).unwrap().workload
}

/// The workload as the format can hold it: a job killed at its limit counts as failed there.
fn written(mut made: Workload) -> Workload {
    let endings: Vec<_> = made.truths().iter().map(|truth| truth.ending).collect();
    if endings.contains(&Ending::Killed) {
        let truths = made.truths().iter().cloned().map(|mut truth| {
            if truth.ending == Ending::Killed {
                truth.ending = Ending::Failed;
            }
            truth
        });
        let mut again =
            Workload::from_columns(made.machine(), made.jobs().to_vec(), truths.collect()).unwrap();
        (again.names, again.epoch) = (made.names.clone(), made.epoch);
        made = again;
    }
    made
}

fn said(folder: &Folder, line: &str, code: i32) -> String {
    let done = folder.queuecast(line).assert().code(code).stdout("");
    String::from_utf8(done.get_output().stderr.clone()).unwrap()
}

/// All jobs at one instant.
fn at_once() -> String {
    FOUR.replace("2   1 -1", "2   0 -1").replace("3   2 -1", "3   0 -1").replace("4  50 -1", "4   0 -1")
}

/// The value a header's note gives a parameter.
fn parameter<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("; Note: ")?.strip_prefix(name)?.strip_prefix(" = "))
}

#[test]
fn what_is_written_reads_back_as_what_the_library_makes() {
    let folder = empty();
    let seed = Seed(7);
    let untyped = Lublin { kinds: LublinKinds::Untyped, ..Lublin::new(3000, 128) };
    let bare = untyped.generate(seed).unwrap();
    assert_eq!(
        workload(&made(
            &folder,
            "generate lublin --jobs 3000 --procs 128 --users none --estimates none --seed 7"
        )),
        bare
    );
    let rescaled = Rescale { to: LoadTarget::Load(0.7), by: Default::default() }.of(&bare).unwrap();
    let mut settled =
        Population { users: 40, ..Population::default() }.assign_users(&rescaled, seed).unwrap();
    let model = EstimateModel::new(3000, Seconds(216_000));
    let asked = Estimates::Model(model, Pairing::Sessions(Routine::default())).of(&settled, seed).unwrap();
    settled.replace_limits(asked.into_iter().map(Some));
    let whole = "generate lublin --jobs 3000 --procs 128 --load 0.7 --users 40 --max-estimate 60h --seed 7";
    assert_eq!(workload(&made(&folder, whole)), settled);
    assert!((settled.offered_load() - 0.7).abs() < 0.001, "{}", settled.offered_load());
    // Control: another seed is another workload.
    assert_ne!(workload(&made(&folder, &whole.replace("--seed 7", "--seed 8"))), settled);

    let habits = Habits { jobs: 500, ..Habits::default() }.generate(seed).unwrap();
    assert_eq!(workload(&made(&folder, "generate habits --jobs 500 --seed 7")), written(habits));
}

#[test]
fn a_derived_trace_is_what_the_library_derives() {
    let folder = empty();
    folder.queuecast("generate habits --jobs 2000 --output log.swf").assert().success();
    let log = workload(&folder.read("log.swf"));
    let shaken = Variant { shaken: Some(Shaken { by: Seconds(600), seed: 3 }), ..Variant::default() };
    assert_eq!(
        workload(&made(&folder, "generate shake log.swf --max-shift 10m --seed 3")),
        shaken.of(&log).unwrap()
    );
    let doubled = Rescale { to: LoadTarget::Factor(2.0), by: Default::default() }.of(&log).unwrap();
    assert_eq!(workload(&made(&folder, "generate rescale log.swf --load-factor 2")), doubled);
    for (what, estimates) in [
        ("f:3", Estimates::Factor(3.0)),
        ("exact", Estimates::Factor(0.0)),
        ("x2", Estimates::Doubled),
        ("feit:0.2", Estimates::Feit(0.2)),
        ("shuffled", Estimates::Own(Pairing::Shuffled)),
        ("sessions", Estimates::Own(Pairing::Sessions(Routine::default()))),
        ("tsafrir --max-estimate 20h", {
            let mut model = EstimateModel::new(2000, Seconds(72_000));
            model.longest_percent = None;
            Estimates::Model(model, Pairing::Sessions(Routine::default()))
        }),
    ] {
        let line = format!("generate estimates log.swf --estimates {what} --seed 5");
        let mut expected = log.clone();
        expected.replace_limits(estimates.of(&log, Seed(5)).unwrap().into_iter().map(Some));
        assert_eq!(workload(&made(&folder, &line)), expected, "{what}");
        assert_ne!(expected, log, "{what} changes something");
    }
    let none = workload(&made(&folder, "generate estimates log.swf --estimates none"));
    assert!(none.jobs().iter().all(|job| job.shape.limit.is_none()));
}

#[test]
fn other_commands_read_it_back() {
    let folder = empty();
    for line in [
        "generate lublin --jobs 400",
        "generate downey --jobs 400 --arrivals always",
        "generate habits --jobs 400",
    ] {
        let summary =
            json(&mut folder.queuecast(&format!("{line} --output made.swf.gz --force --format json")));
        let simulated = json(&mut folder.queuecast("simulate made.swf.gz --strict --format json"));
        assert_eq!(summary["workload"]["digest"], simulated["workload"]["digest"], "{line}");
        assert_eq!(simulated["cleaning"]["removed"], 0, "{line}");
        let info = json(&mut folder.queuecast("trace info made.swf.gz --format json"));
        assert_eq!(info["records"], 400, "{line}");
        assert_eq!(summary["workload"]["jobs"], 400, "{line}");
    }
}

#[test]
fn the_same_command_gives_the_same_bytes_wherever_they_go() {
    let folder = empty();
    let line = "generate lublin --jobs 300 --mode 1h=10 --set population.groups=3";
    let plain = made(&folder, line);
    assert_eq!(made(&folder, line), plain);
    folder.queuecast(&format!("{line} -o a.swf --quiet")).assert().success();
    folder.queuecast(&format!("{line} --output b.swf.zst --format json")).assert().success();
    assert_eq!(folder.read("a.swf"), plain);
    assert_eq!(made(&folder, "trace convert b.swf.zst"), plain);
    assert!(fs::read(folder.path("b.swf.zst")).unwrap().starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
    assert_ne!(made(&folder, &format!("{line} --seed 2")), plain);
    assert_eq!(folder.names(), ["a.swf", "b.swf.zst", "unused"]);
}

#[test]
fn the_command_in_the_header_makes_it_again() {
    let folder = empty();
    folder.queuecast("generate habits --jobs 2500 --procs 64 --output log.swf").assert().success();
    for line in [
        "generate lublin --kinds batch --jobs 200 --load 0.5 --mode 10m=5 --mode 1h=7.5 --users 9 --quiet",
        "generate lublin --like ./log.swf --jobs 200 --pairing shuffled --seed=4",
        "generate downey --jobs 200 --set downey.variance=uniform:0,1.5",
        "generate downey --jobs 200 --set downey.lifetime=log-normal:600,8 --set downey.memory=uniform-log:1,16",
        "generate downey --like log.swf --observed lifetimes --observed parallelism --estimates exact --users none",
        "generate estimates ./log.swf --estimates f:2.5",
        "generate resample log.swf --weeks 2 --seed 9",
        "generate rescale log.swf --scale run-times --load 0.4 --clean none",
    ] {
        let text = made(&folder, line);
        let mark = "; Note: generated by queuecast ";
        let note = text.lines().find_map(|line| line.strip_prefix(mark)).unwrap();
        let (version, command) = note.split_once(" with: queuecast ").unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        assert!(!command.contains("quiet") && !command.contains("./"), "{command}");
        // The last of them, where the log was generated as well.
        let last = text.lines().rev().find_map(|line| line.strip_prefix(mark)).unwrap();
        let command = last.split_once(" with: queuecast ").unwrap().1;
        assert_eq!(made(&folder, command), text, "{line}");
    }
}

#[test]
fn the_header_has_every_parameter_and_setting_them_gives_the_same() {
    let folder = empty();
    let text = made(&folder, "generate lublin --jobs 150 --users 20 --mode 1h=12.5");
    for (name, value) in [
        ("seed", "1"),
        ("lublin.jobs", "150"),
        ("lublin.kinds", "untyped"),
        ("lublin.batch.sizes.serial", "0.2927"),
        ("population.users", "20"),
        ("estimates.supplied.1.percent", "12.5"),
        ("estimates.supplied.1.time", "3600"),
        ("routine.gap", "3600"),
    ] {
        assert_eq!(parameter(&text, name), Some(value), "{name}");
    }
    for line in ["; MaxProcs: 256", "; MaxJobs: 150", "; UnixStartTime: 1704067200"] {
        assert!(text.lines().any(|one| one == line), "{line}");
    }
    let records = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with(';')).map(str::to_owned).collect()
    };
    let mut line = "generate lublin --mode 1h=12.5".to_owned();
    for note in text.lines().filter_map(|line| line.strip_prefix("; Note: ")) {
        if let Some((name, value)) = note.split_once(" = ").filter(|(name, _)| name.contains('.')) {
            let by_default = value == "by default" || name.starts_with("estimates.supplied");
            line += &if by_default { String::new() } else { format!(" --set {name}={value}") };
        }
    }
    assert_eq!(records(&made(&folder, &line)), records(&text));
    // Control: one parameter more is another trace.
    let other = made(&folder, &format!("{line} --set population.spread=2.5"));
    assert_ne!(records(&other), records(&text));
}

#[test]
fn a_derived_trace_keeps_the_comments_of_its_log() {
    let folder = Folder::with("four.swf", FOUR);
    for line in [
        "generate shake four.swf --max-shift 10s",
        "generate rescale four.swf --load 0.9",
        "generate estimates four.swf --estimates f:1",
    ] {
        let text = made(&folder, line);
        assert!(text.starts_with("; Computer: Example\n; Acknowledge: The keepers of this log\n"), "{text}");
        assert!(text.contains("; Note: made of four.swf (digest "), "{text}");
        assert_eq!(text.lines().filter(|line| !line.starts_with(';')).count(), 4, "{text}");
    }
    assert_eq!(folder.read("four.swf"), FOUR);
}

#[test]
fn a_summary_comes_beside_a_file_and_a_note_beside_standard_output() {
    let folder = empty();
    let text = made(&folder, "generate lublin --jobs 500 --output a.swf");
    for part in
        ["jobs             500", "offered load", "users", "the 20 most used by", "500 jobs written to a.swf"]
    {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let csv = made(&folder, "generate lublin --jobs 500 --output a.swf --force --format csv");
    assert_eq!((column(&csv, "jobs"), column(&csv, "seed")), (vec!["500"], vec!["1"]));
    let summary =
        json(&mut folder.queuecast("generate lublin --jobs 500 --output a.swf --force --format json"));
    assert_eq!(summary["parameters"]["population.users"], 300);
    let share = summary["head_share"].as_f64().unwrap();
    assert!((0.8..1.0).contains(&share), "{share}");
    let done = folder.queuecast("generate habits --jobs 50").assert().success();
    let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(
        stderr.starts_with("note: 50 jobs of ") && stderr.ends_with("written to standard output\n"),
        "{stderr}"
    );
    folder.queuecast("generate habits --jobs 50 --quiet").assert().success().stderr("");
    let text = said(&folder, "generate habits --jobs 50 --format json", 2);
    assert!(
        text.contains("cannot be written as json") && text.contains("hint: with --output FILE"),
        "{text}"
    );
}

#[test]
fn impossible_parameters_are_refused_by_the_option_that_was_typed() {
    let folder = Folder::with("four.swf", FOUR);
    folder.queuecast("generate lublin --jobs 600 --users none --output no-users.swf").assert().success();
    fs::write(folder.path("at-once.swf"), at_once()).unwrap();
    fs::write(folder.path("long.swf"), FOUR.replace("-1 250 20", "-1 350 20")).unwrap();
    for (line, parts) in [
        ("lublin --load -1", &["error: --load -1: must be between 0.001 and 100"][..]),
        ("lublin --jobs 0", &["'0' for '--jobs", "must be at least 1"]),
        ("lublin --jobs 10000001", &["error: --jobs 10000001: must be between 1 and 10000000"]),
        ("lublin --procs 16777217", &["error: --procs 16777217: must be between 1 and 16777216"]),
        ("lublin --users 0", &["error: --users 0: must be between 1 and 1000000"]),
        ("lublin --users some", &["must be a whole number between 1 and 1000000, or none"]),
        ("lublin --users none --think 1m", &["--think has no effect with --users none"]),
        ("lublin --think 2h", &["error: --think 7200: must be between 1 and 3600"]),
        ("lublin --jobs-per-session 0.5", &["--jobs-per-session 0.5: must be between 1 and 1000"]),
        ("lublin --max-estimate 1h", &["error: --max-estimate 3600: must be at least ", "the longest run"]),
        ("lublin --max-estimate 30000d", &["error: --max-estimate ", "31536000"]),
        (
            "lublin --max-estimate-percent 101",
            &["--max-estimate-percent 101: must be above 0 and at most 100"],
        ),
        (
            "lublin --mode 1h=60 --mode 2h=50",
            &["error: --mode 1h=60 --mode 2h=50: 110 percent in all, must be at most 100"],
        ),
        (
            "lublin --mode 1h=5 --mode 60m=6",
            &["error: --mode 1h=5 --mode 1h=6: a time can be given", "once only"],
        ),
        (
            "lublin --max-estimate 99d --max-estimate-percent 2 --mode 99d=3",
            &["error: --max-estimate-percent 2 --mode 99d=3: a time can be given"],
        ),
        ("lublin --mode 1h=0", &["'1h=0' for '--mode", "must be above 0"]),
        ("lublin --mode 1h", &["expected TIME=PERCENT, as in 1h=12.5"]),
        ("lublin --mode 400d=1", &["error: --mode 34560000: must be between 1 and the longest estimate"]),
        ("lublin --mode 1h=5 --estimates exact", &["--mode has no effect without --estimates tsafrir"]),
        ("lublin --modes-of-log 3", &["error: --modes-of-log has no effect without --like"]),
        ("downey --modes-of-log 3", &["error: --modes-of-log has no effect without --like"]),
        ("lublin --like four.swf --modes-of-log 20", &["--modes-of-log 20: must be between 0 and 19"]),
        (
            "lublin --estimates tsfrir",
            &["tsafrir[:SETTINGS], exact, f:F, feit[:PHI], none", "similar value exists: 'tsafrir'"],
        ),
        ("lublin --estimates x2", &["[possible values: tsafrir[:SETTINGS], exact, f:F, feit[:PHI], none]"]),
        ("lublin --estimates f:-2", &["'f:-2' for '--estimates", "from 0 to 1000000"]),
        ("lublin --estimates feit:2", &["from 0 to 1"]),
        ("lublin --kinds some", &["[possible values: both, batch, interactive, untyped]"]),
        ("lublin --set population.thnk=2", &["no such parameter; did you mean population.think?"]),
        ("lublin --set habits.users=2", &["this model is not used here"]),
        ("lublin --set population.spread=99", &["--set population.spread=99: must be between 0 and 5"]),
        ("lublin --set lublin.kinds=none", &["--set lublin.kinds=none: unknown variant"]),
        ("lublni", &["unrecognized subcommand 'lublni'", "'lublin'"]),
        ("habits --load 99", &["error: --load 99: must be between 0.001 and 10"]),
        ("habits --max-estimate 1s", &["error: --max-estimate 1: must be between 300 and 31536000"]),
        ("downey --moldable", &["unexpected argument '--moldable'"]),
        ("downey --observed lifetimes", &["error: --observed has no effect without --like"]),
        ("downey --like four.swf --observed variance", &["[possible values: lifetimes, parallelism]"]),
        (
            "downey --set downey.lifetime=gamma:2",
            &[
                "--set downey.lifetime=gamma:2: distribution \"gamma:2\": no such distribution; known are uniform-log:",
            ],
        ),
        (
            "downey --set downey.variance=uniform:-1,2",
            &["--set downey.variance=uniform:-1,2: must be two numbers, the least first, between 0 and 1000"],
        ),
        (
            "downey --set downey.parallelism=exactly:0.5",
            &["--set downey.parallelism=exactly:0.5: must be one number, between 1 and 16777216"],
        ),
        (
            "downey --procs 64 --set downey.memory=exactly:65",
            &["--set downey.memory=exactly:65: must be one number, between 1 and 64"],
        ),
        ("downey --set downey.load=0", &["--set downey.load=0: must be between 0.001 and 10"]),
        ("rescale four.swf", &["--load <LOAD>|--load-factor <FACTOR>"]),
        ("rescale four.swf --load 0", &["error: --load 0: must be between 0.001 and 100"]),
        ("rescale four.swf --load-factor -3", &["error: --load-factor -3: must be between 0.001 and 1000"]),
        ("rescale four.swf --load 1 --load-factor 2", &["cannot be used with"]),
        ("resample four.swf --weeks 0", &["error: --weeks 0: must be between 1 and 10000"]),
        ("shake four.swf --max-shift 0", &["'0' for '--max-shift", "must be between 1s and 365d"]),
        ("shake four.swf", &["--max-shift <DURATION>"]),
        ("shake four.swf --max-shift 10s --output four.swf", &["four.swf is both input and output"]),
        ("lublin --like four.swf --output four.swf", &["four.swf is both input and output"]),
    ] {
        let text = said(&folder, &format!("generate {line}"), 2);
        assert!(parts.iter().all(|part| text.contains(part)), "{line}\n{text}");
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("error: "), "{line}\n{text}");
    }
    for (line, parts) in [
        ("lublin --like no.swf", &["no.swf: no such file"][..]),
        ("lublin --like no-users.swf", &["no-users.swf: ", "hint: --users N generates N users"]),
        ("resample no-users.swf", &["no-users.swf: ", "who submitted"]),
        ("resample four.swf", &["four.swf: the log spans 0.", "two weeks at least"]),
        ("rescale at-once.swf --load 0.5 --scale run-times", &["at-once.swf: all jobs", "at one instant"]),
        (
            "estimates long.swf --estimates shuffled",
            &["long.swf: 1 of 4 jobs run longer", "hint: --clean predictsim"],
        ),
    ] {
        let text = said(&folder, &format!("generate {line}"), 3);
        assert!(parts.iter().all(|part| text.contains(part)), "{line}\n{text}");
    }
    assert_eq!(
        folder.names(),
        ["at-once.swf", "four.swf", "long.swf", "no-users.swf"],
        "nothing is left behind"
    );
}

#[test]
fn like_a_log_means_its_machine_its_users_and_its_requested_times() {
    let folder = empty();
    folder.queuecast("generate habits --jobs 3000 --procs 64 --users 30 --output log.swf").assert().success();
    let log = workload(&folder.read("log.swf"));
    let text = made(&folder, "generate lublin --like log.swf --seed 2");
    let like = workload(&text);
    assert_eq!((like.len(), like.machine()), (3000, log.machine()));
    let users = parameter(&text, "population.users").unwrap().parse::<u32>().unwrap();
    assert!((20..=30).contains(&users), "{users}");
    let modes = queuecast_synth::characterization::Modes::of(&like);
    let distance = modes.distance(&queuecast_synth::characterization::Modes::of(&log));
    assert!(distance < 0.25, "{distance}");
    assert!(text.contains("; Note: fitted to log.swf (digest "), "{text}");
    // Control: without the log, no job has its requested times.
    let without = workload(&made(&folder, "generate lublin --jobs 3000 --procs 64 --seed 2"));
    let other = queuecast_synth::characterization::Modes::of(&without)
        .distance(&queuecast_synth::characterization::Modes::of(&log));
    assert!(other > distance, "{other} {distance}");
}

#[test]
fn help_fits_eighty_columns_and_has_ranges_and_defaults() {
    for command in ["lublin", "downey", "habits", "estimates", "rescale", "resample", "shake"] {
        for help in ["-h", "--help"] {
            let text = stdout(queuecast().env("COLUMNS", "80").args(["generate", command, help]));
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(long.is_empty(), "{command} {help}: {long:#?}");
            // Not even wrapped: every line of the examples is a command, or ends what it says of one.
            let examples = text.split("Examples:\n").nth(1).unwrap_or_default();
            let whole =
                |line: &str| line.is_empty() || line.contains("queuecast generate ") || line.ends_with(':');
            assert!(
                examples.lines().count() > 0 && examples.lines().all(whole),
                "{command} {help}: {examples}"
            );
        }
    }
    // Lines may break anywhere between two words.
    let help = stdout(queuecast().args(["generate", "lublin", "--help"]));
    let text = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["1 to 10000000; by default 20000", "0.001 to 100", "[default: tsafrir]", "0 to 19"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // What help and the reference call the default is what a made trace has.
    let page = fs::read_to_string(crate::docs::root().join("docs/reference/cli.md")).unwrap();
    let header = made(&empty(), "generate lublin --jobs 200");
    for (option, name, unit) in [
        ("--users", "users", ""),
        ("--jobs-per-session", "jobs_per_session", ""),
        ("--think", "think", "s"),
        ("--applications", "applications", ""),
    ] {
        let value = parameter(&header, &format!("population.{name}")).unwrap();
        let value = value.trim_end_matches(".0");
        let told = text.split(&format!(" {option} <")).nth(1).unwrap();
        assert!(
            told.split(" --").next().unwrap().contains(&format!("by default {value}{unit}, ")),
            "{option}: {told}"
        );
        let row = page.lines().find(|line| line.starts_with(&format!("| `{option} "))).unwrap();
        let default =
            row.split('|').find(|cell| cell.contains(", or as the log has")).unwrap().replace(' ', "");
        assert!(default.starts_with(&format!("{value}{unit},")), "{row}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_reader_gone() {
    let folder = empty();
    let text = said(&folder, "generate habits --jobs 50 --output /dev/full", 1);
    assert!(text.starts_with("error: cannot write to /dev/full: No space left"), "{text}");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_queuecast"));
    let output = command.args(["generate", "habits", "--jobs", "5000"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn a_load_that_is_not_reached_is_said() {
    let folder = empty();
    folder.queuecast("generate habits --jobs 5000 --procs 64 --output log.swf").assert().success();
    let warned = |line: &str| {
        let done = folder.queuecast(&format!("{line} --quiet --output made.swf --force")).assert().success();
        String::from_utf8(done.get_output().stderr.clone()).unwrap()
    };
    let text = warned("generate rescale log.swf --load-factor 6 --scale sizes");
    assert!(text.starts_with("warning: reached ") && text.contains("%, asked "), "{text}");
    assert!(text.ends_with(": jobs cannot be larger than the machine\n"), "{text}");
    let far = |load: f64| format!("generate resample log.swf --weeks 2 --load {load}");
    let text = warned(&far(0.03));
    assert!(text.starts_with("warning: reached ") && text.contains("on average"), "{text}");
    // Control: what is reached needs no words.
    assert_eq!(warned("generate rescale log.swf --load 0.5"), "");
    assert_eq!(warned("generate resample log.swf"), "");
}
