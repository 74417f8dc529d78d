//! The dashboard for Grafana asks for metrics that there are, by labels that they have.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::played::get;

const DASHBOARD: &str = include_str!("../../../packaging/grafana/queuecast.json");

/// The metrics that an expression names, each with the labels that it chooses by.
fn named(expression: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(begins) = rest.find("queuecast_") {
        rest = &rest[begins..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(length);
        let chosen = after.strip_prefix('{').and_then(|after| after.split_once('}')).map_or("", |one| one.0);
        let labels =
            chosen.split("\",").filter_map(|one| one.split_once('=')).map(|one| one.0.trim().to_owned());
        found.push((name.to_owned(), labels.collect()));
        rest = after;
    }
    found
}

/// All texts below a key.
fn texts<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().filter(|_| name == key) {
                    Some(text) => found.push(text),
                    None => texts(value, key, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, key, found)),
        _ => {}
    }
}

#[test]
fn every_query_asks_for_metrics_and_labels_that_there_are() {
    get(crate::standing(), "/api/v1/clusters");
    let text = get(crate::standing(), "/metrics").text;
    // Metrics without a value as yet have their type all the same; their labels are those of others of the same rows.
    let typed: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let mut labels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_at(line.find(['{', ' ']).unwrap());
        let of = rest.split("\",").filter_map(|one| one.split_once("=\""));
        labels.entry(name).or_default().extend(of.map(|one| one.0.trim_start_matches(['{', ' '])));
    }
    let (dashboard, mut asked) = (serde_json::from_str::<Value>(DASHBOARD).unwrap(), Vec::new());
    texts(&dashboard, "expr", &mut asked);
    texts(&dashboard["templating"], "query", &mut asked);
    let named: Vec<(String, BTreeSet<String>)> = asked.iter().flat_map(|one| named(one)).collect();
    assert!(named.len() > 20, "{asked:?}");
    let base = |name: &str| name.trim_end_matches("_bucket").to_owned();
    for (name, chosen) in &named {
        assert!(typed.contains(base(name).as_str()), "{name}: there is no such metric");
        let known = labels.get(name.as_str()).cloned().unwrap_or_else(|| ["by", "cluster", "group"].into());
        assert!(chosen.iter().all(|label| known.contains(label.as_str())), "{name}: {chosen:?} of {known:?}");
    }
    // What is measured is shown.
    let shown: BTreeSet<String> = named.iter().map(|one| base(&one.0)).collect();
    let counts = ["queuecast_looks", "queuecast_forecasts_judged", "queuecast_shadow_decisions"];
    for name in typed.iter().filter(|name| !counts.contains(name)) {
        assert!(shown.contains(*name), "{name} is in no panel");
    }
}

#[test]
fn metrics_in_an_expression_are_found() {
    let found = named("a(queuecast_x{by=~\"all|said\",c=\"d\"}[5m]) / queuecast_y");
    let x = ["by".to_owned(), "c".to_owned()].into();
    assert_eq!(found, [("queuecast_x".to_owned(), x), ("queuecast_y".to_owned(), BTreeSet::new())]);
}
