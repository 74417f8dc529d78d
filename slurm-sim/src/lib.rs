//! Slurm's own scheduler: a machine with parts and jobs that ask for them ([`cluster`]), and the controller that schedules
//! them ([`controller`]).

pub mod cluster;
pub mod controller;
