//! Scoring template sets: how it grows with jobs and with templates, and what it costs on CTC-SP2.
//!
//! `cargo bench -p queuecast -- template`. Real logs are found as in the tests (`QUEUECAST_TRACES`); without
//! them only made-up ones are benched.

use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use queuecast_core::job::{ExecutableId, Job, QueueId, Truth, UserId};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_eval::{Scorer, WalkForward};
use queuecast_sim::predict::template::{TemplatePredictor, TemplateSet};

static CTC: LazyLock<Option<Workload>> = LazyLock::new(|| {
    let path = crate::support::traces()?.join("CTC-SP2-1996-3.1-cln.swf.gz");
    path.is_file().then(|| crate::support::read(&path, "default", None).workload)
});

/// Means and regressions, with and without a history.
const TEMPLATES: [&str; 10] = [
    "(rel)",
    "(u,rel)",
    "(u,e,rel)",
    "(q,u,e,n=4,lr,rel)",
    "(u,n=16,rel,h=64)",
    "(q,u,rel)",
    "(u,n=1,lr,rel)",
    "(e,n=exp,inv)",
    "(u,e,n=512,log,rel,h=16)",
    "(q,e,n=4,rel)",
];

fn set(templates: usize) -> TemplateSet {
    TEMPLATES[..templates].join(",").parse().unwrap()
}

/// `jobs` jobs of a few hundred users, without chance.
fn made_up(jobs: usize) -> Workload {
    let (mut rows, mut truths, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..jobs as u64 {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let submit = Time(number as i64 * 100);
        let procs = Procs(1 << (mixed % 8));
        let mut job = Job::rigid(number, submit, procs, Some(Seconds(3600 + (mixed % 9) as i64 * 3600)));
        job.user = UserId::new((mixed % 307) as u32);
        job.executable = ExecutableId::new((mixed % 1009) as u32);
        job.queue = QueueId::new((mixed % 5) as u32);
        rows.push(job);
        truths.push(Truth::rigid(Seconds((mixed % 7919) as i64)));
        starts.push(submit + Seconds((mixed % 3000) as i64));
    }
    Workload::recorded(Machine { procs: Procs(512) }, rows, truths, starts).unwrap()
}

/// The same ten templates on ever more jobs; categories are numbered already.
#[divan::bench(args = [10_000, 20_000, 40_000, 80_000, 160_000], sample_count = 10)]
fn by_jobs(bencher: Bencher<'_, '_>, jobs: usize) {
    let workload = made_up(jobs);
    let replay = WalkForward::of(&workload).unwrap();
    let (scorer, set) = (Scorer::new(&replay), set(10));
    scorer.score(&set, 0..1);
    bencher.counter(ItemsCount::new(jobs)).bench(|| scorer.score(black_box(&set), 0..jobs));
}

/// All of CTC-SP2, with ever more templates; categories are numbered already.
#[divan::bench(args = [1, 2, 5, 10], sample_count = 20)]
fn ctc_by_templates(bencher: Bencher<'_, '_>, templates: usize) {
    let Some(workload) = CTC.as_ref() else { return };
    let replay = WalkForward::of(workload).unwrap();
    let (scorer, set) = (Scorer::new(&replay), set(templates));
    scorer.score(&set, 0..1);
    bencher.counter(ItemsCount::new(templates)).bench(|| scorer.score(black_box(&set), 0..replay.len()));
}

/// The first score of all, preparation included.
#[divan::bench(sample_count = 10)]
fn ctc_from_nothing(bencher: Bencher<'_, '_>) {
    let Some(workload) = CTC.as_ref() else { return };
    let set = set(10);
    bencher.bench(|| {
        let replay = WalkForward::of(workload).unwrap();
        Scorer::new(&replay).score(black_box(&set), 0..replay.len())
    });
}

/// The definition, for comparison.
#[divan::bench(sample_count = 5)]
fn ctc_the_slow_way(bencher: Bencher<'_, '_>) {
    let Some(workload) = CTC.as_ref() else { return };
    let replay = WalkForward::of(workload).unwrap();
    let set = set(10);
    bencher.bench(|| replay.score(&mut TemplatePredictor::new(black_box(&set)), 0..replay.len()));
}
