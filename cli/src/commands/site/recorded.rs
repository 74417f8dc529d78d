//! Recorded runs of a Slurm site, read from folders.

use std::collections::BTreeMap;
use std::path::Path;

use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_slurm_texts::{NoRecordedSite, RecordedSite, SiteOptions, read_recorded_site};
use queuecast_trace::TimeZone;

use crate::commands::site_texts::texts;

/// The texts of a recorded run and what they say; what could not be read of it is warned of.
pub fn read_run(
    folder: &Path,
    zone: &TimeZone,
    printer: &Printer,
) -> Result<(BTreeMap<String, String>, RecordedSite), Failure> {
    let name = folder.display().to_string();
    let texts = texts(folder, printer)?;
    let options = SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() };
    let site = read_recorded_site(&texts, &options).map_err(|error| {
        Failure::input(format!("{name}: {error}")).hint(match error {
            NoRecordedSite::Submissions => {
                "expected jobs.csv, with the columns submit, user, account, run and args at least"
            }
            NoRecordedSite::Machine => "expected slurm.conf, or outputs of scontrol show node and partition",
        })
    })?;
    for misread in &site.misread {
        printer.warning(&format!("{name}: {misread}"));
    }
    Ok((texts, site))
}

/// The last part of a folder's name.
pub fn short(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}
