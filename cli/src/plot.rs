//! `--plot` and `--no-plot`: charts as a picture, and in the text of an answer.

use std::path::{Path, PathBuf};

use queuecast::report::{Answer, Document, svg};

use crate::failure::Failure;
use crate::output::PlannedFile;
use crate::printer::Printer;

/// Where charts go.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Results")]
pub struct Plotting {
    /// Write the charts as a picture in SVG
    #[arg(long, value_name = "OUT.svg")]
    pub plot: Option<PathBuf>,
    /// Leave the charts out of the text
    #[arg(long)]
    pub no_plot: bool,
}

/// Where charts go, checked and not yet written.
#[derive(Debug)]
pub struct PlannedPlot {
    file: Option<PlannedFile>,
    shown: bool,
}

impl Plotting {
    /// Checks the file before anything is computed.
    pub fn plan(&self, inputs: &[&Path]) -> Result<PlannedPlot, Failure> {
        let file = PlannedFile::asked(self.plot.as_deref(), inputs)?;
        Ok(PlannedPlot { file, shown: !self.no_plot })
    }
}

impl PlannedPlot {
    /// Writes the charts of an answer, and prints the answer.
    pub fn answer(self, answer: &impl Answer, printer: &Printer) -> Result<(), Failure> {
        if let Some(planned) = self.file {
            write(planned, &answer.document(), printer)?;
        }
        printer.show(answer, self.shown)
    }
}

/// Writes the charts of a document as a picture; without any, warns that there is nothing to draw.
pub fn write(planned: PlannedFile, document: &Document, printer: &Printer) -> Result<(), Failure> {
    if document.charts().next().is_none() {
        printer.warning(&format!("{}: there is nothing to draw, so it is not written", planned.name()));
        return Ok(());
    }
    planned.write(&svg(document.charts()))
}
