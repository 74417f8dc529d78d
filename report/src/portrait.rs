//! The portrait of a workload in charts, after the figures of Tsafrir, Etsion & Feitelson 2005.

use crate::chart::{Axis, Bar, Bars, Curves, Join, Measure, Series};
use crate::{Cell, Chart, Document};
use queuecast_synth::characterization::{Accuracy, Characterization, Disparity, Growth, GrowthPoint, Ranked};

const HEIGHT: usize = 12;

/// Adds every chart there is something to draw in.
pub fn add_charts(mut document: Document, portrait: &Characterization) -> Document {
    document = document.with_chart(times(portrait));
    if let Some(estimates) = &portrait.estimates {
        document = document.with_chart(popularity(estimates)).with_chart(weeks(estimates));
    }
    if let Some(one) = &portrait.growth {
        document = document.with_chart(growth(one));
    }
    if let Some(one) = &portrait.accuracy {
        document = document.with_chart(accuracy(one)).with_chart(by_run(one));
    }
    document
}

/// Figure 3.
fn times(portrait: &Characterization) -> Chart {
    let shares = (0..=100).map(|percent| f64::from(percent) / 100.0);
    let runs = portrait.run_percentiles.iter().map(|run| run.0 as f64).zip(shares);
    let mut series = vec![Series::new("run time", runs)];
    if let Some(estimates) = &portrait.estimates {
        let mut modes: Vec<_> = estimates.modes.iter().collect();
        modes.sort_by_key(|mode| mode.time_rank);
        let mut jobs = 0;
        let points = modes.into_iter().map(|mode| {
            jobs += mode.jobs;
            (mode.time.0 as f64, jobs as f64 / estimates.jobs as f64)
        });
        series.push(Series::new("requested time", points));
    }
    Chart::Curves(Curves {
        title: "How long jobs run and how long they ask for".to_owned(),
        series,
        x: Axis::new("at most", Measure::Duration).log(),
        y: Axis::new("share of jobs", Measure::Share),
        join: Join::Step,
        height: HEIGHT,
    })
}

/// Figure 10, and Table 2 as a curve.
fn popularity(estimates: &Disparity) -> Chart {
    let points =
        |share: fn(&Ranked) -> f64| estimates.modes.iter().map(move |mode| (mode.rank as f64, share(mode)));
    Chart::Curves(Curves {
        title: "How popular requested times are".to_owned(),
        series: vec![
            Series::new("this time", points(|mode| mode.share)),
            Series::new("it and all more popular", points(|mode| mode.covered)),
        ],
        x: Axis::new("popularity rank", Measure::Number).log(),
        y: Axis::new("share of jobs", Measure::Share),
        join: Join::Line,
        height: HEIGHT,
    })
}

/// Figure 6.
fn weeks(estimates: &Disparity) -> Chart {
    let points = estimates.modes.iter().map(|mode| (mode.rank as f64, mode.weeks as f64));
    Chart::Curves(Curves {
        title: format!("In how many of {} weeks requested times are used", estimates.weeks),
        series: vec![Series::new("", points)],
        x: Axis::new("popularity rank", Measure::Number).log(),
        y: Axis::new("weeks", Measure::Number),
        join: Join::Line,
        height: HEIGHT,
    })
}

/// Figure 7.
fn growth(growth: &Growth) -> Chart {
    let points = |value: fn(&GrowthPoint) -> f64| {
        growth.points.iter().map(move |point| (point.jobs as f64, value(point)))
    };
    Chart::Curves(Curves {
        title: "How many different requested times there are".to_owned(),
        series: vec![
            Series::new("Tsafrir et al. 2005, Table 3", points(|point| point.expected)),
            Series::new("here", points(|point| point.values as f64)),
        ],
        x: Axis::new("jobs so far", Measure::Number),
        y: Axis::new("requested times", Measure::Number),
        join: Join::Line,
        height: HEIGHT,
    })
}

/// Figure 1.
fn accuracy(accuracy: &Accuracy) -> Chart {
    let share = |jobs: u64| Cell::share(jobs as f64 / accuracy.jobs as f64);
    let label = |from: f64, to: f64| format!("{:>3.0}% to {:>3.0}%", from * 100.0, to * 100.0);
    let mut bars: Vec<Bar> =
        accuracy.histogram.iter().map(|bin| Bar::new(label(bin.from, bin.to), share(bin.jobs))).collect();
    bars.push(Bar::new("all or more", share(accuracy.reached + accuracy.exceeded)));
    Chart::Bars(Bars::new("How much of the requested time is used: share of jobs", bars))
}

/// Figure 2.
fn by_run(accuracy: &Accuracy) -> Chart {
    let points = accuracy.by_run.iter().map(|bin| (bin.mean_run, bin.mean_accuracy));
    Chart::Curves(Curves {
        title: format!("Accuracy by run time, {} groups of jobs", accuracy.by_run.len()),
        series: vec![Series::new("", points)],
        x: Axis::new("mean run time", Measure::Duration).log(),
        y: Axis::new("mean share of the requested time used", Measure::Share),
        join: Join::Line,
        height: HEIGHT,
    })
}
