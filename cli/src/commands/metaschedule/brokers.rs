//! All jobs of the logs of several sites, simulated under brokers.

use queuecast::broker::{Alignment, BrokerSpec, Grid, GridError, merged};
use queuecast::study::Brokerage;
use queuecast::units::Procs;
use queuecast::workload::{Machine, Workload};

use super::broker_answer::{Brokered, Clocks, GridSettings, QueueSettings, SiteSettings, Unplaced};
use super::file::{JobSource, SiteEntry, SitesFile};
use crate::commands::loaded::Loaded;
use crate::commands::source::Reading;
use crate::commands::threads;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// Reads the logs, and simulates the sites under each broker.
pub fn compared(
    file: &SitesFile,
    brokers: &[BrokerSpec],
    threads: Option<u16>,
    reading: &Reading,
    printer: &Printer,
) -> Result<Brokered, Failure> {
    let loaded: Vec<Option<Loaded>> =
        file.sites.iter().map(|site| own_jobs(site, reading, printer)).collect::<Result<_, _>>()?;
    if loaded.iter().all(Option::is_none) {
        let what = format!("{}: no site has a trace, so there are no jobs to simulate", file.name);
        return Err(Failure::input(what).hint("write trace = \"FILE\" below at least one [[site]]"));
    }
    let clocks = clocks(file, &loaded)?;
    let procs =
        file.sites.iter().zip(&loaded).map(|(site, log)| {
            site.procs.or(log.as_ref().map(|log| log.log.machine.procs)).unwrap_or(Procs(1))
        });
    let procs: Vec<Procs> = procs.collect();
    let nothing = Workload::new(Machine { procs: Procs(1) }, Vec::new())
        .map_err(|error| Failure::unexpected(error.to_string()))?;
    let logs: Vec<&Workload> =
        loaded.iter().map(|log| log.as_ref().map_or(&nothing, |log| &log.log.workload)).collect();
    let setups = file.sites.iter().zip(&procs).map(|(site, &procs)| site.setup(procs)).collect();
    let jobs = merged(&logs, clocks.align, file.same_people, file.period);
    let said = |error: GridError| Failure::input(format!("{}: {error}", file.name));
    let mut grid = Grid::new(setups, jobs).map_err(said)?;
    grid.options.limit = file.limit;
    let first = grid.unplaced().next().map(|one| Unplaced {
        job: one.job.id.0,
        site: one.home.map(|home| file.sites[home].name.clone()),
        procs: one.job.shape.procs,
        time: one.job.shape.limit,
    });
    let report = threads::on_threads(threads, brokers.len(), || {
        let progress = Progress::new(printer, "simulating", Brokerage::steps(&grid, brokers));
        let done = |steps| progress.advance_by(steps);
        Brokerage::compare(&grid, brokers, &done).map_err(|error| match error {
            GridError::Simulation { .. } | GridError::Routing(_) => Failure::unexpected(error.to_string()),
            error => said(error),
        })
    })?;
    let sites = file.sites.iter().zip(loaded).zip(procs).map(|((site, log), procs)| SiteSettings {
        site: site.name.clone(),
        procs,
        policy: site.policy.to_string(),
        predictor: site.predictor.to_string(),
        speed: site.speed,
        queues: site.queues.iter().map(QueueSettings::of).collect(),
        guessed: log.as_ref().filter(|_| site.procs.is_none()).map(|log| log.log.machine),
        workload: log.as_ref().map(Loaded::facts),
        cleaning: log.map(|log| log.log.report),
    });
    let settings = GridSettings {
        file: file.name.clone(),
        clocks,
        days: file.period.map(|period| period.0 as f64 / 86_400.0),
        same_people: file.same_people,
        limit: file.limit.to_string(),
        sites: sites.collect(),
    };
    let answer = Brokered::new(settings, first, report);
    if printer.shows_rows_only() {
        answer.notes().iter().for_each(|note| printer.note(note));
    }
    Ok(answer)
}

/// The log of a site, if it has one.
fn own_jobs(site: &SiteEntry, reading: &Reading, printer: &Printer) -> Result<Option<Loaded>, Failure> {
    match &site.jobs {
        JobSource::None => Ok(None),
        JobSource::Trace(path) => {
            let log = site.load(path, reading, printer)?;
            let checked = site.predictor.spec.check(log.log.workload.jobs());
            checked
                .map_err(|error| Failure::input(format!("site '{}', {}: {error}", site.name, log.name)))?;
            Ok(Some(log))
        }
        JobSource::Live { .. } => Err(Failure::usage("it is live, and its future is not known")
            .about(&site.place)
            .hint("ask about one job, as in -n 64 -t 2h, or give the site a trace without live = true")),
    }
}

/// How the clocks are put together, and whether that was asked for.
fn clocks(file: &SitesFile, loaded: &[Option<Loaded>]) -> Result<Clocks, Failure> {
    let own: Vec<&Loaded> = loaded.iter().flatten().collect();
    if file.align == Some(Alignment::Recorded)
        && let Some(log) = own.iter().find(|log| log.log.workload.epoch.is_none())
    {
        let what =
            format!("{}: align = \"recorded\", but {} does not say when it began", file.name, log.name);
        return Err(Failure::input(what).hint(
            "a UnixStartTime in its header says so; align = \"start\" begins all logs at one instant",
        ));
    }
    let logs: Vec<&Workload> = own.iter().map(|log| &log.log.workload).collect();
    let align = file.align.unwrap_or_else(|| Alignment::fitting(&logs));
    Ok(Clocks { align, given: file.align.is_some(), several: logs.len() > 1 })
}
