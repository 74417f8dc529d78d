//! How nodes are chosen and divided.

use serde::Serialize;

use super::rows::settings_struct;

/// What jobs are given of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectKind {
    /// Whole nodes (`select/linear`).
    Linear,
    /// Parts of nodes (`select/cons_tres`, `select/cons_res`).
    #[default]
    Parts,
}

/// The smallest part of a node that a job is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConsumedUnit {
    /// A processor, which may be a thread.
    Cpu,
    /// A core with all its threads.
    #[default]
    Core,
    /// A socket.
    Socket,
    /// A whole node.
    Node,
}

/// The table of [`SelectSettings`].
#[doc(hidden)]
#[macro_export]
macro_rules! select_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// How nodes are chosen. The default is that of Slurm from 23.11 on.
    SelectSettings {
        /// What jobs are given of a node.
        kind: SelectKind = SelectKind::Parts;
        /// The smallest part of a node that a job is given.
        unit: ConsumedUnit = ConsumedUnit::Core;
        /// Whether memory is tracked.
        memory: bool = true;
        /// Whether each core gets one task by default.
        one_task_per_core: bool = false, ["SelectTypeParameters.CR_ONE_TASK_PER_CORE" = "", FLAG, LeftOut];
        /// Whether cores of a node are filled block by block.
        block_distribution: bool = false, ["SelectTypeParameters.CR_CORE_DEFAULT_DIST_BLOCK" = "", FLAG, Followed];
        /// Whether the nodes with the most idle processors are taken first.
        least_loaded_nodes: bool = false, ["SelectTypeParameters.CR_LLN" = "", FLAG, Followed];
        /// Whether the tasks of a job's steps are packed on few of its nodes; which nodes a job is given does not depend on it.
        pack_nodes: bool = false, ["SelectTypeParameters.CR_Pack_Nodes" = "", FLAG, Followed];
    } } };
}
select_settings!(settings_struct[Eq]);
