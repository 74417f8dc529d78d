//! A machine with parts, and jobs that ask for parts of it, as plain data: nodes and their classes, switches, partitions,
//! QOS, accounts, reservations, the settings of the scheduler, submissions and what happened besides.
//!
//! The words are Slurm's, since it is Slurm's scheduler that the settings describe; nothing here depends on a file
//! format. Values are as configured: a limit that is not set is `None` (or absent from a [`Tres`]), never a large number,
//! and what is left out of a request is `None`, which differs from zero. [`ClusterSettings::default`] is Slurm without
//! any configuration. The room `slurm` makes these values out of texts.

mod association;
mod billing;
mod decided;
mod event;
mod expected;
mod features;
mod gpu_counts;
mod grown;
mod indices;
mod limits;
mod moment;
mod moments;
mod node;
mod node_names;
mod node_past;
mod order;
mod outcome;
mod partition;
mod past_usage;
mod preempt;
mod priority;
mod qos;
mod recorded;
mod refusal;
mod request;
mod reservation;
mod rows;
mod select;
mod settings;
mod submitted;
mod topology;
mod tres;
mod whole;

pub use association::{Association, AssociationPlaces, Associations, Shares};
pub(crate) use billing::billed;
pub use decided::{
    GivenPart, JobNumber, LoggedAction, LoggedPlace, LoggedStep, PriorityPartsShown, RecordedDecisions,
    RecordedEnd, ShownPriority,
};
pub use event::{ClusterAction, ClusterEvent, JobUpdate, NodeChange};
pub use expected::ExpectedStart;
pub use features::FeatureExpr;
pub(crate) use gpu_counts::gpu_contradiction;
pub use indices::{AssociationIndex, PartitionIndex, QosIndex};
pub use limits::{GroupLimits, HolderLimits, PerJobLimits};
pub use moment::{ClusterMoment, JobStanding, StandingState};
pub use moments::RecordedMoments;
pub use node::{ClusterNode, GenericResource, NodeClass, NodeState, classes_of};
pub use node_names::NodeNames;
pub(crate) use node_names::NodeRuns;
pub use order::name_order;
pub use outcome::{JobOutcome, is_known};
pub use partition::{Allowed, ClusterPartition, DefaultPerGpu, MemoryAmount, PartitionState, Sharing};
pub use preempt::{PreemptAction, PreemptKind, PreemptSettings};
pub use priority::{PriorityFlags, PriorityKind, PrioritySettings, PriorityWeights, UsageReset};
pub use qos::{Qos, QosFlags};
pub use recorded::{RecordedRun, RunClock};
pub use refusal::{SubmitRefusal, submit_refusal};
pub use request::{
    Begin, Dependency, DependencyKind, DependencyOn, Exclusivity, GresRequest, JobArray, JobRequest,
    MemoryRequest, NodeWishes, RequestTerms, RequestedGres, TaskLayout, TimeLimit,
};
pub use reservation::{AdvanceReservation, Outage, ReservationFlags};
pub use select::{ConsumedUnit, SelectKind, SelectSettings};
pub use settings::{
    BackfillCounts, BackfillSettings, ClusterSettings, Enforcement, JobSettings, MainPassSettings,
    PartLimitsRule,
};
pub use submitted::{SharedRequest, SharedRequests, SubmittedJob, TaskRun};
pub use topology::{Switch, Topology, TopologyPlugin};
pub use tres::{Tres, TresWeights};
pub use whole::Cluster;
