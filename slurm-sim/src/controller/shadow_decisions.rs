//! What this controller decides beside the real one: put into the state of a moment, it goes on for a while with jobs that come, end and are
//! cancelled as they really were, and its starts are compared with the real ones.

use std::collections::{BTreeMap, BTreeSet};

use super::moment::AssumedFuture;
use super::state::Controller;
use crate::cluster::{
    Cluster, ClusterEvent, ClusterMoment, JobOutcome, RecordedRun, StandingState, SubmittedJob,
};
use crate::controller::clock::Phases;
use crate::controller::placement::PreparedCluster;
use queuecast_core::order;
use queuecast_core::units::{Micros, Seconds, Time};

/// A task of a submission, by its key.
type JobName<'a> = (&'a str, Option<u32>);

/// A site and what really happened there.
#[derive(Debug)]
pub struct ShadowSite<'a> {
    cluster: PreparedCluster<'a>,
    history: &'a RecordedRun,
    outcomes: BTreeMap<JobName<'a>, &'a JobOutcome>,
    submissions: BTreeMap<&'a str, &'a SubmittedJob>,
}

/// A time of which decisions are compared. What really happened must be known up to [`ShadowInterval::known_until`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShadowInterval {
    /// Its last second; it begins after the moment.
    pub to: Time,
    /// Starts that are no further apart are alike: nothing tells when the timers of the real controller are due.
    pub tolerance: Seconds,
}

impl ShadowInterval {
    /// The last second that is looked at.
    pub fn known_until(&self) -> Time {
        self.to + self.tolerance
    }
}

/// How a real decision compares with the simulated one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShadowVerdict {
    /// The job was started, on the same nodes.
    SameStart,
    /// The job was started, on other nodes.
    OtherNodes,
    /// The job was started sooner than by the simulation, or the simulation did not start it.
    Sooner,
    /// The job was started later than by the simulation.
    Later,
    /// The job waited, as in the simulation.
    Waited,
    /// The job waited, and the simulation started it.
    PassedOver,
}

/// A decision: a job was started, or one that could be started waited. Of an array, all tasks that waited are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowDecision {
    /// The job.
    pub submission: SubmittedJob,
    /// Its task; of several the first.
    pub task: Option<u32>,
    /// Its partition: where it ran, else the first that it asks for.
    pub partition: String,
    /// How it compares.
    pub verdict: ShadowVerdict,
    /// When it really started, as far as that is known.
    pub started: Option<Time>,
    /// When the simulation started it.
    pub simulated: Option<Time>,
}

/// When a job started, and the names of its nodes in order.
type StartPlace<'a> = (Time, Vec<&'a str>);

impl<'a> ShadowSite<'a> {
    /// Of a history that may go on after the moments that are asked about.
    pub fn new(cluster: &'a Cluster, history: &'a RecordedRun) -> ShadowSite<'a> {
        let outcomes = history.outcomes.iter().map(|one| ((one.key.as_str(), one.task), one));
        let submissions = history.submissions.iter().map(|one| (one.key.as_str(), one));
        ShadowSite {
            cluster: PreparedCluster::of(cluster),
            outcomes: order::map_of(outcomes),
            submissions: order::map_of(submissions),
            history,
        }
    }

    /// How far apart starts may be to be alike: as long as the longest period of the site's schedulers, and at least a minute, since the
    /// phases of their timers are not known; at most five minutes.
    pub fn tolerance(&self) -> Seconds {
        let settings = &self.cluster.cluster().settings;
        let backfill =
            settings.backfill.as_ref().and_then(|one| one.interval).map_or(0, |interval| interval.0);
        let main = settings.main.sched_interval.map_or(0, |one| one.0);
        Seconds(backfill.max(main).clamp(60, 300))
    }

    /// The decisions from a moment on, in the order of the submissions. `is_judged` leaves out jobs of which it is not known whether they
    /// could have been started.
    pub fn decisions(
        &self,
        moment: &ClusterMoment,
        interval: ShadowInterval,
        is_judged: &dyn Fn(&str, Option<u32>) -> bool,
    ) -> Vec<ShadowDecision> {
        let until = Micros::last_of(interval.known_until());
        let submissions = self.submissions_until(moment, until);
        let mut running = BTreeMap::new();
        let mut others = BTreeSet::new();
        let mut eligible = BTreeSet::new();
        for standing in &moment.standings {
            let key = (standing.submission, standing.task);
            match standing.state {
                StandingState::Running { start, .. } => {
                    running.insert(key, start);
                    others.insert(key);
                }
                StandingState::Left { .. } => {
                    others.insert(key);
                }
                StandingState::Waiting { eligible: Some(_) } => {
                    eligible.insert(key);
                }
                StandingState::Waiting { eligible: None } | StandingState::Held => {}
            }
        }
        let jobs: Vec<(usize, Option<u32>)> = submissions
            .iter()
            .enumerate()
            .flat_map(|(index, one)| tasks(one).into_iter().map(move |task| (index, task)))
            .collect();
        let real = |(index, task): (usize, Option<u32>)| {
            self.outcomes.get(&(submissions[index].key.as_str(), task)).copied()
        };
        let runs: Vec<Option<Seconds>> = jobs
            .iter()
            .map(|&job| {
                let outcome = real(job)?;
                let start = running.get(&job).copied().or(outcome.start)?;
                Some((outcome.end? - start).max(Seconds::ZERO))
            })
            .collect();
        let starts = self.simulated(moment, (&submissions, &runs), until);
        let mut decisions: Vec<ShadowDecision> = Vec::new();
        let mut waited: Option<(usize, ShadowDecision)> = None;
        for (&(index, task), simulated) in jobs.iter().zip(starts) {
            let (submission, Some(outcome)) = (&submissions[index], real((index, task))) else { continue };
            if others.contains(&(index, task)) || !is_judged(&submission.key, task) {
                continue;
            }
            let could_start = outcome.eligible.is_some_and(|at| at <= interval.to);
            if !could_start && !eligible.contains(&(index, task)) {
                continue;
            }
            let is_withdrawn = outcome.start.is_none() && outcome.end.is_some_and(|end| end <= interval.to);
            if is_withdrawn {
                continue;
            }
            let started = outcome.start.map(|start| {
                let mut nodes: Vec<&str> = outcome.nodes.iter().collect();
                nodes.sort_unstable();
                (start, nodes)
            });
            let verdict = verdict(started.as_ref(), simulated.as_ref(), interval);
            let decision = || ShadowDecision {
                submission: submission.clone(),
                task,
                partition: match &outcome.start {
                    Some(_) => outcome.partition.clone(),
                    None => submission.request.partitions.first().cloned().unwrap_or_default(),
                },
                verdict,
                started: outcome.start,
                simulated: simulated.as_ref().map(|one| one.0),
            };
            if !matches!(verdict, ShadowVerdict::Waited | ShadowVerdict::PassedOver) {
                decisions.push(decision());
                continue;
            }
            match &mut waited {
                // One task that the simulation started speaks for all that wait.
                Some((of, one)) if *of == index => {
                    if verdict > one.verdict {
                        *one = decision();
                    }
                }
                _ => decisions.extend(waited.replace((index, decision())).map(|one| one.1)),
            }
        }
        decisions.extend(waited.map(|one| one.1));
        decisions
    }

    /// What is there, then what is submitted up to an instant.
    fn submissions_until(&self, moment: &ClusterMoment, until: Micros) -> Vec<SubmittedJob> {
        let mut all = moment.submissions.clone();
        for one in all.iter_mut().filter(|one| one.request.array.is_none()) {
            // Whether it fails matters to those that depend on it.
            if let Some(known) = self.submissions.get(one.key.as_str()) {
                one.runs.clone_from(&known.runs);
            }
        }
        let there: BTreeSet<&str> = moment.submissions.iter().map(|one| one.key.as_str()).collect();
        let later = self.history.submissions.iter().filter(|one| {
            let second = one.submit.second();
            second >= moment.now.second() && one.submit <= until && !there.contains(one.key.as_str())
        });
        all.extend(later.cloned());
        all
    }

    /// When and where the controller starts each job, tasks one by one.
    fn simulated(
        &self,
        moment: &ClusterMoment,
        (submissions, runs): (&[SubmittedJob], &[Option<Seconds>]),
        until: Micros,
    ) -> Vec<Option<StartPlace<'a>>> {
        let cluster = self.cluster.cluster();
        let settings = &cluster.settings;
        // Halfway, since nothing tells when they are due.
        let half = |seconds: i64| Micros::of_seconds(seconds.clamp(0, 86_400)) / 2;
        let backfill =
            settings.backfill.as_ref().and_then(|one| one.interval).map_or(30, |interval| interval.0);
        let timers = [half(1), half(backfill), half(settings.priority.calc_period.0)];
        let full = half(settings.main.sched_interval.map_or(0, |interval| interval.0)) / Micros::SECOND;
        let future = AssumedFuture {
            submissions,
            runs,
            phases: Phases::running_on(moment.now, timers),
            since: [full, 15, full],
        };
        let events: Vec<ClusterEvent> = self
            .history
            .events
            .iter()
            .filter(|one| one.at > moment.now && one.at <= until)
            .cloned()
            .collect();
        let mut controller = Controller::going_on(&self.cluster, moment, &future, false);
        controller.until = until;
        controller.run(&events);
        let started = controller.jobs.all().iter().map(|job| {
            job.last.by?;
            let nodes = job.last.parts.nodes().iter();
            let mut names: Vec<&str> = nodes.map(|node| cluster.nodes[node].name.as_str()).collect();
            names.sort_unstable();
            Some((Time(job.last.start), names))
        });
        started.collect()
    }
}

/// The tasks of a submission; a job that is no array is one.
fn tasks(submission: &SubmittedJob) -> Vec<Option<u32>> {
    let array = submission.request.array.as_ref();
    array.map_or_else(|| vec![None], |array| array.indices.iter().copied().map(Some).collect())
}

fn verdict(
    started: Option<&StartPlace<'_>>,
    simulated: Option<&StartPlace<'_>>,
    ShadowInterval { to, tolerance }: ShadowInterval,
) -> ShadowVerdict {
    match (started, simulated) {
        (Some((start, nodes)), _) if *start <= to => match simulated {
            Some((other, chosen)) if (*start - *other).0.abs() <= tolerance.0 => match nodes == chosen {
                true => ShadowVerdict::SameStart,
                false => ShadowVerdict::OtherNodes,
            },
            Some((other, _)) if other < start => ShadowVerdict::Later,
            _ => ShadowVerdict::Sooner,
        },
        (later, Some((other, _))) if *other <= to => match later {
            // It started soon after the interval.
            Some((start, _)) if *start - *other <= tolerance => ShadowVerdict::Waited,
            _ => ShadowVerdict::PassedOver,
        },
        _ => ShadowVerdict::Waited,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::cluster;
    use super::*;
    use crate::cluster::{JobArray, JobRequest, JobStanding, NodeNames, PartitionIndex, TimeLimit};
    use queuecast_core::job_state::JobState;

    #[test]
    fn starts_about_the_end_of_an_interval_are_judged_once() {
        let interval = ShadowInterval { to: Time(120), tolerance: Seconds(60) };
        let at = |second: Option<i64>, node: &'static str| second.map(|second| (Time(second), vec![node]));
        let found = |real: Option<i64>, simulated: Option<i64>| {
            verdict(at(real, "a").as_ref(), at(simulated, "a").as_ref(), interval)
        };
        for (real, simulated, expected) in [
            (Some(50), Some(110), ShadowVerdict::SameStart),
            (Some(50), Some(111), ShadowVerdict::Sooner),
            (Some(50), None, ShadowVerdict::Sooner),
            (Some(110), Some(49), ShadowVerdict::Later),
            // The simulation goes on for as long as starts may be apart.
            (Some(120), Some(180), ShadowVerdict::SameStart),
            // The real start belongs to the next interval.
            (Some(150), Some(100), ShadowVerdict::Waited),
            (Some(170), Some(100), ShadowVerdict::PassedOver),
            (None, Some(100), ShadowVerdict::PassedOver),
            (None, Some(130), ShadowVerdict::Waited),
            (None, None, ShadowVerdict::Waited),
        ] {
            assert_eq!(found(real, simulated), expected, "{real:?} {simulated:?}");
        }
        let elsewhere = verdict(at(Some(50), "a").as_ref(), at(Some(50), "b").as_ref(), interval);
        assert_eq!(elsewhere, ShadowVerdict::OtherNodes);
    }

    /// An array of four tasks, each as large as one of two nodes, which waits for a job on both: two tasks start, and the two that wait are
    /// one decision.
    #[test]
    fn tasks_of_an_array_that_wait_are_one_decision() {
        let two = cluster(2);
        let submission = |key: &str, tasks: u32, array: Option<JobArray>| SubmittedJob {
            key: key.into(),
            id: None,
            submit: Micros::of_seconds(10),
            user: "u".into(),
            request: JobRequest {
                tasks: Some(tasks),
                time_limit: Some(TimeLimit::Of(Seconds(3600))),
                array,
                ..JobRequest::default()
            }
            .into(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        };
        let outcome =
            |key: &str, task: Option<u32>, start: Option<i64>, end: Option<i64>, node: &str| JobOutcome {
                key: key.into(),
                task,
                state: JobState::Completed,
                submit: Time(10),
                eligible: Some(Time(10)),
                start: start.map(Time),
                end: end.map(Time),
                partition: String::new(),
                cpus: 4,
                billed: None,
                nodes: NodeNames::from(vec![node.to_owned()]),
                backfilled: None,
                priority: None,
            };
        let all = JobArray { indices: vec![1, 2, 3, 4], throttle: None };
        let history = RecordedRun {
            submissions: vec![submission("first", 8, None), submission("array", 4, Some(all))],
            outcomes: vec![
                outcome("first", None, Some(20), Some(150), ""),
                outcome("array", Some(1), Some(151), Some(900), &two.nodes[0].name),
                outcome("array", Some(2), Some(151), Some(900), &two.nodes[1].name),
                outcome("array", Some(3), None, None, ""),
                outcome("array", Some(4), None, None, ""),
            ],
            ..RecordedRun::default()
        };
        let standing = |submission: usize, task: Option<u32>, state: StandingState| JobStanding {
            submission,
            task,
            state,
        };
        let runs =
            StandingState::Running { start: Time(20), nodes: vec![0, 1], partition: Some(PartitionIndex(0)) };
        let waits = StandingState::Waiting { eligible: Some(Time(10)) };
        let mut standings = vec![standing(0, None, runs)];
        standings.extend((1..=4).map(|task| standing(1, Some(task), waits.clone())));
        let moment = ClusterMoment {
            now: Micros::of_seconds(100),
            submissions: history.submissions.clone(),
            standings,
            ..ClusterMoment::default()
        };
        let interval = ShadowInterval { to: Time(220), tolerance: Seconds(60) };
        let site = ShadowSite::new(&two, &history);
        let found: Vec<(Option<u32>, ShadowVerdict)> = site
            .decisions(&moment, interval, &|_, _| true)
            .iter()
            .map(|one| (one.task, one.verdict))
            .collect();
        let same = ShadowVerdict::SameStart;
        assert_eq!(found, [(Some(1), same), (Some(2), same), (Some(3), ShadowVerdict::Waited)]);
        // Control: what is not to be judged is not.
        assert_eq!(site.decisions(&moment, interval, &|key, _| key != "array"), []);
    }
}
