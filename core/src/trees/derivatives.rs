//! First and second derivatives of a loss as whole numbers: sums are exact, and two of them subtract exactly.

/// Bits that count rows, below the first derivative in one number.
const COUNT: u32 = 24;

/// The most rows that trees are fitted to.
pub const MOST_ROWS: usize = (1 << COUNT) - 1;

/// DerivativeUnits of a second derivative in 1.
const CURVATURE_UNITS: f64 = 4_294_967_296.0;

/// Derivatives of the loss by the score, of one row or summed over many, in [`DerivativeUnits`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Derivatives {
    /// The first derivative above [`COUNT`] bits with the number of rows: one addition for both.
    slope_and_rows: i64,
    curvature: i64,
}

impl Derivatives {
    pub fn rows(self) -> usize {
        (self.slope_and_rows & MOST_ROWS as i64) as usize
    }

    /// The first derivative.
    pub fn slope(self) -> i64 {
        self.slope_and_rows >> COUNT
    }

    /// The second derivative.
    pub fn curvature(self) -> i64 {
        self.curvature
    }

    #[inline(always)]
    pub fn add(&mut self, other: Derivatives) {
        self.slope_and_rows += other.slope_and_rows;
        self.curvature += other.curvature;
    }

    /// How many rows like this it stands for.
    #[inline(always)]
    pub fn times(self, rows: i64) -> Derivatives {
        Derivatives { slope_and_rows: rows * self.slope_and_rows, curvature: rows * self.curvature }
    }

    #[inline(always)]
    pub fn minus(self, other: Derivatives) -> Derivatives {
        Derivatives {
            slope_and_rows: self.slope_and_rows - other.slope_and_rows,
            curvature: self.curvature - other.curvature,
        }
    }
}

/// How derivatives between −1 and 1 become whole numbers, and back: as finely as the sum over all rows allows.
#[derive(Debug, Clone, Copy)]
pub struct DerivativeUnits {
    slope_units: f64,
    /// What a weight of 1 stands for.
    weight: f64,
}

impl DerivativeUnits {
    /// Units for sums over `rows` rows, the heaviest of this weight.
    pub fn new(rows: usize, weight: f64) -> DerivativeUnits {
        // The sum has 63 - COUNT bits without its sign.
        let needed = usize::BITS - rows.leading_zeros();
        let bits = (62 - COUNT - needed.min(COUNT)).min(30);
        DerivativeUnits { slope_units: f64::from(1_u32 << bits), weight }
    }

    /// Derivatives of one row; the first is between −1 and 1, the second between 0 and 2.
    #[inline(always)]
    pub fn row(&self, slope: f64, curvature: f64) -> Derivatives {
        // Adding 1 makes the number positive, so that cutting off rounds; half a unit up.
        let units = self.slope_units;
        let slope = ((slope + 1.0) * units + 0.5) as i64 - units as i64;
        Derivatives {
            slope_and_rows: (slope << COUNT) + 1,
            curvature: (curvature * CURVATURE_UNITS + 0.5) as i64,
        }
    }

    /// A first derivative as it was.
    pub fn slope(&self, units: i64) -> f64 {
        units as f64 * self.weight / self.slope_units
    }

    /// A second derivative as it was.
    pub fn curvature(&self, units: i64) -> f64 {
        units as f64 * self.weight / CURVATURE_UNITS
    }

    /// Second derivatives in units.
    pub fn curvature_units(&self, curvature: f64) -> f64 {
        curvature * CURVATURE_UNITS / self.weight
    }

    /// What slope² / curvature is in units of the loss, where both are in units of their own.
    pub fn gain(&self, units: f64) -> f64 {
        units * self.weight * CURVATURE_UNITS / (self.slope_units * self.slope_units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_at_the_limits() {
        for rows in [1, 2, 3, 1000, 65_535, 65_536, MOST_ROWS] {
            let units = DerivativeUnits::new(rows, 1.0);
            for slope in [-1.0, 1.0] {
                let one = units.row(slope, 2.0);
                // As many rows as there are, all at the limit.
                let sum = Derivatives {
                    slope_and_rows: one.slope_and_rows.checked_mul(rows as i64).unwrap(),
                    curvature: one.curvature.checked_mul(rows as i64).unwrap(),
                };
                assert_eq!(sum.rows(), rows);
                assert_eq!(units.slope(sum.slope()), slope * rows as f64);
                assert_eq!(units.curvature(sum.curvature()), 2.0 * rows as f64);
            }
        }
    }

    #[test]
    fn adding_and_subtracting_go_back() {
        let units = DerivativeUnits::new(10, 3.0);
        let (one, other) = (units.row(-0.3, 0.21), units.row(0.7, 0.001));
        let mut sum = one;
        sum.add(other);
        assert_eq!(sum.rows(), 2);
        assert_eq!(sum.slope(), one.slope() + other.slope());
        assert_eq!((sum.minus(one), sum.minus(other)), (other, one));
        assert!((units.slope(sum.slope()) - 1.2).abs() < 1e-6);
        assert!((units.curvature(sum.curvature()) - 0.633).abs() < 1e-6);
    }
}
