//! The settings of the scheduler. Defaults are those of Slurm without any configuration.

use serde::Serialize;

use super::partition::{DefaultPerGpu, MemoryAmount};
use super::preempt::PreemptSettings;
use super::priority::PrioritySettings;
use super::rows::settings_struct;
use super::select::SelectSettings;
use super::topology::TopologyPlugin;
use queuecast_core::units::{Micros, Seconds};

/// Everything that is set for the whole cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterSettings {
    /// The passes over the queue that submissions and ends cause.
    pub main: MainPassSettings,
    /// Backfilling; `None` without it (`SchedulerType=sched/builtin`).
    pub backfill: Option<BackfillSettings>,
    /// How nodes are chosen.
    pub select: SelectSettings,
    /// How priorities are computed.
    pub priority: PrioritySettings,
    /// Which jobs are preempted by which.
    pub preempt: PreemptSettings,
    /// What holds for all jobs.
    #[serde(flatten)]
    pub jobs: JobSettings,
    /// What says how nodes are connected (`TopologyPlugin`).
    pub topology_plugin: TopologyPlugin,
}

impl JobSettings {
    /// For how many seconds a running job that is past its time limit is expected to go on.
    pub fn overrun(&self) -> i64 {
        self.kill_wait.0 + self.over_time_limit.map_or(0, |over| over.0)
    }
}

impl Default for ClusterSettings {
    fn default() -> ClusterSettings {
        ClusterSettings {
            main: MainPassSettings::default(),
            backfill: Some(BackfillSettings::default()),
            select: SelectSettings::default(),
            priority: PrioritySettings::default(),
            preempt: PreemptSettings::default(),
            jobs: JobSettings::default(),
            topology_plugin: TopologyPlugin::Flat,
        }
    }
}

/// The table of [`JobSettings`].
#[doc(hidden)]
#[macro_export]
macro_rules! job_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// What holds for all jobs.
    JobSettings {
        /// What a job beyond its time limit may still run.
        kill_wait: Seconds = Seconds(30), ["KillWait" = "60", SECONDS_OR_CLOCK, Followed];
        /// How far jobs may exceed their time limit; `UNLIMITED`: without end.
        over_time_limit: Option<Seconds> = Some(Seconds::ZERO), ["OverTimeLimit" = "5", TIME_LIMIT, Followed];
        /// How long nothing is started while a job is completing.
        complete_wait: Seconds = Seconds::ZERO, ["CompleteWait" = "32", SECONDS_OR_CLOCK, LeftOut];
        /// Whether jobs whose dependency can never be met are removed.
        kill_invalid_depend: bool = false, ["DependencyParameters.kill_invalid_depend" = "", FLAG, Followed];
        /// Which of a partition's limits are enforced at submission.
        enforce_part_limits: PartLimitsRule = PartLimitsRule::No, ["EnforcePartLimits" = "ALL", PART_LIMITS, Followed];
        /// Memory of jobs that ask for none; `UNLIMITED`: all of a node.
        default_memory: Option<MemoryAmount> = None,
            ["DefMemPerCPU" = "2000", MEMORY_PER_CPU, Followed],
            ["DefMemPerNode" = "64000", MEMORY_PER_NODE, Followed];
        /// The most memory of a job.
        max_memory: Option<MemoryAmount> = None,
            ["MaxMemPerCPU" = "4000", MEMORY_PER_CPU, LeftOut],
            ["MaxMemPerNode" = "128000", MEMORY_PER_NODE, LeftOut];
        /// What a GPU brings along where a job does not say.
        per_gpu: DefaultPerGpu = DefaultPerGpu::default(), ["JobDefaults" = "DefCpuPerGPU=2", PER_GPU, Followed];
        /// How long ended jobs are remembered, and may be requeued.
        min_job_age: Seconds = Seconds(300), ["MinJobAge" = "600", SECONDS_OR_CLOCK, Followed];
        /// What the accounting enforces.
        enforce: Enforcement = Enforcement::default(), ["AccountingStorageEnforce" = "limits", ENFORCEMENT, Followed];
        /// Whether jobs go back to the queue when they are preempted or a node fails.
        job_requeue: bool = true, ["JobRequeue" = "0", ONE_ZERO, Followed];
        /// How long jobs may outlast their reservation; `UNLIMITED`: without end.
        resv_over_run: Option<Seconds> = Some(Seconds::ZERO), ["ResvOverRun" = "10", TIME_LIMIT, Followed];
        /// One more than the largest index of an array.
        max_array_size: u32 = 1001, ["MaxArraySize" = "2001", COUNT, Ignored];
        /// The most jobs known at one time.
        max_job_count: u32 = 10_000, ["MaxJobCount" = "20000", COUNT, Ignored];
        /// The number of the first job.
        first_job_id: u32 = 1, ["FirstJobId" = "100", COUNT, Ignored];
        /// The most tasks of a node.
        max_tasks_per_node: u32 = 512, ["MaxTasksPerNode" = "256", COUNT, Ignored];
        /// Turns of jobs that share processors.
        time_slice: Seconds = Seconds(30), ["SchedulerTimeSlice" = "60", SECONDS_OR_CLOCK, Ignored];
        /// Resources that are tracked besides the usual ones, as `gres/gpu`.
        tracked_tres: Vec<String> = Vec::new(), ["AccountingStorageTRES" = "gres/gpu", TRACKED_TRES, Ignored];
    } } };
}
job_settings!(settings_struct[Eq]);

/// The table of [`MainPassSettings`].
#[doc(hidden)]
#[macro_export]
macro_rules! main_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// The passes over the queue that submissions and ends cause.
    MainPassSettings {
        /// The least time between two ordinary passes.
        batch_sched_delay: Seconds = Seconds(3), ["SchedulerParameters.batch_sched_delay" = "10", SECONDS, Followed];
        /// How often a pass looks at the whole queue; `-1`: never.
        sched_interval: Option<Seconds> = Some(Seconds(60)), ["SchedulerParameters.sched_interval" = "30", SECONDS_OR_NEVER, Followed];
        /// The least time between any two passes, in microseconds.
        #[serde(rename = "sched_min_interval_us")]
        sched_min_interval: Micros = Micros(2), ["SchedulerParameters.sched_min_interval" = "1000", MICROSECONDS, LeftOut];
        /// Jobs that an ordinary pass looks at.
        default_queue_depth: u32 = 100, ["SchedulerParameters.default_queue_depth" = "200", COUNT, Followed];
        /// Jobs of each partition that a pass looks at; zero: all.
        partition_job_depth: u32 = 0, ["SchedulerParameters.partition_job_depth" = "50", COUNT, Followed];
        /// The longest time of a pass.
        max_sched_time: Seconds = Seconds(2), ["SchedulerParameters.max_sched_time" = "4", SECONDS, Ignored];
        /// Jobs that a pass starts at most; zero: all.
        sched_max_job_start: u32 = 0, ["SchedulerParameters.sched_max_job_start" = "10", COUNT, Followed];
        /// Whether submissions and ends cause no pass of their own.
        defer: bool = false, ["SchedulerParameters.defer" = "", FLAG, Followed];
        /// Whether submissions of batch jobs cause no pass of their own.
        defer_batch: bool = false, ["SchedulerParameters.defer_batch" = "", FLAG, LeftOut];
        /// Whether a job stopped by a limit of its association or QOS closes its partition.
        assoc_limit_stop: bool = false, ["SchedulerParameters.assoc_limit_stop" = "", FLAG, Followed];
        /// The longest time to build the queue, in microseconds.
        #[serde(rename = "build_queue_timeout_us")]
        build_queue_timeout: Micros = Micros(2_000_000), ["SchedulerParameters.build_queue_timeout" = "1000000", MICROSECONDS, Ignored];
        /// Passes are put off while more messages than this wait; zero: never.
        max_rpc_count: u32 = 0, ["SchedulerParameters.max_rpc_cnt" = "100", COUNT, LeftOut, "SchedulerParameters.max_rpc_count"];
        /// Whether jobs of one processor are placed at the end of the list of nodes.
        pack_serial_at_end: bool = false, ["SchedulerParameters.pack_serial_at_end" = "", FLAG, Followed];
        /// Whether completing nodes put off other jobs of the same partitions only.
        reduce_completing_frag: bool = false, ["SchedulerParameters.reduce_completing_frag" = "", FLAG, LeftOut];
        /// How long a job waits for few switches at most.
        max_switch_wait: Seconds = Seconds(300), ["SchedulerParameters.max_switch_wait" = "600", SECONDS, Ignored];
        /// How far dependencies are followed to find circles.
        max_depend_depth: u32 = 10,
            ["SchedulerParameters.max_depend_depth" = "5", COUNT, Ignored, "DependencyParameters.max_depend_depth"];
        /// The most tasks of one array; by default as `MaxArraySize`.
        max_array_tasks: Option<u32> = None, ["SchedulerParameters.max_array_tasks" = "500", OPTIONAL_COUNT, Ignored];
        /// How long a requeued job waits; by default the time a credential lives, and a second.
        requeue_delay: Option<Seconds> = None, ["SchedulerParameters.requeue_delay" = "30", OPTIONAL_SECONDS, Followed];
    } } };
}
main_settings!(settings_struct[Eq]);

/// The table of [`BackfillSettings`].
#[doc(hidden)]
#[macro_export]
macro_rules! backfill_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// Backfilling.
    BackfillSettings {
        /// The time from the end of one backfilling cycle to the next; -1: there are none.
        interval: Option<Seconds> = Some(Seconds(30)), ["SchedulerParameters.bf_interval" = "60", SECONDS_OR_NEVER, Followed];
        /// The longest time of a backfilling cycle; by default `bf_interval`.
        max_time: Option<Seconds> = None, ["SchedulerParameters.bf_max_time" = "120", OPTIONAL_SECONDS, Ignored];
        /// The grid of the times that backfilling plans for.
        resolution: Seconds = Seconds(60), ["SchedulerParameters.bf_resolution" = "300", POSITIVE_SECONDS, Followed];
        /// How far backfilling plans.
        window: Seconds = Seconds(1440 * 60), ["SchedulerParameters.bf_window" = "2880", MINUTES, Followed];
        /// How many jobs a cycle tests and starts.
        #[serde(flatten)]
        counts: BackfillCounts = BackfillCounts::default();
        /// The age below which jobs get no plan.
        min_age_reserve: Seconds = Seconds::ZERO, ["SchedulerParameters.bf_min_age_reserve" = "600", SECONDS, Followed];
        /// The priority below which jobs get no plan.
        min_prio_reserve: u32 = 0, ["SchedulerParameters.bf_min_prio_reserve" = "1000", COUNT, Followed];
        /// Jobs of each partition that get a plan; zero: all.
        job_part_count_reserve: u32 = 0, ["SchedulerParameters.bf_job_part_count_reserve" = "10", COUNT, Followed];
        /// Whether a job of several partitions gets one plan only.
        one_resv_per_job: bool = false, ["SchedulerParameters.bf_one_resv_per_job" = "", FLAG, LeftOut];
        /// How long backfilling holds its locks, in microseconds.
        #[serde(rename = "yield_interval_us")]
        yield_interval: Micros = Micros(2_000_000), ["SchedulerParameters.bf_yield_interval" = "1000000", MICROSECONDS, Ignored];
        /// How long it then lets them go, in microseconds.
        #[serde(rename = "yield_sleep_us")]
        yield_sleep: Micros = Micros(500_000), ["SchedulerParameters.bf_yield_sleep" = "100000", MICROSECONDS, Ignored];
        /// Whether it then goes on although jobs or nodes changed.
        continues: bool = false, ["SchedulerParameters.bf_continue" = "", FLAG, Ignored];
        /// Whether nodes that became available meanwhile are left out.
        ignore_newly_avail_nodes: bool = false, ["SchedulerParameters.bf_ignore_newly_avail_nodes" = "", FLAG, Ignored];
        /// Whether planned jobs prefer busy nodes.
        busy_nodes: bool = false, ["SchedulerParameters.bf_busy_nodes" = "", FLAG, LeftOut];
        /// The steps, in seconds, in which backfilling looks ahead; by default each is twice the one before.
        window_linear: Option<Seconds> = None, ["SchedulerParameters.bf_window_linear" = "600", OPTIONAL_SECONDS, Followed];
        /// Whether running jobs are planned for as well.
        running_job_reserve: bool = false, ["SchedulerParameters.bf_running_job_reserve" = "", FLAG, LeftOut];
        /// Whether licenses are planned.
        licenses: bool = false, ["SchedulerParameters.bf_licenses" = "", FLAG, LeftOut];
        /// Intervals that a plan has at most; by default Slurm's own number.
        node_space_size: Option<u32> = None, ["SchedulerParameters.bf_node_space_size" = "500", OPTIONAL_COUNT, Ignored];
        /// Whether jobs may be planned within magnetic reservations.
        allow_magnetic_slot: bool = false, ["SchedulerParameters.bf_allow_magnetic_slot" = "", FLAG, Ignored];
    } } };
}
backfill_settings!(settings_struct[Eq]);

/// The table of [`BackfillCounts`].
#[doc(hidden)]
#[macro_export]
macro_rules! backfill_counts {
    ($with:ident $args:tt) => { $with! { $args
    /// How many jobs a backfilling cycle tests and starts. Zero is no limit, except for the tests of a cycle and the tasks of an array.
    BackfillCounts {
        /// Jobs that a cycle tests.
        max_job_test: u32 = 500, ["SchedulerParameters.bf_max_job_test" = "1000", COUNT, Followed, "SchedulerParameters.max_job_bf"];
        /// Jobs of each user that a cycle tests.
        max_job_user: u32 = 0, ["SchedulerParameters.bf_max_job_user" = "20", COUNT, Followed];
        /// Jobs of each user in each partition that a cycle tests.
        max_job_user_part: u32 = 0, ["SchedulerParameters.bf_max_job_user_part" = "10", COUNT, Followed];
        /// Jobs of each partition that a cycle tests.
        max_job_part: u32 = 0, ["SchedulerParameters.bf_max_job_part" = "100", COUNT, Followed];
        /// Jobs of each association that a cycle tests.
        max_job_assoc: u32 = 0, ["SchedulerParameters.bf_max_job_assoc" = "10", COUNT, Followed];
        /// Jobs that a cycle starts.
        max_job_start: u32 = 0, ["SchedulerParameters.bf_max_job_start" = "10", COUNT, Followed];
        /// Tasks of an array that are planned.
        max_job_array_resv: u32 = 20, ["SchedulerParameters.bf_max_job_array_resv" = "5", COUNT, Followed];
    } } };
}
backfill_counts!(settings_struct[Eq]);

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
