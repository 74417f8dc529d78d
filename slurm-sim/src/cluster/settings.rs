//! The settings of the scheduler. Defaults are those of Slurm without any configuration.

use serde::Serialize;

use super::partition::{DefaultPerGpu, MemoryAmount};
use super::preempt::PreemptSettings;
use super::priority::PrioritySettings;
use super::select::SelectSettings;
use queuecast_core::units::{Micros, Seconds};

/// Everything that is set for the whole cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterSettings {
    /// The passes over the queue that submissions and ends cause.
    pub main: MainPassSettings,
    /// Backfilling; `None` without it (`sched/builtin`).
    pub backfill: Option<BackfillSettings>,
    /// How nodes are chosen.
    pub select: SelectSettings,
    /// How priorities are computed.
    pub priority: PrioritySettings,
    /// Which jobs are preempted by which.
    pub preempt: PreemptSettings,
    /// What a job beyond its time limit may still run.
    pub kill_wait: Seconds,
    /// How far jobs may exceed their time limit; `None` without end.
    pub over_time_limit: Option<Seconds>,
    /// How long nothing is started while a job is completing.
    pub complete_wait: Seconds,
    /// Whether jobs whose dependency can never be met are removed.
    pub kill_invalid_depend: bool,
    /// Which of a partition's limits are enforced at submission.
    pub enforce_part_limits: PartLimitsRule,
    /// Memory of jobs that ask for none; `None`: all of a node, not tracked.
    pub default_memory: Option<MemoryAmount>,
    /// The most memory of a job.
    pub max_memory: Option<MemoryAmount>,
    /// What a GPU brings along where a job does not say.
    pub per_gpu: DefaultPerGpu,
    /// How long ended jobs are remembered, for dependencies.
    pub min_job_age: Seconds,
    /// What the accounting enforces.
    pub enforce: Enforcement,
    /// Whether jobs go back to the queue when they are preempted or a node fails.
    pub job_requeue: bool,
    /// How long jobs may outlast their reservation; `None` without end.
    pub resv_over_run: Option<Seconds>,
    /// One more than the largest index of an array.
    pub max_array_size: u32,
    /// The most jobs known at one time.
    pub max_job_count: u32,
    /// The number of the first job.
    pub first_job_id: u32,
    /// The most tasks of a node.
    pub max_tasks_per_node: u32,
    /// Turns of jobs that share processors.
    pub time_slice: Seconds,
    /// Resources that are tracked besides the usual ones, as `gres/gpu`.
    pub tracked_tres: Vec<String>,
}

impl Default for ClusterSettings {
    fn default() -> ClusterSettings {
        ClusterSettings {
            main: MainPassSettings::default(),
            backfill: Some(BackfillSettings::default()),
            select: SelectSettings::default(),
            priority: PrioritySettings::default(),
            preempt: PreemptSettings::default(),
            kill_wait: Seconds(30),
            over_time_limit: Some(Seconds::ZERO),
            complete_wait: Seconds::ZERO,
            kill_invalid_depend: false,
            enforce_part_limits: PartLimitsRule::No,
            default_memory: None,
            max_memory: None,
            per_gpu: DefaultPerGpu::default(),
            min_job_age: Seconds(300),
            enforce: Enforcement::default(),
            job_requeue: true,
            resv_over_run: Some(Seconds::ZERO),
            max_array_size: 1001,
            max_job_count: 10_000,
            first_job_id: 1,
            max_tasks_per_node: 512,
            time_slice: Seconds(30),
            tracked_tres: Vec::new(),
        }
    }
}

/// The passes over the queue that submissions and ends cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MainPassSettings {
    /// The least time between two ordinary passes.
    pub batch_sched_delay: Seconds,
    /// How often a pass looks at the whole queue; `None`: never (−1).
    pub sched_interval: Option<Seconds>,
    /// The least time between any two passes.
    #[serde(rename = "sched_min_interval_us")]
    pub sched_min_interval: Micros,
    /// Jobs that an ordinary pass looks at.
    pub default_queue_depth: u32,
    /// Jobs of each partition that a pass looks at; zero: all.
    pub partition_job_depth: u32,
    /// The longest time of a pass.
    pub max_sched_time: Seconds,
    /// Jobs that a pass starts at most; zero: all.
    pub sched_max_job_start: u32,
    /// Whether submissions and ends cause no pass of their own.
    pub defer: bool,
    /// As `defer`, for batch jobs only.
    pub defer_batch: bool,
    /// Whether a job stopped by a limit of its association or QOS closes its partition.
    pub assoc_limit_stop: bool,
    /// The longest time to build the queue.
    #[serde(rename = "build_queue_timeout_us")]
    pub build_queue_timeout: Micros,
    /// Passes are put off while more messages than this wait; zero: never.
    pub max_rpc_count: u32,
    /// Whether jobs of one processor are placed at the end of the list of nodes.
    pub pack_serial_at_end: bool,
    /// Whether completing nodes put off other jobs of the same partitions only.
    pub reduce_completing_frag: bool,
    /// How long a job waits for few switches at most.
    pub max_switch_wait: Seconds,
    /// How far dependencies are followed to find circles.
    pub max_depend_depth: u32,
    /// The most tasks of one array; `None`: as the array size.
    pub max_array_tasks: Option<u32>,
    /// How long a requeued job waits; `None`: the time a credential lives, and a second.
    pub requeue_delay: Option<Seconds>,
}

impl Default for MainPassSettings {
    fn default() -> MainPassSettings {
        MainPassSettings {
            batch_sched_delay: Seconds(3),
            sched_interval: Some(Seconds(60)),
            sched_min_interval: Micros(2),
            default_queue_depth: 100,
            partition_job_depth: 0,
            max_sched_time: Seconds(2),
            sched_max_job_start: 0,
            defer: false,
            defer_batch: false,
            assoc_limit_stop: false,
            build_queue_timeout: Micros(2_000_000),
            max_rpc_count: 0,
            pack_serial_at_end: false,
            reduce_completing_frag: false,
            max_switch_wait: Seconds(300),
            max_depend_depth: 10,
            max_array_tasks: None,
            requeue_delay: None,
        }
    }
}

/// Backfilling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackfillSettings {
    /// The time from the end of one cycle to the next.
    pub interval: Seconds,
    /// The longest time of a cycle; `None`: as the interval.
    pub max_time: Option<Seconds>,
    /// The grid of planned times.
    pub resolution: Seconds,
    /// How far it plans.
    pub window: Seconds,
    /// Jobs that a cycle tests.
    pub max_job_test: u32,
    /// Jobs of each user that a cycle tests; zero, here and in the four counts below: no limit.
    pub max_job_user: u32,
    /// Jobs of each user in each partition.
    pub max_job_user_part: u32,
    /// Jobs of each partition.
    pub max_job_part: u32,
    /// Jobs of each association.
    pub max_job_assoc: u32,
    /// Jobs that a cycle starts.
    pub max_job_start: u32,
    /// Tasks of an array that are planned.
    pub max_job_array_resv: u32,
    /// Younger jobs get no plan.
    pub min_age_reserve: Seconds,
    /// Jobs of a lower priority get no plan.
    pub min_prio_reserve: u32,
    /// Jobs of each partition that get a plan; zero: all.
    pub job_part_count_reserve: u32,
    /// Whether a job of several partitions gets one plan only.
    pub one_resv_per_job: bool,
    /// How long it holds its locks.
    #[serde(rename = "yield_interval_us")]
    pub yield_interval: Micros,
    /// How long it then lets them go.
    #[serde(rename = "yield_sleep_us")]
    pub yield_sleep: Micros,
    /// Whether it goes on after that although jobs or nodes changed.
    pub continues: bool,
    /// Whether nodes that became available meanwhile are left out.
    pub ignore_newly_avail_nodes: bool,
    /// Whether planned jobs prefer busy nodes.
    pub busy_nodes: bool,
    /// The steps, in seconds, in which it looks ahead; `None`: each twice the one before.
    pub window_linear: Option<Seconds>,
    /// Whether running jobs are planned for as well.
    pub running_job_reserve: bool,
    /// Whether licenses are planned.
    pub licenses: bool,
    /// Intervals that a plan has at most; `None`: Slurm's own number.
    pub node_space_size: Option<u32>,
    /// Whether jobs may be planned within magnetic reservations.
    pub allow_magnetic_slot: bool,
}

impl Default for BackfillSettings {
    fn default() -> BackfillSettings {
        BackfillSettings {
            interval: Seconds(30),
            max_time: None,
            resolution: Seconds(60),
            window: Seconds(1440 * 60),
            max_job_test: 500,
            max_job_user: 0,
            max_job_user_part: 0,
            max_job_part: 0,
            max_job_assoc: 0,
            max_job_start: 0,
            max_job_array_resv: 20,
            min_age_reserve: Seconds::ZERO,
            min_prio_reserve: 0,
            job_part_count_reserve: 0,
            one_resv_per_job: false,
            yield_interval: Micros(2_000_000),
            yield_sleep: Micros(500_000),
            continues: false,
            ignore_newly_avail_nodes: false,
            busy_nodes: false,
            window_linear: None,
            running_job_reserve: false,
            licenses: false,
            node_space_size: None,
            allow_magnetic_slot: false,
        }
    }
}

/// Which limits of its partitions a job is tested against at submission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartLimitsRule {
    /// None: it waits.
    #[default]
    No,
    /// It is refused if no partition admits it.
    Any,
    /// It is refused unless all partitions admit it.
    All,
}

/// What the accounting enforces (`AccountingStorageEnforce`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Enforcement {
    /// Jobs need an association.
    pub associations: bool,
    /// Limits of associations and QOS hold.
    pub limits: bool,
    /// Jobs need a QOS that they may choose.
    pub qos: bool,
    /// Jobs start only if their limits of resource minutes let them finish.
    pub safe: bool,
}
