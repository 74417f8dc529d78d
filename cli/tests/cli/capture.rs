//! `site capture`: a site of fake commands, as it answers, fails, prints something else, or does not answer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use serde_json::json as value;

use crate::site::{ASSOC, QOS};
use crate::{Folder, json};

const CONFIG: &str = "Configuration data as of 5\nAccountingStorageType = accounting_storage/slurmdbd\nClusterName = toy\nSLURM_VERSION = 24.11.5\nTopologyPlugin = topology/tree\n";

/// Fake commands that print files of the folder, named after their last words.
fn site(scontrol: &str, sacctmgr: &str) -> Folder {
    let folder = Folder::with("config", CONFIG);
    for (name, text) in [
        (
            "node",
            "NodeName=n1 CPUTot=4 State=IDLE RealMemory=100\nNodeName=n2 CPUTot=4 State=DOWN RealMemory=100\n",
        ),
        ("partition", "PartitionName=p AllocNodes=ALL Default=YES Nodes=n[1-2] State=UP TotalNodes=2\n"),
        ("reservation", "ReservationName=r StartTime=1794709238 EndTime=1794711038 Nodes=n1 Users=ann\n"),
        ("topology", "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"),
        ("qos", QOS),
        ("assoc", ASSOC),
        ("event", "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"),
        ("accounting", ACCOUNTING),
    ] {
        fs::write(folder.path(name), text).unwrap();
    }
    for (name, script) in [("scontrol", scontrol), ("sacctmgr", sacctmgr), ("sacct", SACCT)] {
        if !script.is_empty() {
            script_in(&folder, name, script);
        }
    }
    folder
}

/// A fake command, or another one in its place.
fn script_in(folder: &Folder, name: &str, script: &str) {
    // Written beside and renamed: a script that is written may still be open in a child of another test.
    let text = format!("#!/bin/sh\necho \"$0 $@ $SLURM_TIME_FORMAT\" | sed 's,.*/,,' >> asked\n{script}\n");
    let new = folder.path(&format!("{name}.new"));
    fs::write(&new, text).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&new, folder.path(name)).unwrap();
}

const SCONTROL: &str = "for word; do last=$word; done; cat $last";
const SACCTMGR: &str = "cat $2";
const SACCT: &str = "cat accounting";

/// Two jobs, and one with a bar in its name.
const ACCOUNTING: &str = "JobIDRaw\x1fJobID\x1fState\x1fSubmit\x1fEligible\x1fStart\x1fEnd\x1fElapsedRaw\x1fTimelimitRaw\x1fReqCPUS\x1fAllocCPUS\x1fNNodes\x1fUser\x1fAccount\x1fPartition\x1fNodeList\x1fJobName
1\x1f1\x1fCOMPLETED\x1f1794700000\x1f1794700000\x1f1794700001\x1f1794700101\x1f100\x1f10\x1f4\x1f4\x1f1\x1fann\x1fphys\x1fp\x1fn1\x1fa
2\x1f2\x1fRUNNING\x1f1794700200\x1f1794700200\x1f1794700201\x1fUnknown\x1f50\x1f10\x1f4\x1f4\x1f1\x1fann\x1fphys\x1fp\x1fn1\x1fa|b
";

fn run(folder: &Folder, line: &str) -> assert_cmd::Command {
    let mut command = folder.queuecast(line);
    command.env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()));
    command
}

/// What a command says on standard error, with its exit code.
fn said(folder: &Folder, line: &str) -> (Option<i32>, String) {
    let output = run(folder, line).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Every file of a folder below the test's, with its text.
fn contents(folder: &Folder, below: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = fs::read_dir(folder.path(below))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap_or_else(|_| "a folder".to_owned());
            (entry.file_name().into_string().unwrap(), text)
        })
        .collect();
    found.sort();
    found
}

/// A `PATH` with the shell's own programs and nothing of Slurm, whatever this machine has.
fn bare(folder: &Folder) -> String {
    let tools = folder.path("tools");
    fs::create_dir_all(&tools).unwrap();
    for tool in ["sh", "cat", "sed"] {
        let found = Process::new("sh").args(["-c", &format!("command -v {tool}")]).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        let _ = std::os::unix::fs::symlink(found.trim(), tools.join(tool));
    }
    format!("{}:{}", folder.path("").display(), tools.display())
}

#[test]
fn what_slurm_says_is_saved_and_can_be_read() {
    let folder = site(SCONTROL, SACCTMGR);
    let answer = json(&mut run(&folder, "site capture out/mysite --format json"));
    assert_eq!(answer["files"].as_array().unwrap().len(), 9);
    assert_eq!(answer["files"][2]["lines"], 2);
    assert_eq!(folder.read("out/mysite/sacctmgr-qos.psv"), QOS);
    assert_eq!(folder.read("out/mysite/sacct.psv"), ACCOUNTING);
    let asked = folder.read("asked");
    for line in [
        "scontrol show config %s",
        "scontrol -a show node %s",
        "scontrol -a show partition %s",
        "scontrol -a show reservation %s",
        "sacctmgr show qos -P %s",
    ] {
        assert!(asked.lines().any(|one| one == line), "{line} is not in\n{asked}");
    }
    assert!(
        asked.contains("sacctmgr show assoc -P format=Cluster,Account,User,Partition,ParentName,Share"),
        "{asked}"
    );
    assert!(asked.contains("sacctmgr show event -P Start=now-30days %s"), "{asked}");
    assert!(
        asked.contains("sacct -S now-30days -a -X -D -P --delimiter=\x1f -E now --state=BF,CA"),
        "{asked}"
    );
    // The accounting in the folder is what questions to the site learn from.
    for line in ["when --site out/mysite -n 4 -t 10", "simulate out/mysite --site out/mysite --format json"] {
        run(&folder, line).assert().success();
    }
    run(&folder, "site capture out/bare --no-accounting").assert().success();
    assert!(!folder.path("out/bare/sacct.psv").exists() && folder.path("out/bare/sacctmgr-qos.psv").exists());
    let (code, text) = said(&folder, "when --site out/bare -n 4 -t 10");
    assert!(code == Some(2) && text.contains("out/bare has no accounting: name a log"), "{text}");
    let checked = json(&mut run(&folder, "site check out/mysite --format json"));
    for list in ["missing", "warnings", "misread", "not_modelled", "ignored"] {
        assert_eq!(checked[list], value!([]), "{list}");
    }
    let cluster = &checked["cluster"];
    assert_eq!(
        (&cluster["nodes"][1]["state"], &cluster["reservations"][0]["start"]),
        (&value!("down"), &value!(1_794_709_238))
    );
    assert_eq!(cluster["topology"]["tree"][0]["nodes"], value!([0, 1]));
    assert_eq!(cluster["version"], value!([24, 11]));
    // Again, over what is there; files of others stay, and compressed ones of an earlier capture do not.
    fs::write(folder.path("out/mysite/scontrol-node.txt.gz"), "old").unwrap();
    fs::write(folder.path("out/mysite/notes.txt"), "kept").unwrap();
    run(&folder, "site capture out/mysite").assert().success();
    let names: Vec<String> = contents(&folder, "out/mysite").into_iter().map(|(name, _)| name).collect();
    let expected = [
        "capture.json",
        "notes.txt",
        "sacct.psv",
        "sacctmgr-assoc.psv",
        "sacctmgr-event.psv",
        "sacctmgr-qos.psv",
        "scontrol-config.txt",
        "scontrol-node.txt",
        "scontrol-partition.txt",
        "scontrol-reservation.txt",
        "scontrol-topology.txt",
    ];
    assert_eq!(names, expected);
}

/// Each command in turn prints something else and succeeds: nothing is written, and a good capture stays.
#[test]
fn what_is_not_an_answer_is_refused_and_a_good_capture_stays() {
    let folder = site(SCONTROL, SACCTMGR);
    run(&folder, "site capture out").assert().success();
    let good = contents(&folder, "out");
    fs::write(folder.path("html"), "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n").unwrap();
    let random: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fs::write(folder.path("random"), random).unwrap();
    fs::write(folder.path("nothing"), "").unwrap();
    fs::write(folder.path("blank"), "\n\n  \n").unwrap();
    fs::write(folder.path("error"), "slurm_load_ctl_conf error: Unable to contact slurm controller\n")
        .unwrap();
    fs::write(folder.path("half"), "").unwrap();
    let whats = ["config", "partition", "node", "reservation", "topology", "qos", "assoc", "event", "sacct"];
    let mut refused = 0;
    for what in whats {
        let (program, own) = match what {
            "qos" | "assoc" | "event" => ("sacctmgr", SACCTMGR),
            "sacct" => ("sacct", SACCT),
            _ => ("scontrol", SCONTROL),
        };
        for bad in ["nothing", "blank", "random", "error", "html"] {
            let words = if what == "sacct" { "-S".to_owned() } else { format!("*' {what}'") };
            script_in(&folder, program, &format!("case $* in {words}*) cat {bad}; exit 0;; esac\n{own}"));
            let (code, text) = said(&folder, "site capture out");
            assert_eq!(code, Some(3), "{what} prints {bad}: {text}");
            assert!(text.contains(what) && text.contains("nothing was written"), "{what} {bad}: {text}");
            assert_eq!(contents(&folder, "out"), good, "{what} prints {bad}");
            // Where nothing was captured before, nothing is.
            assert_eq!(said(&folder, "site capture fresh").0, Some(3));
            assert!(!folder.path("fresh").exists(), "{what} prints {bad}");
            refused += 1;
        }
        script_in(&folder, program, own);
    }
    assert_eq!(refused, 45);
    // Control: the commands as they were.
    run(&folder, "site capture out").assert().success();
}

#[test]
fn with_accounting_down_the_rest_is_saved_and_what_is_missing_is_recorded() {
    let folder = site(SCONTROL, SACCTMGR);
    run(&folder, "site capture out").assert().success();
    let before = json(&mut run(&folder, "site check out --format json"));
    assert_eq!(before["cluster"]["qos"].as_array().unwrap().len(), 1);
    fs::write(folder.path("node"), "NodeName=n1 CPUTot=16 State=IDLE RealMemory=100\n").unwrap();
    fs::write(
        folder.path("partition"),
        "PartitionName=p AllocNodes=ALL Default=YES Nodes=n1 State=UP TotalNodes=1\n",
    )
    .unwrap();
    script_in(&folder, "sacctmgr", "echo sacctmgr: error: no database >&2; exit 1");
    let (code, text) = said(&folder, "site capture out");
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("the capture is incomplete: sacctmgr show qos -P could not be asked (sacctmgr: error: no database)")
            && text.contains("sacctmgr show assoc -P could not be asked"),
        "{text}"
    );
    // The new nodes, and no old file beside them.
    assert!(folder.read("out/scontrol-node.txt").contains("CPUTot=16"));
    for gone in ["out/sacctmgr-qos.psv", "out/sacctmgr-assoc.psv"] {
        assert!(!folder.path(gone).exists(), "{gone}");
    }
    let checked = json(&mut run(&folder, "site check out --format json"));
    let why = value!("sacctmgr: error: no database");
    let missing = checked["missing"].as_array().unwrap();
    for what in ["sacctmgr show qos", "sacctmgr show assoc"] {
        assert!(missing.iter().any(|one| one["what"] == what && one["why"] == why), "{what}: {missing:?}");
    }
    // Every reader says so, and an old file that is put back is not taken as current.
    fs::write(folder.path("out/sacctmgr-qos.psv"), QOS).unwrap();
    fs::write(folder.path("jobs.csv"), "submit,user,account,run,args\n0,ann,phys,60,-n 1 -t 5\n").unwrap();
    for line in [
        "site check out",
        "simulate jobs.csv --site out",
        "compare jobs.csv --site out --against bf_interval=60",
        "when jobs.csv --site out -n 1 -t 5m",
    ] {
        let (_, text) = said(&folder, line);
        assert!(
            text.contains("warning: out was captured without sacctmgr show qos -P, which could not be asked"),
            "{line}: {text}"
        );
    }
    let checked = json(&mut run(&folder, "site check out --format json"));
    assert_eq!(checked["cluster"]["qos"], value!([]));
    assert!(checked["warnings"].to_string().contains("sacctmgr-qos.psv is not of this capture"));
    assert!(
        crate::stdout(&mut run(&folder, "site check out")).contains("could not be asked: sacctmgr: error")
    );
    // When the daemon answers again, all is there.
    script_in(&folder, "sacctmgr", SACCTMGR);
    run(&folder, "site capture out").assert().success();
    let again = json(&mut run(&folder, "site check out --format json"));
    assert_eq!(
        (again["missing"].clone(), again["cluster"]["qos"].as_array().unwrap().len()),
        (value!([]), 1)
    );
}

#[test]
fn a_site_that_has_no_accounting_or_no_switches_is_complete_without() {
    let folder = site(
        "case $* in *topology*) echo no switches >&2; exit 1;; esac\nfor word; do last=$word; done; cat $last",
        "echo no supported accounting_storage plugin >&2; exit 1",
    );
    fs::write(folder.path("config"), CONFIG.replace("slurmdbd", "none").replace("/tree", "/flat")).unwrap();
    let (code, text) = said(&folder, "site capture out");
    assert_eq!(code, Some(0), "{text}");
    assert!(folder.path("out/scontrol-node.txt").is_file() && !folder.path("out/sacctmgr-qos.psv").exists());
    assert!(!folder.path("out/scontrol-topology.txt").exists());
    let (code, text) = said(&folder, "site check out");
    assert!(code == Some(0) && !text.contains("could not be asked"), "{text}");
    // Control: with a tree of switches, these are missing.
    fs::write(folder.path("config"), CONFIG.replace("slurmdbd", "none")).unwrap();
    let (code, text) = said(&folder, "site capture out");
    assert!(
        code == Some(3) && text.contains("scontrol show topology could not be asked (no switches)"),
        "{text}"
    );
}

#[test]
fn nothing_is_written_if_a_command_is_missing_or_scontrol_fails() {
    for (scontrol, sacctmgr, part) in [
        ("", SACCTMGR, "there is no scontrol here"),
        (SCONTROL, "", "there is no sacctmgr here"),
        (
            "case $* in *node*) echo half; echo slurm is down >&2; exit 1;; esac\nfor word; do last=$word; done; cat $last",
            SACCTMGR,
            "scontrol -a show node failed: slurm is down",
        ),
    ] {
        let folder = site(scontrol, sacctmgr);
        fs::create_dir(folder.path("out")).unwrap();
        fs::write(folder.path("out/scontrol-config.txt"), "as it was").unwrap();
        let mut command = folder.queuecast("site capture out");
        let refused = command.env("PATH", bare(&folder)).assert().code(3);
        let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(said.contains(part) && said.contains("hint: run this on a machine of the site"), "{said}");
        assert_eq!(folder.read("out/scontrol-config.txt"), "as it was");
        assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 1);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let folder = site(SCONTROL, SACCTMGR);
    let refused = run(&folder, "site capture config/below").assert().code(2);
    assert!(
        String::from_utf8_lossy(&refused.get_output().stderr).contains("cannot make the folder config/below")
    );
}

/// What a capture that is killed at any instant leaves is one capture: before its record is exchanged the old one, then the new.
#[test]
fn an_interrupted_capture_is_the_old_one_or_the_new_one() {
    let folder = site(SCONTROL, SACCTMGR);
    run(&folder, "site capture out").assert().success();
    let nodes = |folder: &Folder| {
        let checked = json(&mut run(folder, "site check out --format json"));
        checked["cluster"]["nodes"].as_array().unwrap().len()
    };
    // Killed while it wrote: its folder is there, the record is the old one.
    let staged = folder.path("out/.queuecast-capture-killed");
    fs::create_dir(&staged).unwrap();
    fs::write(staged.join("scontrol-node.txt"), "NodeName=n1 CPUTot=4 State=IDLE\n").unwrap();
    assert_eq!(nodes(&folder), 2);
    // Killed after the record was exchanged: one file had been put in place, the other not.
    let mut record: serde_json::Value = serde_json::from_str(&folder.read("out/capture.json")).unwrap();
    record["staged"] = value!(".queuecast-capture-killed");
    fs::write(folder.path("out/capture.json"), record.to_string()).unwrap();
    assert_eq!(nodes(&folder), 1);
    // The next capture puts it in order.
    run(&folder, "site capture out").assert().success();
    assert_eq!((nodes(&folder), staged.exists()), (2, false));
}

#[test]
fn a_command_that_does_not_answer_is_ended() {
    for (scontrol, sacctmgr, part) in [
        ("sleep 300", SACCTMGR, "error: scontrol show config: no answer within 3 s; it was ended"),
        (
            SCONTROL,
            "sleep 300",
            "sacctmgr show qos -P could not be asked (no answer within 3 s; it was ended)",
        ),
    ] {
        let folder = site(scontrol, sacctmgr);
        let begun = Instant::now();
        let (code, text) = said(&folder, "site capture out --slurm-timeout 3s");
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains(part), "{text}");
        assert!(
            text.contains("has not answered for 2 s; waiting up to 3 s (--slurm-timeout)"),
            "progress: {text}"
        );
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    }
    // Control: one that is only slow is waited for, and is not spoken of before two seconds.
    let folder = site(&format!("sleep 1; {SCONTROL}"), SACCTMGR);
    let (code, text) = said(&folder, "site capture out");
    assert!(code == Some(0) && !text.contains("has not answered"), "{text}");
}

/// Whether a process runs; one that has ended and was not waited for does not.
fn runs(id: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    !state.is_empty() && !state.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

/// Whether these tests run so that a closed terminal is ignored, as under `nohup`: so do the commands that they start.
fn ignores_hangups() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn an_interrupted_command_ends_what_it_asked() {
    for (line, program, signal, code) in [
        ("site capture out", "scontrol", "-INT", Some(130)),
        ("site capture out", "scontrol", "-TERM", None),
        ("site capture out", "scontrol", "-HUP", None),
        ("allocate --live --runs 4=5m", "sinfo", "-INT", Some(130)),
        ("when --live -n 4 -t 5m", "sinfo", "-INT", Some(130)),
        ("when --site site --live -n 4 -t 5m", "scontrol", "-INT", Some(130)),
    ] {
        if signal == "-HUP" && ignores_hangups() {
            continue;
        }
        let folder = site(SCONTROL, SACCTMGR);
        run(&folder, "site capture site").assert().success();
        script_in(&folder, program, "sleep 300 & echo $$ $! > ids.new; mv ids.new ids; wait");
        let child = Process::new(env!("CARGO_BIN_EXE_queuecast"))
            .args(line.split(' '))
            .current_dir(folder.path(""))
            .env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while !folder.path("ids").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{line}: {program} was not asked");
            std::thread::sleep(Duration::from_millis(10));
        }
        let ids = folder.read("ids");
        let ids: Vec<&str> = ids.split_whitespace().collect();
        assert!(ids.iter().all(|id| runs(id)), "control: they run");
        assert!(Process::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), code, "{line}");
        let begun = Instant::now();
        while ids.iter().any(|id| runs(id)) {
            assert!(begun.elapsed() < Duration::from_secs(10), "{line}: {ids:?} still run");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!folder.path("out").exists(), "{line}");
    }
}

/// Every command that asks Slurm has the limit.
#[test]
fn live_sites_are_asked_within_the_limit_too() {
    let folder = site(SCONTROL, SACCTMGR);
    run(&folder, "site capture site").assert().success();
    for program in ["sinfo", "squeue", "sacct", "sshare"] {
        script_in(&folder, program, "sleep 300");
    }
    fs::write(folder.path("sites.toml"), "[[site]]\nname = \"here\"\npartition = \"p\"\nlive = true\n")
        .unwrap();
    for (line, program) in [
        ("when --live -n 4 -t 5m", "sinfo"),
        ("advise --live -n 4 -t 5m", "sinfo"),
        ("allocate --live --runs 4=5m", "sinfo"),
        ("metaschedule sites.toml -n 4 -t 5m", "sinfo"),
        ("when --site site --live -n 4 -t 5m", "sacct"),
    ] {
        let (code, text) = said(&folder, &format!("{line} --slurm-timeout 1s"));
        assert_eq!(code, Some(3), "{line}: {text}");
        assert!(text.contains(&format!("{program}: no answer within 1 s; it was ended")), "{line}: {text}");
    }
    // What only helps is done without: the size of a log's machine, and usage.
    fs::write(folder.path("site.sacct"), crate::SACCT).unwrap();
    let (code, text) = said(&folder, "allocate site.sacct --runs 2=2m --slurm-timeout 1s");
    assert_eq!(code, Some(0), "{text}");
}

/// What a live site is asked is checked as a capture is.
#[test]
fn nodes_of_a_live_site_that_are_no_nodes_are_refused() {
    let folder = site(SCONTROL, SACCTMGR);
    run(&folder, "site capture site").assert().success();
    script_in(&folder, "scontrol", "echo '<html>'");
    let (code, text) = said(&folder, "when --site site --live -n 4 -t 5m");
    assert!(code == Some(3) && text.contains("scontrol -a show node: it printed something else"), "{text}");
}
