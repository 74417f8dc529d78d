//! Radial basis functions of many rows at once, written so that they are computed several rows at a time.

use super::super::scale::FEATURES;

/// Rows are kept in blocks of so many.
pub(super) const LANES: usize = 8;

/// One number for each row of a block.
pub(super) type Lanes = [f32; LANES];

/// A row of features on the scale of the history.
pub(super) type Row = [f32; FEATURES];

/// Rows by feature. Lanes without a row have zeros.
pub(super) type RowBlock = [Lanes; FEATURES];

/// Of the radial basis function exp(−γ·|x − y|²): one over the number of features, as libraries choose by default.
pub(super) const GAMMA: f32 = 1.0 / FEATURES as f32;

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
    squares.map(|square| exp_of_negative(-GAMMA * square))
}

/// e to the power of a number that is not above 0, within 3e-7 of its value; of numbers below −87 that of −87, 1.6e-38.
///
/// # Formula
/// `eˣ = 2ⁿ·eʳ`, where n is x/ln 2 rounded and |r| ≤ ln 2 / 2; eʳ by its series up to the sixth power. Without branches or
/// calls, so that it is computed for several numbers at a time; and the same on every machine.
#[inline]
pub(super) fn exp_of_negative(x: f32) -> f32 {
    /// 1.5·2²³: added to a number it leaves its rounding in the lowest bits.
    const ROUNDING: f32 = 12_582_912.0;
    /// ln 2 in two parts, so that n times the first is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x > -87.0 { x } else { -87.0 };
    let rounded = x * std::f32::consts::LOG2_E + ROUNDING;
    let n = rounded - ROUNDING;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let series = 1.0 / 720.0;
    let series = series * r + 1.0 / 120.0;
    let series = series * r + 1.0 / 24.0;
    let series = series * r + 1.0 / 6.0;
    let series = series * r + 0.5;
    let series = series * r + 1.0;
    let series = series * r + 1.0;
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    series * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_e_are_close_to_those_of_the_standard_library() {
        let mut worst = 0.0_f64;
        for step in 0..=870_000 {
            let x = -(step as f32) * 1e-4;
            let (found, exact) = (f64::from(exp_of_negative(x)), f64::from(x).exp());
            worst = worst.max((found - exact).abs() / exact);
        }
        assert!(worst < 3e-7, "{worst}");
        // Control: the bound is no looser than it must be; single precision is not exact.
        assert!(worst > 1e-8, "{worst}");
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-1e30), exp_of_negative(-87.0));
        assert_eq!(exp_of_negative(f32::NEG_INFINITY), exp_of_negative(-87.0));
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
