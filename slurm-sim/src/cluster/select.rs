//! How nodes are chosen and divided.

use serde::Serialize;

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

/// How nodes are chosen. The default is that of Slurm from 23.11 on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SelectSettings {
    /// What jobs are given of a node.
    pub kind: SelectKind,
    /// The smallest part of a node that a job is given.
    pub unit: ConsumedUnit,
    /// Whether memory is tracked.
    pub memory: bool,
    /// Whether each core gets one task by default.
    pub one_task_per_core: bool,
    /// Whether cores of a node are filled block by block (`CR_CORE_DEFAULT_DIST_BLOCK`).
    pub block_distribution: bool,
    /// Whether the nodes with the most idle processors are taken first (`CR_LLN`).
    pub least_loaded_nodes: bool,
    /// Whether the tasks of a job are packed on few nodes (`CR_Pack_Nodes`).
    pub pack_nodes: bool,
}

impl Default for SelectSettings {
    fn default() -> SelectSettings {
        SelectSettings {
            kind: SelectKind::Parts,
            unit: ConsumedUnit::Core,
            memory: true,
            one_task_per_core: false,
            block_distribution: false,
            least_loaded_nodes: false,
            pack_nodes: false,
        }
    }
}
