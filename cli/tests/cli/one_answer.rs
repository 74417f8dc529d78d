//! One question has one answer, whichever command it is put to.

use serde_json::Value;

use crate::{Folder, json};

/// Logs with waits, each with its site in a file of its own.
fn logs() -> Folder {
    let folder = Folder::with("unused", "");
    for (name, jobs, procs, seed) in [("busy", 700, 64, 3), ("calm", 500, 512, 8), ("small", 90, 128, 5)] {
        let made = format!(
            "generate habits --jobs {jobs} --procs {procs} --seed {seed} --output made-{name}.swf --quiet"
        );
        folder.queuecast(&made).assert().success();
        let simulated = format!("simulate made-{name}.swf --schedule-swf {name}.swf --quiet --no-plot");
        folder.queuecast(&simulated).assert().success();
        let site = format!("[[site]]\nname = \"{name}\"\ntrace = \"{name}.swf\"\n");
        std::fs::write(folder.path(&format!("{name}.toml")), site).unwrap();
    }
    folder
}

/// The ends of the 80 % range and the median.
fn range(of: &Value, names: [&str; 3]) -> [f64; 3] {
    names.map(|name| of[name].as_f64().unwrap_or_else(|| panic!("no {name}: {of}")))
}

#[test]
fn every_command_says_the_same_of_a_start() {
    let folder = logs();
    let is_thorough = std::env::var_os("QUEUECAST_THOROUGH").is_some();
    let (mut said, mut doubts) = (Vec::new(), Vec::new());
    for (log, at) in [("busy", "end"), ("busy", "3d"), ("calm", "end"), ("small", "end")] {
        for (size, minutes, who) in [(16, 130, "-u 2"), (1, 600, ""), (48, 45, "-u 1")] {
            // Only the busy log has such users by then.
            let who = if log == "busy" && at == "end" { who } else { "" };
            let asked = format!("--at {at} {who} --format json --quiet");
            // The first job of a log at a moment is asked about by programs that each learn anew, the others with what was learned; with
            // every random case all of them learn anew.
            let learns = size == 16 || is_thorough;
            let ask = |line: String| match learns {
                true => json(&mut folder.queuecast(&line)),
                false => json(&mut folder.recalling(&line)),
            };
            let when = ask(format!("when {log}.swf -n {size} -t {minutes} {asked}"));
            let start = range(&when["wait"], ["low", "median", "high"]);
            let advise = ask(format!("advise {log}.swf -n {size} -t {minutes} {asked}"));
            assert_eq!(
                range(&advise["options"][0]["start"], ["low", "median", "high"]),
                start,
                "{log} {asked}"
            );
            // What is to be doubted of one answer is to be doubted of all; and no job is done before it starts.
            assert_eq!(advise["doubt"], when["doubt"], "{log} {asked}");
            for option in advise["options"].as_array().unwrap() {
                let [starts, ends] =
                    ["start", "done"].map(|what| range(&option[what], ["low", "median", "high"]));
                assert!(starts.iter().zip(ends).all(|(start, end)| *start <= end), "{option}");
            }
            // Another size is asked about before it, where there is a smaller one.
            let other = if size > 1 { size - 1 } else { 2 };
            let runs = format!("--runs {other}={minutes}m,{size}={minutes}m");
            let allocate = ask(format!("allocate {log}.swf {runs} {asked}"));
            let sizes = allocate["sizes"].as_array().unwrap();
            let own = sizes.iter().find(|one| one["procs"] == size).unwrap();
            assert_eq!(range(&own["queue"], ["low", "median", "high"]), start, "{log} {asked}: {own}");
            let best: f64 = sizes.iter().map(|one| one["best"].as_f64().unwrap()).sum();
            assert!(
                sizes.iter().all(|one| one["best"].as_f64() <= Some(1.0)) && (best - 1.0).abs() < 1e-9,
                "{sizes:?}"
            );
            assert_eq!(allocate["forecast"]["method"], when["method"], "{log} {asked}");
            if allocate["recommended"] == size {
                assert_eq!(allocate["forecast"]["doubt"], when["doubt"], "{log} {asked}");
            }
            for alone in ["--array 1-1", "--chain 1"] {
                let one = ask(format!("when {log}.swf -n {size} -t {minutes} {alone} {asked}"));
                assert_eq!(one["wait"], when["wait"], "{log} {asked} {alone}");
            }
            // The first of several jobs is that job: each kind of campaign in turn, and with every random case all of them.
            let kinds = ["--array 1-4", "--array 1-9%2", "--chain 3"];
            let turn = (said.len() + said.len() / 3) % kinds.len();
            for several in if is_thorough { &kinds[..] } else { &kinds[turn..=turn] } {
                let all = ask(format!("when {log}.swf -n {size} -t {minutes} {several} {asked}"));
                let place = &all["places"][0];
                for first in [&place["first_start"], &place["jobs"][0]["start"]] {
                    for part in ["p10", "median", "p90", "low", "high"] {
                        assert_eq!(first[part], when["wait"][part], "{log} {asked} {several} {part}");
                    }
                }
                assert_eq!(place["alone"]["method"], when["method"], "{log} {asked} {several}");
            }
            let sites = ask(format!("metaschedule {log}.toml -n {size} -t {minutes} {asked}"));
            assert_eq!(sites["sites"][0]["wait"], when["wait"], "{log} {asked}");
            assert_eq!(sites["sites"][0]["doubt"], when["doubt"], "{log} {asked}");
            said.push(start);
            doubts.push(when["doubt"].is_string());
        }
    }
    // Control: the answers differ from question to question, and some are no points.
    said.sort_by(|one, other| one[1].total_cmp(&other[1]));
    said.dedup();
    assert!(said.len() > 4 && said.iter().any(|[low, _, high]| low < high), "{said:?}");
    assert!(doubts.contains(&true) && doubts.contains(&false), "{doubts:?}");
    // The first sentence of each says it.
    let asked = "--at 3d --quiet --no-plot";
    for (line, what) in [
        ("when busy.swf -n 16 -t 130", "answer here"),
        ("advise busy.swf -n 16 -t 130", "advice here"),
        ("allocate busy.swf --runs 16=130m", "advice here"),
        ("metaschedule busy.toml -n 16 -t 130", "answer at busy"),
    ] {
        let text = crate::stdout(&mut folder.queuecast(&format!("{line} {asked}")));
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with(&format!("No reliable {what}: of the last ")), "{line}: {first}");
    }
}

/// While the queue of this recorded run grows, the last waits have the narrower ranges, but few of them held.
#[test]
fn ranges_that_failed_do_not_answer_for_ranges_that_held() {
    let runs = concat!(env!("CARGO_MANIFEST_DIR"), "/../lib/tests/recordings/switches");
    let folder = Folder::with("unused", "");
    let line = format!("when {runs}/sacct.psv.gz --site {runs} -n 1 -t 2 --at 300 --format json --quiet");
    let when = json(&mut folder.queuecast(&line));
    let tried = when["tried"].as_array().unwrap();
    let of = |method: &str| tried.iter().find(|one| one["method"] == method).unwrap();
    let inside = |method: &str| of(method)["inside"].as_f64().unwrap();
    let score = |method: &str| of(method)["interval_score"].as_f64().unwrap();
    assert!(inside("past") < 0.5 && inside("slurm") > 0.8 && score("past") < score("slurm"), "{tried:?}");
    assert_eq!((&when["method"], &when["doubt"]), (&"slurm".into(), &Value::Null));
    assert!(when["regime"]["jobs"].as_u64() >= Some(30), "{}", when["regime"]);
}

#[test]
fn a_slurm_site_says_the_same_to_every_command() {
    let folder = crate::pending::slurm_site();
    let site =
        "[[site]]\nname = \"here\"\nslurm = \"site\"\ntrace = \"history.csv\"\npartition = \"batch\"\n";
    std::fs::write(folder.path("sites.toml"), site).unwrap();
    let ask = |line: &str| json(&mut folder.queuecast(&format!("{line} --at 10 --format json --quiet")));
    let mut said = Vec::new();
    // A job of each size asks for the time that it runs there.
    let sizes = ask("allocate history.csv --site site -q batch -u bob --runs 4=20m,8=5m");
    for (job, size) in
        [("-n 4 -t 20 -u bob", Some(4)), ("-n 8 -t 5 -u bob", Some(8)), ("-n 8 -t 5 -u ann", None)]
    {
        let when = ask(&format!("when history.csv --site site -q batch {job}"));
        let start = range(&when["wait"], ["low", "median", "high"]);
        if let Some(size) = size {
            let all = sizes["sizes"].as_array().unwrap();
            let own = all.iter().find(|one| one["procs"] == size).unwrap();
            assert_eq!(range(&own["queue"], ["low", "median", "high"]), start, "{job}");
            assert_eq!(sizes["forecast"]["method"], when["method"]);
        }
        // The first of several jobs is that job, whatever else the others ask for.
        for several in ["--array 1-4", "--array 1-9%2", "--chain 3"] {
            let all = ask(&format!("when history.csv --site site -q batch {job} {several}"));
            let place = &all["places"][0];
            for first in [&place["first_start"], &place["jobs"][0]["start"]] {
                for part in ["p10", "median", "p90", "low", "high"] {
                    assert_eq!(first[part], when["wait"][part], "{job} {several} {part}");
                }
            }
            assert_eq!(place["alone"]["method"], when["method"], "{job} {several}");
        }
        let advise = ask(&format!("advise history.csv --site site -q batch {job}"));
        assert_eq!(range(&advise["options"][0]["start"], ["low", "median", "high"]), start, "{job}");
        let sites = ask(&format!("metaschedule sites.toml {job}"));
        assert_eq!(range(&sites["sites"][0]["wait"], ["low", "median", "high"]), start, "{job}");
        assert_eq!(sites["sites"][0]["partition"], "batch");
        said.push(start);
    }
    // Control: these are ranges, and no points.
    assert!(said.iter().all(|[low, _, high]| low < high), "{said:?}");
    // Sizes that the site refuses are left out; a list of jobs asks for all that sbatch can be asked for.
    let sizes = ask("allocate history.csv --site site -u bob --runs 4=2h,8=30m,16=10m");
    assert_eq!((&sizes["excluded"], &sizes["recommended"]), (&serde_json::json!([4, 16]), &8.into()));
    let jobs = "submit,user,key,args\n100,bob,a,-n 4 -t 20\n130,ann,a_1,-n 1 -p other -t 5 -d afterany:@a\n";
    std::fs::write(folder.path("jobs.csv"), jobs).unwrap();
    let all = ask("when history.csv --site site --list jobs.csv");
    let alone = ask("when history.csv --site site -n 4 -t 20 -u bob");
    assert_eq!(range(&all["places"][0]["first_start"], ["low", "median", "high"]), {
        range(&alone["wait"], ["low", "median", "high"])
    });
    let median = |job: usize, what: &str| all["places"][0]["jobs"][job][what]["median"].as_f64();
    assert!(median(1, "start") >= median(0, "end") && median(0, "end") > median(0, "start"), "{all}");
    // What the site would refuse it refuses here, and brokers cannot be simulated on its nodes.
    let refused = |line: &str| {
        let output = folder.queuecast(line).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let (is_answered, why) = refused("metaschedule sites.toml -n 4 -t 2h -u bob --at 10");
    assert!(!is_answered && why.contains("MaxTime"), "{why}");
    std::fs::write(folder.path("jobs.csv"), "submit,user,args\n0,bob,-n 4 -t 20\n0,bob,-n 4 -t 120\n")
        .unwrap();
    for line in [
        "when history.csv --site site --list jobs.csv --at 10",
        "allocate history.csv --site site --runs 4=2h,8=90m --at 10",
    ] {
        let (is_answered, why) = refused(line);
        assert!(!is_answered && why.contains("MaxTime"), "{why}");
    }
    let (is_answered, why) = refused("allocate history.csv --site site --runs 4=2h --policy easy");
    assert!(!is_answered && why.contains("the site's own scheduler is simulated"), "{why}");
    let (is_answered, why) = refused("metaschedule sites.toml");
    assert!(!is_answered && why.contains("brokers are simulated on processors"), "{why}");
}
