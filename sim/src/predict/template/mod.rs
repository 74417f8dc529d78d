//! Run times of similar jobs, where a set of templates says which jobs are similar (Smith, Foster & Taylor 1998).

mod category;
mod characteristic;
mod downey;
mod gibbons;
mod lines;
mod moments;
mod predictor;
mod student;
#[expect(clippy::module_inception, reason = "a template is what the room is named after")]
mod template;

pub use category::Category;
pub use characteristic::{Characteristic, Characteristics};
pub use downey::{DowneyLifetimes, Lifetime};
pub use gibbons::{Gibbons, GibbonsSettings};
pub use moments::Estimate;
pub use moments::{Comoments, Moments};
pub use predictor::Newcomers;
pub use predictor::TemplatePredictor;
pub use student::LEVEL;
pub use template::{Data, Estimator, LARGEST_RANGE, Nodes, Template, TemplateSet};
