//! Text that Slurm's `sacct -P` prints.

use std::io::Read;

use super::ReadOptions;
use super::clean::Ledger;
use super::error::{Malformed, TraceError};
use super::lines::Lines;
use super::record::Record;
use crate::workload::Names;

/// x
pub const EXAMPLE_COMMAND: &str = "sacct";

pub(super) struct Sacct;
impl Sacct {
    pub fn open<R: Read>(_lines: &mut Lines<R>, _options: &ReadOptions) -> Result<Sacct, TraceError> {
        Ok(Sacct)
    }
    pub fn parse(
        &mut self,
        _line: &[u8],
        _number: u64,
        _record: &mut Record,
        _ledger: &mut Ledger,
    ) -> Result<bool, Malformed> {
        Ok(false)
    }
    pub fn names(&self) -> Names {
        Names::default()
    }
}
