//! The reference page of Slurm's parameters says exactly what the tables say.

use std::path::Path;

use queuecast_slurm_texts::{ListedSetting, listed_settings};

fn row(one: &ListedSetting) -> String {
    let ListedSetting { key, default, meaning, effect, .. } = one;
    format!("| `{key}` | {default} | {} | {effect} |", meaning.trim_end_matches('.'))
}

#[test]
fn every_parameter_has_its_row() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/slurm-settings.md");
    let page = std::fs::read_to_string(path).expect("the reference page");
    for of in ["slurm.conf", "partition", "node", "qos", "account"] {
        let heading = format!("\n## `{of}`");
        let section = page.split(&heading).nth(1).unwrap_or_else(|| panic!("no section {of}"));
        let section = section.split("\n## ").next().unwrap_or_default();
        let found: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
        let all = listed_settings();
        let expected: Vec<String> = all.iter().filter(|one| one.of == of).map(row).collect();
        assert_eq!(found, expected, "section {of}; it should have\n{}", expected.join("\n"));
    }
}
