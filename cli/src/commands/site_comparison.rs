//! `queuecast compare --site`: variants of a Slurm site under the same submissions.

use std::path::{Path, PathBuf};

use queuecast::eval::{Metric, Unit};
use queuecast::report::{Answer, Cell, Column, Document, Table};
use queuecast::sim::Backfill;
use queuecast::slurm::{SiteChange, SiteOptions, read_what_if};
use queuecast::study::{Shaking, SitePolicy, SiteVariant, VariantAnswer, VariantMetric, compare_variants};
use queuecast::trace::TimeZone;
use serde::Serialize;

use super::site_texts::{log_texts, site_policy, texts, what_if_failure};
use super::threads;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// `--site`, `--set` and `--against`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Slurm sites")]
pub struct VariantOptions {
    /// Simulate Slurm's own scheduler on the configuration in this folder (see site check), beside it each --policy given;
    /// several folders are compared
    #[arg(long, value_name = "DIR", conflicts_with_all = NOT_AT_SITES)]
    pub site: Vec<PathBuf>,
    /// Change a setting of every variant: PriorityWeightAge=2000, partition.debug.nodes=+4
    #[arg(long, value_name = "KEY=VALUE", requires = "site", value_parser = |text: &str| text.parse::<SiteChange>())]
    pub set: Vec<SiteChange>,
    /// Compare with these settings, blanks between several; once for each variant
    #[arg(long, value_name = "KEY=VALUE ...", requires = "site", value_parser = changes)]
    pub against: Vec<VariantChanges>,
}

/// Several changes that make one variant.
#[derive(Debug, Clone)]
pub struct VariantChanges(Vec<SiteChange>);

fn changes(text: &str) -> Result<VariantChanges, String> {
    let changes: Result<Vec<SiteChange>, String> =
        text.split_whitespace().map(|one| one.parse().map_err(|error| format!("{error}"))).collect();
    match changes {
        Ok(changes) if changes.is_empty() => Err("expected KEY=VALUE".to_owned()),
        changes => changes.map(VariantChanges),
    }
}

/// Options that mean nothing at a site: its configuration decides.
const NOT_AT_SITES: [&str; 19] = [
    "predictor",
    "correction",
    "depth",
    "backfill_order",
    "priority",
    "event_order",
    "prediction_factor",
    "limit",
    "default_request",
    "window",
    "input_format",
    "strict",
    "cluster",
    "columns",
    "procs",
    "clean",
    "timings",
    "plot",
    "no_plot",
];

/// Variants of sites side by side.
#[derive(Debug, Serialize)]
pub struct ComparedVariants {
    version: &'static str,
    /// The file of the submissions.
    source: String,
    /// How submissions are shaken, if they are.
    shaking: Option<Shaking>,
    /// The first is what the others are compared with.
    variants: Vec<VariantAnswer>,
}

/// Reads, simulates and compares.
pub fn run(
    files: &[PathBuf],
    given: &VariantOptions,
    policies: &[Backfill],
    shaking: Option<Shaking>,
    threads: Option<u16>,
    zone: &TimeZone,
    printer: &Printer,
) -> Result<(), Failure> {
    let [file] = files else {
        return Err(Failure::usage("with --site, one file of submissions is compared")
            .hint("name one FILE; several sites or settings are compared with --site and --against"));
    };
    // Slurm's own first, then each other policy on the site as it is.
    let others: Vec<SitePolicy> =
        policies.iter().map(|policy| site_policy(Some(policy))).collect::<Result<_, _>>()?;
    let (log, source) = (log_texts(file, printer)?, file.display().to_string());
    let mut variants = Vec::new();
    for site in &given.site {
        let site_texts = texts(site, printer)?;
        let nothing = VariantChanges(Vec::new());
        let as_it_is = variants.len();
        for more in [&nothing].into_iter().chain(&given.against) {
            let changes: Vec<SiteChange> = given.set.iter().chain(&more.0).cloned().collect();
            let options = SiteOptions { time_zone: zone.clone(), ..SiteOptions::default() };
            let what_if = read_what_if(&site_texts, &log, &changes, &options)
                .map_err(|error| what_if_failure(error, &site.display().to_string(), &source))?;
            let changed = more.0.iter().map(ToString::to_string).collect();
            variants.push(SiteVariant {
                name: named(site, given, changed),
                what_if,
                policy: SitePolicy::SLURM,
            });
        }
        for policy in &others {
            let (name, policy) = (named(site, given, vec![policy.to_string()]), policy.clone());
            variants.push(SiteVariant { name, policy, ..variants[as_it_is].clone() });
        }
    }
    drop(log);
    for misread in variants.iter().flat_map(|one| &one.what_if.reading.misread).take(3) {
        printer.warning(&misread.to_string());
    }
    let simulations = variants.len() * (1 + shaking.map_or(0, |shaking| usize::from(shaking.seeds)));
    let progress = Progress::uncounted(printer, &format!("{simulations} simulations"));
    let answers = threads::on_threads(threads, simulations, || Ok(compare_variants(&variants, shaking)))?;
    drop(progress);
    printer.answer(&ComparedVariants {
        version: env!("CARGO_PKG_VERSION"),
        source,
        shaking,
        variants: answers,
    })
}

/// What tells a variant from the others: its folder where there are several, and its settings or policy.
fn named(site: &Path, given: &VariantOptions, more: Vec<String>) -> String {
    let mut parts = Vec::new();
    if given.site.len() > 1 {
        parts.push(site.display().to_string());
    }
    parts.extend(more);
    if parts.is_empty() { "as it is".to_owned() } else { parts.join(" ") }
}

impl Answer for ComparedVariants {
    fn document(&self) -> Document {
        let mut document = Document::new().with_table("variants", self.rows(false));
        let changed = self.changed();
        if !changed.rows().is_empty() {
            document = document.with_table("changes", changed);
        }
        let mut all: Vec<&str> = Vec::new();
        for name in self.variants.iter().flat_map(|one| &one.answer.not_modelled) {
            if !all.contains(&name.as_str()) {
                all.push(name);
            }
        }
        if !all.is_empty() {
            document = document.with_paragraph(format!("Not modelled: {}.", all.join(", ")));
        }
        document
    }

    fn table(&self) -> Table {
        self.rows(true)
    }
}

/// What is shown of the metrics: name in the catalogue, and heading.
const SHOWN: [(&str, &str); 8] = [
    ("mean_wait", "mean wait"),
    ("p50_wait", "median"),
    ("p90_wait", "90%"),
    ("mean_bounded_slowdown", "bounded slowdown"),
    ("not_started", "not started"),
    ("utilization", "CPUs in use"),
    ("idle_while_waiting", "idle while jobs wait"),
    ("makespan", "until the last end"),
];

/// How a number is shown.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Duration,
    Share,
    Number,
}

impl Shown {
    /// By the unit of a metric.
    fn of(name: &str) -> Shown {
        match Metric::of_sites(name).map(|metric| metric.unit) {
            Ok(Unit::Seconds) => Shown::Duration,
            Ok(Unit::Share) => Shown::Share,
            _ => Shown::Number,
        }
    }

    fn cell(self, value: Option<f64>) -> Cell {
        match (self, value) {
            (_, None) => Cell::Missing,
            (Shown::Duration, Some(value)) => Cell::duration(value),
            (Shown::Share, Some(value)) => Cell::share(value),
            (Shown::Number, Some(value)) => Cell::number(value, if value.fract() == 0.0 { 0 } else { 2 }),
        }
    }

    fn column(self, name: &str) -> Column {
        match self {
            Shown::Duration => Column::duration(name),
            Shown::Share => Column::share(name),
            Shown::Number => Column::number(name),
        }
    }
}

impl ComparedVariants {
    /// One row for each variant; every difference for programs, that of mean waits for readers.
    fn rows(&self, with_all: bool) -> Table {
        let mut columns = vec![Column::text("variant").naming()];
        for (name, heading) in SHOWN {
            let shown = Shown::of(name);
            let spare = ["makespan", "not_started", "p50_wait", "idle_while_waiting"]
                .iter()
                .position(|one| *one == name);
            let key = if shown == Shown::Duration { format!("{name}_seconds") } else { name.to_owned() };
            columns.push(shown.column(heading).key(key).spare(spare.map_or(0, |place| 4 - place as u8)));
            if with_all || name == "mean_wait" {
                columns.push(shown.column("difference").key(format!("{name}_difference")));
            }
            if self.shaking.is_some() && (with_all || name == "mean_wait") {
                columns.push(shown.column("shaken").key(format!("{name}_shaken_difference")));
                columns.push(shown.column("±").key(format!("{name}_shaken_confidence")));
                columns.push(Column::text("beyond scatter").key(format!("{name}_beyond_scatter")));
            }
        }
        let mut table = Table::new(columns).titled(format!("Variants under {}", self.source));
        for variant in &self.variants {
            let mut row = vec![Cell::text(&*variant.name)];
            for (name, _) in SHOWN {
                let shown = Shown::of(name);
                let metric = variant.metrics.iter().find(|one| one.name == name);
                row.push(shown.cell(metric.and_then(|one| one.value)));
                if with_all || name == "mean_wait" {
                    row.push(shown.cell(metric.and_then(|one| one.difference)));
                }
                if self.shaking.is_some() && (with_all || name == "mean_wait") {
                    row.extend(scatter(metric, shown));
                }
            }
            table.row(row);
        }
        table.note("differences are from the first variant; waits from submission to start");
        if let Some(shaking) = self.shaking {
            table.note(format!(
                "shaken: mean difference over {} seeds that move every submission by up to {} s, with its 95% confidence interval",
                shaking.seeds, shaking.by.0
            ));
        }
        table
    }

    fn changed(&self) -> Table {
        let columns = ["variant", "value", "from", "to"].map(Column::text);
        let mut table = Table::new(columns).titled("Changed");
        for variant in &self.variants {
            for value in variant.answer.changes.iter().flat_map(|one| &one.values) {
                let cells = [&variant.name, &value.name, &value.from, &value.to];
                table.row(cells.map(|text| Cell::text(&**text)));
            }
        }
        table
    }
}

fn scatter(metric: Option<&VariantMetric>, shown: Shown) -> [Cell; 3] {
    let Some(shaken) = metric.and_then(|one| one.shaken) else {
        return [Cell::Missing, Cell::Missing, Cell::Missing];
    };
    let beyond =
        shaken.beyond_scatter.map_or(Cell::Missing, |beyond| Cell::text(if beyond { "yes" } else { "no" }));
    [shown.cell(Some(shaken.difference.mean)), shown.cell(shaken.difference.confidence), beyond]
}
