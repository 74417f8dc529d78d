//! What logs are like ([`characterization`]), and making workloads like them ([`synth`]).

pub mod characterization;
pub mod synth;
