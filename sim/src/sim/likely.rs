//! Backfilling on distributions: a job passes the one at the head if it is likely to end in time.

use std::cmp::Ordering;

use super::plain::reason_of;
use super::policy::{Policy, Start};
use crate::site::View;
use crate::site::running::PlannedEnd;
use queuecast_core::job::JobIndex;
use queuecast_core::spec::{Form, SettingKey, Settings, SpecError, Written, written_duration};
use queuecast_core::units::{Seconds, Time};

/// How likely is likely, and how long jobs that are not short have to wait.
///
/// The queue is ordered by expected run time, which shrinks as a job waits; jobs that have waited for longer than
/// [`patience`](Likely::patience) come before all others, in order of arrival. The first that does not fit gets a reservation: the
/// time at which enough processors are free at the latest, by the requested times of running jobs. A job behind it starts if it
/// ends before that time with a probability of at least [`confidence`](Likely::confidence), or uses only processors that the
/// reservation leaves free. If the first has waited for longer than the patience, a job passes it only if it must end in time, by
/// its requested time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likely {
    /// The least probability of ending before the reservation, 0 to 1.
    pub confidence: f64,
    /// A job that has waited for this time counts as half as long as it is expected to run, after twice this time as a third.
    pub ageing: Seconds,
    /// Longer than this no job waits behind jobs that came later, other than those that do not delay it.
    pub patience: Seconds,
}

impl Default for Likely {
    fn default() -> Likely {
        Likely { confidence: 0.5, ageing: Seconds(12 * HOUR), patience: Seconds(96 * HOUR) }
    }
}

const HOUR: i64 = 3_600;

/// The longest ageing and patience: a hundred years.
const LONGEST: i64 = 36_525 * 24 * HOUR;

const KEYS: &[SettingKey] = &[
    SettingKey::new("confidence", "CONFIDENCE"),
    SettingKey::new("ageing", "TIME"),
    SettingKey::new("patience", "TIME"),
];

impl Likely {
    pub(super) const NAME: &'static str = "likely";

    pub(super) fn form() -> Form {
        let meaning = "shortest expected first; jobs likely to end in time pass the first in the queue";
        Form { keys: KEYS, example: "likely:confidence=0.8,patience=3d", ..Form::new(Likely::NAME, meaning) }
    }

    pub(super) fn read(settings: &Settings<'_>) -> Result<Likely, SpecError> {
        let mut likely = Likely::default();
        settings.set("confidence", &mut likely.confidence, |value| value.number(0.0..=1.0))?;
        settings.set("ageing", &mut likely.ageing, |value| value.duration(LONGEST))?;
        settings.set("patience", &mut likely.patience, |value| value.duration(LONGEST))?;
        Ok(likely)
    }

    pub(super) fn written(&self) -> Written {
        let default = Likely::default();
        Written::new(Likely::NAME)
            .setting("confidence", self.confidence, default.confidence)
            .setting("ageing", written_duration(self.ageing), written_duration(default.ageing))
            .setting("patience", written_duration(self.patience), written_duration(default.patience))
    }

    /// Whether a job submitted then has waited for longer than the patience.
    pub(super) fn is_due(&self, submit: Time, now: Time) -> bool {
        now - submit > self.patience
    }
}

/// A waiting job as the planner needs it.
#[derive(Debug, Clone, Copy)]
struct Contender {
    job: JobIndex,
    due: bool,
    /// Expected run time, and the ageing plus what it has waited: their quotient is what jobs are ordered by.
    expected: i128,
    aged: i128,
    procs: i64,
}

impl Contender {
    /// Due jobs by arrival, then the others by aged length, exactly: a / b < c / d where a · d < c · b.
    fn turn(&self, other: &Contender) -> Ordering {
        let by_length = || match self.due {
            true => Ordering::Equal,
            false => (self.expected * other.aged).cmp(&(other.expected * self.aged)),
        };
        other.due.cmp(&self.due).then_with(by_length).then(self.job.cmp(&other.job))
    }
}

/// One pass over the queue per plan, which ends early where no job fits; only jobs that fit are put in order.
#[derive(Debug, Clone)]
pub(super) struct LikelyPlanner {
    likely: Likely,
    contenders: Vec<Contender>,
    started: Vec<PlannedEnd>,
}

impl LikelyPlanner {
    pub fn new(likely: Likely) -> LikelyPlanner {
        LikelyPlanner { likely, contenders: Vec::new(), started: Vec::new() }
    }

    fn contender(&self, view: &View<'_>, job: JobIndex) -> Contender {
        let row = view.row(job);
        let waited = view.now.saturating_sub(row.submit);
        Contender {
            job,
            due: self.likely.is_due(Time(row.submit), view.now()),
            expected: i128::from(row.predicted),
            aged: i128::from(self.likely.ageing.0) + i128::from(waited),
            procs: i64::from(row.procs),
        }
    }

    /// The waiting jobs, unless none of them fits.
    fn gather(&mut self, view: &View<'_>) {
        self.contenders.clear();
        let (mut next, mut fewest) = (view.head(), i64::MAX);
        while let Some(job) = next {
            fewest = fewest.min(i64::from(view.row(job).procs));
            if fewest <= view.free {
                break;
            }
            next = view.after(job);
        }
        if fewest > view.free {
            return;
        }
        next = view.head();
        while let Some(job) = next {
            let contender = self.contender(view, job);
            self.contenders.push(contender);
            next = view.after(job);
        }
    }

    /// Starts jobs in their turn while they fit; the first that does not.
    fn start_heads(&mut self, view: &View<'_>, free: &mut i64, starts: &mut Vec<Start>) -> Option<Contender> {
        self.started.clear();
        loop {
            let first = |one: &usize, other: &usize| self.contenders[*one].turn(&self.contenders[*other]);
            let place = (0..self.contenders.len()).min_by(first)?;
            let head = self.contenders.swap_remove(place);
            if head.procs > *free {
                return Some(head);
            }
            *free -= head.procs;
            let row = view.row(head.job);
            let end = view.now.saturating_add(row.planned);
            self.started.push(PlannedEnd { end, job: head.job, procs: row.procs });
            let reason = reason_of(row.submit == view.now, view.now(), Seconds(row.planned), None);
            starts.push(Start::preferred(head.job, reason));
        }
    }
}

impl Policy for LikelyPlanner {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        self.gather(view);
        let mut free = view.free;
        let Some(head) = self.start_heads(view, &mut free, starts) else { return };
        self.contenders.retain(|one| one.procs <= free);
        if self.contenders.is_empty() {
            return;
        }
        self.started.sort_unstable_by_key(|entry| entry.end);
        // A job larger than what is in service can never start; nothing passes it until processors come back.
        let Some(shadow) = view.shadow(free, view.row(head.job).procs, &self.started) else { return };
        let (window, mut extra) = (shadow.at - view.now, shadow.extra);
        self.contenders.sort_unstable_by(Contender::turn);
        for one in &self.contenders {
            let row = view.row(one.job);
            let length = if head.due { row.planned } else { row.bound };
            let in_time = length <= window;
            if one.procs > free || !(in_time || one.procs <= extra) {
                continue;
            }
            free -= one.procs;
            if !in_time {
                extra -= one.procs;
            }
            let reason = reason_of(false, view.now(), Seconds(length), Some(Time(shadow.at)));
            starts.push(Start::preferred(one.job, reason));
        }
    }

    fn confidence(&self) -> Option<f64> {
        Some(self.likely.confidence)
    }
}
