//! When a job will start, how many processors to ask for, and which site starts it first.

pub mod advice;
pub mod allot;
pub mod broker;
pub mod forecast;
