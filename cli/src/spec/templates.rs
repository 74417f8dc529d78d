//! A template set in a file, as `queuecast search --output` writes it: `template:@FILE`.

use std::path::Path;
use std::{fmt, fs};

use queuecast_process::roles;
use queuecast_sim::predict::template::TemplateSet;
use queuecast_sim::predict::{PredictorLabels, PredictorSpec};

use super::parser::{self, SpecParser, of};

/// A predictor, and the file its templates come from, if any.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPredictor {
    /// The predictor.
    pub spec: PredictorSpec,
    file: Option<String>,
}

/// What these predictors are called in tables: by their spec, or by the file of their templates.
pub fn labels<'a>(predictors: impl IntoIterator<Item = &'a NamedPredictor>) -> PredictorLabels {
    let label = |one: &NamedPredictor| Some((one.spec.to_string(), format!("@{}", one.file.as_ref()?)));
    PredictorLabels::of(predictors.into_iter().filter_map(label))
}

impl fmt::Display for NamedPredictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

/// `--predictor`, which may name a file of templates.
pub fn predictor() -> SpecParser<NamedPredictor> {
    of::<PredictorSpec>().read_by(|text| match text.strip_prefix("template:@") {
        Some(path) => {
            let spec = read(path).map(PredictorSpec::Template)?;
            Ok(NamedPredictor { spec, file: Some(path.to_owned()) })
        }
        None => parser::read(text).map(|spec| NamedPredictor { spec, file: None }),
    })
}

/// Reads a file of templates.
fn read(path: &str) -> Result<TemplateSet, String> {
    if path.is_empty() {
        return Err("name the file of templates after the @".to_owned());
    }
    let text = fs::read_to_string(path).map_err(|cause| format!("cannot read {path}: {cause}"))?;
    roles::reads(Path::new(path)).map_err(|failure| failure.to_string())?;
    TemplateSet::read_lines(&text).map_err(|why| format!("{path}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_named() {
        assert!(read("no-such-file").unwrap_err().contains("cannot read no-such-file"));
        assert!(read("").unwrap_err().contains("after the @"));
    }
}
