//! `--plot` and `--no-plot`: charts as a picture, and in the text of an answer.

use std::path::{Path, PathBuf};

use queuecast_process::failure::Failure;
use queuecast_process::output::PlannedFile;
use queuecast_process::printer::Printer;
use queuecast_report::{Answer, Document, svg};

/// Where charts go.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Results")]
pub struct Plotting {
    /// Write the charts as a picture in SVG, with light and dark colours as the viewer asks for
    #[arg(long, value_name = "OUT.svg")]
    pub plot: Option<PathBuf>,
    /// Leave the charts out of the text
    #[arg(long)]
    pub no_plot: bool,
}

/// Formats of pictures that are not written; a file of such a name would be taken for one.
const OTHER_PICTURES: [&str; 12] =
    ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "pdf", "ps", "eps", "html"];

/// Plans the file of `--plot`, if one is asked for. Refuses the name of another format than SVG.
pub fn planned(path: Option<&Path>, inputs: &[&Path]) -> Result<Option<PlannedFile>, Failure> {
    if let Some(path) = path {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if ending.is_some_and(|ending| OTHER_PICTURES.contains(&ending.as_str())) {
            let (name, svg) = (path.display(), path.with_extension("svg"));
            return Err(Failure::usage(format!("--plot {name}: charts are written as SVG only")).hint(
                format!(
                    "name it {}; browsers show such a picture, and drawing programs save it in other formats",
                    svg.display()
                ),
            ));
        }
    }
    PlannedFile::asked(path, inputs)
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
        let file = planned(self.plot.as_deref(), inputs)?;
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
