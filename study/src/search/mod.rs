//! Which templates predict a log best: the greedy and the genetic search of Smith, Foster & Taylor 1998.
//!
//! [`SearchRequest`] says what to search for and [`SearchRequest::run`] searches a log in one call; [`SearchRun`] does the
//! same step by step, with a [`Checkpoint`] after each. Below them, a [`Space`] is the set of templates to choose from,
//! [`Greedy`] and [`Genetic`] are the two searches, and [`Search`] is one of them, or the second seeded with the first.
//! These do not know how a template set is scored: the caller passes a function that scores many sets at once. Results do
//! not depend on the number of threads.

mod batch;
mod breeding;
mod checkpoint;
mod chromosome;
mod error;
mod exact;
mod genetic;
mod greedy;
mod report;
mod request;
mod run;
mod scoring;
mod seal;
#[expect(clippy::module_inception, reason = "a search is what the room is named after")]
mod search;
mod space;

pub use batch::ScoreBatch;
pub use checkpoint::{Checkpoint, Identity};
pub use chromosome::Chromosome;
pub use error::{CheckpointError, SearchError, Similarity};
pub use genetic::{Evolution, Generation, Genetic, SMALLEST_POPULATION};
pub use greedy::{Greedy, TemplateSeries, TemplateStep};
pub use report::{GenerationErrors, GreedySeries, GreedyStep, SearchReport};
pub use request::{PredictedAt, SearchRequest, read_history, read_holdout};
pub use run::SearchRun;
pub use scoring::{PredictorScore, Stopped};
pub use seal::sealed;
pub use search::{Method, Search};
pub use space::{HISTORIES, MOST_TEMPLATES, Space};
