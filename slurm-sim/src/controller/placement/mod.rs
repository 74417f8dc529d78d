//! Nodes in numbers, what of them is in use, what jobs need of them, and which nodes a job is given.

mod alike;
mod apart;
mod asked;
mod core_holds;
mod in_use;
mod known;
mod layout;
mod leaves;
mod linear;
mod missing;
mod need;
mod need_cache;
mod node_order;
mod node_runs;
mod node_set;
mod one_by_one;
mod pool;
mod prepared;
mod reserved;
mod select;
mod selecting;
mod switch_tree;
mod weighing;
mod weights;

#[cfg(test)]
mod choices;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod plain_shares;

pub use alike::alike_by_weight;
pub use apart::JobApart;
pub use asked::NodeBounds;
pub use in_use::{Load, LoadVersion, NodeShare, NodeUse};
pub use layout::NodeLayout;
pub use need::{GresIndex, MemoryNeed, Need};
pub use need_cache::{CachedNeed, NeedCache};
pub use node_order::NodeOrder;
pub use node_set::{NodeSet, NodeWord, NodeWords};
pub use pool::NodePool;
pub use prepared::{PreparedCluster, PreparedNodes};
pub(super) use select::NodeOffer;
pub use weights::WeightShift;

#[cfg(test)]
pub use plain::select;
