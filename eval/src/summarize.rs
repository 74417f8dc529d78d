//! From jobs to the numbers of the catalogue.

use super::{Measured, Selection, Span, Spread, Summary};
use queuecast_sim::sim::{Backfilled, Reason};

/// Everything that adds up, in integers: the order of the jobs cannot matter. Sums saturate instead of
/// overflowing, which takes more than 10³⁸.
#[derive(Default)]
struct Totals {
    ran: i128,
    area: i128,
    area_response: i128,
    priority_response: i128,
    priority_area: i128,
    absolute_error: i128,
    immediate: usize,
    reserved: usize,
    in_time: usize,
    in_space: usize,
    killed: usize,
    corrections: u64,
    revisions: u64,
    corrected: usize,
    underpredicted: usize,
    within_factor_two: usize,
}

impl Totals {
    fn add(&mut self, job: Measured<'_>, priority: u32) {
        let (placement, outcome) = (job.placement, job.outcome());
        let (response, area) = (i128::from(outcome.response().0), outcome.area());
        let priority = i128::from(priority);
        self.ran += i128::from(placement.ran.0);
        self.area = self.area.saturating_add(area);
        self.area_response = self.area_response.saturating_add(area.saturating_mul(response));
        let weighed = (priority * i128::from(outcome.procs.0)).saturating_mul(response);
        self.priority_response = self.priority_response.saturating_add(weighed);
        self.priority_area = self.priority_area.saturating_add(priority.saturating_mul(area));
        self.absolute_error += i128::from(job.absolute_error().0);
        match placement.reason {
            Reason::Immediate => self.immediate += 1,
            Reason::Reserved => self.reserved += 1,
            Reason::Backfilled(Backfilled::InTime) => self.in_time += 1,
            Reason::Backfilled(Backfilled::InSpace) => self.in_space += 1,
        }
        self.killed += usize::from(placement.killed);
        self.corrections += u64::from(placement.corrections);
        self.revisions += u64::from(placement.revisions);
        self.corrected += usize::from(placement.corrections > 0);
        self.underpredicted += usize::from(placement.predicted < placement.ran);
        self.within_factor_two += usize::from(job.within_factor_two());
    }
}

impl Selection<'_> {
    /// Every metric over the counted jobs.
    pub fn summary(&self) -> Summary {
        let all: Vec<usize> = (0..self.evaluation().workload().len()).collect();
        summarize(self, self.span(), &all)
    }
}

/// `None` for a denominator of zero.
fn ratio(numerator: i128, denominator: i128) -> Option<f64> {
    (denominator != 0).then(|| numerator as f64 / denominator as f64)
}

/// Every metric over those of `members` that the selection counts. `members` ascends; those not counted
/// appear among the excluded, and in the utilization of `span`, which is that of the whole window.
pub(super) fn summarize(selection: &Selection<'_>, span: Option<Span>, members: &[usize]) -> Summary {
    let evaluation = selection.evaluation();
    let window = selection.counted();
    let counted = &members[members.partition_point(|&index| index < window.start)..];
    let counted = &counted[..counted.partition_point(|&index| index < window.end)];
    let jobs = || counted.iter().map(|&index| evaluation.measured(index));

    let mut totals = Totals::default();
    for (&index, job) in counted.iter().zip(jobs()) {
        totals.add(job, evaluation.priority(index));
    }
    let outcomes = || jobs().map(|job| job.outcome());
    let waits = Spread::of(outcomes().map(|job| job.wait()));
    let responses = Spread::of(outcomes().map(|job| job.response()));
    let slowdown = Spread::of(outcomes().map(|job| job.bounded_slowdown()));
    let standings = || jobs().map(|job| job.placement.standing);

    let own = selection.span_of(counted.iter().copied());
    let utilization = span.filter(|_| !counted.is_empty()).and_then(|span| {
        let used = members
            .iter()
            .map(|&index| evaluation.measured(index).outcome().area_within(span.from, span.until));
        let machine = i128::from(evaluation.workload().machine().procs.0);
        ratio(used.fold(0, i128::saturating_add), machine * i128::from(span.length().0))
    });

    let n = counted.len();
    let mean = |total: i128| ratio(total, n as i128);
    let share = |part: usize| ratio(part as i128, n as i128);
    let backfilled = totals.in_time + totals.in_space;
    Summary {
        jobs: n,
        first_submit: own.map(|span| span.from),
        last_end: own.map(|span| span.until),
        makespan: own.map(|span| span.length()),
        utilization,
        area: u64::try_from(totals.area).unwrap_or(u64::MAX),
        mean_run: mean(totals.ran),
        mean_wait: waits.mean,
        p50_wait: waits.p50,
        p90_wait: waits.p90,
        p95_wait: waits.p95,
        p99_wait: waits.p99,
        max_wait: waits.max,
        mean_response: responses.mean,
        p50_response: responses.p50,
        p90_response: responses.p90,
        p95_response: responses.p95,
        p99_response: responses.p99,
        max_response: responses.max,
        mean_bounded_slowdown: slowdown.mean,
        p50_bounded_slowdown: slowdown.p50,
        p90_bounded_slowdown: slowdown.p90,
        p95_bounded_slowdown: slowdown.p95,
        p99_bounded_slowdown: slowdown.p99,
        max_bounded_slowdown: slowdown.max,
        awrt: ratio(totals.area_response, totals.area),
        pwsrt: ratio(totals.priority_response, totals.priority_area),
        immediate: totals.immediate,
        immediate_share: share(totals.immediate),
        reserved: totals.reserved,
        reserved_share: share(totals.reserved),
        backfilled,
        backfilled_share: share(backfilled),
        backfilled_in_time: totals.in_time,
        backfilled_in_time_share: share(totals.in_time),
        backfilled_in_space: totals.in_space,
        backfilled_in_space_share: share(totals.in_space),
        killed: totals.killed,
        killed_share: share(totals.killed),
        corrections: totals.corrections,
        corrected: totals.corrected,
        underpredicted: totals.underpredicted,
        underprediction_rate: share(totals.underpredicted),
        mean_absolute_error: mean(totals.absolute_error),
        mean_absolute_error_percent: ratio(totals.absolute_error, totals.ran).map(|part| 100.0 * part),
        mean_accuracy: Spread::of(jobs().map(|job| job.accuracy())).mean,
        absolute_inaccuracy: Spread::of(standings().map(|standing| standing.inaccuracy)).mean,
        relative_accuracy: Spread::of(standings().map(|standing| standing.accuracy)).mean,
        revisions: totals.revisions,
        within_factor_two_share: share(totals.within_factor_two),
        excluded: selection.excluded(members),
    }
}
