//! Tests of the genetic search on made-up scores.

use std::convert::Infallible;

use super::*;
use queuecast_sim::predict::template::{Characteristics, Estimator, Nodes, Template};

fn space() -> Space {
    Space {
        characteristics: Characteristics::ALL,
        nodes: true,
        relative: true,
        estimators: vec![Estimator::Mean, Estimator::Linear],
        histories: vec![None, Some(4), Some(16)],
        most: 10,
    }
}

/// How far the nearest template is from a hidden one, and a little for each template.
fn worth(set: &TemplateSet) -> f64 {
    let hidden: Template = "(q,u,e,n=8,rel)".parse().unwrap();
    let far = |one: &Template| {
        let unlike = (one.characteristics.bits() ^ hidden.characteristics.bits()).count_ones();
        let range = match one.nodes {
            Nodes::Ranges(size) => size.ilog2().abs_diff(3),
            _ => 5,
        };
        f64::from(unlike + range) + f64::from(u8::from(one.data != hidden.data))
    };
    set.0.iter().map(far).fold(f64::INFINITY, f64::min) + set.0.len() as f64 / 100.0
}

fn evolved(evolution: Evolution, seeded: Option<&str>) -> Genetic {
    let mut genetic = Genetic::new(space(), evolution, seeded.map(|text| text.parse().unwrap()));
    let mut score = |sets: &[TemplateSet]| Ok::<_, Infallible>(sets.iter().map(worth).collect());
    while !genetic.is_done() {
        let Ok(()) = genetic.generation(&mut score);
    }
    genetic
}

#[test]
fn it_gets_better_and_never_forgets_the_best() {
    let genetic = evolved(Evolution { population: 30, generations: 40, seed: 1 }, None);
    let history = genetic.history();
    assert_eq!(history.len(), 40);
    assert!(history.windows(2).all(|pair| pair[1].best <= pair[0].best));
    assert!(history.iter().all(|one| one.best <= one.mean && one.mean <= one.worst));
    assert!(history[39].mean < history[0].mean / 2.0, "{:?} {:?}", history[0], history[39]);
    let (best, error) = genetic.best().unwrap();
    assert_eq!((worth(&best), history[39].best), (error, error));
    assert!(error < history[0].best && (1..=10).contains(&best.0.len()));
    // Fewer sets are scored than there are individuals: the elite and individuals equal to a parent are known.
    assert!(history[0].scored <= 30 && history[1..].iter().all(|one| one.scored <= 28));
}

#[test]
fn the_seed_decides_everything() {
    let run = |seed| evolved(Evolution { population: 12, generations: 8, seed }, None);
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).history(), run(2).history());
}

/// Threads finish in any order; the command's tests use real ones.
#[test]
fn the_order_in_which_a_batch_is_scored_does_not_matter() {
    let evolution = Evolution { population: 12, generations: 8, seed: 5 };
    let mut genetic = Genetic::new(space(), evolution, None);
    let mut backwards = |sets: &[TemplateSet]| {
        let mut errors: Vec<f64> = sets.iter().rev().map(worth).collect();
        errors.reverse();
        Ok::<_, Infallible>(errors)
    };
    while !genetic.is_done() {
        let Ok(()) = genetic.generation(&mut backwards);
    }
    assert_eq!(genetic, evolved(evolution, None));
}

#[test]
fn what_it_is_seeded_with_is_never_lost() {
    let evolution = Evolution { population: 10, generations: 3, seed: 1 };
    let genetic = evolved(evolution, Some("(q,u,e,n=8,rel)"));
    assert_eq!(genetic.best().unwrap().0.to_string(), "(q,u,e,n=8,rel)");
    assert!(genetic.history().iter().all(|one| one.best == 0.01));
    // Control: without it, three generations of ten do not find it.
    assert_ne!(evolved(evolution, None).best().unwrap().1, 0.01);
    // What is not of the space cannot be put in, and does no harm.
    assert_eq!(evolved(evolution, Some("(u,h=3)")).history(), evolved(evolution, None).history());
}

#[test]
fn a_space_of_one_template_and_a_population_too_small_still_end() {
    let bare = Space {
        characteristics: Characteristics::NONE,
        nodes: false,
        relative: false,
        estimators: vec![Estimator::Mean],
        histories: vec![None],
        most: 1,
    };
    let mut genetic = Genetic::new(bare, Evolution { population: 0, generations: 3, seed: 1 }, None);
    assert_eq!(genetic.evolution().population, SMALLEST_POPULATION);
    while !genetic.is_done() {
        let Ok(()) = genetic.generation(&mut |sets| Ok::<_, Infallible>(vec![7.0; sets.len()]));
    }
    assert_eq!(genetic.best().unwrap(), ("()".parse().unwrap(), 7.0));
    assert_eq!(genetic.history()[2], Generation { best: 7.0, mean: 7.0, worst: 7.0, scored: 0 });
    let text = serde_json::to_string(&genetic).unwrap();
    assert_eq!(serde_json::from_str::<Genetic>(&text).unwrap(), genetic);
}

#[test]
fn a_scorer_that_says_nothing_or_nonsense_is_the_worst_there_is() {
    let mut genetic = Genetic::new(space(), Evolution { population: 6, generations: 2, seed: 1 }, None);
    let Ok(()) = genetic.generation(&mut |_| Ok::<_, Infallible>(vec![f64::NAN, 3.0]));
    assert_eq!((genetic.history()[0].best, genetic.history()[0].worst), (3.0, f64::MAX));
    let Ok(()) = genetic.generation(&mut |sets| Ok::<_, Infallible>(vec![2.0; sets.len()]));
    assert!(genetic.best().unwrap().1 <= 3.0);
}

#[test]
fn a_damaged_state_is_refused() {
    let text =
        serde_json::to_string(&evolved(Evolution { population: 6, generations: 2, seed: 1 }, None)).unwrap();
    let damaged = |right: &str, wrong: &str| {
        assert!(text.contains(right), "{right} in {text}");
        serde_json::from_str::<Genetic>(&text.replacen(right, wrong, 1)).unwrap_err().to_string()
    };
    assert!(damaged("\"generation\":2", "\"generation\":3").contains("a history of 2"));
    assert!(damaged("\"population\":6", "\"population\":8").contains("6 individuals where 8"));
    assert!(damaged("\"bits\":\"", "\"bits\":\"2").contains("is no template set"));
    assert!(serde_json::from_str::<Genetic>(&text).is_ok());
}
