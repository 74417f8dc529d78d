//! Making workloads.
