//! Whether two answers, or what two scores said before a moment, are the same.

use std::collections::BTreeMap;

/// The fields of a line of comma-separated values; quotes enclose those with commas.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}

/// What each method said until a moment, line by line: of a job submitted by then what was said of it, and what happened as far as
/// it had happened by then.
pub fn said_until(csv: &str, at: i64) -> BTreeMap<String, Vec<String>> {
    let mut lines = csv.lines();
    let names = fields(lines.next().unwrap_or_default());
    let place = |name: &str| names.iter().position(|one| one == name);
    let outcome = place("outcome").unwrap();
    let mut said: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in lines.map(fields) {
        let number = |name: &str| place(name).and_then(|place| row[place].parse::<i64>().ok());
        let submit = number("submit").unwrap();
        let left = number("wait").map(|wait| submit + wait);
        let is_start = place("asked_at").is_some_and(|place| row[place] == "start");
        let asked = if is_start { left.unwrap() } else { submit };
        if asked > at {
            continue;
        }
        // With the run time, if there is one.
        let over = left.map(|left| left + number("run").unwrap_or(0));
        let kept = if over.is_some_and(|over| over <= at) { row.len() } else { outcome };
        said.entry(row[0].clone()).or_default().push(row[..kept].join(","));
    }
    said
}

/// The first line in which two differ, with where they begin to; `None` if they do not.
pub fn first_difference(before: &str, after: &str) -> Option<String> {
    let (mut one, mut other) = (before.lines(), after.lines());
    loop {
        match (one.next(), other.next()) {
            (None, None) => return None,
            (left, right) if left == right => {}
            (left, right) => {
                let show = |line: Option<&str>| {
                    line.unwrap_or("nothing").trim().chars().take(200).collect::<String>()
                };
                return Some(format!("`{}` became `{}`", show(left), show(right)));
            }
        }
    }
}

/// What methods said until a moment that they do not say of the altered log; and how many methods and rows were compared.
pub fn differences(before: &str, after: &str, at: i64) -> (Vec<String>, usize, usize) {
    let (before, after) = (said_until(before, at), said_until(after, at));
    let mut found = Vec::new();
    for (method, rows) in &before {
        let altered = after.get(method).cloned().unwrap_or_default();
        if *rows != altered {
            let changed = rows.iter().zip(&altered).filter(|(one, other)| one != other).count();
            let first = first_difference(&rows.join("\n"), &altered.join("\n")).unwrap_or_default();
            found.push(format!("{method}: {changed} of {} ({} after): {first}", rows.len(), altered.len()));
        }
    }
    (found, before.len(), before.values().map(Vec::len).sum())
}
