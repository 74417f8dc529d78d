//! The languages themselves: names, what they mean, and the library's reader for each.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queuecast::allot::Strategy;
use queuecast::eval::Dimension;
use queuecast::predict::{Correction, PredictorSpec};
use queuecast::sim::{Backfill, Depth, EventOrder, Formula, LimitRule, Order};
use queuecast::spec::SpecError;
use queuecast::trace::{Ruleset, TimeZone};

use super::{Form, SpecParser, form, of, templates};

fn why(error: SpecError) -> String {
    error.why
}

/// `--policy`.
pub fn policy() -> SpecParser<Backfill> {
    of()
}

/// `--predictor`, which may name a file of templates.
pub fn predictor() -> SpecParser<PredictorSpec> {
    of().read_by(|text| match text.strip_prefix("template:@") {
        Some(path) => templates::read(path).map(PredictorSpec::Template),
        None => text.parse().map_err(why),
    })
}

/// `--correction`.
pub fn correction() -> SpecParser<Correction> {
    of()
}

/// `--event-order`.
pub fn event_order() -> SpecParser<EventOrder> {
    of()
}

/// `--limit`.
pub fn limit() -> SpecParser<LimitRule> {
    of()
}

/// Strategies of allocation.
pub fn strategy() -> SpecParser<Strategy> {
    const FORMS: &[Form] = &[
        form("avg", "", "starts on what is free, on no more than it prefers"),
        form("opt", "", "holds out for the shortest turnaround, knowing when running jobs end"),
        form("pred", "[+by=…][+outlook=…][+stretch=…]", "the same by predicted queue times"),
        form("bias", "[+by=…][+outlook=…][+stretch=…]", "the same, put right by what became of earlier ones"),
        form(
            "heur",
            "[+longer=…][+wider=…][+fraction=…][+patience=…]",
            "long and parallel jobs hold out, whatever the machine is like",
        ),
    ];
    SpecParser::new(FORMS, |text| text.parse().map_err(why))
}

/// `--backfill-order`.
pub fn backfill_order() -> SpecParser<Order> {
    of()
}

/// `--clean`.
pub fn ruleset() -> SpecParser<Ruleset> {
    const FORMS: &[Form] = &[
        form("none", "", "remove only what cannot be a job at all"),
        form("default", "", "as none; runs of 0 s last 1 s, partial executions count once"),
        form("predictsim", "", "the SC'15 study's: no zero runs, runs cut to requested times"),
        form("reference", "", "for comparison only: missing requests are taken from run times"),
    ];
    SpecParser::new(FORMS, |text| text.parse::<Ruleset>().map_err(|error| error.to_string()))
}

/// `--by`.
pub fn dimension() -> impl TypedValueParser<Value = Dimension> {
    let value = |dimension: Dimension| {
        let value = PossibleValue::new(dimension.word());
        if dimension == Dimension::SizeClass { value.alias("size") } else { value }
    };
    PossibleValuesParser::new(Dimension::ALL.map(value)).map(|word| {
        let named = Dimension::ALL.into_iter().find(|dimension| dimension.word() == word);
        // The only other word that passes is the alias.
        named.unwrap_or(Dimension::SizeClass)
    })
}

/// Reads `--depth`: how many waiting jobs hold a reservation.
pub fn depth(text: &str) -> Result<Depth, String> {
    text.parse().map_err(why)
}

/// Reads `--priority`.
pub fn formula(text: &str) -> Result<Formula, String> {
    text.parse().map_err(why)
}

/// Reads `--time-zone`.
pub fn time_zone(text: &str) -> Result<TimeZone, String> {
    TimeZone::get(text).map_err(|_| "no such time zone; write it as Europe/Stockholm, or UTC".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths() {
        assert_eq!(depth("all"), Ok(Depth::All));
        assert_eq!(depth("3"), Ok(Depth::First(3)));
        assert!(["0", "-1", "some", ""].iter().all(|text| depth(text).is_err()));
    }

    #[test]
    fn zones_and_formulas() {
        assert!(time_zone("Europe/Stockholm").is_ok());
        assert!(time_zone("Europe/Nowhere").is_err_and(|why| why.contains("no such time zone")));
        assert!(formula("wait/requested").is_ok());
        assert!(formula("wait/").is_err_and(|why| why.contains("position 6")));
    }
}
