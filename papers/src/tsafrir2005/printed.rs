//! What the paper prints: its tables, and the coefficients of its fits.

use crate::printed::PrintedTables;

/// The values beside the page.
pub const PRINTED: PrintedTables = PrintedTables(include_str!("../../../experiments/tsafrir2005/printed.md"));

/// The rows of Tables 1 and 2.
pub const LOGS: [&str; 6] = ["SDSC-106", "CTC", "KTH4H", "BLUE", "SDSC", "KTH"];

/// The columns of Table 2.
pub const SHARES: [u32; 8] = [10, 50, 75, 90, 95, 98, 99, 100];

/// The estimates of Table 5, in minutes.
pub fn popular_minutes() -> Vec<i64> {
    PRINTED.rows("5").into_iter().filter_map(|(minutes, _)| minutes.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_its_values() {
        let count = |table: &str| PRINTED.rows(table).iter().flat_map(|(_, row)| row).flatten().count();
        assert_eq!(["1", "2", "4", "5", "figures"].map(count), [40, 48, 4, 88, 9]);
        assert_eq!(popular_minutes().len(), 36);
        assert_eq!(PRINTED.value("1", "KTH", "Longest Estimate"), Some(60.0));
        assert_eq!(PRINTED.value("2", "BLUE", "100 % of the jobs"), Some(563.0));
        assert_eq!(PRINTED.value("5", "1080", "CTC"), Some(23.8));
        assert_eq!(PRINTED.value("5", "joint times", "KTH4H"), Some(60.4));
        assert_eq!(PRINTED.value("figures", "Figure 10: head by rank", "decay"), Some(-0.18));
    }
}
