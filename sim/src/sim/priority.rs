//! Priorities of waiting jobs, given by a formula.

use std::fmt;

use crate::site::WaitingJob;
use queuecast_core::spec::{Form, Settings, Spec, SpecError, conversions};
use queuecast_core::units::Time;

/// An arithmetic expression; the job with the highest value comes first.
///
/// Numbers, `+ - * /`, parentheses, `min(a, b)`, `max(a, b)`, `log(a)`, `sqrt(a)`, and the names in
/// [`Formula::NAMES`]. Division by zero, a logarithm of a number up to 0 and a root of a negative number give 0; a
/// result that is not a number (infinity minus infinity) counts as lowest.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    text: String,
    root: Node,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(f64),
    Name(usize),
    Negative(Box<Node>),
    Pair(char, Box<Node>, Box<Node>),
    Call(&'static str, Vec<Node>),
}

/// Functions and how many arguments each takes.
const FUNCTIONS: [(&str, usize); 4] = [("min", 2), ("max", 2), ("log", 1), ("sqrt", 1)];

impl Formula {
    /// The variables: seconds waited so far; processors; requested seconds (0 if unknown); predicted seconds;
    /// processors times predicted seconds; the time of submission; the numbers of queue, user and group (−1 if
    /// unknown).
    pub const NAMES: [&'static str; 9] =
        ["wait", "procs", "requested", "predicted", "area", "submit", "queue", "user", "group"];

    /// The value for a job at an instant.
    pub fn value(&self, waiting: &WaitingJob<'_>, now: Time) -> f64 {
        let job = waiting.job;
        let number = |id: Option<u32>| id.map_or(-1.0, f64::from);
        let procs = f64::from(job.shape.procs.0);
        let predicted = waiting.predicted.0 as f64;
        let values = [
            (now - job.submit).0 as f64,
            procs,
            job.shape.limit.map_or(0.0, |limit| limit.0 as f64),
            predicted,
            procs * predicted,
            job.submit.0 as f64,
            number(job.queue.map(|id| id.number())),
            number(job.user.map(|id| id.number())),
            number(job.group.map(|id| id.number())),
        ];
        let value = self.root.value(&values);
        // Negative zero becomes zero, and what is not a number sorts last.
        if value.is_nan() { f64::NEG_INFINITY } else { value + 0.0 }
    }
}

impl Node {
    fn value(&self, names: &[f64; Formula::NAMES.len()]) -> f64 {
        match self {
            Node::Number(number) => *number,
            Node::Name(place) => names[*place],
            Node::Negative(node) => -node.value(names),
            Node::Pair(operator, left, right) => {
                let (left, right) = (left.value(names), right.value(names));
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ if right == 0.0 => 0.0,
                    _ => left / right,
                }
            }
            Node::Call(function, arguments) => {
                let first = arguments[0].value(names);
                match *function {
                    "min" => first.min(arguments[1].value(names)),
                    "max" => first.max(arguments[1].value(names)),
                    "log" if first > 0.0 => first.ln(),
                    "sqrt" if first > 0.0 => first.sqrt(),
                    _ => 0.0,
                }
            }
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Spec for Formula {
    const KIND: &'static str = "priority";

    /// The names and functions of formulas.
    fn forms() -> Vec<Form> {
        vec![
            Form::new("wait", "seconds since submission"),
            Form::new("procs", "processors"),
            Form::new("requested", "requested seconds; 0 if unknown"),
            Form::new("predicted", "predicted seconds"),
            Form::new("area", "processors times predicted seconds"),
            Form::new("submit", "time of submission"),
            Form::new("queue", "number of the queue; -1 if unknown"),
            Form::new("user", "number of the user; -1 if unknown"),
            Form::new("group", "number of the group; -1 if unknown"),
            Form::new("min", "the smaller of two values").example("min(wait, 3600)"),
            Form::new("max", "the larger of two values").example("max(wait, 60) / requested"),
            Form::new("log", "natural logarithm; 0 of numbers up to 0").example("log(wait)"),
            Form::new("sqrt", "square root; 0 of negative numbers").example("sqrt(area)"),
        ]
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Formula, SpecError> {
        Err(settings.unread())
    }

    fn parse(text: &str) -> Result<Formula, SpecError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let root = parser.sum()?;
        parser.skip_spaces();
        if parser.at < text.len() {
            return Err(parser.wrong("an operator (+ - * /) or the end"));
        }
        Ok(Formula { text: text.trim().into(), root })
    }
}

conversions!(Formula);

/// Recursive descent over the text; positions in errors count from 1.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// The deepest nesting, which the stack has room for.
const DEEPEST: usize = 100;

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Node, SpecError> {
        let mut left = self.product()?;
        while let Some(operator) = self.one_of(&['+', '-']) {
            left = Node::Pair(operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, SpecError> {
        let mut left = self.factor()?;
        while let Some(operator) = self.one_of(&['*', '/']) {
            left = Node::Pair(operator, Box::new(left), Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Node, SpecError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("fewer nested parentheses"));
        }
        let node = if self.one_of(&['-']).is_some() {
            Node::Negative(Box::new(self.factor()?))
        } else if self.one_of(&['(']).is_some() {
            let inner = self.sum()?;
            self.one_of(&[')']).ok_or_else(|| self.wrong("a closing parenthesis"))?;
            inner
        } else {
            self.word()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn word(&mut self) -> Result<Node, SpecError> {
        self.skip_spaces();
        let rest: &'a str = &self.text[self.at..];
        let length =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).unwrap_or(rest.len());
        let word = &rest[..length];
        if let Some(number) = word.parse().ok().filter(|number: &f64| number.is_finite()) {
            self.at += length;
            return Ok(Node::Number(number));
        }
        if let Some(place) = Formula::NAMES.iter().position(|&name| name == word) {
            self.at += length;
            return Ok(Node::Name(place));
        }
        let Some(&(function, wanted)) = FUNCTIONS.iter().find(|(name, _)| *name == word) else {
            return Err(self.wrong(&format!("a number, a parenthesis, or one of {}", known_words())));
        };
        self.at += length;
        self.one_of(&['(']).ok_or_else(|| self.wrong("an opening parenthesis"))?;
        let mut arguments = vec![self.sum()?];
        while arguments.len() < wanted {
            self.one_of(&[',']).ok_or_else(|| self.wrong("a comma and another value"))?;
            arguments.push(self.sum()?);
        }
        self.one_of(&[')']).ok_or_else(|| self.wrong("a closing parenthesis"))?;
        Ok(Node::Call(function, arguments))
    }

    fn one_of(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_spaces();
        let found = self.text[self.at..].chars().next().filter(|c| wanted.contains(c))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn wrong(&self, expected: &str) -> SpecError {
        let position = self.text[..self.at].chars().count() + 1;
        let found = self.text[self.at..].chars().next().map_or("the end".into(), |c| format!("{c:?}"));
        SpecError::value(
            Formula::KIND,
            self.text,
            format!("position {position}: expected {expected}, found {found}"),
        )
    }
}

fn known_words() -> String {
    let functions = FUNCTIONS.iter().map(|(name, _)| *name);
    Formula::NAMES.into_iter().chain(functions).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::Job;
    use queuecast_core::units::{Procs, Seconds};

    fn value(formula: &str) -> f64 {
        let job = Job::rigid(1, Time(100), Procs(4), Some(Seconds(600)));
        let (predicted, planned) = (Seconds(60), Seconds(120));
        let waiting = WaitingJob { index: job.index, job: &job, predicted, planned, bound: planned };
        formula.parse::<Formula>().unwrap().value(&waiting, Time(400))
    }

    #[test]
    fn reckons_as_arithmetic_does() {
        assert_eq!(value("wait"), 300.0);
        assert_eq!(value("1 + 2 * 3 - 4 / 2"), 5.0);
        assert_eq!(value("-(procs - 1) * 2"), -6.0);
        assert_eq!(value("(wait + requested) / requested"), 1.5);
        assert_eq!(value("max(area, 7) + min(1, 2) + sqrt(procs) + log(1)"), 243.0);
        assert_eq!(value("wait / 0 + queue"), -1.0);
        assert!(value("0 * -1").is_sign_positive());
        assert_eq!(value("1e300 * 1e300 - 1e300 * 1e300"), f64::NEG_INFINITY);
    }

    #[test]
    fn mistakes_name_their_position() {
        let error = |text: &str| text.parse::<Formula>().unwrap_err().to_string();
        assert!(error("wait + prcs").contains("position 8"), "{}", error("wait + prcs"));
        assert!(error("wait + prcs").contains("procs"));
        assert!(error("(wait").contains("closing parenthesis, found the end"));
        assert!(error("max(1)").contains("comma"));
        assert!(error("1 2").contains("operator"));
        assert!(error("").contains("found the end"));
        assert!(error("é").contains("position 1"));
        assert!(error(&"(".repeat(10_000)).contains("nested"));
    }
}
