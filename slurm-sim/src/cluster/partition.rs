//! Partitions: sets of nodes with limits.

use serde::Serialize;

use super::preempt::PreemptAction;
use super::rows::settings_struct;
use super::select::ConsumedUnit;
use super::tres::TresWeights;
use queuecast_core::units::Seconds;

/// The table of [`ClusterPartition`].
#[doc(hidden)]
#[macro_export]
macro_rules! partition_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// A partition. Partitions may share nodes. The default is one of which only the name is configured.
    ClusterPartition {
        /// Its name.
        name: String = String::new();
        /// Indices of its nodes, ascending.
        nodes: Vec<usize> = Vec::new(), ["Nodes" = "ALL", NODE_INDICES, Followed];
        /// Whether jobs may be submitted to it and started in it.
        state: PartitionState = PartitionState::Up, ["State" = "DRAIN", PARTITION_STATE, Followed];
        /// Whether jobs that name no partition go here.
        is_default: bool = false, ["Default" = "YES", YES_NO, Followed];
        /// The longest time limit; `UNLIMITED`: none.
        max_time: Option<Seconds> = None, ["MaxTime" = "2-0", TIME_LIMIT, Followed];
        /// The time limit of jobs that name none; `NONE`: the longest.
        default_time: Option<Seconds> = None, ["DefaultTime" = "30", DEFAULT_TIME, Followed];
        /// Waiting jobs of a higher tier come first, whatever their priority.
        priority_tier: u32 = 1, ["PriorityTier" = "5", COUNT, Followed];
        /// Its part in the priority of its jobs.
        priority_job_factor: u32 = 1, ["PriorityJobFactor" = "10", COUNT, Followed];
        /// The fewest nodes of a job.
        min_nodes: u32 = 0, ["MinNodes" = "2", COUNT, Followed];
        /// The most nodes of a job.
        max_nodes: Option<u32> = None, ["MaxNodes" = "4", SIZE_LIMIT, Followed];
        /// The most processors that its jobs may have on a node.
        max_cpus_per_node: Option<u32> = None, ["MaxCPUsPerNode" = "8", SIZE_LIMIT, Followed];
        /// The most processors that its jobs may have on a socket.
        max_cpus_per_socket: Option<u32> = None, ["MaxCPUsPerSocket" = "4", SIZE_LIMIT, LeftOut];
        /// Memory of jobs that ask for none; `UNLIMITED`: the cluster's.
        default_memory: Option<MemoryAmount> = None,
            ["DefMemPerCPU" = "1000", MEMORY_PER_CPU, Followed],
            ["DefMemPerNode" = "2000", MEMORY_PER_NODE, Followed];
        /// The most memory of a job; `UNLIMITED`: the cluster's.
        max_memory: Option<MemoryAmount> = None,
            ["MaxMemPerCPU" = "4000", MEMORY_PER_CPU, LeftOut],
            ["MaxMemPerNode" = "8000", MEMORY_PER_NODE, LeftOut];
        /// What a GPU brings along where a job does not say.
        per_gpu: DefaultPerGpu = DefaultPerGpu::default(), ["JobDefaults" = "DefCpuPerGPU=2", PER_GPU, Followed];
        /// Whether jobs share processors.
        sharing: Sharing = Sharing::No, ["OverSubscribe" = "EXCLUSIVE", SHARING, Followed, "Shared"];
        /// Whether a node holds jobs of one user at a time only.
        exclusive_user: bool = false, ["ExclusiveUser" = "YES", YES_NO, LeftOut];
        /// Accounts whose jobs it takes.
        accounts: Allowed = Allowed::All,
            ["AllowAccounts" = "phys", ALLOWED, Followed],
            ["DenyAccounts" = "guests", DENIED, Followed];
        /// Unix groups whose jobs it takes.
        groups: Allowed = Allowed::All, ["AllowGroups" = "staff", ALLOWED, LeftOut];
        /// QOS whose jobs it takes.
        allowed_qos: Allowed = Allowed::All,
            ["AllowQos" = "high", ALLOWED, Followed],
            ["DenyQos" = "low", DENIED, Followed];
        /// The QOS whose limits hold for all its jobs together.
        qos: Option<String> = None, ["QOS" = "high", NAME, Followed];
        /// Whether the nodes with the most idle processors are taken first.
        least_loaded_nodes: bool = false, ["LLN" = "YES", YES_NO, Followed];
        /// How its jobs are preempted; if it does not say, as the cluster does.
        preempt: Option<PreemptAction> = None, ["PreemptMode" = "REQUEUE", PARTITION_PREEMPT_MODE, Followed];
        /// How long a preempted job may go on.
        grace_time: Seconds = Seconds::ZERO, ["GraceTime" = "60", SECONDS_OR_CLOCK, LeftOut];
        /// How far jobs may exceed their limit; `NONE`: as the cluster says, `UNLIMITED`: without end.
        over_time_limit: Option<Option<Seconds>> = None, ["OverTimeLimit" = "5", OWN_TIME_LIMIT, LeftOut];
        /// What jobs are charged for each resource; empty: the processors.
        billing_weights: TresWeights = TresWeights::default(),
            ["TRESBillingWeights" = "CPU=1.0,Mem=0.25G", BILLING_WEIGHTS, Followed];
        /// Whether only the administrator submits to it.
        root_only: bool = false, ["RootOnly" = "YES", YES_NO, LeftOut];
        /// Whether only jobs of a reservation run in it.
        needs_reservation: bool = false, ["ReqResv" = "YES", YES_NO, LeftOut];
        /// Whether what jobs are given are cores or sockets, where it differs from the cluster.
        consumed: Option<ConsumedUnit> = None, ["SelectTypeParameters" = "CR_Socket", CONSUMED_UNIT, LeftOut];
        /// The partition that takes its jobs while it is down.
        alternate: Option<String> = None, ["Alternate" = "other", NAME, LeftOut];
    } } };
}
partition_settings!(settings_struct[]);

/// Whether jobs may be submitted to a partition and started in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionState {
    /// Both.
    Up,
    /// Submitted, not started.
    Down,
    /// Started, not submitted.
    Drain,
    /// Neither.
    Inactive,
}

/// Whether jobs of a partition share processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// They do not.
    No,
    /// They do not even share nodes.
    Exclusive,
    /// Up to this number of jobs share a processor if they ask for it (`OverSubscribe=YES`).
    Yes(u32),
    /// Up to this number of jobs share a processor, asked for or not (`OverSubscribe=FORCE`).
    Force(u32),
}

/// Names that are allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allowed {
    /// Every name.
    #[default]
    All,
    /// These.
    Only(Vec<String>),
    /// All but these.
    Except(Vec<String>),
}

impl Allowed {
    /// Whether a name is allowed. Slurm compares names without regard to case.
    pub fn allows(&self, name: &str) -> bool {
        let among = |names: &[String]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
        match self {
            Allowed::All => true,
            Allowed::Only(names) => among(names),
            Allowed::Except(names) => !among(names),
        }
    }
}

/// An amount of memory in MB, for each processor or for each node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryAmount {
    /// For each processor.
    PerCpu(u64),
    /// For each node.
    PerNode(u64),
}

/// What each GPU brings along where a job does not say (`JobDefaults`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DefaultPerGpu {
    /// Processors.
    pub cpus: Option<u32>,
    /// Memory in MB.
    pub memory_mb: Option<u64>,
}
