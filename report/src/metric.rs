//! Metrics as columns and cells: human units in text, catalogue names and raw values for programs.

use super::{Best, Cell, Column, ColumnKind};
use queuecast_eval::{Better, Metric, Unit};

/// A metric's column. Programs read its catalogue name (`mean_wait`), the same as in JSON; text shows `heading`.
pub fn column<Of>(metric: &Metric<Of>, heading: &str) -> Column {
    let kind = match metric.unit {
        Unit::Jobs | Unit::Count | Unit::Instant | Unit::ProcessorSeconds => ColumnKind::Integer,
        Unit::Seconds => ColumnKind::Duration,
        Unit::Share => ColumnKind::Share,
        Unit::Percent | Unit::Ratio => ColumnKind::Number,
    };
    Column::new(heading, kind).key(metric.name)
}

/// A metric's value; missing where it means nothing.
pub fn cell<Of>(metric: &Metric<Of>, of: &Of) -> Cell {
    cell_of(metric, metric.value(of))
}

/// A value of a metric that may not be its own value of one thing: a mean over several, or a difference, of which that of a count
/// may have a fraction.
pub fn cell_of<Of>(metric: &Metric<Of>, value: Option<f64>) -> Cell {
    let Some(value) = value else { return Cell::Missing };
    match metric.unit {
        Unit::Jobs | Unit::Count | Unit::ProcessorSeconds if value.fract() != 0.0 => Cell::number(value, 2),
        Unit::Jobs | Unit::Count | Unit::ProcessorSeconds => Cell::Integer(value as i64),
        Unit::Instant => Cell::Identifier(value as i64),
        Unit::Seconds => Cell::duration(value),
        Unit::Share => Cell::share(value),
        Unit::Percent => Cell::number(value, 1),
        Unit::Ratio => Cell::number(value, 2),
    }
}

/// Which value of a metric is best.
pub fn best<Of>(metric: &Metric<Of>) -> Best {
    match metric.better {
        Better::Lower => Best::Lowest,
        Better::Higher => Best::Highest,
        Better::Neither => Best::Unmarked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_eval::METRICS;

    #[test]
    fn programs_read_the_catalogues_names() {
        for metric in METRICS {
            assert_eq!(column(metric, "anything").key, metric.name);
        }
    }

    #[test]
    fn a_mean_of_counts_keeps_its_fraction() {
        assert_eq!(cell_of(Metric::killed(), Some(3.0)), Cell::Integer(3));
        assert_eq!(cell_of(Metric::killed(), Some(2.5)), Cell::number(2.5, 2));
    }

    #[test]
    fn low_waits_and_high_utilization_are_good() {
        assert_eq!(best(Metric::mean_wait()), Best::Lowest);
        assert_eq!(best(Metric::p99_bounded_slowdown()), Best::Lowest);
        assert_eq!(best(Metric::utilization()), Best::Highest);
        assert_eq!(best(Metric::absolute_inaccuracy()), Best::Lowest);
        assert_eq!(best(Metric::mean_accuracy()), Best::Highest);
        assert_eq!(best(Metric::backfilled_share()), Best::Unmarked);
        assert_eq!(best(Metric::jobs()), Best::Unmarked);
    }
}
