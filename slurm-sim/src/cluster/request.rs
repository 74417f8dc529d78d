//! What a job asks for.

use serde::Serialize;

use super::features::FeatureExpr;
use queuecast_core::units::{Seconds, Time};

/// How tasks lie on sockets, cores and threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct TaskLayout {
    /// Tasks on each socket.
    pub tasks_per_socket: Option<u32>,
    /// Tasks on each core.
    pub tasks_per_core: Option<u32>,
    /// Tasks for each GPU.
    pub tasks_per_gpu: Option<u32>,
    /// Fewest processors of each node (`--mincpus`).
    pub min_cpus_per_node: Option<u32>,
    /// Only nodes with at least this number of sockets.
    pub sockets_per_node: Option<u32>,
    /// Only nodes with at least this number of cores per socket.
    pub cores_per_socket: Option<u32>,
    /// Only nodes with at least this number of threads per core.
    pub threads_per_core: Option<u32>,
    /// Threads are not used (`--hint=nomultithread`).
    pub one_thread_per_core: bool,
    /// Several tasks may share a processor.
    pub overcommit: bool,
    /// Cores of each node left to the system.
    pub spare_cores: Option<u32>,
}

/// Generic resources and licenses that a job asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct RequestedGres {
    /// Generic resources of each node (`--gres`, `--gpus-per-node`).
    pub per_node: Vec<GresRequest>,
    /// Generic resources of the whole job (`--gpus`).
    pub per_job: Vec<GresRequest>,
    /// Generic resources of each task (`--gpus-per-task`).
    pub per_task: Vec<GresRequest>,
    /// Generic resources of each socket (`--gpus-per-socket`).
    pub per_socket: Vec<GresRequest>,
    /// Processors for each GPU.
    pub cpus_per_gpu: Option<u32>,
    /// Licenses by name.
    pub licenses: Vec<GresRequest>,
}

/// Which nodes a job asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct NodeWishes {
    /// Features that its nodes must have.
    pub constraint: Option<FeatureExpr>,
    /// Features that its nodes had better have.
    pub prefer: Option<FeatureExpr>,
    /// Whether it shares its nodes.
    pub exclusivity: Option<Exclusivity>,
    /// Names of nodes that must be among its nodes.
    pub node_list: Vec<String>,
    /// Names of nodes that must not.
    pub exclude: Vec<String>,
    /// Its nodes must be neighbours.
    pub contiguous: bool,
    /// It is spread over the largest possible number of nodes (`--spread-job`).
    pub spread: bool,
    /// Of several numbers of nodes the smallest is to be taken (`--use-min-nodes`).
    pub use_min_nodes: bool,
    /// The most leaf switches, and how long to wait for that at most.
    pub switches: Option<(u32, Option<Seconds>)>,
}

/// When a job may run, and with which priority.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct RequestTerms {
    /// The shortest time limit it may be given.
    pub time_min: Option<Seconds>,
    /// When it may start at the earliest.
    pub begin: Option<Begin>,
    /// When it must have ended; it is removed if that is not possible any more.
    pub deadline: Option<Begin>,
    /// It waits until it is released.
    pub hold: bool,
    /// What is taken from its priority; a user's `--nice` without a value is 100.
    pub nice: Option<i64>,
    /// A priority that replaces the computed one.
    pub priority: Option<u32>,
    /// Its reservations, in the order they were named.
    pub reservations: Vec<String>,
    /// Whether it goes back to the queue when it is preempted or a node fails; `None`: as the cluster says.
    pub requeue: Option<bool>,
}

/// What a job asks for, as its submission says it. What was not said is `None`, empty or false, and differs from a zero.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct JobRequest {
    /// Its name.
    pub name: Option<String>,
    /// The account to charge.
    pub account: Option<String>,
    /// Its QOS; several are tried in order.
    pub qos: Vec<String>,
    /// Its partitions, in the order they were named.
    pub partitions: Vec<String>,
    /// The fewest nodes.
    pub min_nodes: Option<u32>,
    /// The most nodes; `None` without a fewest: not said, else: no limit.
    pub max_nodes: Option<u32>,
    /// Tasks.
    pub tasks: Option<u32>,
    /// Processors of each task.
    pub cpus_per_task: Option<u32>,
    /// Tasks on each node.
    pub tasks_per_node: Option<u32>,
    /// Memory.
    pub memory: Option<MemoryRequest>,
    /// Its time limit.
    pub time_limit: Option<TimeLimit>,
    /// The jobs it waits for.
    pub dependency: Option<Dependency>,
    /// Its array tasks.
    pub array: Option<JobArray>,
    /// How tasks lie on sockets, cores and threads.
    pub tasks_on: TaskLayout,
    /// Generic resources and licenses that a job asks for.
    pub gres: RequestedGres,
    /// Which nodes a job asks for.
    pub wishes: NodeWishes,
    /// When a job may run, and with which priority.
    pub terms: RequestTerms,
}

impl JobRequest {
    /// Processors that it names; how many it is given depends on its nodes.
    pub fn processors(&self) -> u32 {
        let nodes = self.min_nodes.unwrap_or(1).max(1);
        let tasks = self.tasks.unwrap_or_else(|| nodes.saturating_mul(self.tasks_per_node.unwrap_or(1)));
        tasks.max(nodes).saturating_mul(self.cpus_per_task.unwrap_or(1)).max(1)
    }
}

/// Memory that a job asks for, in MB. Zero for a node is all its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryRequest {
    /// For each node.
    PerNode(u64),
    /// For each processor.
    PerCpu(u64),
    /// For each GPU.
    PerGpu(u64),
}

/// Some of a generic resource, or of a license.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct GresRequest {
    /// Its name: `gpu`.
    pub name: String,
    /// Its type; `None`: any.
    pub kind: Option<String>,
    /// How many.
    pub count: u64,
}

/// Whether a job shares its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exclusivity {
    /// With no other job.
    Exclusive,
    /// With jobs of its user only.
    User,
    /// With jobs of its MCS label only.
    Mcs,
    /// Its topology block is shared with no other job.
    Topology,
    /// With any job, processors included, where the partition allows it.
    Oversubscribe,
}

/// A time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeLimit {
    /// A time limit; Slurm rounds it up to whole minutes.
    Of(Seconds),
    /// None.
    Unlimited,
}

/// An instant in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Begin {
    /// This time after the submission.
    After(Seconds),
    /// At a Unix time.
    At(Time),
    /// When the job became eligible, by accounting, for whatever reason: known at no moment before.
    Eligible(Time),
    /// At a time of day, in seconds after midnight, of the day of submission or the next.
    Clock(Seconds),
    /// At a local date and time of the site, in seconds as if it were in UTC.
    Local(Time),
}

/// The jobs that a job waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Dependency {
    /// Whether one of the conditions is enough (`?` instead of `,`).
    pub any: bool,
    /// The conditions, in the order they were named.
    pub on: Vec<DependencyOn>,
}

/// One condition of a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct DependencyOn {
    /// What has to happen.
    pub kind: DependencyKind,
    /// The job it has to happen to: its number or its key, with `_` and a task, or as an array; empty for a singleton.
    pub job: String,
    /// How long after it the job may start.
    pub delay: Seconds,
}

/// What has to happen to a job before another may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DependencyKind {
    /// It has started or was cancelled.
    After,
    /// It has ended.
    AfterAny,
    /// It has ended well.
    AfterOk,
    /// It has ended otherwise.
    AfterNotOk,
    /// The task of the same index has ended well.
    AfterCorr,
    /// Its burst buffers were written.
    AfterBurstBuffer,
    /// All earlier jobs of the same name and user have ended.
    Singleton,
}

impl DependencyKind {
    /// As sbatch writes it.
    pub fn word(self) -> &'static str {
        match self {
            DependencyKind::After => "after",
            DependencyKind::AfterAny => "afterany",
            DependencyKind::AfterOk => "afterok",
            DependencyKind::AfterNotOk => "afternotok",
            DependencyKind::AfterCorr => "aftercorr",
            DependencyKind::AfterBurstBuffer => "afterburstbuffer",
            DependencyKind::Singleton => "singleton",
        }
    }
}

/// The tasks of an array.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct JobArray {
    /// Indices, ascending and different.
    pub indices: Vec<u32>,
    /// How many may run at one time; `None` or zero: all.
    pub throttle: Option<u32>,
}
