//! `metaschedule`: brokers over the logs of several sites, and the site that would start one job first.

use serde_json::{Value, json as value};

use crate::{Folder, column, json, stdout};

/// Two logs as simulated, so that they have waits, and a file of both sites.
fn folder() -> Folder {
    let folder = Folder::with("sites.toml", TWO);
    for (seed, name) in [(3, "north"), (4, "south")] {
        let made =
            format!("generate habits --jobs 400 --procs 64 --seed {seed} --output made-{name}.swf --quiet");
        folder.queuecast(&made).assert().success();
        let simulated = format!("simulate made-{name}.swf --schedule-swf {name}.swf --quiet --no-plot");
        folder.queuecast(&simulated).assert().success();
    }
    folder
}

const TWO: &str = "\
[[site]]
name = \"north\"
trace = \"north.swf\"
[[site]]
name = \"south\"
trace = \"south.swf\"
policy = \"conservative\"
";

fn refused(folder: &Folder, line: &str, code: i32, expected: &[&str]) {
    let assert = folder.queuecast(line).assert().code(code);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    for part in expected {
        assert!(said.contains(part), "{line}: {part}: {said}");
    }
}

/// Refuses a file of sites.
fn refused_file(folder: &Folder, text: &str, options: &str, code: i32, expected: &[&str]) {
    std::fs::write(folder.path("bad.toml"), text).unwrap();
    refused(folder, &format!("metaschedule bad.toml {options}"), code, expected);
}

fn names(list: &Value, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_broker_is_compared_with_static_on_the_same_jobs() {
    let folder = folder();
    let all = json(&mut folder.queuecast("metaschedule sites.toml --format json"));
    assert_eq!(
        (&all["jobs"], &all["unplaced"], &all["first_unplaced"]),
        (&value!(800), &value!(0), &Value::Null)
    );
    let brokers = all["brokers"].as_array().unwrap();
    assert_eq!(
        names(&all["brokers"], "broker"),
        [
            "static",
            "least-loaded",
            "k-distributed",
            "redundant",
            "least-predicted-wait",
            "turnaround",
            "risk-averse",
            "oracle"
        ]
    );
    for one in brokers {
        let count = |list: &Value| -> u64 {
            list.as_array().unwrap().iter().map(|site| site["jobs"].as_u64().unwrap()).sum()
        };
        assert_eq!((count(&one["sites"]), count(&one["homes"])), (800, 800), "{}", one["broker"]);
        let mean = one["mean_wait"].as_f64().unwrap();
        let base = brokers[0]["mean_wait"].as_f64().unwrap();
        let change = one["against_static"]["change"].as_f64().unwrap();
        assert!((change - (mean / base - 1.0)).abs() < 1e-9, "{}: {change}", one["broker"]);
    }
    let stayed = |broker: usize| -> Vec<f64> {
        let homes = brokers[broker]["homes"].as_array().unwrap();
        homes.iter().map(|home| home["stayed"].as_f64().unwrap()).collect()
    };
    assert_eq!(stayed(0), [1.0, 1.0], "static sends no job elsewhere");
    // Control: another broker does.
    assert!(stayed(1).iter().all(|&share| share < 1.0), "{:?}", stayed(1));
    assert_eq!(brokers[7]["of_oracle"], 1.0);
    assert_eq!(brokers[0]["withdrawn"], 0);
    assert!(brokers[3]["withdrawn"].as_u64().unwrap() > 0, "copies");
    // Both began in January 2024.
    assert_eq!((&all["grid"]["align"], &all["grid"]["limit"]), (&value!("recorded"), &value!("kill")));
    assert_eq!(names(&all["grid"]["sites"], "policy"), ["easy", "conservative"]);
}

#[test]
fn static_alone_is_one_simulation_for_each_site() {
    let folder = folder();
    let all = json(&mut folder.queuecast("metaschedule sites.toml --broker static --format json"));
    assert_eq!(names(&all["brokers"], "broker"), ["static"]);
    for (place, (name, policy)) in [("north", "easy"), ("south", "conservative")].into_iter().enumerate() {
        let alone =
            json(&mut folder.queuecast(&format!("simulate {name}.swf --policy {policy} --format json")));
        let wait = |value: &Value| value.as_f64().unwrap();
        let (here, there) = (&all["brokers"][0]["sites"][place]["mean_wait"], &alone["mean_wait"]);
        assert!((wait(here) - wait(there)).abs() < 1e-6, "{name}: {here} {there}");
        // Control: another policy has other waits.
        let other = json(&mut folder.queuecast(&format!("simulate {name}.swf --policy fcfs --format json")));
        assert!((wait(here) - wait(&other["mean_wait"])).abs() > 1.0, "{name}");
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = folder();
    for format in ["text", "json", "csv"] {
        let on = |threads: u32| {
            let line = format!("metaschedule sites.toml --threads {threads} --format {format} --quiet");
            stdout(&mut folder.queuecast(&line))
        };
        assert_eq!(on(1), on(2), "{format}");
    }
    // Control: other brokers are other bytes.
    let line = "metaschedule sites.toml --broker redundant --format csv --quiet";
    assert_ne!(
        stdout(&mut folder.queuecast(line)),
        stdout(&mut folder.queuecast("metaschedule sites.toml --format csv --quiet"))
    );
}

#[test]
fn tables_say_who_gains_and_how_clocks_were_put_together() {
    let folder = folder();
    let text =
        stdout(folder.queuecast("metaschedule sites.toml --broker turnaround,oracle").env("COLUMNS", "120"));
    for expected in [
        "800 jobs at 2 sites of sites.toml",
        "against",
        "fewer than two weeks of jobs have no interval",
        "Where jobs ran: share of all jobs",
        "own users: change of their mean wait",
        "jobs arrive at the times recorded (align = \"recorded\")",
        "oracle knows run times",
        "Mean wait, lower is better",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let csv = stdout(&mut folder.queuecast("metaschedule sites.toml --broker turnaround --format csv"));
    assert_eq!(column(&csv, "broker"), ["static", "static", "turnaround", "turnaround"]);
    let jobs: Vec<u32> = column(&csv, "jobs").iter().map(|text| text.parse().unwrap()).collect();
    assert_eq!((jobs[0] + jobs[1], jobs[2] + jobs[3]), (800, 800));
    // Control: without the oracle, nothing is said of it.
    let without = stdout(&mut folder.queuecast("metaschedule sites.toml --broker turnaround --no-plot"));
    assert!(!without.contains("oracle") && !without.contains("lower is better"), "{without}");
    std::fs::write(folder.path("start.toml"), format!("align = \"start\"\ndays = 2\n{TWO}")).unwrap();
    let start = stdout(&mut folder.queuecast("metaschedule start.toml --broker least-loaded"));
    assert!(
        start.contains("all logs begin at the same instant") && start.contains("within 2 d of the first"),
        "{start}"
    );
    folder.queuecast("metaschedule sites.toml --broker redundant --plot out.svg --quiet").assert().success();
    assert!(folder.read("out.svg").contains("<svg"));
}

#[test]
fn jobs_that_fit_no_site_are_counted_and_named() {
    let folder = folder();
    let smaller = TWO
        .replace("policy =", "procs = 20\npolicy =")
        .replace("trace = \"north.swf\"\n", "trace = \"north.swf\"\nprocs = 8\n");
    std::fs::write(folder.path("small.toml"), smaller).unwrap();
    let line = "metaschedule small.toml --broker least-loaded";
    let small = json(&mut folder.queuecast(&format!("{line} --format json")));
    let (jobs, unplaced) = (small["jobs"].as_u64().unwrap(), small["unplaced"].as_u64().unwrap());
    assert!(unplaced > 0 && jobs + unplaced == 800, "{jobs} {unplaced}");
    let first = &small["first_unplaced"];
    assert!(first["procs"].as_u64().unwrap() > 20, "{first}");
    let text = stdout(&mut folder.queuecast(line));
    let said = format!("fit no site, so they are left out; the first: job {}", first["job"]);
    assert!(text.contains(&format!("{unplaced} jobs {said}")), "{said}: {text}");
    // Jobs too large for their own site only go to the other, and are not lost.
    let homes = small["brokers"][0]["homes"].as_array().unwrap();
    assert!(homes[0]["stayed"].as_f64().unwrap() < 1.0, "{homes:?}");
    // Control: with their own machines all fit.
    assert_eq!(
        json(&mut folder.queuecast("metaschedule sites.toml --broker static --format json"))["unplaced"],
        0
    );
    // A machine without jobs of its own takes the large ones.
    std::fs::write(
        folder.path("spare.toml"),
        folder.read("small.toml") + "[[site]]\nname = \"spare\"\nprocs = 64\n",
    )
    .unwrap();
    let spare = json(&mut folder.queuecast("metaschedule spare.toml --broker least-loaded --format json"));
    assert_eq!((&spare["jobs"], &spare["unplaced"]), (&value!(800), &value!(0)));
    assert_eq!(spare["sites"][2], value!({"site": "spare", "procs": 64, "jobs": 0}));
    assert_eq!(spare["grid"]["sites"][2]["workload"], Value::Null);
}

#[test]
fn what_is_wrong_with_the_file_is_said_with_its_place() {
    let folder = folder();
    for (text, options, code, expected) in [
        (
            &*format!("{TWO}prcs = 8\n"),
            "",
            3,
            &["bad.toml, line 8, site 'south': unknown field `prcs`", "keys of the whole grid"][..],
        ),
        (
            &*TWO.replace("south\"", "north\""),
            "",
            3,
            &["line 5: two sites are called 'north'", "a name of its own"],
        ),
        (
            &*TWO.replace("conservative", "eazy"),
            "",
            3,
            &["line 7, site 'south': policy = \"eazy\": no such policy; known are fcfs"],
        ),
        (
            &*TWO.replace("\"south.swf", "\"suoth.swf"),
            "",
            3,
            &["line 6, site 'south': suoth.swf: no such file", "did you mean south.swf"],
        ),
        (&*TWO.replace("\"conservative\"", "7"), "", 3, &["policy = 7: give a text in quotes"]),
        ("", "", 3, &["there is no site in it", "[[site]]"]),
        ("[[site]]\nname = \"x\"\nprocs = 4\n", "", 3, &["no site has a trace"]),
        (
            "[[site]]\nname = \"x\"\nprocs = 4\n",
            "-n 2",
            2,
            &["no site takes this job", "neither a log nor a live queue"],
        ),
        (
            &*format!("align = \"recorded\"\n{}", TWO.replace("south.swf", "dateless.swf")),
            "",
            3,
            &["dateless.swf does not say when it began"],
        ),
        (
            &*TWO.replace("\"conservative\"", "\"easy\"\npredictor = \"perfect\""),
            "",
            3,
            &["site 'south': the predictor 'perfect' needs"],
        ),
        (
            "[[site]]\nname = \"x\"\nlive = true\npartition = \"p\"\n",
            "",
            2,
            &["line 2, site 'x': it is live", "-n 64 -t 2h"],
        ),
        (
            "[[site]]\nname = \"x\"\nlive = true\npartition = \"p\"\n",
            "-n 4 --at 2d",
            2,
            &["--at 2d: site 'x' is live"],
        ),
    ] {
        let dateless: String = folder
            .read("south.swf")
            .lines()
            .filter(|line| !line.contains("UnixStartTime"))
            .map(|line| format!("{line}\n"))
            .collect();
        std::fs::write(folder.path("dateless.swf"), dateless).unwrap();
        refused_file(&folder, text, options, code, expected);
    }
    refused(
        &folder,
        "metaschedule sites.toml --broker fastest",
        2,
        &["invalid value 'fastest'", "least-loaded"],
    );
    refused(&folder, "metaschedule nowhere.toml", 3, &["nowhere.toml: no such file"]);
    refused(&folder, "metaschedule sites.toml -t 2h", 2, &["--size"]);
    refused(&folder, "metaschedule sites.toml -n 4 --broker oracle", 2, &["cannot be used with"]);
    // Control.
    folder.queuecast("metaschedule sites.toml --broker static --no-plot").assert().success();
}

#[test]
fn traces_lie_beside_the_file() {
    let folder = folder();
    std::fs::create_dir(folder.path("logs")).unwrap();
    for name in ["sites.toml", "north.swf", "south.swf"] {
        std::fs::rename(folder.path(name), folder.path("logs").join(name)).unwrap();
    }
    folder.queuecast("metaschedule logs/sites.toml --broker static --no-plot").assert().success();
    // Control: from another directory they would not be found.
    std::fs::rename(folder.path("logs/sites.toml"), folder.path("sites.toml")).unwrap();
    refused(&folder, "metaschedule sites.toml", 3, &["north.swf: no such file"]);
}

#[test]
fn one_job_goes_where_it_would_start_first() {
    let folder = folder();
    let line = "metaschedule sites.toml -n 8 -t 2h";
    let answer = json(&mut folder.queuecast(&format!("{line} --format json")));
    let sites = answer["sites"].as_array().unwrap();
    assert_eq!(sites.len(), 2);
    let medians: Vec<f64> = sites.iter().map(|one| one["wait"]["median"].as_f64().unwrap()).collect();
    assert!(medians.is_sorted(), "{medians:?}");
    let first = names(&answer["sites"], "site")[0].clone();
    assert_eq!(answer["first"][0], *first);
    // Each answer is that of `when`.
    for one in sites {
        let line = format!("when {} -n 8 -t 2h --format json", one["source"].as_str().unwrap());
        let alone = json(&mut folder.queuecast(&line));
        assert_eq!(
            (&one["wait"], &one["method"], &one["state"]),
            (&alone["wait"], &alone["method"], &alone["state"])
        );
    }
    let text = stdout(folder.queuecast(line).env("COLUMNS", "80"));
    let sentence = answer["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("Submit to")
            || sentence.contains("Too close to call")
            || sentence.contains("at once")
    );
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&text).contains(&words(sentence)), "{text}");
    assert!(text.contains("80% range") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let csv = stdout(&mut folder.queuecast(&format!("{line} --format csv")));
    assert_eq!(column(&csv, "site"), names(&answer["sites"], "site"));
    assert_eq!(column(&csv, "first")[0], "1");
    for (name, value) in
        ["low", "high"].map(|end| (format!("{end}_seconds"), &answer["sites"][0]["wait"][end]))
    {
        assert_eq!(column(&csv, &name)[0].parse::<f64>().unwrap(), value.as_f64().unwrap(), "{csv}");
    }
}

#[test]
fn sites_that_are_alike_are_too_close_to_call() {
    let folder = folder();
    std::fs::write(folder.path("alike.toml"), TWO.replace("south.swf", "north.swf")).unwrap();
    let alike = json(&mut folder.queuecast("metaschedule alike.toml -n 64 -t 2h --format json"));
    assert_eq!(alike["first"], value!(["north", "south"]));
    let sentence = alike["sentence"].as_str().unwrap();
    let said = "Too close to call between north and south: none starts it sooner in six of ten cases.";
    assert!(sentence.contains(said) || sentence.contains("at once at north and south"), "{sentence}");
    // Control: a queue of hours behind a machine that is free.
    let busy: String = (1..=40)
        .map(|id| format!("{id} 0 {} 3600 64 -1 -1 64 3600 -1 1 1 1 1 1 1 -1 -1\n", (id - 1) * 3600))
        .collect();
    std::fs::write(folder.path("busy.swf"), format!("; MaxProcs: 64\n{busy}")).unwrap();
    let free = "; MaxProcs: 64\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n2 3600 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n";
    std::fs::write(folder.path("free.swf"), free).unwrap();
    let apart = TWO.replace("\"north.swf", "\"busy.swf").replace("\"south.swf", "\"free.swf");
    std::fs::write(folder.path("apart.toml"), apart).unwrap();
    let apart = json(&mut folder.queuecast("metaschedule apart.toml -n 8 -t 2h --format json"));
    assert_eq!((&apart["first"], &apart["sites"][1]["site"]), (&value!(["south"]), &value!("north")));
    let sentence = apart["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("Submit to south: it would start at once; north about"), "{sentence}");
}

#[test]
fn a_site_that_does_not_take_the_job_says_why() {
    let folder = folder();
    let limited = format!("{TWO}[[site.queue]]\nname = \"short\"\nmax_procs = 16\nmax_time = \"1h\"\n");
    std::fs::write(folder.path("sites.toml"), limited).unwrap();
    let answer = json(&mut folder.queuecast("metaschedule sites.toml -n 8 -t 2h --format json"));
    assert_eq!(
        (names(&answer["sites"], "site"), answer["first"].clone()),
        (vec!["north".to_owned()], value!(["north"]))
    );
    let why = "no queue takes 8 processors for 2 h: short at most 16 processors and 1 h";
    assert_eq!(answer["refused"], value!([{"site": "south", "why": why}]));
    let text = stdout(&mut folder.queuecast("metaschedule sites.toml -n 8 -t 2h"));
    assert!(
        text.contains(&format!("south does not take it: {why}")) && text.contains("Submit to north"),
        "{text}"
    );
    // Control: a shorter job is taken by the queue.
    let short = json(&mut folder.queuecast("metaschedule sites.toml -n 8 -t 30m --format json"));
    let south = short["sites"].as_array().unwrap().iter().find(|one| one["site"] == "south").unwrap();
    assert_eq!((&south["queue"], &short["refused"]), (&value!("short"), &value!([])));
    let none = "metaschedule sites.toml -n 65 -t 30m";
    refused(&folder, none, 2, &["no site takes this job", "north: 65 processors: the machine has 64"]);
    let told = folder.queuecast(none).output().unwrap();
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(!told.contains("note: "), "there is no answer that notes are about: {told}");
    refused(&folder, "metaschedule sites.toml -n 8 -u 999999", 2, &["no site has such a user"]);
    refused(
        &folder,
        "metaschedule sites.toml -n 8 --at 900d",
        2,
        &["line 3, site 'north': --at 900d: outside the log"],
    );
    std::fs::write(folder.path("made.toml"), TWO.replace("\"north.swf", "\"made-north.swf")).unwrap();
    let expected =
        ["site 'north': made-north.swf: the log does not record how long jobs waited", "--schedule-swf"];
    refused(&folder, "metaschedule made.toml -n 8", 3, &expected);
}

#[test]
fn a_site_without_a_history_is_simulated_from_its_queue() {
    // The first two jobs arrive at once, and start later: at that moment nothing has started.
    let folder = folder();
    let early = "; MaxProcs: 8\n1 0 50 100 8 -1 -1 8 100 -1 1 1 1 1 1 1 -1 -1\n2 0 150 100 8 -1 -1 8 100 -1 1 1 1 1 1 1 -1 -1\n";
    std::fs::write(folder.path("early.swf"), early).unwrap();
    std::fs::write(folder.path("early.toml"), TWO.replace("\"north.swf", "\"early.swf")).unwrap();
    let line = "metaschedule early.toml -n 4 -t 10m --at 0";
    let answer = json(&mut folder.queuecast(&format!("{line} --format json")));
    let site = |name: &str| {
        answer["sites"].as_array().unwrap().iter().find(|one| one["site"] == name).unwrap().clone()
    };
    let (north, south) = (site("north"), site("south"));
    assert_eq!((&north["method"], &north["learned"]), (&value!("simulated"), &value!(0)));
    assert_eq!((&north["state"]["waiting"], &north["state"]["free"]), (&value!(2), &value!(8)));
    assert!((100.0..=200.0).contains(&north["wait"]["median"].as_f64().unwrap()), "{}", north["wait"]);
    let text = stdout(&mut folder.queuecast(line));
    assert!(
        text.contains(
            "north: early.swf, at 0 s; no history yet, so its wait is simulated from its queue alone"
        ),
        "{text}"
    );
    // Control: the other site has seen a job start.
    assert!(south["learned"].as_u64().unwrap() > 0);
}

#[cfg(unix)]
#[test]
fn a_live_partition_is_asked_now_beside_a_log() {
    use crate::live::{overlapping, run};
    let site = overlapping();
    let logs = folder();
    std::fs::copy(logs.path("north.swf"), site.path("north.swf")).unwrap();
    let live =
        |partition: &str| format!("[[site]]\nname = \"here\"\nlive = true\npartition = \"{partition}\"\n");
    let file = format!("{}{}", &TWO[..TWO.find("[[site]]\nname = \"south").unwrap()], live("long"));
    std::fs::write(site.path("sites.toml"), &file).unwrap();
    let line = "metaschedule sites.toml -n 4 -t 5m";
    let answer = json(&mut run(&site, &format!("{line} --format json")));
    let here = answer["sites"].as_array().unwrap().iter().find(|one| one["site"] == "here").unwrap().clone();
    assert_eq!(
        (&here["partition"], &here["source"], &here["history"]),
        (&value!("long"), &value!("squeue"), &value!("no history"))
    );
    assert_eq!((&here["state"]["procs"], &here["state"]["free"]), (&value!(8), &value!(0)));
    // The job on these nodes may run for four minutes more.
    assert!((1.0..=240.0).contains(&here["wait"]["p90"].as_f64().unwrap()), "{}", here["wait"]);
    assert!(
        stdout(&mut run(&site, line))
            .contains("no history yet, so its wait is simulated from its queue alone")
    );
    // With accounting to learn from.
    std::fs::write(site.path("learn.toml"), format!("{file}trace = \"site.sacct\"\n")).unwrap();
    let learned = json(&mut run(&site, "metaschedule learn.toml -n 4 -t 5m --format json"));
    let here = learned["sites"].as_array().unwrap().iter().find(|one| one["site"] == "here").unwrap().clone();
    assert_eq!(
        (&here["learned"], &here["source"]),
        (&value!(2), &value!("squeue, learning from site.sacct"))
    );
    // Control: what the partition does not allow, and one that there is not.
    let wide = json(&mut run(&site, "metaschedule sites.toml -n 9 -t 5m --format json"));
    assert_eq!(wide["refused"], value!([{"site": "here", "why": "9 processors: the machine has 8"}]));
    std::fs::write(site.path("short.toml"), file.replace("\"long\"", "\"short\"")).unwrap();
    let long = json(&mut run(&site, "metaschedule short.toml -n 4 -t 20m --format json"));
    assert_eq!(
        long["refused"],
        value!([{"site": "here", "why": "Requested time limit is invalid (missing or exceeds some limit): 20 min, and partition short allows 10 min (MaxTime)"}])
    );
    std::fs::write(site.path("none.toml"), file.replace("\"long\"", "\"none\"")).unwrap();
    let output = run(&site, "metaschedule none.toml -n 4").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("line 5, site 'here': --partition none: there is no such partition"), "{said}");
    // Without a Slurm.
    let output = site.queuecast(line).env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(3) && said.contains("site 'here': there is no sinfo here"),
        "{said}"
    );
}
