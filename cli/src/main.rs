//! The `queuecast` command.
fn main() {}
