//! What the paper concludes in words, above all in section 5.3, measured.

use super::explained;
use super::measure::{LOGS, OnLogs, Shakes, TableColumn, mean};
use super::settings::SchedulerSetting;
use super::setup::LOG_NAMES;
use crate::Claim;
use queuecast_core::spec::SpecError;
use queuecast_study::{Repeated, Sweep, SweepResults};
use queuecast_synth::synth::Variant;

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
struct GridPoint {
    criteria: &'static str,
    depth: &'static str,
    propagate: bool,
    bfs: bool,
    on: OnLogs,
}

/// Its simulations.
pub struct ClaimRuns {
    easy: OnLogs,
    easy_doubled: OnLogs,
    easy_perfect: OnLogs,
    easy_perfect_doubled: OnLogs,
    perfect: OnLogs,
    ruh: OnLogs,
    best_sbh: [OnLogs; 2],
    shaken_ruh: Shakes,
    shaken_sbh: [Shakes; 2],
    /// `shaken_sbh` with 10 and 30 sessions.
    limited: [[Shakes; 2]; 2],
    proximity: [Shakes; 2],
    balanced: OnLogs,
    unbalanced: OnLogs,
    constants: Vec<OnLogs>,
    grid: Vec<GridPoint>,
}

pub fn want(sweep: &mut Sweep) -> Result<ClaimRuns, SpecError> {
    let mut on = |setting: SchedulerSetting| OnLogs::want(sweep, &setting, Variant::default());
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
                    grid.push(GridPoint {
                        criteria,
                        depth,
                        propagate,
                        bfs,
                        on: on(SchedulerSetting::sbh(&settings))?,
                    });
                }
            }
        }
    }
    let mut shaken = |setting: SchedulerSetting| Shakes::want(sweep, &setting);
    let mut limited = |criteria: &str| -> Result<[Shakes; 2], SpecError> {
        Ok([
            shaken(SchedulerSetting::sbh(&format!("{criteria},propagate=yes,depth=10")))?,
            shaken(SchedulerSetting::sbh(&format!("{criteria},propagate=yes,depth=30")))?,
        ])
    };
    let limited = [limited("[PE,P,E,*]")?, limited("[E,P,X]")?];
    let proximity = [
        shaken(SchedulerSetting::sbh("[*],propagate=yes"))?,
        shaken(SchedulerSetting::sbh("[PEX,*],propagate=yes"))?,
    ];
    let shaken_sbh = [shaken(SchedulerSetting::sbh_pe())?, shaken(SchedulerSetting::sbh_e())?];
    let shaken_ruh = shaken(SchedulerSetting::ruh_propagation())?;
    let mut on = |setting: SchedulerSetting| OnLogs::want(sweep, &setting, Variant::default());
    Ok(ClaimRuns {
        shaken_ruh,
        shaken_sbh,
        limited,
        proximity,
        easy: on(SchedulerSetting::easy())?,
        easy_doubled: on(SchedulerSetting::easy().doubled())?,
        easy_perfect: on(SchedulerSetting::easy_perfect())?,
        easy_perfect_doubled: on(SchedulerSetting::easy_perfect().doubled())?,
        perfect: on(SchedulerSetting::perfect())?,
        ruh: on(SchedulerSetting::ruh_propagation())?,
        best_sbh: [on(SchedulerSetting::sbh_pe())?, on(SchedulerSetting::sbh_e())?],
        balanced: on(SchedulerSetting::balanced())?,
        unbalanced: on(SchedulerSetting::unbalanced())?,
        constants: CONSTANTS
            .map(|seconds| on(SchedulerSetting::constant(seconds)))
            .into_iter()
            .collect::<Result<_, _>>()?,
        grid,
    })
}

/// How often one of two is better over configurations and logs, and by how much.
struct Gaps(Vec<f64>);

impl Gaps {
    fn better(&self) -> f64 {
        self.0.iter().filter(|gap| **gap > 0.0).count() as f64 / self.0.len() as f64
    }

    fn holds(&self, share: f64) -> bool {
        self.better() > share && mean(&self.0) > 0.0
    }

    fn measured(&self, what: &str) -> String {
        let (share, gap) = (100.0 * self.better(), mean(&self.0));
        format!("{what} in {share:.0} % of {} cases, by {gap:.1} % on average", self.0.len())
    }
}

/// Two sides of the grid against each other.
struct Duel {
    wait: Gaps,
    inaccuracy: Gaps,
}

impl ClaimRuns {
    /// Compares points of the grid with what they are paired with.
    fn duel(
        &self,
        results: &SweepResults,
        is_first: impl Fn(&GridPoint) -> bool,
        pairs: impl Fn(&GridPoint, &GridPoint) -> bool,
    ) -> Duel {
        let mut duel = Duel { wait: Gaps(Vec::new()), inaccuracy: Gaps(Vec::new()) };
        for first in self.grid.iter().filter(|point| is_first(point)) {
            let Some(second) = self.grid.iter().find(|point| pairs(first, point)) else { continue };
            duel.wait.0.extend(first.on.improvements(results, TableColumn::Wait, &second.on));
            duel.inaccuracy.0.extend(first.on.improvements(results, TableColumn::Inaccuracy, &second.on));
        }
        duel
    }

    pub fn judged(&self, results: &SweepResults) -> Vec<Claim> {
        let mut claims = vec![
            self.doubling(results),
            self.two_thirds(results),
            self.over_easy(results),
            self.ten_sessions(results),
            self.thirty_sessions(results),
            self.proximity(results),
            self.propagation(results),
            self.without_estimates(results),
            self.unbalanced(results),
            self.constant(results),
        ];
        claims.push(self.larger_constants(results));
        claims.extend(self.depth_first(results));
        claims.into_iter().map(explained::claim).collect()
    }

    fn doubling(&self, results: &SweepResults) -> Claim {
        let over = |on: &OnLogs| {
            TableColumn::ALL[..2].iter().map(|m| on.improvement(results, *m, &self.easy)).collect::<Vec<_>>()
        };
        let (doubled, perfect) = (over(&self.easy_doubled), over(&self.easy_perfect_doubled));
        let exact = over(&self.easy_perfect);
        let holds =
            doubled.iter().all(|gain| *gain > 0.0) && perfect.iter().zip(&doubled).all(|(p, d)| p > d);
        Claim::new(
            "Doubling improves EASY, and doubling exact run times improves it more than doubling estimates (Figure 3)",
            holds,
            format!(
                "gain over EASY in wait and slowdown: estimates doubled {:.1} % and {:.1} %, exact run times {:.1} % and {:.1} %, those doubled {:.1} % and {:.1} %",
                doubled[0], doubled[1], exact[0], exact[1], perfect[0], perfect[1]
            ),
        )
    }

    fn two_thirds(&self, results: &SweepResults) -> Claim {
        let share = |measure| {
            100.0 * self.ruh.improvement(results, measure, &self.easy)
                / self.perfect.improvement(results, measure, &self.easy)
        };
        let shares = [TableColumn::Wait, TableColumn::Slowdown].map(share);
        let holds = shares.iter().all(|share| *share >= 50.0);
        Claim::new(
            "RUH reaches up to about two thirds of the gain of Perfect (section 4)",
            holds,
            format!(
                "{:.0} % of it in wait, {:.0} % in slowdown; at least half is taken to hold",
                shares[0], shares[1]
            ),
        )
    }

    fn over_easy(&self, results: &SweepResults) -> Claim {
        let gain = |measure| self.best_sbh.each_ref().map(|on| on.improvement(results, measure, &self.easy));
        let (waits, inaccuracies) = (gain(TableColumn::Wait), gain(TableColumn::Inaccuracy));
        let best = waits[0].max(waits[1]);
        let holds =
            (best - 24.0).abs() <= 7.0 && inaccuracies.iter().all(|gain| (40.0..=60.0).contains(gain));
        Claim::new(
            "The best SBH gain 24 % in wait and 47 to 53 % in absolute inaccuracy over EASY",
            holds,
            format!(
                "[PE,P,E,*]: {:.1} % and {:.1} %; [E,P,X]: {:.1} % and {:.1} %; within 7 points is taken to hold",
                waits[0], inaccuracies[0], waits[1], inaccuracies[1]
            ),
        )
    }

    /// Waits that a limit of sessions makes longer, for both criteria, in words; and whether all are.
    fn worse_waits(&self, results: &SweepResults, which: usize) -> (bool, String) {
        let gain: [Repeated; 2] = std::array::from_fn(|criteria| {
            let limited = &self.limited[criteria][which];
            limited.improvement(results, TableColumn::Wait, &self.shaken_sbh[criteria])
        });
        let measured = format!(
            "waits longer by {:.1} ± {:.1} % with [PE,P,E,*], {:.1} ± {:.1} % with [E,P,X] ({})",
            -gain[0].mean,
            gain[0].deviation,
            -gain[1].mean,
            gain[1].deviation,
            shaken(&gain[0])
        );
        (gain.iter().all(|gain| -gain.mean > gain.deviation), measured)
    }

    fn ten_sessions(&self, results: &SweepResults) -> Claim {
        let (holds, measured) = self.worse_waits(results, 0);
        Claim::new("Looking back no more than 10 sessions deteriorates performance", holds, measured)
    }

    fn thirty_sessions(&self, results: &SweepResults) -> Claim {
        let (holds, measured) = self.worse_waits(results, 1);
        Claim::new("Even 30 sessions are 2 to 3 % worse than all", holds, measured)
    }

    fn depth_first(&self, results: &SweepResults) -> [Claim; 2] {
        let duel = self.duel(
            results,
            |point| !point.bfs,
            |dfs, bfs| {
                let same =
                    (dfs.criteria, dfs.depth, dfs.propagate) == (bfs.criteria, bfs.depth, bfs.propagate);
                same && bfs.bfs
            },
        );
        [
            Claim::new(
                "DFS is more accurate than BFS in over 90 % of the cases (the paper: by 17 %)",
                duel.inaccuracy.holds(0.9),
                duel.inaccuracy.measured("smaller inaccuracy"),
            ),
            Claim::new(
                "DFS has shorter waits than BFS in over 90 % of the cases (the paper: by 5 %)",
                duel.wait.holds(0.9),
                duel.wait.measured("shorter waits"),
            ),
        ]
    }

    fn proximity(&self, results: &SweepResults) -> Claim {
        let gain =
            |on: &Shakes| TableColumn::ALL.map(|measure| on.improvement(results, measure, &self.shaken_ruh));
        let gains = self.proximity.each_ref().map(gain);
        let shown = |gain: &[Repeated; 4]| {
            gain.map(|gain| format!("{:+.1} ± {:.1} %", gain.mean, gain.deviation)).join(", ")
        };
        Claim::new(
            "Proximity in time alone is not enough: [*] and [PEX,*] perform worse than RUH",
            gains.iter().all(|gain| gain[0].mean < 0.0 && gain[1].mean < 0.0),
            format!(
                "against RUH in wait, slowdown, inaccuracy, accuracy: [*] {}; [PEX,*] {} ({})",
                shown(&gains[0]),
                shown(&gains[1]),
                shaken(&gains[0][0])
            ),
        )
    }

    fn propagation(&self, results: &SweepResults) -> Claim {
        let duel = self.duel(
            results,
            |point| point.propagate,
            |with, without| {
                let same =
                    (with.criteria, with.depth, with.bfs) == (without.criteria, without.depth, without.bfs);
                same && !without.propagate
            },
        );
        Claim::new(
            "Propagation is generally better (the paper: in 75 % of the cases, by 10 % in wait and 6 % in inaccuracy)",
            duel.wait.holds(0.5) && duel.inaccuracy.holds(0.5),
            format!(
                "{}; {}; more than half is taken to hold",
                duel.wait.measured("shorter waits"),
                duel.inaccuracy.measured("smaller inaccuracy")
            ),
        )
    }

    fn without_estimates(&self, results: &SweepResults) -> Claim {
        let worse = |measure| {
            let gains =
                self.best_sbh.each_ref().map(|best| -self.balanced.improvement(results, measure, best));
            gains[0].max(gains[1])
        };
        let (wait, inaccuracy) = (worse(TableColumn::Wait), worse(TableColumn::Inaccuracy));
        Claim::new(
            "Estimates are still useful: without them the best SBH is worse (the paper: waits 10 % longer, inaccuracy 22 % higher)",
            wait > 0.0 && inaccuracy > 0.0,
            format!("Balanced: waits {wait:+.1} %, absolute inaccuracy {inaccuracy:+.1} %"),
        )
    }

    fn unbalanced(&self, results: &SweepResults) -> Claim {
        let gains = self.unbalanced.improvements(results, TableColumn::Wait, &self.balanced);
        let better = gains.iter().filter(|gain| **gain >= 0.0).count();
        Claim::new(
            "Not stopping the growth performs better in three of the four logs",
            better >= 3,
            format!("waits of Unbalanced against Balanced shorter by {}", by_log(&gains)),
        )
    }

    fn constant(&self, results: &SweepResults) -> Claim {
        let more: [f64; LOGS] = std::array::from_fn(|log| {
            let [constant, easy] =
                [&self.constants[0], &self.easy].map(|on| on.summary(results, log).backfilled as f64);
            100.0 * (constant / easy - 1.0)
        });
        Claim::new(
            "CONSTANT(1) backfills on average 22 % more jobs than EASY",
            (mean(&more) - 22.0).abs() <= 7.0,
            format!("{:.1} % more ({})", mean(&more), by_log(&more)),
        )
    }

    fn larger_constants(&self, results: &SweepResults) -> Claim {
        let gains: Vec<f64> = self
            .constants
            .iter()
            .map(|on| on.improvement(results, TableColumn::Slowdown, &self.easy))
            .collect();
        let waits: Vec<f64> =
            self.constants.iter().map(|on| on.improvement(results, TableColumn::Wait, &self.easy)).collect();
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

fn shaken(repeated: &Repeated) -> String {
    format!("arrivals shaken, {} seeds", repeated.times)
}

fn by_log(values: &[f64; LOGS]) -> String {
    let shown: Vec<String> =
        LOG_NAMES.iter().zip(values).map(|(log, value)| format!("{log} {value:+.1}")).collect();
    shown.join(", ")
}
