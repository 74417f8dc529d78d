//! Values of `sbatch` that have a grammar of their own: constraints, dependencies, arrays.

use std::collections::BTreeSet;

use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{Dependency, DependencyKind, DependencyOn, FeatureExpr, JobArray};

/// Parentheses within each other deeper than this are no constraint.
const DEEPEST: usize = 32;

/// A constraint: names with `&`, `|`, `*count`, parentheses and brackets. `&` and `|` on one level are applied from left to
/// right. There is at most one pair of brackets, as Slurm has it.
pub(super) fn constraint(text: &str) -> Option<FeatureExpr> {
    let letters: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    if letters.iter().filter(|letter| **letter == '[').count() > 1 {
        return None;
    }
    let mut reader = ConstraintReader { letters, at: 0 };
    let read = reader.chain(0)?;
    (reader.at == reader.letters.len()).then_some(read)
}

struct ConstraintReader {
    letters: Vec<char>,
    at: usize,
}

impl ConstraintReader {
    fn next(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn chain(&mut self, depth: usize) -> Option<FeatureExpr> {
        let mut whole = self.part(depth)?;
        while let Some(operator) = self.next().filter(|letter| matches!(letter, '&' | ',' | '|')) {
            self.at += 1;
            let part = self.part(depth)?;
            whole = match (operator, whole) {
                ('|', FeatureExpr::Any(mut parts)) => {
                    parts.push(part);
                    FeatureExpr::Any(parts)
                }
                ('|', other) => FeatureExpr::Any(vec![other, part]),
                (_, FeatureExpr::All(mut parts)) => {
                    parts.push(part);
                    FeatureExpr::All(parts)
                }
                (_, other) => FeatureExpr::All(vec![other, part]),
            };
        }
        Some(whole)
    }

    fn part(&mut self, depth: usize) -> Option<FeatureExpr> {
        if depth > DEEPEST {
            return None;
        }
        let inner = match self.next()? {
            '(' => self.enclosed(')', depth)?,
            '[' => match self.enclosed(']', depth)? {
                FeatureExpr::Any(parts) => FeatureExpr::SameOnAll(parts),
                other => other,
            },
            _ => FeatureExpr::Feature(self.name()?),
        };
        if self.next() != Some('*') {
            return Some(inner);
        }
        self.at += 1;
        let digits: String =
            self.letters[self.at..].iter().take_while(|letter| letter.is_ascii_digit()).collect();
        self.at += digits.len();
        Some(FeatureExpr::Counted(Box::new(inner), digits.parse().ok()?))
    }

    fn enclosed(&mut self, close: char, depth: usize) -> Option<FeatureExpr> {
        self.at += 1;
        let inner = self.chain(depth + 1)?;
        (self.next() == Some(close)).then(|| self.at += 1)?;
        Some(inner)
    }

    fn name(&mut self) -> Option<String> {
        let ends = |letter: &char| "&|*()[],".contains(*letter);
        let name: String = self.letters[self.at..].iter().take_while(|letter| !ends(letter)).collect();
        self.at += name.chars().count();
        (!name.is_empty()).then_some(name)
    }
}

/// A dependency: conditions with `,` between, all of which must hold, or with `?`, one of which must.
pub(super) fn dependency(text: &str) -> Option<Dependency> {
    let any = text.contains('?');
    if any && text.contains(',') {
        return None;
    }
    let mut on = Vec::new();
    for part in text.split([',', '?']) {
        let (word, jobs) = part.split_once(':').unwrap_or((part, ""));
        let kind = match word.trim().to_ascii_lowercase().as_str() {
            "after" => DependencyKind::After,
            "afterany" => DependencyKind::AfterAny,
            "afterok" => DependencyKind::AfterOk,
            "afternotok" => DependencyKind::AfterNotOk,
            "aftercorr" => DependencyKind::AfterCorr,
            "afterburstbuffer" => DependencyKind::AfterBurstBuffer,
            "singleton" if jobs.is_empty() => {
                on.push(DependencyOn {
                    kind: DependencyKind::Singleton,
                    job: String::new(),
                    delay: Seconds::ZERO,
                });
                continue;
            }
            _ => return None,
        };
        for job in jobs.split(':') {
            let (job, delay) = match job.split_once('+') {
                Some((job, minutes)) => (job, super::values::digits(minutes)?),
                None => (job, 0),
            };
            if job.is_empty() || job.contains(char::is_whitespace) {
                return None;
            }
            let delay = Seconds(i64::try_from(delay).ok()?.checked_mul(60)?);
            on.push(DependencyOn { kind, job: job.to_owned(), delay });
        }
    }
    Some(Dependency { any, on })
}

/// More tasks than this are no array.
const MOST_TASKS: usize = 4_000_001;

/// An array: `0-9%4`, `1,3,5-9:2`.
pub(super) fn array(text: &str) -> Option<JobArray> {
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let (indices, throttle) = match text.split_once('%') {
        Some((indices, throttle)) => (indices, Some(number(throttle)?)),
        None => (text, None),
    };
    let mut found = BTreeSet::new();
    for part in indices.split(',') {
        let (range, step) = match part.split_once(':') {
            Some((range, step)) => (range, number(step).filter(|&step| step > 0)?),
            None => (part, 1),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(range)?, number(range)?),
        };
        if last < first || found.len() + ((last - first) / step) as usize > MOST_TASKS {
            return None;
        }
        found.extend((first..=last).step_by(step as usize));
    }
    Some(JobArray { indices: found.into_iter().collect(), throttle })
}

fn number(text: &str) -> Option<u32> {
    super::values::digits(text.trim()).and_then(|number| u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str) -> FeatureExpr {
        FeatureExpr::Feature(name.into())
    }

    #[test]
    fn constraints_are_expressions() {
        assert_eq!(constraint("CPU-N"), Some(feature("CPU-N")));
        assert_eq!(constraint("a&b"), Some(FeatureExpr::All(vec![feature("a"), feature("b")])));
        let both = FeatureExpr::All(vec![feature("a"), feature("b")]);
        assert_eq!(constraint("a&b|c"), Some(FeatureExpr::Any(vec![both, feature("c")])));
        assert_eq!(constraint("[r1|r2]"), Some(FeatureExpr::SameOnAll(vec![feature("r1"), feature("r2")])));
        let counted = |name: &str, count| FeatureExpr::Counted(Box::new(feature(name)), count);
        assert_eq!(
            constraint("[r1*2&r2*4]"),
            Some(FeatureExpr::All(vec![counted("r1", 2), counted("r2", 4)]))
        );
        let inner = FeatureExpr::Any(vec![feature("b"), feature("c")]);
        assert_eq!(constraint("a & (b|c)"), Some(FeatureExpr::All(vec![feature("a"), inner])));
        for odd in [
            "",
            "&",
            "a&",
            "a b&|",
            "(a",
            "a)",
            "[a|b",
            "a*",
            "a*x",
            "a*99999999999",
            "[a|b]&[c|d]",
            &"(".repeat(100_000),
        ] {
            assert_eq!(constraint(odd), None, "{}", &odd[..odd.len().min(20)]);
        }
    }

    #[test]
    fn dependencies_are_conditions() {
        let read = dependency("afterok:1:2_3,afterany:7+5,singleton").unwrap();
        let told: Vec<(DependencyKind, &str, i64)> =
            read.on.iter().map(|on| (on.kind, on.job.as_str(), on.delay.0)).collect();
        assert_eq!(
            told,
            [
                (DependencyKind::AfterOk, "1", 0),
                (DependencyKind::AfterOk, "2_3", 0),
                (DependencyKind::AfterAny, "7", 300),
                (DependencyKind::Singleton, "", 0)
            ]
        );
        assert!(!read.any && dependency("afterok:1?afternotok:1").unwrap().any);
        for odd in
            ["", "afterok", "afterok:", "never:1", "afterok:1,afterok:2?after:3", "after:1+x", "singleton:1"]
        {
            assert_eq!(dependency(odd), None, "{odd}");
        }
    }

    #[test]
    fn arrays_are_indices() {
        let read = array("1,3,5-9:2%4").unwrap();
        assert_eq!((read.indices.as_slice(), read.throttle), (&[1, 3, 5, 7, 9][..], Some(4)));
        assert_eq!(array("0-9").unwrap().indices.len(), 10);
        for odd in ["", "a", "5-1", "1-", "1-5:0", "0-4294967295", "1%x", "1%"] {
            assert_eq!(array(odd), None, "{odd}");
        }
    }
}
