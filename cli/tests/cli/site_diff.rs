//! `site diff`: two configurations in folders, files and commits, the jobs of a log, thresholds and exit codes.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::site::{ASSOC, QOS};
use crate::{Folder, column, json, stdout};

/// Memory is not given: without a default each job would have all of its nodes.
const CONF: &str = "\
ClusterName=toy
SchedulerParameters=bf_interval=30
NodeName=n[1-4] CPUs=4
PartitionName=batch Nodes=n[1-2] Default=YES
PartitionName=debug Nodes=n[3-4]
SelectTypeParameters=CR_Core
";

/// Two nodes of each partition are a little too few for these.
fn jobs() -> String {
    let mut jobs = "submit,user,account,run,args\n".to_owned();
    for place in 0..60 {
        let (partition, size, run) = (["batch", "debug"][place % 2], 1 + place % 4, 80 + 7 * (place % 11));
        jobs.push_str(&format!("{},ann,phys,{run},-p {partition} -n {size} -t 10\n", 12 * place));
    }
    jobs
}

/// Folders `old` and `new`, and `jobs.csv`.
fn two(new: &str) -> Folder {
    let folder = Folder::with("jobs.csv", jobs());
    for (name, conf) in [("old", CONF), ("new", new)] {
        fs::create_dir(folder.path(name)).unwrap();
        fs::write(folder.path(name).join("slurm.conf"), conf).unwrap();
    }
    folder
}

fn narrower() -> String {
    CONF.replace("PartitionName=batch Nodes=n[1-2]", "PartitionName=batch Nodes=n1")
}

/// What a command that ends with this code prints: its answer and its messages.
fn ends(folder: &Folder, line: &str, code: i32) -> (String, String) {
    let output = folder.queuecast(line).assert().code(code).get_output().clone();
    let [said, told] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (said, told)
}

#[test]
fn what_differs_is_told_setting_by_setting() {
    let new = CONF
        .replace("bf_interval=30", "bf_interval=60,bf_topopt_enable")
        .replace("Nodes=n[3-4]", "Nodes=n[3-4] MaxTime=60 ExclusiveUser=YES")
        + "SlurmctldPort=6820\nNodeName=n5 CPUs=8\n";
    let folder = two(&new);
    fs::write(folder.path("new").join("job_submit.lua"), "return slurm.SUCCESS\n").unwrap();
    let (said, _) = ends(&folder, "site diff old new", 0);
    for line in [
        "slurm.conf       SchedulerParameters.bf_interval       30         60                simulated",
        "slurm.conf       SchedulerParameters.bf_topopt_enable  not there  yes               not modelled",
        "partition debug  ExclusiveUser                         NO         YES               not modelled",
        "partition debug  MaxTime                               UNLIMITED  3600              simulated",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert!(said.contains("node n5") && said.contains("added") && said.contains("CPUs=8"), "{said}");
    assert!(said.contains("without influence on when and where jobs start: SlurmctldPort."), "{said}");
    assert!(
        said.contains("new uses what is not modelled: ExclusiveUser, SchedulerParameters:bf_topopt_enable."),
        "{said}"
    );
    assert!(said.contains("Files that differ and are not read: job_submit.lua."), "{said}");
    let answer = json(&mut folder.queuecast("site diff old new --format json"));
    assert_eq!(answer["changes"]["settings"][0]["key"], "SchedulerParameters.bf_interval");
    assert_eq!(answer["changes"]["settings"][0]["effect"], "simulated");
    assert!(answer["effect"].is_null() && answer["outcome"].is_null());
    let csv = stdout(&mut folder.queuecast("site diff old new --format csv"));
    assert!(column(&csv, "kind").iter().all(|kind| *kind == "change"));
    assert!(column(&csv, "effect").contains(&"does not matter"));
}

#[test]
fn the_same_configuration_passes_any_threshold() {
    let folder = two(&format!("# only a comment\n{CONF}"));
    for line in ["site diff old new", "site diff old new --log jobs.csv --max-increase 0%"] {
        let (said, told) = ends(&folder, line, 0);
        assert!(said.starts_with("Nothing changed from old to new."), "{said}");
        assert_eq!(told, "");
    }
}

#[test]
fn a_change_over_the_threshold_has_an_exit_code_of_its_own() {
    let folder = two(&narrower());
    let review = "site diff old new --log jobs.csv --seeds 3 --max-increase";
    let (said, told) = ends(&folder, &format!("{review} 10%"), 4);
    assert!(said.contains("What it would have done to the jobs of jobs.csv"), "{said}");
    assert!(said.contains("Over the threshold: mean wait of partition batch +"), "{said}");
    assert!(told.contains("the change is over the threshold: mean wait of partition batch +"), "{told}");
    for allowed in ["10d", "9000%"] {
        let (said, _) = ends(&folder, &format!("{review} {allowed}"), 0);
        assert!(said.contains("Within the threshold: at most "), "{said}");
        assert!(said.contains("; increases below 1 min are not counted."), "{said}");
    }
    // Two seeds are too few to be sure of a small increase, and the verdict says that.
    let unsure = two(&CONF.replace("bf_interval=30", "bf_interval=300"));
    let line = "site diff old new --log jobs.csv --seeds 2 --max-increase 1% --ignore-below 0s";
    let (said, _) = ends(&unsure, line, 0);
    for part in [
        "No increase beyond 1% is certain: mean wait of partition ",
        " within the scatter over 2 seeds; more",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let outcome = json(&mut unsure.queuecast(&format!("{line} --format json")))["outcome"].take();
    assert!(
        outcome["is_allowed"] == true && outcome["within_scatter"][0]["share"].as_f64() > Some(0.01),
        "{outcome}"
    );
    assert!(!said.contains("Within the threshold"), "{said}");
    let one = stdout(&mut folder.queuecast("site diff old new --log jobs.csv --seeds 1"));
    assert!(one.contains("of one seed") && !one.contains("confidence interval"), "{one}");
    // Without a threshold nothing is judged.
    let answer = json(&mut folder.queuecast("site diff old new --log jobs.csv --seeds 0 --format json"));
    assert!(answer["outcome"].is_null());
    let waits = answer["effect"]["waits"].as_array().unwrap();
    let batch = waits.iter().find(|one| one["group"] == "batch" && one["of"] == "mean-wait").unwrap();
    assert!(batch["after"].as_f64() > batch["before"].as_f64() && batch["shaken"].is_null());
    let debug = waits.iter().find(|one| one["group"] == "debug" && one["of"] == "p90-wait").unwrap();
    assert_eq!(debug["after"], debug["before"]);
    let csv = stdout(&mut folder.queuecast("site diff old new --log jobs.csv --seeds 2 --format csv"));
    for kind in ["change", "wait", "lost"] {
        assert!(column(&csv, "kind").contains(&kind), "{csv}");
    }
    let markdown = stdout(&mut folder.queuecast("site diff old new --log jobs.csv --format markdown"));
    assert!(markdown.contains("| partition batch | Nodes | n\\[1-2\\] | n1 | simulated |"), "{markdown}");
}

#[test]
fn each_number_and_grouping_can_be_judged_and_short_increases_are_not() {
    let folder = two(&narrower());
    let review = "site diff old new --log jobs.csv --seeds 4 --max-increase 5%";
    for (of, per) in [("median-wait", "all"), ("p90-wait", "qos"), ("mean-wait", "account")] {
        let (_, told) = ends(&folder, &format!("{review} --of {of} --per {per}"), 4);
        assert!(told.contains(&of.replace('-', " ")), "{told}");
    }
    ends(&folder, &format!("{review} --ignore-below 9d"), 0);
}

#[test]
fn jobs_that_never_start_are_over_the_threshold() {
    let folder = two(&CONF.replace("Nodes=n[3-4]", "Nodes=n[3-4] MaxTime=5"));
    let review = "site diff old new --log jobs.csv --seeds 0 --max-increase 10%";
    let (said, told) = ends(&folder, review, 4);
    assert!(said.contains("30 jobs would never start after the change"), "{said}");
    assert!(told.contains("30 jobs never start, allowed are 0"), "{told}");
    ends(&folder, &format!("{review} --max-lost 30"), 0);
}

#[test]
fn accounts_come_from_a_captured_folder_where_a_configuration_has_none() {
    let folder =
        two(&CONF.replace("ClusterName=toy", "ClusterName=toy\nAccountingStorageEnforce=limits,qos"));
    fs::create_dir(folder.path("mysite")).unwrap();
    fs::write(folder.path("mysite").join("qos.txt"), QOS).unwrap();
    fs::write(folder.path("mysite").join("assoc.txt"), ASSOC).unwrap();
    // The limit of the QOS counts once limits are enforced, and only if the QOS is known.
    let review = "site diff old new --log jobs.csv --seeds 0 --format json";
    let mean = |line: &str| {
        let answer = json(&mut folder.queuecast(line));
        answer["effect"]["waits"][0]["after"].as_f64().unwrap()
    };
    assert!(mean(&format!("{review} --accounts mysite")) > 2.0 * mean(review));
    let (_, told) = ends(&folder, "site diff old new --accounts old", 3);
    assert!(told.contains("no accounts and no QOS are there"), "{told}");
}

/// Runs git in a folder; what it prints.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=ann", "-c", "user.email=ann@example.org"]);
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn commits_of_a_repository_are_compared_and_nothing_is_written_there() {
    let folder = Folder::with("jobs.csv", jobs());
    let repository = folder.path("repository");
    fs::create_dir_all(repository.join("etc")).unwrap();
    git(&repository, &["init", "-q", "-b", "main"]);
    for (conf, message) in [(CONF.to_owned(), "as it is"), (narrower(), "narrower")] {
        fs::write(repository.join("etc/slurm.conf"), conf).unwrap();
        git(&repository, &["add", "-A"]);
        git(&repository, &["commit", "-q", "-m", message]);
    }
    let state = || (git(&repository, &["status", "--porcelain"]), git(&repository, &["count-objects", "-v"]));
    let before = state();
    let within = |line: &str| {
        let mut command = folder.queuecast(line);
        command.current_dir(&repository);
        stdout(&mut command)
    };
    let nodes = "partition batch  Nodes    n[1-2]  n1  simulated";
    for line in [
        "site diff HEAD~1:etc HEAD:etc",
        "site diff HEAD~1:etc/slurm.conf HEAD:etc/slurm.conf",
        "site diff HEAD~1:etc etc",
        "site diff main~1:etc etc/slurm.conf",
    ] {
        assert!(within(line).contains(nodes), "{line}: {}", within(line));
    }
    // From elsewhere, with the jobs of a log.
    let line = "site diff --repo repository HEAD~1:etc HEAD:etc --log jobs.csv --seeds 2 --max-increase 10%";
    assert!(ends(&folder, line, 4).0.contains(nodes));
    for (line, said) in [
        ("site diff --repo repository HEAD~9:etc HEAD:etc", "HEAD~9:etc"),
        ("site diff --repo repository HEAD:nowhere HEAD:etc", "nowhere"),
        ("site diff --repo repository HEAD~1 HEAD", "there are no files"),
        ("site diff --repo jobs.csv HEAD~1:etc HEAD:etc", "git"),
        ("site diff HEAD~1:etc HEAD:etc", "git"),
    ] {
        let (_, told) = ends(&folder, line, 3);
        assert!(told.contains(said), "{line}: {told}");
    }
    let mut without = folder.queuecast("site diff --repo repository HEAD~1:etc HEAD:etc");
    let output = without.env("PATH", "/nowhere").assert().code(3).get_output().clone();
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no git here"));
    assert_eq!(state(), before);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = two(&narrower());
    fs::create_dir(folder.path("empty")).unwrap();
    fs::write(folder.path("empty").join("README"), "nothing of a site\n").unwrap();
    for (line, code, said) in [
        ("site diff old", 2, "NEW"),
        ("site diff old nowhere", 3, "nowhere: there is no such folder or file"),
        ("site diff old empty", 3, "empty: no configuration is there"),
        ("site diff old new --log nowhere.csv", 3, "nowhere.csv"),
        ("site diff old new --max-increase 10%", 2, "--log"),
        ("site diff old new --log jobs.csv --max-increase much", 2, "10%"),
        ("site diff old new --log jobs.csv --per partition", 2, "--max-increase"),
        ("site diff old new --log jobs.csv --max-increase 1% --of waits", 2, "mean-wait"),
    ] {
        let (_, told) = ends(&folder, line, code);
        assert!(told.contains(said), "{line}: {told}");
    }
    // A value that cannot be read is warned of, and stands in the answer.
    fs::write(folder.path("new").join("slurm.conf"), CONF.replace("bf_interval=30", "bf_interval=often"))
        .unwrap();
    let (said, told) = ends(&folder, "site diff old new", 0);
    assert!(
        told.contains("slurm.conf:2") && said.contains("new cannot be read: slurm.conf:2"),
        "{said}{told}"
    );
}
