//! Partitions: sets of nodes with limits.

use serde::Serialize;

use super::preempt::PreemptAction;
use super::select::ConsumedUnit;
use super::tres::TresWeights;
use queuecast_core::units::Seconds;

/// A partition. Partitions may share nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterPartition {
    /// Its name.
    pub name: String,
    /// Indices of its nodes, ascending.
    pub nodes: Vec<usize>,
    /// Whether jobs may be submitted to it and started in it.
    pub state: PartitionState,
    /// Whether jobs that name no partition go here.
    pub is_default: bool,
    /// The longest time limit; `None` without a limit.
    pub max_time: Option<Seconds>,
    /// The time limit of jobs that name none; `None`: the longest.
    pub default_time: Option<Seconds>,
    /// Waiting jobs of a higher tier come first, whatever their priority.
    pub priority_tier: u32,
    /// Its part in the priority of its jobs.
    pub priority_job_factor: u32,
    /// The fewest nodes of a job.
    pub min_nodes: u32,
    /// The most nodes of a job; `None` without a limit.
    pub max_nodes: Option<u32>,
    /// The most processors that its jobs may have on a node.
    pub max_cpus_per_node: Option<u32>,
    /// The most processors that its jobs may have on a socket.
    pub max_cpus_per_socket: Option<u32>,
    /// Memory of jobs that ask for none; `None`: the cluster's.
    pub default_memory: Option<MemoryAmount>,
    /// The most memory of a job; `None`: the cluster's.
    pub max_memory: Option<MemoryAmount>,
    /// What a GPU brings along where a job does not say.
    pub per_gpu: DefaultPerGpu,
    /// Whether jobs share processors.
    pub sharing: Sharing,
    /// Whether a node holds jobs of one user at a time only.
    pub exclusive_user: bool,
    /// Accounts whose jobs it takes.
    pub accounts: Allowed,
    /// Unix groups whose jobs it takes.
    pub groups: Allowed,
    /// QOS whose jobs it takes.
    pub allowed_qos: Allowed,
    /// The QOS whose limits hold for all its jobs together.
    pub qos: Option<String>,
    /// Whether the nodes with the most idle processors are taken first.
    pub least_loaded_nodes: bool,
    /// How its jobs are preempted; `None`: as the cluster says.
    pub preempt: Option<PreemptAction>,
    /// How long a preempted job may go on.
    pub grace_time: Seconds,
    /// How far jobs may exceed their limit; the outer `None`: as the cluster says, the inner: without end.
    pub over_time_limit: Option<Option<Seconds>>,
    /// What jobs are charged for each resource; empty: the processors.
    pub billing_weights: TresWeights,
    /// Whether only the administrator submits to it.
    pub root_only: bool,
    /// Whether only jobs of a reservation run in it.
    pub needs_reservation: bool,
    /// Whether what jobs are given are cores or sockets, where it differs from the cluster (`SelectTypeParameters`).
    pub consumed: Option<ConsumedUnit>,
    /// The partition that takes its jobs while it is down.
    pub alternate: Option<String>,
}

impl Default for ClusterPartition {
    /// A partition of which only the name is configured.
    fn default() -> ClusterPartition {
        ClusterPartition {
            name: String::new(),
            nodes: Vec::new(),
            state: PartitionState::Up,
            is_default: false,
            max_time: None,
            default_time: None,
            priority_tier: 1,
            priority_job_factor: 1,
            min_nodes: 0,
            max_nodes: None,
            max_cpus_per_node: None,
            max_cpus_per_socket: None,
            default_memory: None,
            max_memory: None,
            per_gpu: DefaultPerGpu::default(),
            sharing: Sharing::No,
            exclusive_user: false,
            accounts: Allowed::All,
            groups: Allowed::All,
            allowed_qos: Allowed::All,
            qos: None,
            least_loaded_nodes: false,
            preempt: None,
            grace_time: Seconds::ZERO,
            over_time_limit: None,
            billing_weights: TresWeights::default(),
            root_only: false,
            needs_reservation: false,
            consumed: None,
            alternate: None,
        }
    }
}

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
