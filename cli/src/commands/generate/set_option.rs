//! `--set KEY=VALUE`: a parameter of a model set by its name.

use queuecast::report::duration;
use queuecast::synth::generate::ParameterSetting;
use serde_json::Value;

/// Reads `--set`. A value is a number, a length of time in any unit, or a text.
pub fn setting(text: &str) -> Result<ParameterSetting, String> {
    match text.split_once('=') {
        Some((name, given)) if name.contains('.') && !given.is_empty() => {
            Ok(ParameterSetting { name: name.trim().to_owned(), value: value(given.trim()) })
        }
        _ => Err("expected MODEL.PARAMETER=VALUE, as in population.think=300".to_owned()),
    }
}

fn value(text: &str) -> Value {
    let length = || duration::parse(text).ok().map(|length| length.0.into());
    let written = serde_json::from_str(text).ok();
    written.or_else(length).unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(setting(text).unwrap().value, value, "{text}");
        }
        assert!(setting("think=3").is_err() && setting("population.think").is_err());
    }
}
