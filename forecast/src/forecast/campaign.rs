//! Several jobs asked about together: when the first of them starts and the last one ends, jointly simulated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::anchored::FirstJob;
use super::answer::{WhenError, WhenSettings};
use super::campaign_jobs::{Campaign, CampaignJob, CampaignMember};
use super::past_campaigns::{
    CampaignCorrection, CampaignOutcome, CampaignRecord, MILESTONES, PastCampaigns, PastSets, past_sets,
};
use super::past_queues::PendingRange;
use super::pending::SEED;
use super::starts::{LearnedSite, QueueOrder, seconds_until};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::order;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::site::{Replay, Site, Step, View};

/// Simulations of an answer.
const DRAWS: u32 = 200;

/// Simulations of an answer about a past campaign, which is only judged.
const PAST_DRAWS: u32 = 40;

/// Past campaigns of each class of sizes that are asked about too, at most: the last ones.
const PAST_CAMPAIGNS: usize = 120;

/// The start and end of each job in one simulation.
type SimulatedJobs = Vec<(Time, Time)>;

/// When a job of a campaign starts and ends, as simulated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MemberTimes {
    /// In seconds from now; `None` if it started in no simulation.
    pub start: Option<PendingRange>,
    /// See `start`.
    pub end: Option<PendingRange>,
}

/// When the jobs of a campaign start and end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignForecast {
    /// When the first job starts, in seconds from now; `None` if none started in any simulation. Where it is known how long the first job
    /// would wait alone, that is when it starts, unless another one starts before it.
    pub first_start: Option<PendingRange>,
    /// When half of the jobs have ended.
    pub half_ended: Option<PendingRange>,
    /// When the last job ends.
    pub last_end: Option<PendingRange>,
    /// The share of simulations in which some job never started.
    pub never: f64,
    /// The most jobs that run at once: one in ten times fewer, even odds, one in ten times more.
    pub at_once: [u32; 3],
    /// Simulations.
    pub draws: u32,
    /// How often such ranges held for past campaigns; `None` if too few outcomes are known.
    pub record: Option<CampaignRecord>,
    /// Each job in the order of the campaign, as simulated: not corrected by the past, but moved with the first job where it is known how
    /// long that would wait alone.
    pub jobs: Vec<MemberTimes>,
    /// Jobs that wait at the site, those of the campaign left out.
    pub waiting: usize,
    /// Processors that no job holds.
    pub free: Procs,
    /// Processors in service.
    pub procs: Procs,
}

/// Learns how a site goes on, and how right such forecasts of campaigns were; says when the jobs of a campaign start and end.
#[derive(Debug, Serialize, Deserialize)]
pub struct CampaignForecaster {
    learned: LearnedSite,
    past: PastCampaigns,
}

impl CampaignForecaster {
    /// Learns the schedule that a log records up to the end of a second, and returns the site as it is then. `done` is told of each past
    /// campaign that was asked about, of [`CampaignForecaster::steps`].
    pub fn of_log(
        history: &Workload,
        until: Time,
        settings: &WhenSettings,
        done: &(dyn Fn(usize) + Sync),
    ) -> (CampaignForecaster, Site) {
        let (most, firsts) = (PAST_CAMPAIGNS, BTreeMap::new());
        CampaignForecaster::judged((history, until), settings, (most, &firsts), done, &mut |_| {})
    }

    /// As [`CampaignForecaster::of_log`], with `most` campaigns of each class of sizes, and how long the first jobs of some would have waited
    /// alone, as it was known when they were submitted; `judge` is told what became of each.
    pub fn judged(
        (history, until): (&Workload, Time),
        settings: &WhenSettings,
        (most, firsts): (usize, &BTreeMap<JobIndex, Distribution>),
        done: &(dyn Fn(usize) + Sync),
        judge: &mut dyn FnMut(CampaignOutcome),
    ) -> (CampaignForecaster, Site) {
        let learned = LearnedSite::new(&settings.predictor, settings.default_request);
        let mut forecaster = CampaignForecaster { learned, past: PastCampaigns::new() };
        let mut replay = Replay::recorded(history, settings.default_request);
        let jobs = replay.timeline().jobs(history);
        let sets = past_sets(&jobs, until, most);
        while let Some(next) = replay.peek().filter(|next| next.at <= until) {
            if next.step == Step::Submitted
                && let Some(set) = sets.get(&next.job.at())
            {
                let largest = set.iter().map(|&number| jobs[number].shape.procs).max();
                replay.admit(largest.unwrap_or(Procs(1)));
                let members: Vec<&Job> = set.iter().map(|&number| &jobs[number]).collect();
                forecaster.ask(replay.site().view(next.at), &members, firsts.get(&next.job));
                done(1);
            }
            let Some(event) = replay.step() else { break };
            forecaster.learned.observe(&event);
            if let Some(outcome) = forecaster.past.observe(&event) {
                judge(outcome);
            }
        }
        (forecaster, replay.site().clone())
    }

    /// The first job of each campaign that [`CampaignForecaster::judged`] asks about, by its number.
    pub fn firsts(history: &Workload, until: Time, settings: &WhenSettings, most: usize) -> Vec<JobIndex> {
        let replay = Replay::recorded(history, settings.default_request);
        let jobs = replay.timeline().jobs(history);
        past_sets(&jobs, until, most).into_keys().map(|first| JobIndex(first as u32)).collect()
    }

    /// How many past campaigns of a log are asked about.
    pub fn steps(history: &Workload, until: Time) -> usize {
        let sets: PastSets = past_sets(history.jobs(), until, PAST_CAMPAIGNS);
        sets.len()
    }

    /// What is learned of the site.
    pub(super) fn learned(&self) -> &LearnedSite {
        &self.learned
    }

    /// Asks about a past campaign just before its first job is submitted.
    fn ask(&mut self, site: View<'_>, members: &[&Job], first: Option<&Distribution>) {
        let now = site.now();
        let one = |job: &&Job| CampaignJob {
            member: CampaignMember::New(Job::clone(job)),
            after: Vec::new(),
            array: None,
        };
        let campaign = Campaign { jobs: members.iter().map(one).collect(), ..Campaign::default() };
        let seed = SEED.named(&format!("campaign at {now}"));
        let drawn = self.learned.campaign_draws(site, &campaign, QueueOrder::Learned, (PAST_DRAWS, seed));
        let size = self.size(members.iter().copied());
        let first = first.map(|wait| FirstJob { place: 0, wait: wait.clone() });
        let correction = self.past.correction(members.len(), now);
        let drawn = DrawnCampaign { campaign: &campaign, drawn: &drawn, now, first: first.as_ref(), size };
        let indices: Vec<JobIndex> = members.iter().map(|job| job.index).collect();
        let times = milestones(drawn.drawn, now);
        let said = drawn.said(&times, &correction).milestones();
        self.past.said((&indices, now), &times, size, (&correction, said));
    }

    /// All processors of some jobs, and the longest time that one of them asks for.
    fn size<'j>(&self, jobs: impl Iterator<Item = &'j Job>) -> (Procs, Seconds) {
        let (mut procs, mut longest) = (0_u32, Seconds(1));
        for job in jobs {
            procs = procs.saturating_add(job.shape.procs.0);
            longest = longest.max(self.learned.requested(job));
        }
        (Procs(procs), longest)
    }

    /// When the jobs of a campaign start and end at a site, each no sooner than now. `first` is how long one of them would wait alone: an
    /// answer about that job by itself, of which the campaign's must not differ.
    ///
    /// # Errors
    /// If a job is larger than the machine.
    pub fn forecast(
        &self,
        site: &Site,
        now: Time,
        order: QueueOrder,
        campaign: &Campaign,
        first: Option<&FirstJob>,
    ) -> Result<CampaignForecast, WhenError> {
        let view = site.view(now);
        let jobs: Vec<&Job> = campaign
            .jobs
            .iter()
            .filter_map(|one| match &one.member {
                CampaignMember::New(job) => Some(job),
                CampaignMember::Waiting(index) => site.job(*index),
            })
            .collect();
        if let Some(job) = jobs.iter().find(|job| job.shape.procs > view.machine()) {
            return Err(WhenError::TooLarge { procs: job.shape.procs, machine: view.machine() });
        }
        let drawn = self.learned.campaign_draws(view, campaign, order, (DRAWS, SEED));
        let all = DrawnCampaign { campaign, drawn: &drawn, now, first, size: self.size(jobs.into_iter()) };
        let own = campaign.jobs.iter().filter(|one| matches!(one.member, CampaignMember::Waiting(_)));
        Ok(CampaignForecast {
            waiting: view.waiting().count() - own.count(),
            free: view.free(),
            procs: view.machine(),
            ..all.forecast(&self.past)
        })
    }
}

impl CampaignForecast {
    /// With the starts that are said elsewhere of its jobs one by one, where they are: no answer differs from another about the same job. Ends
    /// move with starts; the first start is that of the job which starts first, and what nothing is said of moves with that.
    #[must_use]
    pub fn with_starts(mut self, said: &[Option<PendingRange>]) -> CampaignForecast {
        let told = self.jobs.iter().zip(said).filter_map(|(job, said)| Some((job.start?, (*said)?)));
        let first = told.min_by(|(_, one), (_, other)| {
            one.median.total_cmp(&other.median).then(one.low.total_cmp(&other.low))
        });
        let Some((was, first)) = first else { return self };
        for (job, said) in self.jobs.iter_mut().zip(said) {
            let (was, is) = match (job.start, said) {
                (Some(was), Some(said)) => (was, *said),
                _ => (was, first),
            };
            job.start = job.start.map(|start| said.unwrap_or(moved(start, &was, &is)));
            job.end = job.end.map(|end| moved(end, &was, &is));
        }
        self.first_start = Some(first);
        self.half_ended = self.half_ended.map(|half| moved(half, &was, &first));
        self.last_end = later_by(self.last_end.map(|last| moved(last, &was, &first)), self.half_ended, 0.0);
        // No job ends after the last end.
        for end in self.jobs.iter().filter_map(|job| job.end) {
            self.last_end = later_by(self.last_end, Some(end), 0.0);
        }
        self.record = self.record.map(|record| CampaignRecord { first_inside: None, ..record });
        self
    }
}

impl MemberTimes {
    /// It ends no later than the last one, and starts no later than it ends, unless its start is told.
    fn end_by(&mut self, last: &PendingRange, is_told: bool) {
        self.end = self.end.map(|end| no_later(end, last));
        if let (Some(start), Some(end), false) = (self.start, &self.end, is_told) {
            self.start = Some(no_later(start, end));
        }
    }
}

/// What is said of a campaign: its milestones and its jobs.
struct SaidCampaign {
    first_start: Option<PendingRange>,
    /// Whether past campaigns tell the first start, and not what is said of the first job alone.
    by_past: bool,
    half_ended: Option<PendingRange>,
    last_end: Option<PendingRange>,
    members: Vec<MemberTimes>,
}

impl SaidCampaign {
    fn milestones(&self) -> [Option<PendingRange>; MILESTONES] {
        [self.first_start, self.half_ended, self.last_end]
    }
}

/// A campaign, and how it goes in simulations.
pub(super) struct DrawnCampaign<'a> {
    pub campaign: &'a Campaign,
    /// The start and end of each of its jobs, simulation by simulation.
    pub drawn: &'a [SimulatedJobs],
    pub now: Time,
    /// How long one of them would wait alone, where that is known.
    pub first: Option<&'a FirstJob>,
    /// All processors of the jobs, and the longest time that one of them asks for.
    pub size: (Procs, Seconds),
}

impl DrawnCampaign<'_> {
    /// When its jobs start and end, corrected by past campaigns. Of the site nothing is said.
    pub fn forecast(&self, past: &PastCampaigns) -> CampaignForecast {
        let DrawnCampaign { campaign, drawn, now, .. } = *self;
        let correction = past.correction(campaign.jobs.len(), now);
        let said = self.said(&milestones(drawn, now), &correction);
        let SaidCampaign { first_start, by_past, half_ended, last_end, members } = said;
        let is_whole = |draw: &&SimulatedJobs| draw.iter().all(|one| one.0 != Time::NEVER);
        let whole = drawn.iter().filter(is_whole).count();
        CampaignForecast {
            first_start,
            half_ended,
            last_end,
            never: 1.0 - whole as f64 / drawn.len().max(1) as f64,
            at_once: at_once(drawn),
            draws: drawn.len() as u32,
            record: correction.record.map(|record| CampaignRecord {
                first_inside: record.first_inside.filter(|_| by_past),
                ..record
            }),
            jobs: members,
            waiting: 0,
            free: Procs(0),
            procs: Procs(0),
        }
    }

    /// What is said of its milestones and of each of its jobs. Milestones, by their times in simulations as they were, are corrected by past campaigns one by one; each is then, at even odds
    /// and at the latest, as much later than the one before it as in nine of ten simulations, or more; no job ends after the last end.
    fn said(&self, times: &[Vec<Seconds>; MILESTONES], correction: &CampaignCorrection) -> SaidCampaign {
        let DrawnCampaign { campaign, drawn, now, first, size } = *self;
        let moved = first.map(|first| first.anchored(drawn, campaign, now));
        let shown = moved.as_deref().unwrap_or(drawn);
        let corrected = |milestone: usize| {
            correction.corrected(milestone, &times[milestone], size).map(|time| PendingRange::of(&time))
        };
        let told = first.and_then(|first| first_start(first, drawn, shown, now));
        let by_past = told.is_none();
        let first_start = told.or_else(|| corrected(0));
        let each: Vec<[Option<Seconds>; MILESTONES]> =
            shown.iter().map(|draw| milestones_in(draw).map(|at| seconds_until(at, now))).collect();
        let apart = |one: usize, other: usize| least_apart(&each, one, other);
        let half_ended = later_by(corrected(1), first_start, apart(0, 1));
        let last_end = later_by(corrected(2), half_ended, apart(1, 2));
        // A job whose start is told may not be the first to start.
        let last_end = later_by(last_end, first.map(FirstJob::start), 0.0);
        let mut members: Vec<MemberTimes> = (0..campaign.jobs.len())
            .map(|place| MemberTimes {
                start: match first.filter(|first| first.place == place) {
                    Some(first) => Some(first.start()),
                    None => range(shown.iter().map(|draw| draw[place].0), now),
                },
                end: range(shown.iter().map(|draw| draw[place].1), now),
            })
            .collect();
        if let Some(last) = last_end {
            for (place, one) in members.iter_mut().enumerate() {
                one.end_by(&last, first.is_some_and(|first| first.place == place));
            }
        }
        SaidCampaign { first_start, by_past, half_ended, last_end, members }
    }
}

/// When the first job of a campaign starts, if it is known how long one of them would wait alone; `None` if none starts in a simulation.
fn first_start(
    first: &FirstJob,
    drawn: &[SimulatedJobs],
    moved: &[SimulatedJobs],
    now: Time,
) -> Option<PendingRange> {
    if first.is_first_in_all(drawn) {
        return Some(first.start());
    }
    range(moved.iter().map(|draw| draw.iter().map(|one| one.0).min().unwrap_or(Time::NEVER)), now)
}

/// The first start, half of the ends and the last one in each simulation that has it, in seconds from now.
fn milestones(drawn: &[SimulatedJobs], now: Time) -> [Vec<Seconds>; MILESTONES] {
    let mut found = [const { Vec::new() }; MILESTONES];
    for draw in drawn {
        for (times, at) in found.iter_mut().zip(milestones_in(draw)) {
            times.extend(seconds_until(at, now));
        }
    }
    found
}

/// When one simulation comes to each milestone.
fn milestones_in(draw: &[(Time, Time)]) -> [Time; MILESTONES] {
    let mut ends: Vec<Time> = draw.iter().map(|one| one.1).collect();
    ends.sort_unstable();
    let first = draw.iter().map(|one| one.0).min().unwrap_or(Time::NEVER);
    let half = ends.get(ends.len().div_ceil(2).saturating_sub(1)).copied().unwrap_or(Time::NEVER);
    [first, half, ends.last().copied().unwrap_or(Time::NEVER)]
}

/// The seconds between two milestones that one in ten simulations has at most; 0 if none comes to both.
fn least_apart(each: &[[Option<Seconds>; MILESTONES]], one: usize, other: usize) -> f64 {
    let mut apart: Vec<f64> = each.iter().filter_map(|at| Some((at[other]?.0 - at[one]?.0) as f64)).collect();
    order::sort_floats(&mut apart);
    apart.get(apart.len() / 10).copied().unwrap_or(0.0)
}

/// The range of some times as they were simulated.
fn range(times: impl Iterator<Item = Time>, now: Time) -> Option<PendingRange> {
    let mut seconds: Vec<f64> =
        times.filter_map(|at| seconds_until(at, now)).map(|seconds| seconds.0 as f64).collect();
    order::sort_floats(&mut seconds);
    Distribution::observed(seconds.into(), 1.0).map(|time| PendingRange::of(&time))
}

/// A range that is as much later as another one has become, part by part, and not sooner than that.
fn moved(range: PendingRange, was: &PendingRange, is: &PendingRange) -> PendingRange {
    let by = |of: fn(&PendingRange) -> f64| (of(&range) + of(is) - of(was)).max(of(is));
    let (p10, low) = (by(|one| one.p10), by(|one| one.low));
    let median = by(|one| one.median).max(p10).max(low);
    PendingRange {
        p10,
        median,
        p90: by(|one| one.p90).max(median),
        low,
        high: by(|one| one.high).max(median),
    }
}

/// A range of which no part is later than that of another.
fn no_later(range: PendingRange, than: &PendingRange) -> PendingRange {
    PendingRange {
        p10: range.p10.min(than.p10),
        median: range.median.min(than.median),
        p90: range.p90.min(than.p90),
        low: range.low.min(than.low),
        high: range.high.min(than.high),
    }
}

/// A range of which no part is sooner than that of another, and its median and what is later are later by some seconds or more.
fn later_by(range: Option<PendingRange>, than: Option<PendingRange>, seconds: f64) -> Option<PendingRange> {
    let (range, Some(than)) = (range?, than) else { return range };
    Some(PendingRange {
        p10: range.p10.max(than.p10),
        median: range.median.max(than.median + seconds),
        p90: range.p90.max(than.p90 + seconds),
        low: range.low.max(than.low),
        high: range.high.max(than.high + seconds),
    })
}

/// The most jobs that run at once, over simulations: one in ten times fewer, even odds, one in ten times more.
fn at_once(drawn: &[SimulatedJobs]) -> [u32; 3] {
    let mut most: Vec<u32> = drawn.iter().map(|draw| most_at_once(draw)).collect();
    most.sort_unstable();
    let at = |level: f64| {
        let place = (level * most.len() as f64) as usize;
        most.get(place.min(most.len().saturating_sub(1))).copied().unwrap_or(0)
    };
    [at(0.1), at(0.5), at(0.9)]
}

fn most_at_once(draw: &[(Time, Time)]) -> u32 {
    let known = draw.iter().filter(|one| one.0 != Time::NEVER);
    // Ends before starts of the same second.
    let mut steps: Vec<(Time, bool)> = known.flat_map(|one| [(one.0, true), (one.1, false)]).collect();
    steps.sort_unstable();
    let (mut run, mut most) = (0_u32, 0);
    for (_, starts) in steps {
        run = if starts { run + 1 } else { run - 1 };
        most = most.max(run);
    }
    most
}
