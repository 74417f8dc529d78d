//! Gradient-boosted trees over histograms: probabilities of classes, and quantiles, of a row of numbers.
//!
//! Small trees are added up, each fitted to what those before it left over ([`Boosting`]). Values are put into bins once;
//! derivatives are rounded to whole numbers once a round, so that every sum is exact and its order does not matter: the
//! same trees on any number of threads. What they are for and how they compare: `docs/concepts/boosted-trees.md`.

mod bins;
mod boosting;
mod class_trees;
mod derivatives;
mod examples;
mod forest;
mod grow;
mod quantile_trees;
mod split;

pub use boosting::Boosting;
pub use class_trees::ClassTrees;
pub use examples::Examples;
pub use quantile_trees::QuantileTrees;

#[cfg(test)]
mod tests;
