//! Several specs in one argument, separated by commas: `fcfs,easy:depth=4,order=largest,sjbf`.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

use super::parser::SpecParser;

/// The specs of one argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Several<T>(pub Vec<T>);

impl<T: Clone + PartialEq> Several<T> {
    /// All of several arguments, in order, without repetitions.
    pub fn together(arguments: &[Several<T>]) -> Vec<T> {
        let mut all: Vec<T> = Vec::new();
        for one in arguments.iter().flat_map(|several| &several.0) {
            if !all.contains(one) {
                all.push(one.clone());
            }
        }
        all
    }
}

/// A parser of several specs of one kind.
#[derive(Clone)]
pub struct SpecList<T>(pub SpecParser<T>);

impl<T: Clone + Send + Sync + 'static> TypedValueParser for SpecList<T> {
    type Value = Several<T>;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Several<T>, Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        let pieces = self.0.split(&text).into_iter();
        let read = pieces.map(|piece| self.0.parse_ref(command, arg, OsStr::new(piece)));
        read.collect::<Result<_, _>>().map(Several)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

#[cfg(test)]
mod tests {
    use queuecast_sim::sim::Backfill;

    use super::super::{of, predictor};
    use super::*;

    fn read<T: Clone + Send + Sync + ToString + 'static>(
        spec: SpecParser<T>,
        value: &str,
    ) -> Result<String, String> {
        let command = Command::new("test");
        let read = SpecList(spec).parse_ref(&command, None, OsStr::new(value));
        let texts = |several: Several<T>| several.0.iter().map(ToString::to_string).collect::<Vec<_>>();
        read.map(|several| texts(several).join(" | ")).map_err(|error| error.to_string())
    }

    #[test]
    fn commas_separate_specs_but_not_the_settings_of_one() {
        assert_eq!(read(of::<Backfill>(), "fcfs,easy").unwrap(), "fcfs | easy");
        assert_eq!(
            read(of::<Backfill>(), "easy:depth=4,order=largest,sjbf").unwrap(),
            "easy:depth=4,order=largest | sjbf"
        );
        let formula = "easy:priority=max(wait, procs),fcfs";
        assert_eq!(read(of::<Backfill>(), formula).unwrap(), "easy:priority=max(wait, procs) | fcfs");
        let sessions = "sbh:[PE,P,E,*],dfs,propagate,ruh:5,propagate,recent:2";
        assert_eq!(
            read(predictor(), sessions).unwrap(),
            "sbh:propagate=yes | ruh:window=5,propagate=yes | recent:2"
        );
        assert_eq!(
            read(predictor(), "template:(u,e,n=4),(q, u),(),gibbons,downey:mean").unwrap(),
            "template:(u,e,n=4),(q,u),() | gibbons | downey:mean"
        );
        assert_eq!(read(predictor(), "requested, recent:2:median").unwrap(), "requested | recent:2:median");
    }

    #[test]
    fn one_wrong_piece_is_refused_by_its_own_name() {
        assert!(read(of::<Backfill>(), "fcfs,easi").unwrap_err().contains("'easi'"));
        assert!(
            read(of::<Backfill>(), "easy:depth=4,ordre=largest")
                .unwrap_err()
                .contains("\"ordre=largest\" is no setting")
        );
        assert!(read(of::<Backfill>(), "fcfs,").is_err());
    }

    #[test]
    fn repetitions_count_once() {
        assert_eq!(Several::together(&[Several(vec![1, 2]), Several(vec![2, 3])]), [1, 2, 3]);
    }
}
