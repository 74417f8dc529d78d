//! Sets of templates in the lines of a text, as a search writes them.

use super::{Template, TemplateSet};
use queuecast_core::spec::SpecError;

impl TemplateSet {
    /// Reads templates from a text: one or several in a line, or one over several; `#` begins a comment.
    pub fn read_lines(text: &str) -> Result<TemplateSet, String> {
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
            templates.extend(in_line(&std::mem::take(&mut open), began)?);
        }
        templates.extend(in_line(&open, began)?);
        if templates.is_empty() {
            return Err("there is no template in it; write one in a line, as in (u,e)".to_owned());
        }
        Ok(TemplateSet(templates))
    }
}

/// The templates of one line, which may end with a comma.
fn in_line(line: &str, number: usize) -> Result<Vec<Template>, String> {
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
        let read = |text: &str| TemplateSet::read_lines(text).map(|set| set.to_string());
        assert_eq!(read("# why\n(u,e)  # best\n\n (q,n=4,lr), ()\n"), Ok("(u,e), (q,n=4,lr), ()".to_owned()));
        assert_eq!(read("(u),\n(e)\r\n"), Ok("(u), (e)".to_owned()));
        assert_eq!(read("(), # all\n(u,e,\n  n=4)\n"), Ok("(), (u,e,n=4)".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let why = |text: &str| TemplateSet::read_lines(text).unwrap_err();
        assert!(
            why("# a\n(u)\n(u,x)\n").starts_with("line 3, column 4: \"x\" is unknown"),
            "{}",
            why("(u,x)")
        );
        assert!(why("(u)\n\n(e,\n").starts_with("line 3, column 1: this template is not closed"));
        assert!(why("# nothing\n").contains("there is no template in it"));
    }
}
