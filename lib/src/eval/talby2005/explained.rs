//! What is known to differ, and which experiment explains it.

use crate::eval::{Claim, PublishedCell};

/// Why a cell is out of tolerance, if an experiment tells.
pub fn cell(_cell: &PublishedCell) -> Option<String> {
    None
}

/// The claim with why it does not hold, if it does not and an experiment tells.
pub fn claim(claim: Claim) -> Claim {
    claim
}
