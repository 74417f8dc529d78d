//! Settings that are lists of words: parameters of scheduling and node selection, flags of priorities.

use super::notes::{Notes, SaidSetting};
use super::values::{count32, digits, list};
use queuecast_core::units::{Micros, Seconds};
use queuecast_slurm_sim::cluster::{
    BackfillSettings, ClusterSettings, ConsumedUnit, PriorityFlags, SelectSettings,
};

/// The words of a setting, each with what follows its equals sign.
pub(super) fn tokens(value: &str) -> Vec<(String, String)> {
    let split = |part: String| match part.split_once('=') {
        Some((name, value)) => (name.trim().to_ascii_lowercase(), value.trim().to_owned()),
        None => (part.to_ascii_lowercase(), String::new()),
    };
    list(value).into_iter().map(split).collect()
}

/// Parameters that do not change when and where jobs start.
const HARMLESS: [&str; 17] = [
    "disable_hetjob_steps",
    "disable_job_shrink",
    "disable_user_top",
    "enable_hetero_jobs",
    "enable_hetero_steps",
    "enable_job_state_cache",
    "ignore_prefer_validation",
    "inventory_interval",
    "max_script_size",
    "max_submit_line_size",
    "no_backup_scheduling",
    "no_env_cache",
    "nohold_on_prolog_fail",
    "salloc_wait_nodes",
    "sbatch_wait_nodes",
    "step_retry_count",
    "step_retry_time",
];

fn secs(text: &str) -> Option<Seconds> {
    digits(text).and_then(|number| i64::try_from(number).ok()).map(Seconds)
}

fn micros(text: &str) -> Option<Micros> {
    digits(text).and_then(|number| i64::try_from(number).ok()).map(Micros)
}

/// `SchedulerParameters`.
pub(super) fn scheduler_parameters(
    said: &SaidSetting,
    settings: &mut ClusterSettings,
    backfill: &mut BackfillSettings,
    notes: &mut Notes,
) {
    for (token, value) in tokens(&said.value) {
        let part = SaidSetting { key: token.clone(), value: value.clone(), ..said.clone() };
        if !main_parameter(&part, settings, notes)
            && !backfill_parameter(&part, backfill, notes)
            && !preempt_parameter(&part, settings, notes)
            && !HARMLESS.contains(&token.as_str())
        {
            notes.part_not_modelled(said, &format!("SchedulerParameters:{token}"), &value);
        }
    }
}

const SECONDS: &str = "a number of seconds";
const NUMBER: &str = "a whole number";
const MICROS: &str = "a number of microseconds";

fn main_parameter(said: &SaidSetting, settings: &mut ClusterSettings, notes: &mut Notes) -> bool {
    let (value, main) = (said.value.as_str(), &mut settings.main);
    match said.key.as_str() {
        "batch_sched_delay" => notes.take(&mut main.batch_sched_delay, secs(value), said, SECONDS),
        "sched_interval" if value == "-1" => main.sched_interval = None,
        "sched_interval" => notes.take(&mut main.sched_interval, secs(value).map(Some), said, SECONDS),
        "sched_min_interval" => notes.take(&mut main.sched_min_interval, micros(value), said, MICROS),
        "default_queue_depth" => notes.take(&mut main.default_queue_depth, count32(value), said, NUMBER),
        "partition_job_depth" => notes.take(&mut main.partition_job_depth, count32(value), said, NUMBER),
        "max_sched_time" => notes.take(&mut main.max_sched_time, secs(value), said, SECONDS),
        "sched_max_job_start" => notes.take(&mut main.sched_max_job_start, count32(value), said, NUMBER),
        "defer" => main.defer = true,
        "defer_batch" => main.defer_batch = true,
        "assoc_limit_stop" => main.assoc_limit_stop = true,
        // The default since 16.05, and once the opposite of `assoc_limit_stop`.
        "assoc_limit_continue" => main.assoc_limit_stop = false,
        "build_queue_timeout" => notes.take(&mut main.build_queue_timeout, micros(value), said, MICROS),
        "max_rpc_cnt" | "max_rpc_count" => notes.take(&mut main.max_rpc_count, count32(value), said, NUMBER),
        "pack_serial_at_end" => main.pack_serial_at_end = true,
        "reduce_completing_frag" => main.reduce_completing_frag = true,
        "max_switch_wait" => notes.take(&mut main.max_switch_wait, secs(value), said, SECONDS),
        "max_depend_depth" => notes.take(&mut main.max_depend_depth, count32(value), said, NUMBER),
        "max_array_tasks" => notes.take(&mut main.max_array_tasks, count32(value).map(Some), said, NUMBER),
        "requeue_delay" => notes.take(&mut main.requeue_delay, secs(value).map(Some), said, SECONDS),
        _ => return false,
    }
    true
}

fn backfill_parameter(said: &SaidSetting, backfill: &mut BackfillSettings, notes: &mut Notes) -> bool {
    let value = said.value.as_str();
    let positive = || secs(value).filter(|&length| length > Seconds::ZERO);
    match said.key.as_str() {
        "bf_interval" => notes.take(&mut backfill.interval, secs(value), said, SECONDS),
        "bf_max_time" => notes.take(&mut backfill.max_time, secs(value).map(Some), said, SECONDS),
        "bf_resolution" => {
            notes.take(&mut backfill.resolution, positive(), said, "a number of seconds above zero")
        }
        "bf_window" => {
            let read = secs(value).map(|minutes| Seconds(minutes.0.saturating_mul(60)));
            notes.take(&mut backfill.window, read, said, "a number of minutes");
        }
        "bf_window_linear" => notes.take(&mut backfill.window_linear, secs(value).map(Some), said, SECONDS),
        "bf_max_job_test" | "max_job_bf" => {
            notes.take(&mut backfill.max_job_test, count32(value), said, NUMBER)
        }
        "bf_max_job_user" => notes.take(&mut backfill.max_job_user, count32(value), said, NUMBER),
        "bf_max_job_user_part" => notes.take(&mut backfill.max_job_user_part, count32(value), said, NUMBER),
        "bf_max_job_part" => notes.take(&mut backfill.max_job_part, count32(value), said, NUMBER),
        "bf_max_job_assoc" => notes.take(&mut backfill.max_job_assoc, count32(value), said, NUMBER),
        "bf_max_job_start" => notes.take(&mut backfill.max_job_start, count32(value), said, NUMBER),
        "bf_max_job_array_resv" => notes.take(&mut backfill.max_job_array_resv, count32(value), said, NUMBER),
        "bf_min_age_reserve" => notes.take(&mut backfill.min_age_reserve, secs(value), said, SECONDS),
        "bf_min_prio_reserve" => notes.take(&mut backfill.min_prio_reserve, count32(value), said, NUMBER),
        "bf_job_part_count_reserve" => {
            notes.take(&mut backfill.job_part_count_reserve, count32(value), said, NUMBER);
        }
        "bf_one_resv_per_job" => backfill.one_resv_per_job = true,
        "bf_yield_interval" => notes.take(&mut backfill.yield_interval, micros(value), said, MICROS),
        "bf_yield_sleep" => notes.take(&mut backfill.yield_sleep, micros(value), said, MICROS),
        "bf_continue" => backfill.continues = true,
        "bf_ignore_newly_avail_nodes" => backfill.ignore_newly_avail_nodes = true,
        "bf_busy_nodes" => backfill.busy_nodes = true,
        "bf_running_job_reserve" => backfill.running_job_reserve = true,
        "bf_licenses" => backfill.licenses = true,
        "bf_node_space_size" => {
            notes.take(&mut backfill.node_space_size, count32(value).map(Some), said, NUMBER)
        }
        "bf_allow_magnetic_slot" => backfill.allow_magnetic_slot = true,
        _ => return false,
    }
    true
}

/// Parameters of preemption under their names before 20.11.
fn preempt_parameter(said: &SaidSetting, settings: &mut ClusterSettings, notes: &mut Notes) -> bool {
    match said.key.as_str() {
        "preempt_reorder_count" => {
            notes.take(&mut settings.preempt.reorder_count, count32(&said.value), said, NUMBER);
        }
        "preempt_strict_order" => settings.preempt.strict_order = true,
        "preempt_youngest_first" => settings.preempt.youngest_first = true,
        "preempt_send_user_signal" => {}
        _ => return false,
    }
    true
}

/// `SelectTypeParameters` of the cluster.
pub(super) fn select_parameters(said: &SaidSetting, select: &mut SelectSettings, notes: &mut Notes) {
    let words = tokens(&said.value);
    if words.is_empty() {
        return;
    }
    for (word, _) in words {
        let (unit, memory) = match word.strip_suffix("_memory") {
            Some(unit) => (unit, Some(true)),
            None => (word.as_str(), None),
        };
        match unit {
            "cr_cpu" | "cr_core" | "cr_socket" => {
                select.unit = consumed(unit).unwrap_or_default();
                select.memory = memory.unwrap_or(false);
            }
            // For whole nodes the unit stays.
            "cr" if memory == Some(true) => select.memory = true,
            "cr_one_task_per_core" => select.one_task_per_core = true,
            "cr_core_default_dist_block" => select.block_distribution = true,
            "cr_lln" => select.least_loaded_nodes = true,
            "cr_pack_nodes" => select.pack_nodes = true,
            // Says which plugin serves Cray systems.
            "other_cons_tres" | "other_cons_res" => {}
            _ => notes.part_not_modelled(said, &format!("SelectTypeParameters:{word}"), ""),
        }
    }
}

/// `SelectTypeParameters` of a partition.
pub(super) fn consumed(text: &str) -> Option<ConsumedUnit> {
    match text.to_ascii_lowercase().trim_end_matches("_memory") {
        "cr_cpu" => Some(ConsumedUnit::Cpu),
        "cr_core" => Some(ConsumedUnit::Core),
        "cr_socket" => Some(ConsumedUnit::Socket),
        _ => None,
    }
}

/// `PriorityFlags`.
pub(super) fn priority_flags(said: &SaidSetting, flags: &mut PriorityFlags, notes: &mut Notes) {
    for (word, _) in tokens(&said.value) {
        match word.as_str() {
            "accrue_always" => flags.accrue_always = true,
            "calculate_running" => flags.calculate_running = true,
            "depth_oblivious" => (flags.depth_oblivious, flags.no_fair_tree) = (true, true),
            "no_fair_tree" => flags.no_fair_tree = true,
            "fair_tree" => {}
            "incr_only" => flags.incr_only = true,
            "max_tres" => flags.max_tres = true,
            "max_tres_gres" => flags.max_tres_gres = true,
            "no_normal_all" => {
                (flags.no_normal_assoc, flags.no_normal_part) = (true, true);
                (flags.no_normal_qos, flags.no_normal_tres) = (true, true);
            }
            "no_normal_assoc" => flags.no_normal_assoc = true,
            "no_normal_part" => flags.no_normal_part = true,
            "no_normal_qos" => flags.no_normal_qos = true,
            "no_normal_tres" => flags.no_normal_tres = true,
            "small_relative_to_time" => flags.small_relative_to_time = true,
            _ => notes.part_not_modelled(said, &format!("PriorityFlags:{word}"), ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(key: &str, value: &str) -> SaidSetting {
        SaidSetting { file: "f".into(), line: 7, key: key.into(), value: value.into() }
    }

    #[test]
    fn parameters_of_scheduling() {
        let (mut settings, mut backfill, mut notes) =
            (ClusterSettings::default(), BackfillSettings::default(), Notes::default());
        let value = "bf_interval=15,bf_window=180,bf_continue,default_queue_depth=200,sched_interval=-1,defer,bf_topopt_enable,no_env_cache,bf_resolution=0";
        scheduler_parameters(&said("SchedulerParameters", value), &mut settings, &mut backfill, &mut notes);
        assert_eq!((backfill.interval, backfill.window), (Seconds(15), Seconds(10_800)));
        assert!(backfill.continues && settings.main.defer);
        assert_eq!((settings.main.default_queue_depth, settings.main.sched_interval), (200, None));
        let names: Vec<&str> = notes.unmodelled.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["SchedulerParameters:bf_topopt_enable"]);
        assert_eq!((notes.misread.len(), notes.misread[0].line, backfill.resolution), (1, 7, Seconds(60)));
    }

    #[test]
    fn parameters_of_selection() {
        let read = |value: &str| {
            let (mut select, mut notes) = (SelectSettings::default(), Notes::default());
            select_parameters(&said("SelectTypeParameters", value), &mut select, &mut notes);
            (select, notes.unmodelled.len())
        };
        let (core, none) = read("CR_Core_Memory,CR_CORE_DEFAULT_DIST_BLOCK");
        assert_eq!(
            (core.unit, core.memory, core.block_distribution, none),
            (ConsumedUnit::Core, true, true, 0)
        );
        let (cpu, none) = read("CR_CPU,CR_LLN");
        assert_eq!((cpu.unit, cpu.memory, cpu.least_loaded_nodes, none), (ConsumedUnit::Cpu, false, true, 0));
        assert_eq!(read("LL_SHARED_GRES").1, 1);
    }

    #[test]
    fn flags_of_priorities() {
        let (mut flags, mut notes) = (PriorityFlags::default(), Notes::default());
        priority_flags(
            &said("PriorityFlags", "SMALL_RELATIVE_TO_TIME,NO_NORMAL_ALL,NEW"),
            &mut flags,
            &mut notes,
        );
        assert!(flags.small_relative_to_time && flags.no_normal_tres && !flags.no_fair_tree);
        assert_eq!(notes.unmodelled.len(), 1);
    }
}
