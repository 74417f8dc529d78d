//! The file of sites: which machines there are, how each is scheduled, and where its jobs come from.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Spanned, Value};

use super::sites_text::{EXAMPLE, Given, KEYS, KeyReader, SitesText};
use queuecast_core::asking::Refusal;
use queuecast_core::duration;
use queuecast_core::units::{Procs, Seconds};
use queuecast_forecast::broker::{Alignment, QueueLimits, SiteSetup};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::{Backfill, LimitRule};
use queuecast_trace::{Log, Rule, Ruleset};

/// A file of sites, checked.
#[derive(Debug)]
pub struct SitesFile {
    /// What to call it: the path as given.
    pub name: String,
    /// How the clocks of the logs are put together; by default as they fit.
    pub align: Option<Alignment>,
    /// Only jobs submitted within this time of the first.
    pub period: Option<Seconds>,
    /// Whether users, groups, accounts and executables are the same at all sites.
    pub same_people: bool,
    /// What happens to a job at its requested time.
    pub limit: LimitRule,
    /// The sites; at least one, no two of one name.
    pub sites: Vec<SiteEntry>,
}

/// A site of the file.
#[derive(Debug)]
pub struct SiteEntry {
    /// What it is called.
    pub name: String,
    /// Where the file names it, or its log, for errors.
    pub place: String,
    /// Where its jobs come from.
    pub jobs: JobSource,
    /// By default those of the log.
    pub procs: Option<Procs>,
    /// Who runs next.
    pub policy: Backfill,
    /// How long its jobs are expected to run.
    pub predictor: PredictorSpec,
    /// How much faster than a plain one its processors are.
    pub speed: f64,
    /// Which records of its log become jobs.
    pub clean: Ruleset,
    /// The largest jobs that each queue takes.
    pub queues: Vec<QueueLimits>,
}

/// Where the jobs of a site come from.
#[derive(Debug)]
pub enum JobSource {
    /// From a log.
    Trace(PathBuf),
    /// From its Slurm, now.
    Live {
        /// The partition that is asked about.
        partition: String,
        /// Accounting to learn from.
        history: Option<PathBuf>,
    },
    /// From the accounting of a Slurm site, which its own scheduler is asked about.
    Slurm {
        /// Its configuration, as `site capture` saves it.
        folder: PathBuf,
        /// The partition that is asked about; by default the site's.
        partition: Option<String>,
        /// Its accounting, where that is not in the folder.
        history: Option<PathBuf>,
    },
    /// It has none of its own.
    None,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridTable {
    align: Given,
    days: Given,
    same_people: Given,
    limit: Given,
    #[serde(default)]
    site: Vec<Spanned<SiteTable>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteTable {
    name: Given,
    trace: Given,
    live: Given,
    slurm: Given,
    partition: Given,
    procs: Given,
    policy: Given,
    predictor: Given,
    speed: Given,
    clean: Given,
    #[serde(default)]
    queue: Vec<Spanned<QueueTable>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QueueTable {
    name: Given,
    max_procs: Given,
    max_time: Given,
}

impl SitesFile {
    /// Reads and checks the text of a file, which is called `name` and lies in `folder`, as do the files that it names. They are not
    /// opened, except those of templates, by `predictor`, which reads a predictor.
    ///
    /// # Errors
    /// What is wrong, with its line and its site.
    pub fn parse(
        name: &str,
        text: &str,
        folder: &Path,
        predictor: &dyn Fn(&str) -> Result<PredictorSpec, String>,
    ) -> Result<SitesFile, Refusal> {
        let file = parsed(name, text, folder, predictor)?;
        if file.sites.is_empty() { Err(SitesFile::nothing(name)) } else { Ok(file) }
    }

    /// A file without a site in it.
    pub fn nothing(name: &str) -> Refusal {
        Refusal::input(format!("{name}: there is no site in it")).hint(EXAMPLE)
    }

    /// A file that is not text.
    pub fn no_text(name: &str) -> Refusal {
        Refusal::input(format!("{name} is not a file of sites: it is not text")).hint(EXAMPLE)
    }

    /// All logs that it names.
    pub fn logs(&self) -> impl Iterator<Item = &PathBuf> {
        self.sites.iter().filter_map(|site| match &site.jobs {
            JobSource::Trace(path) => Some(path),
            JobSource::Live { history, .. } | JobSource::Slurm { history, .. } => history.as_ref(),
            JobSource::None => None,
        })
    }
}

impl SiteEntry {
    /// The size that a log of the site is read again with: it keeps the machine that it says it has, unless the file of sites says a
    /// larger one and jobs did not fit.
    pub fn larger(&self, log: &Log) -> Option<Procs> {
        let larger = self.procs.filter(|&procs| procs > log.machine.procs);
        larger.filter(|_| log.report.rule(Rule::TooLarge).is_some())
    }

    /// The site as it is simulated, with this many processors.
    pub fn setup(&self, procs: Procs) -> SiteSetup {
        SiteSetup {
            name: self.name.clone(),
            procs,
            queues: self.queues.clone(),
            policy: self.policy.clone(),
            predictor: self.predictor.clone(),
            speed: self.speed,
        }
    }
}

fn parsed(
    name: &str,
    text: &str,
    folder: &Path,
    predictor: &dyn Fn(&str) -> Result<PredictorSpec, String>,
) -> Result<SitesFile, Refusal> {
    let page = SitesText { name, text };
    let table: GridTable = toml::from_str(text).map_err(|error| page.malformed(&error))?;
    let grid = KeyReader { page: &page, site: None };
    let days = grid.number(&table.days, "days", 0.001..=1e6)?;
    let period = days.map(|days| Seconds((days * 86_400.0).round() as i64));
    let align = grid.one_of(
        &table.align,
        "align",
        &[("start", Alignment::Start), ("recorded", Alignment::Recorded)],
    )?;
    let mut file = SitesFile {
        name: name.to_owned(),
        align,
        period,
        same_people: grid.flag(&table.same_people, "same_people")?.unwrap_or(false),
        limit: grid.spec(&table.limit, "limit")?.unwrap_or_default(),
        sites: Vec::new(),
    };
    for (place, site) in table.site.iter().enumerate() {
        let entry = entry(&page, place, site, folder, predictor)?;
        if file.sites.iter().any(|other| other.name == entry.name) {
            let span = site.get_ref().name.as_ref().map_or_else(|| site.span(), Spanned::span);
            let what = format!("two sites are called '{}'", entry.name);
            return Err(page.at(&span, None, &what).hint("give each site a name of its own"));
        }
        file.sites.push(entry);
    }
    Ok(file)
}

fn entry(
    page: &SitesText<'_>,
    place: usize,
    table: &Spanned<SiteTable>,
    folder: &Path,
    read: &dyn Fn(&str) -> Result<PredictorSpec, String>,
) -> Result<SiteEntry, Refusal> {
    let (span, site) = (table.span(), table.get_ref());
    let nameless = format!("site {}", place + 1);
    let holder = KeyReader { page, site: Some(&nameless) };
    let name = holder.text(&site.name, "name")?.filter(|name| !name.trim().is_empty());
    let Some(name) = name else {
        return Err(page.at(&span, Some(&nameless), "it has no name").hint(EXAMPLE));
    };
    let quoted = format!("site '{name}'");
    let holder = KeyReader { page, site: Some(&quoted) };
    let trace = holder.text(&site.trace, "trace")?.map(|path| folder.join(path));
    let procs = holder.procs(&site.procs, "procs")?;
    let is_live = holder.flag(&site.live, "live")?.unwrap_or(false);
    let partition = holder.text(&site.partition, "partition")?;
    let slurm = holder.text(&site.slurm, "slurm")?.map(|path| folder.join(path));
    if let (Some(given), true) = (&site.slurm, is_live || procs.is_some()) {
        let why = "a captured site has its processors and its moment by itself: leave out live and procs";
        return Err(holder.wrong(given, "slurm", why));
    }
    let jobs = match (is_live, partition, trace) {
        (_, partition, history) if slurm.is_some() => JobSource::Slurm {
            folder: slurm.unwrap_or_default(),
            partition: partition.map(str::to_owned),
            history,
        },
        (true, Some(partition), history) => JobSource::Live { partition: partition.to_owned(), history },
        (true, None, _) => {
            return Err(page
                .at(&span, Some(&quoted), "live = true needs a partition")
                .hint("name one that sinfo shows, as in partition = \"batch\""));
        }
        (false, Some(_), _) => {
            let at = site.partition.as_ref().map_or(span, Spanned::span);
            return Err(page
                .at(&at, Some(&quoted), "partition is for a Slurm site")
                .hint("write live = true or slurm = \"DIR\" beside it, or leave it out"));
        }
        (false, None, Some(trace)) => JobSource::Trace(trace),
        (false, None, None) if procs.is_none() => {
            return Err(page
                .at(&span, Some(&quoted), "it has no trace, so its processors are not known")
                .hint(
                    "write trace = \"FILE\", live = true, or procs = N for a machine without jobs of its own",
                ));
        }
        (false, None, None) => JobSource::None,
    };
    let mut queues: Vec<QueueLimits> = Vec::new();
    for queue in &site.queue {
        let queue = limits(&holder, queue)?;
        if queues.iter().any(|other| other.name == queue.name) {
            let what = format!("two queues are called '{}'", queue.name);
            return Err(page.at(&span, Some(&quoted), &what).hint("give each queue a name of its own"));
        }
        queues.push(queue);
    }
    let predictor = holder.read(&site.predictor, "predictor", |text| {
        // A file of templates lies beside this one, as traces do.
        let text = text
            .strip_prefix("template:@")
            .map_or_else(|| text.to_owned(), |path| format!("template:@{}", folder.join(path).display()));
        read(&text)
    })?;
    let place = site.trace.as_ref().or(site.name.as_ref()).map_or(span, Spanned::span);
    Ok(SiteEntry {
        place: page.place(&place, Some(&quoted)),
        jobs,
        procs,
        policy: holder.spec(&site.policy, "policy")?.unwrap_or_else(Backfill::easy),
        predictor: predictor.unwrap_or(PredictorSpec::Requested),
        speed: holder.number(&site.speed, "speed", 0.001..=1000.0)?.unwrap_or(1.0),
        clean: holder.spec(&site.clean, "clean")?.unwrap_or_default(),
        queues,
        name: name.to_owned(),
    })
}

fn limits(holder: &KeyReader<'_>, table: &Spanned<QueueTable>) -> Result<QueueLimits, Refusal> {
    let queue = table.get_ref();
    let Some(name) = holder.text(&queue.name, "name")?.filter(|name| !name.trim().is_empty()) else {
        let what = "a queue has no name";
        return Err(holder.page.at(&table.span(), holder.site, what).hint(format!("keys {KEYS}")));
    };
    let max_time = match queue.max_time.as_ref().map(Spanned::get_ref) {
        Some(Value::Integer(seconds)) if *seconds > 0 => Some(Seconds(*seconds)),
        Some(Value::Integer(_) | Value::Float(_)) => {
            let why = "give whole seconds above 0, or a duration in quotes, as in \"12h\"";
            return Err(match &queue.max_time {
                Some(given) => holder.wrong(given, "max_time", why),
                None => holder.page.at(&table.span(), holder.site, why),
            });
        }
        _ => holder.read(&queue.max_time, "max_time", duration::parse_positive)?,
    };
    let max_procs = holder.procs(&queue.max_procs, "max_procs")?;
    Ok(QueueLimits { name: name.to_owned(), max_procs, max_time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::spec::SpecError;

    fn read(text: &str) -> Result<SitesFile, String> {
        parsed("sites.toml", text, Path::new("logs"), &|text| {
            text.parse().map_err(|error: SpecError| error.why)
        })
        .map_err(|error| format!("{error} | {}", error.hints.join(" | ")))
    }

    #[test]
    fn every_key_is_read() {
        let file = read(
            "align = \"start\"\ndays = 1.5\nsame_people = true\nlimit = \"ignore\"\n[[site]]\nname = \"a\"\ntrace = \"a.swf\"\n\
             procs = 8\npolicy = \"fcfs\"\npredictor = \"recent:2\"\nspeed = 2\nclean = \"none\"\n[[site.queue]]\nname = \"short\"\n\
             max_procs = 4\nmax_time = \"12h\"\n[[site.queue]]\nname = \"long\"\nmax_time = 90000\n[[site]]\nname = \"b\"\nlive = true\n\
             partition = \"batch\"\n[[site]]\nname = \"c\"\nprocs = 4\n",
        )
        .unwrap();
        assert_eq!((file.align, file.period), (Some(Alignment::Start), Some(Seconds(129_600))));
        assert!(file.same_people && file.limit == LimitRule::Ignore);
        let site = &file.sites[0];
        assert!(matches!(&site.jobs, JobSource::Trace(path) if path == Path::new("logs/a.swf")));
        assert_eq!((site.procs, site.speed), (Some(Procs(8)), 2.0));
        assert_eq!((site.policy.to_string(), site.predictor.to_string()), ("fcfs".into(), "recent:2".into()));
        let times: Vec<_> = site.queues.iter().map(|queue| (queue.max_procs, queue.max_time)).collect();
        assert_eq!(times, [(Some(Procs(4)), Some(Seconds(43_200))), (None, Some(Seconds(90_000)))]);
        assert!(
            matches!(&file.sites[1].jobs, JobSource::Live { partition, history: None } if partition == "batch")
        );
        assert!(matches!(file.sites[2].jobs, JobSource::None));
        // Defaults.
        let plain = read("[[site]]\nname = \"a\"\ntrace = \"/x/a.swf\"\n").unwrap();
        let site = &plain.sites[0];
        assert!(matches!(&site.jobs, JobSource::Trace(path) if path == Path::new("/x/a.swf")));
        assert_eq!(
            (site.policy.to_string(), site.predictor.to_string()),
            ("easy".into(), "requested".into())
        );
        assert_eq!((plain.align, plain.limit, plain.same_people), (None, LimitRule::Kill, false));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_its_site() {
        let site = |rest: &str| format!("\n[[site]]\nname = \"a\"\ntrace = \"a.swf\"\n{rest}\n");
        for (text, expected) in [
            (site("prcs = 8"), "sites.toml, line 5, site 'a': unknown field `prcs`"),
            (site("prcs = 8"), "keys of the whole grid, above the first [[site]]: align"),
            (
                site("procs = \"many\""),
                "line 5, site 'a': procs = \"many\": give a whole number from 1 to 4294967295",
            ),
            (site("procs = 0"), "give a whole number from 1 to 4294967295"),
            (site("procs = 99999999999"), "give a whole number from 1 to 4294967295"),
            (site("policy = \"eazy\""), "line 5, site 'a': policy = \"eazy\": "),
            (site("predictor = \"recent:x\""), "line 5, site 'a': predictor = \"recent:x\": "),
            (site("speed = 0"), "give a number from 0.001 to 1000"),
            (site("speed = nan"), "give a number from 0.001 to 1000"),
            (site("policy = 3"), "policy = 3: give a text in quotes"),
            (site("partition = \"x\""), "partition is for a Slurm site"),
            (site("live = \"yes\""), "give true or false"),
            (site("live = true"), "live = true needs a partition"),
            (site("[[site.queue]]\nmax_procs = 3"), "a queue has no name"),
            (site("[[site.queue]]\nname = \"q\"\nmax_time = 0"), "give whole seconds above 0"),
            (
                site("[[site.queue]]\nname = \"q\"\nmax_time = \"soon\""),
                "line 7, site 'a': max_time = \"soon\": ",
            ),
            (site("[[site.queue]]\nname = \"q\"\nmax_tme = 3"), "line 7, site 'a': unknown field `max_tme`"),
            (site("") + &site(""), "sites.toml, line 8: two sites are called 'a'"),
            ("[[site]]\ntrace = \"a.swf\"\n".to_owned(), "line 1, site 1: it has no name"),
            ("[[site]]\nname = \"b\"\n".to_owned(), "line 1, site 'b': it has no trace"),
            ("align = \"end\"\n".to_owned(), "line 1: align = \"end\": give one of start, recorded"),
            ("days = -1\n".to_owned(), "days = -1: give a number from 0.001"),
            ("limit = \"end\"\n".to_owned(), "limit = \"end\": "),
            ("[site]\nname = \"b\"\n".to_owned(), "a site is written as [[site]]"),
            ("[[site]\nname = \"b\"\n".to_owned(), "sites.toml, line 1"),
        ] {
            let said = read(&text).unwrap_err();
            assert!(said.contains(expected), "{text}: {said}");
        }
        // Control.
        assert_eq!(read(&site("procs = 8")).unwrap().sites.len(), 1);
    }
}
