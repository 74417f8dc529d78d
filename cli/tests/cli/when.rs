//! `queuecast when`.

use serde_json::json as value;

use crate::{Folder, column, json};

/// A log of a busy machine, as simulated, so that it has waits.
pub fn log() -> Folder {
    let folder = Folder::with("unused", "");
    folder.queuecast("generate habits --jobs 700 --seed 3 --output made.swf --quiet").assert().success();
    folder.queuecast("simulate made.swf --schedule-swf log.swf --quiet --no-plot").assert().success();
    folder
}

pub fn refused(folder: &Folder, line: &str, code: i32, expected: &str) {
    let assert = folder.queuecast(line).assert().code(code);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains(expected), "{line}: {said}");
}

#[test]
fn the_answer_is_a_range_with_a_record() {
    let folder = log();
    let line = "when log.swf -n 8 -t 2h --format json";
    let answer = json(&mut folder.queuecast(line));
    let wait = |part: &str| answer["wait"][part].as_f64().unwrap();
    let quantiles = ["p10", "p25", "median", "p75", "p90"].map(wait);
    assert!(quantiles.is_sorted() && quantiles[0] >= 0.0, "{quantiles:?}");
    assert_eq!((answer["asked"]["procs"].as_u64(), answer["asked"]["time"].as_u64()), (Some(8), Some(7200)));
    let tried = answer["tried"].as_array().unwrap();
    assert_eq!((tried.len(), &tried[0]["method"]), (4, &answer["method"]));
    let scores: Vec<f64> = tried.iter().map(|one| one["interval_score"].as_f64().unwrap()).collect();
    assert!(scores[1..].is_sorted(), "the one that answers, then the others by their scores: {scores:?}");
    assert!(answer["record"]["jobs"].as_u64().unwrap() > 300);
    assert_eq!(answer, json(&mut folder.queuecast(line)), "the same bytes every time");
    let one =
        json(&mut folder.queuecast("when log.swf -n 8 -t 2h --method past:30 --trials 50 --format json"));
    assert_eq!((one["method"].as_str(), one["tried"].as_array().unwrap().len()), (Some("past:30"), 1));
}

#[test]
fn the_text_says_it_in_plain_words() {
    let folder = log();
    let shown = folder.queuecast("when log.swf -n 8 -t 2h --at 3d").assert().success();
    let text = String::from_utf8(shown.get_output().stdout.clone()).unwrap();
    for expected in
        ["Most likely it starts", "nine", "80% should", "processors", "Probability of having started within"]
    {
        assert!(text.to_lowercase().contains(&expected.to_lowercase()), "{expected}: {text}");
    }
    // The answer first, then why, then how often such answers held; what was asked comes last.
    let places =
        ["Most likely it starts", "Why: ", "so predicted", "Probability of", "Asked: 8 processors for 2 h"];
    let places = places.map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")));
    assert!(places.is_sorted() && places[0] == 0, "{places:?}: {text}");
    // The methods only if they are asked for, after all else; JSON has them anyway.
    let explained = crate::stdout(&mut folder.queuecast("when log.swf -n 8 -t 2h --at 3d --explain"));
    let more = explained.strip_prefix(&*text).unwrap_or_else(|| panic!("{explained}"));
    for part in ["one in ten sooner", "Methods tried on the last jobs", "interval score", "least wrong"] {
        assert!(more.contains(part) && !text.contains(part), "{part}: {explained}");
    }
    let as_json = |more: &str| {
        crate::stdout(&mut folder.queuecast(&format!("when log.swf -n 8 -t 2h --at 3d --format json{more}")))
    };
    assert_eq!(as_json(""), as_json(" --explain"));
    let without = folder.queuecast("when log.swf -n 8 -t 2h --no-plot").assert().success();
    assert!(!String::from_utf8_lossy(&without.get_output().stdout).contains("Probability"));
    let answer = json(&mut folder.queuecast("when log.swf -n 8 --format json"));
    let csv = folder.queuecast("when log.swf -n 8 --format csv").assert().success();
    let csv = String::from_utf8_lossy(&csv.get_output().stdout).into_owned();
    assert!(csv.starts_with("partition,procs,time_seconds,p10_seconds,p25_seconds,median_seconds"), "{csv}");
    for (name, value) in [("low_seconds", &answer["wait"]["low"]), ("high_seconds", &answer["wait"]["high"])]
    {
        assert_eq!(column(&csv, name)[0].parse::<f64>().unwrap(), value.as_f64().unwrap(), "{csv}");
    }
    assert_eq!(csv.lines().count(), 2);
    folder.queuecast("when log.swf -n 8 --plot when.svg --quiet").assert().success();
    assert!(folder.read("when.svg").contains("<svg"));
}

#[test]
fn nothing_later_is_looked_at() {
    let folder = log();
    // The log up to the moment, and a little: what is cut off would be later.
    let all = folder.read("log.swf");
    let moment = 2 * 86_400;
    let kept = all.lines().filter(|line| {
        line.starts_with(';')
            || line
                .split_whitespace()
                .nth(1)
                .and_then(|at| at.parse::<i64>().ok())
                .is_some_and(|at| at <= moment)
    });
    let kept: Vec<&str> = kept.collect();
    std::fs::write(folder.path("cut.swf"), kept.join("\n") + "\n").unwrap();
    let ask = |file: &str| {
        json(&mut folder.queuecast(&format!("when {file} -n 4 -t 1h --at {moment} --format json")))
    };
    let (whole, cut) = (ask("log.swf"), ask("cut.swf"));
    assert_eq!((&whole["wait"], &whole["tried"]), (&cut["wait"], &cut["tried"]));
}

#[test]
fn what_cannot_be_answered_says_why() {
    let folder = log();
    refused(&folder, "when made.swf -n 4", 3, "simulate it");
    refused(&folder, "when log.swf -n 100000", 2, "the machine has");
    refused(&folder, "when log.swf -n 4 --at 99999d", 2, "outside the log");
    refused(&folder, "when log.swf -n 4 -q nosuch", 2, "no such queue");
    refused(&folder, "when log.swf -n 4 -u nosuch", 2, "no such user");
    refused(&folder, "when log.swf -n 0", 2, "at least 1");
    refused(&folder, "when log.swf -n 4 --method nearest", 2, "knn");
    refused(&folder, "when -n 4", 2, "FILE");
    refused(&folder, "when log.swf", 2, "--size");
}

#[test]
fn sentences_agree_with_their_numbers() {
    let folder = Folder::with("site.sacct", OPEN.replace("|2|2|ada", "|3|3|ada"));
    let text = crate::stdout(
        folder.queuecast("when site.sacct -n 1 -t 1 --procs 4 --no-plot").env("PATH", "/nowhere"),
    );
    for part in ["1 processor for 1 min", "this job would come behind it; 1 of 4 processors is free."] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let folder = log();
    let text = crate::stdout(&mut folder.queuecast("when log.swf -n 1 -t 30m --no-plot"));
    let sentence = text.lines().find(|line| line.starts_with("Most likely")).unwrap();
    assert!(sentence.starts_with("Most likely it starts within "), "{sentence}");
    assert!(sentence.ends_with("; as likely as not at once."), "{sentence}");
    // Control: a range that begins later has both ends.
    let text = crate::stdout(&mut folder.queuecast("when log.swf -n 64 -t 30m --no-plot"));
    let sentence = text.lines().find(|line| line.starts_with("Most likely")).unwrap();
    assert!(
        sentence.contains("between ") && sentence.contains(" from now; as likely as not within"),
        "{sentence}"
    );
}

#[test]
fn a_user_that_is_not_known_is_told_who_is() {
    let folder = Folder::with("site.sacct", OPEN);
    refused(&folder, "when site.sacct -n 1 -t 5 --procs 4 -u Adaa", 2, "did you mean ada?");
    refused(
        &folder,
        "when site.sacct -n 1 -t 5 --procs 4 -u strange",
        2,
        "it has 2 users by then, none with",
    );
    refused(&folder, "when site.sacct -n 1 -t 5 --procs 4 --at 30 -u strange", 2, "it has 1 user by then");
    refused(&folder, "advise site.sacct -n 1 -t 5 --procs 4 -u aad", 2, "did you mean ada?");
    let folder = Folder::with("four.swf", crate::FOUR);
    refused(&folder, "when four.swf -n 1 -u ann", 2, "it has 2 users by then, known by their numbers");
}

#[test]
fn a_partition_of_a_log_is_its_queue() {
    let folder = Folder::with("site.sacct", OPEN);
    for command in ["when", "advise"] {
        refused(
            &folder,
            &format!("{command} site.sacct -n 1 -t 5 -p batch"),
            2,
            "give -q, --queue instead of -p",
        );
    }
    refused(&folder, "allocate site.sacct --runs 1=5m -p batch", 2, "--partition is of a live site");
}

/// One job has ended, one runs and one waits; the machine has four processors.
pub const OPEN: &str = "\
JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|User|Partition
1|COMPLETED|1700000000|1700000000|1700000010|1700000070|60|10|4|4|ada|batch
2|RUNNING|1700000020|1700000020|1700000080|Unknown|20|10|2|2|ada|batch
3|PENDING|1700000100|1700000100|Unknown|Unknown|0|10|4|0|eve|batch
";

#[test]
fn jobs_that_had_not_ended_run_and_wait() {
    let folder = Folder::with("site.sacct", OPEN);
    let line = "when site.sacct -n 2 -t 5m --procs 4";
    let ask = |line: &str| {
        let mut command = folder.queuecast(&format!("{line} --format json"));
        json(command.env("PATH", "/nowhere"))
    };
    let answer = ask(line);
    let state = value!({"procs": 4, "free": 2, "running": 1, "waiting": 1, "wanted": 4, "preferred": 1, "preferred_wanted": 4});
    assert_eq!((&answer["state"], &answer["learned"]), (&state, &value!(2)));
    // Two waits are too few to choose by: the queue itself is asked.
    assert_eq!((&answer["method"], &answer["record"]), (&value!("simulated"), &value!(null)));
    // At 30 s the second job waited, and nothing is known of the third.
    let earlier = ask(&format!("{line} --at 30"));
    let state = value!({"procs": 4, "free": 0, "running": 1, "waiting": 1, "wanted": 2, "preferred": 1, "preferred_wanted": 2});
    assert_eq!((&earlier["state"], &earlier["learned"]), (&state, &value!(1)));
    // The queue of accounting records is the partition.
    assert_eq!(ask(&format!("{line} -q batch"))["learned"], 2);
    let refused = folder.queuecast(&format!("{line} --queue none")).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && said.contains("queues of the log: batch"),
        "{:?} {said}",
        refused.status
    );
}

#[cfg(unix)]
#[test]
fn a_live_site_is_asked_partition_by_partition() {
    use crate::live::{overlapping, run};
    let folder = overlapping();
    // Without a history any share of what they ask may be used: at most three and four minutes more.
    let text = crate::stdout(&mut run(&folder, "when --live -n 2 -t 5m -p short"));
    assert!(text.contains("At the latest, nine times in ten: 3 min"), "{text}");
    assert!(text.contains("Most likely it starts between"), "a range: {text}");
    assert!(text.contains("Too few past jobs"), "{text}");
    let both = json(&mut run(&folder, "when --live -n 2 --format json"));
    let seen: Vec<_> = both["partitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["partition"], &one["asked"]["time"]))
        .collect();
    assert_eq!(
        seen,
        [(&value!("long"), &value!(86_400)), (&value!("short"), &value!(600))],
        "without a time, what the partition allows, and a day at most"
    );
    let large = run(&folder, "when --live -n 99 -t 5m").output().unwrap();
    let said = String::from_utf8_lossy(&large.stderr).into_owned();
    assert!(
        large.status.code() == Some(2) && said.contains("a job in partition short has at most 16"),
        "{said}"
    );
    // Of what had not ended in old accounting, one must have ended since, and the other no longer waits.
    std::fs::write(folder.path("open.sacct"), OPEN).unwrap();
    let line = "when --live open.sacct -n 2 -t 5m -p short";
    let noted = run(&folder, line).output().unwrap();
    let said = String::from_utf8_lossy(&noted.stderr).into_owned();
    assert!(said.contains("removed") && !said.contains("had not ended; "), "an hour after its limit: {said}");
    let answer = json(&mut run(&folder, &format!("{line} --format json")));
    assert_eq!((&answer["learned"], &answer["history"]), (&value!(1), &value!("1 job of all partitions")));
    assert_eq!((&answer["method"], &answer["state"]["free"]), (&value!("simulated"), &value!(0)));
}

#[cfg(unix)]
#[test]
fn a_new_job_comes_before_those_of_lower_priority() {
    // All four processors are held; of those that wait, one is of a higher tier and lower priority.
    let queue = "1|RUNNING|4|5:00|1:00|70|eve|N/A|long|a|None\\n2|PENDING|1|5:00|0:00|90|ada|N/A|long||Resources\\n\
                 3|PENDING|1|5:00|0:00|60|bob|N/A|long||Priority\\n4|PENDING|1|5:00|0:00|20|ada|N/A|long||Priority\\n\
                 5|PENDING|1|5:00|0:00|10|eve|N/A|urgent||Priority\\n";
    let nodes = "a|4/0/0/4|long|up|infinite|1-infinite|UNLIMITED|1\\na|4/0/0/4|urgent|up|infinite|1-infinite|UNLIMITED|2\\n";
    let folder = crate::live::site(&format!("printf '{queue}'"), &format!("printf '{nodes}'"));
    let ahead = |user: &str| {
        let line = format!("when --live -n 1 -t 5m -p long {user} --format json");
        json(&mut crate::live::run(&folder, &line))["state"]["waiting"].as_u64()
    };
    // The latest waiting job of ada has 20, bob's 60; eve has one of the higher tier with 10.
    assert_eq!([ahead("-u ada"), ahead("-u bob"), ahead("-u eve")], [Some(4), Some(3), Some(4)]);
    assert_eq!((ahead(""), ahead("-u zoe")), (Some(4), Some(4)), "nothing is known: behind all");
    let running = queue.replace("3|PENDING|1|5:00|0:00|60|bob", "3|RUNNING|1|5:00|0:30|95|bob");
    let folder = crate::live::site(&format!("printf '{running}'"), &format!("printf '{nodes}'"));
    let line = "when --live -n 1 -t 5m -p long -u bob --procs 5 --format json";
    assert_eq!(json(&mut crate::live::run(&folder, line))["state"]["waiting"], 1, "by the job that runs");
}

#[test]
fn what_was_learned_is_kept_for_the_next_question() {
    let folder = Folder::with("unused", "");
    folder
        .queuecast("generate habits --jobs 400 --procs 64 --seed 3 --output made.swf --quiet")
        .assert()
        .success();
    folder.queuecast("simulate made.swf --schedule-swf log.swf --quiet --no-plot").assert().success();
    let caches = folder.path("caches");
    let ask = |line: &str| {
        let mut command = folder.queuecast(&format!("when log.swf -n 8 -t 2h {line}"));
        command.env("XDG_CACHE_HOME", &caches);
        command.assert().success().get_output().clone()
    };
    let alone = ask("--no-cache");
    assert!(!caches.exists(), "nothing is kept");
    let first = ask("");
    let kept: Vec<_> =
        std::fs::read_dir(caches.join("queuecast")).unwrap().map(|one| one.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let second = ask("");
    assert_eq!((&first.stdout, &second.stdout), (&alone.stdout, &alone.stdout));
    assert_eq!(first.stderr, second.stderr);
    // Another job is answered from the same; another moment is learned anew.
    let others = ["-u 3", "--at 3d", "--at 3d"].map(&ask);
    assert_eq!(std::fs::read_dir(caches.join("queuecast")).unwrap().count(), 2);
    assert_eq!(others[1].stdout, others[2].stdout);
    // What is not what was kept is said and replaced.
    let bytes = std::fs::read(&kept[0]).unwrap();
    for (broken, why) in
        [(&bytes[..bytes.len() / 2], "it is damaged"), (&b"else"[..], "it is no stored forecaster")]
    {
        std::fs::write(&kept[0], broken).unwrap();
        let answer = ask("");
        assert_eq!(answer.stdout, alone.stdout);
        let said = String::from_utf8(answer.stderr).unwrap();
        assert!(said.contains(why) && said.contains("learned from anew"), "{said}");
        assert_eq!(std::fs::read(&kept[0]).unwrap(), bytes);
    }
    // Two processes at once.
    std::fs::remove_dir_all(&caches).unwrap();
    std::thread::scope(|threads| {
        let both = [0, 1].map(|_| threads.spawn(|| ask("").stdout));
        both.into_iter().for_each(|one| assert_eq!(one.join().unwrap(), alone.stdout));
    });
    assert_eq!(std::fs::read(&kept[0]).unwrap(), bytes, "the same bytes");
    assert_eq!(std::fs::read_dir(caches.join("queuecast")).unwrap().count(), 1);
}
