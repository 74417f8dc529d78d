//! Strategies for moldable jobs, start by start against a slow and obvious version, and on malformed workloads.

use std::collections::VecDeque;

use queuecast_core::distribution::LogUniform;
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::Workload;
use queuecast_forecast::allot::{Allotter, Sizes};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Options, Policy, simulate};
use queuecast_wait::{Holder, QueueTime};

use crate::support::jobs::{self, job, moldable};

const MACHINE: u32 = 16;

/// Lifetimes that PRED and BIAS are told of: wrong, so that there is something to put right.
const LIFETIMES: (f64, f64) = (1.0, 20_000.0);

/// Numbers that look random.
struct Luck(u64);

impl Luck {
    fn new(seed: u64) -> Luck {
        Luck((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, most: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % most) as i64
    }
}

/// A job: when it comes, and its sizes with the run time on each, smallest first.
#[derive(Debug, Clone)]
struct Moldable {
    at: i64,
    sizes: Vec<(u32, i64)>,
}

/// Jobs whose run times fall and, beyond some size, rise again; some sizes missing, at times the smallest too.
fn random_jobs(seed: u64, gappy: bool) -> Vec<Moldable> {
    let mut luck = Luck::new(seed);
    let count = 20 + luck.below(140);
    let busy = 20 + luck.below(400) as u64;
    let mut at = 0;
    (0..count)
        .map(|_| {
            at += if luck.below(4) == 0 { 0 } else { luck.below(busy) };
            let (work, serial) = (1 + luck.below(20_000), luck.below(60));
            let (most, talk) = (1 + luck.below(u64::from(MACHINE)), luck.below(3) * luck.below(40));
            let run = |procs: i64| {
                (work * serial / 100 + work * (100 - serial) / 100 / procs + talk * (procs - 1)).max(1)
            };
            let mut sizes: Vec<(u32, i64)> = (1..=most).map(|procs| (procs as u32, run(procs))).collect();
            if gappy {
                sizes.retain(|&(procs, _)| i64::from(procs) == most || luck.below(3) > 0);
            }
            Moldable { at, sizes }
        })
        .collect()
}

/// The largest size is the preferred one; every limit is the run time.
fn workload(jobs: &[Moldable]) -> Workload {
    let jobs = jobs.iter().map(|job| {
        let (last, others) = job.sizes.split_last().unwrap();
        let sizes = std::iter::once(last).chain(others);
        let shapes: Vec<_> = sizes.map(|&(procs, run)| (procs, Some(run), run)).collect();
        moldable(&shapes).at(job.at)
    });
    jobs::workload(MACHINE, jobs)
}

fn simulated(workload: &Workload, policy: &mut dyn Policy) -> Vec<(i64, u32)> {
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    let schedule = simulate(workload, Options::default(), policy, &mut *predictor, &mut []).unwrap();
    let placed = schedule.placements.iter().zip(workload.jobs());
    placed.map(|(placement, job)| (placement.start.0, placement.procs(job).0)).collect()
}

/// Why a job holds out, in the words of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Why {
    Avg,
    Opt,
    Heur {
        patience: f64,
    },
    /// PRED by predictor B, or BIAS.
    Pred {
        corrected: bool,
    },
}

#[derive(Debug, Clone, Copy)]
struct Rules {
    why: Why,
    averse: f64,
    social: bool,
    lock_in: bool,
}

/// One that runs.
#[derive(Debug, Clone, Copy)]
struct Running {
    id: usize,
    procs: u32,
    start: i64,
    end: i64,
}

/// A prediction whose outcome is not known yet: those it counted on, and how many processors are still missing.
#[derive(Debug, Clone)]
struct Open {
    asked: i64,
    raw: f64,
    on: Vec<usize>,
    missing: i64,
}

/// The slow version. Nothing is looked up before it happens, but by OPT, which may.
#[derive(Debug, Default)]
struct Slow {
    running: Vec<Running>,
    open: Vec<Open>,
    /// What was predicted and what became of it.
    known: Vec<(f64, f64)>,
    /// How often a prediction was put right.
    corrected: usize,
}

impl Slow {
    fn free(&self) -> u32 {
        MACHINE - self.running.iter().map(|one| one.procs).sum::<u32>()
    }

    /// The paper's line through all outcomes so far, in logarithms.
    fn put_right(&mut self, predicted: f64) -> f64 {
        let log = |seconds: f64| seconds.max(1.0).ln();
        let points: Vec<(f64, f64)> = self.known.iter().map(|&(x, y)| (log(x), log(y))).collect();
        if points.len() < 30 || predicted <= 0.0 || points.iter().all(|point| point.0 == points[0].0) {
            return predicted;
        }
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
        let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
        let slope =
            mean(&|point| (point.0 - x) * (point.1 - y)) / mean(&|point| (point.0 - x) * (point.0 - x));
        self.corrected += 1;
        (y + slope * (log(predicted) - x)).exp()
    }

    /// Who holds out for how many, and until when it does before it thinks again; `None` to start.
    fn hold(&mut self, job: &Moldable, now: i64, queued: usize, rules: Rules) -> Option<(u32, i64)> {
        let free = self.free();
        let at_once = job.sizes.iter().rfind(|size| size.0 <= free).copied();
        let larger: Vec<(u32, i64)> = job.sizes.iter().filter(|size| size.0 > free).copied().collect();
        let weight = if rules.social { queued as f64 } else { 1.0 };
        let waits: Vec<(f64, f64)> = match rules.why {
            Why::Avg => return None,
            Why::Heur { patience } => {
                let (wanted, now_run) = (*larger.last()?, at_once?.1);
                let work = job.sizes[0].1 * i64::from(job.sizes[0].0);
                let wait = (patience * (now_run - wanted.1) as f64).ceil().max(1.0) as i64;
                return (work > 0 && wanted.0 > 1).then_some((wanted.0, now + wait));
            }
            Why::Opt => larger
                .iter()
                .map(|size| {
                    // Second by second would be slower still.
                    let mut ends: Vec<i64> = self.running.iter().map(|one| one.end).collect();
                    ends.sort_unstable();
                    let enough = |&end: &i64| {
                        let gone = self.running.iter().filter(|one| one.end <= end);
                        free + gone.map(|one| one.procs).sum::<u32>() >= size.0
                    };
                    let wait = (ends.into_iter().find(enough).unwrap() - now) as f64;
                    (wait, wait)
                })
                .collect(),
            Why::Pred { corrected } => {
                let lifetimes = LogUniform::between(LIFETIMES.0, LIFETIMES.1).unwrap();
                let holder =
                    |one: &Running| Holder::aged(Procs(one.procs), Seconds(now - one.start), &lifetimes);
                let holders: Vec<Holder> = self.running.iter().map(holder).collect();
                larger
                    .iter()
                    .map(|size| {
                        let raw = QueueTime::Mean.predict(&holders, Procs(size.0 - free)).unwrap();
                        (raw, if corrected { self.put_right(raw) } else { raw })
                    })
                    .collect()
            }
        };
        let mut best: Option<(f64, usize)> = None;
        for (place, (size, wait)) in larger.iter().zip(&waits).enumerate() {
            let turnaround = weight * wait.1 + size.1 as f64;
            if best.is_none_or(|best| turnaround < best.0) {
                best = Some((turnaround, place));
            }
        }
        let (turnaround, place) = best?;
        if let Why::Pred { .. } = rules.why {
            let on = self.running.iter().map(|one| one.id).collect();
            let missing = i64::from(larger[place].0 - free);
            self.open.push(Open { asked: now, raw: waits[place].0, on, missing });
        }
        let holds = at_once.is_none_or(|(_, run)| run as f64 - turnaround > rules.averse * run as f64);
        holds.then(|| (larger[place].0, now + waits[place].1.ceil().max(1.0) as i64))
    }

    fn ended(&mut self, now: i64) {
        let (gone, left): (Vec<Running>, Vec<Running>) = self.running.iter().partition(|one| one.end <= now);
        self.running = left;
        for open in &mut self.open {
            let freed = gone.iter().filter(|one| open.on.contains(&one.id)).map(|one| i64::from(one.procs));
            open.missing -= freed.sum::<i64>();
        }
        let known = self.open.extract_if(.., |open| open.missing <= 0);
        self.known.extend(known.map(|open| (open.raw, (now - open.asked) as f64)));
    }

    /// When each job starts, and on how many processors.
    fn run(&mut self, jobs: &[Moldable], rules: Rules) -> Vec<(i64, u32)> {
        let mut placed = vec![(-1, 0); jobs.len()];
        let mut coming: VecDeque<usize> = (0..jobs.len()).collect();
        let mut queue: VecDeque<usize> = VecDeque::new();
        let mut held: Option<(u32, i64)> = None;
        loop {
            let next = coming.front().map(|&id| jobs[id].at);
            let ends = self.running.iter().map(|one| one.end).min();
            let wakes = held.map(|held| held.1);
            let Some(now) = next.into_iter().chain(ends).chain(wakes).min() else { return placed };
            self.ended(now);
            let mut arrival = false;
            while coming.front().is_some_and(|&id| jobs[id].at <= now) {
                queue.extend(coming.pop_front());
                arrival = true;
            }
            while let Some(&id) = queue.front() {
                let (job, free) = (&jobs[id], self.free());
                if free == 0 {
                    break;
                }
                let (most, thinks) =
                    (job.sizes.last().unwrap().0, matches!(rules.why, Why::Opt | Why::Pred { .. }));
                let mut size = job.sizes.iter().rfind(|size| size.0 <= free).copied();
                match held {
                    Some((wanted, _)) if wanted <= free => {
                        if rules.lock_in {
                            size = job.sizes.iter().find(|size| size.0 == wanted).copied();
                        }
                        held = None;
                    }
                    Some((_, until)) if now >= until && !thinks => held = None,
                    Some((_, until)) if now < until && !(thinks && arrival) => {}
                    _ if most <= free => held = None,
                    _ => held = self.hold(job, now, queue.len(), rules),
                }
                let Some((procs, run)) = size.filter(|_| held.is_none()) else { break };
                queue.pop_front();
                placed[id] = (now, procs);
                self.running.push(Running { id, procs, start: now, end: now + run });
            }
        }
    }
}

const PLAIN: Rules = Rules { why: Why::Avg, averse: 0.0, social: false, lock_in: false };

/// Compares start by start, and says how many starts differ from AVG.
fn compare(strategy: &str, rules: Rules, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut differ, mut corrected) = (0, 0);
    for seed in seeds {
        let jobs = random_jobs(seed, seed % 2 == 1);
        let workload = workload(&jobs);
        let mut slow = Slow::default();
        let expected = slow.run(&jobs, rules);
        let found = simulated(&workload, &mut Allotter::new(strategy.parse().unwrap()));
        let wrong = (0..jobs.len()).find(|&place| found[place] != expected[place]);
        assert_eq!(
            wrong.map(|place| (place, found[place])),
            wrong.map(|place| (place, expected[place])),
            "{strategy}, seed {seed}"
        );
        let avg = Slow::default().run(&jobs, PLAIN);
        differ += (0..jobs.len()).filter(|&place| avg[place] != expected[place]).count();
        corrected += slow.corrected;
    }
    (differ, corrected)
}

#[test]
fn avg_is_what_it_says() {
    assert_eq!(compare("avg", PLAIN, 0..200), (0, 0));
}

#[test]
fn opt_is_what_it_says() {
    let opt = Rules { why: Why::Opt, ..PLAIN };
    for (strategy, rules) in [
        ("opt", opt),
        ("opt+lock-in", Rules { lock_in: true, ..opt }),
        ("opt+averse=0.2", Rules { averse: 0.2, ..opt }),
        ("opt+social", Rules { social: true, ..opt }),
        ("opt+lock-in+averse=0.2+social", Rules { lock_in: true, averse: 0.2, social: true, ..opt }),
    ] {
        assert!(compare(strategy, rules, 0..120).0 > 100, "{strategy} does as AVG");
    }
}

#[test]
fn heur_is_what_it_says() {
    for (strategy, patience) in [("heur", 0.2), ("heur+patience=1.5", 1.5)] {
        assert!(compare(strategy, Rules { why: Why::Heur { patience }, ..PLAIN }, 0..120).0 > 100);
    }
}

#[test]
fn bias_is_put_right_only_by_what_has_happened() {
    let outlook = format!("+by=mean+outlook=between:{},{}", LIFETIMES.0, LIFETIMES.1);
    let pred = Rules { why: Why::Pred { corrected: false }, ..PLAIN };
    assert!(compare(&format!("pred{outlook}"), pred, 0..80).0 > 100);
    let bias = Rules { why: Why::Pred { corrected: true }, ..PLAIN };
    for (changes, rules) in [
        ("", bias),
        ("+lock-in+averse=0.2", Rules { lock_in: true, averse: 0.2, ..bias }),
        ("+social", Rules { social: true, ..bias }),
    ] {
        let (differ, corrected) = compare(&format!("bias{outlook}{changes}"), rules, 0..80);
        assert!(differ > 100 && corrected > 1000, "{changes}: {differ}, {corrected}");
    }
}

/// Control: the comparison sees a difference of one rule.
#[test]
#[should_panic(expected = "opt, seed")]
fn another_rule_is_another_schedule() {
    compare("opt", Rules { why: Why::Opt, lock_in: true, ..PLAIN }, 0..120);
}

fn shaped(_id: u64, at: i64, sizes: &[(u32, i64)]) -> Moldable {
    Moldable { at, sizes: sizes.to_vec() }
}

fn starts(strategy: &str, jobs: &[Moldable]) -> Vec<(i64, u32)> {
    simulated(&workload(jobs), &mut Allotter::new(strategy.parse().unwrap()))
}

#[test]
fn a_share_that_is_whole_is_not_rounded_up() {
    // 0.28 times 25 is a little above 7 in floating point.
    let shapes: Vec<_> = std::iter::once(25).chain(1..25).map(|procs| (procs, Some(100), 100)).collect();
    let (job, _) = moldable(&shapes).pair();
    let fewest = |share: f64| Sizes::of(&job, share).all()[0].procs.0;
    assert_eq!([0.28, 0.56, 0.4, 0.0, 1.0].map(fewest), [7, 14, 10, 1, 25]);
    assert_eq!(fewest(0.281), 8);
    let all = Sizes::of(&job, 0.0);
    let wanted = |share: f64| all.at_least(share).unwrap().procs.0;
    assert_eq!([0.28, 0.281, 0.56, 0.0, 1.0].map(wanted), [7, 8, 14, 1, 25]);
}

#[test]
fn who_cannot_start_yet_has_not_begun_to_be_patient() {
    // Two are free and the job needs four; a second later six are, and it wants eight: it would save 500 s by waiting 9 s.
    let jobs = [shaped(1, 0, &[(4, 11)]), shaped(2, 0, &[(10, 20)]), shaped(3, 10, &[(4, 1000), (8, 500)])];
    assert_eq!(starts("heur", &jobs)[2], (20, 8));
    // Control: with little patience it gives in.
    assert_eq!(starts("heur+patience=0.002", &jobs)[2], (12, 4));
}

#[test]
fn everything_at_once_and_nothing_at_all() {
    let strategies =
        ["avg", "opt", "pred", "bias", "heur", "bias+lock-in+averse=1+social+departures", "heur+least=1"];
    for strategy in strategies {
        assert!(starts(strategy, &[]).is_empty());
        assert_eq!(starts(strategy, &[shaped(1, 5, &[(1, 1)])]), [(5, 1)]);
        let crowd: Vec<Moldable> = (1..200).map(|id| shaped(id, 0, &[(1, 9), (MACHINE, 1)])).collect();
        let placed = starts(strategy, &crowd);
        assert!(placed.is_sorted() && placed[0] == (0, MACHINE), "{strategy}");
        let huge =
            [shaped(1, 0, &[(15, 999_999_999_999_999)]), shaped(2, 1, &[(1, 999_999_999_999_999), (16, 1)])];
        assert_eq!(starts(strategy, &huge)[0], (0, 15), "{strategy}");
    }
}

/// Rigid jobs without a limit that take no time: they count as nothing, and all run.
#[test]
fn no_limits_and_no_run_times() {
    for strategy in ["avg", "opt", "pred", "bias", "heur"] {
        let log = jobs::workload(MACHINE, (0..100).map(|number| job(1 + number % MACHINE, 0)));
        let placed = simulated(&log, &mut Allotter::new(strategy.parse().unwrap()));
        assert!(placed.iter().all(|&(start, _)| start == 0), "{strategy}: {placed:?}");
    }
}
