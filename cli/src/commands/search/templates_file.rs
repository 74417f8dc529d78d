//! The file of templates that a search found: text that can be read and edited, and that `template:@FILE` loads.

use std::io::Write;

use super::answer::SearchAnswer;
use crate::failure::Failure;
use crate::output::PlannedFile;

/// Writes the templates, one in a line, below where they come from.
pub fn write(output: PlannedFile, answered: &SearchAnswer<'_>) -> Result<(), Failure> {
    let text = text(answered);
    let mut file = output.begin()?;
    file.write_all(text.as_bytes()).map_err(|cause| file.failed(cause))?;
    file.commit()
}

fn text(answered: &SearchAnswer<'_>) -> String {
    let mut lines = vec![
        format!("found by queuecast {} search; load it with --predictor template:@FILE", answered.version),
        format!("trace: {}, digest {}", answered.workload.source, answered.workload.digest),
        format!(
            "predicted at: {}, on {} jobs, {} held out",
            answered.report.replay.word(),
            answered.report.searched,
            answered.report.held_out
        ),
    ];
    lines.extend(answered.report.settings.iter().map(|(name, value)| format!("{name}: {value}")));
    if let Some(found) = answered.report.results.first() {
        let parts = [("searched", Some(&found.searched)), ("held-out", found.held_out.as_ref())];
        for (part, score) in parts.into_iter().filter_map(|(part, score)| Some((part, score?))) {
            lines.push(format!(
                "mean error on {part} jobs: {:.2} min, {:.2} % of their mean run time",
                score.mean_error / 60.0,
                score.error_percent
            ));
        }
    }
    let comments: String =
        lines.iter().map(|line| format!("# {}\n", line.replace(['\n', '\r'], " "))).collect();
    let templates: String =
        answered.report.templates.0.iter().map(|template| format!("{template}\n")).collect();
    comments + &templates
}
