//! Queuecast answers three questions about a shared supercomputer from its own job history: how long will
//! a job run, when will it start, and what would the scheduler do if it knew.
//!
//! This crate is everything that can be *computed*. It reads from any [`std::io::Read`] and returns values;
//! it refuses to know the terminal, the clock, the environment, processes, the network, or any randomness
//! that was not handed to it as a [`seed::Seed`]. What touches the world lives in the `queuecast` command.
//!
//! Floors, each importing only downwards: [`units`], [`parallel`] → [`job`], [`workload`], [`cluster`], [`stats`], [`seed`], [`spec`], [`trees`] →
//! [`trace`], [`predict`], [`characterization`] → [`slurm`], [`synth`], [`sim`] → [`wait`] →
//! [`allot`] → [`forecast`] → [`broker`] → [`eval`] → [`report`]. A test holds them.

pub mod allot;
pub mod broker;
pub mod characterization;
pub mod cluster;
pub mod controller;
pub mod distribution;
pub mod eval;
pub mod forecast;
pub mod job;
pub mod parallel;
pub mod predict;
pub mod report;
pub mod seed;
pub mod sim;
pub mod site;
pub mod slurm;
pub mod spec;
pub mod stats;
pub mod synth;
pub mod trace;
pub mod trees;
pub mod units;
pub mod wait;
pub mod workload;

/// The code in the guide is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guides/library.md")]
struct LibraryGuide;
