//! What the paper prints: its tables, and the coefficients of its fits.

/// A row of Table 1; `None` where the paper's number is of a version of the log that is not to be had.
pub struct LogRow {
    pub name: &'static str,
    pub procs: f64,
    /// Records of the cleaned log.
    pub cleaned: Option<f64>,
    /// Jobs whose size, run time and submission are known.
    pub sane: f64,
    pub months: f64,
    pub users: f64,
    pub longest_hours: f64,
    pub values: f64,
}

const fn row(name: &'static str, numbers: [f64; 7], has_cleaned: bool) -> LogRow {
    let [procs, cleaned, sane, months, users, longest_hours, values] = numbers;
    let cleaned = if has_cleaned { Some(cleaned) } else { None };
    LogRow { name, procs, cleaned, sane, months, users, longest_hours, values }
}

/// Table 1. The cleaned versions of the manipulated logs count jobs that never ran, which are not ours to count.
pub const TABLE_1: [LogRow; 6] = [
    row("SDSC-106", [128.0, 59_332.0, 53_673.0, 24.0, 428.0, 18.0, 339.0], false),
    row("CTC", [512.0, 77_222.0, 77_222.0, 11.0, 679.0, 18.0, 265.0], true),
    row("KTH4H", [100.0, 23_070.0, 23_070.0, 11.0, 209.0, 4.0, 106.0], false),
    row("BLUE", [1_152.0, 243_314.0, 223_407.0, 32.0, 468.0, 36.0, 525.0], true),
    row("SDSC", [128.0, 59_725.0, 54_053.0, 24.0, 428.0, 18.0, 543.0], true),
    row("KTH", [100.0, 28_490.0, 28_490.0, 11.0, 214.0, 60.0, 271.0], true),
];

/// The columns of Table 2.
pub const SHARES: [u32; 8] = [10, 50, 75, 90, 95, 98, 99, 100];

/// Table 2: the fewest values that cover these shares; rows as in Table 1.
pub const TABLE_2: [[u32; 8]; 6] = [
    [1, 6, 12, 22, 39, 77, 116, 339],
    [1, 4, 10, 22, 36, 62, 89, 265],
    [1, 6, 12, 21, 28, 36, 43, 106],
    [1, 3, 8, 23, 42, 76, 116, 563],
    [1, 6, 12, 23, 43, 91, 156, 543],
    [1, 8, 21, 41, 60, 89, 122, 270],
];

/// Table 4: *a*, in the order of the four logs.
pub const TABLE_4: [f64; 4] = [1.50, 1.57, 1.91, 1.24];

/// Nothing printed.
const NO: f64 = f64::NAN;

/// Table 5: an estimate in minutes, and the percent of the jobs of each log that use it.
pub const TABLE_5: [(i64, [f64; 4]); 36] = [
    (1, [NO, NO, 6.6, NO]),
    (2, [NO, NO, 4.0, NO]),
    (3, [NO, NO, 2.2, NO]),
    (4, [NO, NO, 1.2, NO]),
    (5, [11.3, 8.8, 11.5, 2.7]),
    (10, [7.9, 6.4, 9.6, 4.3]),
    (12, [1.2, NO, NO, NO]),
    (15, [3.0, 10.6, 5.3, 16.0]),
    (20, [4.8, 2.0, 3.1, 2.5]),
    (30, [4.7, 3.5, 5.5, 17.7]),
    (40, [NO, NO, 1.3, 0.5]),
    (45, [1.1, NO, NO, NO]),
    (50, [NO, NO, NO, 0.5]),
    (60, [10.5, 4.2, 5.8, 4.9]),
    (90, [NO, 0.8, 1.3, 1.5]),
    (100, [NO, NO, 1.4, NO]),
    (119, [NO, NO, NO, 6.0]),
    (120, [5.3, 5.4, 4.5, 21.3]),
    (130, [NO, NO, 1.3, NO]),
    (150, [1.2, NO, 1.4, NO]),
    (180, [3.8, 4.9, 2.5, 1.8]),
    (200, [NO, NO, 5.1, NO]),
    (230, [NO, NO, 3.3, NO]),
    (240, [5.7, 2.2, 12.5, 1.6]),
    (290, [NO, 0.6, NO, NO]),
    (300, [1.4, 1.1, NO, 0.9]),
    (360, [2.0, 6.1, NO, 1.0]),
    (420, [0.9, NO, NO, NO]),
    (480, [3.4, 1.5, NO, 0.8]),
    (600, [3.3, 1.7, NO, 0.9]),
    (720, [4.0, 2.2, NO, 0.6]),
    (900, [0.9, 1.5, NO, NO]),
    (960, [NO, 1.0, NO, NO]),
    (1_020, [NO, 0.6, NO, NO]),
    (1_080, [9.8, 23.8, NO, 2.1]),
    (2_160, [NO, NO, NO, 1.1]),
];

/// The last two rows of Table 5: the sum of all, and of the joint times.
pub const TABLE_5_SUMS: [[f64; 4]; 2] = [[86.4, 88.9, 89.3, 88.7], [81.2, 84.4, 60.4, 79.1]];

/// Figure 5: the share of the jobs in CTC's joint ratio, the only one in the text.
pub const CTC_JOINT_RATIO: f64 = 91.0;

/// Figure 7: factor and exponent of *K* by *N*.
pub const FIGURE_7: [f64; 2] = [1.1, 0.5];

/// Figure 9: factor and exponent of *a* − 1 by *K*.
pub const FIGURE_9: [f64; 2] = [12.1, -0.6];

/// Figure 10: factor, decay and addend of the head; factor and exponent of the tail.
pub const FIGURE_10_HEAD: [f64; 3] = [14.05, -0.18, 0.46];

/// See [`FIGURE_10_HEAD`].
pub const FIGURE_10_TAIL: [f64; 2] = [795.6, -2.27];
