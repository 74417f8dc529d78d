//! What holds of all commands and their options together, for crates below that take any commands.

mod invocation;
mod settings;
mod settings_file;
