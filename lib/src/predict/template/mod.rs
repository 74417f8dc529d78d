//! Run times of similar jobs, where a set of templates says which jobs are similar (Smith, Foster & Taylor 1998).

mod characteristic;
#[expect(clippy::module_inception, reason = "a template is what the room is named after")]
mod template;

pub use characteristic::{Characteristic, Characteristics};
pub use template::{Data, Estimator, LARGEST_RANGE, Nodes, Template, TemplateSet};
