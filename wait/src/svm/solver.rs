//! Training of a support vector machine for two classes: sequential minimal optimization (Platt 1998) with the second-order
//! choice of pairs (Fan, Chen & Lin 2005), as in LIBSVM.

use std::ops::Range;

use super::gram::{CHUNK, Chunk, Gram};

/// The cost of a job on the wrong side.
const COST: f64 = 1.0;

/// Solved as soon as no pair violates the conditions of the optimum by more.
const TOLERANCE: f32 = 1e-3;

/// The least curvature along a pair.
const FLATTEST: f32 = 1e-12;

/// Added to what a row is chosen by, it keeps the row from being chosen.
const CLOSED: f32 = f32::NEG_INFINITY;

/// How many chunks are searched before their largest number is compared with that of others.
const SPAN: usize = 8;

/// The dual problem of two classes: the rows of the first (y = 1), then those of the second (y = −1). A row may be left out: its
/// α is 0, and its decision value is still known.
///
/// # Formula
/// Minimise `½ Σ αₛαₜyₛyₜK(s, t) − Σ αₜ` with `Σ yₜαₜ = 0` and `0 ≤ αₜ ≤ C`. The slope of a row is `yₜ − Σ yₛαₛK(s, t)`; at the
/// optimum no row whose yα may grow has a larger slope than any whose yα may shrink.
pub(super) struct Dual<'a> {
    gram: &'a Gram<'a>,
    /// The chunks of each class in the matrix.
    classes: [Range<usize>; 2],
    slopes: Vec<Chunk>,
    alphas: Vec<[f64; CHUNK]>,
    /// Whether yα may grow: 0 or `CLOSED`.
    growing: Vec<Chunk>,
    /// Whether yα may shrink: 0 or `CLOSED`.
    shrinking: Vec<Chunk>,
}

/// A row by its chunk and its lane, counted from the first chunk of the first class.
type Place = (usize, usize);

impl<'a> Dual<'a> {
    /// All α are 0. `used` says of each row, counted in the order of the chunks, whether it takes part.
    pub fn new(gram: &'a Gram<'a>, classes: [Range<usize>; 2], used: impl Fn(Place) -> bool) -> Dual<'a> {
        let [first, second] = classes.each_ref().map(Range::len);
        let signs = || (0..first + second).map(|chunk| if chunk < first { 1.0_f32 } else { -1.0 });
        let open = |chunk: usize, sign: f32, wanted: f32| {
            let lane = |lane| if sign == wanted && used((chunk, lane)) { 0.0 } else { CLOSED };
            std::array::from_fn(lane)
        };
        Dual {
            gram,
            slopes: signs().map(|sign| [sign; CHUNK]).collect(),
            alphas: vec![[0.0; CHUNK]; first + second],
            growing: signs().enumerate().map(|(chunk, sign)| open(chunk, sign, 1.0)).collect(),
            shrinking: signs().enumerate().map(|(chunk, sign)| open(chunk, sign, -1.0)).collect(),
            classes,
        }
    }

    /// Changes α by pairs until the tolerance is kept. Beyond any number of steps that a problem has needed, it stops where it is.
    pub fn solve(&mut self) {
        let most = 100_000 + 100 * CHUNK * self.slopes.len();
        let mut rooms = [Vec::new(), Vec::new()];
        let mut one = self.steepest();
        for _ in 0..most {
            let [room, other_room] = &mut rooms;
            let row = self.gram.row(self.row_of(one), room);
            let Some(other) = self.partner(one, row) else { return };
            let step = self.step(one, other, row[self.chunk_of(other.0)][other.1]);
            let other_row = self.gram.row(self.row_of(other), other_room);
            one = self.apply(step, row, other_row);
        }
    }

    /// The chunk of the matrix.
    fn chunk_of(&self, chunk: usize) -> usize {
        let [first, second] = &self.classes;
        if chunk < first.len() { first.start + chunk } else { second.start + chunk - first.len() }
    }

    /// The row of the matrix.
    fn row_of(&self, (chunk, lane): Place) -> usize {
        self.chunk_of(chunk) * CHUNK + lane
    }

    fn sign(&self, chunk: usize) -> f64 {
        if chunk < self.classes[0].len() { 1.0 } else { -1.0 }
    }

    /// The chunks of either class, and those of a row of the matrix that belong to them.
    fn halves<'b>(&self, row: &'b [Chunk]) -> [(Range<usize>, &'b [Chunk]); 2] {
        let (first, all) = (self.classes[0].len(), self.slopes.len());
        let [one, other] = self.classes.each_ref().map(|chunks| &row[chunks.clone()]);
        [(0..first, one), (first..all, other)]
    }

    /// Of the rows whose yα may grow, that with the largest slope.
    fn steepest(&self) -> Place {
        let mut largest = Largest::default();
        for (span, (slopes, growing)) in self.slopes.chunks(SPAN).zip(self.growing.chunks(SPAN)).enumerate() {
            let mut lanes = [CLOSED; CHUNK];
            for (slopes, growing) in slopes.iter().zip(growing) {
                raise(&mut lanes, &std::array::from_fn(|lane| slopes[lane] + growing[lane]));
            }
            largest.compare(&lanes, span * SPAN);
        }
        largest.find(|chunk, lane| Some(self.slopes.get(chunk)?[lane] + self.growing[chunk][lane]))
    }

    /// Of the rows whose yα may shrink, that by which the objective falls most; `None` where none violates by more than the
    /// tolerance.
    fn partner(&self, one: Place, row: &[Chunk]) -> Option<Place> {
        let top = self.slopes[one.0][one.1];
        // A lone row has nothing to exchange with.
        if self.growing[one.0][one.1] == CLOSED {
            return None;
        }
        let mut largest = Largest::default();
        let mut worst = [0.0; CHUNK];
        for (half, row) in self.halves(row) {
            let (slopes, shrinking) = (&self.slopes[half.clone()], &self.shrinking[half.clone()]);
            let spans = slopes.chunks(SPAN).zip(shrinking.chunks(SPAN)).zip(row.chunks(SPAN));
            for (span, ((slopes, shrinking), row)) in spans.enumerate() {
                let mut lanes = [CLOSED; CHUNK];
                for ((slopes, shrinking), row) in slopes.iter().zip(shrinking).zip(row) {
                    let violations: Chunk =
                        std::array::from_fn(|lane| violation(top, slopes[lane], shrinking[lane]));
                    raise(&mut worst, &violations);
                    raise(&mut lanes, &std::array::from_fn(|lane| fall(violations[lane], row[lane])));
                }
                largest.compare(&lanes, half.start + span * SPAN);
            }
        }
        if worst.into_iter().fold(0.0, larger) < TOLERANCE {
            return None;
        }
        Some(largest.find(|chunk, lane| {
            let violation = violation(top, self.slopes.get(chunk)?[lane], self.shrinking[chunk][lane]);
            Some(fall(violation, row[self.chunk_of(chunk)][lane]))
        }))
    }

    /// Moves as much of yα as is best from the second to the first, within the bounds of both.
    fn step(&mut self, one: Place, other: Place, kernel: f32) -> f32 {
        let apart = f64::from(self.slopes[one.0][one.1]) - f64::from(self.slopes[other.0][other.1]);
        let rooms = (self.room(one, 1.0), self.room(other, -1.0));
        let step = (apart / f64::from(curvature(kernel))).min(rooms.0).min(rooms.1);
        self.change(one, step, step == rooms.0);
        self.change(other, -step, step == rooms.1);
        step as f32
    }

    /// How far yα may go in a direction.
    fn room(&self, (chunk, lane): Place, direction: f64) -> f64 {
        let alpha = self.alphas[chunk][lane];
        if self.sign(chunk) == direction { COST - alpha } else { alpha }
    }

    /// Adds to yα; at a bound it is exactly there.
    fn change(&mut self, (chunk, lane): Place, step: f64, to_bound: bool) {
        let sign = self.sign(chunk);
        let alpha = &mut self.alphas[chunk][lane];
        *alpha = match (to_bound, sign * step > 0.0) {
            (false, _) => *alpha + sign * step,
            (true, true) => COST,
            (true, false) => 0.0,
        };
        let (below, above) = (*alpha < COST, *alpha > 0.0);
        let (grows, shrinks) = if sign > 0.0 { (below, above) } else { (above, below) };
        self.growing[chunk][lane] = if grows { 0.0 } else { CLOSED };
        self.shrinking[chunk][lane] = if shrinks { 0.0 } else { CLOSED };
    }

    /// Takes a step into all slopes, and finds the steepest on the way.
    fn apply(&mut self, step: f32, row: &[Chunk], other_row: &[Chunk]) -> Place {
        let mut largest = Largest::default();
        for ((half, row), (_, other_row)) in self.halves(row).into_iter().zip(self.halves(other_row)) {
            let (slopes, growing) = (&mut self.slopes[half.clone()], &self.growing[half.clone()]);
            let spans = slopes.chunks_mut(SPAN).zip(growing.chunks(SPAN));
            let rows = row.chunks(SPAN).zip(other_row.chunks(SPAN));
            for (span, ((slopes, growing), (row, other_row))) in spans.zip(rows).enumerate() {
                let mut lanes = [CLOSED; CHUNK];
                for ((slopes, growing), (row, other_row)) in
                    slopes.iter_mut().zip(growing).zip(row.iter().zip(other_row))
                {
                    *slopes = std::array::from_fn(|lane| slopes[lane] - step * (row[lane] - other_row[lane]));
                    raise(&mut lanes, &std::array::from_fn(|lane| slopes[lane] + growing[lane]));
                }
                largest.compare(&lanes, half.start + span * SPAN);
            }
        }
        largest.find(|chunk, lane| Some(self.slopes.get(chunk)?[lane] + self.growing[chunk][lane]))
    }

    /// The offset ρ of the decision values `Σ yₛαₛK(s, t) − ρ`: the mean of rows that are at no bound, or else the middle of what
    /// the bounds allow.
    pub fn offset(&self) -> f64 {
        let (mut free, mut sum) = (0_usize, 0.0);
        let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
        let rows = self.slopes.iter().zip(&self.growing).zip(&self.shrinking);
        for ((slopes, growing), shrinking) in rows {
            for lane in 0..CHUNK {
                let (slope, grows) = (f64::from(slopes[lane]), growing[lane] == 0.0);
                let shrinks = shrinking[lane] == 0.0;
                top = if grows { top.max(slope) } else { top };
                bottom = if shrinks { bottom.min(slope) } else { bottom };
                free += usize::from(grows && shrinks);
                sum += if grows && shrinks { slope } else { 0.0 };
            }
        }
        if free > 0 { -sum / free as f64 } else { -(top + bottom) / 2.0 }
    }

    /// The decision value of a row, left out or not.
    pub fn decision(&self, (chunk, lane): Place, offset: f64) -> f64 {
        self.sign(chunk) - f64::from(self.slopes[chunk][lane]) - offset
    }

    /// The weight yα of a row.
    pub fn weight(&self, (chunk, lane): Place) -> f64 {
        self.sign(chunk) * self.alphas[chunk][lane]
    }
}

/// By how much a row whose yα may shrink is below the steepest.
#[inline]
fn violation(top: f32, slope: f32, shrinking: f32) -> f32 {
    larger(0.0, (top - slope) + shrinking)
}

/// By how much the objective falls, twice.
#[inline]
fn fall(violation: f32, kernel: f32) -> f32 {
    violation * violation / curvature(kernel)
}

/// Of the objective along a pair: K(s, s) + K(t, t) − 2K(s, t).
#[inline]
fn curvature(kernel: f32) -> f32 {
    larger(FLATTEST, 2.0 - 2.0 * kernel)
}

/// The second where it is larger, which is one instruction, unlike a largest that minds what is not a number.
#[inline]
fn larger(one: f32, other: f32) -> f32 {
    if other > one { other } else { one }
}

#[inline]
fn raise(lanes: &mut Chunk, to: &Chunk) {
    lanes.iter_mut().zip(to).for_each(|(lane, &to)| *lane = larger(*lane, to));
}

/// The largest of many numbers, and the first of the spans that have it.
struct Largest {
    value: f32,
    chunk: usize,
}

impl Default for Largest {
    fn default() -> Largest {
        Largest { value: CLOSED, chunk: 0 }
    }
}

impl Largest {
    /// With the largest numbers of a span that begins with this chunk.
    #[inline]
    fn compare(&mut self, lanes: &Chunk, chunk: usize) {
        let value = lanes.iter().copied().fold(CLOSED, larger);
        if value > self.value {
            *self = Largest { value, chunk };
        }
    }

    /// Where it is in its span, by the same numbers again.
    fn find(&self, number: impl Fn(usize, usize) -> Option<f32>) -> Place {
        let places =
            (self.chunk..self.chunk + SPAN).flat_map(|chunk| (0..CHUNK).map(move |lane| (chunk, lane)));
        let mut places = places.filter(|&(chunk, lane)| number(chunk, lane) == Some(self.value));
        places.next().unwrap_or((self.chunk, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gram::CHUNKS;
    use super::super::kernel::{Row, RowBlock, blocks};
    use super::*;

    /// A row at this place on the first axis.
    fn at(place: f32) -> Row {
        let mut row = Row::default();
        row[0] = place;
        row
    }

    /// Two classes, each in one block; rows of the first, then of the second.
    fn two(first: &[f32], second: &[f32]) -> Vec<RowBlock> {
        let rows = |places: &[f32]| places.iter().map(|&place| at(place)).collect::<Vec<Row>>();
        blocks(&rows(first)).chain(blocks(&rows(second))).collect()
    }

    fn solved<'a>(gram: &'a Gram<'a>, used: impl Fn(Place) -> bool) -> Dual<'a> {
        let mut dual = Dual::new(gram, [0..CHUNKS, CHUNKS..2 * CHUNKS], used);
        dual.solve();
        dual
    }

    const FIRST: Place = (0, 0);
    const SECOND: Place = (CHUNKS, 0);

    #[test]
    fn two_rows_by_hand() {
        let blocks = two(&[2.0], &[-2.0]);
        let gram = Gram::new(&blocks);
        let dual = solved(&gram, |place| place == FIRST || place == SECOND);
        // α = 1 / (1 − K) would be best, which is more than the cost: both are at the bound. K = exp(−16/19).
        let kernel = (-16.0_f64 / 19.0).exp();
        assert_eq!((dual.weight(FIRST), dual.weight(SECOND)), (1.0, -1.0));
        assert!(dual.offset().abs() < 1e-6);
        assert!((dual.decision(FIRST, 0.0) - (1.0 - kernel)).abs() < 1e-6);
        assert!((dual.decision(SECOND, 0.0) + (1.0 - kernel)).abs() < 1e-6);
    }

    #[test]
    fn rows_left_out_have_no_weight_but_a_decision() {
        // The second row of the first class is where the second class is.
        let blocks = two(&[2.0, -2.0, 2.5], &[-2.0, -2.5]);
        let gram = Gram::new(&blocks);
        let real = |(chunk, lane): Place| (chunk == 0 && lane < 3) || (chunk == CHUNKS && lane < 2);
        let without = solved(&gram, |place| real(place) && place != (0, 1));
        assert_eq!(without.weight((0, 1)), 0.0);
        let decided = without.decision((0, 1), without.offset());
        assert!(
            (decided - without.decision(SECOND, without.offset())).abs() < 1e-6 && decided < -0.5,
            "{decided}"
        );
        // Control: with it the machine is another.
        let with = solved(&gram, real);
        assert_eq!(with.weight((0, 1)), 1.0);
        assert!(with.decision((0, 1), with.offset()) > decided + 0.1);
        // Weights of the classes balance.
        let sum: f64 =
            [(0, 0), (0, 1), (0, 2), SECOND, (CHUNKS, 1)].map(|place| with.weight(place)).iter().sum();
        assert!(sum.abs() < 1e-9, "{sum}");
    }
}
