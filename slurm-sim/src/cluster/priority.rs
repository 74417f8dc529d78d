//! Priorities of waiting jobs.

use serde::Serialize;

use super::rows::settings_struct;
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

/// The table of [`PrioritySettings`].
#[doc(hidden)]
#[macro_export]
macro_rules! priority_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// How priorities are computed. The default kind is that of Slurm from 23.11 on; before, it was [`PriorityKind::Basic`].
    PrioritySettings {
        /// What priorities are made of: the order of submission, or weighted factors.
        kind: PriorityKind = PriorityKind::Multifactor, ["PriorityType" = "priority/basic", PRIORITY_TYPE, Followed];
        /// The weights of the factors.
        weights: PriorityWeights = PriorityWeights::default();
        /// The age at which the age factor is largest.
        max_age: Seconds = Seconds(7 * 86_400), ["PriorityMaxAge" = "14-0", MINUTES_OR_CLOCK, Followed];
        /// How long it takes until usage counts half; zero: it never decays.
        decay_half_life: Seconds = Seconds(7 * 86_400), ["PriorityDecayHalfLife" = "14-0", MINUTES_OR_CLOCK, Followed];
        /// How often usage and priorities are computed again.
        calc_period: Seconds = Seconds(300), ["PriorityCalcPeriod" = "1", POSITIVE_MINUTES_OR_CLOCK, Followed];
        /// Whether small jobs have the larger size factor.
        favor_small: bool = false, ["PriorityFavorSmall" = "YES", YES_NO, Followed];
        /// Variants of the factors.
        flags: PriorityFlags = PriorityFlags::default();
        /// When usage is set to zero.
        usage_reset: UsageReset = UsageReset::Never, ["PriorityUsageResetPeriod" = "MONTHLY", USAGE_RESET, LeftOut];
        /// Dampening of the classic fair-share factor.
        fair_share_dampening: u32 = 1, ["FairShareDampeningFactor" = "5", COUNT, Followed];
    } } };
}
priority_settings!(settings_struct[]);

/// The table of [`PriorityWeights`].
#[doc(hidden)]
#[macro_export]
macro_rules! priority_weights {
    ($with:ident $args:tt) => { $with! { $args
    /// The weights of the factors of a priority.
    PriorityWeights {
        /// The weight of how long a job could have started.
        age: u32 = 0, ["PriorityWeightAge" = "2000", COUNT, Followed];
        /// The weight of the priority of its association.
        assoc: u32 = 0, ["PriorityWeightAssoc" = "10", COUNT, Followed];
        /// The weight of its user's use of the machine, compared with the user's shares.
        fair_share: u32 = 0, ["PriorityWeightFairshare" = "10000", COUNT, Followed];
        /// The weight of its size.
        job_size: u32 = 0, ["PriorityWeightJobSize" = "1000", COUNT, Followed];
        /// The weight of its partition.
        partition: u32 = 0, ["PriorityWeightPartition" = "3000", COUNT, Followed];
        /// The weight of its QOS.
        qos: u32 = 0, ["PriorityWeightQOS" = "5000", COUNT, Followed];
        /// The weights of the resources that it asks for.
        tres: TresWeights = TresWeights::default(), ["PriorityWeightTRES" = "cpu=1000", PRIORITY_TRES, Followed];
    } } };
}
priority_weights!(settings_struct[]);

/// The table of [`PriorityFlags`].
#[doc(hidden)]
#[macro_export]
macro_rules! priority_flags {
    ($with:ident $args:tt) => { $with! { $args
    /// Variants of the factors of a priority (`PriorityFlags`).
    PriorityFlags {
        /// Age grows although dependencies or limits keep a job from starting.
        accrue_always: bool = false, ["PriorityFlags.ACCRUE_ALWAYS" = "", FLAG, Followed];
        /// Priorities of running jobs are computed too.
        calculate_running: bool = false, ["PriorityFlags.CALCULATE_RUNNING" = "", FLAG, Ignored];
        /// The classic fair-share factor does not depend on the depth of the tree.
        depth_oblivious: bool = false;
        /// The classic fair-share factor instead of the fair tree.
        no_fair_tree: bool = false, ["PriorityFlags.NO_FAIR_TREE" = "", FLAG, Followed];
        /// Priorities never sink.
        incr_only: bool = false, ["PriorityFlags.INCR_ONLY" = "", FLAG, Followed];
        /// Jobs are charged for the most expensive of a node's resources, not for their sum.
        max_tres: bool = false, ["PriorityFlags.MAX_TRES" = "", FLAG, Followed];
        /// As `MAX_TRES`, with generic resources added.
        max_tres_gres: bool = false, ["PriorityFlags.MAX_TRES_GRES" = "", FLAG, LeftOut];
        /// Association priorities are not divided by the largest.
        no_normal_assoc: bool = false, ["PriorityFlags.NO_NORMAL_ASSOC" = "", FLAG, Followed];
        /// Partition factors are not divided by the largest.
        no_normal_part: bool = false, ["PriorityFlags.NO_NORMAL_PART" = "", FLAG, Followed];
        /// QOS priorities are not divided by the largest.
        no_normal_qos: bool = false, ["PriorityFlags.NO_NORMAL_QOS" = "", FLAG, Followed];
        /// Resource amounts are not divided by the partition's.
        no_normal_tres: bool = false, ["PriorityFlags.NO_NORMAL_TRES" = "", FLAG, Followed];
        /// The size factor is processors divided by the time limit.
        small_relative_to_time: bool = false, ["PriorityFlags.SMALL_RELATIVE_TO_TIME" = "", FLAG, Followed];
    } } };
}
priority_flags!(settings_struct[Copy Eq]);

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
