//! The moments of a recorded run, one after the other.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::event::ClusterAction;
use super::indices::AssociationIndex;
use super::moment::{ClusterMoment, JobStanding, StandingState};
use super::node_past::NodePast;
use super::outcome::JobOutcome;
use super::past_usage::{UsageDecay, charges};
use super::recorded::RecordedRun;
use super::request::Begin;
use super::reservation::AdvanceReservation;
use super::submitted::SubmittedJob;
use super::whole::Cluster;
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Time};

/// The cluster of a recorded run at one instant after the other. A moment costs what is there then and what has happened since the
/// one before, however long the run.
///
/// Jobs without a recorded outcome are left out: nothing tells where they stood. Seconds are whole: what starts in the second of
/// an instant runs, and what ends in it has left. Reservations are as the cluster has them, changed by what the run tells of up
/// to then; nodes are as the run tells, else as known outages and starts of jobs let them be.
#[derive(Debug)]
pub struct RecordedMoments<'r> {
    cluster: &'r Cluster,
    run: &'r RecordedRun,
    /// Submissions by their keys and by their numbers: looked up, never iterated.
    by_key: HashMap<&'r str, usize>,
    numbers: HashMap<u64, usize>,
    /// Each outcome's submission, and the outcomes of each submission.
    submission_of: Vec<Option<usize>>,
    outcomes_of: OutcomesOf,
    /// Submissions in their order; outcomes that start, and those that end, by when.
    order: Vec<usize>,
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// How many of the submissions, starts, ends and events have happened.
    happened: [usize; 4],
    /// Where each submission stands in the order.
    ranks: Vec<usize>,
    /// Of each submission, outcomes that have not ended.
    left: Vec<usize>,
    /// Submissions that are there, and outcomes that run.
    present: BTreeSet<usize>,
    running: BTreeSet<usize>,
    /// What each outcome is billed a second, and the association it counts for.
    charges: Vec<Option<(AssociationIndex, f64)>>,
    /// What was used by jobs that have ended, decayed up to an instant.
    used: Vec<f64>,
    used_at: Time,
    decay: UsageDecay,
    nodes: NodePast,
    reservations: Vec<AdvanceReservation>,
}

/// The outcomes of each submission, in one list.
#[derive(Debug)]
struct OutcomesOf {
    all: Vec<usize>,
    /// Where those of each submission begin; one more at the end.
    begins: Vec<usize>,
}

impl OutcomesOf {
    fn new(submission_of: &[Option<usize>], submissions: usize) -> OutcomesOf {
        let mut begins = vec![0; submissions + 1];
        submission_of.iter().flatten().for_each(|&submission| begins[submission + 1] += 1);
        for submission in 0..submissions {
            begins[submission + 1] += begins[submission];
        }
        let mut next = begins.clone();
        let mut all = vec![0; begins[submissions]];
        for (outcome, submission) in submission_of.iter().enumerate() {
            if let Some(submission) = *submission {
                all[next[submission]] = outcome;
                next[submission] += 1;
            }
        }
        OutcomesOf { all, begins }
    }

    fn range(&self, submission: usize) -> Range<usize> {
        self.begins[submission]..self.begins[submission + 1]
    }

    fn get(&self, submission: usize) -> &[usize] {
        &self.all[self.range(submission)]
    }
}

/// Places by a time of theirs, of equal times by place.
fn in_order(times: impl Iterator<Item = (i64, usize)>) -> Vec<usize> {
    let mut all: Vec<(i64, usize)> = times.collect();
    all.sort();
    all.into_iter().map(|(_, place)| place).collect()
}

/// A submission as it is known at a second: what it waits for before it becomes eligible is not, so it is held.
fn known_at(now: Time, submission: &SubmittedJob) -> SubmittedJob {
    let mut known = submission.clone();
    if matches!(known.request.terms.begin, Some(Begin::Eligible(at)) if at > now) {
        known.request.terms.begin = None;
        known.request.terms.hold = true;
    }
    known
}

impl<'r> RecordedMoments<'r> {
    /// Before anything has happened.
    pub fn new(cluster: &'r Cluster, run: &'r RecordedRun) -> RecordedMoments<'r> {
        let places = || (0..).zip(&run.submissions);
        let by_key: HashMap<&str, usize> =
            places().map(|(submission, one)| (one.key.as_str(), submission)).collect();
        let numbers = places().filter_map(|(submission, one)| Some((one.id?, submission))).collect();
        let submission_of: Vec<Option<usize>> =
            run.outcomes.iter().map(|one| by_key.get(one.key.as_str()).copied()).collect();
        let outcomes_of = OutcomesOf::new(&submission_of, run.submissions.len());
        let order = in_order(places().map(|(submission, one)| (one.submit.0, submission)));
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &submission)| ranks[submission] = rank);
        let by_time = |time: fn(&JobOutcome) -> Option<Time>| {
            in_order(run.outcomes.iter().enumerate().filter_map(|(place, one)| Some((time(one)?.0, place))))
        };
        RecordedMoments {
            charges: charges(cluster, run, &submission_of),
            left: (0..run.submissions.len()).map(|one| outcomes_of.range(one).len()).collect(),
            starts: by_time(|one| one.start),
            ends: by_time(|one| one.end),
            happened: [0; 4],
            present: BTreeSet::new(),
            running: BTreeSet::new(),
            used: vec![0.0; cluster.associations.0.len()],
            used_at: Time(i64::MIN),
            decay: UsageDecay::of(cluster),
            nodes: NodePast::of(cluster, run),
            reservations: cluster.reservations.clone(),
            numbers,
            by_key,
            submission_of,
            outcomes_of,
            order,
            ranks,
            cluster,
            run,
        }
    }

    /// The cluster at an instant, no earlier than those asked for before.
    pub fn at(&mut self, now: Micros) -> ClusterMoment {
        self.advance(now, usize::MAX);
        self.moment(now, None)
    }

    /// The cluster when a submission comes, without it and without those that come after it in the same instant; what it depends
    /// on is there. No earlier than the moments asked for before.
    pub fn before(&mut self, submission: usize) -> ClusterMoment {
        let Some(asked) = self.run.submissions.get(submission) else { return ClusterMoment::default() };
        self.advance(asked.submit, self.ranks[submission]);
        self.moment(asked.submit, Some(submission))
    }

    /// Everything that happens up to an instant, submissions up to a rank.
    fn advance(&mut self, now: Micros, until: usize) {
        let (second, run) = (now.second(), self.run);
        let [submissions, starts, ends, events] = &mut self.happened;
        if let Some(passed) = second.0.checked_sub(self.used_at.0).filter(|_| self.used_at.0 != i64::MIN) {
            let by = self.decay.over(passed);
            self.used.iter_mut().for_each(|used| *used *= by);
        }
        self.used_at = second;
        while let Some(&submission) = self.order.get(*submissions)
            && *submissions < until
            && run.submissions[submission].submit <= now
        {
            if self.left[submission] > 0 {
                self.present.insert(submission);
            }
            *submissions += 1;
        }
        while let Some(&one) = self.starts.get(*starts)
            && run.outcomes[one].start.is_some_and(|start| start <= second)
        {
            self.running.insert(one);
            *starts += 1;
        }
        while let Some(&one) = self.ends.get(*ends)
            && let Some(end) = run.outcomes[one].end.filter(|end| *end <= second)
        {
            self.running.remove(&one);
            let start = run.outcomes[one].start.filter(|start| *start < end);
            if let (Some(start), Some((association, billed))) = (start, self.charges[one]) {
                self.used[association.0] += billed * self.decay.between((second - end).0, (second - start).0);
            }
            if let Some(submission) = self.submission_of[one] {
                self.left[submission] -= 1;
                if self.left[submission] == 0 {
                    self.present.remove(&submission);
                }
            }
            *ends += 1;
        }
        self.nodes.advance_to(now);
        while let Some(event) = run.events.get(*events).filter(|event| event.at <= now) {
            match &event.action {
                // Cancelled jobs have outcomes of their own; other changes of jobs are not looked at.
                ClusterAction::Cancel { .. } | ClusterAction::Job { .. } => {}
                ClusterAction::Reserve(reservation) => {
                    self.reservations.retain(|one| one.name != reservation.name);
                    self.reservations.push(reservation.clone());
                }
                ClusterAction::Unreserve { name } => self.reservations.retain(|one| one.name != *name),
                ClusterAction::Nodes(change) => self.nodes.set(&change.nodes, change.state),
            }
            *events += 1;
        }
    }

    fn moment(&self, now: Micros, coming: Option<usize>) -> ClusterMoment {
        let (second, run) = (now.second(), self.run);
        let mut usage = self.used.clone();
        for &one in &self.running {
            let start = run.outcomes[one].start.filter(|start| *start < second);
            if let (Some(start), Some((association, billed))) = (start, self.charges[one]) {
                usage[association.0] += billed * self.decay.between(0, (second - start).0);
            }
        }
        let mut kept = self.present.clone();
        for submission in self.present.iter().copied().chain(coming) {
            for on in run.submissions[submission].request.dependency.iter().flat_map(|one| &one.on) {
                kept.extend(self.named(&on.job));
            }
        }
        let mut moment = ClusterMoment {
            now,
            reservations: self.reservations.clone(),
            closed_nodes: self.nodes.closed(),
            usage,
            ..ClusterMoment::default()
        };
        for own in kept {
            let submission = moment.submissions.len();
            moment.submissions.push(known_at(second, &run.submissions[own]));
            for &one in self.outcomes_of.get(own) {
                let (state, task) = (self.state(one, second), run.outcomes[one].task);
                moment.standings.push(JobStanding { submission, task, state });
            }
        }
        moment
    }

    /// The submission that a dependency names, if it has come.
    fn named(&self, job: &str) -> Option<usize> {
        let name = job.trim_start_matches('@');
        let whole = name.rsplit_once('_').map_or(name, |(whole, _)| whole);
        let has_come = |submission: &usize| self.ranks[*submission] < self.happened[0];
        let of = |name: &str| {
            let by_number = || self.numbers.get(&name.parse::<u64>().ok()?).copied().filter(has_come);
            self.by_key.get(name).copied().filter(has_come).or_else(by_number)
        };
        of(name).or_else(|| of(whole))
    }

    fn state(&self, outcome: usize, now: Time) -> StandingState {
        let outcome = &self.run.outcomes[outcome];
        if outcome.end.is_some_and(|end| end <= now) {
            return StandingState::Left { well: outcome.state == JobState::Completed };
        }
        match outcome.start.filter(|start| *start <= now) {
            Some(start) => {
                let mut nodes: Vec<usize> =
                    outcome.nodes.iter().filter_map(|name| self.cluster.node(name)).collect();
                nodes.sort_unstable();
                let partition = self.cluster.partition(&outcome.partition);
                StandingState::Running { start, nodes, partition }
            }
            None => StandingState::Waiting { eligible: outcome.eligible.filter(|at| *at <= now) },
        }
    }
}

impl ClusterMoment {
    /// The cluster of a recorded run as it was at an instant, by [`RecordedMoments`].
    pub fn recorded(cluster: &Cluster, run: &RecordedRun, now: Micros) -> ClusterMoment {
        RecordedMoments::new(cluster, run).at(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{
        Association, Associations, ClusterEvent, ClusterNode, ClusterPartition, Dependency, DependencyKind,
        DependencyOn, GresRequest, JobOutcome, JobRequest, MemoryRequest, NodeChange, NodeState, Outage,
        PartitionIndex, SubmittedJob, TresWeights,
    };
    use queuecast_core::units::Seconds;

    fn job(key: &str, submit: i64) -> SubmittedJob {
        SubmittedJob {
            key: key.into(),
            id: None,
            submit: Micros::of_seconds(submit),
            user: "ann".into(),
            request: JobRequest { account: Some("phys".into()), ..JobRequest::default() }.into(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        }
    }

    fn outcome(key: &str, submit: i64, start: Option<i64>, end: Option<i64>) -> JobOutcome {
        JobOutcome {
            key: key.into(),
            task: None,
            state: JobState::Completed,
            submit: Time(submit),
            eligible: Some(Time(submit)),
            start: start.map(Time),
            end: end.map(Time),
            partition: "all".into(),
            cpus: 2,
            billed: None,
            nodes: vec!["n1".into()].into(),
            backfilled: None,
            priority: None,
        }
    }

    fn site() -> Cluster {
        let association =
            Association { account: "phys".into(), user: Some("ann".into()), ..Association::default() };
        let mut cluster = Cluster {
            nodes: vec![ClusterNode { name: "n1".into(), ..ClusterNode::default() }],
            partitions: vec![ClusterPartition { name: "all".into(), ..ClusterPartition::default() }],
            associations: Associations(vec![association]),
            ..Cluster::default()
        };
        cluster.settings.priority.decay_half_life = Seconds(100);
        cluster
    }

    /// What a job waited for until it became eligible is not recorded: before, it is held.
    #[test]
    fn when_a_job_becomes_eligible_is_known_only_then() {
        let mut late = job("late", 0);
        late.request.terms.begin = Some(Begin::Eligible(Time(200)));
        let run = RecordedRun {
            submissions: vec![late],
            outcomes: vec![outcome("late", 0, Some(300), Some(400))],
            ..RecordedRun::default()
        };
        let terms = |at: i64| {
            let moment = ClusterMoment::recorded(&site(), &run, Micros::of_seconds(at));
            let terms = &moment.submissions[0].request.terms;
            (terms.hold, terms.begin)
        };
        assert_eq!(terms(199), (true, None));
        assert_eq!(terms(200), (false, Some(Begin::Eligible(Time(200)))));
    }

    #[test]
    fn nothing_of_later_is_in_it() {
        let cluster = site();
        let mut waits = job("waits", 90);
        let on = DependencyOn { kind: DependencyKind::AfterOk, job: "ended".into(), delay: Seconds(0) };
        waits.request.dependency = Some(Dependency { on: vec![on], any: false });
        let run = RecordedRun {
            submissions: vec![job("old", 0), job("ended", 0), job("runs", 10), waits, job("later", 101)],
            outcomes: vec![
                outcome("old", 0, Some(0), Some(5)),
                outcome("ended", 0, Some(0), Some(100)),
                outcome("runs", 10, Some(50), Some(500)),
                outcome("waits", 90, Some(300), Some(400)),
                outcome("later", 101, Some(200), Some(300)),
            ],
            ..RecordedRun::default()
        };
        let moment = ClusterMoment::recorded(&cluster, &run, Micros::of_millis(100_500));
        let keys: Vec<&str> = moment.submissions.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["ended", "runs", "waits"], "what is depended on is kept, what is over is not");
        let states: Vec<StandingState> = moment.standings.iter().map(|one| one.state.clone()).collect();
        let running =
            StandingState::Running { start: Time(50), nodes: vec![0], partition: Some(PartitionIndex(0)) };
        let waiting = StandingState::Waiting { eligible: Some(Time(90)) };
        assert_eq!(states, [StandingState::Left { well: true }, running, waiting]);
        // Two processors: 5 s and 100 s, and 50 s; halved every 100 s.
        let whole = |until: f64, from: f64| {
            let rate = std::f64::consts::LN_2 / 100.0;
            2.0 * ((-rate * until).exp() - (-rate * from).exp()) / rate
        };
        let expected = whole(95.0, 100.0) + whole(0.0, 100.0) + whole(0.0, 50.0);
        assert!((moment.usage[0] - expected).abs() < 1e-6, "{:?} {expected}", moment.usage);
        // Control: the future changes nothing.
        let mut other = run.clone();
        other.outcomes[2].end = Some(Time(101));
        other.outcomes[3].start = None;
        other.outcomes.truncate(4);
        assert_eq!(ClusterMoment::recorded(&cluster, &other, Micros::of_millis(100_500)), moment);
    }

    /// One moment after the other is each as if it alone were asked for, and a submission is not there when it comes.
    #[test]
    fn moments_follow_each_other() {
        let cluster = site();
        let mut after = job("after", 60);
        let on = DependencyOn { kind: DependencyKind::AfterAny, job: "first".into(), delay: Seconds(0) };
        after.request.dependency = Some(Dependency { on: vec![on], any: false });
        let run = RecordedRun {
            submissions: vec![job("late", 60), job("first", 0), after, job("second", 20)],
            outcomes: vec![
                outcome("late", 60, Some(60), Some(70)),
                outcome("first", 0, Some(0), Some(50)),
                outcome("after", 60, Some(61), Some(90)),
                outcome("second", 20, Some(20), Some(80)),
            ],
            ..RecordedRun::default()
        };
        let mut moments = RecordedMoments::new(&cluster, &run);
        for now in [-5, 10, 55, 75, 200] {
            let (followed, alone) = (
                moments.at(Micros::of_seconds(now)),
                ClusterMoment::recorded(&cluster, &run, Micros::of_seconds(now)),
            );
            let plain = |moment: &ClusterMoment| ClusterMoment { usage: Vec::new(), ..moment.clone() };
            assert_eq!(plain(&followed), plain(&alone), "{now}");
            assert!((followed.usage[0] - alone.usage[0]).abs() < 1e-9, "{now}");
        }
        let keys = |submission: usize| -> Vec<String> {
            let moment = RecordedMoments::new(&cluster, &run).before(submission);
            moment.submissions.into_iter().map(|one| one.key).collect()
        };
        assert_eq!(keys(0), ["second"], "what comes after it in the same instant is not there");
        assert_eq!(keys(2), ["late", "first", "second"], "what it depends on is, though it has ended");
    }

    #[test]
    fn usage_is_what_was_billed() {
        let mut cluster = site();
        cluster.settings.priority.decay_half_life = Seconds(0);
        let weights =
            [("cpu".to_owned(), 1.0), ("mem".to_owned(), 0.5 / 1024.0), ("gres/gpu".to_owned(), 8.0)];
        cluster.partitions[0].billing_weights = TresWeights(weights.into());
        let mut one = job("a", 0);
        one.request.memory = Some(MemoryRequest::PerCpu(2048));
        one.request.gres.per_node = vec![GresRequest { name: "gpu".into(), kind: None, count: 1 }];
        let run = |billed: Option<u64>| RecordedRun {
            submissions: vec![one.clone()],
            outcomes: vec![JobOutcome { billed, ..outcome("a", 0, Some(0), Some(100)) }],
            ..RecordedRun::default()
        };
        let used = |cluster: &Cluster, billed| {
            ClusterMoment::recorded(cluster, &run(billed), Micros::of_seconds(200)).usage[0]
        };
        // Two processors, half of each of four GB, and eight for the GPU.
        assert_eq!(used(&cluster, None), 1200.0);
        assert_eq!(used(&cluster, Some(5)), 500.0, "what is told counts");
        cluster.settings.priority.flags.max_tres = true;
        assert_eq!(used(&cluster, None), 800.0, "the largest part");
        // Control: without weights processors are billed.
        cluster.partitions[0].billing_weights = TresWeights::default();
        assert_eq!(used(&cluster, None), 200.0);
    }

    /// Nodes that are found drained took jobs before.
    #[test]
    fn nodes_that_are_closed_now_were_open_when_jobs_started_on_them() {
        let mut cluster = site();
        let node = |name: &str, state| ClusterNode { name: name.into(), state, ..ClusterNode::default() };
        cluster.nodes = vec![
            node("n1", NodeState::Drained),
            node("n2", NodeState::Up),
            node("n3", NodeState::Down),
            node("n4", NodeState::Down),
        ];
        let outage = |node: usize, from: i64, to: Time| Outage { node, from: Time(from), to, drained: true };
        cluster.outages =
            vec![outage(1, 20, Time(30)), outage(1, 60, Time::NEVER), outage(3, 80, Time::NEVER)];
        let mut run = RecordedRun {
            submissions: vec![job("a", 0), job("b", 40)],
            outcomes: vec![outcome("a", 0, Some(0), Some(10)), outcome("b", 40, Some(50), None)],
            ..RecordedRun::default()
        };
        run.clock.is_unix = true;
        let closed = |run: &RecordedRun, now: i64| {
            ClusterMoment::recorded(&cluster, run, Micros::of_seconds(now)).closed_nodes
        };
        assert_eq!(closed(&run, 10), [2], "the first takes jobs until 50, the third never did");
        assert_eq!(closed(&run, 25), [1, 2], "a known outage");
        assert_eq!(closed(&run, 70), [0, 2], "the outage of the second is over, since it is found open");
        assert_eq!(closed(&run, 90), [0, 2, 3], "as they are found");
        // Control: what a run tells itself counts from its begin.
        let action = ClusterAction::Nodes(NodeChange { nodes: vec![0], state: NodeState::Up });
        run.events = vec![ClusterEvent { at: Micros::of_seconds(40), action }];
        assert_eq!([closed(&run, 10), closed(&run, 45)], [vec![0, 2], vec![2]]);
    }
}
