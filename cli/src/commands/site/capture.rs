//! `queuecast site capture`: saves what a site's Slurm says about itself.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use queuecast::report::{Cell, Column, Document, Table};
use serde::Serialize;

use crate::answer::Answer;
use crate::commands::outside::printed;
use crate::failure::Failure;
use crate::output::PlannedFile;
use crate::printer::Printer;

/// Save what Slurm says about this site: nodes, partitions, QOS, accounts
///
/// Runs scontrol and sacctmgr, which change nothing, and writes their outputs into a folder, each file completely or not at all.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder to write to; made if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// One command and the file for its output.
struct Capture {
    file: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// What the site is taken to be without it; `None` if it cannot be left out.
    without: Option<&'static str>,
}

const ASSOCIATIONS: &str = "format=Cluster,Account,User,Partition,ParentName,Share,Priority,GrpJobs,GrpJobsAccrue,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,GrpTRESRunMins,MaxJobs,MaxJobsAccrue,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS";

const CAPTURES: [Capture; 7] = [
    Capture {
        file: "scontrol-config.txt",
        program: "scontrol",
        arguments: &["show", "config"],
        without: None,
    },
    Capture {
        file: "scontrol-partition.txt",
        program: "scontrol",
        arguments: &["-a", "show", "partition"],
        without: None,
    },
    Capture {
        file: "scontrol-node.txt",
        program: "scontrol",
        arguments: &["-a", "show", "node"],
        without: None,
    },
    Capture {
        file: "scontrol-reservation.txt",
        program: "scontrol",
        arguments: &["-a", "show", "reservation"],
        without: Some("no reservations are known"),
    },
    Capture {
        file: "scontrol-topology.txt",
        program: "scontrol",
        arguments: &["show", "topology"],
        without: Some("no switches are known"),
    },
    Capture {
        file: "sacctmgr-qos.psv",
        program: "sacctmgr",
        arguments: &["show", "qos", "-P"],
        without: Some("no QOS are known"),
    },
    Capture {
        file: "sacctmgr-assoc.psv",
        program: "sacctmgr",
        arguments: &["show", "assoc", "-P", ASSOCIATIONS],
        without: Some("no accounts are known"),
    },
];

const HINT: &str = "run this on a machine of the site, where scontrol and sacctmgr work";

/// What was captured.
#[derive(Debug, Serialize)]
struct Captured {
    folder: String,
    files: Vec<CapturedFile>,
}

#[derive(Debug, Serialize)]
struct CapturedFile {
    file: String,
    command: String,
    /// `None` if it was not written.
    lines: Option<usize>,
    /// Why it was not.
    failed: Option<String>,
}

/// Runs all commands, then writes all files.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let mut outputs = Vec::new();
    for capture in &CAPTURES {
        let command = format!("{} {}", capture.program, capture.arguments.join(" "));
        let output = printed(capture.program, capture.arguments, HINT)?;
        match (&output, capture.without) {
            (Err(said), None) => {
                return Err(Failure::input(format!("{command} failed: {said}")).hint(HINT));
            }
            // A site without switches says so by failing.
            (Err(said), Some(without)) if capture.file != "scontrol-topology.txt" => {
                printer.warning(&format!("{} failed: {said}; {without}", capture.program));
            }
            _ => {}
        }
        outputs.push((capture, command, output));
    }
    let folder = &arguments.folder;
    let name = folder.display().to_string();
    fs::create_dir_all(folder)
        .map_err(|cause| Failure::usage(format!("cannot make the folder {name}")).because(cause))?;
    let mut files = Vec::new();
    for (capture, command, output) in outputs {
        let file = capture.file.to_owned();
        match output {
            Ok(text) => {
                write(&folder.join(capture.file), &text)?;
                files.push(CapturedFile { file, command, lines: Some(text.lines().count()), failed: None });
            }
            Err(said) => files.push(CapturedFile { file, command, lines: None, failed: Some(said) }),
        }
    }
    printer.answer(&Captured { folder: name.clone(), files })?;
    printer.note(&format!("queuecast site check {name} says what is understood of it"));
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut output = PlannedFile::new(path, &[])?.begin()?;
    output.write_all(text.as_bytes()).map_err(|cause| output.failed(cause))?;
    output.commit()
}

impl Answer for Captured {
    fn document(&self) -> Document {
        Document::new().with_table("files", self.table().titled(self.folder.clone()))
    }

    fn table(&self) -> Table {
        let columns = [
            Column::text("file"),
            Column::integer("lines"),
            Column::text("failed"),
            Column::text("command").detail(),
        ];
        let mut table = Table::new(columns);
        for one in &self.files {
            table.row([
                Cell::text(&*one.file),
                one.lines.map_or(Cell::Missing, Cell::count),
                one.failed.as_ref().map_or(Cell::Missing, |said| Cell::text(&**said)),
                Cell::text(&*one.command),
            ]);
        }
        table
    }
}
