//! Submissions read out of accounting.

use std::collections::BTreeSet;

use super::*;
use crate::accounted_span::{accounted_span, span_of};
use queuecast_slurm_sim::cluster::{
    AdvanceReservation, Allowed, ClusterNode, ClusterPartition, GresRequest, MemoryAmount, MemoryRequest,
    ReservationFlags, TimeLimit, Tres,
};

const HEADER: &str = "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|NodeList|Constraints|Flags|Reservation|Priority|SubmitLine\n";

fn read(rows: &str) -> (RecordedRun, Vec<(String, usize)>) {
    read_until(rows, None)
}

fn read_until(rows: &str, known_until: Option<Time>) -> (RecordedRun, Vec<(String, usize)>) {
    let partition = |name: &str| ClusterPartition { name: name.into(), ..ClusterPartition::default() };
    let mut cluster =
        Cluster { partitions: vec![partition("batch"), partition("gpu")], ..Cluster::default() };
    cluster.settings.jobs.default_memory = Some(MemoryAmount::PerCpu(500));
    cluster.reservations = vec![AdvanceReservation {
        name: "resv".into(),
        nodes: Vec::new(),
        start: Time(0),
        end: Time(9000),
        users: Allowed::All,
        accounts: Allowed::All,
        partition: None,
        cores: None,
        licenses: Tres::default(),
        flags: ReservationFlags::default(),
    }];
    let mut rules = RuleCounter::default();
    let options = SiteOptions { known_until, ..SiteOptions::default() };
    let run = accounted(&format!("{HEADER}{rows}"), &cluster, &options, &mut rules).unwrap();
    (run, rules.into_rules().into_iter().map(|one| (one.rule, one.count)).collect())
}

#[test]
fn submit_lines_win_and_columns_add() {
    let (run, rules) = read(
        "1|1|a|ann|phys|batch|normal|COMPLETED|1000|1000|1005|1065|60|10|billing=4,cpu=4,mem=2000M,node=1|billing=6,cpu=4,node=1|n1||SchedMain,StartReceived||77|sbatch -n 4 -t 20 --exclusive job.sh -n 9\n2|2|b|bob|bio|gpu|high|TIMEOUT|1001|1001|1006|1666|660|10|cpu=16,mem=32G,node=2,gres/gpu=4,gres/gpu:a100=4|cpu=16,node=2|n[1-2]|ib&fast|SchedBackfill|resv|5|sbatch job.sh\n3|3|c d|ann|phys|batch|normal|FAILED|1002|1002|1007|1017|10|10|cpu=8,mem=4000M,node=1|cpu=8,node=2|n[1-2]||||5|sbatch -J c d -p gpu job.sh\n",
    );
    let [one, two, three] = &run.submissions[..] else { panic!("{run:?}") };
    let request = &one.request;
    assert_eq!((request.tasks, request.time_limit), (Some(4), Some(TimeLimit::Of(Seconds(1200)))));
    assert!(request.wishes.exclusivity.is_some() && request.memory.is_none(), "the site's default memory");
    assert_eq!((one.id, one.user.as_str(), request.account.as_deref()), (Some(1), "ann", Some("phys")));
    assert_eq!(
        (one.runs.as_slice(), two.runs.as_slice()),
        (&[TaskRun::For(Seconds(60))][..], &[TaskRun::PastLimit][..])
    );
    assert_eq!(three.runs, [TaskRun::FailsAfter(Seconds(10))]);
    assert_eq!((run.outcomes[0].billed, run.outcomes[1].billed), (Some(6), None), "where it is told");
    let request = &two.request;
    assert_eq!((request.tasks, request.min_nodes, request.max_nodes), (Some(16), Some(2), Some(2)));
    assert_eq!(request.memory, Some(MemoryRequest::PerCpu(2048)));
    assert_eq!(
        request.gres.per_node,
        [GresRequest { name: "gpu".into(), kind: Some("a100".into()), count: 2 }]
    );
    assert_eq!((request.qos.join(","), request.terms.reservations.join(",")), ("high".into(), "resv".into()));
    assert!(request.wishes.constraint.is_some());
    // The number of nodes was not requested, and the partition is the one that accounting recorded.
    assert_eq!((three.request.min_nodes, three.request.partitions.join(",")), (None, "batch".into()));
    assert_eq!(
        rules,
        [("jobs of another partition than their submit line says: that of accounting counts".to_owned(), 1)]
    );
    let outcome = &run.outcomes[1];
    assert_eq!(
        (outcome.start, outcome.cpus, outcome.nodes.len(), outcome.backfilled),
        (Some(Time(1006)), 16, 2, Some(true))
    );
    assert_eq!(
        (run.outcomes[0].backfilled, run.outcomes[2].backfilled, run.outcomes[0].priority),
        (Some(false), None, Some(77))
    );
}

#[test]
fn a_job_in_any_state_that_is_no_end_runs_to_its_limit() {
    let run = |state: &str| {
        let row = format!(
            "1|1|a|ann|phys|batch|normal|{state}|1000|1000|1005|1065|60|10|cpu=4,node=1|cpu=4|n1||||1|sbatch x\n"
        );
        read(&row).0.submissions[0].runs[0]
    };
    for state in ["RUNNING", "SIGNALING", "STAGE_OUT", "STOPPED", "REQUEUED"] {
        assert_eq!(run(state), TaskRun::Unknown, "{state}");
    }
    assert_eq!(run("FAILED"), TaskRun::FailsAfter(Seconds(60)));
}

/// Up to its start, what a job was given changes nothing of what it asks for.
#[test]
fn what_is_given_later_is_not_known() {
    let row = |given: &str, nodes: &str| {
        format!(
            "7|7|s|ann|phys|batch|normal|COMPLETED|1000|1000|2000|2010|10|10|cpu=2,mem=8G,node=1|{given}|{nodes}||||1|\n"
        )
    };
    let rows = [row("cpu=2,mem=8G,node=1", "n1"), row("cpu=64,mem=64G,node=3", "n[1-3]")];
    let request = |row: &str, until: i64| read_until(row, Some(Time(until))).0.submissions.remove(0).request;
    assert_eq!(request(&rows[0], 1999), request(&rows[1], 1999));
    // Control: from its start on it does.
    assert_ne!(request(&rows[0], 2000), request(&rows[1], 2000));
}

#[test]
fn arrays_steps_requeues_and_what_cannot_be_read() {
    let (run, rules) = read(
        "12_3|15|s|ann|phys|batch|normal|COMPLETED|1000|1000|1005|1010|5|10|cpu=1,node=1|cpu=1|n1||||1|sbatch --array=1-9%2 x\n12_3.batch|15.batch|batch||phys|||COMPLETED|1000|1000|1005|1010|5||cpu=1|cpu=1|n1||||||\n12_[4-6%2]|12|s|ann|phys|batch|normal|CANCELLED by 5|1000|1000|Unknown|2000|0|10|cpu=1,node=1||None assigned||||1|sbatch --array=1-9%2 x\n20|20|q|ann|phys|batch|normal|PREEMPTED|1001|1001|1002|1003|1|10|cpu=1,node=1|cpu=1|n1||||1|\n20|20|q|ann|phys|batch|normal|COMPLETED|1004|1004|1010|1040|30|10|cpu=1,node=1|cpu=1|n1||||1|\n30+0|30|h|ann|phys|batch|normal|COMPLETED|1005|1005|1010|1040|30|10|cpu=1,node=1|cpu=1|n1||||1|\n30+1|31|h|ann|phys|batch|normal|COMPLETED|1005|1005|1010|1040|30|10|cpu=2,node=1|cpu=2|n1||||1|\n40|40|w|ann|phys|batch|normal|PENDING|1006|1500|Unknown|Unknown|0|10|cpu=1,node=1||||||1|sbatch -H x\nodd|odd|w|ann|phys|batch|normal|PENDING|1006|1500|Unknown|Unknown|0|10|cpu=1,node=1||||||1|\n41|41|w|ann|phys|batch|normal|PENDING|never|||||||||||||\n9cut|off\n",
    );
    let keys: Vec<&str> = run.submissions.iter().map(|job| job.key.as_str()).collect();
    assert_eq!(keys, ["12", "20", "30+0", "30+1", "40"]);
    let array = run.submissions[0].request.array.as_ref().unwrap();
    assert_eq!((array.indices.as_slice(), array.throttle), (&[3, 4, 5, 6][..], Some(2)));
    assert_eq!(run.submissions[0].runs[..2], [TaskRun::For(Seconds(5)), TaskRun::Unknown]);
    // Of a requeued job the first submission and the last run count.
    assert_eq!(
        (run.submissions[1].submit.second(), run.submissions[1].runs[0]),
        (Time(1001), TaskRun::For(Seconds(30)))
    );
    let again = run.outcomes.iter().find(|one| one.key == "20").unwrap();
    assert_eq!((again.submit, again.start), (Time(1001), Some(Time(1010))));
    assert!(
        run.submissions[4].request.terms.hold
            && run.submissions[4].request.terms.begin == Some(Begin::At(Time(1500)))
    );
    let cancelled: Vec<&ClusterAction> = run.events.iter().map(|event| &event.action).collect();
    assert_eq!(cancelled.len(), 3);
    assert_eq!(*cancelled[0], ClusterAction::Cancel { key: "12".into(), task: Some(4) });
    assert_eq!(run.outcomes.len(), 8);
    let counted = |part: &str| rules.iter().find(|(rule, _)| rule.contains(part)).map(|one| one.1);
    assert_eq!(
        [
            "steps",
            "requeued",
            "heterogeneous",
            "without a job number",
            "time of submission",
            "no row",
            "not ended",
            "later"
        ]
        .map(counted),
        [Some(1), Some(1), Some(1), Some(1), Some(1), Some(1), Some(1), Some(1)],
        "{rules:?}"
    );
}

/// A long list is cut short by sacct, before how many tasks may run at once.
#[test]
fn the_tasks_at_once_of_a_long_array_are_read() {
    let row = |tasks: &str| {
        format!(
            "12_[{tasks}]|12|s|ann|phys|batch|normal|PENDING|1000|1000|Unknown|Unknown|0|10|cpu=1,node=1||None assigned||||1|sbatch x\n"
        )
    };
    for (tasks, indices, throttle) in [
        ("1,3,5,...%4", &[1, 3, 5][..], Some(4)),
        ("1,3,...", &[1, 3], None),
        ("0-4:2%7", &[0, 2, 4], Some(7)),
    ] {
        let (run, rules) = read(&row(tasks));
        assert_eq!(run.submissions.len(), 1, "{tasks}: {rules:?}");
        let array = run.submissions[0].request.array.as_ref().unwrap();
        assert_eq!((array.indices.as_slice(), array.throttle), (indices, throttle), "{tasks}: {rules:?}");
    }
}

#[test]
fn other_clusters_are_left_out() {
    let text = "JobID|Cluster|Submit|Start|End|ReqCPUS|State|User\n1|a|5|6|7|1|COMPLETED|ann\n2|b|5|6|7|1|COMPLETED|ann\n3|b|5|6|7|1|COMPLETED|ann\n";
    let mut rules = RuleCounter::default();
    let cluster = Cluster { name: "b".into(), ..Cluster::default() };
    let run = accounted(text, &cluster, &SiteOptions::default(), &mut rules).unwrap();
    assert_eq!((run.submissions.len(), rules.into_rules()[0].count), (2, 1));
    let error =
        accounted("JobID|User\n1|ann\n", &cluster, &SiteOptions::default(), &mut RuleCounter::default());
    assert!(error.unwrap_err().to_string().contains("Start"));
}

/// What a row asks for depends on no row before it, though rows that tell the same share their request.
#[test]
fn each_row_of_many_asks_for_what_it_asks_for_alone() {
    let node = |number: u32| ClusterNode {
        name: format!("n{number}"),
        cpus: 8,
        threads_per_core: 2,
        memory_mb: 4_000 * u64::from(number),
        ..ClusterNode::default()
    };
    let partition = |name: &str| ClusterPartition { name: name.into(), ..ClusterPartition::default() };
    let cluster = Cluster {
        nodes: (1..4).map(node).collect(),
        partitions: vec![partition("batch"), partition("gpu")],
        ..Cluster::default()
    };
    let mut rows = Vec::new();
    for line in
        ["", "sbatch -N 1 a.sh", "sbatch --hold -n 2 -p batch a.sh", "sbatch --array=0-3 -n 2 a.sh", "make"]
    {
        for asked in ["cpu=2,mem=4000M,node=1", "cpu=4,mem=8000M,node=1,gres/gpu=1", ""] {
            for given in [
                "billing=9,cpu=8,energy=5,mem=4000M,node=1",
                "cpu=4,energy=7,node=1",
                "cpu=4,energy=8,node=1",
            ] {
                for nodes in ["n1", "n2", "n[1-2]", "n9", "None assigned"] {
                    for start in ["1005", "2000", "Unknown"] {
                        rows.push(format!("JOB|JOB|a|ann|phys|gpu|normal|COMPLETED|1000|1003|{start}|3000|60|10|{asked}|{given}|{nodes}||||7|{line}"));
                    }
                }
            }
        }
    }
    let options = SiteOptions { known_until: Some(Time(1500)), ..SiteOptions::default() };
    let read = |rows: &[(usize, &String)]| {
        let rows = rows.iter().map(|(job, row)| row.replace("JOB", &format!("{job}")) + "\n");
        let mut rules = RuleCounter::default();
        let text = HEADER.to_owned() + &rows.collect::<String>();
        let run = accounted(&text, &cluster, &options, &mut rules).unwrap();
        (run, rules.into_rules())
    };
    // Each comes twice.
    let all: Vec<(usize, &String)> =
        rows.iter().chain(rows.iter().rev()).enumerate().map(|(job, row)| (job + 1, row)).collect();
    let (together, counted) = read(&all);
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for (place, one) in all.iter().enumerate() {
        let (alone, rules) = read(std::slice::from_ref(one));
        assert_eq!(together.submissions[place], alone.submissions[0], "{}", one.1);
        assert_eq!(together.outcomes[place], alone.outcomes[0], "{}", one.1);
        rules.into_iter().for_each(|one| *expected.entry(one.rule).or_default() += one.count);
    }
    let counted: BTreeMap<String, usize> = counted.into_iter().map(|one| (one.rule, one.count)).collect();
    assert_eq!(counted, expected);
    let different: BTreeSet<String> =
        together.submissions.iter().map(|one| format!("{:?}", one.request)).collect();
    assert!(different.len() > 20, "control: {}", different.len());
}

/// Rows of other clusters are left out wherever they come.
#[test]
fn of_several_clusters_one_is_read() {
    let header = "JobID|Cluster|State|Submit|Start|End|ReqCPUS\n";
    let row = |job: usize, cluster: &str| format!("{job}|{cluster}|COMPLETED|{job}|{job}|{}|1\n", job + 5);
    let read = |name: &str, clusters: &[&str]| {
        let rows: String = clusters.iter().enumerate().map(|(at, one)| row(10 + at, one)).collect();
        let cluster = Cluster { name: name.into(), ..Cluster::default() };
        let mut rules = RuleCounter::default();
        let run =
            accounted(&format!("{header}{rows}"), &cluster, &SiteOptions::default(), &mut rules).unwrap();
        let keys: Vec<String> = run.submissions.into_iter().map(|one| one.key).collect();
        let others = rules.into_rules().into_iter().find(|one| one.rule == "rows of other clusters");
        (keys.join(" "), others.map_or(0, |one| one.count))
    };
    let found = |keys: &str, left_out: usize| (keys.to_owned(), left_out);
    assert_eq!(read("b", &["a", "a", ""]), found("10 11 12", 0), "one cluster, whatever its name");
    assert_eq!(read("b", &["a", "", "b", "a"]), found("11 12", 2));
    assert_eq!(read("B", &["a", "b"]), found("11", 1));
    assert_eq!(read("c", &["a", "b", "a"]), found("10 12", 1), "that of the first row");
}

/// The times of accounting are those of what is read out of it.
#[test]
fn accounting_spans_what_its_jobs_do() {
    let row =
        |job: &str, times: &str| format!("{job}|1|a|ann|p|batch|normal|COMPLETED|{times}|60|10|||||||7|\n");
    let rows = [
        row("1", "1000|1000|1005|1065"),
        // Requeued: submitted first, and run last.
        row("1", "1100|1100|1200|1300"),
        row("1", "1100|1100|1150|1160"),
        row("2.batch", "1|1|2|9000"),
        row("x", "1|1|2|9000"),
        row("3", "Unknown|990|Unknown|2000"),
        row("4", "Unknown|Unknown|5|8000"),
        row("5_[0-3]", "1001|1001|Unknown|Unknown"),
        row("5_2", "1001|1001|1400|Unknown"),
        row("6+0", "1002|1002|Unknown|Unknown"),
        row("6+1", "2500|2500|Unknown|Unknown"),
        "cut short\n".to_owned(),
    ];
    let zone = TimeZone::UTC;
    for left_out in 0..=rows.len() {
        let rows = rows.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, row)| row.as_str());
        let text = HEADER.to_owned() + &rows.collect::<String>();
        let run = accounted(&text, &Cluster::default(), &SiteOptions::default(), &mut RuleCounter::default());
        let (found, expected) = (accounted_span(&text, &zone), span_of(&run.unwrap()));
        assert_eq!(found, expected, "without {left_out}");
        assert!(found.is_some(), "control");
    }
    let none = format!("{HEADER}{}", row("3", "990|990|Unknown|2000"));
    assert_eq!(accounted_span(&none, &zone), None, "without a start there is nothing to ask about");
}
