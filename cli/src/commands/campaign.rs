//! Several jobs that are asked about together.

use std::io::Read;
use std::path::{Path, PathBuf};

use queuecast_place::NewCampaign;
use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;

use super::newcomer;
use crate::spec;

/// A longer list is none that was written for a question.
const LONGEST: u64 = 1 << 26;

/// An array, a chain, or a list of jobs.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Several jobs")]
pub struct Arguments {
    /// An array of jobs as for sbatch (1-500, 1-500:2, 1,3,7, and with %20 at most 20 at once): when the first starts and the last ends
    #[arg(long, value_name = "INDICES", conflicts_with_all = ["chain", "list"])]
    pub array: Option<String>,
    /// A chain of N jobs, each eligible when the one before it ends
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<usize>, allow_negative_numbers = true, conflicts_with = "list")]
    pub chain: Option<usize>,
    /// A list of submissions (submit,user,args; docs/reference/submissions.md): the first is submitted at the moment asked about
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
}

impl Arguments {
    /// The option that asks about several jobs, if one does.
    pub fn given(&self) -> Option<&'static str> {
        let options =
            [("array", self.array.is_some()), ("chain", self.chain.is_some()), ("list", self.list.is_some())];
        options.iter().find(|one| one.1).map(|one| one.0)
    }

    /// The file of a list.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(PathBuf::as_path)
    }

    /// The jobs, as these arguments describe them.
    pub fn read(
        &self,
        asked: &newcomer::Arguments,
        printer: &Printer,
    ) -> Result<Option<NewCampaign>, Failure> {
        Ok(match (&self.array, self.chain, &self.list) {
            (Some(indices), ..) => Some(NewCampaign::array(&asked.job(), indices, NewCampaign::MOST)?),
            (None, Some(length), _) => Some(NewCampaign::chain(&asked.job(), length, NewCampaign::MOST)?),
            (None, None, Some(path)) => {
                let input = Input::open(path, printer)?;
                let (name, mut text) = (input.name.clone(), Vec::new());
                let read = input.take(LONGEST).read_to_end(&mut text);
                read.map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
                Some(NewCampaign::listed(&name, &String::from_utf8_lossy(&text), asked.time)?)
            }
            (None, None, None) => None,
        })
    }
}
