//! Pictures: what is in them, and that they can be parsed.

use super::*;
use crate::chart::{Area, Axis, Bar, Bars, Curves, Histogram, Join, Measure, RangeBar, RangeBars, Series};
use crate::{Best, Cell};

fn bars(values: &[f64]) -> Chart {
    let bar = |(place, &value): (usize, &f64)| {
        Bar::new(format!("<{place}> & more"), Cell::number(value, 1)).of(["odd", "even"][place % 2])
    };
    Chart::Bars(Bars::new("Slowdown", values.iter().enumerate().map(bar)).best(Best::Lowest).broken())
}

/// The values of an attribute of all elements of a kind, in order.
fn all(svg: &str, element: &str, attribute: &str) -> Vec<f64> {
    let lines = svg.lines().filter(|line| line.starts_with(&format!("<{element} x")));
    let value = |line: &str| {
        let after = line.split(&format!(" {attribute}=\"")).nth(1)?;
        after.split('"').next()?.parse().ok()
    };
    lines.filter_map(value).collect()
}

/// The width of each bar; legends are squares of 12.
fn widths(svg: &str) -> Vec<f64> {
    all(svg, "rect", "width").into_iter().filter(|width| *width != 12.0).collect()
}

#[test]
fn bars_have_a_legend_a_best_one_and_escaped_labels() {
    let drawn = svg([&bars(&[4.0, 3.0, 2.0])]);
    for part in ["Slowdown, lower is better", ">odd<", ">even<", ">2.0  best<", "&lt;0&gt; &amp; more"] {
        assert!(drawn.contains(part), "{part} is not in\n{drawn}");
    }
    assert!(!drawn.contains("broken") && drawn.ends_with("</svg>\n"));
    let widths = widths(&drawn);
    assert_eq!(widths.len(), 3);
    assert!((widths[2] / widths[0] - 0.5).abs() < 0.01, "{widths:?}");
}

#[test]
fn an_outlier_is_broken_and_said_to_be() {
    let drawn = svg([&bars(&[585.0, 87.0, 70.0, 32.0])]);
    assert!(drawn.contains("A broken bar is longer than drawn.") && drawn.contains(">585.0<"));
    let widths = widths(&drawn);
    assert!((widths[1] / widths[0] - 0.8).abs() < 0.01, "the others fill the scale: {widths:?}");
}

#[test]
fn negative_bars_end_where_positive_ones_begin() {
    let drawn = svg([&bars(&[-4.0, 2.0, -1.0])]);
    let (from, wide) = (all(&drawn, "rect", "x"), all(&drawn, "rect", "width"));
    let ends: Vec<f64> = from.iter().zip(&wide).filter(|one| *one.1 != 12.0).map(|(x, w)| x + w).collect();
    let begins: Vec<f64> = from.iter().zip(&wide).filter(|one| *one.1 != 12.0).map(|(x, _)| *x).collect();
    assert!((ends[0] - begins[1]).abs() < 0.2 && (ends[2] - begins[1]).abs() < 0.2, "{ends:?} {begins:?}");
    assert!(drawn.contains(">-4.0  best<"));
}

#[test]
fn curves_areas_and_histograms_are_drawn_too() {
    let series = |name: &str| Series::new(name, (0..100).map(|x| (f64::from(x), f64::from(x * x))));
    let curves = Curves {
        title: "Growth".to_owned(),
        series: vec![series("one"), Series { dots: true, ..series("two") }],
        x: Axis::new("jobs", Measure::Number),
        y: Axis::new("minutes", Measure::Number),
        join: Join::Step,
        height: 8,
    };
    let area = Area {
        title: "Queue".to_owned(),
        series: vec![series("")],
        x: curves.x.clone(),
        y: curves.y.clone(),
        height: 8,
    };
    let waits = Histogram::new(&[1.0, 2.0, 70.0], &[60.0]);
    let charts = [
        Chart::Curves(curves),
        Chart::Area(area),
        Chart::Histogram("Waits".to_owned(), Axis::new("", Measure::Duration), waits),
    ];
    let drawn = svg(&charts);
    for part in [">Growth<", ">one<", ">jobs<", "<circle ", "<path d=\"M", ">Queue<", "below 1 min"] {
        assert!(drawn.contains(part), "{part} is not in\n{drawn}");
    }
    assert_eq!(drawn, svg(&charts));
    let empty = Chart::Area(Area {
        title: String::new(),
        series: vec![],
        x: Axis::default(),
        y: Axis::default(),
        height: 2,
    });
    assert!(svg([&empty]).contains("(no data)"));
}

/// Every colour of text, lines and paper has a dark one, under which it can be read as well as under the light one.
#[test]
fn pictures_follow_light_and_dark_pages() {
    let drawn = svg([&bars(&[585.0, 87.0, 70.0, 32.0])]);
    let style = drawn.lines().nth(1).unwrap();
    assert!(style.starts_with("<style>@media (prefers-color-scheme:dark){") && style.ends_with("}</style>"));
    let dark = |light: &str| {
        let rule = style.split(&format!("[fill=\"{light}\"]{{fill:")).nth(1);
        rule.and_then(|rule| rule.split('}').next()).map(str::to_owned)
    };
    let paper = ["#ffffff".to_owned(), dark("#ffffff").unwrap()];
    let used = drawn
        .lines()
        .filter(|line| line.starts_with("<text"))
        .map(|line| line.split("fill=\"").nth(1).unwrap().split('"').next().unwrap().to_owned());
    for ink in used {
        let colours = [ink.clone(), dark(&ink).unwrap()];
        for (ink, paper) in colours.iter().zip(&paper) {
            assert!(contrast(ink, paper) >= 4.5, "{ink} on {paper}");
        }
    }
    // Bars are the same on both; gaps in a broken one are of the paper.
    for place in 0..8 {
        assert!(paper.iter().all(|paper| contrast(canvas::colour(place), paper) >= 2.0), "{place}");
    }
    assert_eq!(drawn.matches("Z\" fill=\"#ffffff\"/>").count(), 2);
}

/// The contrast of two colours, from 1 to 21.
///
/// # Formula
/// (L₁ + 0.05) / (L₂ + 0.05) of their relative luminances (WCAG 2.1).
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let part = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        let linear =
            |part: f64| if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn ranges_reach_from_end_to_end_with_a_tick_at_the_median() {
    let ranges =
        [RangeBar::of_time("north", [60.0, 300.0, 600.0]), RangeBar::of_time("south", [0.0, 150.0, 300.0])];
    let drawn = svg([&Chart::RangeBars(RangeBars::new("Wait", ranges).marking(Some(1), "soonest"))]);
    for part in [">north<", ">5 min<", ">2 min 30 s  soonest<", ">0<", ">10 min<"] {
        assert!(drawn.contains(part), "{part} is not in\n{drawn}");
    }
    // Each range has a line and a tick three wide.
    let widths = widths(&drawn);
    assert_eq!((widths.len(), widths[1], widths[3]), (4, 3.0, 3.0));
    assert!((widths[2] / widths[0] - 300.0 / 540.0).abs() < 0.01, "{widths:?}");
}

#[test]
fn another_number_stands_at_the_end_of_a_bar() {
    let bar = |beside: bool| {
        let bar = Bar::new("easy", Cell::number(2.0, 1));
        if beside { bar.beside("longest wait 3 d") } else { bar }
    };
    let drawn = svg([&Chart::Bars(Bars::new("Slowdown", [bar(true)]))]);
    assert!(drawn.contains(">longest wait 3 d<"), "{drawn}");
    let without = svg([&Chart::Bars(Bars::new("Slowdown", [bar(false)]))]);
    assert!(widths(&drawn)[0] < widths(&without)[0], "the bar makes room for it");
}
