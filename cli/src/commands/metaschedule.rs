//! `queuecast metaschedule`: which of several sites a job should go to, for all jobs of their logs under brokers, or for one job.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use queuecast_core::units::{Procs, Seconds};
use queuecast_forecast::broker::BrokerSpec;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_operate::site_now;
use queuecast_place::{JobSource, NewJob, SiteAsker, SiteChoice, SiteEntry, SiteWord, SitesFile, SlurmPlace};
use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_process::told;
use queuecast_report::{broker_notes, choice_notes};
use queuecast_study::Brokered;
use queuecast_trace::ReadOptions;

use super::loaded::Loaded;
use super::outside;
use super::raw_trace::RawTrace;
use super::site_texts::{log_texts, texts};
use super::source::Reading;
use super::{cleaning, threads};
use crate::commands::cache_option;
use crate::plot::Plotting;
use crate::spec::{self, Several, SpecList, SpecParser};

const EXAMPLES: &str = "\
A file of sites:
    [[site]]
    name = \"ctc\"
    trace = \"CTC.swf.gz\"      # beside the file
    [[site]]
    name = \"kth\"
    trace = \"KTH.swf.gz\"
    policy = \"conservative\"   # each site has its own scheduler

Examples:
  What every broker would have done with all jobs of both logs:
    queuecast metaschedule sites.toml

  Two of them:
    queuecast metaschedule sites.toml --broker least-loaded,turnaround

  Where 64 processors for two hours would start first:
    queuecast metaschedule sites.toml -n 64 -t 2h";

/// Say which of several sites to submit to: for one job, or for all jobs of their logs under brokers
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The sites, in TOML: machines, schedulers, and the logs of their jobs
    #[arg(value_name = "SITES.toml")]
    pub file: PathBuf,
    #[arg(long, value_name = "BROKER,...", value_parser = SpecList(broker()), hide_possible_values = true, help_heading = "All jobs")]
    #[arg(help = broker().help(BROKER), long_help = broker().long_help(BROKER))]
    pub broker: Vec<Several<BrokerSpec>>,
    /// How many brokers are simulated at once; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true, help_heading = "All jobs")]
    pub threads: Option<u16>,
    /// Processors the job asks for: at which site would it start first?
    #[arg(short = 'n', long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "One job")]
    #[arg(conflicts_with_all = ["broker", "threads"])]
    pub size: Option<u32>,
    /// Time limit the job asks for, as of sbatch: 90 for minutes, 2h10m, 02:10:00, 1-12:00:00; by default a day, on a
    /// live site no more than it allows
    #[arg(short = 't', long, value_name = "TIME", value_parser = spec::time_limit, allow_hyphen_values = true, requires = "size", help_heading = "One job")]
    pub time: Option<Seconds>,
    /// Its user: a name or number of the logs
    #[arg(short = 'u', long, value_name = "USER", requires = "size", help_heading = "One job")]
    pub user: Option<String>,
    /// The moment the job is submitted, in each log: a length of time since the log's start, a date, or end, the last submission.
    /// Nothing the logs say of later is looked at. A live site is asked now
    #[arg(
        long,
        value_name = "MOMENT",
        default_value = "end",
        allow_hyphen_values = true,
        requires = "size",
        help_heading = "One job"
    )]
    pub at: String,
    #[command(flatten)]
    pub outside: outside::Arguments,
    #[command(flatten)]
    pub cache: cache_option::Arguments,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub plotting: Plotting,
}

const BROKER: &str = "How the site of a job is chosen, by default in each of these ways; static is always simulated, and first";

fn broker() -> SpecParser<BrokerSpec> {
    spec::of()
}

impl Arguments {
    /// `static`, then the others in the order they were named; all if none is.
    fn brokers(&self) -> Vec<BrokerSpec> {
        let named = match self.broker.is_empty() {
            true => BrokerSpec::ALL.to_vec(),
            false => Several::together(&self.broker),
        };
        let others = named.into_iter().filter(|one| *one != BrokerSpec::Static);
        std::iter::once(BrokerSpec::Static).chain(others).collect()
    }

    /// The job that is asked about, if one is.
    fn job(&self) -> Option<NewJob> {
        let (time, user) = (self.time, self.user.clone());
        self.size.map(|size| NewJob { procs: Procs(size), time, user, queue: None, sbatch: None })
    }
}

/// Reads the sites, and answers for all jobs or for one.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let file = read(&arguments.file, printer)?;
    let inputs: Vec<&Path> =
        std::iter::once(&arguments.file).chain(file.logs()).map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let told = |notes: Vec<String>| {
        notes.iter().filter(|_| printer.shows_rows_only()).for_each(|note| printer.note(note));
    };
    match arguments.job() {
        None => {
            let answer = all_jobs(arguments, &file, printer)?;
            told(broker_notes(&answer));
            plot.answer(&answer, printer)
        }
        Some(job) => {
            let answer = one_job(arguments, &file, &job, printer)?;
            told(choice_notes(&answer));
            plot.answer(&answer, printer)
        }
    }
}

/// Reads and checks a file of sites. The traces it names are not opened.
fn read(path: &Path, printer: &Printer) -> Result<SitesFile, Failure> {
    if fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() == 0) {
        return Err(SitesFile::nothing(&path.display().to_string()).into());
    }
    let mut input = Input::open(path, printer)?;
    let (name, mut bytes) = (input.name.clone(), Vec::new());
    input
        .read_to_end(&mut bytes)
        .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
    let text = String::from_utf8(bytes).map_err(|_| SitesFile::no_text(&name))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let predictor = |text: &str| spec::predictor().value(text).map(|named| named.spec);
    Ok(SitesFile::parse(&name, &text, folder, &predictor)?)
}

/// Every broker on all jobs of the logs.
fn all_jobs(arguments: &Arguments, file: &SitesFile, printer: &Printer) -> Result<Brokered, Failure> {
    let reading = &arguments.reading;
    let logs = file.sites.iter().map(|site| own_jobs(site, reading, printer));
    let logs: Vec<Option<Loaded>> = logs.collect::<Result<_, _>>()?;
    let named: Vec<_> = logs.iter().map(|log| log.as_ref().map(Loaded::named)).collect();
    let brokers = arguments.brokers();
    threads::on_threads(arguments.threads, brokers.len(), || {
        told::asked(printer, |messages| Brokered::compare(file, &named, &brokers, messages))
    })
}

/// The log of a site, if it has one.
fn own_jobs(site: &SiteEntry, reading: &Reading, printer: &Printer) -> Result<Option<Loaded>, Failure> {
    match &site.jobs {
        JobSource::None => Ok(None),
        JobSource::Trace(path) => {
            let log = load(site, path, reading, printer)?;
            let checked = site.predictor.check(log.log.workload.jobs());
            checked
                .map_err(|error| Failure::input(format!("site '{}', {}: {error}", site.name, log.name)))?;
            Ok(Some(log))
        }
        JobSource::Slurm { .. } => {
            Err(Failure::usage("it is a Slurm site, and brokers are simulated on processors")
                .about(&site.place)
                .hint("ask about one job, as in -n 64 -t 2h, or give the site its trace without slurm"))
        }
        JobSource::Live { .. } => Err(Failure::usage("it is live, and its future is not known")
            .about(&site.place)
            .hint("ask about one job, as in -n 64 -t 2h, or give the site a trace without live = true")),
    }
}

/// Reads a log of a site, on the machine that the site says if jobs would not fit otherwise: they may fit another site.
fn load(site: &SiteEntry, path: &Path, reading: &Reading, printer: &Printer) -> Result<Loaded, Failure> {
    let read = |procs: Option<Procs>| {
        let options = reading.options(procs.map(|procs| procs.0));
        let options = ReadOptions { ruleset: site.clean.clone(), ..options };
        Loaded::by(path, &options, printer).map_err(|failure| failure.about(&site.place))
    };
    let loaded = read(None)?;
    match site.larger(&loaded.log) {
        Some(procs) => read(Some(procs)),
        None => Ok(loaded),
    }
}

/// At which site one job would start first.
fn one_job(
    arguments: &Arguments,
    file: &SitesFile,
    job: &NewJob,
    printer: &Printer,
) -> Result<SiteChoice, Failure> {
    let is_live = |site: &&SiteEntry| matches!(site.jobs, JobSource::Live { .. });
    if arguments.at != "end"
        && let Some(site) = file.sites.iter().find(is_live)
    {
        let what = format!("--at {}: site '{}' is live, and is asked now", arguments.at, site.name);
        return Err(Failure::usage(what).hint("leave out --at, or leave out the site"));
    }
    let words = file.sites.iter().map(|site| said(arguments, site, job, printer));
    let words: Vec<SiteWord> = words.collect::<Result<_, _>>()?;
    Ok(SiteChoice::of(file, job, words)?)
}

/// What one site says.
fn said(
    arguments: &Arguments,
    site: &SiteEntry,
    job: &NewJob,
    printer: &Printer,
) -> Result<SiteWord, Failure> {
    let (reading, settings) = (&arguments.reading, WhenSettings::default());
    let zone = &reading.time_zone;
    let about = |failure: Failure| failure.about(&site.place);
    match &site.jobs {
        JobSource::None => Ok(SiteWord::Refused(
            "it has neither a log nor a live queue, so nothing is known of its jobs".to_owned(),
        )),
        JobSource::Trace(path) => {
            let options = ReadOptions { ruleset: site.clean.clone(), ..reading.options(None) };
            let mut raw = RawTrace::read(path, &options, printer).map_err(about)?;
            let at = raw.moment(&arguments.at, zone).map_err(about)?;
            let mut trace = raw.known_at(at, None, printer).map_err(about)?;
            if let Some(procs) = site.larger(&trace.log) {
                trace = raw.known_on(procs, at, printer).map_err(about)?;
            }
            let word = told::learned(arguments.cache.is_kept(), printer, |messages| {
                SiteAsker { job, settings, zone, messages }.log(site, &trace.name, &mut trace.log, at)
            });
            let word = word.map_err(about)?;
            // How a log was read matters to an answer only.
            if matches!(word, SiteWord::Start(_)) {
                cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
            }
            Ok(word)
        }
        JobSource::Slurm { folder, partition, history } => {
            let (name, site_texts) = (folder.display().to_string(), texts(folder, printer).map_err(about)?);
            let log = history.as_ref().map(|file| {
                Ok::<_, Failure>((file.display().to_string(), log_texts(file, printer).map_err(about)?))
            });
            let log = log.transpose()?;
            let log =
                log.as_ref().map_or((name.as_str(), &site_texts), |(file, texts)| (file.as_str(), texts));
            told::asked(printer, |messages| {
                let named = (name.as_str(), &site_texts);
                let place = SlurmPlace::recorded(named, log, &arguments.at, None, zone, messages)?;
                SiteAsker { job, settings, zone, messages }.slurm(site, partition.as_deref(), &place)
            })
            .map_err(about)
        }
        JobSource::Live { partition, history } => {
            let history = history.as_ref().map(|path| load(site, path, reading, printer)).transpose()?;
            if let Some(trace) = &history {
                cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
            }
            let commands = arguments.outside.commands(printer);
            let live = site_now::ask(&commands).map_err(about)?;
            let history = history.map(|history| history.learned_by(&live, printer)).transpose();
            let history = history.map_err(about)?;
            told::learned(arguments.cache.is_kept(), printer, |messages| {
                let asker = SiteAsker { job, settings, zone, messages };
                asker.live(site, partition, &live, history.as_ref().map(|one| one.named().into()))
            })
            .map_err(about)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn names(line: &str) -> Vec<String> {
        let alone = Alone::try_parse_from(line.split(' ')).unwrap();
        alone.arguments.brokers().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn static_is_first_and_nothing_is_simulated_twice() {
        assert_eq!(names("metaschedule s.toml"), BrokerSpec::ALL.map(|one| one.to_string()));
        let line = "metaschedule s.toml --broker oracle,static,oracle --broker turnaround+by=knn:2000,by=linear,k-distributed:3";
        assert_eq!(names(line), ["static", "oracle", "turnaround+by=knn:2000,by=linear", "k-distributed:3"]);
        // Control: another setting makes another broker.
        assert_eq!(names("metaschedule s.toml --broker k-distributed:3,k-distributed:2").len(), 3);
    }
}
