//! `collect`, and what is answered from its store: a site of fake commands that change what they say.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use assert_cmd::Command;

use crate::{Folder, json, stdout};

/// Accounting of twenty jobs of the last days, a row that is broken by its name, and one that runs.
fn accounting(now: i64) -> String {
    let mut text = "JobIDRaw\x1fJobID\x1fState\x1fSubmit\x1fEligible\x1fStart\x1fEnd\x1fElapsedRaw\x1fTimelimitRaw\x1fReqCPUS\x1fAllocCPUS\x1fNNodes\x1fUser\x1fAccount\x1fPartition\x1fNodeList\x1fJobName\n".to_owned();
    for job in 1..=20 {
        let submit = now - 200_000 + job * 7_000;
        let (start, end) = (submit + 300, submit + 3_900);
        text += &format!(
            "{job}\x1f{job}\x1fCOMPLETED\x1f{submit}\x1f{submit}\x1f{start}\x1f{end}\x1f3600\x1f120\x1f4\x1f4\x1f1\x1fann\x1fphys\x1fbatch\x1fc1\x1fmodel\n"
        );
    }
    text += "bro\nken\n";
    text
}

/// A site with one partition of two nodes: job 30 runs, 31 waits.
pub fn site(now: i64) -> Folder {
    let folder = Folder::with("sacct.txt", accounting(now));
    let queue = format!(
        "30|RUNNING|8|2:00:00|10:00|50|ann|{0}|batch|c1,c2|phys|normal|(null)|{0}|(null)|None\n\
         31|PENDING|4|1:00:00|0:00|40|bob|{1}|batch||phys|normal|(null)|{2}|(null)|Resources\n\
         29|COMPLETED|4|1:00:00|10:00|40|bob|{1}|batch|c1|phys|normal|(null)|{1}|(null)|None\n",
        now - 600,
        now - 300,
        now + 6_600,
    );
    fs::write(folder.path("squeue.txt"), queue).unwrap();
    fs::write(
        folder.path("sinfo.txt"),
        "c1|4/0/0/4|batch|up|1-00:00:00|1-infinite|UNLIMITED|1\nc2|4/0/0/4|batch|up|1-00:00:00|1-infinite|UNLIMITED|1\n",
    )
    .unwrap();
    for (name, text) in [
        ("squeue", "echo x >> asked-squeue; cat squeue.txt"),
        ("sinfo", "echo x >> asked-sinfo; cat sinfo.txt"),
        ("sacct", "echo \"$2\" >> asked-sacct; cat sacct.txt"),
        ("scontrol", "printf 'ClusterName             = tiny\\n'"),
    ] {
        fs::write(folder.path(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// Job 31 starts on the second node.
pub fn start_job_31(folder: &Folder) {
    let mut queue = String::new();
    for line in folder.read("squeue.txt").lines() {
        let mut cells: Vec<&str> = line.split('|').collect();
        let start = now().to_string();
        if cells[0] == "31" {
            (cells[1], cells[9], cells[13]) = ("RUNNING", "c2", &start);
        }
        queue += &format!("{}\n", cells.join("|"));
    }
    fs::write(folder.path("squeue.txt"), queue).unwrap();
}

pub fn run(folder: &Folder, line: &str) -> Command {
    let mut command = folder.queuecast(line);
    command.env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()));
    command
}

pub fn now() -> i64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64
}

fn asked(folder: &Folder, program: &str) -> usize {
    fs::read_to_string(folder.path(&format!("asked-{program}"))).map_or(0, |text| text.lines().count())
}

#[test]
fn a_site_is_remembered_and_answered_from_without_asking_it() {
    let now = now();
    let folder = site(now);
    let first = json(&mut run(&folder, "collect --once --store s.sqlite --history 20d --format json"));
    assert_eq!(
        (&first["cluster"], &first["look"], &first["changed_lines"]),
        (&"tiny".into(), &1.into(), &3.into())
    );
    assert_eq!(first["accounting_rows"], 20);
    let failures = first["failures"].as_array().unwrap();
    assert!(
        failures.len() == 1 && failures[0].as_str().unwrap().starts_with("scontrol show config"),
        "{first}"
    );
    assert_eq!(first["broken_lines"], 6, "two in each of three windows");
    assert_eq!(asked(&folder, "sacct"), 4, "twenty days in windows of a week, and the jobs of the queue");
    // Nothing is asked for again that is known: the history goes on where it was.
    let again = json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    assert_eq!(again["accounting_rows"], serde_json::Value::Null);
    assert_eq!(asked(&folder, "sacct"), 5, "for the jobs of the queue, which it does not have yet");

    let looks = asked(&folder, "squeue");
    let line = "pending --live --store s.sqlite --format json";
    let pending = json(&mut run(&folder, line));
    assert_eq!(pending["jobs"].as_array().unwrap().len(), 1, "{pending}");
    let when = json(&mut run(&folder, "when --live --store s.sqlite -n 4 -t 60 --format json"));
    assert!(when["wait"]["median"].as_f64().is_some(), "{when}");
    let allocate =
        json(&mut run(&folder, "allocate --live --store s.sqlite --runs 2=1h,4=30m --format json"));
    assert_eq!(allocate["sizes"].as_array().unwrap().len(), 2, "{allocate}");
    assert_eq!(asked(&folder, "squeue"), looks, "any number of questions is one look");

    // What happened since is not what was then.
    fs::write(folder.path("squeue.txt"), "").unwrap();
    let idle = folder.read("sinfo.txt").replace("4/0/0/4", "0/4/0/4");
    fs::write(folder.path("sinfo.txt"), idle).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let between = self::now();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    let empty = json(&mut run(&folder, line));
    assert_eq!(empty["jobs"].as_array().unwrap().len(), 0, "{empty}");
    let then = json(&mut run(&folder, &format!("{line} --at {between}")));
    assert_eq!(then["jobs"].as_array().unwrap().len(), 1, "{then}");
    let early = run(&folder, &format!("{line} --at 1h")).assert().code(3);
    assert!(String::from_utf8_lossy(&early.get_output().stderr).contains("no look from so early"));
}

#[test]
fn what_the_collector_learned_answers_as_learning_anew_does() {
    let folder = site(now());
    let first = json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    assert_eq!((&first["learned_until"], &first["forecasts"]), (&first["at"], &1.into()), "{first}");
    for question in [
        "when --live --store s.sqlite -n 4 -t 60 -u ann",
        "when --live --store s.sqlite -n 4 -t 60 --why",
        "when --live --store s.sqlite --job 31 --why",
        "pending --live --store s.sqlite",
        "advise --live --store s.sqlite -n 4 -t 2h -u ann",
        "allocate --live --store s.sqlite --runs 2=1h,4=30m",
    ] {
        let kept = json(&mut run(&folder, &format!("{question} --format json")));
        let anew = json(&mut run(&folder, &format!("{question} --no-cache --format json")));
        assert_eq!(kept, anew, "{question}");
    }
    // It is what was learned that answers, not the accounting.
    let before = json(&mut run(&folder, "pending --live --store s.sqlite --format json"));
    let store = rusqlite::Connection::open(folder.path("s.sqlite")).unwrap();
    store.execute("DELETE FROM job", []).unwrap();
    let after = json(&mut run(&folder, "pending --live --store s.sqlite --format json"));
    assert_eq!(before["queues"][0]["history"], "20 jobs");
    assert_eq!(before, after);
    // What was learned by another version of the program is not used.
    store.execute("UPDATE learned SET state = x'00' WHERE name = 'past'", []).unwrap();
    let anew = json(&mut run(&folder, "pending --live --store s.sqlite --format json"));
    assert_eq!(anew["queues"][0]["history"], "no history");
}

#[test]
fn times_of_a_live_site_are_those_of_the_users_zone() {
    let folder = site(now());
    let line = "when --live -n 4 -t 60 --no-plot";
    let queue = folder.read("squeue.txt").lines().take(2).collect::<Vec<_>>().join("\n");
    fs::write(folder.path("squeue.txt"), queue + "\n").unwrap();
    let said = |zone: &str, line: &str| {
        let text = stdout(run(&folder, line).env("TZ", zone));
        let asked = text.lines().find(|line| line.starts_with("Asked: ")).unwrap().to_owned();
        asked.split(" at ").nth(1).unwrap()[..13].to_owned()
    };
    let utc = said("UTC", line);
    assert_ne!(said("Asia/Tokyo", line), utc);
    let named = said("Asia/Tokyo", &format!("{line} --time-zone UTC"));
    // Another hour may have begun.
    assert!(named == utc || named == said("UTC", line), "{named} {utc}");
}

#[test]
fn forecasts_are_judged_by_what_became_of_the_jobs() {
    let folder = site(now());
    let score = "score live --store s.sqlite --format json";
    let none = run(&folder, score).assert().code(3);
    assert!(String::from_utf8_lossy(&none.get_output().stderr).contains("there is no such store"));
    json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    let open = json(&mut run(&folder, score));
    assert_eq!(
        (&open["forecasts"], &open["open"], &open["rows"]),
        (&1.into(), &1.into(), &serde_json::json!([]))
    );
    // Job 31 starts: Slurm had expected that an hour and more later.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    start_job_31(&folder);
    json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    // It is judged once its range is over, however early the job started.
    let early = json(&mut run(&folder, score));
    assert_eq!((&early["open"], &early["rows"]), (&1.into(), &serde_json::json!([])));
    let store = rusqlite::Connection::open(folder.path("s.sqlite")).unwrap();
    store
        .execute(
            "UPDATE forecast SET at = at - 1000000, started = started - 1000000, slurm = slurm - 1000000",
            [],
        )
        .unwrap();
    let judged = json(&mut run(&folder, score));
    let all = &judged["rows"][0];
    assert_eq!((&all["group"], &all["forecasts"], &judged["open"]), (&"all".into(), &1.into(), &0.into()));
    assert_eq!(all["slurm_answered"], 1.0, "{judged}");
    assert!(all["slurm_error"].as_f64().unwrap() > 6_000.0, "{judged}");
    assert!(stdout(&mut run(&folder, "score live --store s.sqlite")).contains("1 forecast of tiny"));
}

#[test]
fn several_clusters_in_one_store_are_told_apart_by_name() {
    let folder = site(now());
    for name in ["one", "two"] {
        json(&mut run(&folder, &format!("collect --once --store s.sqlite --cluster {name} --format json")));
    }
    let line = "pending --live --store s.sqlite --format json";
    let several = run(&folder, line).assert().code(2);
    let said = String::from_utf8_lossy(&several.get_output().stderr).into_owned();
    assert!(said.contains("several clusters: one, two") && said.contains("--cluster"), "{said}");
    let one = json(&mut run(&folder, &format!("{line} --cluster one")));
    assert_eq!(one["jobs"].as_array().unwrap().len(), 1, "{one}");
    let other = run(&folder, &format!("{line} --cluster three")).assert().code(2);
    assert!(String::from_utf8_lossy(&other.get_output().stderr).contains("it has one, two"));
}

#[test]
fn slurm_that_does_not_answer_is_recorded_and_told() {
    let folder = site(now());
    json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    fs::write(
        folder.path("squeue"),
        "#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact' >&2\nexit 1\n",
    )
    .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let failed = run(&folder, "collect --once --store s.sqlite").assert().code(3);
    let text = String::from_utf8_lossy(&failed.get_output().stdout).into_owned();
    assert!(text.contains("not answered: squeue: slurm_load_jobs error: Unable to contact"), "{text}");
    // What was seen before is still there.
    let pending = json(&mut run(&folder, "pending --live --store s.sqlite --format json"));
    assert_eq!(pending["jobs"].as_array().unwrap().len(), 1, "{pending}");
}

#[test]
fn what_is_no_store_says_what_to_do() {
    let folder = site(now());
    fs::write(folder.path("text"), "this is no database at all\n".repeat(400)).unwrap();
    for (line, code, said) in [
        ("collect --once --store text", 3, "text: it is damaged, or no database"),
        ("pending --live --store nowhere.sqlite", 3, "there is no such store"),
        ("pending --live --at 14:00", 2, "a live site is asked now"),
        ("allocate --live --at 14:00 --runs 2=1h,4=30m", 2, "a live site is asked now"),
        ("when --live --site . --at 14:00 -n 1", 2, "--at cannot be used with --live and --site"),
        ("when --live --store text -n 1", 3, "move the file away"),
    ] {
        let refused = run(&folder, line).assert().code(code);
        let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(text.contains(said), "{line}: {text}");
    }
    assert!(folder.read("text").starts_with("this is no database"));
}

#[test]
fn every_command_can_be_read_before_it_is_run() {
    let folder = site(now());
    let text = stdout(&mut run(&folder, "collect --commands"));
    for expected in
        ["squeue -h -a -r -t all", "sinfo -h -a -N", "sacct -S uts", "scontrol show config", "every 120 s"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let all = json(&mut run(&folder, "collect --commands --format json"));
    assert_eq!(all["commands"].as_array().unwrap().len(), 15);
    assert_eq!(asked(&folder, "squeue") + asked(&folder, "sacct"), 0, "none was run");
}

fn forecasts(folder: &Folder) -> i64 {
    let store = rusqlite::Connection::open(folder.path("s.sqlite")).unwrap();
    store.query_row("SELECT count(*) FROM forecast", [], |row| row.get(0)).unwrap_or(0)
}

#[test]
fn it_follows_until_it_is_told_to_end() {
    let folder = site(now());
    // Accounting has the jobs of the queue, so that it is not asked for them.
    let (rows, submit) = (folder.read("sacct.txt"), now() - 600);
    let row = |job: u32, state: &str, start: &str, cpus: u32| {
        format!(
            "{job}\x1f{job}\x1f{state}\x1f{submit}\x1f{submit}\x1f{start}\x1fUnknown\x1f0\x1f120\x1f{cpus}\x1f{cpus}\x1f1\x1fann\x1fphys\x1fbatch\x1fc1\x1fmodel\n"
        )
    };
    let queue = row(30, "RUNNING", &submit.to_string(), 8)
        + &row(31, "PENDING", "Unknown", 4)
        + &row(29, "COMPLETED", &submit.to_string(), 4);
    fs::write(folder.path("sacct.txt"), rows.replace("bro\nken\n", &queue)).unwrap();
    let mut following = std::process::Command::new(assert_cmd::cargo::cargo_bin!("queuecast"));
    following
        .args(["collect", "--store", "s.sqlite", "--every", "1s", "--history", "5d"])
        .current_dir(folder.path(""));
    following.env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()));
    let mut child = following.stderr(std::process::Stdio::piped()).spawn().unwrap();
    for _ in 0..200 {
        if asked(&folder, "squeue") >= 3 && forecasts(&folder) > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(
        asked(&folder, "squeue") >= 3 && asked(&folder, "sacct") == 1,
        "accounting is asked for more seldom"
    );
    // Between the looks it has learned and forecast.
    let score = json(&mut run(&folder, "score live --store s.sqlite --format json"));
    assert_eq!(score["forecasts"], 1, "{score}");
}

/// A collector that runs, and is ended with its test however that ends.
pub struct RunningCollector(pub std::process::Child);

impl Drop for RunningCollector {
    fn drop(&mut self) {
        // One that has ended is no error.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn any_number_of_askers_adds_no_poll() {
    let folder = site(now());
    json(&mut run(&folder, "collect --once --store s.sqlite --history 5d --format json"));
    let mut following = std::process::Command::new(assert_cmd::cargo::cargo_bin!("queuecast"));
    following
        .args(["collect", "--store", "s.sqlite", "--every", "2s", "--history", "5d"])
        .current_dir(folder.path(""))
        .env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()))
        .stderr(std::process::Stdio::null());
    let begun = std::time::Instant::now();
    let mut collector = RunningCollector(following.spawn().unwrap());
    std::thread::scope(|scope| {
        for question in
            ["pending --live", "when --live -n 4 -t 60", "pending --live --me", "when --live --job 31"]
        {
            let folder = &folder;
            scope.spawn(move || {
                for _ in 0..4 {
                    run(folder, &format!("{question} --store s.sqlite --format json")).assert().success();
                }
            });
        }
    });
    let most = 3 + begun.elapsed().as_secs() as usize / 2;
    std::process::Command::new("kill").args(["-INT", &collector.0.id().to_string()]).status().unwrap();
    assert!(collector.0.wait().unwrap().success());
    for program in ["squeue", "sinfo"] {
        assert!(asked(&folder, program) <= most, "{program}: {} of {most}", asked(&folder, program));
    }
    assert_eq!(asked(&folder, "squeue"), asked(&folder, "sinfo"));
}

/// A job that was submitted after the last look: Slurm is asked once, and only about one that may be new.
#[test]
fn a_job_that_is_newer_than_the_last_look_is_looked_for_at_slurm() {
    let folder = site(now());
    let queue = folder.read("squeue.txt");
    let queue: String =
        queue.lines().filter(|line| !line.contains("COMPLETED")).map(|line| format!("{line}\n")).collect();
    fs::write(folder.path("squeue.txt"), &queue).unwrap();
    run(&folder, "collect --once --store s.sqlite --quiet").assert().success();
    let looks = asked(&folder, "squeue");
    let line = queue.lines().find(|line| line.starts_with("31|")).unwrap().replace("31|", "32|");
    fs::write(folder.path("squeue.txt"), format!("{queue}{line}\n")).unwrap();
    let of = |job: u32| run(&folder, &format!("when --live --store s.sqlite {job}")).output().unwrap();
    let told = |output: &std::process::Output| {
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let new = of(32);
    assert!(new.status.success() && told(&new).contains("Job 32 most likely starts"), "{}", told(&new));
    assert!(told(&new).contains("job 32 is not in the last look at Slurm ("), "{}", told(&new));
    assert_eq!(asked(&folder, "squeue"), looks + 1);
    // One of a lower number has left, and one that the look has is not asked about.
    let gone = of(12);
    assert_eq!(gone.status.code(), Some(2), "{}", told(&gone));
    assert!(told(&gone).contains("no job 12 waits there"), "{}", told(&gone));
    assert!(of(31).status.success());
    assert_eq!(asked(&folder, "squeue"), looks + 1);
    // Slurm does not answer: the next look will tell.
    fs::write(folder.path("squeue"), "#!/bin/sh\necho down >&2; exit 1\n").unwrap();
    let down = of(32);
    assert_eq!(down.status.code(), Some(3), "{}", told(&down));
    assert!(told(&down).contains("and the next look tells"), "{}", told(&down));
}
