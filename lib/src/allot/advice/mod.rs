//! How many processors to ask for: for each size a job can be given, when it would start and end, and how sure that is.
//!
//! A [`Walk`] goes through a log as it happened and stops at a moment; what it knows then is a [`State`]: who runs, who
//! waits, and what is thought of how long each goes on. An [`Advisor`] puts the job behind those that wait, in each of its
//! sizes, and has the engine run on from there, many times, each time with other run times drawn ([`Advisor::draw`]); or
//! asks one of the paper's predictors, where nobody waits ([`Advisor::by`]). [`Advice`] is what comes of it. [`Record`] is
//! how right the same would have been before. A [`Calibration`] asks the same at past moments, and corrects the draws by what
//! became of those jobs.
//!
//! Jobs that arrive later are not known and not modelled.

mod advisor;
mod belief;
mod calibration;
mod error;
mod history;
mod outcome;
mod record;
mod state;
mod walk;

pub use advisor::{Advisor, Drawn};
pub use belief::Belief;
pub use calibration::{Calibration, Lesson};
pub use error::AdviceError;
pub use history::Likeness;
pub use outcome::{Advice, Preference, Prospect, Spread, Target};
pub use record::{Case, Record, Usual, Width};
pub use state::{Resident, State};
pub use walk::{Past, Walk};
