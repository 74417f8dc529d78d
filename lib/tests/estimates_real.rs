//! The estimate model against the paper's logs: how far its distributions are from theirs (section 11.1), over 100
//! seeds.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use queuecast::eval::tsafrir2005::PaperLog;
use queuecast::portrait::Modes;
use queuecast::seed::Seed;
use queuecast::synth::EstimateModel;

/// How far the distributions may be from the log's, on average.
const FURTHEST: f64 = 0.10;

/// What the 20 most popular values cover, in a log and in all that is made after it.
const HEAD: std::ops::RangeInclusive<f64> = 0.86..=0.92;

fn ensure(holds: bool, message: String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message.into()) }
}

fn head(name: &str, modes: &Modes) -> Result<(), Failed> {
    let share = modes.head_share(20);
    ensure(HEAD.contains(&share), format!("{name}: 20 values cover {share:.4}"))
}

/// The mean Kolmogorov-Smirnov distance over 100 seeds; every set is looked at.
fn distance(log: &Modes, model: &EstimateModel) -> Result<f64, Failed> {
    let mut sum = 0.0;
    for seed in 1..=100 {
        let modes = model.modes(Seed(seed)).map_err(|error| error.to_string())?;
        assert_eq!((modes.jobs(), modes.longest()), (log.jobs(), log.longest()), "seed {seed}");
        head(&format!("seed {seed}"), &modes)?;
        sum += log.distance(&modes);
    }
    let many: f64 = (101..=2100).map(|seed| log.distance(&model.modes(Seed(seed)).unwrap())).sum();
    eprintln!("2000 more {}", many / 2000.0);
    Ok(sum / 100.0)
}

/// The log has the head, its models have it, and those that must come close do.
fn check(paper: PaperLog, log: &Modes) -> Result<(), Failed> {
    head(paper.name(), log)?;
    let vanilla = distance(log, &paper.vanilla(log))?;
    let improved = distance(log, &paper.improved(log))?;
    eprintln!(
        "{} K {} N {} head {:.4}: vanilla {vanilla:.4} improved {improved:.4}",
        paper.name(),
        log.len(),
        log.jobs(),
        log.head_share(20)
    );
    let far = format!("mean distance: vanilla {vanilla:.4}, improved {improved:.4}");
    // The paper itself calls vanilla "far less successful" on the two logs with unique features.
    let asked = matches!(paper, PaperLog::Sdsc106 | PaperLog::Ctc);
    ensure(improved <= FURTHEST && (vanilla <= FURTHEST || !asked), far)
}

fn main() {
    let mut trials: Vec<Trial> = Vec::new();
    for paper in PaperLog::ALL {
        let file = format!("{}.swf.gz", paper.file());
        let path = support::traces().map(|traces| traces.join(file)).filter(|path| path.is_file());
        let missing = path.is_none();
        let trial = move || match path {
            Some(path) => {
                let log = support::read(&path, "default", None).workload;
                let modelled = paper.modelled(&log).map_err(|error| error.to_string())?;
                check(paper, &Modes::of(&modelled))
            }
            None => Err("the log is not here".into()),
        };
        trials.push(Trial::test(format!("estimates/{}", paper.name()), trial).with_ignored_flag(missing));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
