//! Root search for non-decreasing functions.

/// Moments are counted in parts of a second, so that an answer does not depend on where the search began.
const TICKS: f64 = 1024.0;

/// The most steps that follow the hints; after these the range is halved at each step, whatever the function.
const LEAPS: usize = 12;

/// A moment from now, in 1024ths of a second.
pub(super) type Tick = i64;

/// In seconds.
pub(super) fn seconds(tick: Tick) -> f64 {
    tick as f64 / TICKS
}

/// The first tick that is not before this time.
pub(super) fn tick(seconds: f64) -> Tick {
    (seconds * TICKS).ceil() as Tick
}

/// How much there is at some moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub amount: f64,
    /// How fast it grows, per second.
    pub slope: f64,
    /// How fast that slackens.
    pub slack: f64,
}

impl Level {
    /// Ticks until the amount should reach `target`, if it goes on growing as the logarithm of the time since some moment; or
    /// linearly, if growth does not slacken. Any number if that makes no sense.
    fn ahead(&self, target: f64) -> f64 {
        let missing = (target - self.amount) / self.slope;
        if self.slack > 0.0 {
            let since = self.slope / self.slack;
            return since * (missing / since).exp_m1() * TICKS;
        }
        missing * TICKS
    }
}

/// A moment, and how much there is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub tick: Tick,
    pub level: Level,
}

/// The first tick from `from` on at which `level` is at least `target`. `level` says of seconds from now how much there
/// is, which never falls; its slope and slack are only hints. At `by` there must be enough.
///
/// Steps by slope and slack, kept within what is known; after some, bisection: at first of the logarithm of time, then of
/// time.
pub(super) fn first(target: f64, from: Found, by: Tick, mut level: impl FnMut(f64) -> Level) -> Found {
    if from.level.amount >= target {
        return from;
    }
    let (mut short, mut enough, mut here) = (from.tick, None, from);
    for step in 0.. {
        let end = enough.map_or(by, |enough: Found| enough.tick);
        if end - short <= 1 {
            break;
        }
        let ahead = here.level.ahead(target).ceil();
        let leap = here.tick.saturating_add(if ahead.is_finite() { ahead as Tick } else { Tick::MAX });
        // From a tick that is enough, a step of less than a tick asks whether it is the first.
        let leap = if here.tick == end && leap == end { end - 1 } else { leap };
        let tick = if step < LEAPS && short < leap && leap < end { leap } else { middle(short, end) };
        here = Found { tick, level: level(seconds(tick)) };
        if here.level.amount >= target {
            enough = Some(here);
        } else {
            short = tick;
        }
    }
    enough.unwrap_or_else(|| Found { tick: by, level: level(seconds(by)) })
}

/// Between two ticks that are not neighbours.
fn middle(short: Tick, enough: Tick) -> Tick {
    let (low, high) = (short as f64 + 1.0, enough as f64 + 1.0);
    let between = if high > 4.0 * low { (low * high).sqrt() as Tick } else { short + (enough - short) / 2 };
    between.clamp(short + 1, enough - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(target: f64, from: Tick, by: Tick, mut level: impl FnMut(f64) -> Level) -> Tick {
        let start = Found { tick: from, level: level(seconds(from)) };
        let found = first(target, start, by, &mut level);
        assert_eq!(found.level.amount, level(seconds(found.tick)).amount);
        found.tick
    }

    /// By trying every tick.
    fn slow(target: f64, by: Tick, level: impl Fn(f64) -> f64) -> Tick {
        (0..=by).find(|&tick| level(seconds(tick)) >= target).unwrap()
    }

    #[test]
    fn finds_the_first_whatever_the_slope_claims() {
        let curves: [fn(f64) -> f64; 5] = [
            |t| t,
            |t| t.sqrt(),
            |t| t * t,
            |t| if t < 3.21 { 0.0 } else { 9.0 },
            |t| (t * 2.0).floor() / 2.0,
        ];
        let slopes = [0.0, 1e-300, 0.5, 1.0, 1e300, f64::NAN, f64::INFINITY, -1.0];
        for curve in curves {
            for (slope, slack) in slopes.into_iter().flat_map(|slope| slopes.map(|slack| (slope, slack))) {
                for target in [1e-9, 0.3, 1.0, 2.7, 3.0] {
                    let mut asked = 0;
                    let found = search(target, 0, tick(10.0), |t| {
                        asked += 1;
                        Level { amount: curve(t), slope, slack }
                    });
                    assert_eq!(found, slow(target, tick(10.0), curve), "{target} {slope} {slack}");
                    assert!(asked <= LEAPS + 21, "{asked}");
                }
            }
        }
    }

    #[test]
    fn true_hints_take_few_steps() {
        let asked = |hints: fn(f64) -> (f64, f64)| {
            let mut asked = 0;
            let found = search(9.0, 0, tick(1e15), |t| {
                asked += 1;
                let (slope, slack) = hints(1.0 + t);
                Level { amount: (1.0 + t).ln(), slope, slack }
            });
            assert!((seconds(found) - (9f64.exp() - 1.0)).abs() <= 1.0 / TICKS);
            asked
        };
        assert!(asked(|since| (1.0 / since, 1.0 / (since * since))) <= 5);
        assert!(asked(|since| (1.0 / since, 0.0)) <= LEAPS + 4);
        // Control: halving alone takes longer.
        assert!(asked(|_| (0.0, 0.0)) > LEAPS + 10);
    }

    #[test]
    fn enough_at_once_is_found_at_once() {
        let level = |amount: f64| Level { amount, slope: 0.0, slack: 0.0 };
        assert_eq!(search(1.0, 77, 1000, |_| level(1.0)), 77);
        assert_eq!(search(1.0, 0, 1, |t| level(if t > 0.0 { 1.0 } else { 0.0 })), 1);
    }
}
