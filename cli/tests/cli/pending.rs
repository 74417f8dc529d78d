//! `queuecast pending`, and `when` for jobs that wait already, job scripts, and what keeps a job from starting.
#![cfg(unix)]

use serde_json::{Value, json as value};

use crate::live::{run, site};
use crate::{Folder, column, json, stdout};

/// Eight processors that job 1 of ada holds for an hour. An array of bob's and a job of eve's wait for all of them, others for something
/// else.
fn busy() -> Folder {
    let told = |id: &str, procs: u32, priority: u32, user: &str, told: &str| {
        format!("{id}|PENDING|{procs}|30:00|0:00|{priority}|{user}|N/A|long||phys|high|{told}\\n")
    };
    let queue = "1|RUNNING|8|2:00:00|1:00:00|9|ada|N/A|long|a|phys|high|(null)|N/A|(null)|None\\n".to_owned()
        + &told("20_1", 8, 90, "bob", "(null)|N/A|(null)|Resources")
        + &told("20_2", 8, 80, "bob", "(null)|N/A|(null)|Priority")
        + &told("30", 8, 70, "eve", "(null)|N/A|(null)|Priority")
        + &told("31", 1, 60, "eve", "(null)|N/A|afterok:30(unfulfilled)|Dependency")
        + &told("32", 1, 60, "eve", "(null)|9999999999|(null)|BeginTime")
        + &told("33", 1, 60, "ada", "(null)|N/A|(null)|QOSMaxCpuPerUserLimit");
    site(
        &format!("printf '{queue}'"),
        "printf 'a|8/0/0/8|long|up|infinite|1-infinite|UNLIMITED|1\\na|8/0/0/8|short|up|10:00|1-infinite|UNLIMITED|1\\n'",
    )
}

fn row<'a>(answer: &'a Value, job: &str) -> &'a Value {
    let found = answer["jobs"].as_array().unwrap().iter().find(|one| one["job"] == job);
    found.unwrap_or_else(|| panic!("{job}: {answer}"))
}

fn refused(folder: &Folder, line: &str, expected: &str) {
    let output = run(folder, line).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains(expected), "{line}: {said}");
}

#[test]
fn every_waiting_job_has_a_start_or_a_reason() {
    let folder = busy();
    let line = "pending --live -p long -u eve --format json";
    let answer = json(&mut run(&folder, line));
    // The second in which a site is asked may be another.
    let again = json(&mut run(&folder, line));
    for job in ["20_1", "20_2", "30", "31"] {
        assert_eq!(row(&answer, job), row(&again, job), "the same every time");
    }
    let jobs: Vec<&str> =
        answer["jobs"].as_array().unwrap().iter().map(|one| one["job"].as_str().unwrap()).collect();
    assert_eq!(
        jobs,
        ["30", "31", "32", "20_1", "20_2", "33"],
        "one's own first, those in line before the others"
    );
    let places: Vec<&Value> = ["20_1", "20_2", "30", "31"].map(|job| &row(&answer, job)["place"]).to_vec();
    assert_eq!(places, [&value!(1), &value!(2), &value!(3), &Value::Null]);
    // Job 1 may run for an hour more, each of the others for half an hour.
    let medians = ["20_1", "20_2", "30"].map(|job| row(&answer, job)["start"]["median"].as_f64().unwrap());
    assert!(medians.is_sorted() && medians[0] > 0.0 && medians[0] <= 3600.0, "{medians:?}");
    assert!(medians[2] <= 3600.0 + 2.0 * 1800.0, "{medians:?}");
    let why = |job: &str| row(&answer, job)["why"].as_str().unwrap().to_owned();
    assert_eq!(why("20_1"), "8 processors, none is free; enough when job 1 ends");
    assert_eq!(why("30"), "its turn behind 2 jobs for 16 processors");
    assert_eq!(why("31"), "other jobs: afterok:30(unfulfilled)");
    assert_eq!(
        why("33"),
        "a limit on processors of user ada in QOS high (QOSMaxCpuPerUserLimit): 8 in use now"
    );
    assert!(why("32").starts_with("its begin time, 2286-11-20"), "{}", why("32"));
    assert!(row(&answer, "32")["not_before"].as_i64().unwrap() > 0);
    assert_eq!((&row(&answer, "30")["own"], &row(&answer, "33")["own"]), (&value!(true), &value!(false)));
    let text = stdout(&mut run(&folder, "pending --live -p long -u eve"));
    for expected in [
        "6 jobs wait for 27 processors; in long 0 of 8 processors are free.",
        "3 are of user eve, marked with *.",
        "Job 30 most likely starts",
        "3 jobs are not in line for processors",
        "too few past jobs to say how often such ranges hold",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let few = stdout(&mut run(&folder, "pending --live -p long --rows 2"));
    assert!(few.contains("the first 2 of 6 jobs; --rows shows more"), "{few}");
    let csv = stdout(&mut run(&folder, "pending --live -p long --rows 2 --format csv"));
    assert_eq!(column(&csv, "job").len(), 6, "all of them");
    let me = json(&mut run(&folder, "pending --live -p long --me --format json"));
    assert!(me["user"].as_str().is_some_and(|user| !user.is_empty()), "{me}");
    refused(&folder, "pending --live --at 5", "--at 5: a live site is asked now");
}

/// Without a past it is not known how long jobs run, so that there is no advice but about sizes whose run times are told.
#[test]
fn without_accounting_there_is_no_advice_about_limits() {
    let folder = busy();
    let output = run(&folder, "advise --live -n 4 -t 20 -p long").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("no limit can be advised") && said.contains("--runs 64=2h"), "{said}");
    run(&folder, "advise --live -n 4 -t 20 -p long --runs 2=15m,4=10m").assert().success();
}

/// What a job waits for does not refute when it starts: a small one starts at once beside those ahead of it.
#[test]
fn a_job_that_starts_at_once_does_not_wait_for_its_turn() {
    let line = |id: u32, procs: u32| {
        format!(
            "{id}|PENDING|{procs}|0:01|0:00|{}|eve|N/A|long||phys|high|(null)|N/A|(null)|Priority\\n",
            90 - id
        )
    };
    let queue = "1|RUNNING|4|2:00:00|1:00:00|9|ada|N/A|long|a|phys|high|(null)|N/A|(null)|None\\n".to_owned()
        + &line(30, 8)
        + &line(31, 1);
    let folder =
        site(&format!("printf '{queue}'"), "printf 'a|4/4/0/8|long|up|infinite|1-infinite|UNLIMITED|1\\n'");
    let answer = json(&mut run(&folder, "pending --live --format json"));
    assert_eq!(row(&answer, "31")["start"]["median"], value!(0.0), "control: {answer}");
    assert_eq!(row(&answer, "31")["waits_for"], value!({"for": "beside", "ahead": 1}));
    assert!(row(&answer, "31")["why"].as_str().unwrap().contains("it can start before the job ahead of it"));
    assert_eq!(row(&answer, "30")["waits_for"]["for"], "processors");
}

#[test]
fn a_job_that_waits_has_the_answer_of_its_row() {
    let folder = busy();
    let all = json(&mut run(&folder, "pending --live -p long --format json"));
    for (job, line) in [("30", "when --live --job 30"), ("20_2", "when --live 20_2")] {
        let one = json(&mut run(&folder, &format!("{line} -p long --format json")));
        assert_eq!((&one["job"], &one["queue"]), (row(&all, job), &all["queues"][0]), "{line}");
    }
    // By their number alone, an array and a job that others wait for are asked about as a whole.
    for (line, jobs) in [("when --live 20", ["20_1", "20_2"]), ("when --live 30", ["30", "31"])] {
        let several = json(&mut run(&folder, &format!("{line} -p long --format json")));
        let names: Vec<&Value> =
            several["asked"]["jobs"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(names, jobs, "{line}");
    }
    let text = stdout(&mut run(&folder, "when --live 20_2 -p long"));
    assert!(text.starts_with("Job 20_2 most likely starts"), "{text}");
    assert!(text.contains("It waits for its turn behind 1 job for 8 processors."), "{text}");
    refused(&folder, "when --live 1", "job 1 runs already");
    refused(&folder, "when --live --job 20", "job 20 is an array of which 2 tasks wait");
    refused(&folder, "when --live 999", "no job 999 waits there");
    for (option, name) in
        [("-n 4", "size"), ("-t 5", "time"), ("--explain", "explain"), ("--method knn", "method or --trials")]
    {
        let said = format!("--{name} cannot be given for job 30, which waits already");
        refused(&folder, &format!("when --live --job 30 {option}"), &said);
        refused(&folder, &format!("when --live 30 {option}"), &said);
    }
    refused(&folder, "when --live", "--size <N> (-n) is required");
}

#[test]
fn a_log_tells_of_its_queue_at_a_moment() {
    let folder = Folder::with("unused", "");
    folder
        .queuecast("generate habits --jobs 900 --seed 5 --load 1.2 --output made.swf --quiet")
        .assert()
        .success();
    folder.queuecast("simulate made.swf --schedule-swf log.swf --quiet --no-plot").assert().success();
    let all = json(&mut folder.recalling("pending log.swf --format json"));
    let jobs = all["jobs"].as_array().unwrap();
    assert!(jobs.len() > 3, "control: a queue is there: {all}");
    for one in jobs.iter().take(3) {
        let line = format!("when log.swf --job {} --format json", one["job"].as_str().unwrap());
        assert_eq!(&json(&mut folder.recalling(&line))["job"], one);
        let start = &one["start"];
        let range = ["low", "median", "high"].map(|part| start[part].as_f64().unwrap());
        assert!(range.is_sorted() && range[0] >= 0.0, "no sooner than now: {range:?}");
    }
    let record = &all["queues"][0]["record"];
    assert!(record["answers"].as_u64().unwrap() >= 30, "{record}");
    let user = jobs[1]["user"].as_str().unwrap();
    let own = json(&mut folder.recalling(&format!("pending log.swf -u {user} --format json")));
    assert_eq!((&own["jobs"][0]["user"], &own["jobs"][0]["own"]), (&value!(user), &value!(true)));
    let unknown = folder.recalling("pending log.swf -u 99999").assert().code(2);
    assert!(String::from_utf8_lossy(&unknown.get_output().stderr).contains("the log has no such user"));
    // A partition of a job script that the log does not have.
    std::fs::write(folder.path("job.sh"), "#!/bin/sh\n#SBATCH -n 4 -t 20 -p gpu\n").unwrap();
    let script = folder.recalling("when log.swf --script job.sh").assert().success();
    let said = String::from_utf8_lossy(&script.get_output().stderr).into_owned();
    assert!(said.contains("log.swf has no queue gpu: the job is asked about without one"), "{said}");
    folder.recalling("when log.swf --script job.sh -q gpu").assert().code(2);
    // Of an array one job is asked about, until the options ask about all of it.
    std::fs::write(folder.path("array.sh"), "#!/bin/sh\n#SBATCH -n 4 -t 20 --array=1-10%2\n").unwrap();
    let said = |line: &str| {
        let ran = folder.recalling(line).assert().success();
        String::from_utf8_lossy(&ran.get_output().stderr).into_owned()
    };
    let one = said("when log.swf --script array.sh");
    assert!(one.contains("--array 1-10%2 asks when all of them start"), "{one}");
    assert!(!one.contains("not looked at"), "{one}");
    let all = said("when log.swf --script array.sh --array 1-10%2");
    assert!(!all.contains("one job of its array"), "{all}");
    let first = folder.recalling("when log.swf --job 1").assert().code(2);
    assert!(String::from_utf8_lossy(&first.get_output().stderr).contains("job 1 has started already"));
}

#[test]
fn a_job_script_says_what_it_asks_for() {
    let folder = busy();
    let script = "#!/bin/bash\n#SBATCH -n 4 -t 20\n#SBATCH -p long\nsrun x\n#SBATCH -n 7\n";
    std::fs::write(folder.path("job.sh"), script).unwrap();
    let output = run(&folder, "when --live job.sh --format json").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("job.sh: understood as 4 processors for 20 min in partition long"), "{said}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&answer["asked"], &answer["partition"]),
        (&value!({"procs": 4, "time": 1200}), &value!("long"))
    );
    let more = script.replace("-t 20", "-t 20 --gres=gpu:1 --mem=5G --begin=now+1hour");
    std::fs::write(folder.path("more.sh"), more).unwrap();
    let said = run(&folder, "when --live more.sh").assert().success().get_output().stderr.clone();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(["--gres=gpu:1", "--mem=5120", "--begin="].iter().all(|one| said.contains(one)), "{said}");
    std::fs::write(folder.path("log.swf"), "; MaxProcs: 4\n").unwrap();
    run(&folder, "when --live --script log.swf").assert().code(3);
    let options = json(&mut run(&folder, "when --live --script job.sh -n 2 -t 5 -p short --format json"));
    assert_eq!(options["asked"], value!({"procs": 2, "time": 300}), "options come before lines");
    std::fs::write(folder.path("wrong.sh"), "#!/bin/sh\n#SBATCH --no-such=x\n").unwrap();
    let wrong = run(&folder, "when --live wrong.sh").assert().code(3);
    assert!(
        String::from_utf8_lossy(&wrong.get_output().stderr)
            .contains("wrong.sh: sbatch has no option --no-such")
    );
}

#[test]
fn what_keeps_a_job_from_starting_is_found_by_leaving_it_out() {
    let folder = busy();
    let line = "when --live 30 -p long --why --format json";
    let answer = json(&mut run(&folder, line));
    let why = &answer["blockers"];
    let tried = why["tried"].as_array().unwrap();
    let of =
        |what: &str| tried.iter().find(|one| one["what"] == what).unwrap_or_else(|| panic!("{what}: {why}"));
    // Job 1 and the two tasks hold all processors one after the other: each of them matters, and the array most of all.
    for what in ["job 1", "job 20_1", "job 20_2", "array 20"] {
        assert_eq!(of(what)["matters"], true, "{why}");
    }
    let gain = |what: &str| of(what)["gain"].as_f64().unwrap();
    assert!(gain("array 20") > gain("job 20_1"), "{why}");
    assert!(why["sentence"].as_str().unwrap().starts_with("In simulations it starts in "), "{why}");
    assert_eq!(answer["blockers"], json(&mut run(&folder, line))["blockers"], "the same bytes every time");
    // A new job of bob's comes behind his own array.
    let new = json(&mut run(&folder, "when --live -n 8 -t 30 -p long -u bob --why --format json"));
    let own = new["blockers"]["tried"].as_array().unwrap();
    assert!(own.iter().any(|one| one["what"] == "your own array 20" && one["matters"] == true), "{new}");
    let text = stdout(&mut run(&folder, "when --live -n 8 -t 30 -p long --why"));
    assert!(
        text.contains("In simulations it starts in ") && text.contains("What keeps it from starting"),
        "{text}"
    );
    // Control: nothing keeps a job from starting on an idle site.
    let idle = site("true", "printf 'a|0/8/0/8|long|up|infinite|1-infinite|UNLIMITED|1\\n'");
    let none = json(&mut run(&idle, "when --live -n 8 -t 30 --why --format json"));
    assert_eq!(none["blockers"]["tried"], value!([]));
}

#[test]
fn partitions_stand_side_by_side() {
    let folder = busy();
    let text = stdout(&mut run(&folder, "when --live -n 4 -t 30 --no-plot"));
    let table = text.split("Partitions").nth(1).unwrap();
    let lines: Vec<&str> =
        table.lines().filter(|line| line.starts_with("long") || line.starts_with("short")).collect();
    assert!(
        lines.len() >= 2 && lines[1].contains("30 min, and partition short allows 10 min (MaxTime)"),
        "{text}"
    );
    let why = stdout(&mut run(&folder, "when --live -n 4 -t 5 --why --no-plot"));
    for name in ["long", "short"] {
        assert!(why.contains(&format!("What keeps it from starting in {name}")), "{why}");
    }
}

const CONF: &str = "\
ClusterName=toy
AccountingStorageEnforce=limits
NodeName=n[1-3] CPUs=4 RealMemory=8000
PartitionName=batch Nodes=n[1-2] Default=YES MaxTime=60
PartitionName=other Nodes=n3
";

/// Of the two nodes of batch, a and b have one each. c waits for both, e for a to end, x of ann's for her only job in QOS high, which a is.
const HISTORY: &str = "\
key,submit,user,account,run,args,state,start,end,partition,cpus,nodelist,eligible
a,0,ann,phys,600,-n 4 -t 20 -q high,COMPLETED,1,601,batch,4,n1,0
b,1,bob,phys,600,-n 4 -t 20,COMPLETED,2,602,batch,4,n2,1
c,2,eve,phys,100,-n 8 -N 2 -t 10,COMPLETED,605,705,batch,8,n[1-2],2
e,4,eve,phys,50,-n 1 -t 5 -p other -d afterok:@a,COMPLETED,603,653,other,1,n3,603
x,5,ann,phys,50,-n 1 -t 5 -p other -q high,COMPLETED,604,654,other,1,n3,5
";

/// A folder with that history and its site.
pub fn slurm_site() -> Folder {
    let folder = Folder::with("history.csv", HISTORY);
    std::fs::create_dir(folder.path("site")).unwrap();
    let qos = "Name|Priority|MaxTRESPU|MaxJobsPU|UsageFactor\nnormal|10|||1.0\nhigh|100||1|1.0\n";
    let users = ["ann", "bob", "eve"].map(|user| format!("toy|phys|{user}|1|\n")).concat();
    let accounts = format!("Cluster|Account|User|Share|ParentName\ntoy|root||1|\ntoy|phys||60|root\n{users}");
    for (name, text) in [("slurm.conf", CONF), ("qos", qos), ("assoc", &accounts)] {
        std::fs::write(folder.path("site").join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_site_s_own_scheduler_tells_what_jobs_wait_for() {
    let folder = slurm_site();
    let line = "pending history.csv --site site --at 10 -u ann --format json";
    let all = json(&mut folder.queuecast(line));
    assert_eq!(all, json(&mut folder.queuecast(line)), "the same bytes every time");
    let why = |job: &str| row(&all, job)["why"].as_str().unwrap().to_owned();
    assert_eq!(
        why("c"),
        "2 nodes for 8 processors in partition batch: of 2 nodes that it may use 0 are idle"
    );
    assert_eq!(why("e"), "other jobs: afterok:a");
    assert_eq!(
        why("x"),
        "a limit on running jobs of user ann in QOS high (PerUser jobs): 1 in use and 1 asked for, of at most 1, 1 too many"
    );
    assert_eq!(all["jobs"][0]["job"], "x", "one's own first");
    for job in ["c", "x"] {
        let one = json(
            &mut folder.queuecast(&format!("when history.csv --site site --at 10 --job {job} --format json")),
        );
        let mut expected = row(&all, job).clone();
        expected["own"] = value!(false);
        assert_eq!(one["job"], expected);
    }
    let blockers = |job: &str| {
        let line = format!("when history.csv --site site --at 10 --job {job} --why --format json");
        json(&mut folder.queuecast(&line))["blockers"].clone()
    };
    let matters = |why: &Value, what: &str| -> Option<bool> {
        why["tried"].as_array()?.iter().find(|one| one["what"] == what)?["matters"].as_bool()
    };
    // Another node is free: only the limit keeps x from starting, and a, which counts for it.
    let of_x = blockers("x");
    assert_eq!(matters(&of_x, "the limits of user ann in QOS high"), Some(true), "{of_x}");
    assert_eq!(
        (matters(&of_x, "your own job a"), matters(&of_x, "job b")),
        (Some(true), Some(false)),
        "{of_x}"
    );
    // A new job that asks for both nodes, too, comes behind c.
    let new = json(
        &mut folder.queuecast("when history.csv --site site --at 10 -n 8 -t 10 -u bob --why --format json"),
    );
    assert!(new["blockers"]["tried"].as_array().unwrap().iter().any(|one| one["what"] == "job c"), "{new}");
    let ended = folder.queuecast("when history.csv --site site --at 10 --job b").assert().code(2);
    assert!(String::from_utf8_lossy(&ended.get_output().stderr).contains("job b runs already"));
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
        let mut command = folder.queuecast(line);
        command.env("XDG_CACHE_HOME", &caches);
        command.assert().success().get_output().clone()
    };
    let kept = || std::fs::read_dir(caches.join("queuecast")).map_or(0, Iterator::count);
    let alone = ask("pending log.swf --at 3d --no-cache");
    assert_eq!(kept(), 0);
    let [first, second] = ["pending log.swf --at 3d"; 2].map(&ask);
    assert_eq!(kept(), 1);
    assert_eq!((&first.stdout, &second.stdout), (&alone.stdout, &alone.stdout));
    // What keeps a job from starting is found from the same, beside what `when` has learned.
    let alone = ask("when log.swf --at 3d -n 60 -t 2h --why --no-cache");
    let [first, second] = ["when log.swf --at 3d -n 60 -t 2h --why"; 2].map(&ask);
    assert_eq!((&first.stdout, &second.stdout), (&alone.stdout, &alone.stdout));
    assert_eq!(kept(), 2);
}

/// Whatever names of users, partitions and reasons have in them, nothing that is shown commands a terminal.
#[cfg(unix)]
#[test]
fn control_characters_of_names_are_shown_harmless() {
    let queue = "30|RUNNING|8|2:00:00|10:00|50|ann|1|ba\\033]0;xtch|c1,c2|phys|normal|(null)|N/A|(null)|None\\n\
                 31|PENDING|4|1:00:00|0:00|40|bo\\033[31mb\\007\\r|1|ba\\033]0;xtch||phys|normal|(null)|N/A|(null)|Priority\\n\
                 32|PENDING|4|1:00:00|0:00|30|bob|1|ba\\033]0;xtch||phys|normal|(null)|N/A|(null)|Reso\\033[2J\\n";
    let node = |name: &str| format!("{name}|4/0/0/4|ba\\033]0;xtch|up|1-00:00:00|1-infinite|UNLIMITED|1\\n");
    let nodes = node("c1") + &node("c2");
    let folder = site(&format!("printf '{queue}'"), &format!("printf '{nodes}'"));
    for question in [
        "pending --live",
        "pending --live --format markdown",
        "pending --live -u bob",
        "when --live 31",
        "when --live 32",
        "when --live -n 4 -t 10",
        "when --live -n 99 -t 10",
        "when --live -n 99 -t 10 -p none",
    ] {
        let output = run(&folder, question).output().unwrap();
        let shown =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(shown.contains("xtch") || question.contains("--live 3"), "{question}: {shown}");
        let command = shown.chars().find(|letter| letter.is_control() && *letter != '\n');
        assert_eq!(command, None, "{question}: {shown:?}");
    }
}
