//! Similarity of two jobs of one user: an ordered list of criteria in the notation of Talby et al. 2005.

use std::fmt;

use queuecast_core::job::Job;
use queuecast_core::spec::{Form, Settings, Spec, SpecError, conversions};

/// The facts in which similar jobs are equal; none for `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Criterion(u8);

const LETTERS: [(char, u8); 3] = [('P', 1), ('E', 2), ('X', 4)];

/// The number of different criteria.
pub const MOST: usize = 8;

/// The facts of a job that a criterion compares. Unknown is a value like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct SimilarityKey {
    procs: u32,
    executable: u32,
    estimate: u64,
}

impl Criterion {
    /// The facts that must be equal; `None` if one of them is unknown and the comparison is `strict`.
    pub(super) fn of(self, job: &Job, strict: bool) -> Option<SimilarityKey> {
        let Criterion(letters) = self;
        let unknown =
            letters & 2 != 0 && job.shape.limit.is_none() || letters & 4 != 0 && job.executable.is_none();
        if strict && unknown {
            return None;
        }
        let compared = |letter: u8, value: u64| if letters & letter == 0 { 0 } else { value };
        // 0 stands for unknown or not compared.
        let estimate = job.shape.limit.map_or(0, |limit| limit.0.unsigned_abs().saturating_add(1));
        let executable = job.executable.map_or(0, |executable| u64::from(executable.number()) + 1);
        Some(SimilarityKey {
            procs: compared(1, job.shape.procs.0.into()) as u32,
            estimate: compared(2, estimate),
            executable: compared(4, executable) as u32,
        })
    }

    /// Whether it compares executables.
    pub fn names_executable(self) -> bool {
        self.0 & 4 != 0
    }
}

/// One to eight criteria, in order of preference (Talby et al. 2005, section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Criteria {
    list: [Criterion; MOST],
    len: u8,
}

impl Criteria {
    /// The criteria in order of preference.
    pub fn iter(&self) -> impl Iterator<Item = Criterion> + '_ {
        self.list[..usize::from(self.len)].iter().copied()
    }
}

impl Default for Criteria {
    /// `[PE,P,E,*]`, the best for waits in the paper.
    fn default() -> Criteria {
        let mut list = [Criterion(0); MOST];
        list[..4].copy_from_slice(&[Criterion(1 | 2), Criterion(1), Criterion(2), Criterion(0)]);
        Criteria { list, len: 4 }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("*");
        }
        let letters = LETTERS.iter().filter(|(_, bit)| self.0 & bit != 0);
        f.write_str(&letters.map(|(letter, _)| letter).collect::<String>())
    }
}

impl fmt::Display for Criteria {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.iter().map(|criterion| criterion.to_string()).collect();
        write!(f, "[{}]", names.join(","))
    }
}

impl Spec for Criteria {
    const KIND: &'static str = "criteria list";

    /// The letters a criterion is made of.
    fn forms() -> Vec<Form> {
        vec![
            Form::new("P", "the same number of processors").example("[P]"),
            Form::new("E", "the same requested time").example("[E]"),
            Form::new("X", "the same executable").example("[X]"),
            Form::new("*", "any job of the user").example("[*]"),
        ]
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Criteria, SpecError> {
        Err(settings.unread())
    }

    fn parse(text: &str) -> Result<Criteria, SpecError> {
        let wrong = |why: String| SpecError::value(Criteria::KIND, text, why);
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let inside = inside.ok_or_else(|| wrong("write it in brackets, as in [PE,P,E,*]".into()))?;
        if inside.trim().is_empty() {
            return Err(wrong("name at least one criterion, as in [PE,P,E,*]".into()));
        }
        let mut criteria = Criteria { list: [Criterion(0); MOST], len: 0 };
        for name in inside.split(',').map(str::trim) {
            let criterion = criterion(name).map_err(&wrong)?;
            if criteria.iter().any(|other| other == criterion) {
                return Err(wrong(format!("{criterion} is named twice")));
            }
            // There are eight different criteria, so the list has room for all.
            criteria.list[usize::from(criteria.len)] = criterion;
            criteria.len += 1;
        }
        Ok(criteria)
    }
}

conversions!(Criteria);

fn criterion(name: &str) -> Result<Criterion, String> {
    const ALLOWED: &str =
        "a criterion is made of P (processors), E (requested time) and X (executable), or is * (anything)";
    if name == "*" {
        return Ok(Criterion(0));
    }
    if name.is_empty() {
        return Err(format!("a criterion is missing between commas; {ALLOWED}"));
    }
    let mut letters = 0;
    for letter in name.chars() {
        let known = LETTERS.iter().find(|(known, _)| *known == letter);
        let Some((_, bit)) = known else {
            return Err(format!("{letter:?} in {name:?} is unknown; {ALLOWED}"));
        };
        letters |= bit;
    }
    Ok(Criterion(letters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::ExecutableId;
    use queuecast_core::units::{Procs, Seconds, Time};

    #[test]
    fn lists_are_read_as_written() {
        for text in ["[PE,P,E,*]", "[*]", "[PEX,PX,EX]", "[E,P,X]"] {
            assert_eq!(text.parse::<Criteria>().unwrap().to_string(), text);
        }
        assert_eq!(Criteria::default().to_string(), "[PE,P,E,*]");
        assert_eq!("[ XP , * ]".parse::<Criteria>().unwrap().to_string(), "[PX,*]");
    }

    #[test]
    fn wrong_lists_say_what_is_allowed() {
        let error = |text: &str| text.parse::<Criteria>().unwrap_err().to_string();
        assert!(error("[]").contains("at least one"));
        assert!(error("PE,P").contains("brackets"));
        assert!(error("[PU]").contains("'U' in \"PU\" is unknown"), "{}", error("[PU]"));
        assert!(error("[P,U]").contains("E (requested time)"));
        assert!(error("[P,,E]").contains("missing between commas"));
        assert!(error("[PE,EP]").contains("named twice"));
        assert!(error("[P*]").contains('*'));
    }

    #[test]
    fn a_criterion_sees_its_own_letters_only() {
        let job = |procs, limit, executable: u32| {
            let mut job = Job::rigid(1, Time(0), Procs(procs), Some(Seconds(limit)));
            job.executable = ExecutableId::new(executable);
            job
        };
        let alike = |criterion: &str, a: &Job, b: &Job| {
            let criteria: Criteria = format!("[{criterion}]").parse().unwrap();
            let criterion = criteria.iter().next().unwrap();
            criterion.of(a, false) == criterion.of(b, false)
        };
        let one = job(4, 60, 0);
        assert!(alike("P", &one, &job(4, 61, 1)) && !alike("P", &one, &job(5, 60, 0)));
        assert!(alike("E", &one, &job(5, 60, 1)) && !alike("E", &one, &job(4, 61, 0)));
        assert!(alike("X", &one, &job(5, 61, 0)) && !alike("X", &one, &job(4, 60, 1)));
        assert!(alike("*", &one, &job(5, 61, 1)));
        assert!(!alike("PEX", &one, &job(4, 60, 1)));
        // Zero is a value; unknown is another.
        let mut unknown = job(4, 60, 0);
        (unknown.executable, unknown.shape.limit) = (None, None);
        assert!(!alike("X", &one, &unknown) && alike("X", &unknown, &unknown));
        assert!(!alike("E", &job(4, 0, 0), &unknown));
        let strict = "[EX,P]".parse::<Criteria>().unwrap();
        let seen: Vec<bool> = strict.iter().map(|criterion| criterion.of(&unknown, true).is_some()).collect();
        assert_eq!(seen, [false, true]);
    }
}
