//! The parameters of models by name: every one is written into a trace's header, and every one can be set by the
//! name it has there.

use queuecast::report::duration;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::Failure;

/// One parameter given another value, as `--set` has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    name: String,
    value: String,
}

/// Reads `--set`.
pub fn setting(text: &str) -> Result<Setting, String> {
    match text.split_once('=') {
        Some((name, value)) if name.contains('.') && !value.is_empty() => {
            Ok(Setting { name: name.trim().to_owned(), value: value.trim().to_owned() })
        }
        _ => Err("expected MODEL.PARAMETER=VALUE, as in population.think=300".to_owned()),
    }
}

/// Every parameter of a model as text, named after where it stands: `lublin.batch.sizes.low`.
pub fn listed(model: &str, parameters: &impl Serialize) -> Result<Vec<(String, String)>, Failure> {
    let mut found = Vec::new();
    walk(model, &as_value(parameters)?, &mut found);
    Ok(found)
}

fn as_value(parameters: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(parameters)
        .map_err(|cause| Failure::unexpected("cannot list the parameters").because(cause))
}

fn walk(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(field, value)| walk(&format!("{name}.{field}"), value, found));
        }
        Value::Array(items) => {
            (1..).zip(items).for_each(|(place, value)| walk(&format!("{name}.{place}"), value, found));
        }
        Value::Null => found.push((name.to_owned(), "by default".to_owned())),
        Value::String(text) => found.push((name.to_owned(), text.clone())),
        value => found.push((name.to_owned(), value.to_string())),
    }
}

/// The model with what is said of it in `settings`; those of other models are left alone.
pub fn set<M: Serialize + DeserializeOwned>(
    model: &str,
    parameters: M,
    settings: &[Setting],
) -> Result<M, Failure> {
    let mine = |setting: &&Setting| setting.name.split('.').next() == Some(model);
    if !settings.iter().any(|setting| mine(&setting)) {
        return Ok(parameters);
    }
    let mut whole = as_value(&parameters)?;
    for setting in settings.iter().filter(mine) {
        let refused = |why: String| {
            Failure::usage(format!("--set {}={}: {why}", setting.name, setting.value))
                .hint("the header of a generated trace lists every parameter by name")
        };
        let mut known = Vec::new();
        walk(model, &whole, &mut known);
        let mut place = &mut whole;
        for field in setting.name.split('.').skip(1) {
            place = match place.get_mut(field) {
                Some(inner) => inner,
                None => return Err(refused(unknown(&setting.name, &known))),
            };
        }
        let before = std::mem::replace(place, Value::Null);
        *place = read(&setting.value, &before).map_err(refused)?;
        // Each is tried by itself, so that a wrong value is told from the others.
        serde_json::from_value::<M>(whole.clone()).map_err(|cause| refused(cause.to_string()))?;
    }
    serde_json::from_value(whole).map_err(|cause| Failure::usage(format!("--set {model}: {cause}")))
}

/// Refuses settings of models that have no part in this.
pub fn check(settings: &[Setting], models: &[&str]) -> Result<(), Failure> {
    let stray = settings.iter().find(|setting| {
        let model = setting.name.split('.').next().unwrap_or_default();
        !models.contains(&model)
    });
    stray.map_or(Ok(()), |setting| {
        let Setting { name, value } = setting;
        let what = format!("--set {name}={value}: there is no such model here");
        Err(Failure::usage(what).hint(format!("what can be set here begins with {}.", models.join(". or "))))
    })
}

fn unknown(name: &str, known: &[(String, String)]) -> String {
    let likeness = |known: &str| strsim::jaro_winkler(name, known);
    let nearest = known.iter().max_by(|a, b| likeness(&a.0).total_cmp(&likeness(&b.0)));
    let meant = nearest.map(|(nearest, _)| format!("; did you mean {nearest}?")).unwrap_or_default();
    format!("no such parameter{meant}")
}

/// A value of the kind that stood there before.
fn read(text: &str, before: &Value) -> Result<Value, String> {
    let given = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    match (before, &given) {
        (Value::Number(number), Value::String(_)) if !number.is_f64() => {
            duration::parse(text).map(|length| length.0.into()).map_err(|error| error.to_string())
        }
        (Value::Number(_), Value::Number(_)) | (Value::Null | Value::Object(_), _) => Ok(given),
        (Value::String(_), Value::String(_)) => Ok(given),
        // A name or a spec may look like something else.
        (Value::String(_), _) => Ok(Value::String(text.to_owned())),
        (Value::Number(_), _) => Err("expected a number".to_owned()),
        (Value::Bool(_), Value::Bool(_)) => Ok(given),
        (Value::Bool(_), _) => Err("expected true or false".to_owned()),
        (Value::Array(_), _) => Err("not a single value".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use queuecast::synth::{Downey, Law, Lublin, Population, Rounding};
    use queuecast::units::Seconds;

    use super::*;

    fn population(settings: &[&str]) -> Result<Population, String> {
        let settings: Vec<Setting> = settings.iter().map(|text| setting(text).unwrap()).collect();
        set("population", Population::default(), &settings).map_err(|failure| failure.to_string())
    }

    #[test]
    fn what_is_listed_can_be_set() {
        let model = Lublin::new(10, 256);
        let listed = listed("lublin", &model).unwrap();
        assert!(listed.contains(&("lublin.kinds".to_owned(), "both".to_owned())), "{listed:?}");
        assert!(listed.contains(&("lublin.batch.sizes.low".to_owned(), "1.2".to_owned())), "{listed:?}");
        let again: Vec<Setting> =
            listed.iter().map(|(name, value)| setting(&format!("{name}={value}")).unwrap()).collect();
        assert_eq!(set("lublin", model, &again).unwrap(), model);
    }

    #[test]
    fn values_are_of_the_kind_that_stood_there() {
        assert_eq!(population(&["population.think=5m"]).unwrap().think, Seconds(300));
        assert_eq!(population(&["population.spread=2"]).unwrap().spread, 2.0);
        assert_eq!(population(&["lublin.jobs=2"]).unwrap(), Population::default());
        for (text, why) in [
            ("population.thnk=3", "did you mean population.think?"),
            ("population.users=2.5", "--set population.users=2.5: invalid type"),
            ("population.users=many", "not a length of time"),
            ("population.spread=wide", "expected a number"),
            ("population.think.more=1", "no such parameter"),
        ] {
            let said = population(&[text]).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
        assert!(setting("think=3").is_err() && setting("population.think").is_err());
    }

    #[test]
    fn distributions_are_set_by_their_specs() {
        let downey = |texts: &[&str]| {
            let settings: Vec<Setting> = texts.iter().map(|text| setting(text).unwrap()).collect();
            set("downey", Downey::new(10, 256), &settings).map_err(|failure| failure.to_string())
        };
        let model = downey(&["downey.lifetime=log-normal:600,8", "downey.memory=exactly:4"]).unwrap();
        assert_eq!((model.lifetime, model.memory), (Law::LogNormal(600.0, 8.0), Law::Exactly(4.0)));
        assert_eq!(model.variance, Law::Uniform(0.0, 2.0));
        assert_eq!(downey(&["downey.rounding=whole"]).unwrap().rounding, Rounding::Whole);
        let listed = listed("downey", &Downey::new(10, 256)).unwrap();
        let again: Vec<String> = listed.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        assert_eq!(downey(&again).unwrap(), Downey::new(10, 256));
        for (text, why) in [
            (
                "downey.lifetime=600",
                "distribution \"600\": no such distribution; known are uniform-log:LEAST,MOST",
            ),
            ("downey.lifetime=gamma:2", "known are uniform-log:LEAST,MOST, uniform:LEAST,MOST"),
            ("downey.variance=uniform:2,0", "the least first, as in uniform:0,2"),
            ("downey.lifetime.least=5", "no such parameter; did you mean downey.lifetime?"),
            ("downey.most_variance=1.5", "no such parameter"),
            ("downey.moldable=2", "expected true or false"),
        ] {
            let said = downey(&[text]).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn settings_of_absent_models_are_refused() {
        let settings = [setting("population.think=3").unwrap()];
        assert!(check(&settings, &["lublin", "population"]).is_ok());
        let said = check(&settings, &["lublin"]).unwrap_err().to_string();
        assert_eq!(said, "--set population.think=3: there is no such model here");
    }
}
