//! The texts of a site's folder, and of what is submitted to it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_process::roles;
use queuecast_sim::predict::{Correction, PredictorSpec};
use queuecast_slurm_texts::{ACCOUNTING_FILE, CaptureRecord};
use queuecast_study::{Experiment, SitePolicy};
use queuecast_trace::plain_text;

use super::variation::VariationOptions;

/// A longer text is nothing that describes a site.
const LONGEST: u64 = 1 << 28;

/// Accounting of years is no longer.
const LONGEST_LOG: u64 = 1 << 32;

/// The texts of a log: of one file, of standard input for `-`, or of the folder of a recorded run.
pub fn log_texts(path: &Path, printer: &Printer) -> Result<BTreeMap<String, String>, Failure> {
    if path.is_dir() {
        return texts(path, printer);
    }
    let input = Input::open(path, printer)?;
    let name = input.name.clone();
    let text = plain_text(input, LONGEST_LOG)
        .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
    let file = path.file_name().map_or(name, |file| file.to_string_lossy().into_owned());
    Ok([(file.trim_end_matches(".gz").trim_end_matches(".zst").to_owned(), text)].into())
}

/// The files of a folder as texts by name, compressed ones undone; `.gz` and `.zst` are taken off their names. A file that
/// cannot be read is warned of, as is what a capture lacks.
///
/// Of a capture, the files of one and the same are read, even while another one replaces it or after one was interrupted.
pub fn texts(folder: &Path, printer: &Printer) -> Result<BTreeMap<String, String>, Failure> {
    for _ in 0..10 {
        let before = record_text(folder);
        let record = before.as_deref().and_then(|text| CaptureRecord::read(text).ok());
        let staged = record.as_ref().and_then(|record| staged_folder(folder, record));
        let (mut texts, unread) = folder_texts(folder)?;
        if let (Some(record), Some(staged)) = (&record, &staged) {
            take_staged([staged, folder], record, &mut texts);
        }
        // Something was exchanged meanwhile.
        if before != record_text(folder) || staged.is_some_and(|staged| !staged.exists()) {
            continue;
        }
        unread.iter().for_each(|said| printer.warning(said));
        for (command, why) in record.iter().flat_map(CaptureRecord::missing) {
            let name = folder.display();
            printer
                .warning(&format!("{name} was captured without {command}, which could not be asked: {why}"));
        }
        return Ok(texts);
    }
    Err(Failure::input(format!("{}: its files were replaced each time they were read", folder.display()))
        .hint("wait until no queuecast site capture runs"))
}

/// How long a file of a folder may be.
fn longest(file: &str) -> u64 {
    if file == ACCOUNTING_FILE { LONGEST_LOG } else { LONGEST }
}

/// The record of the capture in a folder, if it is one.
fn record_text(folder: &Path) -> Option<String> {
    let path = folder.join(CaptureRecord::FILE);
    File::open(path).and_then(|source| plain_text(source, LONGEST)).ok()
}

/// Where the files of a capture were written first, if that is still there: it was interrupted before they were put in place, or is
/// putting them in place now.
fn staged_folder(folder: &Path, record: &CaptureRecord) -> Option<PathBuf> {
    // Only a folder within the folder, whatever the record says.
    let name = Path::new(&record.staged);
    let staged = folder.join(name);
    (name.file_name() == Some(name.as_os_str()) && staged.is_dir()).then_some(staged)
}

/// Takes the files of a capture from where they are: first where they were written, since a file that is not there any more has
/// been put in place.
fn take_staged(folders: [&Path; 2], record: &CaptureRecord, texts: &mut BTreeMap<String, String>) {
    for answer in record.answers.iter().filter(|one| one.lines.is_some()) {
        let name = Path::new(&answer.file);
        if name.file_name() != Some(name.as_os_str()) {
            continue;
        }
        let read = |folder: &&Path| {
            File::open(folder.join(name)).and_then(|file| plain_text(file, longest(&answer.file)))
        };
        if let Some(text) = folders.iter().find_map(|folder| read(folder).ok()) {
            texts.insert(answer.file.clone(), text);
        }
    }
}

/// The files of a folder as texts by name, and what is to be said of those that cannot be read.
fn folder_texts(folder: &Path) -> Result<(BTreeMap<String, String>, Vec<String>), Failure> {
    let name = folder.display().to_string();
    let entries = fs::read_dir(folder).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => Failure::input(format!("{name}: there is no such folder"))
            .hint("queuecast site capture DIR makes one on a machine of the site"),
        io::ErrorKind::NotADirectory => {
            Failure::input(format!("{name} is not a folder")).hint("name the folder that the files are in")
        }
        _ => Failure::input(format!("cannot read {name}")).because(cause),
    })?;
    let (mut texts, mut unread) = (BTreeMap::new(), Vec::new());
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut paths = paths.map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
    // A plain file comes before a compressed one of its name, and counts.
    paths.sort();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Temporary files of a command that writes there are no files of the site.
        if !path.is_file() || file.starts_with(".queuecast-") {
            continue;
        }
        let plain = file.trim_end_matches(".gz").trim_end_matches(".zst").to_owned();
        roles::reads(&path)?;
        match File::open(&path).and_then(|source| plain_text(source, longest(&plain))) {
            Ok(text) => {
                texts.entry(plain).or_insert(text);
            }
            Err(cause) => unread.push(format!("{file} is left out: {cause}")),
        }
    }
    Ok((texts, unread))
}

/// Who runs next at a site: Slurm's own scheduler if no policy is given.
pub fn site_policy(given: Option<Experiment>) -> Result<SitePolicy, Failure> {
    let Some(experiment) = given else { return Ok(SitePolicy::SLURM) };
    SitePolicy::by(experiment).map_err(|error| {
        Failure::usage(error.to_string()).hint("leave --event-order and --limit out with --site")
    })
}

/// Refuses what means nothing to Slurm's own scheduler: predictions, and another policy's settings.
pub fn refuse_settings(
    predictor: &PredictorSpec,
    (correction, factor): (&Correction, f64),
    variation: &VariationOptions,
) -> Result<(), Failure> {
    let predicts =
        *predictor != PredictorSpec::Requested || *correction != Correction::default() || factor != 1.0;
    if !predicts && variation.is_none() {
        return Ok(());
    }
    Err(Failure::usage(
        "Slurm's own scheduler has its own order and plans with the limits that jobs ask for, not with predictions",
    )
    .hint("name a --policy beside --predictor, --correction, --prediction-factor, --depth, --backfill-order or --priority"))
}
