//! What if: whatever is submitted to whatever site, every job is counted once, and no text or change makes a reader panic.

use std::collections::BTreeMap;

use proptest::prelude::*;
use queuecast_slurm_texts::{SiteChange, SiteOptions, WhatIf, WhatIfError, read_what_if};
use queuecast_study::{SiteAnswer, SitePolicy, simulate_site};

const CONF: &str = "SchedulerParameters=bf_interval=15
AccountingStorageEnforce=limits
PriorityType=priority/multifactor
NodeName=n[1-3] CPUs=4 RealMemory=8000
NodeName=g1 CPUs=2 Gres=gpu:2
PartitionName=batch Nodes=n[1-3],g1 Default=YES MaxTime=60
PartitionName=empty
PartitionName=down Nodes=n1 State=DOWN
";
const QOS: &str = "Name|Priority|MaxJobsPU|MaxTRESPU\nnormal|10||\nhigh|100|1|cpu=4\n";
const ASSOC: &str = "Cluster|Account|User|Share|ParentName|Def QOS\nc|root||1||\nc|a||1|root|\nc|a|ann|1||normal\nc|a|bob|1||normal\n";

fn site() -> BTreeMap<String, String> {
    [("slurm.conf", CONF), ("qos", QOS), ("assoc", ASSOC)]
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into()
}

fn log(text: &str) -> BTreeMap<String, String> {
    [("log".to_owned(), text.to_owned())].into()
}

fn asked(site: &BTreeMap<String, String>, text: &str, changes: &[&str]) -> Result<WhatIf, WhatIfError> {
    let changes: Vec<SiteChange> = changes.iter().map(|one| one.parse().unwrap()).collect();
    read_what_if(site, &log(text), &changes, &SiteOptions::default())
}

fn answer(text: &str, changes: &[&str]) -> SiteAnswer {
    simulate_site(&asked(&site(), text, changes).unwrap(), &SitePolicy::SLURM).unwrap().0
}

/// Every job is in one state, and once in each grouping.
fn is_counted_once(answer: &SiteAnswer) -> bool {
    let report = &answer.report;
    let all = |by: &str| -> usize {
        report.waits.iter().filter(|one| one.by == by).map(|one| one.started + one.not_started).sum()
    };
    report.states.values().sum::<usize>() == report.jobs
        && ["all", "partition", "qos", "account", "user", "size_class"]
            .iter()
            .all(|by| all(by) == report.jobs)
        && answer.log.jobs == report.jobs
}

#[test]
fn odd_submissions_are_counted_and_end() {
    let text = "key,submit,user,account,run,args
fits,0,ann,a,60,-n 2 -t 5
large,1,ann,a,60,-n 999 -t 5
nowhere,2,ann,a,60,-n 1 -p nowhere
empty,3,ann,a,60,-n 1 -p empty
down,4,ann,a,60,-n 1 -p down
long,5,ann,a,60,-n 1 -t 2-0
one,6,ann,a,60,-n 1 -t 5 -d afterok:@other
other,7,ann,a,60,-n 1 -t 5 -d afterok:@one
self,8,ann,a,60,-n 1 -t 5 -d afterany:@self
gone,9,ann,a,60,-n 1 -t 5 -d afterany:999999
held,10,zed,none,60,-n 1 -t 5 -H
tasks,11,bob,a,\"[5,-1,?]\",-n 1 -t 1 --array=0-2%1 -q high
gpus,12,bob,a,60,-n 1 -t 5 --gres=gpu:1
many,13,bob,a,60,-n 1 -t 5 --gres=gpu:9
reserved,14,bob,a,60,-n 1 -t 5 --reservation=absent
";
    let answer = answer(text, &[]);
    assert!(is_counted_once(&answer), "{answer:?}");
    let states = &answer.report.states;
    assert_eq!((answer.report.jobs, states["COMPLETED"], states["TIMEOUT"]), (17, 4, 2), "{states:?}");
    assert_eq!((states["REFUSED"], states["PENDING"]), (5, 6), "{states:?}");
    // Control: with more processors and time one of the refused jobs fits.
    let other = self::answer(text, &["partition.batch.MaxTime=UNLIMITED"]);
    assert_eq!(other.report.states["REFUSED"], 4);
}

#[test]
fn half_of_the_files_do_or_it_is_said_which_are_missing() {
    let text = "submit,user,account,run,args\n0,ann,a,60,-n 2 -t 5\n";
    let mut some = site();
    some.remove("qos");
    some.remove("assoc");
    let (found, _) = simulate_site(&asked(&some, text, &[]).unwrap(), &SitePolicy::SLURM).unwrap();
    assert_eq!(found.report.states["COMPLETED"], 1);
    assert!(found.missing.iter().any(|one| one.what.contains("sacctmgr")));
    some.remove("slurm.conf");
    let error = |site: &BTreeMap<String, String>, text: &str| asked(site, text, &[]).unwrap_err().to_string();
    assert!(error(&some, text).contains("no nodes"));
    some.insert("slurm.conf".into(), "NodeName=n1\n".into());
    assert!(error(&some, text).contains("no partitions"));
    assert!(error(&site(), "submit,user,account,run,args\nx,ann,a,60,-n 2\n").contains("log:2"));
    assert!(error(&site(), "hello\n").contains("looks like"), "{}", error(&site(), "hello\n"));
    assert!(!error(&site(), "").is_empty());
    let nothing = "JobID|Submit|Start|End|ReqCPUS\nx|1|2|3|4\n";
    assert!(error(&site(), nothing).contains("rows without a job number"));
}

const SACCT: &str = "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|NodeList|SubmitLine
1|1|a|ann|a|batch|normal|COMPLETED|1000|1000|1005|1065|60|10|cpu=4,mem=2000M,node=1|cpu=4,node=1|n1|sbatch -n 4 -t 20 x
12_3|15|s|ann|a|batch|normal|COMPLETED|1000|1000|1005|1010|5|10|cpu=1,node=1|cpu=1|n1|sbatch --array=1-9%2 x
12_[4-6%2]|12|s|ann|a|batch|normal|CANCELLED by 5|1000|1000|Unknown|2000|0|10|cpu=1,node=1||None assigned|sbatch --array=1-9%2 x
20|20|q|bob|a|batch|high|TIMEOUT|1001|1001|1002|1603|601|10|cpu=2,node=1,gres/gpu=1|cpu=2|g1|sbatch -d afterany:1 -c 2 x
";
const SWF: &str = "; MaxProcs: 8\n1 0 5 60 4 -1 2048 4 120 1025 1 7 3 -1 2 -1 -1 -1\n2 10 -1 -1 4 -1 -1 4 120 -1 5 7 3 -1 1 -1 -1 -1\n3 20 0 30 8 -1 -1 -1 -1 -1 1 8 4 -1 1 -1 -1 -1\n";
const LIST: &str = "key,submit,user,account,run,args\na,0,ann,a,60,-n 2 -t 5\nb,1.5,bob,a,\"[5,-1]\",-n 1 -t 1 --array=0-1\nc,2,bob,a,7,\"-n 1 -d afterok:@a,after:@b --begin=now+5\"\n";

#[test]
fn each_kind_of_log_is_simulated() {
    for (text, kind, jobs) in [(SACCT, "sacct", 6), (SWF, "swf", 2), (LIST, "list", 4)] {
        let answer = answer(text, &[]);
        assert_eq!((answer.log.kind, answer.report.jobs), (kind, jobs));
        assert!(is_counted_once(&answer), "{answer:?}");
        assert!(answer.report.states["COMPLETED"] >= 2, "{:?}", answer.report.states);
    }
}

fn damaged(text: &str, at: usize, length: usize, piece: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let from = at % letters.len();
    let to = (from + length).min(letters.len());
    letters[..from].iter().copied().chain(piece.chars()).chain(letters[to..].iter().copied()).collect()
}

proptest! {
    #![proptest_config(crate::support::cases(64))]

    #[test]
    fn no_damage_loses_a_job(
        which in 0..3_usize,
        at in any::<usize>(),
        length in 0..12_usize,
        piece in prop_oneof![
            "[-=|,:;\\[\\]()*%&@#\"'\\\\ \t\n0-9a-zA-Z_+?]{0,4}".boxed(),
            Just("4294967295".to_owned()).boxed(),
            Just("-1".to_owned()).boxed(),
        ],
    ) {
        let text = damaged([SACCT, SWF, LIST][which], at, length, &piece);
        if let Ok(what_if) = asked(&site(), &text, &[]) {
            // An interval of a year or more takes long and tells nothing new.
            let times = what_if.run.submissions.iter().map(|job| job.submit.0);
            let (first, last) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
            prop_assume!(last - first < 1_000_000 && what_if.log.jobs < 200);
            let (answer, outcomes) = simulate_site(&what_if, &SitePolicy::SLURM).unwrap();
            prop_assert!(is_counted_once(&answer), "{text}");
            prop_assert_eq!(outcomes.len(), answer.report.jobs);
            let (again, _) = simulate_site(&what_if, &SitePolicy::SLURM).unwrap();
            prop_assert_eq!(again, answer);
        }
    }

    #[test]
    fn no_change_makes_the_reader_panic(
        key in "(partition|qos|node|user|account|SchedulerParameters)?\\.?(batch|high|n1|ann|a)?\\.?(nodes|MaxTime|Priority|CPUs|bf_interval|MaxJobs)",
        value in "[-+=:,\\[\\]0-9a-z]{0,6}",
    ) {
        if let Ok(change) = format!("{key}={value}").parse::<SiteChange>() {
            let large = value.len() > 4 && key.contains("nodes");
            prop_assume!(!large);
            if let Ok(what_if) = read_what_if(&site(), &log(LIST), &[change], &SiteOptions::default()) {
                prop_assert!(is_counted_once(&simulate_site(&what_if, &SitePolicy::SLURM).unwrap().0));
            }
        }
    }
}
