//! What all of Queuecast stands on: whole seconds and processors, jobs and workloads, distributions of a time, statistics, labelled
//! random streams, the grammar of specs, boosted trees, and ordered work on all cores.

pub mod asking;
pub mod distribution;
pub mod duration;
pub mod job;
pub mod job_state;
pub mod long_array;
pub mod number;
pub mod order;
pub mod parallel;
pub mod seed;
pub mod spec;
pub mod stats;
pub mod trees;
pub mod units;
pub mod wanted;
pub mod workload;
