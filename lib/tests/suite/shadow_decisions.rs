//! What is simulated beside recorded runs of a real Slurm, interval by interval, as a collector does between two looks.
//! `cargo test -p queuecast --test suite shadow_decisions -- --nocapture` prints the shares.

#![allow(clippy::print_stdout)] // the shares, for those who ask for them

use std::collections::BTreeMap;

use queuecast_core::units::{Micros, Seconds};
use queuecast_slurm_sim::cluster::{Cluster, RecordedMoments};
use queuecast_slurm_sim::controller::{ShadowInterval, ShadowSite, ShadowVerdict};

use crate::recordings::recording;

/// Seconds between two looks.
const LOOKS: i64 = 120;

/// How often each verdict is found.
#[derive(Debug, Default)]
struct Verdicts(BTreeMap<ShadowVerdict, usize>);

impl Verdicts {
    /// In a recorded run, at a site with some settings changed.
    fn of(name: &str, change: impl Fn(&mut Cluster)) -> Verdicts {
        let (_, mut reading) = recording(name);
        change(&mut reading.cluster);
        let run = reading.recording.as_ref().unwrap();
        let site = ShadowSite::new(&reading.cluster, run);
        let mut moments = RecordedMoments::new(&reading.cluster, run);
        let last = run.outcomes.iter().filter_map(|one| one.end).max().unwrap();
        let mut found = Verdicts::default();
        let mut now = run.submissions[0].submit.second();
        while now + Seconds(LOOKS) + site.tolerance() <= last {
            let moment = moments.at(Micros::last_of(now));
            let interval = ShadowInterval { to: now + Seconds(LOOKS), tolerance: site.tolerance() };
            for decision in site.decisions(&moment, interval, &|_, _| true) {
                *found.0.entry(decision.verdict).or_default() += 1;
            }
            now = interval.to;
        }
        found
    }

    fn count(&self, all: &[ShadowVerdict]) -> usize {
        all.iter().filter_map(|one| self.0.get(one)).sum()
    }

    /// Starts, and the share of them that the simulation made too.
    fn starts(&self) -> (usize, f64) {
        use ShadowVerdict::{Later, OtherNodes, SameStart, Sooner};
        let all = self.count(&[SameStart, OtherNodes, Sooner, Later]);
        (all, self.count(&[SameStart, OtherNodes]) as f64 / all.max(1) as f64)
    }

    /// All decisions, and the share of them that are alike.
    fn decisions(&self) -> (usize, f64) {
        use ShadowVerdict::{OtherNodes, SameStart, Waited};
        let all = self.0.values().sum::<usize>();
        (all, self.count(&[SameStart, OtherNodes, Waited]) as f64 / all.max(1) as f64)
    }
}

const RECORDINGS: [&str; 13] = [
    "classic-fair-share",
    "gpus",
    "limits",
    "nested-fair-share",
    "plans-since-24-11",
    "preemption",
    "random-3",
    "random-5",
    "random-7",
    "random-8",
    "select-linear",
    "shared-preemption",
    "switches",
];

/// 92 % of 1,995 starts, and of 3,465 decisions: runs as dense as these differ from one time to the next on a real Slurm too.
#[test]
fn most_decisions_of_recorded_runs_are_reproduced() {
    let mut all = Verdicts::default();
    for name in RECORDINGS {
        let found = Verdicts::of(name, |_| ());
        println!("{name}: starts {:?}, decisions {:?}", found.starts(), found.decisions());
        found.0.into_iter().for_each(|(verdict, count)| *all.0.entry(verdict).or_default() += count);
    }
    let ((starts, of_starts), (decisions, of_decisions)) = (all.starts(), all.decisions());
    println!("all: starts {starts} {of_starts}, decisions {decisions} {of_decisions}: {:?}", all.0);
    assert!(starts > 1_900 && of_starts > 0.91, "{starts} {of_starts}");
    assert!(decisions > 3_300 && of_decisions > 0.91, "{decisions} {of_decisions}");
}

/// Control: a site whose settings are read wrong is reproduced less well.
#[test]
fn wrong_settings_show() {
    for (name, change) in [
        ("nested-fair-share", (|site| site.settings.priority.weights.fair_share = 0) as fn(&mut Cluster)),
        ("switches", |site| site.settings.priority.weights.fair_share = 0),
        ("classic-fair-share", |site| site.settings.priority.weights.job_size = 1_000_000),
        ("random-3", |site| site.settings.backfill = None),
    ] {
        let (right, wrong) = (Verdicts::of(name, |_| ()), Verdicts::of(name, change));
        println!("{name}: starts {:?}, wrong {:?}", right.starts(), wrong.starts());
        assert!(wrong.starts().1 < right.starts().1 - 0.1, "{name}: {wrong:?} and not {right:?}");
        assert!(wrong.decisions().1 < right.decisions().1 - 0.05, "{name}: {wrong:?} and not {right:?}");
    }
}
