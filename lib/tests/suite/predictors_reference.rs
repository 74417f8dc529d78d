//! The reference page of predictors and corrections says what the code does: every form, every setting, and
//! what each spec it shows is printed back as.

use std::path::Path;

use queuecast_core::spec::{SettingKey, Spec, SpecError, known};
use queuecast_sim::predict::{Correction, PredictorSpec, Rule, Statistic};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/predictors.md");
    std::fs::read_to_string(path).expect("the reference page")
}

/// The lines under a heading, up to the next one.
fn section<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = page.lines().skip_while(|line| *line != heading);
    lines.next();
    lines.take_while(|line| !line.starts_with("## ")).collect()
}

/// The cells of a row of a table, without backticks; nothing for other lines.
fn cells(line: &str) -> Vec<&str> {
    let inside = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
    inside.map_or(Vec::new(), |inside| inside.split(" | ").map(|cell| cell.trim_matches('`')).collect())
}

/// The keys of a form's settings.
fn keys(name: &str) -> Vec<String> {
    let forms = PredictorSpec::forms();
    let form = forms.iter().find(|form| form.name == name).expect("a form");
    let error = format!("{name}:nonsense=1").parse::<PredictorSpec>().expect_err("nonsense").to_string();
    let key = |key: &SettingKey| {
        assert!(error.contains(&key.shown()), "an unknown setting is answered with all keys: {error}");
        key.name.to_owned()
    };
    form.keys.iter().map(key).collect()
}

/// What the page lacks: forms, keys and values the code knows.
fn missing(page: &str) -> Vec<String> {
    let mut lacking = Vec::new();
    let mut expect = |heading: &str, first: &str| {
        // A row that explains it; those of two cells only show how specs are printed.
        // A bar within a cell is escaped.
        let explains = |line: &&str| cells(line).len() > 2 && cells(line)[0].replace("\\|", "|") == first;
        if !section(page, heading).iter().any(explains) {
            lacking.push(format!("{heading}: {first}"));
        }
    };
    known::<PredictorSpec>().iter().for_each(|form| expect("## Predictors", form));
    known::<Rule>().iter().for_each(|form| expect("## Corrections", form));
    expect("## Corrections", "RULE/RULE");
    for name in ["ruh", "sbh"] {
        keys(name).iter().for_each(|key| expect(&format!("## Settings of `{name}`"), key));
    }
    lacking
}

/// What is said of a spec: how it is printed, or why it cannot be read.
fn printed<T: std::str::FromStr<Err = SpecError> + ToString>(written: &str) -> String {
    written.parse::<T>().map_or_else(|error| error.to_string(), |spec| spec.to_string())
}

/// The rows of `written` and `printed back` under a heading, with what the code prints.
fn wrong<T: std::str::FromStr<Err = SpecError> + ToString>(
    page: &str,
    heading: &str,
) -> (usize, Vec<String>) {
    let lines = section(page, heading);
    let table = lines.iter().skip_while(|line| cells(line) != ["written", "printed back"]).skip(2);
    let rows: Vec<Vec<&str>> = table.map(|line| cells(line)).take_while(|cells| cells.len() == 2).collect();
    let differs = rows.iter().filter(|row| printed::<T>(row[0]) != row[1]);
    (rows.len(), differs.map(|row| format!("{} is {}", row[0], printed::<T>(row[0]))).collect())
}

#[test]
fn every_form_and_every_setting_has_its_row() {
    let page = page();
    assert_eq!(missing(&page), [""; 0]);
    assert_eq!((keys("ruh").len(), keys("sbh").len()), (7, 10), "{:?} {:?}", keys("ruh"), keys("sbh"));
    for name in ["ruh", "sbh"] {
        let rows = section(&page, &format!("## Settings of `{name}`"));
        let rows = rows.iter().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, keys(name).len(), "a row for a setting of {name} that does not exist");
    }
    // Control: a page that lacks one of each is found wanting.
    let wanting = page
        .replace("| `perfect` | the", "| `prefect` | the")
        .replace("| `think` |", "| `thinks` |")
        .replace("| `increments[:free]` |", "| `increments` |");
    assert_eq!(
        missing(&wanting),
        ["## Predictors: perfect", "## Corrections: increments[:free]", "## Settings of `sbh`: think"]
    );
}

#[test]
fn every_default_is_what_the_page_says() {
    let page = page();
    let mut read = 0;
    for (name, unlike) in [("ruh", "window=7"), ("sbh", "think=7")] {
        for line in section(&page, &format!("## Settings of `{name}`")) {
            let row = cells(line);
            let (Some(key), Some(default)) = (row.first(), row.get(2)) else { continue };
            if !keys(name).iter().any(|known| known == key) || *default == "the window" {
                continue;
            }
            // A setting at its default changes nothing; so it is not printed back, whatever else is set.
            let other = if unlike.starts_with(key) { "max" } else { unlike };
            let (with, without) = (format!("{name}:{other},{key}={default}"), format!("{name}:{other}"));
            assert_eq!(printed::<PredictorSpec>(&with), printed::<PredictorSpec>(&without), "{line}");
            read += 1;
        }
    }
    assert_eq!(read, 16, "all but one of the settings have a default of their own");
    // Control: another value is printed back.
    assert_ne!(
        printed::<PredictorSpec>("ruh:window=7,statistic=mean"),
        printed::<PredictorSpec>("ruh:window=7")
    );
}

#[test]
fn every_choice_is_named_where_it_can_be_made() {
    let page = page();
    let row = |name: &str, key: &str| {
        let lines = section(&page, &format!("## Settings of `{name}`"));
        lines.into_iter().find(|line| cells(line).first() == Some(&key)).expect("a row").to_owned()
    };
    for name in ["ruh", "sbh"] {
        for statistic in Statistic::ALL {
            assert!(row(name, "statistic").contains(&format!("`{statistic}`")), "{name} {statistic}");
        }
    }
}

#[test]
fn every_spec_is_printed_back_as_the_page_says() {
    let page = page();
    let (written, corrections) = ("## How specs are written", "## Corrections");
    let (count, differ) = wrong::<PredictorSpec>(&page, written);
    assert_eq!(differ, [""; 0]);
    assert!(count >= 12, "{count} specs: the table has not been read");
    let (count, differ) = wrong::<Correction>(&page, corrections);
    assert_eq!(differ, [""; 0]);
    assert!(count >= 6, "{count} corrections: the table has not been read");
    // Control: a page that promises another form is found out.
    let lying = page.replace("| `ruh:2,mean,cap` | `recent:2` |", "| `ruh:2,mean,cap` | `recent:3` |");
    assert_eq!(wrong::<PredictorSpec>(&lying, written).1, ["ruh:2,mean,cap is recent:2"]);
}
