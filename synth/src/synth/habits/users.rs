//! The users and their applications.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand_distr::{Distribution, Geometric, LogNormal};

use super::Habits;
use crate::synth::round_up;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;

/// A user.
#[derive(Debug, Clone)]
pub(super) struct HabitUser {
    /// Relative number of sessions.
    pub activity: f64,
    pub applications: Vec<HabitApplication>,
}

/// A program that a user runs repeatedly.
#[derive(Debug, Clone)]
pub(super) struct HabitApplication {
    /// Distinct among all applications of all users.
    pub number: u32,
    pub procs: u32,
    /// Its median run time.
    pub typical: Seconds,
    /// The standard deviation of the logarithm of its run times: 0.1 is ten percent up or down.
    pub spread: f64,
    /// The usual requested time.
    pub request: Seconds,
    /// Whether it runs into its limit.
    pub endless: bool,
}

impl HabitApplication {
    pub(super) fn name(&self) -> String {
        format!("app{:03}", self.number + 1)
    }
}

/// A log-normal distribution by its median and the standard deviation of its logarithm.
pub(super) fn around(median: f64, spread: f64) -> LogNormal<f64> {
    // Fails only for a spread that is negative or not finite; it is a literal or drawn from a finite range.
    LogNormal::new(median.ln(), spread).expect("a finite spread")
}

/// All users, the most active first.
pub(super) fn users(habits: &Habits, seed: Seed) -> Vec<HabitUser> {
    let mut rng = seed.stream("habits/people");
    // How many applications beyond the first: three on average. Fails only outside 0 to 1.
    let more = Geometric::new(0.25).expect("a probability");
    let mut number = 0;
    let mut user = |rank: u32| {
        // A factor shared by all applications of a user, whose jobs resemble each other.
        let pace = around(1.0, 0.6).sample(&mut rng);
        // Some users always request the longest time.
        let cautious = rng.random_bool(0.12);
        let count = 1 + more.sample(&mut rng).min(9);
        let mut applications = Vec::new();
        for _ in 0..count {
            applications.push(application(habits, number, pace, cautious, &mut rng));
            number += 1;
        }
        // Zipf's law without its first ranks, so that the most active users do not dominate.
        HabitUser { activity: 1.0 / (f64::from(rank) + 4.0), applications }
    };
    (0..habits.users).map(&mut user).collect()
}

/// The longest median run time of an application on the whole machine.
const LARGEST: Seconds = Seconds(3600);

fn application(
    habits: &Habits,
    number: u32,
    pace: f64,
    cautious: bool,
    rng: &mut ChaCha8Rng,
) -> HabitApplication {
    let procs = size(habits.procs, rng);
    // Short and long applications; larger ones are more often long (as in Lublin & Feitelson 2003).
    let bigness = f64::from(procs).log2() / f64::from(habits.procs).log2().max(1.0);
    let long = rng.random_bool(0.36 + 0.24 * bigness);
    let typical = if long { around(9000.0, 1.0) } else { around(150.0, 1.2) };
    // Larger applications have shorter limits.
    let most =
        (LARGEST.0 as f64 * f64::from(habits.procs) / f64::from(procs)).min(0.9 * habits.longest.0 as f64);
    let typical = (typical.sample(rng) * pace).clamp(1.0, most);
    let spread = rng.random_range(0.05..0.5);
    let padded = typical * around(habits.overestimate, 0.8).sample(rng).max(1.1);
    let request = if cautious && long { habits.longest } else { Seconds(padded.ceil() as i64) };
    HabitApplication {
        number,
        procs,
        typical: Seconds(typical.round() as i64),
        spread,
        request: round_up(request, habits.longest),
        endless: rng.random_bool(habits.endless),
    }
}

/// Draws a size: a quarter of the applications are serial; other sizes are log-uniform, mostly rounded to a power of two,
/// mostly up to an eighth of the machine, and at most half of it.
fn size(machine: u32, rng: &mut ChaCha8Rng) -> u32 {
    if machine == 1 || rng.random_bool(0.25) {
        return 1;
    }
    let most = f64::from(machine).log2();
    let most = (if rng.random_bool(0.9) { most - 3.0 } else { most - 1.0 }).max(1.0);
    let exponent = rng.random_range(0.5..=most.max(0.5));
    let exact = if rng.random_bool(0.85) { exponent.round() } else { exponent };
    (exact.exp2().round() as u32).clamp(1, machine)
}
