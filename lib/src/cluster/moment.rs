//! A cluster at an instant.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{ClusterAction, NodeChange};
use super::node::NodeState;
use super::recorded::RecordedRun;
use super::reservation::AdvanceReservation;
use super::submitted::SubmittedJob;
use super::whole::Cluster;
use crate::units::Time;

/// A cluster as it is at an instant: what waits, what runs where, and what has been used. Nothing in it is of later, but for the
/// run times on the submissions, which are not looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClusterMoment {
    /// The instant, in milliseconds of the clock of the submissions.
    pub now_ms: i64,
    /// What was submitted up to then and has not left, and what that depends on, in the order of submission.
    pub submissions: Vec<SubmittedJob>,
    /// Where jobs stand, array tasks one by one; those that are not named wait.
    pub standings: Vec<JobStanding>,
    /// Reservations that are known then.
    pub reservations: Vec<AdvanceReservation>,
    /// Nodes that take no jobs, ascending.
    pub closed_nodes: Vec<usize>,
    /// Decayed usage of each association by its own jobs, in the order of the cluster's associations; empty: none. In processor
    /// seconds where it is computed from outcomes, in billed seconds where Slurm shows it.
    pub usage: Vec<f64>,
}

/// Where a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStanding {
    /// The place of its submission.
    pub submission: usize,
    /// Its index in an array.
    pub task: Option<u32>,
    /// What it does.
    pub state: StandingState,
}

/// What a job does at an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandingState {
    /// It waits, and could start since then.
    Waiting {
        /// Since when it could start; `None`: it could not yet, or that is not known.
        eligible: Option<Time>,
    },
    /// It runs.
    Running {
        /// When it started.
        start: Time,
        /// Its nodes, ascending.
        nodes: Vec<usize>,
        /// The index of its partition; `None`: the first that it asks for.
        partition: Option<usize>,
    },
    /// It has ended or was cancelled.
    Left {
        /// Whether it ended well.
        well: bool,
    },
}

impl ClusterMoment {
    /// The cluster of a recorded run as it was at an instant. Jobs without a recorded outcome are left out: nothing tells where
    /// they stood. Seconds are whole: what starts in the second of the instant runs. Nodes and reservations are as the cluster has
    /// them, changed by what the run tells of up to then.
    pub fn recorded(cluster: &Cluster, run: &RecordedRun, now_ms: i64) -> ClusterMoment {
        let now = Time(now_ms.div_euclid(1000));
        let mut moment = ClusterMoment {
            now_ms,
            reservations: cluster.reservations.clone(),
            closed_nodes: (0..cluster.nodes.len())
                .filter(|&node| cluster.nodes[node].state != NodeState::Up)
                .collect(),
            usage: vec![0.0; cluster.associations.0.len()],
            ..ClusterMoment::default()
        };
        for event in run.events.iter().take_while(|event| event.at_ms <= now_ms) {
            moment.act(&event.action);
        }
        let kept = kept_submissions(run, now_ms);
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for &place in &kept {
            places.insert(&run.submissions[place].key, moment.submissions.len());
            moment.submissions.push(run.submissions[place].clone());
        }
        let known: BTreeMap<&str, &SubmittedJob> =
            run.submissions.iter().map(|one| (one.key.as_str(), one)).collect();
        let decay = UsageDecay::of(cluster);
        for outcome in &run.outcomes {
            let until = outcome.end.unwrap_or(Time::NEVER).min(now);
            let ran = outcome.start.filter(|start| *start < until);
            if let (Some(start), Some(submission)) = (ran, known.get(outcome.key.as_str()))
                && let Some(index) = cluster.association_of(submission)
            {
                let factor = cluster.qos_of(submission).map_or(1.0, |qos| cluster.qos[qos].usage_factor);
                let seconds = decay.between((now - until).0, (now - start).0);
                moment.usage[index] += f64::from(outcome.cpus) * factor * seconds;
            }
            let Some(&place) = places.get(outcome.key.as_str()) else { continue };
            let state = if outcome.end.is_some_and(|end| end <= now) {
                StandingState::Left { well: outcome.state == "COMPLETED" }
            } else if let Some(start) = outcome.start.filter(|start| *start <= now) {
                let mut nodes: Vec<usize> =
                    outcome.nodes.iter().filter_map(|name| cluster.node(name)).collect();
                nodes.sort_unstable();
                StandingState::Running { start, nodes, partition: cluster.partition(&outcome.partition) }
            } else {
                StandingState::Waiting { eligible: outcome.eligible.filter(|at| *at <= now) }
            };
            moment.standings.push(JobStanding { submission: place, task: outcome.task, state });
        }
        moment
    }

    /// Takes a submission out.
    pub fn remove(&mut self, key: &str) {
        while let Some(place) = self.submissions.iter().position(|one| one.key == key) {
            self.submissions.remove(place);
            self.standings.retain(|one| one.submission != place);
            for one in self.standings.iter_mut().filter(|one| one.submission > place) {
                one.submission -= 1;
            }
        }
    }

    /// What a user or the administrator did. Cancelled jobs have outcomes of their own.
    fn act(&mut self, action: &ClusterAction) {
        match action {
            ClusterAction::Cancel { .. } => {}
            ClusterAction::Reserve(reservation) => {
                self.reservations.retain(|one| one.name != reservation.name);
                self.reservations.push(reservation.clone());
            }
            ClusterAction::Unreserve { name } => self.reservations.retain(|one| one.name != *name),
            ClusterAction::Nodes(NodeChange { nodes, state }) => {
                self.closed_nodes.retain(|node| !nodes.contains(node));
                if *state != NodeState::Up {
                    self.closed_nodes.extend(nodes);
                    self.closed_nodes.sort_unstable();
                }
            }
        }
    }
}

/// The submissions up to an instant that are told of and have not left, and those that they depend on.
fn kept_submissions(run: &RecordedRun, now_ms: i64) -> Vec<usize> {
    let places: BTreeMap<&str, usize> = run
        .submissions
        .iter()
        .enumerate()
        .filter(|(_, one)| one.submit_ms <= now_ms)
        .map(|(place, one)| (one.key.as_str(), place))
        .collect();
    let is_there = |end: Option<Time>| end.is_none_or(|end| end.0 > now_ms.div_euclid(1000));
    let mut kept: BTreeSet<usize> = run
        .outcomes
        .iter()
        .filter(|outcome| is_there(outcome.end))
        .filter_map(|outcome| places.get(outcome.key.as_str()).copied())
        .collect();
    let numbers: BTreeMap<String, usize> =
        places.values().filter_map(|&place| Some((run.submissions[place].id?.to_string(), place))).collect();
    for place in kept.clone() {
        for on in run.submissions[place].request.dependency.iter().flat_map(|one| &one.on) {
            let name = on.job.trim_start_matches('@');
            let whole = name.rsplit_once('_').map_or(name, |(whole, _)| whole);
            let of = |name: &str| places.get(name).or_else(|| numbers.get(name)).copied();
            kept.extend(of(name).or_else(|| of(whole)));
        }
    }
    kept.into_iter().collect()
}

/// How usage decays.
struct UsageDecay {
    /// Of a second, as a logarithm; `None`: not at all.
    rate: Option<f64>,
}

impl UsageDecay {
    fn of(cluster: &Cluster) -> UsageDecay {
        let half_life = cluster.settings.priority.decay_half_life.0;
        UsageDecay { rate: (half_life > 0).then(|| std::f64::consts::LN_2 / half_life as f64) }
    }

    /// What is left of a second's usage each, used from so many seconds ago until so many seconds ago.
    fn between(&self, until: i64, from: i64) -> f64 {
        match self.rate {
            None => (from - until) as f64,
            Some(rate) => ((-rate * until as f64).exp() - (-rate * from as f64).exp()) / rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{
        Association, Associations, ClusterNode, Dependency, DependencyKind, DependencyOn, JobOutcome,
        JobRequest,
    };
    use crate::units::Seconds;

    fn job(key: &str, submit: i64) -> SubmittedJob {
        SubmittedJob {
            key: key.into(),
            id: None,
            submit: Time(submit),
            submit_ms: submit * 1000,
            user: "ann".into(),
            request: JobRequest { account: Some("phys".into()), ..JobRequest::default() },
            runs: Vec::new(),
            not_modelled: Vec::new(),
        }
    }

    fn outcome(key: &str, submit: i64, start: Option<i64>, end: Option<i64>) -> JobOutcome {
        JobOutcome {
            key: key.into(),
            task: None,
            state: "COMPLETED".into(),
            submit: Time(submit),
            eligible: Some(Time(submit)),
            start: start.map(Time),
            end: end.map(Time),
            partition: "all".into(),
            cpus: 2,
            nodes: vec!["n1".into()],
            backfilled: None,
            priority: None,
        }
    }

    #[test]
    fn nothing_of_later_is_in_it() {
        let association =
            Association { account: "phys".into(), user: Some("ann".into()), ..Association::default() };
        let mut cluster = Cluster {
            nodes: vec![ClusterNode { name: "n1".into(), ..ClusterNode::default() }],
            associations: Associations(vec![association]),
            ..Cluster::default()
        };
        cluster.settings.priority.decay_half_life = Seconds(100);
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
        let mut moment = ClusterMoment::recorded(&cluster, &run, 100_500);
        let keys: Vec<&str> = moment.submissions.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["ended", "runs", "waits"], "what is depended on is kept, what is over is not");
        let states: Vec<StandingState> = moment.standings.iter().map(|one| one.state.clone()).collect();
        let running = StandingState::Running { start: Time(50), nodes: vec![0], partition: None };
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
        assert_eq!(ClusterMoment::recorded(&cluster, &other, 100_500), moment);
        moment.remove("ended");
        assert_eq!(moment.standings.iter().map(|one| one.submission).collect::<Vec<_>>(), [0, 1]);
    }
}
