//! An online correction of predicted distributions by how far off their quantiles have been.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use super::kept_quantile::KeptQuantile;
use super::{Distribution, LONGEST};

/// The levels at which a quantile function is corrected.
pub const LEVELS: [f64; 13] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];

/// The places of 10 % and 90 % among [`LEVELS`], between which the spread of a forecast is measured.
const SPREAD: (usize, usize) = (2, 10);

/// The quantiles of a forecast at [`LEVELS`], in seconds: what is remembered of it until the outcome is known.
pub type LevelQuantiles = [f64; LEVELS.len()];

/// How forecasts are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConformalSettings {
    /// How many of the last errors count, of all forecasts and of those of each group; at least 1.
    pub window: usize,
    /// How many errors of its own a group needs to count as much as all together; above 0.
    pub enough: f64,
    /// Seconds added to a time before its logarithm is taken: what differs by less hardly differs. Above 0.
    pub offset: f64,
    /// How wide a forecast of a single value counts as, in logarithms: errors are measured in widths of the range from 10 % to
    /// 90 %, so that forecasts that are sure of themselves are moved less than those that are not. Above 0.
    pub narrowest: f64,
    /// How much wider than that any forecast counts as, at most, in logarithms: an error of a forecast that is sure of itself, carried
    /// over in widths to one that spans seconds to days, would be a factor of thousands. From 0 on.
    pub widest: f64,
    /// How far a quantile is moved at most, in logarithms: after a burst of jobs that are alike, the last errors may all be those of
    /// one event. Above 0.
    pub farthest: f64,
}

impl Default for ConformalSettings {
    fn default() -> ConformalSettings {
        ConformalSettings {
            window: 2000,
            enough: 100.0,
            offset: 10.0,
            narrowest: 0.3,
            widest: 1e3,
            farthest: 1e3,
        }
    }
}

impl ConformalSettings {
    /// These settings within what can be computed with.
    fn sound(self) -> ConformalSettings {
        let above = |value: f64, least: f64, default: f64| if value >= least { value } else { default };
        let own = ConformalSettings::default();
        ConformalSettings {
            window: self.window.max(1),
            enough: above(self.enough, 1e-9, own.enough).min(LONGEST),
            offset: above(self.offset, 1e-3, own.offset).min(LONGEST),
            narrowest: above(self.narrowest, 1e-6, own.narrowest).min(1e3),
            widest: above(self.widest, 0.0, own.widest).min(1e3),
            farthest: above(self.farthest, 1e-6, own.farthest).min(1e3),
        }
    }
}

/// Corrects predicted distributions so that, lately, as many outcomes as should be were below each quantile.
///
/// For each level `p` of [`LEVELS`] it remembers the last errors `(ln(y + c) − ln(Q(p) + c)) / w` of uncorrected quantiles,
/// where `w = min(ln(Q(0.9) + c) − ln(Q(0.1) + c), widest) + narrowest` is the width of the forecast, and moves `Q(p)` by the
/// `p`-quantile of these errors times the forecast's own width, at most by `farthest`. A forecast belongs to a group; with `n` errors of the group, its shift counts as
/// `n / (n + enough)`, that of all forecasts as the rest. The caller keeps the [`LevelQuantiles`] of a forecast until its
/// outcome is known.
///
/// What lies on a quantile that has a probability of its own (a wait of zero, the limit of a job) is an error of zero: as long as
/// these make up the level, the quantile stays where it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Conformal {
    settings: ConformalSettings,
    all: ErrorWindow,
    groups: BTreeMap<u64, ErrorWindow>,
}

impl Conformal {
    /// Nothing is corrected before something is learned.
    pub fn new(settings: ConformalSettings) -> Conformal {
        Conformal { settings: settings.sound(), all: ErrorWindow::new(), groups: BTreeMap::new() }
    }

    /// The quantiles of a forecast that are corrected.
    pub fn quantiles(forecast: &Distribution) -> LevelQuantiles {
        LEVELS.map(|level| forecast.quantile(level))
    }

    /// The forecast of a job of this group, corrected. Not capped at a limit, nor given what has passed: that is up to the caller.
    pub fn correct(&self, group: u64, forecast: &Distribution) -> Distribution {
        let quantiles = self.corrected(group, &Conformal::quantiles(forecast));
        let knots: [(f64, f64); LEVELS.len()] =
            std::array::from_fn(|place| (LEVELS[place], quantiles[place]));
        Distribution::quantiles(&knots).unwrap_or_else(|| forecast.clone())
    }

    /// Quantiles of a forecast, corrected; they never fall, and lie between 0 and 10^15 seconds.
    pub fn corrected(&self, group: u64, quantiles: &LevelQuantiles) -> LevelQuantiles {
        let (width, group) = (self.width(quantiles), self.groups.get(&group));
        let own = group.map_or(0.0, |group| group.count() / (group.count() + self.settings.enough));
        let mut corrected: LevelQuantiles = std::array::from_fn(|place| {
            let of_group = group.map_or(0.0, |group| group.shift(place));
            let shift = own * of_group + (1.0 - own) * self.all.shift(place);
            let by = (shift * width).clamp(-self.settings.farthest, self.settings.farthest);
            // What is not moved stays exactly what it is.
            let moved = if shift == 0.0 { quantiles[place] } else { self.moved(quantiles[place], by) };
            if moved.is_nan() { 0.0 } else { moved.clamp(0.0, LONGEST) }
        });
        straighten(&mut corrected);
        corrected
    }

    /// The outcome of a forecast of which these were the quantiles before they were corrected. Outcomes that are no number, or
    /// below zero, teach nothing.
    pub fn learn(&mut self, group: u64, quantiles: &LevelQuantiles, actual: f64) {
        if !(0.0..=LONGEST).contains(&actual) || !quantiles.iter().all(|time| time.is_finite()) {
            return;
        }
        let (width, log) = (self.width(quantiles), self.log(actual));
        let errors = quantiles.map(|quantile| (log - self.log(quantile)) / width);
        let window = self.settings.window;
        self.all.learn(&errors, window);
        self.groups.entry(group).or_insert_with(ErrorWindow::new).learn(&errors, window);
    }

    /// How many outcomes the corrections of this group stand on, and those of all.
    pub fn learned(&self, group: u64) -> (usize, usize) {
        (self.groups.get(&group).map_or(0, |group| group.recent.len()), self.all.recent.len())
    }

    fn log(&self, time: f64) -> f64 {
        (time.max(0.0) + self.settings.offset).ln()
    }

    fn moved(&self, time: f64, by: f64) -> f64 {
        (self.log(time) + by).exp() - self.settings.offset
    }

    fn width(&self, quantiles: &LevelQuantiles) -> f64 {
        let spread = self.log(quantiles[SPREAD.1]) - self.log(quantiles[SPREAD.0]);
        spread.clamp(0.0, self.settings.widest) + self.settings.narrowest
    }
}

/// Makes quantiles that fall in places never fall: each becomes the middle of the greatest up to it and the least from it on.
fn straighten(quantiles: &mut LevelQuantiles) {
    let mut least = *quantiles;
    for place in (1..least.len()).rev() {
        least[place - 1] = least[place - 1].min(least[place]);
    }
    let mut greatest = 0.0_f64;
    for (quantile, least) in quantiles.iter_mut().zip(least) {
        greatest = greatest.max(*quantile);
        *quantile = (greatest + least) / 2.0;
    }
}

/// The last errors at each level.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "StoredErrors")]
struct ErrorWindow {
    /// A ring: the oldest is overwritten first.
    recent: Vec<LevelQuantiles>,
    oldest: usize,
    /// The quantile of the errors at each level.
    kept: [KeptQuantile; LEVELS.len()],
}

/// The errors in the order of the ring, and the place of the oldest: all that must be stored.
#[derive(Deserialize)]
struct StoredErrors(Vec<LevelQuantiles>, usize);

impl From<StoredErrors> for ErrorWindow {
    fn from(StoredErrors(recent, oldest): StoredErrors) -> ErrorWindow {
        let kept = std::array::from_fn(|place| {
            KeptQuantile::of(LEVELS[place], recent.iter().map(|errors| errors[place]))
        });
        ErrorWindow { recent, oldest, kept }
    }
}

impl Serialize for ErrorWindow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.recent, self.oldest).serialize(serializer)
    }
}

impl ErrorWindow {
    fn new() -> ErrorWindow {
        StoredErrors(Vec::new(), 0).into()
    }

    fn count(&self) -> f64 {
        self.recent.len() as f64
    }

    /// The quantile of the errors at this level, in widths.
    fn shift(&self, place: usize) -> f64 {
        self.kept[place].value()
    }

    fn learn(&mut self, errors: &LevelQuantiles, window: usize) {
        let mut gone = None;
        if self.recent.len() < window {
            self.recent.push(*errors);
        } else {
            gone = Some(std::mem::replace(&mut self.recent[self.oldest], *errors));
            self.oldest = (self.oldest + 1) % window;
        }
        let recent = &self.recent;
        for (place, kept) in self.kept.iter_mut().enumerate() {
            let gone = gone.map(|gone| gone[place]);
            kept.change(LEVELS[place], errors[place], gone, || recent.iter().map(|errors| errors[place]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) {
        assert!((one - other).abs() <= 1e-9 * other.abs().max(1.0), "{one} {other}");
    }

    /// A sequence without a pattern, from 0 to 1.
    fn shares(count: usize) -> impl Iterator<Item = f64> {
        let mut number = 1_u64;
        (0..count).map(move |_| {
            number = number * 48271 % 2_147_483_647;
            number as f64 / 2_147_483_647.0
        })
    }

    fn settings() -> ConformalSettings {
        ConformalSettings { offset: 1.0, narrowest: 1.0, ..ConformalSettings::default() }
    }

    /// The median of the corrected forecast.
    fn median(conformal: &Conformal, group: u64, forecast: f64) -> f64 {
        conformal.correct(group, &Distribution::point(forecast)).quantile(0.5)
    }

    #[test]
    fn nothing_is_corrected_before_something_is_learned() {
        let conformal = Conformal::new(settings());
        let forecast = Distribution::interval(10.0, 20.0, 40.0, 0.8);
        let corrected = conformal.correct(7, &forecast);
        for level in LEVELS {
            close(corrected.quantile(level), forecast.quantile(level));
        }
        assert_eq!(conformal.learned(7), (0, 0));
    }

    #[test]
    fn shifts_are_worked_by_hand() {
        // Points of 99 s with an offset of 1 s: 100; outcomes of 10, 100, 1000, less the same second: errors of −1, 0, 1 decades.
        let mut conformal = Conformal::new(settings());
        for actual in [999.0, 9.0, 99.0] {
            conformal.learn(0, &[99.0; LEVELS.len()], actual);
        }
        assert_eq!(conformal.learned(0), (3, 3));
        let corrected = conformal.corrected(0, &[99.0; LEVELS.len()]);
        // The middle error is 0. The level 0.3 is at 0.3 · 4 − 1 = 0.2 of the way from the first to the second error: −0.8 decades.
        close(corrected[6], 99.0);
        close(corrected[4], 100.0 * 10f64.powf(-0.8) - 1.0);
        close(corrected[8], 100.0 * 10f64.powf(0.8) - 1.0);
        close(corrected[0], 9.0);
        close(corrected[12], 999.0);
        // In another group it is the errors of all that count, here the same.
        close(conformal.corrected(1, &[99.0; LEVELS.len()])[4], corrected[4]);
        // A forecast that spans 10 to 100 with its offset is ln 10 + 1 wide, so an error of one decade moves it by as many.
        let mut wide = [9.0; LEVELS.len()];
        wide[7..].fill(99.0);
        let width = 10f64.ln() + 1.0;
        close(conformal.corrected(0, &wide)[12], 100.0 * 10f64.powf(width) - 1.0);
        // Where none counts as wider than 1.5, by as many.
        let mut limited = Conformal::new(ConformalSettings { widest: 0.5, ..settings() });
        for actual in [999.0, 9.0, 99.0] {
            limited.learn(0, &[99.0; LEVELS.len()], actual);
        }
        close(limited.corrected(0, &wide)[12], 100.0 * 10f64.powf(1.5) - 1.0);
        // Where none is moved by more than a factor of e, by that.
        let mut held = Conformal::new(ConformalSettings { farthest: 1.0, ..settings() });
        for actual in [999.0, 9.0, 99.0] {
            held.learn(0, &[99.0; LEVELS.len()], actual);
        }
        let corrected = held.corrected(0, &[99.0; LEVELS.len()]);
        close(corrected[12], 100.0 * 1f64.exp() - 1.0);
        close(corrected[0], 100.0 / 1f64.exp() - 1.0);
        close(corrected[6], 99.0);
    }

    #[test]
    fn the_window_forgets_and_the_order_of_errors_is_kept() {
        let settings = ConformalSettings { window: 20, ..settings() };
        let mut conformal = Conformal::new(settings);
        let actuals: Vec<f64> = shares(500).map(|share| (share * 900.0).floor()).collect();
        for &actual in &actuals {
            conformal.learn(0, &[99.0; LEVELS.len()], actual);
        }
        let mut last_only = Conformal::new(settings);
        for &actual in &actuals[480..] {
            last_only.learn(0, &[99.0; LEVELS.len()], actual);
        }
        let quantiles = [50.0; LEVELS.len()];
        assert_eq!(conformal.corrected(0, &quantiles), last_only.corrected(0, &quantiles));
        assert_eq!(conformal.all.recent.len(), 20);
        // Control: with what is forgotten it would be another correction.
        let mut longer = Conformal::new(ConformalSettings { window: 500, ..settings });
        actuals.iter().for_each(|&actual| longer.learn(0, &[99.0; LEVELS.len()], actual));
        assert_ne!(conformal.corrected(0, &quantiles), longer.corrected(0, &quantiles));
    }

    #[test]
    fn a_group_counts_by_how_much_it_has() {
        let settings = ConformalSettings { enough: 50.0, ..settings() };
        let mut conformal = Conformal::new(settings);
        // All of group 1 take ten times as long as predicted, all of group 2 as long as predicted.
        for _ in 0..50 {
            conformal.learn(1, &[99.0; LEVELS.len()], 999.0);
        }
        for _ in 0..150 {
            conformal.learn(2, &[99.0; LEVELS.len()], 99.0);
        }
        // The median of all errors is 0. Half of group 1's decade, as it has 50 errors.
        close(median(&conformal, 1, 99.0), 100.0 * 10f64.sqrt() - 1.0);
        close(median(&conformal, 2, 99.0), 99.0);
        close(median(&conformal, 3, 99.0), 99.0);
    }

    /// The share of the last outcomes inside the corrected range from 10 % to 90 %, where a forecast of [`LEVELS`] as shares of
    /// 100 s meets outcomes that are `factor` of their place in the sequence times as long.
    fn coverage(count: usize, factor: impl Fn(usize) -> f64) -> f64 {
        let mut conformal = Conformal::new(settings());
        let quantiles = LEVELS.map(|level| 100.0 + 100.0 * level);
        let (mut inside, mut judged) = (0, 0);
        for (place, share) in shares(count).enumerate() {
            let actual = (100.0 + 100.0 * share) * factor(place);
            let corrected = conformal.corrected(0, &quantiles);
            if place >= count / 2 {
                judged += 1;
                inside += usize::from((corrected[2]..=corrected[10]).contains(&actual));
            }
            conformal.learn(0, &quantiles, actual);
        }
        100.0 * f64::from(u32::try_from(inside).unwrap()) / f64::from(judged)
    }

    #[test]
    fn wrong_forecasts_come_to_cover_what_they_should() {
        for (name, covered) in [
            ("right", coverage(8000, |_| 1.0)),
            ("too short", coverage(8000, |_| 30.0)),
            ("too narrow", coverage(8000, |place| if place % 2 == 0 { 0.1 } else { 10.0 })),
        ] {
            assert!((78.0..=82.0).contains(&covered), "{name}: {covered}");
        }
        // Control: uncorrected, the second would cover nothing.
        let quantiles = LEVELS.map(|level| 100.0 + 100.0 * level);
        assert!(quantiles[10] < 100.0 * 30.0);
    }

    #[test]
    fn masses_at_zero_and_at_a_limit_stay_where_they_are() {
        let mut conformal = Conformal::new(settings());
        // Six of ten waits are zero, as predicted; three of ten reach the limit of an hour, as predicted.
        let quantiles: LevelQuantiles = LEVELS.map(|level| {
            if level < 0.6 {
                0.0
            } else if level < 0.7 {
                60.0
            } else {
                3600.0
            }
        });
        for place in 0..1000 {
            let actual = match place % 10 {
                0..6 => 0.0,
                6 => 60.0,
                _ => 3600.0,
            };
            conformal.learn(0, &quantiles, actual);
        }
        let corrected = conformal.corrected(0, &quantiles);
        for place in (0..6).chain(9..LEVELS.len()) {
            close(corrected[place], quantiles[place]);
        }
        // Once all wait up to the limit, zero does not stay.
        for _ in 0..1000 {
            conformal.learn(0, &quantiles, 3600.0);
        }
        assert!(conformal.corrected(0, &quantiles)[6] > 60.0);
    }

    #[test]
    fn corrected_quantiles_never_fall_and_odd_input_teaches_nothing() {
        let mut falling: LevelQuantiles = LEVELS.map(|level| 100.0 * level);
        (falling[3], falling[4]) = (falling[4], falling[3]);
        straighten(&mut falling);
        close(falling[3], 25.0);
        close(falling[4], 25.0);
        close(falling[5], 40.0);

        let mut conformal = Conformal::new(ConformalSettings {
            window: 0,
            enough: f64::NAN,
            offset: -1.0,
            narrowest: 0.0,
            widest: f64::NAN,
            farthest: 0.0,
        });
        for actual in [f64::NAN, f64::INFINITY, -1.0, 2e15] {
            conformal.learn(0, &[1.0; LEVELS.len()], actual);
        }
        conformal.learn(0, &[f64::NAN; LEVELS.len()], 1.0);
        assert_eq!(conformal.learned(0), (0, 0));
        for share in shares(300) {
            conformal.learn(0, &LEVELS.map(|level| share * 1e15 * level), 1e15 * (1.0 - share));
            let corrected = conformal.correct(0, &Distribution::point(1e15));
            let quantiles: Vec<f64> = LEVELS.iter().map(|&level| corrected.quantile(level)).collect();
            assert!(quantiles.is_sorted() && quantiles.iter().all(|time| (0.0..=1e15).contains(time)));
        }
        assert_eq!(conformal.learned(0), (1, 1), "a window of at least one");
    }
}
