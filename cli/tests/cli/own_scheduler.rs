//! A followed site that shows its configuration is asked by its own scheduler, by every command alike.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::collect::{now, run, site};
use crate::{Folder, json, stdout};

const SCONTROL: &str = r#"case "$*" in
*config*) printf 'Configuration data as of 2026\nClusterName = tiny\nSelectType = select/cons_tres\nSelectTypeParameters = CR_CPU\nAccountingStorageType = accounting_storage/none\n';;
*partition*) printf 'PartitionName=batch\n   AllocNodes=ALL Default=YES\n   Nodes=c[1-2] State=UP MaxTime=1-00:00:00\n';;
*node*) printf 'NodeName=c1 Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=4 CPUTot=4 RealMemory=8000\n   State=ALLOCATED ThreadsPerCore=1\n\nNodeName=c2 Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=4 CPUTot=4 RealMemory=8000\n   State=ALLOCATED ThreadsPerCore=1\n';;
*) echo 'No reservations in the system';;
esac"#;

/// The site of two nodes, of which one job holds all and one waits, with its configuration.
pub fn described() -> Folder {
    let folder = site(now());
    for (name, text) in [("scontrol", SCONTROL), ("sshare", "exit 1"), ("sacctmgr", "exit 1")] {
        fs::write(folder.path(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn range(of: &Value) -> [f64; 3] {
    ["low", "median", "high"].map(|name| of[name].as_f64().unwrap_or_else(|| panic!("no {name}: {of}")))
}

#[test]
fn a_job_has_one_answer_whichever_command_asks() {
    let folder = described();
    let first = json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    assert_eq!((&first["failures"], &first["forecasts"]), (&serde_json::json!([]), &1.into()));
    let pending = json(&mut run(&folder, "pending --live --store s.sqlite --format json"));
    let job = &pending["jobs"][0];
    let start = range(&job["start"]);
    let queued = json(&mut run(&folder, "when --live --store s.sqlite --job 31 --format json"));
    assert_eq!(range(&queued["job"]["start"]), start, "{queued}");
    let store = rusqlite::Connection::open(folder.path("s.sqlite")).unwrap();
    let said: [f64; 3] = store
        .query_row("SELECT low, median, high FROM forecast", [], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?])
        })
        .unwrap();
    assert_eq!(said, start, "what the collector keeps to be judged");
    // A new one is answered by the same scheduler, the same way each time, and as learning anew does.
    for question in ["when --live --store s.sqlite -n 4 -t 60 -u ann", "pending --live --store s.sqlite"] {
        let kept = json(&mut run(&folder, &format!("{question} --format json")));
        assert_eq!(json(&mut run(&folder, &format!("{question} --format json"))), kept);
        assert_eq!(
            json(&mut run(&folder, &format!("{question} --no-cache --format json"))),
            kept,
            "{question}"
        );
    }
    let when = json(&mut run(&folder, "when --live --store s.sqlite -n 4 -t 60 -u ann --format json"));
    assert!(["slurm", "past"].contains(&when["method"].as_str().unwrap()), "{when}");
    // Of several sizes, and of several jobs together, the one of the same size, and the first, is that job.
    let sizes = json(&mut run(
        &folder,
        "allocate --live --store s.sqlite --runs 2=2h,4=1h,8=40m -u ann --format json",
    ));
    assert_eq!((&sizes["sizes"][1]["procs"], &sizes["forecast"]["method"]), (&4.into(), &when["method"]));
    assert_eq!(range(&sizes["sizes"][1]["queue"]), range(&when["wait"]), "{sizes}");
    assert_eq!((&sizes["state"]["procs"], &sizes["excluded"]), (&8.into(), &serde_json::json!([])));
    fs::write(
        folder.path("jobs.csv"),
        "submit,user,key,args\n0,ann,a,-n 4 -t 60\n60,bob,b,--array=1-2 -n 2 -t 30 -d afterany:@a\n",
    )
    .unwrap();
    for (several, jobs) in [("-n 4 -t 60 -u ann --array 1-5%2", 5), ("--list jobs.csv", 3)] {
        let all = json(&mut run(&folder, &format!("when --live --store s.sqlite {several} --format json")));
        let place = &all["places"][0];
        assert_eq!(range(&place["first_start"]), range(&when["wait"]), "{several}");
        assert_eq!(place["alone"]["method"], when["method"], "{several}");
        assert_eq!(place["jobs"].as_array().unwrap().len(), jobs, "{several}");
        assert!(place["jobs"][1]["start"]["median"].as_f64() > when["wait"]["median"].as_f64(), "{place}");
    }
    // One that waits for too many others is simulated by partitions, but for its first start.
    let line = "when --live --store s.sqlite -n 4 -t 60 -u ann --chain 202";
    let long = json(&mut run(&folder, &format!("{line} --format json")));
    assert_eq!(range(&long["places"][0]["first_start"]), range(&when["wait"]));
    let told = run(&folder, line).assert().success();
    let told = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
    assert!(told.contains("at most 200 wait for others: each of its partitions is simulated"), "{told}");
    // Accounting lacks the jobs of the queue: what they ask for is taken from squeue, which is told.
    let told = run(&folder, "pending --live --store s.sqlite").assert().success();
    let told = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
    assert!(told.contains("accounting does not have 2 jobs of the queue yet"), "{told}");
    assert!(!told.contains("is not simulated"), "{told}");
}

/// A job without a user is one of the user who asks, as it would be by sbatch; of a user who is not known that is said.
#[test]
fn a_job_is_of_the_user_who_asks() {
    let folder = described();
    run(&folder, "collect --once --store s.sqlite --quiet").assert().success();
    let asker = |name: &str| {
        fs::write(folder.path("id"), format!("#!/bin/sh\necho {name}\n")).unwrap();
        fs::set_permissions(folder.path("id"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    for question in ["when --live --store s.sqlite -n 4 -t 60", "advise --live --store s.sqlite -n 4 -t 60"] {
        let asked = |more: &str| {
            let output = run(&folder, &format!("{question} {more} --format json")).output().unwrap();
            (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (named, said) = asked("-u ann");
        assert!(!said.contains("asked for"), "{said}");
        asker("ann");
        let (own, said) = asked("");
        assert!(said.contains("asked for user ann, as it would be submitted; -u names another"), "{said}");
        assert_eq!(String::from_utf8_lossy(&own), String::from_utf8_lossy(&named), "{question}");
        asker("stranger");
        let (other, said) = asked("");
        assert!(said.contains("user stranger is not known at the site"), "{said}");
        assert!(!other.is_empty(), "{said}");
    }
}

/// All that a job script asks for is looked at: memory that no node has, a begin time, a partition of several.
#[test]
fn a_job_script_is_read_as_a_whole() {
    let folder = described();
    run(&folder, "collect --once --store s.sqlite --quiet").assert().success();
    let asked = |lines: &str| {
        fs::write(folder.path("job.sh"), format!("#!/bin/sh\n#SBATCH -n 4 -t 60 {lines}\n")).unwrap();
        let output =
            run(&folder, "when --live --store s.sqlite job.sh -u ann --format json").output().unwrap();
        (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, plain, said) = asked("");
    assert!(code == Some(0) && said.contains("job.sh: understood as sbatch -n 4 -t 60"), "{said}");
    assert!(!said.contains("not looked at"), "{said}");
    let plain: Value = serde_json::from_slice(&plain).unwrap();
    let by_options = json(&mut run(&folder, "when --live --store s.sqlite -n 4 -t 60 -u ann --format json"));
    assert_eq!(plain, by_options, "what options say, too");
    let (code, later, _) = asked("--begin=now+2days");
    let later: Value = serde_json::from_slice(&later).unwrap();
    assert_eq!(code, Some(0));
    // Within the second in which it is asked.
    assert!(range(&later["wait"])[0] > 2.0 * 86_400.0 - 1.0, "{later}");
    for wanted in ["--mem=9000", "--gres=gpu:1", "--constraint=fast", "-p batch,none"] {
        let (code, _, said) = asked(wanted);
        assert_eq!(code, Some(2), "{wanted}: {said}");
    }
    assert_eq!(asked("-p batch,batch").0, Some(0));
}

#[test]
fn a_site_that_does_not_show_its_configuration_is_told_to_be_simulated_by_partitions() {
    let folder = site(now());
    let first = json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    assert_eq!(first["failures"].as_array().unwrap().len(), 1, "{first}");
    for question in ["pending --live --store s.sqlite", "when --live --store s.sqlite -n 4 -t 60"] {
        let answer = run(&folder, question).assert().success();
        let told = String::from_utf8_lossy(&answer.get_output().stderr).into_owned();
        let expected = "the site's own scheduler is not simulated, each of its partitions is a number of processors: queuecast collect has not been told its configuration by then (scontrol show config)";
        assert!(told.contains(expected), "{question}: {told}");
    }
    let text = stdout(&mut run(&folder, "pending --live --store s.sqlite"));
    assert!(text.contains("31"), "{text}");
}
