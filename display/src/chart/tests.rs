//! Charts against literal pictures.

use super::*;
use crate::{Best, Cell, Page};

const PAGE: fn() -> Page = || Page::wide(48);

fn bars() -> Bars {
    let bar = |label: &str, value: f64| Bar::new(label, Cell::duration(value));
    let bars = [
        bar("fcfs", 9_000.0),
        bar("easy", 6_840.0),
        bar("sjbf", 5_432.0),
        bar("a label too long for half a page", 1.0),
        bar("log", f64::NAN),
    ];
    Bars::new("Mean wait", bars).best(Best::Lowest)
}

fn queue(panels: usize) -> Area {
    let length = |hour: i32| f64::from(hour * hour / 50 % 64);
    let one = |(name, part): (&str, f64)| {
        Series::new(name, (0..200).map(|hour| (f64::from(hour) * 3_600.0, length(hour) / part)))
    };
    Area {
        title: "Queue length".to_owned(),
        series: [("easy", 1.0), ("sjbf", 3.0)].into_iter().take(panels).map(one).collect(),
        x: Axis::new("time", Measure::Duration),
        y: Axis::new("jobs waiting", Measure::Number),
        height: 4,
    }
}

fn waits(part: f64) -> Vec<f64> {
    (0..50).map(|i| f64::from(i * i * 7) / part).collect()
}

fn distributions(curves: usize) -> Curves {
    let one = |(name, part): (&str, f64)| Series::distribution(name, &waits(part));
    Curves {
        title: "Waits".to_owned(),
        series: [("easy", 1.0), ("sjbf", 9.0)].into_iter().take(curves).map(one).collect(),
        x: Axis::new("wait", Measure::Duration).log(),
        y: Axis::new("share of jobs", Measure::Share),
        join: Join::Step,
        height: 6,
    }
}

fn wave() -> Curves {
    let points = (0..100).map(|i| (f64::from(i), (f64::from(i) / 10.0).sin() * 3.0));
    Curves {
        title: String::new(),
        series: vec![Series::new("", points)],
        x: Axis::default(),
        y: Axis::default(),
        join: Join::Line,
        height: 6,
    }
}

#[test]
fn bars_compare_and_mark_the_best() {
    let expected = "\
Mean wait, lower is better

fcfs                      2 h 30 min  ██████████
easy                      1 h 54 min  ███████▋
sjbf                      1 h 31 min  ██████
a label too long for ha…         1 s  ▏  ◂ best
log                                –
";
    assert_eq!(bars().render(&PAGE()), expected);
    let expected = "\
Mean wait, higher is better

fcfs                      2 h 30 min  ##########  < best
easy                      1 h 54 min  ########
sjbf                      1 h 31 min  ######
a label too long for ha~         1 s  #
log                                -
";
    assert_eq!(bars().best(Best::Highest).render(&PAGE().ascii()), expected);
}

#[test]
fn the_bar_of_an_outlier_is_broken_and_the_others_can_be_compared() {
    let slowdowns = [("fcfs", 585.23), ("easy", 86.81), ("sjbf", 66.95), ("perfect", 31.89)];
    let bars = Bars::new("Slowdown", slowdowns.map(|(name, value)| Bar::new(name, Cell::number(value, 2))));
    let expected = "\
Slowdown, lower is better

fcfs     585.23  ██████████████████╱╱███
easy      86.81  ██████████████████▍
sjbf      66.95  ██████████████▎
perfect   31.89  ██████▊  ◂ best

╱╱ a broken bar is longer than drawn
";
    assert_eq!(bars.clone().best(Best::Lowest).broken().render(&PAGE()), expected);
    assert!(bars.clone().broken().render(&PAGE().ascii()).contains("##//###"));
    // Control: to scale, the others are stubs.
    assert!(bars.render(&PAGE()).contains("31.89  █▊\n"));
}

#[test]
fn negative_bars_go_to_the_left_of_an_axis() {
    let changes = [("avg", 0.0), ("pred", -0.2), ("heur", 0.1), ("opt", -0.3), ("bias", -0.001)];
    let bars =
        Bars::new("", changes.map(|(name, value)| Bar::new(name, Cell::share(value)))).best(Best::Lowest);
    let expected = "\
lower is better

avg     0.0%                      │
pred  -20.0%        ▐█████████████│
heur   10.0%                      │██████▊
opt   -30.0%  ████████████████████│  ◂ best
bias   -0.1%                     ▕│
";
    assert_eq!(bars.render(&Page::wide(50)), expected);
}

#[test]
fn only_one_bar_can_be_the_best_and_not_alone() {
    let marked = |values: &[f64]| {
        let bars = values.iter().map(|&value| Bar::new("a", Cell::number(value, 1)));
        Bars::new("", bars).best(Best::Lowest).render(&PAGE()).matches("best").count()
    };
    assert_eq!(marked(&[2.0, 1.0]), 1);
    assert_eq!(marked(&[2.0, 1.0, 1.01]), 0);
    assert_eq!(marked(&[1.0]), 0);
}

#[test]
fn an_area_keeps_every_peak() {
    let expected = "\
Queue length

jobs waiting
80 ┤            ▁           ▁
   │         ▁▄██  ▂▇█  ██ ▆█ ▄█ ██▆█▂▇ █ ▇▂█▃▆
40 ┤       ▃▅████ ▄███▁███▅██▅███████████▆█████
   │ ▁▁▂▄▆███████▇█████████████████████████████
 0 ┼┬───────────────────┬────────────────────┬─
    0                  4 d                  8 d
                       time
";
    assert_eq!(queue(1).render(&PAGE()), expected);
    let expected = "\
Queue length

jobs waiting
80 +
   |          .##  .##  ## .# .# ##.# # # # #.#
40 +       ..#### .### ###.##.#################
   | .....#####################################
 0 ++-------------------+--------------------+-
    0                  4 d                  8 d
                       time
";
    assert_eq!(queue(1).render(&PAGE().ascii()), expected);
    // A spike one second long in a year is still seen.
    let year = 31_536_000.0;
    let spike = [(0.0, 0.0), (year / 2.0, 9.0), (year / 2.0 + 1.0, 0.0), (year, 0.0)];
    let area = Area { series: vec![Series::new("", spike)], ..queue(1) };
    assert_eq!(area.render(&PAGE()).matches('█').count(), 3);
}

#[test]
fn several_areas_are_panels_on_one_scale() {
    let expected = "\
Queue length

easy
80 ┤            ▁           ▁
   │         ▁▄██  ▂▇█  ██ ▆█ ▄█ ██▆█▂▇ █ ▇▂█▃▆
40 ┤       ▃▅████ ▄███▁███▅██▅███████████▆█████
   │ ▁▁▂▄▆███████▇█████████████████████████████

sjbf
80 ┤
   │
40 ┤
   │ ▁▁▁▁▂▃▄▄▆▇██▂▄▆██▃▅██▄▇█▄▇█▅██▇█▆█▅█▅█▆█▆▇
 0 ┼┬───────────────────┬────────────────────┬─
    0                  4 d                  8 d
                       time
";
    assert_eq!(queue(2).render(&PAGE()), expected);
}

#[test]
fn one_curve_is_drawn_in_braille() {
    let expected = "\
Waits

share of jobs
100% ┤                                       ⣠⠞
     │                                     ⣠⠴⠃
     │                                  ⢀⣠⠞⠁
 50% ┤                               ⣀⡤⠖⠋
     │                        ⢀⣀⣠⠤⠖⠒⠋⠁
     │⣀⣀⣀⣀⣀⣀⣀⣀⡤⠤⠤⠤⠤⠤⠤⠤⠤⠖⠒⠒⠒⠚⠉⠉⠉
  0% ┼┬────────┬───────┬────────┬───────┬──────
     1 s     10 s    1 min   10 min    1 h
                        wait
";
    assert_eq!(distributions(1).render(&PAGE()), expected);
    let expected = "\
\x203 ┤   ⢀⠴⠊⠉⠉⠒⠤⡀                   ⢀⠤⠊⠉⠉⠓⠤⡀
   │ ⢀⠔⠁      ⠘⢄                 ⡔⠁      ⠈⢆
   │⡠⠊          ⠑⢄             ⡠⠊          ⠑⢄
 0 ┤             ⠈⠢⡀          ⡜              ⢇
   │               ⠑⢄       ⡠⠊                ⠑
   │                 ⠑⠤⢄⣀⣀⠤⠋
-3 ┼┬────────────────────┬─────────────────────
    0                   50
";
    assert_eq!(wave().render(&PAGE()), expected);
}

#[test]
fn several_curves_have_marks_and_a_legend() {
    let expected = "\
Waits

share of jobs
100% ┤                              ○○○○○○○○○○○
     │                            ○○○      ●●●
     │                         ○○○○     ●●●●
 50% ┤                     ○○○○○    ●●●●●
     │          ○○○○○○○○○○○○●●●●●●●●●
     │○○○○○○○○○○○●●●●●●●●●
  0% ┼┬────────┬───────┬────────┬───────┬──────
     1 s     10 s    1 min   10 min    1 h
                        wait

      ● easy   ○ sjbf
";
    assert_eq!(distributions(2).render(&PAGE()), expected);
    let expected = "\
Waits

share of jobs
100% +                              ooooooooooo
     |                            ooo      ***
     |                         oooo     ****
 50% +                     ooooo    *****
     |          oooooooooooo*********
     |ooooooooooo*********
  0% ++--------+-------+--------+-------+------
     1 s     10 s    1 min   10 min    1 h
                        wait

      * easy   o sjbf
";
    assert_eq!(distributions(2).render(&PAGE().ascii()), expected);
}

#[test]
fn a_histogram_counts_every_value_once() {
    let axis = Axis::new("wait", Measure::Duration);
    let histogram = Histogram::new(&waits(1.0), &[1.0, 60.0, 600.0, 3_600.0, 21_600.0, 86_400.0, 604_800.0]);
    assert_eq!(histogram.counts().iter().sum::<usize>(), 50);
    let expected = "\
Waits

below 1 s         2.0%   1  ▊
1 s – 1 min       4.0%   2  █▌
1 min – 10 min   14.0%   7  █████▏
10 min – 1 h     26.0%  13  █████████▋
1 h – 6 h        54.0%  27  ████████████████████
6 h – 1 d         0.0%   0
1 d – 7 d         0.0%   0
";
    assert_eq!(histogram.render("Waits", &axis, &PAGE()), expected);
    let numbers = Axis::new("", Measure::Number);
    let even = Histogram::even(&waits(1.0), &numbers, 3);
    let expected = "\
0 to 10,000        76.0%  38  ##################
10,000 to 20,000   24.0%  12  ######
";
    assert_eq!(even.render("", &numbers, &PAGE().ascii()), expected);
    // On an edge means above it; what is not a number is left out.
    assert_eq!(Histogram::new(&[1.0, 2.0, 2.0, f64::NAN, 0.5], &[1.0, 2.0]).counts(), [1, 1, 2]);
}

#[test]
fn a_distribution_steps_once_per_value_and_ends_at_one() {
    let series = Series::distribution("", &[3.0, 1.0, f64::NAN, 3.0, 2.0]);
    assert_eq!(series.points, [(1.0, 0.25), (2.0, 0.5), (3.0, 1.0)]);
}

#[test]
fn nothing_to_show_is_said_and_odd_data_does_not_panic() {
    assert_eq!(queue(0).render(&PAGE()), "Queue length\n\n(no data)\n");
    assert_eq!(distributions(0).render(&PAGE()), "Waits\n\n(no data)\n");
    assert_eq!(Bars::default().render(&PAGE()), "");
    assert_eq!(Histogram::even(&[], &Axis::default(), 5).render("", &Axis::default(), &PAGE()), "");
    let odd: [Vec<(f64, f64)>; 5] = [
        vec![(0.0, 0.0)],
        vec![(5.0, 5.0), (5.0, -5.0)],
        vec![(f64::MIN, f64::MAX), (f64::MAX, f64::MIN)],
        vec![(-1e300, 1e-300), (0.0, 1e300)],
        vec![(f64::NAN, 1.0), (f64::INFINITY, 1.0), (2.0, 1.0)],
    ];
    for points in odd {
        for width in [0, 1, 20, 200] {
            let series = vec![Series::new("odd", points.clone())];
            let area = Area { series: series.clone(), ..queue(1) }.render(&Page::wide(width));
            let curves = Curves { series: series.clone(), ..wave() }.render(&Page::wide(width));
            let log = Curves { series, ..distributions(1) }.render(&Page::wide(width));
            let dots = vec![Series::dots("odd", points.clone()), Series::new("line", points.clone())];
            let number = || Axis::new("", Measure::Number).log();
            let dots = Curves { series: dots, x: number(), y: number(), ..wave() }.render(&Page::wide(width));
            assert!([area, curves, log, dots].iter().all(|chart| chart.lines().count() > 4), "{points:?}");
        }
    }
    assert!(!bars().render(&Page::wide(0)).is_empty());
}

/// Predicted and actual waits of four thousand jobs, most near the diagonal, some far from it.
fn scattered() -> Curves {
    let job = |i: u32| {
        let (waited, luck) = (f64::from(i % 101) / 100.0, f64::from(i * 7_919 % 997) / 997.0 - 0.5);
        let spread = if i.is_multiple_of(10) { 3.0 } else { 0.8 };
        (10_f64.powf(1.0 + 4.0 * waited), 10_f64.powf((1.0 + 4.0 * waited + luck * spread).max(0.0)))
    };
    Curves {
        title: "Foretold".to_owned(),
        series: vec![
            Series::new("the same", [(10.0, 10.0), (100_000.0, 100_000.0)]),
            Series::dots("jobs", (0..4_000).map(job)),
        ],
        x: Axis::new("waited", Measure::Duration).log(),
        y: Axis::new("foretold", Measure::Duration).log(),
        join: Join::Line,
        height: 12,
    }
}

/// Few of them.
fn few() -> Vec<(f64, f64)> {
    scattered().series[1].points.iter().copied().step_by(90).collect()
}

#[test]
fn thousands_of_dots_are_shaded_and_lines_lie_over_them() {
    let expected = "\
Foretold

foretold
  28 d ┤                                    ░
       │                              ░  ░·░ ··
       │                        ·  ░·░ ·░░░▒●●●
  10 h ┤                     ·░··░··░▒●●●●●●▓▓▓
       │               ·░··░·░·░▒●●●●●▓▓▓▓▒▒░··
       │         ·░ ·░░··░▒▓●●●●●▓▓▓▒▒░ ·░·░ ··
10 min ┤   ·····░· ░░▒●●●●●●▓▓▓▒▒··░·░ ·░
       │··░· ·░▒▓●●●●●▓▓▓▓▒░·░░····
       │·░▒●●●●●●▓▓▓▒▒░·░░ ···
  10 s ┤●●●▓▓▓▓▒░·░· ░░
       │▒▒▒░····░· ··
       │░·░· ··
   1 s ┼┬──────┬─────────┬──────┬─────────┬────
      10 s   1 min    10 min   1 h      10 h
                        waited

        ● the same   · jobs
        ░ 3, ▒ 10, ▓ 30 or more in one place
";
    let drawn = scattered().render(&PAGE());
    assert_eq!(drawn, expected, "{drawn}");
    let expected = "\
Foretold

foretold
  28 d +                                    :
       |                              :  :.: ..
       |                        .  :.: .:::=***
  10 h +                     .:..:..:=******%%%
       |               .:..:.:.:=*****%%%%==:..
       |         .: .::..:=%*****%%%==: .:.: ..
10 min +   .....:. ::=******%%%==..:.: .:
       |..:. .:=%*****%%%%=:.::....
       |.:=******%%%==:.:: ...
  10 s +***%%%%=:.:. ::
       |===:....:. ..
       |:.:. ..
   1 s ++------+---------+------+---------+----
      10 s   1 min    10 min   1 h      10 h
                        waited

        * the same   . jobs
        : 3, = 10, % 30 or more in one place
";
    let drawn = scattered().render(&PAGE().ascii());
    assert_eq!(drawn, expected, "{drawn}");
    // Control: joined up they are another picture.
    let mut joined = scattered();
    joined.series[1].dots = false;
    assert!(!joined.render(&PAGE()).contains(['·', '░', '▒', '▓']));
}

#[test]
fn dots_alone_say_what_their_shades_are_and_several_kinds_have_marks() {
    let alone = |points: Vec<(f64, f64)>| Curves { series: vec![Series::dots("jobs", points)], ..wave() };
    let sparse = alone(vec![(0.0, 4.0), (10.0, 1.0), (5.0, 2.5)]).render(&PAGE());
    let expected = "\
4 ┤·
  │
  │                      ·
2 ┤
  │                                           ·
  │
0 ┼┬─────────────────────┬────────────────────┬
   0                     5                   10
";
    assert_eq!(sparse, expected, "{sparse}");
    let dense = alone(vec![(1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (2.0, 2.0)]).render(&PAGE());
    assert!(dense.ends_with("\n\n   ░ 3 or more in one place\n"), "{dense}");
    let kinds = [("short", 0.0), ("long", 3.0)];
    let series = kinds.map(|(name, up)| Series::dots(name, (0..50).map(|i| (f64::from(i), up))));
    let mut two = Curves { series: series.into(), ..wave() };
    two.series.push(Series::new("both", [(0.0, 3.0), (49.0, 3.0)]));
    let drawn = two.render(&PAGE().ascii());
    assert!(drawn.ends_with("* short   o long   + both\n") && !drawn.contains(". "), "{drawn}");
    // A line is seen before any dots, wherever it stands in the list.
    assert_eq!(
        drawn.lines().filter(|line| line.contains("ooo") || line.contains("+++")).count(),
        1,
        "{drawn}"
    );
    two.series.rotate_right(1);
    let drawn = two.render(&PAGE().ascii());
    assert!(drawn.contains("****") && !drawn.contains("++++"), "{drawn}");
}

#[test]
fn dots_in_any_order_are_the_same_dots() {
    let chart = |points: Vec<(f64, f64)>| Curves { series: vec![Series::dots("", points)], ..scattered() };
    let mut points = scattered().series[1].points.clone();
    let drawn = chart(points.clone()).render(&Page::wide(80));
    assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    points.reverse();
    assert_eq!(chart(points).render(&Page::wide(80)), drawn);
    assert_ne!(chart(few()).render(&Page::wide(80)), drawn);
}
