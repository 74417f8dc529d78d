//! A Slurm site followed over time: the commands it is asked ([`declared`]), looks at its queue and its nodes ([`Look`]), its accounting
//! in windows ([`Collector`]), and a [`Store`] that remembers both, so that the site can be asked about as of any moment since.
//!
//! What is stored is what Slurm printed, line by line, with when it was so. It is read by the same readers that read a site now.

mod collector;
pub mod declared;
mod look;
mod rows;
mod shown;
mod store;

pub use collector::{Ask, AskFailed, Collected, Collector, CollectorSettings, LoadedWindows};
pub use look::Look;
pub use rows::AccountingRows;
pub use shown::{CollectedRound, DeclaredCommands, ShownCommand};
pub use store::{ClusterNumber, FailedLook, SqliteStore, Store, StoreError, StoredLook, UnendedJob};
