//! A made-up reproduction in all four formats.

use queuecast_report::{Format, table};

use super::*;
use crate::FigureGroup;

const LOGS: [&str; 4] =
    ["SDSC-SP2-1998-4.2-cln", "CTC-SP2-1996-3.1-cln", "KTH-SP2-1996-2.1-cln", "SDSC-BLUE-2000-4.2-cln"];

const WHY: &str = "with the log as it was in 2005 the difference is 1.2 (docs/experiments/log-versions.md)";

/// Two rows of two columns, averages and logs; one cell out, one explained twice over, one not judged.
fn made_up() -> Reproduced {
    let mut all = Reproduction::new("example2005", "What An Example Found")
        .captioned("2", "improvement over EASY, average of all logs");
    let long = "Unlimited DFS, [PE,P,E,*], Propagation";
    for (row, column, paper, ours, tolerance) in [
        ("Perfect", "Wait Time", Some(22.0), 23.14, Some(3.0)),
        ("Perfect", "Absolute Inaccuracy", Some(100.0), 99.96, Some(3.0)),
        (long, "Wait Time", Some(5.0), -1.0, Some(3.0)),
        (long, "Absolute Inaccuracy", None, 1234.5, None),
    ] {
        let cell = |log: &str| PublishedCell::new("2", row, column, log).unit("%");
        all.cells.push(cell("average").paper(paper).ours(ours).tolerance(tolerance));
        all.cells.extend((0_u8..).zip(LOGS).map(|(place, log)| cell(log).ours(ours + f64::from(place))));
    }
    all.cells.push(
        PublishedCell::new("1", "KTH", "Jobs", LOGS[2])
            .unit("jobs")
            .paper(28_490.0)
            .ours(28_476.0)
            .tolerance(28.49),
    );
    let explained =
        PublishedCell::new("1", "CTC", "Weeks", LOGS[1]).unit("weeks").paper(48.5).ours(50.0).tolerance(1.0);
    all.cells.push(explained.explained(WHY).note("counted from the first submission"));
    all.claims = vec![
        Claim::new(
            "Knowing run times exactly shortens waits more than any predictor does",
            true,
            "22.1 % against 17.6 %",
        ),
        Claim::new("Propagation hardly matters", false, "it makes waits 9.1 % shorter"),
        Claim::new("EASY is substantially inferior to SJBF", false, "3.0 %").explained(WHY),
    ];
    all.figures = vec![
        Figure::new("Figure 4", "improvement over EASY", "%")
            .group("Wait Time", [("Perfect", 22.0), ("RUH", 17.6)])
            .group("Bounded Slowdown", [("Perfect", 47.0), ("RUH", f64::NAN)]),
    ];
    all.notes = vec!["the archive's logs have been cleaned again since the paper was written, so that small differences are to be expected".to_owned()];
    let traces = LOGS.map(|name| UsedLog { name: name.to_owned(), facts: facts(), cleaning: None });
    Reproduced::new(all, traces.into())
}

fn facts() -> WorkloadFacts {
    let model = queuecast_synth::synth::Habits { jobs: 10, ..Default::default() };
    WorkloadFacts::of(&model.generate(queuecast_core::seed::Seed(1)).unwrap(), "made up")
}

fn text(page: &Page) -> String {
    made_up().document().render(Format::Text, page)
}

fn line<'a>(text: &'a str, beginning: &str) -> &'a str {
    text.lines().find(|line| line.starts_with(beginning)).unwrap_or_else(|| panic!("{beginning}\n{text}"))
}

#[test]
fn paper_ours_difference_and_verdict_stand_side_by_side() {
    let text = text(&Page::wide(80));
    let words = |beginning: &str| line(&text, beginning).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words("  Wait Time"), "Wait Time (%) 22 23.1 +1.1 3.0 within");
    assert_eq!(words("  Absolute"), "Absolute Inaccuracy (%) 100 100.0 0.0 3.0 within");
    assert!(text.contains("-6.0      3.0  OUT\n"), "{text}");
    assert_eq!(words("  Jobs"), "Jobs 28,490 28,476 -14 28 within");
    assert_eq!(words("  Weeks"), "Weeks 48.5 50.0 +1.5 1.0 explained [1][2]");
    assert!(text.contains("\n[1] with the log as it was") && text.contains("\n[2] counted from"), "{text}");
    assert!(text.contains("Table 2: improvement over EASY, average of all logs\n"), "{text}");
    let last = text.lines().last().unwrap();
    assert_eq!(last, "3 of 5 cells within tolerance, 1 of 3 claims hold; 2 explained");
}

#[test]
fn what_repeating_comes_to_stands_beside_it() {
    let mut made_up = made_up();
    made_up.reproduction.cells[0].repeated =
        Some(Repeated { mean: 21.94, deviation: 0.55, times: 5, confidence: None });
    let text = made_up.document().render(Format::Text, &Page::wide(80));
    assert!(line(&text, "  Wait Time").contains("21.9 ± 0.6"), "{text}");
    assert!(!text.contains("confidence"), "{text}");
    let csv = table::csv(&made_up.table());
    assert!(csv.contains(",3,21.94,0.55,,true,"), "{csv}");
}

#[test]
fn a_mean_shows_how_well_it_is_known() {
    let mut made_up = made_up();
    let repeated = Repeated { mean: 1_234.54, deviation: 10.55, times: 20, confidence: Some(4.94) };
    for cell in &mut made_up.reproduction.cells {
        cell.repeated = cell.is_average().then_some(repeated);
    }
    let told = "repeated: the mean of 20 runs with half the width of its 95 % confidence";
    for page in [Page::wide(80), Page::wide(80).ascii()] {
        let text = made_up.document().render(Format::Text, &page);
        let words = line(&text, "  Wait Time").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("1234.5 +/- 4.9 (sd 10.6) within"), "{text}");
        assert_eq!(text.matches(told).count(), 1, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    assert!(table::csv(&made_up.table()).contains(",3,1234.54,10.55,4.94,true,"));
    made_up.reproduction.cells[5].repeated = Some(Repeated { times: 19, ..repeated });
    let text = made_up.document().render(Format::Text, &Page::wide(80));
    assert!(text.contains("the mean of 19 to 20 runs"), "{text}");
}

#[test]
fn without_logs_there_is_a_title_and_what_to_know() {
    let mut made_up = made_up();
    made_up.traces.clear();
    for page in [Page::wide(80), Page::wide(80).ascii()] {
        let text = made_up.document().render(Format::Text, &page);
        assert!(text.starts_with("example2005: What An Example Found\n\nwhat to know\n"), "{text}");
        assert!(text.contains("\nthe archive's logs have been") && !text.contains("digest"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    made_up.reproduction.notes.clear();
    let text = made_up.document().render(Format::Text, &Page::wide(80));
    assert!(text.starts_with("example2005: What An Example Found\n\nTable 2: "), "{text}");
    // Control: with logs there is a table of them.
    assert!(self::made_up().document().render(Format::Text, &Page::wide(80)).contains("digest"));
}

#[test]
fn every_log_has_its_column_unless_a_row_is_about_one_log() {
    let text = text(&Page::wide(80));
    let table = &text[text.find("Table 2, ours, for each log").unwrap()..];
    let words = |beginning: &str| line(table, beginning).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words("      "), "average SDSC-SP2 CTC-SP2 KTH-SP2 SDSC-BLUE");
    assert_eq!(words("  Wait Time"), "Wait Time (%) 23.1 23.1 24.1 25.1 26.1");
    assert!(!text.contains("Table 1, ours"), "{text}");
}

#[test]
fn claims_say_what_was_measured_and_figures_are_drawn_unless_declined() {
    let made_up = made_up();
    let text = made_up.document().render(Format::Text, &Page::wide(80));
    assert!(line(&text, "FAILS").ends_with("it makes waits 9.1 % shorter"), "{text}");
    assert!(line(&text, "explained [1]").contains("EASY is substantially"), "{text}");
    assert!(text.contains("Figure 4: improvement over EASY (%)\n\nWait Time\n  Perfect  "), "{text}");
    let drawn = |value: &str| {
        let bar = text.lines().find(|line| line.contains(value)).unwrap();
        bar.chars().filter(|&c| c == '█').count()
    };
    // One scale for all groups.
    assert!(drawn("  47.0  ") > 2 * drawn("  22.0  ") && drawn("  22.0  ") > 10, "{text}");
    assert!(text.contains("\n  RUH                –\n"), "{text}");
    let declined = made_up.document().without_charts().render(Format::Text, &Page::wide(80));
    assert!(!declined.contains("Figure 4"));
}

#[test]
fn curves_share_a_frame_and_means_show_their_spread() {
    let axis = FigureAxis { name: "time".into(), unit: "s".into(), log: true, ..FigureAxis::default() };
    let figure = Figure::new("Figure 3", "times", "% of the jobs").over(axis.clone());
    let figure = figure.curve("asked", [(60.0, 10.0), (7200.0, 100.0)]).curve("ran", [(30.0, 50.0)]);
    let text = curves(&figure, &axis).render(&Page::wide(80));
    assert!(text.starts_with("Figure 3: times\n\n% of the jobs\n"), "{text}");
    assert!(text.contains("● asked   ○ ran") && text.contains("1 h"), "{text}");
    let scatter =
        Figure::new("Figure 2", "foretold by waited", "s").over(FigureAxis { log_up: true, ..axis.clone() });
    let scatter = scatter.dots("jobs", [(60.0, 7_200.0), (3_600.0, 3_600.0), (30.0, 30.0)]);
    let scatter = scatter.curve("the same", [(30.0, 30.0), (7_200.0, 7_200.0)]);
    let text = curves(&scatter, &FigureAxis { log_up: true, ..axis }).render(&Page::wide(80));
    assert!(text.starts_with("Figure 2: foretold by waited\n\n   2 h ┤"), "{text}");
    assert!(text.contains("· jobs   ● the same") && text.contains("\n10 min ┤"), "{text}");
    assert_eq!(text.matches('·').count(), 2, "one dot below the line, one in the legend: {text}");
    let mut made_up = made_up();
    let bar = FigureBar { label: "vanl".into(), value: Some(12.0), deviation: Some(0.26) };
    let group = FigureGroup { name: "CTC".into(), bars: vec![bar] };
    made_up.reproduction.figures =
        vec![Figure { groups: vec![group], ..Figure::new("Figure 16", "waits", "s") }];
    let text = made_up.document().render(Format::Text, &Page::wide(80));
    assert!(text.contains("  vanl +/- 0.3  12.0  █"), "{text}");
}

#[test]
fn eighty_columns_are_enough_in_either_charset() {
    for page in [Page::wide(80), Page::wide(80).ascii()] {
        let text = text(&page);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("allowed"), "{text}");
    }
    let ascii = text(&Page::wide(80).ascii());
    assert!(ascii.is_ascii(), "{ascii}");
    // Control: a page this narrow is not.
    assert!(text(&Page::wide(40)).lines().any(|line| line.chars().count() > 40));
}

#[test]
fn programs_get_every_cell() {
    let csv = table::csv(&made_up().table());
    let mut lines = csv.lines();
    assert_eq!(
        lines.next().unwrap(),
        "table,row,column,log,unit,paper,ours,difference,tolerance,repeated_mean,repeated_deviation,\
         repeated_confidence,within,explained,note"
    );
    assert_eq!(
        lines.next().unwrap(),
        "2,Perfect,Wait Time,average,%,22,23.14,1.1400000000000006,3,,,,true,,"
    );
    assert_eq!(csv.lines().count(), 1 + 4 * 5 + 2);
    assert!(csv.contains("false,with the log as it was in 2005"), "{csv}");
    let json = serde_json::to_value(made_up()).unwrap();
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&json["paper"], &json["cells"][0]["within"]), (&"example2005".into(), &true.into()));
    assert_eq!((&json["traces"][2]["name"], &json["traces"][2]["jobs"]), (&LOGS[2].into(), &10.into()));
    assert!(json["traces"][0]["digest"].is_string() && json["traces"][0]["procs"].is_number());
    assert_eq!(json["claims"][1]["holds"], false);
    assert_eq!(
        json["figures"][0]["groups"][1]["bars"][1],
        serde_json::json!({"label": "RUH", "value": null})
    );
}

#[test]
fn markdown_has_tables() {
    let markdown = made_up().document().render(Format::Markdown, &Page::default());
    assert!(markdown.contains("**Table 2: improvement over EASY"), "{markdown}");
    assert!(markdown.contains("|   Wait Time (%) | 22 | 23.1 | +1.1 | 3.0 | within |"), "{markdown}");
    assert!(markdown.contains("| FAILS | Propagation hardly matters |"), "{markdown}");
}

#[test]
fn names_and_numbers_are_as_short_as_they_may_be() {
    assert_eq!(LOGS.map(short), ["SDSC-SP2", "CTC-SP2", "KTH-SP2", "SDSC-BLUE"]);
    assert_eq!(short("lublin-256"), "lublin-256");
    assert_eq!([signed(0.04, 1), signed(-0.04, 1), signed(1234.0, 0)], ["0.0", "0.0", "+1,234"]);
    assert_eq!(
        [22.0, 105.2, 0.25].map(|value| as_printed(value).shown(&Page::default())),
        ["22", "105.2", "0.25"]
    );
    assert_eq!(measured_in("Jobs", "jobs"), "Jobs");
    assert_eq!(measured_in("Wait Time", "%"), "Wait Time (%)");
}
