//! Radial basis functions of many rows at once, written so that they are computed several rows at a time.

use super::super::scale::FEATURES;

/// Rows in one block.
pub(super) const LANES: usize = 32;

/// One number for each row of a block.
pub(super) type Lanes = [f32; LANES];

/// A row of features on the scale of the history.
pub(super) type Row = [f32; FEATURES];

/// Rows by feature. Lanes without a row have zeros.
pub(super) type RowBlock = [Lanes; FEATURES];

/// Of the radial basis function exp(−γ·|x − y|²): one over the number of features, as libraries choose by default.
const GAMMA: f32 = 1.0 / FEATURES as f32;

/// Rows in blocks, in their order; the last block is filled up.
pub(super) fn blocks(rows: &[Row]) -> impl Iterator<Item = RowBlock> + '_ {
    rows.chunks(LANES).map(|rows| {
        let mut block = [[0.0; LANES]; FEATURES];
        for (lane, row) in rows.iter().enumerate() {
            block.iter_mut().zip(row).for_each(|(lanes, &value)| lanes[lane] = value);
        }
        block
    })
}

/// One row of a block.
pub(super) fn row_at(block: &RowBlock, lane: usize) -> Row {
    block.map(|lanes| lanes[lane])
}

/// The radial basis function of each row of a block and another row.
#[inline]
pub(super) fn kernels(block: &RowBlock, row: &Row) -> Lanes {
    let mut squares = [0.0; LANES];
    for (lanes, &value) in block.iter().zip(row) {
        for (square, &other) in squares.iter_mut().zip(lanes) {
            let apart = other - value;
            *square += apart * apart;
        }
    }
    // A loop: `map` of an array is a call for each number.
    for square in &mut squares {
        *square = exp2_of_negative(-GAMMA * std::f32::consts::LOG2_E * *square);
    }
    squares
}

/// 2 to the power of a number that is not above 0, within 4e-7 of its value; of numbers below −125 that of −125, 2.4e-38.
///
/// # Formula
/// `2ˣ = 2ⁿ·2ʳ`, where n is x rounded and |r| ≤ ½; 2ʳ by the polynomial of fifth degree that is exact at the zeros of the
/// Chebyshev polynomial on that interval, but for 2⁰, which is 1. Without branches or calls, so that it is computed for several numbers at a time; and
/// the same on every machine.
#[inline]
pub(crate) fn exp2_of_negative(x: f32) -> f32 {
    /// 1.5·2²³: added to a number it leaves its rounding in the lowest bits.
    const ROUNDING: f32 = 12_582_912.0;
    const POLYNOMIAL: [f32; 6] =
        [1.0, std::f32::consts::LN_2, 0.240_221_07, 0.055_503_57, 0.009_676_032, 0.001_339_086_3];
    let x = if x > -125.0 { x } else { -125.0 };
    let rounded = x + ROUNDING;
    let r = x - (rounded - ROUNDING);
    let [p0, p1, p2, p3, p4, p5] = POLYNOMIAL;
    let fraction = ((((p5 * r + p4) * r + p3) * r + p2) * r + p1) * r + p0;
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    fraction * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_close_to_those_of_the_standard_library() {
        let mut worst = 0.0_f64;
        for step in 0..=1_250_000 {
            let x = -(step as f32) * 1e-4;
            let (found, exact) = (f64::from(exp2_of_negative(x)), f64::from(x).exp2());
            worst = worst.max((found - exact).abs() / exact);
        }
        assert!(worst < 4e-7, "{worst}");
        // Control: single precision is not exact.
        assert!(worst > 1e-8, "{worst}");
        assert_eq!(exp2_of_negative(0.0), 1.0);
        for tiny in [-1e30, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(exp2_of_negative(tiny), exp2_of_negative(-125.0));
        }
    }

    #[test]
    fn kernels_are_those_of_the_definition_in_every_lane() {
        let row = |place: usize| std::array::from_fn(|feature| ((place * 7 + feature * 3) % 11) as f32 * 0.3);
        let rows: Vec<Row> = (0..LANES + 3).map(row).collect();
        let all: Vec<RowBlock> = blocks(&rows).collect();
        assert_eq!(all.len(), 2);
        let target = row(100);
        for (place, other) in rows.iter().enumerate() {
            let square: f64 = other.iter().zip(&target).map(|(x, y)| f64::from(x - y).powi(2)).sum();
            let exact = (-square / FEATURES as f64).exp();
            let found = f64::from(kernels(&all[place / LANES], &target)[place % LANES]);
            assert!((found - exact).abs() < 1e-6, "{place}: {found} {exact}");
        }
        // Control: a row's kernel with itself is one, with another it is not.
        assert_eq!(kernels(&all[0], &rows[2])[2], 1.0);
        assert!(kernels(&all[0], &rows[2])[3] < 0.999);
    }
}
