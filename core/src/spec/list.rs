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

/// Help in full: what is specified, the meaning of each form, and a note.
pub fn long_help(what: &str, forms: &[Form], note: &str) -> String {
    let widest = forms.iter().map(|form| form.shown().len()).max().unwrap_or(0);
    let lines = forms.iter().map(|form| format!("\n  {:<widest$}  {}", form.shown(), form.meaning));
    let note = if note.is_empty() { String::new() } else { format!("\n{note}") };
    format!("{what}:{}{note}", lines.collect::<String>())
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
}
