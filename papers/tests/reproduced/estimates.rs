//! The estimate model against the paper's logs: how far its distributions are from theirs (section 11.1), over 100
//! seeds.

use libtest_mimic::{Failed, Trial};
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_papers::tsafrir2005::PaperLog;
use queuecast_synth::characterization::{Mode, Modes};
use queuecast_synth::synth::EstimateModel;

use crate::logs;

/// How far the distributions may be from the log's, on average.
const FURTHEST: f64 = 0.10;

/// What the 20 most popular values cover, in a log and in all that is made after it.
const HEAD: std::ops::RangeInclusive<f64> = 0.86..=0.92;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=100;

fn ensure(holds: bool, message: String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message.into()) }
}

fn head(name: &str, modes: &Modes) -> Result<(), Failed> {
    let share = modes.head_share(20);
    ensure(HEAD.contains(&share), format!("{name}: 20 values cover {share:.4}"))
}

/// A distribution for each seed, each of them looked at.
fn sets(model: &EstimateModel) -> Result<Vec<Modes>, Failed> {
    let mut sets = Vec::new();
    for seed in SEEDS {
        let modes = model.modes(Seed(seed)).map_err(|error| error.to_string())?;
        assert_eq!((modes.jobs(), modes.longest()), (model.jobs, Some(model.longest)), "seed {seed}");
        head(&format!("seed {seed}"), &modes)?;
        sets.push(modes);
    }
    Ok(sets)
}

/// The mean Kolmogorov-Smirnov distance.
fn distance(log: &Modes, sets: &[Modes]) -> f64 {
    sets.iter().map(|modes| log.distance(modes)).sum::<f64>() / sets.len() as f64
}

fn close(what: &str, log: &Modes, sets: &[Modes]) -> Result<(), Failed> {
    let mean = distance(log, sets);
    ensure(mean <= FURTHEST, format!("{what}: mean distance {mean:.4}"))
}

/// The log has the head, its models have it, and those that must come close do. Of the two logs with unique features
/// the paper itself finds vanilla "far less successful".
fn check(paper: PaperLog, log: &Modes) -> Result<(), Failed> {
    head(paper.name(), log)?;
    let vanilla = sets(&paper.vanilla(log))?;
    let improved = sets(&paper.improved(log))?;
    match paper {
        PaperLog::Sdsc106 | PaperLog::Ctc => {
            close("vanilla", log, &vanilla)?;
            close("improved", log, &improved)
        }
        PaperLog::Blue => close("improved", log, &improved),
        PaperLog::Kth4h => kth(log, &improved),
    }?;
    let [vanilla, improved] = [vanilla, improved].map(|sets| distance(log, &sets));
    ensure(improved < vanilla, format!("vanilla {vanilla:.4}, improved {improved:.4}"))
}

/// KTH4H's improved setting says that the quarter of the jobs that ask for at most five minutes ask for five: closer
/// than the 14 % that ask for less it cannot come, and that, at four minutes, is all that keeps it. It is close to the
/// log with these taken for five minutes, and to the log as it is once it is told of them.
fn kth(log: &Modes, improved: &[Modes]) -> Result<(), Failed> {
    let [four, five] = [4, 5].map(|minutes| Seconds(minutes * 60));
    ensure(log.cumulative(four) > FURTHEST, "nothing is unique below five minutes".into())?;
    for modes in improved {
        let gap = log.cumulative(four) - modes.cumulative(four);
        let distance = log.distance(modes);
        ensure(
            (distance - gap).abs() < 1e-12,
            format!("{distance:.4} is not {gap:.4}, that at four minutes"),
        )?;
    }
    let raised = |mode: &Mode| Mode { time: mode.time.max(five), jobs: mode.jobs };
    close("improved, from five minutes on", &log.by_time().iter().map(raised).collect(), improved)?;
    close("told apart", log, &sets(&PaperLog::told_apart(log))?)
}

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for paper in PaperLog::ALL {
        let file = format!("{}.swf.gz", paper.file());
        let path = logs::traces().map(|traces| traces.join(file)).filter(|path| path.is_file());
        let missing = path.is_none();
        let trial = move || match path {
            Some(path) => {
                let log = logs::read(&path, "default").workload;
                let modelled = paper.modelled(&log).map_err(|error| error.to_string())?;
                check(paper, &Modes::of(&modelled))
            }
            None => Err("the log is not here".into()),
        };
        trials.push(
            Trial::test(format!("estimates::estimates/{}", paper.name()), trial).with_ignored_flag(missing),
        );
    }
    // A machine whose jobs mostly ask for a fifth of what the model expects.
    trials.push(Trial::test("estimates::control/a_distribution_unlike_the_model_is_found", || {
        let [model, other] = [64_800, 14_400].map(|longest| EstimateModel::new(50_000, Seconds(longest)));
        let other = other.modes(Seed(1)).map_err(|error| error.to_string())?;
        close("", &other, &sets(&model)?).err().map(|_| ()).ok_or_else(|| "nothing was found".into())
    }));
    trials.push(Trial::test("estimates::control/a_head_that_covers_too_little_is_found", || {
        let flat: Modes = (1..=100).map(|minutes| Mode { time: Seconds(minutes * 60), jobs: 9 }).collect();
        head("", &flat).err().map(|_| ()).ok_or_else(|| "nothing was found".into())
    }));
    trials
}
