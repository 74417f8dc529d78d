//! The genetic search of section 2.4, one generation at a time.

use std::collections::BTreeMap;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::batch::{ScoreBatch, scores};
use super::breeding;
use super::chromosome::Chromosome;
use super::exact;
use super::space::Space;
use queuecast_core::seed::Seed;
use queuecast_sim::predict::template::TemplateSet;

/// How large a genetic search is, and its seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evolution {
    /// Template sets in each generation.
    pub population: usize,
    /// How many generations, the first one included.
    pub generations: usize,
    /// Another seed is another search; the same seed is always the same one.
    pub seed: u64,
}

/// The fewest individuals: two children beside the elite.
pub const SMALLEST_POPULATION: usize = 2 * breeding::ELITE;

impl Default for Evolution {
    fn default() -> Evolution {
        Evolution { population: 50, generations: 50, seed: 1 }
    }
}

/// The mean errors of one generation, in seconds: Figure 3.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Of its best individual.
    #[serde(with = "exact")]
    pub best: f64,
    /// Mean over its individuals.
    #[serde(with = "exact")]
    pub mean: f64,
    /// Of its worst.
    #[serde(with = "exact")]
    pub worst: f64,
    /// How many different template sets were new and had to be scored.
    pub scored: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Individual {
    chromosome: Chromosome,
    error: f64,
}

/// A genetic search between two generations. All it depends on is the space, the evolution and what it was
/// seeded with: random numbers of a generation come from a stream of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenGenetic", into = "WrittenGenetic")]
pub struct Genetic {
    space: Space,
    evolution: Evolution,
    seeded: Option<TemplateSet>,
    /// The last generation, scored; empty before the first.
    population: Vec<Individual>,
    history: Vec<Generation>,
}

impl Genetic {
    /// Nothing searched yet. `seeded`, if it is of the space, is an individual of the first generation, so that
    /// what is found is never worse.
    pub fn new(space: Space, evolution: Evolution, seeded: Option<TemplateSet>) -> Genetic {
        let population = evolution.population.max(SMALLEST_POPULATION);
        let evolution = Evolution { population, ..evolution };
        Genetic { space, evolution, seeded, population: Vec::new(), history: Vec::new() }
    }

    /// How large it is.
    pub fn evolution(&self) -> Evolution {
        self.evolution
    }

    /// What was put into the first generation.
    pub fn seeded(&self) -> Option<&TemplateSet> {
        self.seeded.as_ref()
    }

    /// The errors of each generation so far.
    pub fn history(&self) -> &[Generation] {
        &self.history
    }

    /// Whether all generations are done.
    pub fn is_done(&self) -> bool {
        self.history.len() >= self.evolution.generations
    }

    /// The best template set so far, and its error. The elite survives, so it is one of the last generation.
    pub fn best(&self) -> Option<(TemplateSet, f64)> {
        let individuals = self.population.iter();
        let best = individuals.reduce(|best, next| if next.error < best.error { next } else { best })?;
        Some((self.space.decode(&best.chromosome), best.error))
    }

    /// Breeds and scores the next generation. `score` says the mean error of each set, in order; if it fails,
    /// nothing has changed.
    pub fn generation<E>(&mut self, score: &mut ScoreBatch<'_, E>) -> Result<(), E> {
        let chromosomes = if self.population.is_empty() { self.first() } else { self.next() };
        let sets: Vec<TemplateSet> = chromosomes.iter().map(|one| self.space.decode(one)).collect();
        let mut known: BTreeMap<TemplateSet, f64> = BTreeMap::new();
        for one in &self.population {
            known.insert(self.space.decode(&one.chromosome), one.error);
        }
        let mut new: Vec<TemplateSet> = Vec::new();
        for set in &sets {
            if !known.contains_key(set) && !new.contains(set) {
                new.push(set.clone());
            }
        }
        let errors = scores(score, &new)?;
        let scored = new.len();
        known.extend(new.into_iter().zip(errors));
        let error = |set: &TemplateSet| known.get(set).copied().unwrap_or(f64::MAX);
        let individuals = chromosomes.into_iter().zip(&sets);
        self.population =
            individuals.map(|(chromosome, set)| Individual { chromosome, error: error(set) }).collect();
        let errors = || self.population.iter().map(|one| one.error);
        self.history.push(Generation {
            best: errors().fold(f64::INFINITY, f64::min),
            mean: errors().map(|error| error / self.population.len() as f64).sum(),
            worst: errors().fold(f64::NEG_INFINITY, f64::max),
            scored,
        });
        Ok(())
    }

    /// Random template sets of 1 to the most templates.
    fn first(&self) -> Vec<Chromosome> {
        let mut rng = self.stream();
        let bits = self.space.bits();
        let mut population: Vec<Chromosome> = Vec::with_capacity(self.evolution.population);
        for _ in 0..self.evolution.population {
            let templates = rng.random_range(1..=self.space.most.max(1));
            let genes: Vec<u64> = (0..templates).map(|_| rng.random_range(0..1_u64 << bits)).collect();
            population.push(Chromosome::new(bits, genes));
        }
        if let Some(seeded) = self.seeded.as_ref().and_then(|set| self.space.encode(set)) {
            population[0] = seeded;
        }
        population
    }

    fn next(&self) -> Vec<Chromosome> {
        let chromosomes: Vec<Chromosome> = self.population.iter().map(|one| one.chromosome.clone()).collect();
        let errors: Vec<f64> = self.population.iter().map(|one| one.error).collect();
        breeding::next(&chromosomes, &errors, self.space.most, &mut self.stream())
    }

    /// The random numbers of the generation that comes next.
    fn stream(&self) -> impl RngExt + use<> {
        Seed(self.evolution.seed).stream(&format!("template search, generation {}", self.history.len() + 1))
    }
}

/// A genetic search as a checkpoint has it.
#[derive(Debug, Serialize, Deserialize)]
struct WrittenGenetic {
    space: Space,
    evolution: Evolution,
    seeded: Option<TemplateSet>,
    generation: usize,
    population: Vec<WrittenIndividual>,
    history: Vec<Generation>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WrittenIndividual {
    bits: String,
    #[serde(with = "exact")]
    error: f64,
}

impl From<Genetic> for WrittenGenetic {
    fn from(genetic: Genetic) -> WrittenGenetic {
        let individual =
            |one: Individual| WrittenIndividual { bits: one.chromosome.to_string(), error: one.error };
        WrittenGenetic {
            generation: genetic.history.len(),
            space: genetic.space,
            evolution: genetic.evolution,
            seeded: genetic.seeded,
            population: genetic.population.into_iter().map(individual).collect(),
            history: genetic.history,
        }
    }
}

impl TryFrom<WrittenGenetic> for Genetic {
    type Error = String;

    fn try_from(written: WrittenGenetic) -> Result<Genetic, String> {
        let WrittenGenetic { space, evolution, seeded, generation, population, history } = written;
        if generation != history.len() {
            return Err(format!("generation {generation} has a history of {}", history.len()));
        }
        let expected = if history.is_empty() { 0 } else { evolution.population.max(SMALLEST_POPULATION) };
        if population.len() != expected {
            return Err(format!("{} individuals where {expected} are expected", population.len()));
        }
        let width = space.bits();
        let individual = |one: WrittenIndividual| {
            let chromosome = Chromosome::read(width, &one.bits).filter(|read| read.templates() <= space.most);
            let chromosome = chromosome.ok_or_else(|| format!("{:?} is no template set", one.bits))?;
            Ok(Individual { chromosome, error: one.error })
        };
        let population = population.into_iter().map(individual).collect::<Result<Vec<_>, String>>()?;
        Ok(Genetic { population, history, ..Genetic::new(space, evolution, seeded) })
    }
}

#[cfg(test)]
mod tests;
