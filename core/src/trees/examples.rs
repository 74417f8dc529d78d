//! The table that trees are fitted to.

use serde::{Deserialize, Serialize};

/// A table of numbers, one row per example, the oldest first; NaN is missing. The oldest can be dropped, so that it can be
/// a rolling window.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Examples {
    features: usize,
    rows: usize,
    /// Rows at the front of `values` that were dropped and not yet removed.
    dropped: usize,
    /// Row by row.
    values: Vec<f32>,
}

impl Examples {
    /// A table without rows.
    pub fn new(features: usize) -> Examples {
        Examples { features, rows: 0, dropped: 0, values: Vec::new() }
    }

    /// Adds an example. A row that is too short is filled with missing values; what is too long is left out.
    pub fn push(&mut self, row: &[f32]) {
        debug_assert_eq!(row.len(), self.features, "a row has one number per feature");
        let known = row.len().min(self.features);
        self.values.extend_from_slice(&row[..known]);
        self.values.resize(self.values.len() + self.features - known, f32::NAN);
        self.rows += 1;
    }

    /// Forgets the oldest examples; all, if there are no more than `count`.
    pub fn drop_oldest(&mut self, count: usize) {
        let count = count.min(self.rows);
        self.rows -= count;
        self.dropped += count;
        // Rows are moved when at least half of them are dropped: a constant cost for each row.
        if self.dropped >= self.rows {
            self.values.drain(..self.dropped * self.features);
            self.dropped = 0;
        }
    }

    /// How many examples there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Numbers in each row.
    pub fn features(&self) -> usize {
        self.features
    }

    /// One example; the oldest is 0.
    pub fn row(&self, at: usize) -> &[f32] {
        let start = (self.dropped + at) * self.features;
        &self.values[start..start + self.features]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_rolls() {
        let mut examples = Examples::new(2);
        for number in 0..100_u8 {
            examples.push(&[f32::from(number), -f32::from(number)]);
            if examples.len() > 7 {
                examples.drop_oldest(1);
            }
            let oldest = f32::from(number.saturating_sub(6));
            assert_eq!(examples.row(0), [oldest, -oldest]);
            assert_eq!(examples.row(examples.len() - 1), [f32::from(number), -f32::from(number)]);
            assert!(examples.values.len() <= 2 * 2 * 8, "dropped rows are removed");
        }
        examples.drop_oldest(1000);
        assert!(examples.is_empty());
        examples.push(&[1.0, 2.0]);
        assert_eq!((examples.len(), examples.row(0)), (1, &[1.0, 2.0][..]));
    }
}
