//! Settings that differ from the defaults.

use serde::Serialize;
use serde_json::Value;

use queuecast_slurm_sim::cluster::ClusterSettings;

/// A setting that differs from the default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferingSetting {
    /// Its name in the types, as `backfill.max_job_test`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The default.
    pub default: String,
}

/// The settings that differ from the defaults, in the order of the types.
pub fn differing_settings(settings: &ClusterSettings) -> Vec<DifferingSetting> {
    differing_values(settings, &ClusterSettings::default())
}

/// The fields in which two values of one type differ, in the order of the type; `other` supplies the defaults.
pub(super) fn differing_values<T: Serialize>(one: &T, other: &T) -> Vec<DifferingSetting> {
    let mut found = Vec::new();
    let value = |of: &T| serde_json::to_value(of).unwrap_or(Value::Null);
    compare("", &value(one), &value(other), &mut found);
    found
}

fn compare(name: &str, value: &Value, default: &Value, found: &mut Vec<DifferingSetting>) {
    match (value, default) {
        (Value::Object(values), Value::Object(defaults)) if values.keys().eq(defaults.keys()) => {
            for (key, value) in values {
                let below = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                compare(&below, value, &defaults[key], found);
            }
        }
        _ if value == default => {}
        _ => {
            found.push(DifferingSetting { name: name.to_owned(), value: told(value), default: told(default) })
        }
    }
}

fn told(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.is_empty() => "none".to_owned(),
        Value::Array(all) => all.iter().map(told).collect::<Vec<_>>().join(","),
        Value::Object(all) if all.is_empty() => "none".to_owned(),
        Value::Object(all) => {
            all.iter().map(|(key, value)| format!("{key}={}", told(value))).collect::<Vec<_>>().join(",")
        }
        Value::Number(number) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::MemoryAmount;

    #[test]
    fn only_what_differs_is_told() {
        assert_eq!(differing_settings(&ClusterSettings::default()), []);
        let mut settings = ClusterSettings {
            default_memory: Some(MemoryAmount::PerCpu(1500)),
            ..ClusterSettings::default()
        };
        settings.main.defer = true;
        let told: Vec<String> = differing_settings(&settings)
            .iter()
            .map(|one| format!("{} {} {}", one.name, one.value, one.default))
            .collect();
        assert_eq!(told, ["default_memory per-cpu=1500 none", "main.defer yes no"]);
        settings.backfill = None;
        assert!(
            differing_settings(&settings).iter().any(|one| one.name == "backfill" && one.value == "none")
        );
    }
}
