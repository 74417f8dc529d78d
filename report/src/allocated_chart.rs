//! The turnaround of each size as a chart.

use crate::chart::{Bar, Bars, RangeBar, RangeBars};
use crate::{Best, Cell, Chart};
use queuecast_forecast::advice::{Prospect, Target, TimeRange};
use queuecast_place::Allocated;

/// The turnaround of each size; `place` follows in the title. The size to ask for is marked, which need not be the one done
/// soonest: with an aversion to waiting, or among sizes that are too close to call. Where no range is known, and where sizes
/// are compared by another number than the median, that number has a bar.
pub(crate) fn plot(result: &Allocated, shown: &[&Prospect], place: &str) -> Chart {
    let target = result.answer.target();
    let starred = shown.iter().position(|prospect| result.is_recommended(prospect));
    let title = format!("Turnaround by processors{place}");
    let range = |one: &&Prospect| {
        let TimeRange { low, median, high, .. } = one.turnaround;
        Some(RangeBar::of_time(one.procs.to_string(), [low?, median, high?]))
    };
    let ranges: Option<Vec<RangeBar>> = shown.iter().map(range).collect();
    match ranges.filter(|_| target == Target::Median) {
        Some(ranges) => {
            let title = format!("{title}: 80% range, with a tick at the median");
            Chart::RangeBars(RangeBars::new(title, ranges).marking(starred, "ask for this"))
        }
        None => {
            let bar = |prospect: &&Prospect| {
                Bar::new(prospect.procs.to_string(), Cell::duration(target.of(&prospect.turnaround)))
            };
            let bars = Bars::new(format!("{title} ({target})"), shown.iter().map(bar));
            Chart::Bars(bars.best(Best::Lowest).marking(starred).broken())
        }
    }
}
