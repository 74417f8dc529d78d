//! `queuecast site diff`: a change of a site's configuration, reviewed before it is made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use queuecast_core::units::Seconds;
use queuecast_process::failure::{Failure, Kind};
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::over_threshold;
use queuecast_slurm_texts::{SiteFileKind, SiteOptions};
use queuecast_study::{
    ChangeReview, ComparedVariants, LargestIncrease, ReviewQuestion, ReviewThreshold, ReviewedGroup,
    ReviewedWait, Shaking,
};
use queuecast_trace::TimeZone;

use super::revision::configured;
use crate::commands::site_texts::{log_texts, texts};
use crate::commands::threads;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  What is different, in Slurm's words:
    queuecast site diff /etc/slurm new-slurm

  What it would have done to last month's jobs, with accounts and QOS as they were captured:
    queuecast site diff /etc/slurm new-slurm --accounts mysite --log mysite/sacct.psv

  In the CI of a repository that has slurm.conf in etc/: fail if jobs of a partition wait 10 % longer
    queuecast site diff main:etc HEAD:etc --accounts mysite --log mysite/sacct.psv \\
      --max-increase 10% --format markdown

Exit codes: 0 within the threshold, or nothing is judged; 4 over it; 2 and 3 for arguments and input that
cannot be used. docs/guides/reviewing-a-change.md has more.";

/// Say what differs between two configurations, and what that would have done to the jobs of a log
///
/// OLD and NEW are folders as for site check, or slurm.conf files, or COMMIT:PATH of a git repository. Both are simulated under the submissions of the log, moved a little at random several times, so that an effect can be told from scatter.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The configuration before the change: a folder, a file, or COMMIT:PATH
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The configuration after the change
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// The jobs: accounting (sacct -P), a list of submissions, any log of jobs, or a folder that has one; without it, only what differs is told
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Read OLD and NEW as commits of this git repository: COMMIT or COMMIT:PATH
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Take accounts and QOS from this folder (see site capture) where a configuration has none
    #[arg(long, value_name = "DIR")]
    pub accounts: Option<PathBuf>,
    #[command(flatten)]
    pub threshold: ThresholdOptions,
    #[command(flatten)]
    pub shaken: ReviewShaking,
    /// How many simulations run at once; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
    /// Time zone of local times in the files
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = spec::time_zone, help_heading = "Reading")]
    pub time_zone: TimeZone,
}

/// What is allowed.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Threshold")]
pub struct ThresholdOptions {
    /// Exit with code 4 if waits increase by more than this: 10%, or 5m
    #[arg(long, value_name = "INCREASE", requires = "log", allow_hyphen_values = true, value_parser = |text: &str| text.parse::<LargestIncrease>())]
    pub max_increase: Option<LargestIncrease>,
    #[arg(long, value_name = "NUMBER", requires = "max_increase", default_value = "mean-wait", value_parser = spec::of::<ReviewedWait>(), hide_possible_values = true)]
    #[arg(help = spec::of::<ReviewedWait>().help("Which number of the waits is judged"), long_help = spec::of::<ReviewedWait>().long_help("Which number of the waits is judged"))]
    pub of: ReviewedWait,
    #[arg(long, value_name = "GROUP", requires = "max_increase", default_value = "partition", value_parser = spec::of::<ReviewedGroup>(), hide_possible_values = true)]
    #[arg(help = spec::of::<ReviewedGroup>().help("Whose waits are judged"), long_help = spec::of::<ReviewedGroup>().long_help("Whose waits are judged"))]
    pub per: ReviewedGroup,
    /// Allow increases that are shorter than this, whatever their share
    #[arg(long, value_name = "DURATION", requires = "max_increase", default_value = "1m", value_parser = spec::duration, allow_hyphen_values = true)]
    pub ignore_below: Seconds,
    /// Allow this many jobs that start with OLD and never with NEW; jobs cancelled while they wait do not count
    #[arg(long, value_name = "N", requires = "max_increase", default_value_t = 0)]
    pub max_lost: usize,
}

/// How submissions are moved.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Scatter")]
pub struct ReviewShaking {
    /// Move every submission at random by up to this time, once for each seed
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub shake: Seconds,
    /// How many seeds; 0 simulates the submissions as they are and knows no scatter
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub seeds: u16,
}

impl Arguments {
    fn threshold(&self) -> Option<ReviewThreshold> {
        let given = &self.threshold;
        given.max_increase.map(|max_increase| ReviewThreshold {
            max_increase,
            of: given.of,
            per: given.per,
            ignore_below: given.ignore_below,
            max_lost: given.max_lost,
        })
    }

    /// The texts of a configuration, with accounts and QOS from elsewhere where it has none.
    fn site(
        &self,
        given: &Path,
        accounts: &BTreeMap<String, String>,
        printer: &Printer,
    ) -> Result<BTreeMap<String, String>, Failure> {
        let mut site = configured(given, self.repo.as_deref(), printer)?;
        let kinds: Vec<SiteFileKind> =
            site.iter().filter_map(|(name, text)| SiteFileKind::of(name, text)).collect();
        if kinds.iter().all(|kind| kind.is_recorded() || *kind == SiteFileKind::Capture) {
            return Err(Failure::input(format!("{}: no configuration is there", given.display()))
                .hint("expected slurm.conf, or outputs of scontrol show and sacctmgr show -P"));
        }
        for (name, text) in accounts {
            let of_accounts = [SiteFileKind::Qos, SiteFileKind::Associations];
            let lacks = |kind: SiteFileKind| of_accounts.contains(&kind) && !kinds.contains(&kind);
            if SiteFileKind::of(name, text).is_some_and(lacks) {
                site.insert(name.clone(), text.clone());
            }
        }
        Ok(site)
    }
}

/// Reads both configurations, compares them, and simulates the log's jobs under each.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let accounts = match &arguments.accounts {
        Some(folder) => accounts_of(folder, printer)?,
        None => BTreeMap::new(),
    };
    let names = [&arguments.old, &arguments.new].map(|one| one.display().to_string());
    let old = arguments.site(&arguments.old, &accounts, printer)?;
    let new = arguments.site(&arguments.new, &accounts, printer)?;
    let ReviewShaking { shake, seeds } = arguments.shaken;
    let question = ReviewQuestion {
        names: [&names[0], &names[1]],
        sites: [&old, &new],
        options: SiteOptions { time_zone: arguments.time_zone.clone(), ..SiteOptions::default() },
        shaking: (seeds > 0).then_some(Shaking { by: shake, seeds }),
        threshold: arguments.threshold(),
    };
    let review = match &arguments.log {
        Some(log) => simulated(&question, log, arguments.threads, printer)?,
        None => question.without_log(),
    };
    for misread in review.changes.misread.iter().take(3) {
        printer.warning(&misread.to_string());
    }
    printer.answer(&review)?;
    let lost = review.effect.as_ref().map_or(0, |effect| effect.lost);
    match review.outcome.filter(|outcome| !outcome.is_allowed) {
        Some(outcome) => Err(Failure::new(
            Kind::Tolerance,
            format!("the change is over the threshold: {}", over_threshold(&outcome, lost)),
        )),
        None => Ok(()),
    }
}

/// Texts about accounts and QOS.
fn accounts_of(folder: &Path, printer: &Printer) -> Result<BTreeMap<String, String>, Failure> {
    let mut all = texts(folder, printer)?;
    let kinds = [SiteFileKind::Qos, SiteFileKind::Associations];
    all.retain(|name, text| SiteFileKind::of(name, text).is_some_and(|kind| kinds.contains(&kind)));
    if all.is_empty() {
        return Err(Failure::input(format!("{}: no accounts and no QOS are there", folder.display()))
            .hint("expected the outputs of sacctmgr show assoc -P and sacctmgr show qos -P, as site capture saves them"));
    }
    Ok(all)
}

/// The review with the jobs of a log.
fn simulated(
    question: &ReviewQuestion<'_>,
    log: &Path,
    given_threads: Option<u16>,
    printer: &Printer,
) -> Result<ChangeReview, Failure> {
    let (log, source) = (log_texts(log, printer)?, log.display().to_string());
    let read = question.variants(&log);
    let variants = read.map_err(|(place, error)| error.refusal(question.names[place], &source))?;
    drop(log);
    let simulations = ComparedVariants::simulations(question.shaking, variants.len());
    let progress = Progress::uncounted(printer, &format!("{simulations} simulations"));
    let review = threads::on_threads(given_threads, simulations, || Ok(question.review(source, &variants)?));
    drop(progress);
    review
}
