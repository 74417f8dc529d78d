//! The reference page says exactly what the catalogue says, and the result's fields are the catalogue's.

use std::collections::BTreeSet;
use std::path::Path;

use queuecast_core::units::Procs;
use queuecast_core::workload::{Machine, Workload};
use queuecast_eval::{Better, Dimension, Evaluation, METRICS, Metric};
use queuecast_sim::sim::Schedule;
use queuecast_study::site_metrics::SITE_METRICS;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/metrics.md");
    std::fs::read_to_string(path).expect("the reference page")
}

fn row<Of>(metric: &Metric<Of>) -> String {
    let (name, unit) = (metric.name, metric.unit.symbol());
    let better = match metric.better {
        Better::Lower => "lower",
        Better::Higher => "higher",
        Better::Neither => "–",
    };
    format!("| `{name}` | {unit} | {better} | `{}` | {} |", metric.formula, metric.about)
}

#[test]
fn every_metric_has_its_row() {
    let page = page();
    // A metric of sites that processors have too is the same one.
    let of_sites = SITE_METRICS.iter().map(row);
    let all: BTreeSet<String> = METRICS.iter().map(|metric| row(metric)).chain(of_sites).collect();
    let missing: Vec<&str> = all.iter().map(String::as_str).filter(|row| !page.contains(row)).collect();
    assert!(missing.is_empty(), "rows missing from docs/reference/metrics.md:\n{}", missing.join("\n"));
    let rows =
        page.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 4).count();
    assert_eq!(rows, all.len(), "a row for a metric that does not exist");
}

#[test]
fn every_other_field_and_every_dimension_is_on_the_page() {
    let page = page();
    let workload = Workload::new(Machine { procs: Procs(1) }, vec![]).unwrap();
    let schedule = Schedule { placements: vec![], plans: 0, longest_queue: 0 };
    let evaluation = Evaluation::of(&workload, &schedule).unwrap();
    let all = evaluation.all();
    let values = [
        serde_json::to_value(all.summary()).unwrap(),
        serde_json::to_value(all.fairness(&schedule).unwrap()).unwrap(),
        serde_json::to_value(evaluation.queue().summary()).unwrap(),
        serde_json::to_value(evaluation.queue()).unwrap(),
    ];
    for value in &values {
        for field in value.as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{field}`")), "{field} is not on the page");
        }
    }
    for dimension in Dimension::ALL {
        assert!(page.contains(&format!("`{}`", dimension.word())), "{} is not on the page", dimension.word());
    }
}

#[test]
fn the_fields_of_a_summary_are_the_metrics_and_what_was_excluded() {
    let workload = Workload::new(Machine { procs: Procs(1) }, vec![]).unwrap();
    let schedule = Schedule { placements: vec![], plans: 0, longest_queue: 0 };
    let summary = Evaluation::of(&workload, &schedule).unwrap().all().summary();
    let json = serde_json::to_value(summary).unwrap();
    let mut fields: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected: Vec<&str> = METRICS.iter().map(|metric| metric.name).chain(["excluded"]).collect();
    fields.sort_unstable();
    expected.sort_unstable();
    assert_eq!(fields, expected);
    for fixed in ["jobs", "mean_wait", "mean_bounded_slowdown", "max_bounded_slowdown", "utilization"] {
        assert!(fields.contains(&fixed), "{fixed} is a name others rely on");
    }
}
