//! The state of a search in a file: written whole after each step, and read only for the same search.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use queuecast::eval::search::{Method, Search, Space};
use serde::{Deserialize, Serialize};

use super::arguments::When;
use super::scoring::Scoring;
use crate::commands::loaded::{Loaded, digest};
use crate::failure::Failure;
use crate::output::Planned;
use crate::printer;

/// What a search depends on besides its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Of queuecast.
    version: String,
    /// Of the workload.
    digest: String,
    /// When jobs are predicted.
    replay: String,
    /// How many jobs are searched on, and how many held out.
    searched: usize,
    held_out: usize,
}

impl Identity {
    /// Of a search of this trace.
    pub fn of(trace: &Loaded, when: When, scoring: &Scoring<'_>) -> Identity {
        Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            digest: digest(&trace.log.workload),
            replay: when.word().to_owned(),
            searched: scoring.searched(),
            held_out: scoring.held_out(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Contents<S> {
    #[serde(flatten)]
    identity: Identity,
    search: S,
}

/// A file that a search is kept in.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    trace: PathBuf,
}

impl Checkpoint {
    /// Refuses a file that cannot be written, and one that is there already unless it is gone on with.
    pub fn new(path: &Path, trace: &Path, resume: bool) -> Result<Checkpoint, Failure> {
        Planned::new(path, &[trace])?;
        let name = path.display();
        match (path.exists(), resume) {
            (true, false) => Err(Failure::usage(format!("{name} is there already"))
                .hint("go on from it with --resume, remove it, or name another file")),
            (false, true) => {
                Err(Failure::usage(format!("there is no checkpoint {name}")).hint("begin without --resume"))
            }
            _ => Ok(Checkpoint { path: path.to_owned(), trace: trace.to_owned() }),
        }
    }

    /// What people call it.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Keeps the search as it is now.
    pub fn write(&self, identity: &Identity, search: &Search) -> Result<(), Failure> {
        let text = printer::json(&Contents { identity: identity.clone(), search })?;
        let mut file = Planned::new(&self.path, &[&self.trace])?.begin()?;
        file.write_all(text.as_bytes()).map_err(|cause| file.failed(cause))?;
        file.commit()
    }

    /// The search as it was kept, if it is the same that is asked for.
    pub fn read(&self, identity: &Identity, asked: &Search) -> Result<Search, Failure> {
        let name = self.name();
        let text = fs::read_to_string(&self.path)
            .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
        let kept = parse(&text, identity, asked).map_err(|why| {
            Failure::input(format!("{name} {why}"))
                .hint("search again without --resume and with another --checkpoint, or give the same trace and options")
        })?;
        Ok(kept)
    }
}

/// Reads a checkpoint, or says in one line why it is not the one.
fn parse(text: &str, identity: &Identity, asked: &Search) -> Result<Search, String> {
    // What it is comes first: another version may have another form.
    let broken = |cause: serde_json::Error| format!("is not a checkpoint of a search: {cause}");
    let contents: Contents<serde_json::Value> = serde_json::from_str(text).map_err(broken)?;
    let kept = contents.identity;
    if kept.version != identity.version {
        return Err(format!("was written by queuecast {}, and this is {}", kept.version, identity.version));
    }
    if kept.digest != identity.digest {
        return Err(format!(
            "is a checkpoint of another trace: its digest is {}, and this one's {}",
            kept.digest, identity.digest
        ));
    }
    if kept != *identity {
        return Err(format!(
            "is a checkpoint of another search: at {} on {} jobs with {} held out, and this one at {} on {} with {}",
            kept.replay, kept.searched, kept.held_out, identity.replay, identity.searched, identity.held_out
        ));
    }
    let search: Search = serde_json::from_value(contents.search).map_err(broken)?;
    if search.is_same_as(asked) {
        return Ok(search);
    }
    let pairs = settings(&search).into_iter().zip(settings(asked));
    let differing: Vec<String> = pairs
        .filter(|(kept, asked)| kept != asked)
        .map(|((name, kept), (_, asked))| format!("{name} {kept}, now {asked}"))
        .collect();
    Err(format!("is a checkpoint of a search with other settings: {}", differing.join("; ")))
}

/// Everything that decides a search, by name.
pub fn settings(search: &Search) -> Vec<(&'static str, String)> {
    let (space, evolution) = (search.space(), search.evolution());
    let seeded = search.greedy_part().map(|greedy| greedy.space());
    let histories = |space: &Space| {
        let words = space.histories.iter().map(|one| one.map_or("all".to_owned(), |jobs| jobs.to_string()));
        words.collect::<Vec<_>>().join(",")
    };
    let letters = space.characteristics.iter().map(|one| one.letter()).chain(space.nodes.then_some("n"));
    let estimators: Vec<&str> = space.estimators.iter().map(|one| one.word()).collect();
    let mut settings = vec![
        ("method", search.method().to_string()),
        ("characteristics", letters.collect::<Vec<_>>().join(",")),
        ("relative run times", if space.relative { "yes" } else { "no" }.to_owned()),
        ("estimators", estimators.join(",")),
        ("histories", histories(space)),
        ("max templates", space.most.to_string()),
    ];
    if search.method() == Method::Genetic {
        settings.extend([
            ("population", evolution.population.to_string()),
            ("generations", evolution.generations.to_string()),
            ("seed", evolution.seed.to_string()),
            ("seeded with histories", seeded.map_or("none".to_owned(), histories)),
        ]);
    }
    settings
}
