//! Sites as looks and accounting tell of them, put together.

use queuecast_core::asking::Unheard;
use queuecast_slurm_sim::cluster::PartitionIndex;
use std::sync::Mutex;

use super::super::WaitsFor;
use super::super::shown_reason::shown_reason;
use super::*;

const NOW: i64 = 100_000;
const NONE: BTreeMap<u64, u32> = BTreeMap::new();

/// Two partitions that share nodes: four of four processors.
fn site() -> BTreeMap<String, String> {
    let node = |name: &str, state: &str| {
        format!(
            "NodeName={name} Arch=x86_64 CoresPerSocket=4\n   CPUAlloc=0 CPUTot=4 RealMemory=8000\n   State={state} ThreadsPerCore=1\n\n"
        )
    };
    let nodes: String = ["c1", "c2", "c3", "c4"].map(|name| node(name, "IDLE")).concat();
    let config = "Configuration data as of 2026\nClusterName = one\nSelectType = select/cons_tres\nSelectTypeParameters = CR_CPU\nPriorityType = priority/multifactor\nPriorityDecayHalfLife = 00:16:40\nPriorityWeightFairShare = 1000\n";
    let partitions = "PartitionName=all\n   AllocNodes=ALL Default=YES\n   Nodes=c[1-4] State=UP MaxTime=1-00:00:00\n\nPartitionName=half\n   AllocNodes=ALL\n   Nodes=c[1-2] State=UP MaxTime=1-00:00:00\n";
    let associations =
        "Cluster|Account|User|Share\none|root||1\none|phys||1\none|phys|ann|1\none|phys|bob|1\n";
    let texts = [
        ("scontrol-config.txt", config),
        ("scontrol-partition.txt", partitions),
        ("scontrol-node.txt", &nodes),
        ("sacctmgr-assoc.psv", associations),
    ];
    texts.map(|(file, text)| (file.to_owned(), text.to_owned())).into()
}

/// A row of accounting: the job, its state, when it was submitted, started and ended, and its processors.
fn row(job: &str, state: &str, [submit, start, end]: [Option<i64>; 3], cpus: u32) -> String {
    let time = |at: Option<i64>| at.map_or("Unknown".to_owned(), |at| at.to_string());
    let number = job.split('_').next().unwrap();
    let (submit, nodes) = (time(submit), if start.is_some() { "c1" } else { "None assigned" });
    let cells = [job, number, "ann", "phys", "all", state, &submit, &submit, &time(start), &time(end), "60"];
    let cpus = cpus.to_string();
    let rest = [&cpus, &cpus, "1", nodes];
    cells.into_iter().chain(rest).collect::<Vec<_>>().join("\x1f") + "\n"
}

fn accounting(rows: &[String]) -> String {
    let titles = "JobID|JobIDRaw|User|Account|Partition|State|Submit|Eligible|Start|End|TimelimitRaw|ReqCPUS|NCPUS|NNodes|NodeList";
    titles.replace('|', "\x1f") + "\n" + &rows.concat()
}

/// A line of the queue: the job, how long it has run, its nodes, what it depends on, and why it waits.
fn line(job: &str, elapsed: Option<&str>, nodes: &str, depends: &str, why: &str) -> String {
    let state = if elapsed.is_some() { "RUNNING" } else { "PENDING" };
    let elapsed = elapsed.unwrap_or("0:00");
    format!(
        "{job}|{state}|4|1:00:00|{elapsed}|10|ann|{}|all|{nodes}|phys|normal|(null)|N/A|{depends}|{why}\n",
        NOW - 900
    )
}

fn waits(job: &str, why: &str) -> String {
    line(job, None, "", "(null)", why)
}

/// The processors of a node that are held, idle and of no use.
fn nodes(of_c4: &str) -> String {
    let line = |node: &str, partition: &str, procs: &str| {
        format!("{node}|{procs}|{partition}|up|1-00:00:00|1-infinite|UNLIMITED|1\n")
    };
    let all =
        ["c1", "c2", "c3"].map(|node| line(node, "all", "0/4/0/4")).concat() + &line("c4", "all", of_c4);
    all + &["c1", "c2"].map(|node| line(node, "half", "0/4/0/4")).concat()
}

fn followed(accounting: &str, queue: &str, nodes: &str) -> SlurmPlace {
    let look = LiveSite::read(nodes, queue, Time(NOW)).unwrap();
    let texts = FollowedTexts { name: "test", site: &site(), accounting, sshare: None, throttles: &NONE };
    SlurmPlace::followed(texts, &look, &TimeZone::UTC, &Unheard).unwrap()
}

/// The jobs as they stand: the number, the task and the state.
fn standings(place: &SlurmPlace) -> Vec<(String, Option<u32>, StandingState)> {
    let moment = &place.moment;
    let one =
        |one: &JobStanding| (moment.submissions[one.submission].key.clone(), one.task, one.state.clone());
    moment.standings.iter().map(one).collect()
}

fn waiting(eligible: Option<i64>) -> StandingState {
    StandingState::Waiting { eligible: eligible.map(Time) }
}

fn submission<'a>(place: &'a SlurmPlace, key: &str) -> &'a SubmittedJob {
    place.moment.submissions.iter().find(|one| one.key == key).unwrap()
}

/// The look counts where accounting is older: a start, an end, and the tasks of an array that are left.
#[test]
fn jobs_stand_as_the_look_saw_them() {
    let submitted = Some(NOW - 900);
    let sacct = accounting(&[
        row("7", "PENDING", [submitted, None, None], 4),
        row("8", "RUNNING", [submitted, Some(NOW - 800), None], 4),
        row("9_[1-4%2]", "PENDING", [submitted, None, None], 4),
    ]);
    let queue = line("7", Some("10:00"), "c2", "(null)", "None")
        + &line("9_2", Some("1:00"), "c3", "(null)", "None")
        + &waits("9_3", "JobArrayTaskLimit")
        + &waits("9_4", "JobArrayTaskLimit");
    let place = followed(&sacct, &queue, &nodes("0/4/0/4"));
    let runs = |start: i64, node: usize| StandingState::Running {
        start: Time(start),
        nodes: vec![node],
        partition: Some(PartitionIndex(0)),
    };
    let expected = [
        ("7", None, runs(NOW - 600, 1)),
        // It is not in the queue any more.
        ("8", None, StandingState::Left { well: true }),
        ("9", Some(2), runs(NOW - 60, 2)),
        ("9", Some(3), waiting(submitted)),
        ("9", Some(4), waiting(submitted)),
    ];
    assert_eq!(standings(&place), expected.map(|(key, task, state)| (key.to_owned(), task, state)));
    let array = submission(&place, "9").request.array.clone().unwrap();
    assert_eq!((array.indices, array.throttle), (vec![2, 3, 4], Some(2)));
}

/// An array that accounting does not have: as many tasks may run at once as do while others wait for them.
#[test]
fn the_tasks_at_once_of_an_array_are_those_that_run_while_others_wait_for_them() {
    let sacct = accounting(&[row("7", "COMPLETED", [Some(900), Some(1000), Some(1100)], 4)]);
    let throttle = |why: &str| {
        let queue = line("9_1", Some("1:00"), "c1", "(null)", "None")
            + &line("9_2", Some("1:00"), "c2", "(null)", "None")
            + &waits("9_3", why)
            + &waits("9_4", why);
        let place = followed(&sacct, &queue, &nodes("0/4/0/4"));
        submission(&place, "9").request.array.as_ref().unwrap().throttle
    };
    assert_eq!((throttle("JobArrayTaskLimit"), throttle("Priority")), (Some(2), None));
}

/// What was asked for counts, since it is later than what accounting tells: of an array that this does not have, and of one that was changed.
#[test]
fn the_tasks_at_once_of_an_array_that_cannot_start_yet_are_asked_for() {
    let sacct = accounting(&[row("9_[1-2%1]", "PENDING", [Some(NOW - 900), None, None], 4)]);
    let queue = waits("9_1", "Priority")
        + &waits("9_2", "Priority")
        + &line("12_1", None, "", "afterany:9_*(unfulfilled)", "Dependency")
        + &line("12_2", None, "", "afterany:9_*(unfulfilled)", "Dependency");
    let look = LiveSite::read(&nodes("0/4/0/4"), &queue, Time(NOW)).unwrap();
    let throttle = |known: BTreeMap<u64, u32>, array: &str| {
        let texts = FollowedTexts {
            name: "test",
            site: &site(),
            accounting: &sacct,
            sshare: None,
            throttles: &known,
        };
        let place = SlurmPlace::followed(texts, &look, &TimeZone::UTC, &Unheard).unwrap();
        submission(&place, array).request.array.as_ref().unwrap().throttle
    };
    let known = BTreeMap::from([(9, 5), (12, 2)]);
    assert_eq!((throttle(known.clone(), "9"), throttle(known, "12")), (Some(5), Some(2)));
    assert_eq!((throttle(NONE, "9"), throttle(NONE, "12")), (Some(1), None));
    assert_eq!(throttle(BTreeMap::from([(9, 0)]), "9"), None, "all");
}

/// Of an array one task is held, one waits for another job, and the others could start: each starts, or does not, by itself, and no more
/// run at once than may. What waits for all of the array does not start.
#[test]
fn tasks_of_an_array_are_held_and_depend_by_themselves() {
    let submitted = Some(NOW - 900);
    let sacct = accounting(&[
        row("7", "RUNNING", [submitted, Some(NOW - 800), None], 4),
        row("9_[2-3,5%1]", "PENDING", [submitted, None, None], 4),
    ]);
    let queue = line("7", Some("13:20"), "c1", "(null)", "None")
        + &waits("9_1", "JobHeldUser")
        + &waits("9_2", "Priority")
        + &waits("9_3", "Priority")
        + &line("9_4", None, "", "afterany:7(unfulfilled)", "Dependency")
        + &waits("9_5", "Priority")
        + &line("10", None, "", "afterany:9_*(unfulfilled)", "Dependency");
    let place = followed(&sacct, &queue, &nodes("0/4/0/4"));
    let states: Vec<StandingState> = standings(&place).into_iter().skip(1).take(5).map(|one| one.2).collect();
    let free = waiting(submitted);
    assert_eq!(states, [StandingState::Held, free.clone(), free.clone(), waiting(None), free]);
    let answer = place.pending(&TimeZone::UTC, &Unheard).unwrap();
    let median = |job: &str| {
        let row = answer.jobs.iter().find(|one| one.job == job).unwrap();
        row.start.map(|start| start.median)
    };
    assert_eq!((median("9_1"), median("10")), (None, None), "{answer:#?}");
    // Nodes are free for all of them, and one runs at a time: each starts when the one before it has ended.
    let mut starts = ["9_2", "9_3", "9_5", "9_4"].map(|job| median(job).unwrap());
    assert!(starts[0] < 60.0 && starts[0] < starts[3], "{starts:?}");
    starts.sort_by(f64::total_cmp);
    assert!(starts.windows(2).all(|two| two[1] - two[0] > 30.0), "{starts:?}");
    let waits_for = |job: &str| &answer.jobs.iter().find(|one| one.job == job).unwrap().waits_for;
    assert!(matches!(waits_for("9_1"), WaitsFor::Held { .. }), "{:?}", waits_for("9_1"));
    assert!(matches!(waits_for("9_4"), WaitsFor::Dependency { .. }), "{:?}", waits_for("9_4"));
    // Control: held as a whole nothing of it starts.
    let held = queue.replace("Priority", "JobHeldUser");
    let answer = followed(&sacct, &held, &nodes("0/4/0/4")).pending(&TimeZone::UTC, &Unheard).unwrap();
    let with_start = answer.jobs.iter().filter(|one| one.start.is_some()).count();
    assert!(with_start <= 1, "{:?}", answer.jobs);
}

#[test]
fn held_and_dependent_jobs_are_not_eligible() {
    let submitted = Some(NOW - 900);
    let sacct = accounting(&[row("7", "RUNNING", [submitted, Some(NOW - 800), None], 4)]);
    let queue = line("7", Some("13:20"), "c1", "(null)", "None")
        + &waits("8", "JobHeldUser")
        + &line("9", None, "", "afterok:7(unfulfilled)", "Dependency")
        + &waits("10", "Priority");
    let heard = Heard(Mutex::new(Vec::new()));
    let look = LiveSite::read(&nodes("0/4/0/4"), &queue, Time(NOW)).unwrap();
    let texts =
        FollowedTexts { name: "test", site: &site(), accounting: &sacct, sshare: None, throttles: &NONE };
    let place = SlurmPlace::followed(texts, &look, &TimeZone::UTC, &heard).unwrap();
    let states: Vec<StandingState> = standings(&place).into_iter().skip(1).map(|one| one.2).collect();
    assert_eq!(states, [waiting(None), waiting(None), waiting(submitted)]);
    assert!(submission(&place, "8").request.terms.hold && !submission(&place, "10").request.terms.hold);
    let on = submission(&place, "9").request.dependency.clone().unwrap().on;
    assert_eq!((on.len(), on[0].job.as_str()), (1, "7"));
    // Accounting has jobs once they could start: only the last one is missing.
    let notes = heard.0.lock().unwrap().clone();
    let missing = notes.iter().filter(|note| note.starts_with("accounting does not have 1 job"));
    assert_eq!(missing.count(), 1, "{notes:?}");
    let last = &submission(&place, "10").request;
    assert_eq!(
        (last.tasks, last.time_limit, &last.partitions[..]),
        (Some(4), Some(TimeLimit::Of(Seconds(3600))), &["all".to_owned()][..])
    );
    let answer = place.pending(&TimeZone::UTC, &Unheard).unwrap();
    let mut with_start: Vec<&str> =
        answer.jobs.iter().filter(|one| one.start.is_some()).map(|one| one.job.as_str()).collect();
    with_start.sort_unstable();
    assert_eq!(with_start, ["10", "9"], "a held job has no start");
    // What was found once is what is found anew.
    let found = Some(std::sync::Arc::new(place.queue_starts()));
    assert_eq!(
        place.with_starts(found).pending(&TimeZone::UTC, &Unheard).unwrap().jobs.len(),
        answer.jobs.len()
    );
}

/// A job that depends on what has failed, or asks for what no node has, starts in no simulation, and that is said.
#[test]
fn jobs_that_never_start_are_told_as_such() {
    let sacct = accounting(&[row("7", "FAILED", [Some(900), Some(1000), Some(1100)], 4)]);
    for (depends, why, expected) in [
        ("afterok:7(failed)", "DependencyNeverSatisfied", "other jobs, in vain"),
        ("(null)", "BadConstraints", "a change, and does not start until it asks for something else"),
    ] {
        let queue = line("8", None, "", depends, why) + &waits("9", "Priority");
        let place = followed(&sacct, &queue, &nodes("0/4/0/4"));
        let answer = place.pending(&TimeZone::UTC, &Unheard).unwrap();
        let starts: Vec<(&str, bool, f64)> =
            answer.jobs.iter().map(|one| (one.job.as_str(), one.start.is_some(), one.never)).collect();
        assert_eq!(starts, [("9", true, 0.0), ("8", false, 1.0)], "{why}");
        let look = LiveSite::read(&nodes("0/4/0/4"), &queue, Time(NOW)).unwrap();
        let waits_for =
            shown_reason(look.jobs().iter().find(|one| one.id == 8).unwrap(), look.jobs(), &TimeZone::UTC);
        let waits_for = waits_for.unwrap();
        assert!(
            waits_for.words().starts_with(expected) && waits_for.stays_until().is_some(),
            "{waits_for:?}"
        );
    }
}

/// Drained nodes take no jobs, whatever the description of an hour ago says; nodes that are back do.
#[test]
fn nodes_are_as_the_look_saw_them() {
    let sacct = accounting(&[row("7", "COMPLETED", [Some(900), Some(1000), Some(1100)], 4)]);
    for (procs, closed) in [("0/4/0/4", vec![]), ("0/0/4/4", vec![3]), ("2/0/2/4", vec![3])] {
        assert_eq!(followed(&sacct, "", &nodes(procs)).moment.closed_nodes, closed, "{procs}");
    }
    // A node that is being drained takes none, though all its processors are held.
    let with_state = |state: &str| {
        let states =
            |line: &str| format!("{line}|{}\n", if line.starts_with("c4|") { state } else { "mixed" });
        nodes("4/0/0/4").lines().map(states).collect::<String>()
    };
    for (state, closed) in [("allocated", vec![]), ("draining", vec![3])] {
        assert_eq!(followed(&sacct, "", &with_state(state)).moment.closed_nodes, closed, "{state}");
    }
    let mut drained = site();
    let text = drained["scontrol-node.txt"].replace("State=IDLE", "State=IDLE+DRAIN");
    drained.insert("scontrol-node.txt".to_owned(), text);
    let look = LiveSite::read(&nodes("0/0/4/4"), "", Time(NOW)).unwrap();
    let texts =
        FollowedTexts { name: "test", site: &drained, accounting: &sacct, sshare: None, throttles: &NONE };
    let place = SlurmPlace::followed(texts, &look, &TimeZone::UTC, &Unheard).unwrap();
    assert_eq!(place.moment.closed_nodes, [3]);
}

/// Shares count from when they were shown: later use comes from accounting, and all of it decays.
#[test]
fn usage_is_what_was_shown_and_what_was_used_since() {
    let sacct = accounting(&[
        row("7", "COMPLETED", [Some(NOW - 3000), Some(NOW - 3000), Some(NOW - 2000)], 4),
        row("8", "COMPLETED", [Some(NOW - 900), Some(NOW - 900), Some(NOW - 800)], 4),
    ]);
    let look = LiveSite::read(&nodes("0/4/0/4"), "", Time(NOW)).unwrap();
    let used = |sshare: Option<(Time, &str)>| {
        let texts =
            FollowedTexts { name: "test", site: &site(), accounting: &sacct, sshare, throttles: &NONE };
        let place = SlurmPlace::followed(texts, &look, &TimeZone::UTC, &Unheard).unwrap();
        let own = |name: &str| {
            let all = &place.cluster.associations.0;
            place.moment.usage[all.iter().position(|one| one.user.as_deref() == Some(name)).unwrap()]
        };
        [own("ann"), own("bob")].map(|used| used.round())
    };
    // 4 processors for 1,000 s from three half-lives ago on, and for 100 s; a half-life is 1,000 s.
    let over = |until: f64, from: f64| {
        let rate = std::f64::consts::LN_2 / 1000.0;
        4.0 * ((-rate * until).exp() - (-rate * from).exp()) / rate
    };
    let (first, second) = (over(2000.0, 3000.0), over(800.0, 900.0));
    assert_eq!(used(None), [(first + second).round(), 0.0]);
    let shown = "Account|User|RawUsage\nphys|ann|50\nphys|bob|8000\n";
    assert_eq!(used(Some((Time(NOW - 1000), shown))), [(25.0 + second).round(), 4000.0]);
    assert_eq!(used(Some((Time(NOW), shown))), [50.0, 8000.0]);
    // What is shown later is not known yet, and nothing is shown where that is private.
    assert_eq!(used(Some((Time(NOW + 1), shown))), used(None));
    assert_eq!(used(Some((Time(NOW), "Account|User|RawUsage\n"))), used(None));
}

/// A partition that the description does not have: its scheduler is not simulated.
#[test]
fn a_site_that_is_described_otherwise_is_refused() {
    let sacct = accounting(&[row("7", "COMPLETED", [Some(900), Some(1000), Some(1100)], 4)]);
    let refused = |site: &BTreeMap<String, String>, nodes: &str| {
        let look = LiveSite::read(nodes, "", Time(NOW)).unwrap();
        let texts = FollowedTexts { name: "test", site, accounting: &sacct, sshare: None, throttles: &NONE };
        SlurmPlace::followed(texts, &look, &TimeZone::UTC, &Unheard).unwrap_err().to_string()
    };
    let other = nodes("0/4/0/4").replace("half", "new");
    assert_eq!(refused(&site(), &other), "partition new is not described yet");
    let mut bare = site();
    bare.remove("scontrol-node.txt");
    assert_eq!(refused(&bare, &nodes("0/4/0/4")), "test: no nodes or no partitions are described");
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Messages for Heard {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
    fn warning(&self, text: &str) {
        self.note(text);
    }
    fn begins(&self, _: &str, _: usize) {}
    fn done(&self, _: usize) {}
}

/// A question simulates what a collector has not, by no more simulations than the length of the queue allows, and says what that makes of
/// its ranges.
#[test]
fn the_first_question_of_a_long_queue_has_few_simulations_and_says_so() {
    let ended = |job: i64| {
        let at = |after: i64| Some(NOW - 20_000 + 100 * job + after);
        row(&job.to_string(), "COMPLETED", [at(0), at(10), at(60)], 4)
    };
    let sacct = accounting(&(1..=60).map(ended).collect::<Vec<_>>());
    let mut widths = Vec::new();
    for (jobs, draws) in [(12, 40), (300, 22)] {
        let queue: String = (0..jobs).map(|job| waits(&(1000 + job).to_string(), "Priority")).collect();
        let heard = Heard(Mutex::new(Vec::new()));
        let place = followed(&sacct, &queue, &nodes("0/4/0/4")).for_questions(&heard);
        assert_eq!(place.starts().unwrap().schedules.len(), draws, "{jobs}");
        let answer = place.pending(&TimeZone::UTC, &Unheard).unwrap();
        assert_eq!((answer.queues[0].draws as usize, answer.jobs.len()), (draws, jobs));
        let range = answer.jobs[8].start.unwrap();
        widths.push((range.high - range.low) / range.median);
        let notes = heard.0.lock().unwrap().clone();
        let said = notes.iter().filter(|note| note.contains("wider than they will be"));
        assert_eq!(said.count(), usize::from(jobs > 12), "{notes:?}");
        if jobs == 300 {
            let part = "300 jobs wait, and what queuecast collect computes of them is not all there: ranges are by 22 simulations instead of 40, corrected by 0 past queues instead of 40";
            assert!(notes.iter().any(|note| note.starts_with(part)), "{notes:?}");
        }
    }
    assert!(widths[1] > widths[0], "{widths:?}");
}

/// A moment of a log at which hundreds of jobs wait is asked about by fewer simulations, and that is said.
#[test]
fn a_long_queue_of_a_log_has_few_simulations_and_says_so() {
    let at = |waiting: usize| {
        let ended =
            (1..=9).map(|job| row(&job.to_string(), "COMPLETED", [Some(job), Some(job), Some(job + 60)], 4));
        let waits =
            (0..waiting).map(|job| row(&(100 + job).to_string(), "PENDING", [Some(200), None, None], 4));
        let texts =
            BTreeMap::from([("sacct.psv".to_owned(), accounting(&ended.chain(waits).collect::<Vec<_>>()))]);
        let heard = Heard::default();
        let place =
            SlurmPlace::recorded(("test", &site()), ("log", &texts), "end", None, &TimeZone::UTC, &heard)
                .unwrap();
        let notes = heard.0.into_inner().unwrap().into_iter().filter(|note| note.contains("takes long"));
        let settings = place.asked_settings();
        (place.waiting_jobs(), settings.draws.draws, settings.trials, notes.collect::<Vec<_>>())
    };
    assert_eq!(at(500), (500, 40, 27, vec!["500 jobs wait, which takes long to simulate: answers are by trials of 27 past moments instead of 60".to_owned()]));
    assert_eq!(at(300), (300, 40, 60, Vec::new()));
}
