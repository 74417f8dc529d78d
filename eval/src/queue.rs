//! The queue and the machine over time, as the step function it is.

use serde::Serialize;

use super::{Evaluation, Span};
use queuecast_core::units::Time;

/// What is so from `time` until the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct QueueStep {
    /// Since when.
    pub time: Time,
    /// Jobs submitted but not started.
    pub jobs_waiting: u64,
    /// Processors they ask for.
    pub procs_waiting: u64,
    /// Processors held by running jobs.
    pub procs_busy: u64,
}

/// The queue over time. Everything that happens at one instant is one step: a job that starts when it
/// arrives is never seen waiting, and consecutive steps always differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueSeries {
    /// First submission to last end of all jobs; `None` if there are no jobs.
    pub span: Option<Span>,
    /// In order of time. Before the first step, everything is 0; the last step returns to it.
    pub steps: Vec<QueueStep>,
}

/// Means weighted by time, and the extremes, over a span.
///
/// # Formula
/// mean = `Σ value · seconds it lasted inside the span / |span|`; `None` for a span of no length
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QueueSummary {
    /// Over what time; `None` if there are no jobs.
    pub span: Option<Span>,
    /// Jobs waiting, on average.
    pub mean_jobs_waiting: Option<f64>,
    /// Jobs waiting, at most.
    pub max_jobs_waiting: u64,
    /// Processors asked for by waiting jobs, on average.
    pub mean_procs_waiting: Option<f64>,
    /// Processors asked for by waiting jobs, at most.
    pub max_procs_waiting: u64,
    /// Processors busy, on average.
    pub mean_procs_busy: Option<f64>,
    /// Processors busy, at most.
    pub max_procs_busy: u64,
}

/// The means over one of several equally long parts of a span.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QueueBin {
    /// Where it begins, in seconds on the workload's clock; not always a whole number.
    pub from: f64,
    /// Where it ends.
    pub until: f64,
    /// Jobs waiting, on average.
    pub jobs_waiting: f64,
    /// Processors asked for by waiting jobs, on average.
    pub procs_waiting: f64,
    /// Processors busy, on average.
    pub procs_busy: f64,
}

impl Evaluation<'_> {
    /// The queue and the busy processors over time, of all jobs.
    pub fn queue(&self) -> QueueSeries {
        QueueSeries::of(self)
    }
}

impl QueueSeries {
    /// The jobs waiting over a span, by default its own, as steps: seconds since the span began, and the jobs from then on.
    pub fn jobs_waiting(&self, span: Option<Span>) -> Vec<(f64, f64)> {
        let Some(Span { from, until }) = span.or(self.span) else { return Vec::new() };
        let first = self.steps.partition_point(|step| step.time < from);
        let last = self.steps.partition_point(|step| step.time <= until);
        // The last step before the span says what the queue is when it begins.
        let before = first.checked_sub(1).map(|before| (0.0, self.steps[before].jobs_waiting as f64));
        let within = self.steps[first..last.max(first)].iter();
        let points = within.map(|step| ((step.time - from).0 as f64, step.jobs_waiting as f64));
        before.into_iter().chain(points).collect()
    }

    fn of(evaluation: &Evaluation<'_>) -> QueueSeries {
        let jobs = evaluation.workload().len();
        // Time, and the changes in jobs waiting, processors waiting and processors busy.
        let mut changes: Vec<(Time, [i64; 3])> = Vec::with_capacity(3 * jobs);
        for index in 0..jobs {
            let job = evaluation.measured(index);
            let (wanted, held) = (job.job.shape.procs, job.placement.procs(job.job));
            let (wanted, held) = (i64::from(wanted.0), i64::from(held.0));
            changes.push((job.job.submit, [1, wanted, 0]));
            changes.push((job.placement.start, [-1, -wanted, held]));
            changes.push((job.placement.end(), [0, 0, -held]));
        }
        changes.sort_unstable_by_key(|&(time, _)| time);

        let mut steps: Vec<QueueStep> = Vec::new();
        let mut level = [0_i64; 3];
        for instant in changes.chunk_by(|one, other| one.0 == other.0) {
            let before = level;
            for (_, change) in instant {
                for (level, change) in level.iter_mut().zip(change) {
                    *level += change;
                }
            }
            if level != before {
                // At the end of an instant nothing is negative: a job starts no earlier than it arrives and
                // ends no earlier than it starts.
                let [jobs_waiting, procs_waiting, procs_busy] = level.map(i64::unsigned_abs);
                steps.push(QueueStep { time: instant[0].0, jobs_waiting, procs_waiting, procs_busy });
            }
        }
        QueueSeries { span: evaluation.all().span(), steps }
    }

    /// Means and extremes over all the time there is.
    pub fn summary(&self) -> QueueSummary {
        self.summary_of(self.span)
    }

    /// Means and extremes over a span, such as that of a window.
    pub fn summary_over(&self, span: Span) -> QueueSummary {
        self.summary_of(Some(span))
    }

    fn summary_of(&self, span: Option<Span>) -> QueueSummary {
        let (mut sums, mut most) = ([0_i128; 3], [0_u64; 3]);
        let length = span.map_or(0, |span| span.length().0);
        for (from, until, levels) in span.into_iter().flat_map(|span| self.pieces(span)) {
            for ((sum, most), level) in sums.iter_mut().zip(&mut most).zip(levels) {
                *sum += i128::from(level) * i128::from((until - from).0);
                *most = level.max(*most);
            }
        }
        let mean = |sum: i128| (length > 0).then(|| sum as f64 / length as f64);
        QueueSummary {
            span,
            mean_jobs_waiting: mean(sums[0]),
            max_jobs_waiting: most[0],
            mean_procs_waiting: mean(sums[1]),
            max_procs_waiting: most[1],
            mean_procs_busy: mean(sums[2]),
            max_procs_busy: most[2],
        }
    }

    /// The whole series in `count` equally long parts, for plotting. Empty for no parts or no time.
    pub fn bins(&self, count: u32) -> Vec<QueueBin> {
        self.span.map_or_else(Vec::new, |span| self.bins_over(span, count))
    }

    /// A span in `count` equally long parts, each with its time-weighted means.
    ///
    /// # Formula
    /// part k is `[from + k · |span| / count, from + (k + 1) · |span| / count)`; the sums are exact
    pub fn bins_over(&self, span: Span, count: u32) -> Vec<QueueBin> {
        let length = i128::from(span.length().0);
        if length == 0 || count == 0 {
            return Vec::new();
        }
        // On a clock `count` times finer, the parts begin at multiples of `length`.
        let fine = i128::from(count);
        let mut sums = vec![[0_i128; 3]; count as usize];
        for (from, until, levels) in self.pieces(span) {
            let mut at = i128::from((from - span.from).0) * fine;
            let end = i128::from((until - span.from).0) * fine;
            while at < end {
                let part = at / length;
                let next = end.min((part + 1) * length);
                for (sum, level) in sums[part as usize].iter_mut().zip(levels) {
                    *sum = sum.saturating_add(i128::from(level).saturating_mul(next - at));
                }
                at = next;
            }
        }
        let edge = |part: usize| span.from.0 as f64 + part as f64 * length as f64 / f64::from(count);
        let bin = |(part, sums): (usize, [i128; 3])| {
            let [jobs_waiting, procs_waiting, procs_busy] = sums.map(|sum| sum as f64 / length as f64);
            QueueBin { from: edge(part), until: edge(part + 1), jobs_waiting, procs_waiting, procs_busy }
        };
        sums.into_iter().enumerate().map(bin).collect()
    }

    /// The constant pieces inside `span`: from, until, levels.
    fn pieces(&self, span: Span) -> impl Iterator<Item = (Time, Time, [u64; 3])> + '_ {
        let first = self.steps.partition_point(|step| step.time <= span.from).saturating_sub(1);
        let ends = self.steps.iter().skip(first + 1).map(|step| step.time).chain([Time::NEVER]);
        self.steps
            .iter()
            .skip(first)
            .zip(ends)
            .map(move |(step, end)| {
                let levels = [step.jobs_waiting, step.procs_waiting, step.procs_busy];
                (step.time.max(span.from), end.min(span.until), levels)
            })
            .take_while(move |&(from, _, _)| from < span.until)
    }
}
