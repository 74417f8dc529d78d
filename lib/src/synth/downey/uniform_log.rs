//! The distribution of lifetimes and of parallelism in the paper (section 2.2).

/// A distribution whose logarithm is uniform: as many between 1 and 2 as between 64 and 128.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UniformLog {
    /// The least; above 0.
    pub least: f64,
    /// The greatest; at least `least`.
    pub most: f64,
}

impl UniformLog {
    /// The value that a `share` (0 to 1) of all are below.
    ///
    /// # Formula
    /// `least · (most / least)^share`
    pub fn at(&self, share: f64) -> f64 {
        self.within(self.least * (self.most / self.least).powf(share))
    }

    /// The mean.
    ///
    /// # Formula
    /// `(most − least) / ln(most / least)`, and `most` where both are one
    pub fn mean(&self) -> f64 {
        let span = (self.most / self.least).ln();
        if span > 1e-12 { self.within((self.most - self.least) / span) } else { self.most }
    }

    /// Rounding leads nowhere else; and what is no distribution does not stop the program.
    fn within(&self, value: f64) -> f64 {
        value.max(self.least).min(self.most)
    }
}
