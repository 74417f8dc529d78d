//! A template set in a file, as `queuecast search --output` writes it: `template:@FILE`.

use std::path::Path;
use std::{fmt, fs};

use queuecast::predict::PredictorSpec;
use queuecast::predict::template::{Template, TemplateSet};
use queuecast::spec::SpecError;

use super::parser::{self, SpecParser, of};
use crate::roles;

/// A predictor, and the file its templates come from, if any.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPredictor {
    /// The predictor.
    pub spec: PredictorSpec,
    file: Option<String>,
}

/// What predictors are called in tables: by their spec, or by the file of their templates.
#[derive(Debug, Clone, Default)]
pub struct PredictorLabels(Vec<(String, String)>);

impl PredictorLabels {
    /// The labels of these predictors.
    pub fn of<'a>(predictors: impl IntoIterator<Item = &'a NamedPredictor>) -> PredictorLabels {
        let label = |one: &NamedPredictor| Some((one.spec.to_string(), format!("@{}", one.file.as_ref()?)));
        PredictorLabels(predictors.into_iter().filter_map(label).collect())
    }

    /// What the predictor written like this is called.
    pub fn label(&self, written: &str) -> String {
        let known = self.0.iter().find(|(spec, _)| spec == written);
        known.map_or_else(|| written.to_owned(), |(_, label)| label.clone())
    }
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

/// Reads a file of templates: one or several in a line, or one over several; `#` begins a comment.
fn read(path: &str) -> Result<TemplateSet, String> {
    if path.is_empty() {
        return Err("name the file of templates after the @".to_owned());
    }
    let text = fs::read_to_string(path).map_err(|cause| format!("cannot read {path}: {cause}"))?;
    roles::reads(Path::new(path)).map_err(|failure| failure.to_string())?;
    parse(&text).map_err(|why| format!("{path}: {why}"))
}

fn parse(text: &str) -> Result<TemplateSet, String> {
    let mut templates: Vec<Template> = Vec::new();
    // A template that is not closed goes on in the next line.
    let (mut open, mut began) = (String::new(), 1);
    for (number, line) in (1..).zip(text.lines()) {
        if open.trim().is_empty() {
            (open, began) = (String::new(), number);
        }
        open += line.split('#').next().unwrap_or_default();
        if open.matches('(').count() > open.matches(')').count() {
            open.push(' ');
            continue;
        }
        templates.extend(set(&std::mem::take(&mut open), began)?);
    }
    templates.extend(set(&open, began)?);
    if templates.is_empty() {
        return Err("there is no template in it; write one in a line, as in (u,e)".to_owned());
    }
    Ok(TemplateSet(templates))
}

/// The templates of one line, which may end with a comma.
fn set(line: &str, number: usize) -> Result<Vec<Template>, String> {
    let line = line.trim_end().trim_end_matches(',');
    if line.trim().is_empty() {
        return Ok(Vec::new());
    }
    let set: Result<TemplateSet, SpecError> = line.parse();
    set.map(|set| set.0).map_err(|error| format!("line {number}, {}", error.why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_stand_in_lines_between_comments() {
        let read = |text: &str| parse(text).map(|set| set.to_string());
        assert_eq!(read("# why\n(u,e)  # best\n\n (q,n=4,lr), ()\n"), Ok("(u,e), (q,n=4,lr), ()".to_owned()));
        assert_eq!(read("(u),\n(e)\r\n"), Ok("(u), (e)".to_owned()));
        assert_eq!(read("(), # all\n(u,e,\n  n=4)\n"), Ok("(), (u,e,n=4)".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let why = |text: &str| parse(text).unwrap_err();
        assert!(
            why("# a\n(u)\n(u,x)\n").starts_with("line 3, column 4: \"x\" is unknown"),
            "{}",
            why("(u,x)")
        );
        assert!(why("(u)\n\n(e,\n").starts_with("line 3, column 1: this template is not closed"));
        assert!(why("# nothing\n").contains("there is no template in it"));
        assert!(read("no-such-file").unwrap_err().contains("cannot read no-such-file"));
        assert!(read("").unwrap_err().contains("after the @"));
    }
}
