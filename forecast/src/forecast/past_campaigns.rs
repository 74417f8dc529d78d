//! Campaigns of the past as they were forecast, and what became of them: they correct the forecast of the one asked about.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::past_queues::{CorrectedBy, PastQueues, PendingRange, QueueCorrection, widened};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job, JobIndex, UserId, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_wait::Calibration;

/// Jobs of one user that are submitted within this many seconds of the first are a campaign.
const TOGETHER: Seconds = Seconds(60);

/// Campaigns are alike in size within these classes: 2 to 3 jobs, 4 to 7, and so on; the last has no end.
pub(super) const CLASSES: usize = 6;

/// What is said of a campaign: when its first job starts, when half of its jobs have ended, when the last has.
pub(super) const MILESTONES: usize = 3;

/// Campaigns of the next class but one, or farther, tell too little: what is said by them is made wider.
const FAR: usize = 2;

/// The class of a campaign, by its number of jobs.
fn class_of(jobs: usize) -> usize {
    (jobs.max(2).ilog2() as usize - 1).min(CLASSES - 1)
}

/// The fewest and the most jobs of a class; the last has no most.
fn sizes_of(class: usize) -> (usize, Option<usize>) {
    (2 << class, (class + 1 < CLASSES).then(|| (4 << class) - 1))
}

/// How often the ranges of past campaigns held, each said with what was known then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CampaignRecord {
    /// The fewest jobs that these campaigns have.
    pub fewest: usize,
    /// The most; `None` for any number.
    pub most: Option<usize>,
    /// Campaigns whose last end is known, or later than was said.
    pub campaigns: usize,
    /// The share whose first job started within the 80 % range; `None` where past campaigns do not say when the first job starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_inside: Option<f64>,
    /// The share of which half had ended within theirs.
    pub half_inside: f64,
    /// The share whose last job ended within theirs.
    pub last_inside: f64,
    /// Whether its ranges were made wider since these are far smaller or larger than the campaign asked about.
    pub is_far: bool,
}

impl CampaignRecord {
    /// Below this share of ranges that held, they are not to be relied on.
    const RELIABLE: f64 = 0.65;

    /// Whether such ranges have held often enough.
    pub fn is_reliable(&self) -> bool {
        self.first_inside.unwrap_or(1.0).min(self.last_inside) >= CampaignRecord::RELIABLE
    }
}

/// What was said of a past campaign, and what came true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CampaignOutcome {
    /// How many jobs it has.
    pub jobs: usize,
    /// When its first job was submitted.
    pub asked: Time,
    /// What was said then of the first start, half of the ends, and the last one; `None` if it was in no simulation.
    pub said: [Option<PendingRange>; 3],
    /// What came true, in seconds from then.
    pub actual: [f64; 3],
}

/// The jobs of a log that were submitted together, by the first of each.
pub(super) type PastSets = BTreeMap<usize, Vec<usize>>;

/// The last campaigns of each class, at most `most`, all of whose jobs are submitted by a moment.
pub(super) fn past_sets(jobs: &[Job], until: Time, most: usize) -> PastSets {
    let mut open: BTreeMap<UserId, Vec<usize>> = BTreeMap::new();
    let mut classes: [Vec<Vec<usize>>; CLASSES] = Default::default();
    let mut close = |set: Vec<usize>| {
        if set.len() > 1 {
            classes[class_of(set.len())].push(set);
        }
    };
    for (number, job) in jobs.iter().enumerate().take_while(|(_, job)| job.submit <= until) {
        let Some(user) = job.user else { continue };
        let set = open.entry(user).or_default();
        if set.first().is_some_and(|&first| job.submit - jobs[first].submit > TOGETHER) {
            close(std::mem::take(set));
        }
        set.push(number);
    }
    let known = |set: &Vec<usize>| set.first().is_some_and(|&first| jobs[first].submit + TOGETHER <= until);
    open.into_values().filter(known).for_each(&mut close);
    let mut sets = PastSets::new();
    for mut class in classes {
        // Those that were open at the end came last, whenever they began.
        class.sort_unstable();
        let first = class.len().saturating_sub(most);
        class.into_iter().skip(first).for_each(|set| _ = sets.insert(set[0], set));
    }
    sets
}

/// A campaign that has not ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OpenCampaign {
    jobs: usize,
    asked: Time,
    said: [Option<PendingRange>; MILESTONES],
    actual: [f64; MILESTONES],
    has_started: bool,
    ended: usize,
}

/// Milestones of campaigns, each as the start of a job is in a queue.
type Milestones = [PastQueues; MILESTONES];

fn nothing_known() -> Milestones {
    [(); MILESTONES].map(|()| PastQueues::new(CorrectedBy::Nearest))
}

/// Campaigns that were asked about, and what became of them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PastCampaigns {
    classes: [Milestones; CLASSES],
    all: Milestones,
    open: BTreeMap<u32, OpenCampaign>,
    of_job: BTreeMap<JobIndex, u32>,
    next: u32,
}

/// What corrects a campaign.
pub(super) struct CampaignCorrection {
    milestones: [QueueCorrection; MILESTONES],
    /// What is known is of campaigns of quite another size.
    is_far: bool,
    /// How right such forecasts were.
    pub record: Option<CampaignRecord>,
}

impl CampaignCorrection {
    /// A milestone by its simulated times, corrected; `None` without any.
    pub fn corrected(
        &self,
        milestone: usize,
        times: &[Seconds],
        (procs, request): (Procs, Seconds),
    ) -> Option<Distribution> {
        let corrected = self.milestones[milestone].corrected(times, procs, request)?;
        Some(if self.is_far { widened(&corrected) } else { corrected })
    }
}

impl PastCampaigns {
    /// Nothing is known.
    pub fn new() -> PastCampaigns {
        PastCampaigns {
            classes: [(); CLASSES].map(|()| nothing_known()),
            all: nothing_known(),
            open: BTreeMap::new(),
            of_job: BTreeMap::new(),
            next: 0,
        }
    }

    /// What past campaigns teach about one of this size: those of its class, else of the nearest class of which enough is known, else
    /// all; with too few in any case, errors are assumed beside those known.
    pub fn correction(&self, jobs: usize, now: Time) -> CampaignCorrection {
        let own = class_of(jobs);
        let mut near: Vec<usize> = (0..CLASSES).collect();
        // Stable: of two as near, the smaller campaigns.
        near.sort_by_key(|class| class.abs_diff(own));
        let found = near.into_iter().find_map(|class| {
            let record = record(&self.classes[class], sizes_of(class), now)?;
            Some((&self.classes[class], class.abs_diff(own), record))
        });
        let whole = || Some((&self.all, FAR, record(&self.all, (2, None), now)?));
        match found.or_else(whole) {
            Some((milestones, distance, record)) => {
                let is_far = distance >= FAR;
                CampaignCorrection {
                    milestones: milestones.each_ref().map(|past| past.correction(now)),
                    is_far,
                    record: Some(CampaignRecord { is_far, ..record }),
                }
            }
            None => CampaignCorrection {
                milestones: self.all.each_ref().map(|past| past.correction_by(CorrectedBy::Errors, now)),
                is_far: false,
                record: None,
            },
        }
    }

    /// A campaign is submitted: these are its jobs, the times of each milestone in simulations, and what is said of each, by this correction.
    /// Corrections are learned from the simulations alone.
    pub fn said(
        &mut self,
        (members, now): (&[JobIndex], Time),
        times: &[Vec<Seconds>; MILESTONES],
        size: (Procs, Seconds),
        (correction, said): (&CampaignCorrection, [Option<PendingRange>; MILESTONES]),
    ) {
        let (number, jobs) = (self.next, members.len());
        self.next += 1;
        let index = JobIndex(number);
        let class = class_of(jobs);
        for (milestone, times) in times.iter().enumerate() {
            let by = &correction.milestones[milestone];
            let told = || correction.corrected(milestone, times, size);
            self.classes[class][milestone].said_as((index, now), times, size, (by, told()));
            self.all[milestone].said_as((index, now), times, size, (by, told()));
        }
        members.iter().for_each(|&job| _ = self.of_job.insert(job, number));
        self.open.insert(
            number,
            OpenCampaign { jobs, asked: now, said, actual: [0.0; MILESTONES], has_started: false, ended: 0 },
        );
    }

    /// Learns from an event; the outcome of the campaign that it ends.
    pub fn observe(&mut self, event: &Event<'_>) -> Option<CampaignOutcome> {
        let number = match event.what {
            What::Started(_) => self.of_job.get(&event.job.index).copied()?,
            What::Ended(_) | What::Withdrawn => self.of_job.remove(&event.job.index)?,
            What::Arrived | What::Overran { .. } => return None,
        };
        let open = self.open.get_mut(&number)?;
        let reached = match event.what {
            What::Started(_) if !open.has_started => {
                open.has_started = true;
                vec![0]
            }
            What::Ended(_) => {
                open.ended += 1;
                let half = (open.ended == open.jobs.div_ceil(2)).then_some(1);
                half.into_iter().chain((open.ended == open.jobs).then_some(2)).collect()
            }
            // Of a campaign of which a job never runs, when it ends is not known.
            What::Withdrawn => {
                let class = class_of(open.jobs);
                self.open.remove(&number);
                for past in self.classes[class].iter_mut().chain(&mut self.all) {
                    past.left(JobIndex(number));
                }
                return None;
            }
            _ => return None,
        };
        let class = class_of(open.jobs);
        for milestone in reached {
            open.actual[milestone] = (event.at - open.asked).0.max(0) as f64;
            self.classes[class][milestone].started(JobIndex(number), event.at);
            self.all[milestone].started(JobIndex(number), event.at);
        }
        let is_over = open.ended == open.jobs;
        let open = if is_over { self.open.remove(&number)? } else { return None };
        let OpenCampaign { jobs, asked, said, actual, .. } = open;
        Some(CampaignOutcome { jobs, asked, said, actual })
    }
}

/// How right forecasts of these campaigns were; `None` with too few.
fn record(
    milestones: &Milestones,
    (fewest, most): (usize, Option<usize>),
    now: Time,
) -> Option<CampaignRecord> {
    let [first, half, last] = milestones.each_ref().map(|past| past.record(now));
    let (first, half, last) = (first?, half?, last?);
    (last.answers >= Calibration::FEWEST).then_some(CampaignRecord {
        fewest,
        most,
        campaigns: last.answers,
        first_inside: Some(first.inside),
        half_inside: half.inside,
        last_inside: last.inside,
        is_far: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_double() {
        let classes: Vec<usize> = [1, 2, 3, 4, 7, 8, 31, 32, 63, 64, 100_000].map(class_of).to_vec();
        assert_eq!(classes, [0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 5]);
        assert_eq!((sizes_of(0), sizes_of(1), sizes_of(5)), ((2, Some(3)), (4, Some(7)), (64, None)));
    }

    #[test]
    fn jobs_of_a_user_within_a_minute_are_a_campaign() {
        let job = |user: u32, submit: i64| {
            let job = Job::rigid(1, Time(submit), Procs(1), None);
            Job { user: UserId::new(user), ..job }
        };
        let jobs = [job(1, 0), job(2, 5), job(1, 10), job(1, 60), job(1, 61), job(2, 70), job(1, 100)];
        let sets: Vec<Vec<usize>> = past_sets(&jobs, Time(1000), 10).into_values().collect();
        assert_eq!(sets, [vec![0, 2, 3], vec![4, 6]]);
        // More may still come of the second.
        let sets: Vec<Vec<usize>> = past_sets(&jobs, Time(110), 10).into_values().collect();
        assert_eq!(sets, [vec![0, 2, 3]]);
        let last: Vec<usize> = past_sets(&jobs, Time(1000), 1).into_keys().collect();
        assert_eq!(last, [4]);
    }
}
