//! What is simulated: workloads, and the strategies that are tried on each.

use super::{Part, SEEDS};
use queuecast_core::spec::SpecError;
use queuecast_forecast::allot::Strategy;
use queuecast_study::molding::Molding;
use queuecast_synth::synth::{Downey, DowneyArrivals, Law, Rounding};

/// One workload model, and what is tried on it.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkloadSetting {
    /// What it is tried for.
    pub part: Part,
    /// What is different about it.
    pub name: String,
    /// Where its jobs come from, what is carried out (section 6), and what is recorded (section 5).
    pub molding: Molding,
    /// How many seeds.
    pub seeds: u64,
}

/// All settings of the reproduction.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In the order of [`Part::ALL`].
    pub settings: Vec<WorkloadSetting>,
}

/// The jobs of the paper's run.
pub const JOBS: u32 = 30_421;

/// The jobs of a setting that is one of many.
const SWEEP_JOBS: u32 = 10_000;

/// The processors of its machine.
const PROCS: u32 = 128;

/// What the paper could have gone by: equation 5 with the lifetimes of section 2.2.1, e² to e¹² s.
const LIFETIMES: &str = "+outlook=line:-0.2,0.1";

/// The strategies of Tables 1 and 2 and of section 6.1, as rows of the results are called.
pub const AVG: &str = "AVG";
pub const OPT: &str = "OPT";
pub const PRED: &str = "PRED";
pub const BIAS: &str = "BIAS";
pub const HEUR: &str = "HEUR";
pub const LOCK_IN: &str = "BIAS, lock-in";
pub const AVERSE: &str = "BIAS, lock-in, risk-averse";
pub const LEAST: &str = "AVG, at least 40 %";
pub const SOCIAL: &str = "PRED, internalised cost";

/// A strategy by the name of its row.
fn named(name: &str) -> Result<Strategy, SpecError> {
    let with = |spec: &str| format!("{spec}{LIFETIMES}").parse();
    match name {
        PRED => with("pred"),
        BIAS => with("bias"),
        LOCK_IN => with("bias+lock-in"),
        AVERSE => with("bias+lock-in+averse=0.2"),
        LEAST => "avg+least=0.4".parse(),
        SOCIAL => with("pred+social"),
        AVG | OPT | HEUR => name.to_lowercase().parse(),
        spec => spec.parse(),
    }
}

fn all(names: &[&str]) -> Result<Vec<Strategy>, SpecError> {
    names.iter().map(|name| named(name)).collect()
}

/// What the rows of the main setting are called, in the order they are simulated.
pub const ENACTED: [&str; 8] = [AVG, OPT, PRED, BIAS, HEUR, LOCK_IN, AVERSE, LEAST];

/// What the rows of Table 1 are called.
pub const RECORDED: [&str; 4] = [OPT, PRED, BIAS, HEUR];

/// Carried out on readings of the workload.
pub const READINGS: [&str; 3] = [AVG, OPT, HEUR];

/// Carried out, and recorded but for the last two, with queue times counted twice.
pub const CAUTIOUS: [&str; 5] = [
    AVG,
    "pred+outlook=line:-0.2,0.1+stretch=2",
    "bias+outlook=line:-0.2,0.1+stretch=2",
    "bias+outlook=line:-0.2,0.1+stretch=2+lock-in",
    "bias+outlook=line:-0.2,0.1+stretch=2+lock-in+averse=0.2",
];

/// What the row of BIAS with a line of its own is called in the table `literal`.
pub const FITTED: &str = "BIAS, line fitted";

/// Carried out, and the first three after AVG recorded, with equation 5 as printed. BIAS corrects by the line that the paper
/// prints (section 5.4), and once by a line fitted to its own predictions.
pub const LITERAL: [&str; 6] = [
    AVG,
    "pred+outlook=line:-0.2,0.1+literal",
    "bias+outlook=line:-0.2,0.1+literal+intercept=1.7+slope=0.6",
    "bias+outlook=line:-0.2,0.1+literal",
    "bias+outlook=line:-0.2,0.1+literal+intercept=1.7+slope=0.6+lock-in",
    "bias+outlook=line:-0.2,0.1+literal+intercept=1.7+slope=0.6+lock-in+averse=0.2",
];

/// Other ways to predict, and what is known of run times: what is different, and how PRED and BIAS are changed by it.
pub const VARIANTS: [(&str, &str); 13] = [
    ("as in the tables", "+outlook=line:-0.2,0.1"),
    ("equation 5 as printed", "+outlook=line:-0.2,0.1+literal"),
    ("equation 5 as printed, lifetimes from 1 s", "+outlook=between:1,162755+literal"),
    ("lifetimes from 1 s to e^12 s", "+outlook=between:1,162755"),
    ("lifetimes fitted online", ""),
    ("exact median", "+by=exact+outlook=line:-0.2,0.1"),
    ("exact median, lifetimes from 1 s", "+by=exact+outlook=between:1,162755"),
    ("predictor A alone, the median", "+by=median+outlook=line:-0.2,0.1"),
    ("predictor B alone, the mean", "+by=mean+outlook=line:-0.2,0.1"),
    ("prompted by departures too", "+outlook=line:-0.2,0.1+departures"),
    ("internalised cost, q Q(n) + R(n)", "+outlook=line:-0.2,0.1+social"),
    ("run times known within a factor of 10", "+outlook=forecast:10"),
    ("run times known within a factor of 3", "+outlook=forecast:3"),
];

/// PRED and BIAS of each variant, after AVG.
fn variants() -> Vec<String> {
    let both = VARIANTS.iter().flat_map(|(_, change)| ["pred", "bias"].map(|of| format!("{of}{change}")));
    std::iter::once(AVG.to_owned()).chain(both).collect()
}

/// Carried out over loads, machines and distributions.
pub const SWEPT: [&str; 7] = [AVG, OPT, PRED, BIAS, HEUR, AVERSE, SOCIAL];

/// The loads of the sweep.
pub const LOADS: [f64; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// The machines of the sweep.
pub const MACHINES: [u32; 5] = [32, 64, 128, 256, 512];

/// The distributions of the sweep: what is different, and the law.
pub const LAWS: [(&str, &str); 6] = [
    ("lifetimes log-normal", "log-normal:1097,8"),
    ("parallelism uniform", "uniform:1,128"),
    ("variance always 0", "exactly:0"),
    ("variance always 2", "exactly:2"),
    ("memory of 1 to 32 processors", "uniform-log:1,32"),
    ("communication beyond 8 to 128", "uniform-log:8,128"),
];

/// The paper's workload: moldable jobs at ρ = 0.75. Parallelism is rounded up and days begin on an idle machine (see the
/// table of readings).
fn paper(jobs: u32) -> Downey {
    Downey {
        moldable: true,
        rounding: Rounding::Up,
        arrivals: DowneyArrivals::Apart,
        ..Downey::new(jobs, PROCS)
    }
}

/// Readings of the workload other than the one that is used: how parallelism is rounded, and how days follow each other.
fn readings() -> impl Iterator<Item = (String, Downey)> {
    let roundings = [
        (Rounding::Up, "A rounded up"),
        (Rounding::Whole, "A rounded to the nearest"),
        (Rounding::Down, "A rounded down"),
    ];
    let days = [(DowneyArrivals::Apart, "idle mornings"), (DowneyArrivals::Daytime, "12-hour nights")];
    roundings.into_iter().flat_map(move |(rounding, of)| {
        days.into_iter().map(move |(arrivals, with)| {
            (format!("{of}, {with}"), Downey { rounding, arrivals, ..paper(JOBS) })
        })
    })
}

impl Plan {
    /// What has to be simulated for these parts, with `seeds` seeds for the paper's own tables; the experiments beside
    /// them make do with fewer.
    pub fn new(parts: &[Part], seeds: u64) -> Result<Plan, SpecError> {
        let few = seeds.min(SEEDS / 4);
        let mut settings = Vec::new();
        let mut add =
            |part: Part, name: String, model: Downey, enacted: &[&str], recorded: &[&str], seeds: u64| {
                let molding = Molding { model, enacted: all(enacted)?, recorded: all(recorded)? };
                settings.push(WorkloadSetting { part, name, molding, seeds });
                Ok::<(), SpecError>(())
            };
        for &part in Part::ALL.iter().filter(|part| parts.contains(part)) {
            match part {
                Part::Paper => add(part, "paper".into(), paper(JOBS), &ENACTED, &RECORDED, seeds)?,
                Part::Readings => {
                    for (name, model) in readings() {
                        add(part, name, model, &READINGS, &[OPT], few)?;
                    }
                }
                Part::Caution => {
                    add(part, "counted twice".into(), paper(JOBS), &CAUTIOUS, &CAUTIOUS[1..3], seeds)?;
                }
                Part::Literal => {
                    add(part, "equation 5".into(), paper(JOBS), &LITERAL, &LITERAL[1..4], seeds)?;
                }
                Part::Variants => {
                    let variants = variants();
                    let variants: Vec<&str> = variants.iter().map(String::as_str).collect();
                    add(part, "variants".into(), paper(SWEEP_JOBS), &variants, &variants[1..], few)?;
                }
                Part::Loads => {
                    for load in LOADS {
                        let model = Downey { load, ..paper(SWEEP_JOBS) };
                        add(part, format!("{load:.1}"), model, &SWEPT, &RECORDED, few)?;
                    }
                }
                Part::Machines => {
                    for procs in MACHINES {
                        let parallelism = Downey::new(1, procs).parallelism;
                        let model = Downey { procs, parallelism, ..paper(SWEEP_JOBS) };
                        add(part, procs.to_string(), model, &SWEPT, &RECORDED, few)?;
                    }
                }
                Part::Laws => {
                    add(part, "as in the paper".into(), paper(SWEEP_JOBS), &SWEPT, &RECORDED, few)?;
                    for (name, law) in LAWS {
                        add(part, name.into(), with(name, law.parse()?), &SWEPT, &RECORDED, few)?;
                    }
                }
            }
        }
        Ok(Plan { settings })
    }
}

/// The paper's workload with another law for what the name begins with.
fn with(name: &str, law: Law) -> Downey {
    let mut model = paper(SWEEP_JOBS);
    let replaced = match name.split(' ').next() {
        Some("lifetimes") => &mut model.lifetime,
        Some("parallelism") => &mut model.parallelism,
        Some("variance") => &mut model.variance,
        Some("memory") => &mut model.memory,
        _ => &mut model.communication,
    };
    *replaced = law;
    model
}
