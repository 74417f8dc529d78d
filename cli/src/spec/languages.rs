//! The languages themselves: names, what they mean, and the library's reader for each.

use std::num::IntErrorKind;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queuecast::allot::Strategy;
use queuecast::eval::Dimension;
use queuecast::predict::{Correction, PredictorSpec};
use queuecast::sim::{Backfill, Depth, EventOrder, Formula, LimitRule, Order};
use queuecast::spec::SpecError;
use queuecast::trace::{Ruleset, TimeZone};

use super::{Form, Spec, form, templates};

fn why(error: SpecError) -> String {
    error.why
}

/// `--policy`.
pub fn policy() -> Spec<Backfill> {
    const FORMS: &[Form] = &[
        form("fcfs", "", "first come, first served: nobody overtakes"),
        form("easy", "", "EASY backfilling: overtake, but never delay the first in the queue"),
        form("sjbf", "", "EASY, trying the jobs predicted shortest first"),
        form("conservative", "", "overtake, but never delay anybody in the queue"),
    ];
    Spec::new(FORMS, |text| text.parse().map_err(why))
}

/// `--predictor`.
pub fn predictor() -> Spec<PredictorSpec> {
    const FORMS: &[Form] = &[
        form("requested", "", "the time the user asked for"),
        form("perfect", "", "the actual run time"),
        form("constant", ":SECONDS", "the same for every job"),
        form("recent", ":K[:STATISTIC]", "mean (or other statistic) of the user's last K run times"),
        form("ruh", "[:K,SETTINGS]", "median of the user's last 3 (or K) run times"),
        form("sbh", "[:[CRITERIA],SETTINGS]", "what jobs alike did in the user's sessions"),
        form("template", ":SET", "what similar jobs did, by templates as in (u,e),(q,u,n=4,lr), or @FILE"),
        form("gibbons", "[:rel]", "six templates over user, executable and size"),
        form("downey", "[:median|mean]", "the distribution of run times in the job's queue"),
    ];
    Spec::new(FORMS, |text| match text.strip_prefix("template:@") {
        Some(path) => templates::read(path).map(PredictorSpec::Template),
        None => text.parse().map_err(why),
    })
}

/// `--correction`.
pub fn correction() -> Spec<Correction> {
    const FORMS: &[Form] = &[
        form("requested", "", "to the time the user asked for"),
        form("increments", "[:free]", "by ever larger amounts"),
        form("factor", ":F[:until=SECONDS][:free]", "by a factor each time"),
    ];
    Spec::new(FORMS, |text| text.parse().map_err(why))
}

/// `--event-order`.
pub fn event_order() -> Spec<EventOrder> {
    const FORMS: &[Form] = &[
        form("textbook", "", "ends, overruns and arrivals of one instant first, then one plan"),
        form("pyss", "", "as the PYSS simulator orders them, to compare with its results"),
    ];
    Spec::new(FORMS, |text| text.parse().map_err(why))
}

/// `--limit`.
pub fn limit() -> Spec<LimitRule> {
    const FORMS: &[Form] = &[
        form("kill", "", "it is killed, as most systems do"),
        form("ignore", "", "it runs on to its recorded end"),
    ];
    Spec::new(FORMS, |text| text.parse().map_err(why))
}

/// Strategies of allocation.
pub fn strategy() -> Spec<Strategy> {
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
    Spec::new(FORMS, |text| text.parse().map_err(why))
}

/// `--backfill-order`.
pub fn backfill_order() -> Spec<Order> {
    const FORMS: &[Form] = &[
        form("arrival", "", "first come, first tried"),
        form("shortest", "", "predicted shortest first"),
        form("smallest", "", "fewest processors first"),
        form("largest", "", "most processors first"),
        form("area", "", "largest processors times predicted time first"),
    ];
    Spec::new(FORMS, |text| text.parse().map_err(why))
}

/// `--clean`.
pub fn ruleset() -> Spec<Ruleset> {
    const FORMS: &[Form] = &[
        form("none", "", "remove only what cannot be a job at all"),
        form("default", "", "as none; runs of 0 s last 1 s, partial executions count once"),
        form("predictsim", "", "the SC'15 study's: no zero runs, runs cut to requested times"),
        form("reference", "", "for comparison only: missing requests are taken from run times"),
    ];
    Spec::new(FORMS, |text| text.parse::<Ruleset>().map_err(|error| error.to_string()))
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
    match text.parse() {
        _ if text == "all" => Ok(Depth::All),
        Ok(depth) if depth >= 1 => Ok(Depth::First(depth)),
        _ => Err("expected a whole number from 1 on, or \"all\"".to_owned()),
    }
}

/// Reads `--priority`.
pub fn formula(text: &str) -> Result<Formula, String> {
    text.parse().map_err(why)
}

/// Reads `--time-zone`.
pub fn time_zone(text: &str) -> Result<TimeZone, String> {
    TimeZone::get(text).map_err(|_| "no such time zone; write it as Europe/Stockholm, or UTC".to_owned())
}

/// Reads a whole number from 1 on.
pub fn at_least_one<T: TryFrom<i64>>(text: &str) -> Result<T, String> {
    at_least::<1, T>(text)
}

/// Reads a whole number from `LEAST` on.
pub fn at_least<const LEAST: i64, T: TryFrom<i64>>(text: &str) -> Result<T, String> {
    let number: i64 = text.parse().map_err(|error: std::num::ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "too large".to_owned(),
        IntErrorKind::NegOverflow => format!("must be at least {LEAST}"),
        _ => "expected a whole number".to_owned(),
    })?;
    if number < LEAST {
        return Err(format!("must be at least {LEAST}"));
    }
    T::try_from(number).map_err(|_| "too large".to_owned())
}

/// More seeds change nothing that can be seen, and take days.
const MOST_SEEDS: u64 = 1_000;

/// Reads how many seeds: one has no deviation.
pub fn seeds(text: &str) -> Result<u64, String> {
    let seeds = at_least::<2, u64>(text)?;
    if seeds <= MOST_SEEDS { Ok(seeds) } else { Err(format!("must be at most {MOST_SEEDS}")) }
}

/// Reads a positive, finite number.
pub fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err("expected a number above zero".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_and_factors() {
        assert_eq!(depth("all"), Ok(Depth::All));
        assert_eq!(depth("3"), Ok(Depth::First(3)));
        assert!(["0", "-1", "some", ""].iter().all(|text| depth(text).is_err()));
        assert_eq!(positive("1.5"), Ok(1.5));
        assert!(["0", "-1", "nan", "inf", "x"].iter().all(|text| positive(text).is_err()));
    }

    #[test]
    fn counts_begin_where_they_must() {
        assert_eq!(at_least_one::<u32>("1"), Ok(1));
        assert_eq!(at_least::<2, u32>("1"), Err("must be at least 2".to_owned()));
        assert_eq!(at_least_one::<u16>("-1"), Err("must be at least 1".to_owned()));
        assert_eq!(at_least_one::<u16>("-99999999999999999999"), Err("must be at least 1".to_owned()));
        for large in ["65536", "99999999999999999999"] {
            assert_eq!(at_least_one::<u16>(large), Err("too large".to_owned()));
        }
        assert_eq!(at_least_one::<u32>("many"), Err("expected a whole number".to_owned()));
    }

    #[test]
    fn one_seed_is_too_few() {
        assert_eq!((seeds("2"), seeds("1000")), (Ok(2), Ok(1_000)));
        assert_eq!(seeds("1"), Err("must be at least 2".to_owned()));
        assert_eq!(seeds("1001"), Err("must be at most 1000".to_owned()));
    }

    #[test]
    fn zones_and_formulas() {
        assert!(time_zone("Europe/Stockholm").is_ok());
        assert!(time_zone("Europe/Nowhere").is_err_and(|why| why.contains("no such time zone")));
        assert!(formula("wait/requested").is_ok());
        assert!(formula("wait/").is_err_and(|why| why.contains("position 6")));
    }
}
