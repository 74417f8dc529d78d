//! Options: one name for one meaning, former names, and options that several commands share.

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
