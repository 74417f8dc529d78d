//! Queuecast answers three questions about a shared supercomputer from its own job history: how long will
//! a job run, when will it start, and what would the scheduler do if it knew.
//!
//! This crate is everything that can be *computed*. It reads from any [`std::io::Read`] and returns values;
//! it refuses to know the terminal, the clock, the environment, processes, the network, or any randomness
//! that was not handed to it as a [`seed::Seed`]. What touches the world lives in the `queuecast` command.
//!
//! It re-exports the crates that it is made of: [`units`] to [`workload`] are what everything stands on, [`site`], [`predict`], [`sim`] and [`wait`] the
//! backfilling simulator and its predictors, [`cluster`] and [`controller`] Slurm's own scheduler, [`trace`] and [`slurm`] what systems write,
//! [`characterization`] and [`synth`] models of workloads, [`allot`], [`forecast`], [`advice`] and [`broker`] answers for one job, [`eval`] and [`study`] whether
//! they are right, [`report`] how they are shown.

pub use queuecast_core::{
    asking, distribution, job, job_state, parallel, seed, spec, stats, trees, units, workload,
};
pub use queuecast_eval as eval;
pub use queuecast_forecast::{advice, allot, broker, forecast};
pub use queuecast_place as place;
pub use queuecast_report as report;
pub use queuecast_sim::{predict, sim, site};
pub use queuecast_slurm_sim::{cluster, controller};
pub use queuecast_slurm_texts as slurm;
pub use queuecast_study as study;
pub use queuecast_synth::{characterization, synth};
pub use queuecast_trace as trace;
pub use queuecast_wait as wait;

/// The code in the guides is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guides/library.md")]
#[doc = include_str!("../../docs/guides/extending.md")]
struct LibraryGuides;
