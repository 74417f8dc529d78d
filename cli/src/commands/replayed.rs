//! `--replay`: a log, or the made-up one of `demo`, to be played as if it were live.

use std::path::Path;

use queuecast_core::seed::Seed;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_report::swf::{self, Heading};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_study::Experiment;
use queuecast_synth::synth::Habits;

use super::raw_trace::RawTrace;
use super::source::Source;

/// The word for the made-up log.
pub const DEMO: &str = "demo";

/// Whose jobs come first in it.
pub const DEMO_USER: &str = "user01";

/// Reads what is named: a file, or the jobs of `queuecast demo` as EASY starts them.
pub fn read(named: &Path, source: &Source, printer: &Printer) -> Result<RawTrace, Failure> {
    if named != Path::new(DEMO) {
        return RawTrace::read(named, &source.options(), printer);
    }
    let unexpected = |error: String| Failure::unexpected(format!("the made-up log: {error}"));
    let workload = Habits::default().generate(Seed(1)).map_err(|error| unexpected(error.to_string()))?;
    let easy = Experiment::new(Backfill::easy(), PredictorSpec::Requested);
    let schedule = easy.run(&workload).map_err(|error| unexpected(error.to_string()))?;
    let text = swf::write(Vec::new(), Heading::default(), &workload, Some(&schedule))
        .map_err(|error| unexpected(error.to_string()))?;
    RawTrace::of_text(DEMO, &text, &source.options())
}

#[cfg(test)]
mod tests {
    use queuecast_core::units::{Seconds, Time};
    use queuecast_forecast::forecast::WhenSettings;
    use queuecast_place::{AskedPlace, PendingAnswer, PlayedLog, pending_at};
    use queuecast_process::told;
    use queuecast_report::json;
    use queuecast_trace::TimeZone;

    use super::*;
    use crate::commands::arguments_alone;

    #[test]
    fn a_played_log_answers_as_one_that_is_asked_about_a_moment() {
        let printer = Printer::silent();
        let source = arguments_alone::parse::<Source>("reads").unwrap();
        let raw = read(Path::new(DEMO), &source, &printer).unwrap();
        let (settings, zone) = (WhenSettings::default(), TimeZone::UTC);
        let asked = |at: Time| -> PendingAnswer {
            let known = raw.known_at(at, None, &printer).unwrap();
            let place = AskedPlace::Log { log: known.named(), at };
            told::asked(&printer, |messages| pending_at(place, Some(DEMO_USER), &settings, &zone, messages))
                .unwrap()
        };
        let whole = raw.whole(&printer).unwrap();
        let first = Time(10 * 86_400);
        let mut played =
            told::asked(&printer, |messages| PlayedLog::from(whole.named(), first, &settings, messages))
                .unwrap();
        let answer = played.pending(first, Some(DEMO_USER), &zone).unwrap();
        let expected = asked(first);
        assert!(answer.jobs.len() > 3 && answer.jobs.iter().any(|job| job.own), "{answer:?}");
        assert_eq!(json(&answer).unwrap(), json(&expected).unwrap());
        // Later on it has learned from the same jobs; only the past queues that it was asked about are others.
        let then = first + Seconds(40_000);
        let (answer, expected) = (played.pending(then, Some(DEMO_USER), &zone).unwrap(), asked(then));
        assert_eq!(json(&answer.moment).unwrap(), json(&expected.moment).unwrap());
        let names = |of: &PendingAnswer| of.jobs.iter().map(|one| one.job.clone()).collect::<Vec<_>>();
        assert_eq!(names(&answer), names(&expected));
        let queue =
            |of: &PendingAnswer| (of.queues[0].free, of.queues[0].running, of.queues[0].history.clone());
        assert_eq!(queue(&answer), queue(&expected));
        // A moment that has passed is the last one.
        assert_eq!(played.pending(first, None, &zone).unwrap().moment.time, then);
    }
}
