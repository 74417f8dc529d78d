//! Priorities of waiting jobs.

use serde::Serialize;

use super::tres::TresWeights;
use queuecast_core::units::Seconds;

/// What the order of waiting jobs of one tier is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorityKind {
    /// The order of submission (`priority/basic`).
    Basic,
    /// Weighted factors (`priority/multifactor`).
    Multifactor,
}

/// How priorities are computed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrioritySettings {
    /// What they are made of.
    pub kind: PriorityKind,
    /// The weights of the factors.
    pub weights: PriorityWeights,
    /// The age at which the age factor is largest.
    pub max_age: Seconds,
    /// How long it takes until usage counts half; zero: it never decays.
    pub decay_half_life: Seconds,
    /// How often usage and priorities are computed again.
    pub calc_period: Seconds,
    /// Whether small jobs have the larger size factor.
    pub favor_small: bool,
    /// Variants of the factors.
    pub flags: PriorityFlags,
    /// When usage is set to zero.
    pub usage_reset: UsageReset,
    /// Dampening of the classic fair-share factor.
    pub fair_share_dampening: u32,
}

impl Default for PrioritySettings {
    /// As in Slurm from 23.11 on; before, the default was [`PriorityKind::Basic`].
    fn default() -> PrioritySettings {
        PrioritySettings {
            kind: PriorityKind::Multifactor,
            weights: PriorityWeights::default(),
            max_age: Seconds(7 * 86_400),
            decay_half_life: Seconds(7 * 86_400),
            calc_period: Seconds(300),
            favor_small: false,
            flags: PriorityFlags::default(),
            usage_reset: UsageReset::Never,
            fair_share_dampening: 1,
        }
    }
}

/// The weights of the factors of a priority.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PriorityWeights {
    /// How long a job could have started.
    pub age: u32,
    /// The priority of its association.
    pub assoc: u32,
    /// Its user's use of the machine, compared with the user's shares.
    pub fair_share: u32,
    /// Its size.
    pub job_size: u32,
    /// Its partition.
    pub partition: u32,
    /// Its QOS.
    pub qos: u32,
    /// The resources it asks for.
    pub tres: TresWeights,
}

/// Variants of the factors of a priority (`PriorityFlags`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PriorityFlags {
    /// Age grows although dependencies or limits keep a job from starting.
    pub accrue_always: bool,
    /// Priorities of running jobs are computed too.
    pub calculate_running: bool,
    /// The classic fair-share factor does not depend on the depth of the tree.
    pub depth_oblivious: bool,
    /// The classic fair-share factor instead of the fair tree.
    pub no_fair_tree: bool,
    /// Priorities never sink.
    pub incr_only: bool,
    /// Jobs are charged for the most expensive of a node's resources, not for their sum.
    pub max_tres: bool,
    /// As `max_tres`, with generic resources added.
    pub max_tres_gres: bool,
    /// Association priorities are not divided by the largest.
    pub no_normal_assoc: bool,
    /// Partition factors are not divided by the largest.
    pub no_normal_part: bool,
    /// QOS priorities are not divided by the largest.
    pub no_normal_qos: bool,
    /// Resource amounts are not divided by the partition's.
    pub no_normal_tres: bool,
    /// The size factor is processors divided by the time limit.
    pub small_relative_to_time: bool,
}

/// When usage is set to zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UsageReset {
    /// Never.
    #[default]
    Never,
    /// When the scheduler starts.
    Now,
    /// Every day.
    Daily,
    /// Every Sunday.
    Weekly,
    /// On the first of each month.
    Monthly,
    /// On the first of each quarter.
    Quarterly,
    /// On the first of January.
    Yearly,
}
