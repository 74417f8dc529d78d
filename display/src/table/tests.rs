//! Tables against literal texts.

use super::*;
use crate::{Best, Page};
use queuecast_core::units::Seconds;

/// Three policies with everything a table can hold: marks, a rule, a detail column, something missing, a note.
fn policies() -> Table {
    let mut table = Table::new([
        Column::text("policy"),
        Column::integer("jobs"),
        Column::duration("mean wait"),
        Column::number("mean bounded slowdown"),
        Column::share("utilization"),
        Column::number("work").unit("proc·h"),
        Column::text("digest").detail(),
    ])
    .titled("KTH-SP2: 28,481 jobs on 100 processors");
    let mut add = |policy: &str, wait: f64, slowdown: f64, work: f64| {
        table.row([
            policy.into(),
            Cell::count(28_481),
            Cell::duration(wait),
            Cell::number(slowdown, 2),
            Cell::share(0.70321),
            Cell::number(work, 0),
            "9f3a".into(),
        ]);
    };
    add("fcfs", 343_400.4, 1_482.756, 2_024_854.2);
    add("easy", 6_840.5, 92.64, f64::NAN);
    add("sjbf | shortest first", 5_432.1, 71.0, 2_024_854.2);
    table.rule();
    table.row([
        "log".into(),
        Cell::count(28_481),
        Seconds(45).into(),
        Cell::Missing,
        Cell::Share(1.0),
        Cell::Integer(7),
        "9f3a".into(),
    ]);
    table.mark(2, 2);
    table.mark_best(3, 0..4, Best::Lowest);
    table.note("* best of its column. Bounded slowdown with a threshold of 10 s.");
    table
}

fn facts() -> Table {
    Table::facts([
        (Column::text("policy"), "easy".into()),
        (Column::integer("jobs"), Cell::Integer(28_481)),
        (Column::duration("mean wait"), Cell::Duration(6_840.5)),
        (Column::share("utilization"), Cell::Share(0.7032)),
        (Column::text("digest").detail(), "9f3a".into()),
    ])
    .titled("Simulation")
}

#[test]
fn text_lines_up() {
    let expected = "\
KTH-SP2: 28,481 jobs on 100 processors

policy                   jobs    mean wait  mean bounded slowdown  utilization  work (proc·h)
─────────────────────────────────────────────────────────────────────────────────────────────
fcfs                   28,481    3 d 23 h               1,482.76         70.3%      2,024,854
easy                   28,481  1 h 54 min                  92.64         70.3%              –
sjbf | shortest first  28,481  1 h 31 min*                 71.00*        70.3%      2,024,854
─────────────────────────────────────────────────────────────────────────────────────────────
log                    28,481        45 s                      –        100.0%              7

* best of its column. Bounded slowdown with a threshold of 10 s.
";
    assert_eq!(text(&policies(), &Page::default()), expected);
}

#[test]
fn a_narrow_page_breaks_headings_and_then_cuts_words_but_never_numbers() {
    let expected = "\
KTH-SP2: 28,481 jobs on 100 processors

                                            mean
                                         bounded                    work
policy              jobs    mean wait   slowdown  utilization   (proc·h)
────────────────────────────────────────────────────────────────────────
fcfs              28,481    3 d 23 h   1,482.76         70.3%  2,024,854
easy              28,481  1 h 54 min      92.64         70.3%          –
sjbf | shortest…  28,481  1 h 31 min*     71.00*        70.3%  2,024,854
────────────────────────────────────────────────────────────────────────
log               28,481        45 s          –        100.0%          7

* best of its column. Bounded slowdown with a threshold of 10 s.
";
    assert_eq!(text(&policies(), &Page::wide(72)), expected);
    let expected = "\
KTH-SP2: 28,481 jobs on 100 processors

                                    mean
                                 bounded                    work
policy      jobs    mean wait   slowdown  utilization   (proc·h)
----------------------------------------------------------------
fcfs      28,481    3 d 23 h   1,482.76         70.3%  2,024,854
easy      28,481  1 h 54 min      92.64         70.3%          -
sjbf | ~  28,481  1 h 31 min*     71.00*        70.3%  2,024,854
----------------------------------------------------------------
log       28,481        45 s          -        100.0%          7

* best of its column. Bounded slowdown
with a threshold of 10 s.
";
    assert_eq!(text(&policies(), &Page::wide(40).ascii()), expected);
}

#[test]
fn a_tall_table_runs_downwards() {
    let expected = "\
KTH-SP2: 28,481 jobs on 100 processors

policy                      fcfs        easy   sjbf | shortest first     log
────────────────────────────────────────────────────────────────────────────
jobs                      28,481      28,481                 28,481   28,481
mean wait               3 d 23 h  1 h 54 min             1 h 31 min*    45 s
mean bounded slowdown   1,482.76       92.64                  71.00*       –
utilization                70.3%       70.3%                  70.3%   100.0%
work (proc·h)          2,024,854           –              2,024,854        7

* best of its column. Bounded slowdown with a threshold of 10 s.
";
    assert_eq!(text(&policies().laid_out(Layout::Tall), &Page::default()), expected);
    let expected = "\
Simulation

policy       easy
jobs         28,481
mean wait    1 h 54 min
utilization  70.3%
";
    assert_eq!(text(&facts(), &Page::default()), expected);
}

#[test]
fn markdown_escapes_and_embolds() {
    let expected = "\
**KTH-SP2: 28,481 jobs on 100 processors**

| policy | jobs | mean wait | mean bounded slowdown | utilization | work (proc·h) |
| --- | ---: | ---: | ---: | ---: | ---: |
| fcfs | 28481 | 3 d 23 h | 1482.76 | 70.3% | 2024854 |
| easy | 28481 | 1 h 54 min | 92.64 | 70.3% | – |
| sjbf \\| shortest first | 28481 | **1 h 31 min** | **71.00** | 70.3% | 2024854 |
| log | 28481 | 45 s | – | 100.0% | 7 |

- \\* best of its column. Bounded slowdown with a threshold of 10 s.
";
    assert_eq!(markdown(&policies()), expected);
    let expected = "\
**Simulation**

|  |  |
| --- | --- |
| policy | easy |
| jobs | 28481 |
| mean wait | 1 h 54 min |
| utilization | 70.3% |
";
    assert_eq!(markdown(&facts()), expected);
    let expected = "\
**KTH-SP2: 28,481 jobs on 100 processors**

| policy | fcfs | easy | sjbf \\| shortest first | log |
| --- | ---: | ---: | ---: | ---: |
| jobs | 28481 | 28481 | 28481 | 28481 |
| mean wait | 3 d 23 h | 1 h 54 min | **1 h 31 min** | 45 s |
| mean bounded slowdown | 1482.76 | 92.64 | **71.00** | – |
| utilization | 70.3% | 70.3% | 70.3% | 100.0% |
| work (proc·h) | 2024854 | – | 2024854 | 7 |

- \\* best of its column. Bounded slowdown with a threshold of 10 s.
";
    assert_eq!(markdown(&policies().laid_out(Layout::Tall)), expected);
}

#[test]
fn csv_is_raw_and_quoted_where_it_must_be() {
    let expected = "\
policy,jobs,mean_wait_seconds,mean_bounded_slowdown,utilization,work,digest
fcfs,28481,343400.4,1482.756,0.70321,2024854.2,9f3a
easy,28481,6840.5,92.64,0.70321,,9f3a
sjbf | shortest first,28481,5432.1,71,0.70321,2024854.2,9f3a
log,28481,45,,1,7,9f3a
";
    assert_eq!(csv(&policies()), expected);
    let mut table = Table::new([Column::text("said by"), Column::duration("for").key("lasting")]);
    table.row(["\"a\", b".into(), Cell::Missing]);
    table.row(["two\nlines".into(), Cell::Duration(0.5)]);
    assert_eq!(csv(&table), "said_by,lasting\n\"\"\"a\"\", b\",\n\"two\nlines\",0.5\n");
    let mut alone = Table::new([Column::text("only")]);
    alone.row([Cell::Missing]);
    assert_eq!(csv(&alone), "only\n\"\"\n");
    // Names of jobs may have what clears a screen.
    let mut named = Table::new([Column::text("name"), Column::text("user")]);
    named.row(["\u{1b}[2J, \u{9b}\u{7}x".into(), "a\tb".into()]);
    assert_eq!(csv(&named), "name,user\n\"\u{FFFD}[2J, \u{FFFD}\u{FFFD}x\",a\tb\n");
}

#[test]
fn json_is_one_object_per_row_that_a_parser_takes() {
    let expected = "\
[
  {
    \"policy\": \"easy\",
    \"jobs\": 28481,
    \"mean_wait_seconds\": 6840.5,
    \"utilization\": 0.7032,
    \"digest\": \"9f3a\"
  }
]
";
    assert_eq!(json(&facts()), expected);
    let read: serde_json::Value = serde_json::from_str(&json(&policies())).unwrap();
    assert_eq!(read[1]["mean_wait_seconds"], 6_840.5);
    assert!(read[1]["work"].is_null());
    assert_eq!(read[2]["policy"], "sjbf | shortest first");
    assert_eq!(json(&Table::new([Column::text("empty")])), "[]\n");
    let mut odd = Table::new([Column::number("a \"key\"").key("a\"b")]);
    odd.row([Cell::number(f64::INFINITY, 1)]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json(&odd)).unwrap()[0]["a\"b"],
        serde_json::Value::Null
    );
}

#[test]
#[should_panic(expected = "one cell per column")]
fn a_short_row_is_refused() {
    Table::new([Column::text("a"), Column::text("b")]).row(["only".into()]);
}

#[test]
fn empty_tables_render_in_every_format() {
    for layout in [Layout::Wide, Layout::Tall] {
        let table = Table::new([Column::text("policy")]).laid_out(layout);
        assert_eq!(text(&table, &Page::default()), "policy\n──────\n");
        assert_eq!(csv(&table), "policy\n");
        assert_eq!(markdown(&table), "| policy |\n| --- |\n");
    }
    assert_eq!(text(&Table::default(), &Page::wide(10)), "\n");
}

#[test]
fn equally_good_cells_are_all_marked_and_missing_ones_never() {
    let mut table = Table::new([Column::number("wait")]);
    for value in [2.0, 1.0, f64::NAN, 1.0] {
        table.row([Cell::number(value, 0)]);
    }
    table.mark_best(0, 0..9, Best::Lowest);
    assert_eq!(text(&table, &Page::default()), "wait\n────\n  2\n  1*\n  –\n  1*\n");
    table.mark_best(0, 2..3, Best::Highest);
    table.mark_best(7, 0..4, Best::Highest);
    table.mark_best(0, 3..4, Best::Unmarked);
    table.mark_best(0, 0..4, Best::Unmarked);
    assert_eq!(text(&table, &Page::default()).matches('*').count(), 2);
}

#[test]
fn what_looks_the_same_is_equally_good_and_where_all_do_none_is_best() {
    let mut table = Table::new([Column::share("used"), Column::share("full")]);
    for (used, full) in [(0.8311, 1.0), (0.8312, 1.0), (0.5, 1.0)] {
        table.row([Cell::share(used), Cell::share(full)]);
    }
    table.mark_best(0, 0..3, Best::Highest);
    table.mark_best(1, 0..3, Best::Highest);
    let shown = text(&table, &Page::default());
    assert_eq!(shown.matches("83.1%*").count(), 2, "{shown}");
    assert_eq!(shown.matches('*').count(), 2, "{shown}");
}

#[test]
fn alone_nothing_is_best() {
    let mut table = Table::new([Column::number("wait")]);
    table.row([Cell::number(2.0, 0)]);
    table.mark_best(0, 0..1, Best::Lowest);
    assert!(!table.has_marks());
    // Control: with something to be compared with, it is.
    table.row([Cell::number(3.0, 0)]);
    table.mark_best(0, 0..2, Best::Lowest);
    assert!(table.has_marks());
}

#[test]
fn a_narrow_page_leaves_spare_columns_out_and_breaks_names_but_never_cuts_them() {
    let mut table = Table::new([
        Column::text("policy").naming(),
        Column::integer("jobs").spare(1),
        Column::number("slowdown"),
        Column::share("used").spare(2),
    ]);
    table.row([
        "easy:depth=4,order=largest".into(),
        Cell::Integer(7),
        Cell::number(1.5, 1),
        Cell::share(0.5),
    ]);
    let whole = text(&table, &Page::wide(60));
    assert!(whole.contains("jobs") && whole.contains("used") && !whole.contains("hidden"), "{whole}");
    let without_one = text(&table, &Page::wide(43));
    assert!(without_one.contains("jobs") && !without_one.contains("50.0%"), "{without_one}");
    let expected = "\
policy          slowdown
────────────────────────
easy:depth=4,        1.5
order=largest

columns hidden (terminal
too narrow): \"jobs\",
\"used\"; a wider terminal
or --format csv has them
";
    assert_eq!(text(&table, &Page::wide(24)), expected);
}

#[test]
fn hidden_columns_of_the_same_name_are_told_apart() {
    let range = |rank| Column::text("80 % range").spare(rank);
    let mut table = Table::new([
        Column::text("change").naming(),
        Column::text("starts in, even odds"),
        range(1),
        Column::text("done in, even odds").spare(2),
        range(3),
    ]);
    table.row(["as asked", "13 h", "6 h to 21 h", "14 h", "7 h to 22 h"].map(Cell::from));
    let shown = text(&table, &Page::wide(34));
    let note =
        shown.lines().skip_while(|line| !line.starts_with("columns hidden")).collect::<Vec<_>>().join(" ");
    let hidden = "\"done in, even odds\", \"80 % range\" after \"done in, even odds\"; a wider terminal";
    assert!(note.contains(hidden) && !note.contains("after \"starts in"), "{shown}");
}

#[test]
fn rows_can_be_written_one_at_a_time() {
    let whole = policies();
    let streamed: String = std::iter::once(csv_header(whole.columns()))
        .chain(whole.rows().iter().map(|row| csv_row(row)))
        .collect();
    assert_eq!(streamed, csv(&whole));
}
