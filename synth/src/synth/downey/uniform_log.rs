//! The distribution of lifetimes and of parallelism in the paper (section 2.2).

use queuecast_core::distribution::LogUniform;

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
    pub fn at(&self, share: f64) -> f64 {
        self.distribution().quantile(share)
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.distribution().mean()
    }

    fn distribution(&self) -> LogUniform {
        LogUniform::new(self.least, self.most)
    }
}
