//! Forms together: whether a text begins with one of them, their help, and several specs in one text.

use super::form::{Form, name_in};

/// Whether a text begins with the name of one of these forms.
pub fn is_known(text: &str, forms: &[Form]) -> bool {
    forms.iter().any(|form| form.name == name_in(text))
}

/// Takes a list of specs apart, as in `fcfs,easy:depth=4,order=largest,sjbf`. A comma also separates the settings of one spec, so a
/// piece that begins with no known name belongs to the spec before it, if that has settings or the two can be read together.
pub fn split_list<'a>(text: &'a str, forms: &[Form], reads: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(',') {
        let next = at + 1 + text[at + 1..].find(',').unwrap_or(text.len() - at - 1);
        let settings = || text[from..at].contains(['=', '[', '(']) || reads(&text[from..next]);
        if is_known(text[at + 1..].trim_start(), forms) || !settings() {
            pieces.push(text[from..at].trim());
            from = at + 1;
        }
    }
    pieces.push(text[from..].trim());
    pieces
}

/// Help on one line: what is specified, and the forms.
pub fn help(what: &str, forms: &[Form]) -> String {
    let names: Vec<String> = forms.iter().map(Form::shown).collect();
    format!("{what}: {}", names.join(", "))
}

/// What is left for a line of help on a terminal of 80 columns.
const LINE: usize = 70;

/// The widest form whose meaning stands beside it; that of a wider one begins on the next line.
const BESIDE: usize = 20;

/// Help in full: what is specified, the meaning of each form in a column of its own, and a note.
pub fn long_help(what: &str, forms: &[Form], note: &str) -> String {
    let width = |form: &Form| form.shown().chars().count();
    let column = forms.iter().map(width).filter(|&width| width <= BESIDE).max().unwrap_or(4);
    let indent = " ".repeat(column + 4);
    let mut help = format!("{what}:");
    for form in forms {
        let meaning = wrapped(form.meaning, LINE - indent.len()).join(&format!("\n{indent}"));
        help += &match width(form) {
            wide if wide > column => format!("\n  {}\n{indent}{meaning}", form.shown()),
            _ => format!("\n  {:<column$}  {meaning}", form.shown()),
        };
    }
    if !note.is_empty() {
        help += &format!("\n{note}");
    }
    help
}

/// A text in lines of at most this width, broken between words. A word that is longer has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.pop().unwrap_or_default();
        if line.is_empty() {
            lines.push(word.to_owned());
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            lines.push(format!("{line} {word}"));
        } else {
            lines.extend([line, word.to_owned()]);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_the_forms() {
        let forms = [Form::new("kill", "the job is killed"), Form::new("ignore", "the job runs on")];
        assert_eq!(help("Who", &forms), "Who: kill, ignore");
        let long = "Who:\n  kill    the job is killed\n  ignore  the job runs on";
        assert_eq!(long_help("Who", &forms, ""), long);
        assert_eq!(long_help("Who", &forms, "Note"), format!("{long}\nNote"));
    }

    #[test]
    fn meanings_have_a_column_of_their_own() {
        let meaning = "a meaning of a dozen words that goes on and on, to the end of the line and beyond it";
        let forms = [
            Form::new("short", "a word"),
            Form::new("longer", meaning).with("[:EVERY,SETTING,IT,HAS]", &[], "longer"),
            Form::new("middle", meaning),
        ];
        let expected = "\
What:
  short   a word
  longer[:EVERY,SETTING,IT,HAS]
          a meaning of a dozen words that goes on and on, to the end
          of the line and beyond it
  middle  a meaning of a dozen words that goes on and on, to the end
          of the line and beyond it";
        assert_eq!(long_help("What", &forms, ""), expected);
    }
}
