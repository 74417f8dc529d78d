//! What the arguments ask of a paper.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use queuecast_papers::{PAPERS, Paper, Request, Tables};

use crate::failure::Failure;

/// The request of the arguments; a table or a number of seeds that the paper does not have is refused.
pub fn request(paper: &Paper, tables: &[String], seeds: Option<u64>) -> Result<Request, Failure> {
    if seeds.is_some() && paper.seeds.is_none() {
        let name = paper.name;
        return Err(Failure::usage(format!("--seeds: the results of {name} are not means over seeds")));
    }
    if let Some(unknown) = tables.iter().find(|number| !paper.tables.contains(&number.as_str())) {
        let name = paper.name;
        return Err(Failure::usage(format!("--table {unknown}: {name} has no such table to reproduce"))
            .hint(format!("its tables: {}", paper.tables.join(", "))));
    }
    let seeds = seeds.or(paper.seeds);
    Ok(Request { tables: Tables::of(tables), seeds, ..Request::default() })
}

/// Reads a paper's name.
pub fn named() -> impl TypedValueParser<Value = &'static Paper> {
    let values = PAPERS.iter().map(|paper| PossibleValue::new(paper.name).help(paper.title));
    PossibleValuesParser::new(values).try_map(|name| {
        let known = PAPERS.iter().find(|paper| paper.name == name);
        known.ok_or_else(|| format!("no paper is called {name}"))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use queuecast::trace::Ruleset;

    use super::*;

    #[test]
    fn every_paper_is_soundly_described() {
        for paper in PAPERS {
            assert!(paper.clean.parse::<Ruleset>().is_ok(), "{}", paper.clean);
            assert!(!paper.tables.is_empty(), "{}", paper.name);
            let logs: Vec<&str> = paper.logs.iter().chain(paper.optional).copied().collect();
            let different: BTreeSet<&str> = logs.iter().copied().collect();
            assert!(different.len() == logs.len() && !different.contains(""), "{}: {logs:?}", paper.name);
            assert!(
                paper.seeds.is_none_or(|seeds| crate::spec::seeds(&seeds.to_string()).is_ok()),
                "{}",
                paper.name
            );
        }
        assert!(PAPERS.iter().any(|paper| paper.seeds.is_some()));
        let names: BTreeSet<&str> = PAPERS.iter().map(|paper| paper.name).collect();
        assert_eq!(names.len(), PAPERS.len());
    }

    #[test]
    fn seeds_are_for_papers_that_have_some() {
        let paper = |name: &str| PAPERS.iter().find(|paper| paper.name == name).unwrap();
        let refused = request(paper("talby2005"), &[], Some(5)).unwrap_err();
        assert_eq!(refused.to_string(), "--seeds: the results of talby2005 are not means over seeds");
        assert!(refused.hints().is_empty());
        assert_eq!(request(paper("talby2005"), &[], None).unwrap().seeds, None);
        assert_eq!(request(paper("tsafrir2005"), &[], Some(5)).unwrap().seeds, Some(5));
        assert_eq!(request(paper("tsafrir2005"), &[], None).unwrap().seeds, Some(100));
    }

    #[test]
    fn an_unknown_table_is_refused() {
        let refused = request(&PAPERS[0], &["99".to_owned()], None).unwrap_err();
        assert!(refused.to_string().contains("--table 99: talby2005 has no such table"), "{refused}");
        assert!(refused.hints()[0].starts_with("its tables: 1"), "{:?}", refused.hints());
        assert!(request(&PAPERS[0], &["1".to_owned()], None).is_ok_and(|request| !request.tables.is_all()));
    }
}
