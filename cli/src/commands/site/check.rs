//! `queuecast site check`: what is understood of a site, and what is not.

use std::path::PathBuf;

use queuecast_slurm_texts::{CheckedSite, SiteOptions, read_site};
use queuecast_trace::TimeZone;

use crate::commands::site_texts::texts;
use crate::spec;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_report::words::number_of;

/// Say what is understood of a Slurm site's configuration, and what is not
///
/// The folder holds whatever there is of: slurm.conf, gres.conf, topology.conf; the outputs of scontrol show config, partition, node and reservation, and of sacctmgr show qos and assoc -P; jobs.csv. Files are recognised by what is in them, compressed or not; others are left alone. Where scontrol and slurm.conf both tell something, scontrol counts.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder of the site's files
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Time zone of local times in the files
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = spec::time_zone, help_heading = "Reading")]
    pub time_zone: TimeZone,
}

/// Reads the folder and shows what it says.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let texts = texts(&arguments.folder, printer)?;
    let reading =
        read_site(&texts, &SiteOptions { time_zone: arguments.time_zone.clone(), ..SiteOptions::default() });
    let name = arguments.folder.display().to_string();
    if reading.used.is_empty() {
        let what = match texts.len() {
            1 => "its only file is not known".to_owned(),
            count => format!("none of its {count} files is known"),
        };
        return Err(Failure::input(format!("{name}: {what}"))
            .hint("expected slurm.conf, or outputs of scontrol show and sacctmgr show -P; queuecast site capture DIR saves them"));
    }
    let checked = CheckedSite::of(name, reading);
    if !checked.reading.misread.is_empty() {
        printer.warning(&format!(
            "{} could not be read; the last table lists them",
            number_of(checked.reading.misread.len(), "place")
        ));
    }
    printer.answer(&checked)
}
