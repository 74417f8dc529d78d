//! Which sizes are too close to call: turnarounds compared pair by pair over the same draws.

use rand::RngExt;

use super::prospect::Target;
use super::size_draw::SizeDraw;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;

/// How often the draws are resampled.
const RESAMPLES: u32 = 200;

/// Two sizes are told apart if the order of their turnarounds is the same in this share of the resamples.
const CONFIDENCE: f64 = 0.95;

/// For each size, whether its turnaround cannot be told from that of the size at `best`.
///
/// # Formula
/// A paired bootstrap: `independent` of the draws are taken at random with replacement, 200 times, the same draws for all
/// sizes. In each resample the target (median, mean or 90th percentile) of the turnarounds of both sizes is computed. A size is
/// told from the best if its target is the longer one in at least 95 % of the resamples.
pub(super) fn too_close(drawn: &[SizeDraw], best: usize, target: Target, independent: usize) -> Vec<bool> {
    let sizes = drawn.first().map_or(0, |one| one.each.len());
    if sizes < 2 || best >= sizes {
        return (0..sizes).map(|place| place == best).collect();
    }
    let numbers: Vec<u32> = (0..RESAMPLES).collect();
    let longer = parallel::map(&numbers, |number| {
        let mut rng = Seed(1).stream(&format!("too close to call {number}"));
        let taken: Vec<usize> = (0..independent.max(1)).map(|_| rng.random_range(0..drawn.len())).collect();
        let mut turnarounds = Vec::with_capacity(taken.len());
        let targets = (0..sizes).map(|place| {
            turnarounds.clear();
            let each = taken.iter().filter_map(|&draw| drawn[draw].each.get(place));
            turnarounds.extend(each.map(|&(queue, run)| (queue + run).0));
            target.of_draws(&mut turnarounds)
        });
        let targets: Vec<f64> = targets.collect();
        targets.iter().map(|&value| value > targets[best]).collect::<Vec<bool>>()
    });
    let often = |place: usize| longer.iter().filter(|resample| resample[place]).count();
    (0..sizes).map(|place| (often(place) as f64) < CONFIDENCE * f64::from(RESAMPLES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;

    fn draws(turnarounds: impl Iterator<Item = [i64; 2]>) -> Vec<SizeDraw> {
        let each = |two: [i64; 2]| two.map(|queue| (Seconds(queue), Seconds(60))).to_vec();
        turnarounds.map(|two| SizeDraw { each: each(two) }).collect()
    }

    #[test]
    fn a_difference_in_every_draw_is_told_and_one_that_changes_its_sign_is_not() {
        // The second is a second sooner in every draw, though the draws vary by hours.
        let certain = draws((0..300).map(|draw| [3600 * (draw % 7) + 1, 3600 * (draw % 7)]));
        for target in [Target::Median, Target::Mean, Target::P90] {
            assert_eq!(too_close(&certain, 1, target, 300), [false, true], "{target}");
        }
        // Both sizes have equal turnarounds, in another order over the draws.
        let shuffled = draws((0..300).map(|draw| [600 * (draw % 43) + 1, 600 * ((draw * 37 + 5) % 43)]));
        for target in [Target::Median, Target::Mean, Target::P90] {
            assert_eq!(too_close(&shuffled, 1, target, 300), [true, true], "{target}");
        }
        // Fewer independent draws tell less: half an hour beside a spread of seven hours.
        let some = draws((0..300).map(|draw| [600 * (draw % 43) + 1800, 600 * ((draw * 37 + 5) % 43)]));
        assert_eq!(too_close(&some, 1, Target::Mean, 300), [false, true]);
        assert_eq!(too_close(&some, 1, Target::Mean, 20), [true, true]);
        assert_eq!(too_close(&[], 0, Target::Mean, 20), [false; 0]);
    }
}
