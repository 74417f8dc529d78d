//! Hashing of small numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A table looked up by numbers, never iterated: the order of a hash map cannot reach a result.
pub type Lookup<K, V> = HashMap<K, V, BuildHasherDefault<Scatter>>;

/// Spreads small numbers over a table (Fibonacci hashing). It need not resist attacks: the numbers are a log's own,
/// and a bad spread costs time only.
#[derive(Debug, Clone, Default)]
pub struct Scatter(u64);

impl Hasher for Scatter {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}
