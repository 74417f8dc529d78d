//! Settings that differ from the defaults.

use queuecast_core::order;
use serde::Serialize;

use super::setting::differences;
use super::table::of_cluster;
use queuecast_slurm_sim::cluster::Cluster;

/// A setting that differs from the default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferingSetting {
    /// Its name as Slurm spells it; of a word of a list, without the list.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The default.
    pub default: String,
}

/// The settings for the whole cluster that differ from the defaults, sorted by name.
pub fn differing_settings(cluster: &Cluster) -> Vec<DifferingSetting> {
    let mut differing = differences(of_cluster(), cluster, &Cluster::default());
    order::sort(&mut differing);
    differing
        .into_iter()
        .map(|(name, value, default)| DifferingSetting { name: name.to_owned(), value, default })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{ConsumedUnit, Enforcement, MemoryAmount};

    #[test]
    fn only_what_differs_is_told() {
        let mut cluster = Cluster::default();
        assert_eq!(differing_settings(&cluster), []);
        let settings = &mut cluster.settings;
        settings.jobs.default_memory = Some(MemoryAmount::PerCpu(1500));
        settings.jobs.enforce = Enforcement { associations: true, limits: true, ..Enforcement::default() };
        (settings.main.defer, settings.backfill) = (true, None);
        (settings.select.unit, settings.select.memory) = (ConsumedUnit::Cpu, false);
        let told: Vec<String> = differing_settings(&cluster)
            .iter()
            .map(|one| format!("{} {} {}", one.name, one.value, one.default))
            .collect();
        assert_eq!(
            told,
            [
                "AccountingStorageEnforce associations,limits none",
                "CR_CPU yes no",
                "CR_Core_Memory no yes",
                "DefMemPerCPU 1500 UNLIMITED",
                "SchedulerType sched/builtin sched/backfill",
                "defer yes no"
            ]
        );
    }
}
