//! How one generation comes from the last: fitness, parents, crossover, mutation, elitism, as section 2.4 of
//! Smith, Foster & Taylor 1998 has them.

use queuecast_core::order;
use rand::RngExt;

use super::chromosome::Chromosome;

/// How much fitter the best of a generation is than the worst.
const FITTEST: f64 = 4.0;

/// The chance of each bit of a child to be flipped.
pub(super) const MUTATION: f64 = 0.001;

/// How many of the best survive as they are.
pub(super) const ELITE: usize = 2;

/// The fitness of each individual, from its error.
///
/// # Formula
/// `Fmin + (Emax − E) / (Emax − Emin) · (Fmax − Fmin)` with `Fmin = 1` and `Fmax = 4`; where all errors are the
/// same, all are as fit as the best.
pub(super) fn fitness(errors: &[f64]) -> Vec<f64> {
    let worst = errors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let scaled = |error: f64| 1.0 + (worst - error) / (worst - best) * (FITTEST - 1.0);
    errors.iter().map(|&error| if worst > best { scaled(error) } else { FITTEST }).collect()
}

/// As many parents as there are individuals, by stochastic sampling without replacement: each individual
/// `floor(F / Favg)` times; the rest by trials, in order and over again until all parents are found, each with
/// the chance `F / Favg − floor(F / Favg)`. A winner of a trial is not tried again.
pub(super) fn parents(fitness: &[f64], rng: &mut impl RngExt) -> Vec<usize> {
    let average = fitness.iter().sum::<f64>() / fitness.len().max(1) as f64;
    let expected: Vec<f64> = fitness.iter().map(|fitness| fitness / average).collect();
    let mut parents: Vec<usize> =
        expected.iter().enumerate().flat_map(|(place, &times)| vec![place; times as usize]).collect();
    parents.truncate(fitness.len());
    let mut chances: Vec<f64> = expected.iter().map(|times| times.fract()).collect();
    while parents.len() < fitness.len() {
        // Rounding may leave one parent too few and none to try.
        if chances.iter().all(|&chance| chance <= 0.0) {
            chances = vec![1.0; fitness.len()];
        }
        for (place, chance) in chances.iter_mut().enumerate() {
            if parents.len() < fitness.len() && *chance > 0.0 && rng.random_bool(chance.min(1.0)) {
                parents.push(place);
                *chance = 0.0;
            }
        }
    }
    parents
}

/// Any order of these, all equally likely.
pub(super) fn shuffle(places: &mut [usize], rng: &mut impl RngExt) {
    for last in (1..places.len()).rev() {
        places.swap(last, rng.random_range(0..=last));
    }
}

/// Two children of two parents, neither with more than `most` templates: a template `i` and a position `p` of
/// the first are drawn, then a template `j` of the second among those that keep both children short enough.
/// There always is one, as neither parent has more than `most`; and a child has at least the mixed template.
pub(super) fn mate(
    one: &Chromosome,
    other: &Chromosome,
    most: usize,
    rng: &mut impl RngExt,
) -> (Chromosome, Chromosome) {
    let (n, m) = (one.templates(), other.templates());
    let i = rng.random_range(0..n);
    let p = rng.random_range(0..one.width().max(1));
    let (from, until) = partners(n, m, i, most);
    let j = rng.random_range(from..=until);
    one.cross(other, i, p, j)
}

/// The first and the last template `j` of `m` that may be crossed with template `i` of `n`: the children have
/// `i + m − j` and `j + n − i` templates, in numbers from 0 as in numbers from 1.
fn partners(n: usize, m: usize, i: usize, most: usize) -> (usize, usize) {
    ((i + m).saturating_sub(most), (most + i).saturating_sub(n).min(m - 1))
}

/// Flips each bit with the chance [`MUTATION`].
pub(super) fn mutate(chromosome: &mut Chromosome, rng: &mut impl RngExt) {
    for bit in 0..chromosome.bits() {
        if rng.random_bool(MUTATION) {
            chromosome.flip(bit);
        }
    }
}

/// The places of the best, best first; of equals, the earlier.
pub(super) fn elite(errors: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..errors.len()).collect();
    order::sort_by(&mut places, |&a, &b| errors[a].total_cmp(&errors[b]));
    places.truncate(ELITE);
    places
}

/// The next generation: children of parents drawn by fitness, mated in random pairs and mutated, then the elite
/// as it was.
pub(super) fn next(
    population: &[Chromosome],
    errors: &[f64],
    most: usize,
    rng: &mut impl RngExt,
) -> Vec<Chromosome> {
    let elite = elite(errors);
    let children = population.len() - elite.len();
    let mut parents = parents(&fitness(errors), rng);
    shuffle(&mut parents, rng);
    let mut next = Vec::with_capacity(population.len() + 1);
    for pair in parents.chunks_exact(2).take(children.div_ceil(2)) {
        let (mut first, mut second) = mate(&population[pair[0]], &population[pair[1]], most, rng);
        mutate(&mut first, rng);
        mutate(&mut second, rng);
        next.extend([first, second]);
    }
    next.truncate(children);
    next.extend(elite.into_iter().map(|place| population[place].clone()));
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::seed::Seed;

    fn read(text: &str) -> Chromosome {
        Chromosome::read(4, text).unwrap()
    }

    fn of(templates: usize) -> Chromosome {
        Chromosome::new(4, (0..templates as u64).map(|gene| gene % 16))
    }

    #[test]
    fn the_best_is_four_times_as_fit_as_the_worst() {
        assert_eq!(fitness(&[10.0, 30.0, 20.0]), [4.0, 1.0, 2.5]);
        assert_eq!(fitness(&[1e6, 1e6 + 1.0]), [4.0, 1.0], "however small the range");
        assert_eq!(fitness(&[7.0, 7.0, 7.0]), [4.0, 4.0, 4.0], "without a range all are equally fit");
        assert_eq!(fitness(&[]), [0.0; 0]);
    }

    /// F = 4, 1, 2.5, 2.5: Favg = 2.5, so 1.6, 0.4, 1 and 1 are expected. One, three and four are parents for
    /// certain; the fourth parent is drawn between one (0.6) and two (0.4).
    #[test]
    fn whole_parents_are_certain_and_the_rest_is_tried_in_order() {
        let fitness = [4.0, 1.0, 2.5, 2.5];
        let mut rng = Seed(1).stream("test");
        let mut firsts = 0;
        for _ in 0..10_000 {
            let drawn = parents(&fitness, &mut rng);
            assert_eq!(drawn[..3], [0, 2, 3]);
            assert!(drawn.len() == 4 && drawn[3] <= 1, "{drawn:?}");
            firsts += usize::from(drawn[3] == 0);
        }
        // In order and over again: 0.6 + 0.4 · 0.6 · (0.6 + …) = 0.6 / (1 − 0.4 · 0.6) = 0.789…
        assert!((7_700..8_100).contains(&firsts), "{firsts}");
    }

    #[test]
    fn who_won_a_trial_is_not_tried_again() {
        // Expected 1.5, 1.5, 0.5, 0.5: two whole parents, and two of four by trial, all different.
        let mut rng = Seed(2).stream("test");
        let mut seen = [0; 4];
        for _ in 0..1_000 {
            let drawn = parents(&[3.0, 3.0, 1.0, 1.0], &mut rng);
            assert_eq!(drawn[..2], [0, 1]);
            assert!(drawn.len() == 4 && drawn[2] != drawn[3], "{drawn:?}");
            drawn[2..].iter().for_each(|&place| seen[place] += 1);
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
        assert!(seen[0] > seen[3], "the earlier is tried first: {seen:?}");
    }

    #[test]
    fn equals_are_each_a_parent_once() {
        let mut rng = Seed(1).stream("test");
        for count in [1, 2, 3, 7, 50] {
            let all: Vec<usize> = (0..count).collect();
            assert_eq!(parents(&vec![4.0; count], &mut rng), all);
        }
    }

    #[test]
    fn a_shuffle_keeps_all_and_favours_no_place() {
        let mut rng = Seed(3).stream("test");
        let mut first = [0; 4];
        for _ in 0..4_000 {
            let mut places = [0, 1, 2, 3];
            shuffle(&mut places, &mut rng);
            first[places[0]] += 1;
            places.sort_unstable();
            assert_eq!(places, [0, 1, 2, 3]);
        }
        assert!(first.iter().all(|count| (880..1_120).contains(count)), "{first:?}");
    }

    /// Every partner that is allowed keeps both children within bounds, and no other does.
    #[test]
    fn partners_are_all_that_keep_both_children_short_enough() {
        for most in [1, 2, 3, 10] {
            for (n, m) in (1..=most).flat_map(|n| (1..=most).map(move |m| (n, m))) {
                for i in 0..n {
                    let (from, until) = partners(n, m, i, most);
                    assert!(from <= until && until < m, "{n} {m} {i}");
                    for j in 0..m {
                        let (first, second) = of(n).cross(&of(m), i, 2, j);
                        let lengths = [first.templates(), second.templates()];
                        let fits = lengths.iter().all(|length| (1..=most).contains(length));
                        assert_eq!(fits, (from..=until).contains(&j), "{n} {m} {i} {j}: {lengths:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn children_have_one_to_ten_templates_and_all_of_their_parents() {
        let mut rng = Seed(4).stream("test");
        let mut lengths = [0; 11];
        for round in 0..5_000 {
            let (one, other) = (of(round % 10 + 1), of(round / 10 % 10 + 1));
            let (first, second) = mate(&one, &other, 10, &mut rng);
            assert_eq!(first.templates() + second.templates(), one.templates() + other.templates());
            lengths[first.templates()] += 1;
            lengths[second.templates()] += 1;
        }
        assert_eq!(lengths[0], 0);
        assert!(lengths[1..].iter().all(|&count| count > 0), "{lengths:?}");
    }

    #[test]
    fn one_bit_in_a_thousand_is_flipped() {
        let mut rng = Seed(5).stream("test");
        let mut flipped = 0;
        for _ in 0..5_000 {
            let mut one = read("0000 0000 0000 0000 0000");
            mutate(&mut one, &mut rng);
            flipped += one.genes().iter().map(|gene| gene.count_ones()).sum::<u32>();
        }
        // 100,000 bits: 100 expected, with a standard deviation of 10.
        assert!((60..140).contains(&flipped), "{flipped}");
    }

    #[test]
    fn the_elite_is_the_two_best_in_order() {
        assert_eq!(elite(&[3.0, 1.0, 2.0, 1.0]), [1, 3]);
        assert_eq!(elite(&[3.0]), [0]);
    }

    #[test]
    fn the_elite_survives_unmutated_and_last() {
        let population: Vec<Chromosome> = (1..=7).map(of).collect();
        let errors = [5.0, 4.0, 1.0, 9.0, 2.0, 3.0, 8.0];
        for seed in 0..200 {
            let next = next(&population, &errors, 10, &mut Seed(seed).stream("test"));
            assert_eq!(next.len(), 7);
            assert_eq!(next[5..], [population[2].clone(), population[4].clone()]);
            assert!(next.iter().all(|one| (1..=10).contains(&one.templates())));
        }
    }
}
