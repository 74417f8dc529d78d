//! Numbers names in order of appearance from 1, so that the same log gives the same numbers.

use std::collections::{BTreeMap, HashMap};

use super::record::UNKNOWN;
use queuecast_core::order;

#[derive(Debug, Default)]
pub(super) struct Interner {
    // Looked up by name and returned sorted by number, so its order has no effect.
    numbers: HashMap<Vec<u8>, u32>,
}

impl Interner {
    /// The number of a name; unknown for an empty one.
    pub fn number(&mut self, name: &[u8]) -> i64 {
        if name.is_empty() {
            return UNKNOWN;
        }
        if let Some(&number) = self.numbers.get(name) {
            return i64::from(number);
        }
        // Names need memory; there are never 2^32 of them.
        let number = self.numbers.len() as u32 + 1;
        self.numbers.insert(name.to_vec(), number);
        i64::from(number)
    }

    /// Whether a name has a number.
    pub fn knows(&self, name: &[u8]) -> bool {
        self.numbers.contains_key(name)
    }

    pub fn names(&self) -> BTreeMap<u32, String> {
        let named = |(name, &number): (&Vec<u8>, &u32)| (number, String::from_utf8_lossy(name).into_owned());
        order::map_of(self.numbers.iter().map(named))
    }
}
