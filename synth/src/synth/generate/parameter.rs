//! The parameters of models by name: listed with a generated workload, and set by the same names.

use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::GenerateError;
use queuecast_core::duration;

/// A parameter that was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The model and the place in it: `lublin.batch.sizes.low`.
    pub name: String,
    /// The value as text.
    pub value: String,
}

impl Parameter {
    pub(super) fn new(name: &str, value: impl ToString) -> Parameter {
        Parameter { name: name.to_owned(), value: value.to_string() }
    }
}

/// A parameter to be set to another value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParameterSetting {
    /// The model and the place in it: `population.think`.
    pub name: String,
    /// The value; lengths of time are in seconds.
    pub value: Value,
}

/// Reads `MODEL.PARAMETER=VALUE`. A value is a number, a length of time in any unit, or a text.
impl FromStr for ParameterSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<ParameterSetting, String> {
        let value = |text: &str| {
            let length = || duration::parse(text).ok().map(|length| length.0.into());
            let written = serde_json::from_str(text).ok();
            written.or_else(length).unwrap_or_else(|| Value::String(text.to_owned()))
        };
        match text.split_once('=') {
            Some((name, given)) if name.contains('.') && !given.is_empty() => {
                Ok(ParameterSetting { name: name.trim().to_owned(), value: value(given.trim()) })
            }
            _ => Err("expected MODEL.PARAMETER=VALUE, as in population.think=300".to_owned()),
        }
    }
}

impl ParameterSetting {
    fn model(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// The value as text.
    fn text(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    }

    fn refused(&self, why: String) -> GenerateError {
        GenerateError::Setting { name: self.name.clone(), value: self.text(), why }
    }
}

/// Lists every parameter of a model.
pub fn listed(model: &str, parameters: &impl Serialize) -> Result<Vec<Parameter>, GenerateError> {
    let mut found = Vec::new();
    collect(model, &as_value(parameters)?, &mut found);
    Ok(found)
}

fn as_value(parameters: &impl Serialize) -> Result<Value, GenerateError> {
    serde_json::to_value(parameters).map_err(|error| GenerateError::Unlistable(error.to_string()))
}

fn collect(name: &str, value: &Value, found: &mut Vec<Parameter>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(field, value)| collect(&format!("{name}.{field}"), value, found));
        }
        Value::Array(items) => {
            (1..).zip(items).for_each(|(place, value)| collect(&format!("{name}.{place}"), value, found));
        }
        Value::Null => found.push(Parameter::new(name, "by default")),
        Value::String(text) => found.push(Parameter::new(name, text)),
        value => found.push(Parameter::new(name, value)),
    }
}

/// The model with its settings applied; settings of other models are ignored.
pub fn set<M: Serialize + DeserializeOwned>(
    model: &str,
    parameters: M,
    settings: &[ParameterSetting],
) -> Result<M, GenerateError> {
    let own = |setting: &&ParameterSetting| setting.model() == model;
    if !settings.iter().any(|setting| own(&setting)) {
        return Ok(parameters);
    }
    let mut whole = as_value(&parameters)?;
    for setting in settings.iter().filter(own) {
        let mut known = Vec::new();
        collect(model, &whole, &mut known);
        let mut place = &mut whole;
        for field in setting.name.split('.').skip(1) {
            let field = if place.get(field).is_some() { field.to_owned() } else { renamed(field) };
            place = match place.get_mut(&field) {
                Some(inner) => inner,
                None => {
                    return Err(GenerateError::UnknownParameter {
                        name: setting.name.clone(),
                        value: setting.text(),
                        known: known.into_iter().map(|parameter| parameter.name).collect(),
                    });
                }
            };
        }
        let before = std::mem::replace(place, Value::Null);
        *place = converted(setting, &before).map_err(|why| setting.refused(why.to_owned()))?;
        // Each setting is tried alone, so that the error names the wrong one.
        serde_json::from_value::<M>(whole.clone()).map_err(|error| setting.refused(error.to_string()))?;
    }
    serde_json::from_value(whole).map_err(|error| GenerateError::Unlistable(error.to_string()))
}

/// The present name of a parameter that had another name in earlier versions.
fn renamed(field: &str) -> String {
    const FORMER: (&str, &str) = ("sitting", "session"); // an alias of earlier versions
    field.replace(FORMER.0, FORMER.1)
}

/// The setting's value in the kind of the value that it replaces.
fn converted(setting: &ParameterSetting, before: &Value) -> Result<Value, &'static str> {
    match (before, &setting.value) {
        (Value::Number(_), Value::Number(_)) | (Value::Null | Value::Object(_), _) => {
            Ok(setting.value.clone())
        }
        (Value::Number(number), _) if !number.is_f64() => {
            Err("expected a whole number (of seconds, for a length of time)")
        }
        (Value::Number(_), _) => Err("expected a number"),
        // A name or a spec may look like a number.
        (Value::String(_), _) => Ok(Value::String(setting.text())),
        (Value::Bool(_), Value::Bool(_)) => Ok(setting.value.clone()),
        (Value::Bool(_), _) => Err("expected true or false"),
        (Value::Array(_), _) => Err("not a single value"),
    }
}

/// Refuses settings of models that are not used.
pub fn check_settings(settings: &[ParameterSetting], used: &[&'static str]) -> Result<(), GenerateError> {
    match settings.iter().find(|setting| !used.contains(&setting.model())) {
        None => Ok(()),
        Some(setting) => Err(GenerateError::UnusedModel {
            name: setting.name.clone(),
            value: setting.text(),
            used: used.to_vec(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{Downey, Law, Lublin, Population, Rounding};
    use queuecast_core::units::Seconds;

    fn setting(name: &str, value: impl Into<Value>) -> ParameterSetting {
        ParameterSetting { name: name.to_owned(), value: value.into() }
    }

    fn population(name: &str, value: impl Into<Value>) -> Result<Population, GenerateError> {
        set("population", Population::default(), &[setting(name, value)])
    }

    fn downey(name: &str, value: impl Into<Value>) -> Result<Downey, GenerateError> {
        set("downey", Downey::new(10, 256), &[setting(name, value)])
    }

    /// What is listed, as settings; numbers are numbers again.
    fn as_settings(listed: &[Parameter]) -> Vec<ParameterSetting> {
        let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        listed.iter().map(|parameter| setting(&parameter.name, value(&parameter.value))).collect()
    }

    #[test]
    fn listed_parameters_can_be_set() {
        let model = Lublin::new(10, 256);
        let lublin = listed("lublin", &model).unwrap();
        assert!(lublin.contains(&Parameter::new("lublin.kinds", "both")), "{lublin:?}");
        assert!(lublin.contains(&Parameter::new("lublin.batch.sizes.low", "1.2")), "{lublin:?}");
        assert_eq!(set("lublin", model, &as_settings(&lublin)).unwrap(), model);
        let model = Downey::new(10, 256);
        let listed = listed("downey", &model).unwrap();
        assert_eq!(set("downey", model.clone(), &as_settings(&listed)).unwrap(), model);
    }

    #[test]
    fn values_keep_the_kind_of_the_parameter() {
        assert_eq!(population("population.think", 300).unwrap().think, Seconds(300));
        assert_eq!(population("population.spread", 2).unwrap().spread, 2.0);
        assert_eq!(population("lublin.jobs", 2).unwrap(), Population::default());
        let former = population("population.jobs_per_sitting", 4); // an alias
        assert_eq!(former.unwrap().jobs_per_session, 4.0);
        let refused = [
            population("population.thnk", 3),
            population("population.users", 2.5),
            population("population.users", "many"),
            population("population.spread", "wide"),
            population("population.think.more", 1),
        ]
        .map(|refused| refused.unwrap_err().to_string());
        assert_eq!(refused[0], "population.thnk = 3: there is no such parameter");
        assert!(refused[1].starts_with("population.users = 2.5: invalid type"), "{}", refused[1]);
        assert!(refused[2].contains("expected a whole number"), "{}", refused[2]);
        assert_eq!(refused[3], "population.spread = wide: expected a number");
        assert_eq!(refused[4], "population.think.more = 1: there is no such parameter");
    }

    #[test]
    fn distributions_are_set_by_their_specs() {
        assert_eq!(
            downey("downey.lifetime", "log-normal:600,8").unwrap().lifetime,
            Law::LogNormal(600.0, 8.0)
        );
        assert_eq!(downey("downey.memory", "exactly:4").unwrap().memory, Law::Exactly(4.0));
        assert_eq!(downey("downey.memory", "exactly:4").unwrap().variance, Law::Uniform(0.0, 2.0));
        assert_eq!(downey("downey.rounding", "whole").unwrap().rounding, Rounding::Whole);
        for (name, value, why) in [
            (
                "downey.lifetime",
                Value::from(600),
                "distribution \"600\": no such distribution; known are uniform-log:LEAST,MOST",
            ),
            ("downey.lifetime", "gamma:2".into(), "known are uniform-log:LEAST,MOST, uniform:LEAST,MOST"),
            ("downey.variance", "uniform:2,0".into(), "the least first, as in uniform:0,2"),
            ("downey.lifetime.least", 5.into(), "no such parameter"),
            ("downey.most_variance", 1.5.into(), "no such parameter"),
            ("downey.moldable", 2.into(), "expected true or false"),
        ] {
            let said = downey(name, value).unwrap_err().to_string();
            assert!(said.contains(why), "{name}: {said}");
        }
    }

    #[test]
    fn settings_of_unused_models_are_refused() {
        let settings = [setting("population.think", 3)];
        assert!(check_settings(&settings, &["lublin", "population"]).is_ok());
        let refused = check_settings(&settings, &["lublin"]).unwrap_err().to_string();
        assert_eq!(refused, "population.think = 3: this model is not used here; used are lublin");
    }

    #[test]
    fn values_are_numbers_lengths_of_time_or_texts() {
        for (text, value) in [
            ("population.think=300", Value::from(300)),
            ("population.think=5m", 300.into()),
            ("population.spread=0.5", 0.5.into()),
            ("downey.moldable=true", true.into()),
            ("downey.lifetime=log-normal:600,8", "log-normal:600,8".into()),
            ("lublin.kinds=both", "both".into()),
        ] {
            assert_eq!(text.parse::<ParameterSetting>().unwrap().value, value, "{text}");
        }
        assert!(["think=3", "population.think"].iter().all(|text| text.parse::<ParameterSetting>().is_err()));
    }
}
