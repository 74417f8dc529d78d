//! What the paper concludes in words, above all in section 5.3, measured.

use super::LOG_NAMES;
use super::explained;
use super::measure::{LOGS, Measure, OnLogs, mean};
use super::settings::Setting;
use crate::eval::{Claim, Results, Study};
use crate::spec::SpecError;
use crate::synth::Variant;

/// Criteria for comparing searches and propagation.
const GRID: [&str; 8] = [
    "[PE,P,E,*]",
    "[E,P,X]",
    "[PX,P,X,*]",
    "[PEX,PX,EX]",
    "[PEX,PE,P,E,*]",
    "[PE,P,*]",
    "[PE,E,*]",
    "[PX,X,*]",
];

/// Depths for the same.
const DEPTHS: [&str; 2] = ["all", "10"];

/// Constants, in ascending order.
const CONSTANTS: [u32; 5] = [1, 60, 600, 3600, 36_000];

/// One configuration of the grid.
struct Point {
    criteria: &'static str,
    depth: &'static str,
    propagate: bool,
    bfs: bool,
    on: OnLogs,
}

/// Its simulations.
pub struct Wanted {
    easy: OnLogs,
    easy_doubled: OnLogs,
    easy_perfect: OnLogs,
    easy_perfect_doubled: OnLogs,
    perfect: OnLogs,
    ruh: OnLogs,
    best_sbh: [OnLogs; 2],
    /// The same with 10 and 30 sessions.
    limited: [[OnLogs; 2]; 2],
    proximity: [OnLogs; 2],
    balanced: OnLogs,
    unbalanced: OnLogs,
    constants: Vec<OnLogs>,
    grid: Vec<Point>,
}

pub fn want(study: &mut Study) -> Result<Wanted, SpecError> {
    let mut on = |setting: Setting| OnLogs::want(study, &setting, Variant::default());
    let mut sbh = |settings: &str| on(Setting::sbh(settings));
    let mut grid = Vec::new();
    for criteria in GRID {
        for depth in DEPTHS {
            for propagate in [false, true] {
                for bfs in [false, true] {
                    let settings = format!(
                        "{criteria},depth={depth},propagate={},search={}",
                        if propagate { "yes" } else { "no" },
                        if bfs { "bfs" } else { "dfs" }
                    );
                    grid.push(Point { criteria, depth, propagate, bfs, on: sbh(&settings)? });
                }
            }
        }
    }
    let mut limited = |criteria: &str| -> Result<[OnLogs; 2], SpecError> {
        Ok([
            sbh(&format!("{criteria},propagate=yes,depth=10"))?,
            sbh(&format!("{criteria},propagate=yes,depth=30"))?,
        ])
    };
    Ok(Wanted {
        limited: [limited("[PE,P,E,*]")?, limited("[E,P,X]")?],
        proximity: [sbh("[*],propagate=yes")?, sbh("[PEX,*],propagate=yes")?],
        easy: on(Setting::easy())?,
        easy_doubled: on(Setting::easy().doubled())?,
        easy_perfect: on(Setting::easy_perfect())?,
        easy_perfect_doubled: on(Setting::easy_perfect().doubled())?,
        perfect: on(Setting::perfect())?,
        ruh: on(Setting::ruh_propagation())?,
        best_sbh: [on(Setting::sbh_pe())?, on(Setting::sbh_e())?],
        balanced: on(Setting::balanced())?,
        unbalanced: on(Setting::unbalanced())?,
        constants: CONSTANTS.map(|seconds| on(Setting::constant(seconds))).into_iter().collect::<Result<_, _>>()?,
        grid,
    })
}

/// How often, over configurations and logs, one of two is better, and by how much on average.
struct Duel {
    cases: usize,
    better: [usize; 2],
    gap: [f64; 2],
}

impl Duel {
    fn holds(&self, share: f64) -> bool {
        let least = share * self.cases as f64;
        self.better.iter().all(|&better| better as f64 >= least) && self.gap.iter().all(|&gap| gap > 0.0)
    }

    fn measured(&self) -> String {
        let share = |better: usize| 100.0 * better as f64 / self.cases as f64;
        format!(
            "over {} cases: shorter waits in {:.0} %, {:.1} % on average; smaller absolute inaccuracy in {:.0} %, {:.1} % on average",
            self.cases,
            share(self.better[0]),
            self.gap[0],
            share(self.better[1]),
            self.gap[1]
        )
    }
}

impl Wanted {
    /// Compares points of the grid with what they are paired with.
    fn duel(&self, results: &Results, is_first: impl Fn(&Point) -> bool, pairs: impl Fn(&Point, &Point) -> bool) -> Duel {
        let mut gaps = [Vec::new(), Vec::new()];
        for first in self.grid.iter().filter(|point| is_first(point)) {
            let Some(second) = self.grid.iter().find(|point| pairs(first, point)) else { continue };
            for (gaps, measure) in gaps.iter_mut().zip([Measure::Wait, Measure::Inaccuracy]) {
                gaps.extend(first.on.improvements(results, measure, &second.on));
            }
        }
        let better = gaps.each_ref().map(|gaps| gaps.iter().filter(|gap| **gap > 0.0).count());
        Duel { cases: gaps[0].len(), better, gap: gaps.each_ref().map(|gaps| mean(gaps)) }
    }

    pub fn judged(&self, results: &Results) -> Vec<Claim> {
        let mut claims = vec![
            self.doubling(results),
            self.two_thirds(results),
            self.over_easy(results),
            self.ten_sessions(results),
            self.thirty_sessions(results),
            self.depth_first(results),
            self.proximity(results),
            self.propagation(results),
            self.without_estimates(results),
            self.unbalanced(results),
            self.constant(results),
        ];
        claims.push(self.larger_constants(results));
        claims.into_iter().map(explained::claim).collect()
    }

    fn doubling(&self, results: &Results) -> Claim {
        let over = |on: &OnLogs| Measure::ALL[..2].iter().map(|m| on.improvement(results, *m, &self.easy)).collect::<Vec<_>>();
        let (doubled, perfect) = (over(&self.easy_doubled), over(&self.easy_perfect_doubled));
        let exact = over(&self.easy_perfect);
        let holds = doubled.iter().all(|gain| *gain > 0.0) && perfect.iter().zip(&doubled).all(|(p, d)| p > d);
        Claim::new(
            "Doubling improves EASY, and doubling exact run times improves it more than doubling estimates (Figure 3)",
            holds,
            format!(
                "gain over EASY in wait and slowdown: estimates doubled {:.1} % and {:.1} %, exact run times {:.1} % and {:.1} %, those doubled {:.1} % and {:.1} %",
                doubled[0], doubled[1], exact[0], exact[1], perfect[0], perfect[1]
            ),
        )
    }

    fn two_thirds(&self, results: &Results) -> Claim {
        let share = |measure| {
            100.0 * self.ruh.improvement(results, measure, &self.easy)
                / self.perfect.improvement(results, measure, &self.easy)
        };
        let shares = [Measure::Wait, Measure::Slowdown].map(share);
        let holds = shares.iter().all(|share| *share >= 50.0);
        Claim::new(
            "RUH reaches up to about two thirds of the gain of Perfect (section 4)",
            holds,
            format!("{:.0} % of it in wait, {:.0} % in slowdown; at least half is taken to hold", shares[0], shares[1]),
        )
    }

    fn over_easy(&self, results: &Results) -> Claim {
        let gain = |measure| self.best_sbh.each_ref().map(|on| on.improvement(results, measure, &self.easy));
        let (waits, inaccuracies) = (gain(Measure::Wait), gain(Measure::Inaccuracy));
        let best = waits[0].max(waits[1]);
        let holds = (best - 24.0).abs() <= 7.0 && inaccuracies.iter().all(|gain| (40.0..=60.0).contains(gain));
        Claim::new(
            "The best SBH gain 24 % in wait and 47 to 53 % in absolute inaccuracy over EASY",
            holds,
            format!(
                "[PE,P,E,*]: {:.1} % and {:.1} %; [E,P,X]: {:.1} % and {:.1} %; within 7 points is taken to hold",
                waits[0], inaccuracies[0], waits[1], inaccuracies[1]
            ),
        )
    }

    /// Waits that a limit of sessions makes longer, in percent, for both criteria and each log.
    fn worse_waits(&self, results: &Results, which: usize) -> [[f64; LOGS]; 2] {
        std::array::from_fn(|criteria| {
            self.limited[criteria][which]
                .improvements(results, Measure::Wait, &self.best_sbh[criteria])
                .map(|gain| -gain)
        })
    }

    fn ten_sessions(&self, results: &Results) -> Claim {
        let worse = self.worse_waits(results, 0);
        Claim::new(
            "Looking back no more than 10 sessions deteriorates performance",
            worse.iter().all(|worse| mean(worse) > 0.0),
            format!("waits longer by {}", each(&worse)),
        )
    }

    fn thirty_sessions(&self, results: &Results) -> Claim {
        let worse = self.worse_waits(results, 1);
        Claim::new(
            "Even 30 sessions are 2 to 3 % worse than all, in all logs",
            worse.iter().flatten().all(|worse| *worse > 0.0),
            format!("waits longer by {}", each(&worse)),
        )
    }

    fn depth_first(&self, results: &Results) -> Claim {
        let duel = self.duel(results, |point| !point.bfs, |dfs, bfs| {
            bfs.bfs && (dfs.criteria, dfs.depth, dfs.propagate) == (bfs.criteria, bfs.depth, bfs.propagate)
        });
        Claim::new(
            "DFS beats the same configuration with BFS in over 90 % of the cases, by 5 % in wait and 17 % in absolute inaccuracy",
            duel.holds(0.9),
            duel.measured(),
        )
    }

    fn proximity(&self, results: &Results) -> Claim {
        let gain = |on: &OnLogs| Measure::ALL.map(|measure| on.improvement(results, measure, &self.ruh));
        let gains = self.proximity.each_ref().map(gain);
        let shown = |gain: &[f64; 4]| gain.map(|gain| format!("{gain:+.1} %")).join(", ");
        Claim::new(
            "Proximity in time alone is not enough: [*] and [PEX,*] perform worse than RUH",
            gains.iter().all(|gain| gain[0] < 0.0 && gain[1] < 0.0),
            format!(
                "against RUH in wait, slowdown, inaccuracy, accuracy: [*] {}; [PEX,*] {}",
                shown(&gains[0]),
                shown(&gains[1])
            ),
        )
    }

    fn propagation(&self, results: &Results) -> Claim {
        let duel = self.duel(results, |point| point.propagate, |with, without| {
            !without.propagate && (with.criteria, with.depth, with.bfs) == (without.criteria, without.depth, without.bfs)
        });
        Claim::new(
            "Propagation is better in 75 % of the cases, by 10 % in wait and 6 % in absolute inaccuracy",
            duel.holds(0.5),
            format!("{}; more than half is taken to hold", duel.measured()),
        )
    }

    fn without_estimates(&self, results: &Results) -> Claim {
        let worse = |measure| {
            let gains = self.best_sbh.each_ref().map(|best| -self.balanced.improvement(results, measure, best));
            gains[0].max(gains[1])
        };
        let (wait, inaccuracy) = (worse(Measure::Wait), worse(Measure::Inaccuracy));
        Claim::new(
            "Without estimates, waits are about 10 % longer and absolute inaccuracy is 22 % higher than with the best SBH",
            wait > 0.0 && inaccuracy > 0.0,
            format!("Balanced: waits {wait:+.1} %, absolute inaccuracy {inaccuracy:+.1} %"),
        )
    }

    fn unbalanced(&self, results: &Results) -> Claim {
        let gains = self.unbalanced.improvements(results, Measure::Wait, &self.balanced);
        let better = gains.iter().filter(|gain| **gain >= 0.0).count();
        Claim::new(
            "Not stopping the growth performs better in three of the four logs",
            better >= 3,
            format!("waits of Unbalanced against Balanced shorter by {}", by_log(&gains)),
        )
    }

    fn constant(&self, results: &Results) -> Claim {
        let more: [f64; LOGS] = std::array::from_fn(|log| {
            let [constant, easy] = [&self.constants[0], &self.easy].map(|on| on.summary(results, log).backfilled as f64);
            100.0 * (constant / easy - 1.0)
        });
        Claim::new(
            "CONSTANT(1) backfills on average 22 % more jobs than EASY",
            (mean(&more) - 22.0).abs() <= 7.0,
            format!("{:.1} % more ({})", mean(&more), by_log(&more)),
        )
    }

    fn larger_constants(&self, results: &Results) -> Claim {
        let gains: Vec<f64> =
            self.constants.iter().map(|on| on.improvement(results, Measure::Slowdown, &self.easy)).collect();
        let waits: Vec<f64> =
            self.constants.iter().map(|on| on.improvement(results, Measure::Wait, &self.easy)).collect();
        let shown: Vec<String> = CONSTANTS
            .iter()
            .zip(waits.iter().zip(&gains))
            .map(|(seconds, (wait, gain))| format!("{seconds} s {wait:+.1} % and {gain:+.1} %"))
            .collect();
        let worse = |gains: &[f64]| gains[1..].iter().all(|gain| *gain < gains[0]);
        Claim::new(
            "Constants above 1 second are worse, and the worse the larger",
            worse(&gains) && worse(&waits),
            format!("gain over EASY in wait and slowdown: {}", shown.join(", ")),
        )
    }
}

fn each(worse: &[[f64; LOGS]; 2]) -> String {
    let one = |name: &str, worse: &[f64; LOGS]| format!("{name}: {:+.1} % ({})", mean(worse), by_log(worse));
    format!("{}; {}", one("[PE,P,E,*]", &worse[0]), one("[E,P,X]", &worse[1]))
}

fn by_log(values: &[f64; LOGS]) -> String {
    let shown: Vec<String> = LOG_NAMES.iter().zip(values).map(|(log, value)| format!("{log} {value:+.1}")).collect();
    shown.join(", ")
}
