//! `queuecast when` about several jobs together, and `queuecast score campaigns`.

use serde_json::{Value, json as value};

use crate::when::{log, refused};
use crate::{Folder, json, stdout};

fn range(answer: &Value, of: &str) -> [f64; 3] {
    ["low", "median", "high"].map(|part| answer["places"][0][of][part].as_f64().unwrap())
}

/// Ascending, and none before that of another.
fn assert_ordered(answer: &Value) {
    let [first, half, last] = ["first_start", "half_ended", "last_end"].map(|of| range(answer, of));
    for one in [first, half, last] {
        assert!(one.is_sorted() && one[0] >= 0.0, "{one:?}");
    }
    for place in 0..3 {
        assert!(first[place] <= half[place] && half[place] <= last[place], "{first:?} {half:?} {last:?}");
    }
    // Jobs take time, and none ends after the last.
    assert!(first[1] < half[1], "{first:?} {half:?}");
    for job in answer["places"][0]["jobs"].as_array().unwrap() {
        let of = |what: &str| ["low", "median", "high"].map(|part| job[what][part].as_f64().unwrap());
        let (start, end) = (of("start"), of("end"));
        assert!(
            (0..3).all(|place| start[place] <= end[place] && end[place] <= last[place]),
            "{job} {last:?}"
        );
    }
}

#[test]
fn an_array_has_a_first_start_and_a_last_end() {
    let folder = log();
    let line = "when log.swf -n 8 -t 2h --array 1-20%5 --format json";
    let answer = json(&mut folder.recalling(line));
    assert_ordered(&answer);
    let place = &answer["places"][0];
    assert_eq!(answer["asked"]["jobs"].as_array().unwrap().len(), 20);
    assert_eq!(
        (&answer["asked"]["at_once"], &answer["asked"]["jobs"][0]["name"]),
        (&value!([5]), &value!("_1"))
    );
    assert!(place["at_once"].as_array().unwrap().iter().all(|most| most.as_u64().unwrap() <= 5));
    assert_eq!(place["jobs"].as_array().unwrap().len(), 20);
    // Twenty jobs, five at a time, take longer than five.
    let fewer = json(&mut folder.recalling("when log.swf -n 8 -t 2h --array 1-5 --format json"));
    assert!(range(&answer, "last_end")[1] > range(&fewer, "last_end")[1]);
    // The same bytes on any number of threads.
    let on = |threads: &str| stdout(folder.queuecast(line).env("RAYON_NUM_THREADS", threads));
    assert_eq!(on("1"), on("3"));
    let rows = stdout(&mut folder.recalling("when log.swf -n 8 -t 2h --array 1,3,9-11:2 --format csv"));
    assert!(rows.starts_with("partition,of,job,procs,time_seconds,p10_seconds,median_seconds"), "{rows}");
    assert_eq!(rows.lines().count(), 1 + 3 + 2 * 4, "{rows}");
    assert!(rows.contains("\n,start,_11,8,7200,"), "{rows}");
}

#[test]
fn the_text_says_when_the_first_starts_and_the_last_ends() {
    let folder = log();
    let text = stdout(&mut folder.recalling("when log.swf -n 8 -t 2h --array 1-20%5"));
    for part in [
        "The first job most likely starts",
        "The last job most likely ends",
        "at most 5 may.",
        "half have ended",
        "80% range",
        "Times from now: 80 % range",
        "simulations of the queue with these jobs in it",
        "Asked: 20 jobs of 8 processors for 2 h each, at most 5 at once",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let plain = stdout(&mut folder.recalling("when log.swf -n 8 -t 2h --array 1-20%5 --no-plot"));
    assert!(!plain.contains("with a tick at even odds"), "{plain}");
    folder.recalling("when log.swf -n 8 -t 2h --array 1-20 --plot times.svg --quiet").assert().success();
    assert!(folder.read("times.svg").contains("<svg"));
}

#[test]
fn a_chain_goes_one_by_one_and_a_list_as_it_says() {
    let folder = log();
    let chain = json(&mut folder.recalling("when log.swf -n 8 -t 2h --chain 3 --format json"));
    assert_ordered(&chain);
    assert_eq!(
        (&chain["asked"]["depend"], &chain["places"][0]["at_once"]),
        (&value!(true), &value!([1, 1, 1]))
    );
    let list = "submit,user,key,args\n\
                0,ann,a,-n 8 -t 120\n\
                0,ann,b,\"-n 8 -t 120 --dependency=afterok:@a\"\n\
                0,ann,c,\"-n 8 -t 120 --dependency=afterany:@b\"\n\
                7200,ann,d,\"-n 4 -t 60 --array=0-3%2 --dependency=singleton\"\n";
    std::fs::write(folder.path("jobs.csv"), list).unwrap();
    let listed = json(&mut folder.recalling("when log.swf --list jobs.csv --format json"));
    assert_ordered(&listed);
    let names: Vec<&str> =
        listed["asked"]["jobs"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b", "c", "d_0", "d_1", "d_2", "d_3"]);
    let at = |job: usize, of: &str| listed["places"][0]["jobs"][job][of]["median"].as_f64().unwrap();
    assert!(at(0, "end") <= at(1, "start") && at(1, "end") <= at(2, "start"), "{listed}");
    assert!(at(3, "start") >= 7200.0);
}

/// Two nodes of four processors. One task of an array runs, its others wait for it; jobs that depend on each other wait too.
fn site() -> Folder {
    let queue = "7_1|RUNNING|2|60:00|10:00|9|ada|N/A|batch|a|phys|high|(null)|N/A|(null)|None\\n\
                 7_2|PENDING|2|60:00|0:00|9|ada|N/A|batch||phys|high|(null)|N/A|(null)|JobArrayTaskLimit\\n\
                 7_3|PENDING|2|60:00|0:00|9|ada|N/A|batch||phys|high|(null)|N/A|(null)|JobArrayTaskLimit\\n\
                 8|PENDING|8|30:00|0:00|8|bob|N/A|batch||phys|high|(null)|N/A|(null)|Resources\\n\
                 9|PENDING|4|30:00|0:00|7|bob|N/A|batch||phys|high|(null)|N/A|afterok:8(unfulfilled)|Dependency\\n\
                 10|PENDING|4|30:00|0:00|6|bob|N/A|batch||phys|high|(null)|N/A|afterany:9(unfulfilled)|Dependency\\n\
                 11|PENDING|1|30:00|0:00|5|eve|N/A|batch||phys|high|(null)|N/A|(null)|Priority\\n\
                 12|PENDING|1|30:00|0:00|5|eve|N/A|batch||phys|high|(null)|N/A|afterok:11(unfulfilled)|JobHeldUser\\n";
    let nodes = "a|2/2/0/4|batch|up|infinite|1-infinite|UNLIMITED|1\\nb|0/4/0/4|batch|up|infinite|1-infinite|UNLIMITED|1\\n";
    crate::live::site(&format!("printf '{queue}'"), &format!("printf '{nodes}'"))
}

#[cfg(unix)]
#[test]
fn arrays_and_chains_in_a_queue_are_asked_about_by_number() {
    let folder = site();
    let run = |line: &str| crate::live::run(&folder, line);
    let array = json(&mut run("when --live 7 --format json"));
    assert_ordered(&array);
    let names = |answer: &Value| -> Vec<String> {
        let jobs = answer["asked"]["jobs"].as_array().unwrap();
        jobs.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&array), ["7_2", "7_3"]);
    assert_eq!((&array["asked"]["at_once"], &array["asked"]["running"]), (&value!([1]), &value!(1)));
    assert_eq!(array["places"][0]["at_once"], value!([1, 1, 1]));
    // Each of the chain's numbers means all of it.
    let chains = ["8", "9", "10"].map(|job| json(&mut run(&format!("when --live {job} --format json"))));
    for chain in &chains {
        assert_eq!(
            (names(chain), &chain["places"]),
            (vec!["8".into(), "9".into(), "10".into()], &chains[0]["places"])
        );
        let at = |job: usize, of: &str| chain["places"][0]["jobs"][job][of]["median"].as_f64().unwrap();
        assert!(at(0, "end") <= at(1, "start") && at(1, "end") <= at(2, "start"), "{chain}");
    }
    let text = stdout(&mut run("when --live 9 --no-plot"));
    assert!(text.contains("Asked: 3 jobs that belong to 9 and wait, with dependencies at "), "{text}");
    assert!(text.contains("Too few past campaigns"), "{text}");
    // The first start of each is that of its row in the queue.
    let pending = json(&mut run("pending --live --format json"));
    let row =
        |job: &str| pending["jobs"].as_array().unwrap().iter().find(|one| one["job"] == job).unwrap().clone();
    assert_eq!(chains[0]["places"][0]["first_start"], row("8")["start"]);
    assert_eq!(chains[0]["places"][0]["jobs"][0]["start"], row("8")["start"]);
    // One job that no other waits for is asked about as before, and so is one with --why.
    let (alone, why) =
        (json(&mut run("when --live 7_2 --format json")), run("when --live 8 --why").output().unwrap());
    assert_eq!(alone["job"]["job"], "7_2");
    assert!(String::from_utf8_lossy(&why.stdout).starts_with("Job 8 most likely starts"), "{why:?}");
    // What is held is left out, and said.
    let held = run("when --live 11").output().unwrap();
    assert!(String::from_utf8_lossy(&held.stderr).contains("1 job of job 11 is left out"), "{held:?}");
    // New jobs, submitted now.
    let new = json(&mut run("when --live -n 4 -t 30 --array 1-4 --format json"));
    assert_ordered(&new);
    assert_eq!(new["places"][0]["partition"], "batch");
    let large = run("when --live -n 9 -t 30 --array 1-4").assert().code(2);
    let said = String::from_utf8_lossy(&large.get_output().stderr).into_owned();
    assert!(said.contains("no partition allows all of these jobs"), "{said}");
}

#[test]
fn what_makes_no_sense_for_several_jobs_is_refused() {
    let folder = log();
    let cases = [
        ("--array 5-1", 2, "as for sbatch: 1-500"),
        ("--array 1-20000", 2, "at most 10,000 jobs"),
        ("--array 1-4 --chain 3", 2, "cannot be used with"),
        ("--chain 0", 2, "at least 1"),
        ("--array 1-4 --why", 2, "--why cannot be used with --array"),
        ("--array 1-4 --explain", 2, "all jobs are simulated together"),
        ("--chain 4 --trials 9", 2, "all jobs are simulated together"),
        ("--array 1-4 --site nowhere", 3, "there is no such folder"),
        ("--array 1-4 -u nosuch", 2, "no such user"),
        ("--array 1-4 -q nosuch", 2, "no such queue"),
        ("--array 1-4 --job 12", 2, "cannot be given for job 12"),
    ];
    for (options, code, said) in cases {
        let size = if options.contains("--job ") { "" } else { " -n 4 -t 1h" };
        refused(&folder, &format!("when log.swf{size} {options}"), code, said);
    }
    refused(&folder, "when log.swf -n 100000 --array 1-2", 2, "the machine has");
    refused(&folder, "when log.swf --array 1-2", 2, "--size");
    refused(&folder, "when made.swf -n 4 --array 1-2", 3, "simulate it");
    refused(&folder, "when log.swf --list none.csv", 3, "none.csv");
    for (list, said) in [
        ("submit,user\n0,ann\n", "a column args"),
        ("submit,user,args\n", "it lists no submission"),
        ("submit,user,args\n0,ann,--what\n", "jobs.csv:2"),
        (
            "submit,user,args\n0,ann,-n 4 --dependency=afterok:99\n",
            "depends on 99, which no line before it submits",
        ),
        ("submit,user,key,args\n0,ann,a,-n 4\n0,ann,b,-n 4 --dependency=after:@a\n", "is not simulated"),
    ] {
        std::fs::write(folder.path("jobs.csv"), list).unwrap();
        refused(&folder, "when log.swf --list jobs.csv", 3, said);
    }
    std::fs::write(folder.path("jobs.csv"), "submit,user,args\n0,ann,-n 4\n").unwrap();
    refused(&folder, "when log.swf --list jobs.csv -n 4", 2, "the list says it of each job");
}

#[test]
fn campaigns_are_scored_beside_what_past_ones_took() {
    let folder = log();
    let line = "score campaigns log.swf --format json";
    let on = |threads: u32| stdout(&mut folder.queuecast(&format!("{line} --threads {threads}")));
    let once = on(1);
    assert_eq!(once, on(3), "the same bytes on any number of threads");
    let scored: Value = serde_json::from_str(&once).unwrap();
    let all = scored["campaigns"].as_array().unwrap();
    let campaigns = |one: &Value| one["campaigns"].as_u64().unwrap();
    assert!(campaigns(&all[0]) > 0, "{scored}");
    for one in all {
        for of in ["first_start", "half_ended", "last_end", "past_first_start", "past_last_end"] {
            let inside = one[of]["inside"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&inside) && one[of]["interval_score"].as_f64().unwrap() >= 0.0);
        }
    }
    let text = stdout(&mut folder.queuecast("score campaigns log.swf"));
    assert!(text.contains("past campaigns") && text.contains("80% should be"), "{text}");
    let csv = stdout(&mut folder.queuecast("score campaigns log.swf --format csv"));
    assert_eq!(csv.lines().count(), 1 + 5 * all.len(), "{csv}");
    refused(&folder, "score campaigns made.swf", 3, "does not record when jobs started");
}
