//! Metrics as columns and cells: human units in text, catalogue names and raw values for programs.

use super::{Best, Cell, Column, ColumnKind};
use queuecast_eval::{Better, Metric, Summary, Unit};

/// A metric's column. Programs read its catalogue name (`mean_wait`), the same as in JSON; text shows `heading`.
pub fn column(metric: &Metric, heading: &str) -> Column {
    let kind = match metric.unit {
        Unit::Jobs | Unit::Count | Unit::Instant | Unit::ProcessorSeconds => ColumnKind::Integer,
        Unit::Seconds => ColumnKind::Duration,
        Unit::Share => ColumnKind::Share,
        Unit::Percent | Unit::Ratio => ColumnKind::Number,
    };
    Column::new(heading, kind).key(metric.name)
}

/// A metric's value; missing where it means nothing.
pub fn cell(metric: &Metric, summary: &Summary) -> Cell {
    metric.value(summary).map_or(Cell::Missing, |value| cell_of(metric, value))
}

/// A value of a metric, such as its mean over several summaries.
pub fn cell_of(metric: &Metric, value: f64) -> Cell {
    match metric.unit {
        Unit::Jobs | Unit::Count | Unit::ProcessorSeconds => Cell::Integer(value as i64),
        Unit::Instant => Cell::Identifier(value as i64),
        Unit::Seconds => Cell::duration(value),
        Unit::Share => Cell::share(value),
        Unit::Percent => Cell::number(value, 1),
        Unit::Ratio => Cell::number(value, 2),
    }
}

/// Which value of a metric is best.
pub fn best(metric: &Metric) -> Best {
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
    fn low_waits_and_high_utilization_are_good() {
        let best_of = |name| best(Metric::named(name).unwrap());
        assert_eq!(best_of("mean_wait"), Best::Lowest);
        assert_eq!(best_of("p99_bounded_slowdown"), Best::Lowest);
        assert_eq!(best_of("utilization"), Best::Highest);
        assert_eq!(best_of("mean_accuracy"), Best::Highest);
        assert_eq!(best_of("backfilled_share"), Best::Unmarked);
        assert_eq!(best_of("jobs"), Best::Unmarked);
    }
}
