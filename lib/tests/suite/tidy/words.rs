//! Plain words: what a reader who knows the field and not the author would stumble over is not in comments, names,
//! messages or pages.

use super::{Source, complain, pages, programs};

/// A word, and why another is better. Lower case; matched within identifiers too.
const BANNED: [(&str, &str); 9] = [
    ("nobody", "say what is absent: no job, no user, no value"),
    ("somebody", "name the role: a user, a job, a caller"),
    ("anybody", "name the role: a user, a job, a caller"),
    ("everybody", "name the role: all users, all jobs"),
    ("whoever", "name the role: the user, the caller"),
    ("one who", "name the role: a user, a policy, a predictor"),
    ("sitting", "the literature's word is session"),
    ("utilisation", "one spelling: utilization"),
    ("people.rs", "a module is named after what is inside: text for readers, simulated users"),
];

/// Words that comments leave a quantity to be guessed with; lower case.
const VAGUE_AMOUNTS: [&str; 3] = ["so many", "so much", "so long"];

/// Words after which "The same" at the begin of a comment stands alone, so that a reader has to look for what it is the same as.
const AFTER_THE_SAME: [&str; 11] =
    ["with", "without", "of", "for", "on", "in", "by", "as", "from", "given", "where"];

/// Where an old word has to stay: the label of a random stream decides what is drawn, and old spellings are still read.
const KEPT: [&str; 2] = [".stream(", "alias"];

/// Lines that say a banned word, with the reason against it.
pub fn riddles(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(source.text.lines()) {
        if KEPT.iter().any(|kept| line.contains(kept)) {
            continue;
        }
        let line = line.to_lowercase();
        for (word, reason) in BANNED {
            if says(&line, word) {
                wrong.push(format!("{}:{number} says {word:?}; {reason}", source.path));
            }
        }
    }
    wrong
}

/// Comments that do not say how many, or the same as what, with what to write instead.
fn unsaid(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(source.text.lines()) {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        let lower = comment.to_lowercase();
        for vague in VAGUE_AMOUNTS.into_iter().filter(|vague| lower.contains(vague)) {
            let path = &source.path;
            wrong.push(format!("{path}:{number} says {vague:?}; name the quantity: up to `count` jobs"));
        }
        let Some(rest) = comment.trim_start_matches(['/', '!', ' ']).strip_prefix("The same") else {
            continue;
        };
        let next = rest.trim_start().split(' ').next().unwrap_or_default();
        if rest.starts_with([',', '.', ';', ':']) || AFTER_THE_SAME.contains(&next) {
            wrong.push(format!(
                "{}:{number} says \"The same\"; name it: this policy, the sums above",
                source.path
            ));
        }
    }
    wrong
}

/// Whether a line has the word. A word that ends in a letter may go on with `s`, as a plural, but not otherwise when it
/// is made of two ("one who" is not in "one whole").
fn says(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let after = line[at + word.len()..].chars().next();
        !word.contains(' ') || !after.is_some_and(char::is_alphanumeric)
    })
}

#[test]
fn words_are_plain() {
    // The list itself, and what past versions were called.
    let kept = |path: &str| path.starts_with("lib/tests/suite/tidy") || path == "CHANGELOG.md";
    let all = programs().into_iter().chain(pages());
    let others = all.filter(|source| !kept(&source.path));
    complain("words to replace", others.flat_map(|source| riddles(&source)).collect());
}

#[test]
fn comments_say_what_they_mean() {
    let ours = programs().into_iter().filter(|source| !source.path.starts_with("lib/tests/suite/tidy"));
    complain("comments to rewrite", ours.flat_map(|source| unsaid(&source)).collect());
}

#[test]
fn control_a_vague_comment_is_found() {
    let found = |text: &str| unsaid(&Source { path: "a.rs".into(), text: text.into() }).len();
    assert_eq!(found("    /// The last so many.\n// So long a wait.\nlet x = 1; // so many"), 2);
    assert_eq!(found("/// The same, sorted.\n//! The same with limits.\n// The same."), 3);
    assert_eq!(found("/// The same jobs, sorted.\n\"The same with so many\"\n/// Also so forth."), 0);
}

#[test]
fn control_a_banned_word_is_found() {
    let found = |text: &str| riddles(&Source { path: "a.rs".into(), text: text.into() }).len();
    assert_eq!(found("/// One who decides."), 1);
    assert_eq!(found("    // for somebody, or nobody"), 2);
    assert_eq!(found("struct SittingHabits;\nlet sittings = 1;"), 2);
    assert_eq!(found("\"the utilisation of the machine\""), 1);
    assert_eq!(found("one whole machine, nobler bodies, who ever"), 0);
    assert_eq!(found("seed.stream(\"sitting lengths\")"), 0);
    assert_eq!(found("#[arg(alias = \"jobs-per-sitting\")]"), 0);
}
