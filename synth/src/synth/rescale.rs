//! Rescaling of a workload to another load.

use serde::{Deserialize, Serialize};

use super::SynthError;
use super::error::within;
use queuecast_core::job::{Job, Runs, Truth};
use queuecast_core::spec::choices;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;

/// The load that a workload is rescaled to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadTarget {
    /// To this offered load, as [`Workload::offered_load`] measures it; 0.001 to 100.
    Load(f64),
    /// The present offered load multiplied by this; 0.001 to 1000.
    Factor(f64),
}

/// The quantity that is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaledQuantity {
    /// Times between arrivals. The load is met up to the rounding of the last arrival to a whole second. The length of a
    /// day changes too.
    #[default]
    Arrivals,
    /// Run times and requested times. The load is met up to the rounding to whole seconds; run times stay at least one
    /// second.
    RunTimes,
    /// Numbers of processors, rounded, from one to the whole machine. The load is met as closely as whole processors
    /// allow.
    Sizes,
}

choices! { ScaledQuantity, "quantity":
    Arrivals = "arrivals", "the time between arrivals";
    RunTimes = "run-times", "run times, and requested times with them";
    Sizes = "sizes", "processors, within one and the machine";
}

/// A change of a workload's load. Recorded start times are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rescale {
    /// The load to reach.
    pub to: LoadTarget,
    /// The quantity that is scaled.
    pub by: ScaledQuantity,
}

impl Rescale {
    /// The rescaled workload. Fails if the target is out of range or cannot be reached.
    pub fn of(&self, workload: &Workload) -> Result<Workload, SynthError> {
        match self.to {
            LoadTarget::Load(load) => within("load", load, 0.001, 100.0)?,
            LoadTarget::Factor(factor) => within("factor", factor, 0.001, 1000.0)?,
        }
        let load = workload.offered_load();
        if load <= 0.0 {
            let why = "no job of the workload does any work: there is no load to rescale";
            return Err(SynthError::Unsuitable(why.into()));
        }
        let at_once = workload.jobs().last().map(|last| last.submit) == workload.begins();
        if at_once && (self.by == ScaledQuantity::Arrivals || matches!(self.to, LoadTarget::Load(_))) {
            let why = "all jobs of the workload arrive at one instant: it has no load to reach; rescale run times or \
                       sizes by a factor";
            return Err(SynthError::Unsuitable(why.into()));
        }
        let factor = match self.to {
            LoadTarget::Load(target) => target / load,
            LoadTarget::Factor(factor) => factor,
        };
        match self.by {
            ScaledQuantity::Arrivals => arrivals(workload, factor),
            ScaledQuantity::RunTimes => run_times(workload, factor, self.to),
            ScaledQuantity::Sizes => sizes(workload, factor, self.to),
        }
    }
}

/// Tolerance for rounding of a load that can just be reached.
const NEARLY: f64 = 1e-9;

/// A workload of other jobs with the names and the date of this one.
fn changed(workload: &Workload, jobs: Vec<Job>, truths: Vec<Truth>) -> Result<Workload, SynthError> {
    let mut changed = Workload::from_columns(workload.machine(), jobs, truths)?;
    changed.names.clone_from(&workload.names);
    changed.epoch = workload.epoch;
    Ok(changed)
}

/// # Formula
/// `submit' = first + (submit − first) / factor`
fn arrivals(workload: &Workload, factor: f64) -> Result<Workload, SynthError> {
    let first = workload.begins().unwrap_or_default();
    let span = workload.jobs().last().map_or(Seconds::ZERO, |last| last.submit - first);
    if (span.0 as f64 / factor).round() < 1.0 {
        let why =
            format!("{span} s of arrivals divided by {factor} are less than a second: ask for a lower load");
        return Err(SynthError::Unsuitable(why));
    }
    let mut jobs = workload.jobs().to_vec();
    for job in &mut jobs {
        job.submit = Time(first.0.saturating_add(((job.submit - first).0 as f64 / factor).round() as i64));
    }
    changed(workload, jobs, workload.truths().to_vec())
}

/// What becomes of a length of time: something stays something.
fn stretched(length: Seconds, factor: f64) -> Seconds {
    Seconds(((length.0 as f64 * factor).round() as i64).max(length.0.min(1)))
}

fn run_times(workload: &Workload, factor: f64, to: LoadTarget) -> Result<Workload, SynthError> {
    let area = |factor: f64| -> f64 {
        let pairs = workload.jobs().iter().zip(workload.truths());
        pairs.map(|(job, truth)| f64::from(job.shape.procs.0) * stretched(truth.run(), factor).0 as f64).sum()
    };
    let (now, least) = (area(1.0), area(0.0));
    let wanted = now * factor;
    if wanted < least * (1.0 - NEARLY) {
        let (field, value, least) = match to {
            LoadTarget::Load(load) => ("load", load, workload.offered_load() * least / now),
            LoadTarget::Factor(factor) => ("factor", factor, least / now),
        };
        let expected = format!("at least {least:.3}, with every job down to one second");
        return Err(SynthError::OutOfRange { field, value: value.to_string(), expected });
    }
    // Rounding adds a little or takes it away; a few corrections even that out.
    let mut corrected = factor;
    for _ in 0..4 {
        corrected *= (wanted / area(corrected)).clamp(0.5, 2.0);
    }
    let mut jobs = workload.jobs().to_vec();
    for job in &mut jobs {
        job.shape.limit = job.shape.limit.map(|limit| stretched(limit, corrected));
        for shape in job.other_shapes.iter_mut().flatten() {
            shape.limit = shape.limit.map(|limit| stretched(limit, corrected));
        }
    }
    let mut truths = workload.truths().to_vec();
    for truth in &mut truths {
        match &mut truth.runs {
            Runs::Rigid(run) => *run = stretched(*run, corrected),
            Runs::Moldable(runs) => runs.iter_mut().for_each(|run| *run = stretched(*run, corrected)),
        }
    }
    changed(workload, jobs, truths)
}

fn sizes(workload: &Workload, factor: f64, to: LoadTarget) -> Result<Workload, SynthError> {
    let machine = workload.machine().procs.0;
    let resized = |procs: Procs, factor: f64| {
        Procs((f64::from(procs.0) * factor).round().clamp(1.0, f64::from(machine)) as u32)
    };
    let area = |factor: f64| -> f64 {
        let pairs = workload.jobs().iter().zip(workload.truths());
        pairs.map(|(job, truth)| f64::from(resized(job.shape.procs, factor).0) * truth.run().0 as f64).sum()
    };
    let mut factor = factor;
    if let LoadTarget::Load(load) = to {
        // Loads go with areas; the area only grows with the factor.
        let now = workload.offered_load();
        let of_area = now / area(1.0);
        let (least, most) = (area(0.0) * of_area, area(f64::from(machine)) * of_area);
        if load < least * (1.0 - NEARLY) || load > most * (1.0 + NEARLY) {
            let expected =
                format!("between {least:.3} and {most:.3}, with every job on 1 to {machine} processors");
            return Err(SynthError::OutOfRange { field: "load", value: load.to_string(), expected });
        }
        // Halved on a logarithmic scale, since a factor may be as small as one processor of millions.
        let (mut low, mut high) = (0.25 / f64::from(machine), f64::from(machine));
        for _ in 0..60 {
            let middle = f64::sqrt(low * high);
            if area(middle) * of_area < load {
                low = middle;
            } else {
                high = middle;
            }
        }
        factor = if load - area(low) * of_area < area(high) * of_area - load { low } else { high };
    }
    let mut jobs = workload.jobs().to_vec();
    for job in &mut jobs {
        job.shape.procs = resized(job.shape.procs, factor);
        for shape in job.other_shapes.iter_mut().flatten() {
            shape.procs = resized(shape.procs, factor);
        }
    }
    changed(workload, jobs, workload.truths().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::Habits;
    use queuecast_core::seed::Seed;
    use queuecast_core::workload::Machine;

    fn workload() -> Workload {
        Habits { jobs: 5000, ..Habits::default() }.generate(Seed(4)).unwrap()
    }

    fn to(load: f64, by: ScaledQuantity) -> Workload {
        Rescale { to: LoadTarget::Load(load), by }.of(&workload()).unwrap()
    }

    #[test]
    fn the_load_asked_for_is_reached() {
        for load in [0.05, 0.5, 0.9, 1.3, 7.0] {
            let by_arrivals = to(load, ScaledQuantity::Arrivals);
            let span = by_arrivals.jobs().last().unwrap().submit - by_arrivals.begins().unwrap();
            // The span is off by half a second at most.
            let offered = by_arrivals.offered_load();
            assert!((offered / load - 1.0).abs() <= 0.51 / span.0 as f64, "{offered} instead of {load}");
            let offered = to(load, ScaledQuantity::RunTimes).offered_load();
            assert!((offered / load - 1.0).abs() < 1e-3, "{offered} instead of {load}");
            assert_eq!(by_arrivals.truths(), workload().truths());
        }
        for load in [0.5, 1.3] {
            let offered = to(load, ScaledQuantity::Sizes).offered_load();
            assert!((offered / load - 1.0).abs() < 0.05, "{offered} instead of {load}");
        }
    }

    #[test]
    fn a_factor_is_one_of_the_load() {
        let by = |by, factor| Rescale { to: LoadTarget::Factor(factor), by }.of(&workload()).unwrap();
        assert_eq!(by(ScaledQuantity::Arrivals, 1.0), workload());
        assert_eq!(by(ScaledQuantity::RunTimes, 1.0), workload());
        assert_eq!(by(ScaledQuantity::Sizes, 1.0), workload());
        let doubled = by(ScaledQuantity::Arrivals, 2.0).offered_load() / workload().offered_load();
        assert!((doubled - 2.0).abs() < 1e-4, "{doubled}");
        for (one, other) in by(ScaledQuantity::Sizes, 2.0).jobs().iter().zip(workload().jobs()) {
            assert_eq!(one.shape.procs.0, (2 * other.shape.procs.0).min(256));
        }
    }

    #[test]
    fn no_job_outruns_its_requested_time() {
        let half = to(0.4, ScaledQuantity::RunTimes);
        for (job, truth) in half.jobs().iter().zip(half.truths()) {
            assert!(truth.run() >= Seconds(1) && truth.run() <= job.shape.limit.unwrap());
        }
        assert_ne!(half.truths(), workload().truths());
    }

    #[test]
    fn impossible_loads_are_named() {
        let complain = |to, by| Rescale { to, by }.of(&workload()).unwrap_err().to_string();
        let by = ScaledQuantity::Arrivals;
        assert_eq!(complain(LoadTarget::Load(-0.5), by), "load = -0.5: must be between 0.001 and 100");
        assert_eq!(complain(LoadTarget::Load(0.0), by), "load = 0: must be between 0.001 and 100");
        assert_eq!(complain(LoadTarget::Load(f64::NAN), by), "load = NaN: must be between 0.001 and 100");
        assert_eq!(
            complain(LoadTarget::Factor(1e9), by),
            "factor = 1000000000: must be between 0.001 and 1000"
        );
        let sizes = complain(LoadTarget::Load(99.0), ScaledQuantity::Sizes);
        assert!(sizes.starts_with("load = 99: must be between 0.0"), "{sizes}");
    }

    #[test]
    fn nothing_and_next_to_nothing_say_why() {
        let machine = Machine { procs: Procs(4) };
        let job = |submit| (Job::rigid(1, Time(submit), Procs(1), None), Truth::rigid(Seconds(5)));
        let complain = |jobs: Vec<(Job, Truth)>, load| {
            let rescale = Rescale { to: LoadTarget::Load(load), by: ScaledQuantity::Arrivals };
            rescale.of(&Workload::new(machine, jobs).unwrap()).unwrap_err().to_string()
        };
        assert!(complain(vec![], 0.5).contains("no load to rescale"));
        assert!(complain(vec![job(3)], 0.5).contains("arrive at one instant"));
        for by in [ScaledQuantity::Arrivals, ScaledQuantity::RunTimes, ScaledQuantity::Sizes] {
            let at_once = Workload::new(machine, vec![job(3), job(3)]).unwrap();
            let error = Rescale { to: LoadTarget::Load(0.5), by }.of(&at_once).unwrap_err().to_string();
            assert!(error.contains("arrive at one instant"), "{by:?}: {error}");
            // Control: twice the work is twice the work.
            let doubled = Rescale { to: LoadTarget::Factor(2.0), by }.of(&at_once);
            assert_eq!(doubled.is_ok(), by != ScaledQuantity::Arrivals, "{by:?}");
        }
        assert!(complain(vec![job(3), job(4)], 90.0).contains("less than a second"));
    }
}
