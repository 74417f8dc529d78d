//! Wait predictors by name.

mod range_point;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::range_point::RangePoint;
use self::range_point::range_point;
use super::planned::{PlannedRuns, PlannedWaits};
use super::starts::{ModelledWaits, SimulatedWaits, TreeSettings};
use queuecast_core::spec::{Also, Form, SettingKey, Settings, Spec, SpecError, conversions};
use queuecast_core::units::Seconds;
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_wait::{
    BinomialBound, BoundGroups, FeatureDistance, InstanceBased, LearnedWaits, Nearest, NearestRegression,
    PastWaits, QueueAhead, QuickStarters, Ranges, Regression, WithOverruns, ZeroWait,
};

/// How waits are predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum WaitMethod {
    /// What `when` answers with: the first of the methods that it tries by default, unless another had better ranges for the last jobs
    /// beyond chance.
    Best,
    /// Every job starts at once.
    Zero,
    /// The distribution of the last waits in the job's queue.
    Past {
        /// How many.
        window: usize,
    },
    /// Nearest neighbours for the point and a support vector machine for the probabilities of classes (Kumar & Vadhiyar 2014).
    Ranges {
        /// How many jobs the history has.
        window: usize,
        /// Whose points they are.
        point: RangePoint,
        /// Whether quick starters are looked for first.
        quick: bool,
        /// Whether the remaining time of a running job that overran its request counts as negative.
        overruns: bool,
    },
    /// Monte Carlo simulation of the site with drawn run times and arrivals.
    Simulated {
        /// How many simulations make an answer.
        draws: u32,
        /// How it schedules; `None`: by EASY, its queue in the order that it was seen to prefer.
        policy: Option<Backfill>,
    },
    /// Boosted trees over facts of the arrival and simulated starts.
    Trees(TreeSettings),
    /// One simulation of the queue under EASY backfilling.
    Planned {
        /// How long jobs run in it.
        runs: PlannedRuns,
    },
    /// Quick starters: jobs that start within an hour.
    Quick {
        /// How many jobs the history has.
        window: usize,
    },
    /// Dynamic-k nearest neighbours (Kumar & Vadhiyar 2014).
    Nearest {
        /// How many jobs the history has.
        window: usize,
        /// How far apart two jobs are.
        distance: FeatureDistance,
        /// Regression over the neighbours for the point; else their weighted mean.
        by: Option<Regression>,
        /// Whether the remaining time of a running job that overran its request counts as negative.
        overruns: bool,
    },
    /// The binomial bound on a quantile of past waits (QBETS, Nurmi, Brevik & Wolski 2007).
    Bound {
        /// Which quantile.
        quantile: f64,
        /// The probability that it is not above the bound.
        confidence: f64,
        /// Which jobs are similar.
        groups: BoundGroups,
        /// Misses in a row that cut a history; `None`: by its autocorrelation.
        misses: Option<usize>,
    },
    /// Instance-based learning (Li, Groep & Wolters 2004 to 2006).
    Instances {
        /// How many jobs the history has.
        window: usize,
        /// That of a fixed kernel; `None`: tuned on the past.
        width: Option<f64>,
        /// Whether the remaining time of a running job that overran its request counts as negative.
        overruns: bool,
    },
    /// The queue times of Downey 1997 for a job behind others.
    Ahead {
        /// From how many benefactors on predictor A is used; `None` for B alone.
        benefactors: Option<u32>,
    },
}

impl WaitMethod {
    /// A predictor that has learned nothing. `default_request` stands in for a missing requested time.
    pub fn build(&self, default_request: Seconds) -> Box<dyn LearnedWaits> {
        let predictor = self.build_on_features(default_request);
        if self.counts_overruns() {
            Box::new(WithOverruns::new(predictor, default_request))
        } else {
            predictor
        }
    }

    /// As [`WaitMethod::build`], for a caller that already adds overruns to the features it passes.
    pub(crate) fn build_on_features(&self, default_request: Seconds) -> Box<dyn LearnedWaits> {
        match self.clone() {
            WaitMethod::Zero => Box::new(ZeroWait),
            WaitMethod::Past { window } => Box::new(PastWaits::new(window)),
            WaitMethod::Ranges { window, point, quick, .. } => Box::new(ranges(window, point, quick)),
            WaitMethod::Bound { quantile, confidence, groups, misses } => {
                let bound = BinomialBound::new(quantile, confidence).grouped(groups);
                Box::new(misses.map_or_else(|| bound.clone(), |misses| bound.clone().cut_after(misses)))
            }
            WaitMethod::Instances { window, width, .. } => Box::new(instances(window, width)),
            WaitMethod::Ahead { benefactors } => Box::new(QueueAhead::new(benefactors)),
            WaitMethod::Simulated { draws, policy } => {
                Box::new(SimulatedWaits::new(draws, policy, &run_times(), default_request))
            }
            WaitMethod::Best => WaitMethod::Trees(TreeSettings::default()).build_on_features(default_request),
            WaitMethod::Trees(settings) => {
                Box::new(ModelledWaits::new(settings, &run_times(), default_request))
            }
            WaitMethod::Planned { runs } => {
                Box::new(PlannedWaits::new(Backfill::easy(), runs, default_request))
            }
            WaitMethod::Quick { window } => Box::new(QuickStarters::new(window)),
            WaitMethod::Nearest { window, distance, by: None, .. } => {
                Box::new(Nearest::new(window, distance))
            }
            WaitMethod::Nearest { window, distance, by: Some(by), .. } => {
                Box::new(NearestRegression::new(window, distance, by))
            }
        }
    }

    /// Whether the remaining time of a running job that overran its request counts as negative.
    pub fn counts_overruns(&self) -> bool {
        match self {
            WaitMethod::Ranges { overruns, .. }
            | WaitMethod::Nearest { overruns, .. }
            | WaitMethod::Instances { overruns, .. } => *overruns,
            _ => false,
        }
    }

    /// Whether it simulates the site as it is.
    pub(super) fn is_simulated(&self) -> bool {
        matches!(self, WaitMethod::Simulated { .. })
    }

    /// How many earlier arrivals the method needs to be told of before it is asked, at most.
    pub fn remembered(&self) -> usize {
        match self {
            // Of those before, few start later than the window begins.
            WaitMethod::Trees(settings) => settings.window,
            WaitMethod::Best => WaitMethod::Trees(TreeSettings::default()).remembered(),
            // Overruns are added to the features at arrival, so all arrivals are needed.
            _ if self.counts_overruns() => usize::MAX,
            _ => 0,
        }
    }
}

/// How long jobs are expected to run in simulations.
fn run_times() -> PredictorSpec {
    PredictorSpec::Mixture(Default::default())
}

/// The predictor of [`WaitMethod::Ranges`].
pub(crate) fn ranges(window: usize, point: RangePoint, quick: bool) -> Ranges {
    let point: Box<dyn LearnedWaits> = match point {
        RangePoint::Nearest(distance) => Box::new(Nearest::new(window, distance)),
        RangePoint::Instances(width) => Box::new(instances(window, width)),
    };
    let ranges = Ranges::new(point, window, window);
    if quick { ranges.with_quick_starters() } else { ranges }
}

fn instances(window: usize, width: Option<f64>) -> InstanceBased {
    let tuned = InstanceBased::new(window);
    match width {
        Some(width) => tuned.with_width(width),
        None => tuned,
    }
}

/// The settings of a distance, a width and overruns that differ from their defaults.
fn written(distance: FeatureDistance, width: Option<f64>, overruns: bool) -> impl Iterator<Item = String> {
    let distance = (distance != FeatureDistance::default()).then(|| format!("distance={distance}"));
    let width = width.map(|width| format!("width={width}"));
    distance.into_iter().chain(width).chain(overruns.then(|| "overruns".to_owned()))
}

impl fmt::Display for WaitMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut settings = Vec::new();
        let mut size = |window: usize, default: usize| {
            if window != default {
                settings.push(window.to_string());
            }
        };
        let name = match self.clone() {
            WaitMethod::Best => "best",
            WaitMethod::Zero => "zero",
            WaitMethod::Past { window } => {
                size(window, PastWaits::WINDOW);
                "past"
            }
            WaitMethod::Bound { quantile, confidence, groups, misses } => {
                let is_given = confidence != BinomialBound::CONFIDENCE;
                if is_given || quantile != BinomialBound::QUANTILE {
                    settings.push(quantile.to_string());
                }
                settings.extend(is_given.then(|| confidence.to_string()));
                settings.extend((groups != BoundGroups::default()).then(|| format!("groups={groups}")));
                settings.extend(misses.map(|misses| format!("misses={misses}")));
                "qbets"
            }
            WaitMethod::Instances { window, width, overruns } => {
                size(window, InstanceBased::WINDOW);
                settings.extend(written(FeatureDistance::default(), width, overruns));
                "ibl"
            }
            WaitMethod::Ahead { benefactors: None } => "downey:b",
            WaitMethod::Ahead { benefactors: Some(0 | 1) } => "downey:a",
            WaitMethod::Ahead { .. } => "downey",
            WaitMethod::Ranges { window, point, quick, overruns } => {
                size(window, Ranges::WINDOW);
                settings.extend(match point {
                    RangePoint::Nearest(distance) => written(distance, None, overruns).collect(),
                    RangePoint::Instances(width) => {
                        let others = written(FeatureDistance::default(), width, overruns);
                        std::iter::once("point=ibl".to_owned()).chain(others).collect::<Vec<_>>()
                    }
                });
                settings.extend(quick.then(|| "quick".to_owned()));
                "ranges"
            }
            WaitMethod::Simulated { draws, policy } => {
                size(draws as usize, SimulatedWaits::DRAWS as usize);
                settings.extend(policy.map(|policy| format!("policy={policy}")));
                "simulated"
            }
            WaitMethod::Trees(model) => {
                let usual = TreeSettings::default();
                size(model.window, usual.window);
                settings.extend((model.refit != usual.refit).then(|| format!("refit={}", model.refit)));
                settings.extend((model.draws != usual.draws).then(|| format!("draws={}", model.draws)));
                settings.extend((!model.simulates).then(|| "simulate=no".to_owned()));
                "trees"
            }
            WaitMethod::Planned { runs } => {
                settings.extend((runs != PlannedRuns::default()).then(|| runs.to_string()));
                "planned"
            }
            WaitMethod::Quick { window } => {
                size(window, QuickStarters::WINDOW);
                "quick"
            }
            WaitMethod::Nearest { window, distance, by, overruns } => {
                size(window, Nearest::WINDOW);
                settings.extend(written(distance, None, overruns));
                settings.extend(by.map(|by| format!("by={by}")));
                "knn"
            }
        };
        f.write_str(name)?;
        if settings.is_empty() { Ok(()) } else { write!(f, ":{}", settings.join(",")) }
    }
}

impl Spec for WaitMethod {
    const KIND: &'static str = "wait predictor";

    fn forms() -> Vec<Form> {
        const WINDOW: SettingKey = SettingKey::new("window", "JOBS").placed();
        const DISTANCE: SettingKey = SettingKey::spec("distance", FeatureDistance::forms);
        const WIDTH: SettingKey = SettingKey::new("width", "WIDTH");
        const OVERRUNS: SettingKey = SettingKey::flag("overruns");
        const FORMS: &[Form] = &[
            Form::new(
                "best",
                "what when answers with: trees, unless simulated, knn or past had better ranges for the last 500 jobs beyond chance",
            ),
            Form::new("zero", "every job starts at once"),
            Form::new("past", "the last waits (200) in the job's queue").with(
                "[:JOBS]",
                &[WINDOW],
                "past:500",
            ),
            Form::new(
                "knn",
                "the waits of similar jobs in similar states among the last 5000, or a regression over them",
            )
            .with(
                "[:JOBS,distance=…,by=REGRESSION,overruns]",
                &[WINDOW, DISTANCE, SettingKey::spec("by", Regression::forms), OVERRUNS],
                "knn:distance=element",
            ),
            Form::new(
                "ranges",
                "knn, with the probabilities of a support vector machine trained every 5000 starts",
            )
            .with(
                "[:JOBS,point=…,distance=…,width=…,quick,…]",
                &[
                    WINDOW,
                    SettingKey::new("point", "knn|ibl"),
                    DISTANCE,
                    WIDTH,
                    OVERRUNS,
                    SettingKey::flag("quick"),
                ],
                "ranges:quick",
            ),
            Form::new(
                "simulated",
                "the site run on (200 times) with drawn run times and arrivals, in the order it was seen to prefer",
            )
            .with(
                "[:DRAWS,policy=POLICY]",
                &[SettingKey::new("draws", "DRAWS").placed(), SettingKey::spec("policy", Backfill::forms)],
                "simulated:1000,policy=easy",
            ),
            Form::new(
                "trees",
                "boosted trees over the job, the queue, recent waits and simulated starts of the last 30000 jobs",
            )
            .with(
                "[:JOBS,refit=N,draws=N,simulate=no]",
                &[
                    WINDOW,
                    SettingKey::new("refit", "N"),
                    SettingKey::new("draws", "DRAWS"),
                    SettingKey::new("simulate", "yes|no"),
                ],
                "trees:20000",
            ),
            Form::new(
                "planned",
                "the queue run on under EASY once, with run times as requested or assumed shorter",
            )
            .with(
                "[:requested|recent|QUANTILE]",
                &[SettingKey::new("runs", "requested|recent|QUANTILE").placed()],
                "planned:0.9",
            ),
            Form::new(
                "quick",
                "whether it starts within an hour, by similar jobs while the machine was occupied alike",
            )
            .with("[:JOBS]", &[WINDOW], "quick:2000"),
            Form::new(
                "qbets",
                "the bound (confidence 0.95) on a quantile (0.95) of the waits of similar jobs",
            )
            .with(
                "[:QUANTILE[:CONFIDENCE],groups=…,misses=N]",
                &[
                    SettingKey::new("quantile", "QUANTILE").placed(),
                    SettingKey::new("confidence", "CONFIDENCE").placed(),
                    SettingKey::spec("groups", BoundGroups::forms),
                    SettingKey::new("misses", "N"),
                ],
                "qbets:0.9:0.8",
            )
            .also(Also::Colons),
            Form::new("ibl", "instance-based learning, tuned on the past, over the last jobs (5000)").with(
                "[:JOBS,width=WIDTH,overruns]",
                &[WINDOW, WIDTH, OVERRUNS],
                "ibl:2000",
            ),
            Form::new(
                "downey",
                "by the ages of running jobs, first come, first served: predictor a, b or both",
            )
            .with("[:a|b]", &[SettingKey::new("predictor", "a|b").placed()], "downey:b"),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<WaitMethod, SpecError> {
        let window = |default: usize| {
            let given = settings.value("window");
            given.map_or(Ok(default), |value| {
                value.whole(1..=1_000_000).map_err(|_| value.wrong("give how many jobs, from 1 to 1000000"))
            })
        };
        let share = |key: &str, default: f64| {
            let given = settings.value(key);
            given.map_or(Ok(default), |value| {
                let within = value.number(0.01..=0.999);
                within.map_err(|_| value.wrong("give a share from 0.01 to 0.999, as in qbets:0.9:0.8"))
            })
        };
        let distance = || settings.value("distance").map(|value| value.spec()).transpose();
        let width = || {
            let given = settings.value("width");
            given
                .map(|value| {
                    value
                        .number(0.001..=100.0)
                        .map_err(|_| value.wrong("give a width from 0.001 to 100, as in ibl:width=0.12"))
                })
                .transpose()
        };
        let overruns = || settings.value("overruns").map_or(Ok(false), |value| value.flag());
        match settings.name() {
            "best" => Ok(WaitMethod::Best),
            "zero" => Ok(WaitMethod::Zero),
            "past" => Ok(WaitMethod::Past { window: window(PastWaits::WINDOW)? }),
            "ranges" => Ok(WaitMethod::Ranges {
                window: window(Ranges::WINDOW)?,
                point: range_point(settings, distance()?, width()?)?,
                overruns: overruns()?,
                quick: settings.value("quick").map_or(Ok(false), |value| value.flag())?,
            }),
            "simulated" => {
                let draws = settings
                    .value("draws")
                    .map_or(Ok(SimulatedWaits::DRAWS), |value| value.whole(1..=100_000))?;
                let policy = settings.value("policy").map(|value| value.spec()).transpose()?;
                Ok(WaitMethod::Simulated { draws, policy })
            }
            "trees" => {
                let usual = TreeSettings::default();
                let simulates = settings.value("simulate").map_or(Ok(true), |value| value.flag())?;
                let mut model = TreeSettings { window: window(usual.window)?, simulates, ..usual };
                settings.set("refit", &mut model.refit, |value| value.whole(1..=1_000_000))?;
                settings.set("draws", &mut model.draws, |value| value.whole(0..=10_000))?;
                Ok(WaitMethod::Trees(model))
            }
            "planned" => {
                let runs = settings.value("runs").map_or(Ok(PlannedRuns::default()), |value| match value
                    .text()
                {
                    "requested" => Ok(PlannedRuns::Requested),
                    "recent" => Ok(PlannedRuns::Recent),
                    _ => value
                        .number(0.01..=1.0)
                        .map(PlannedRuns::Share)
                        .map_err(|_| value.wrong("give requested, recent or a quantile from 0.01 to 1")),
                })?;
                Ok(WaitMethod::Planned { runs })
            }
            "quick" => Ok(WaitMethod::Quick { window: window(QuickStarters::WINDOW)? }),
            "knn" => Ok(WaitMethod::Nearest {
                window: window(Nearest::WINDOW)?,
                distance: distance()?.unwrap_or_default(),
                overruns: overruns()?,
                by: settings
                    .value("by")
                    .map(|value| {
                        value.text().parse().map_err(|_| value.wrong("give linear, poly, rbf or sigmoid"))
                    })
                    .transpose()?,
            }),
            "qbets" => Ok(WaitMethod::Bound {
                quantile: share("quantile", BinomialBound::QUANTILE)?,
                confidence: share("confidence", BinomialBound::CONFIDENCE)?,
                groups: settings.value("groups").map_or(Ok(BoundGroups::default()), |value| value.spec())?,
                misses: settings.value("misses").map(|value| value.whole(1..=1000)).transpose()?,
            }),
            "ibl" => Ok(WaitMethod::Instances {
                window: window(InstanceBased::WINDOW)?,
                width: width()?,
                overruns: overruns()?,
            }),
            "downey" => {
                let mut benefactors = Some(QueueAhead::BENEFACTORS);
                settings.set("predictor", &mut benefactors, |value| match value.text() {
                    "a" => Ok(Some(1)),
                    "b" => Ok(None),
                    _ => Err(value.wrong("give a or b, as in downey:b")),
                })?;
                Ok(WaitMethod::Ahead { benefactors })
            }
            _ => Err(settings.unread()),
        }
    }
}

conversions!(WaitMethod);

#[cfg(test)]
mod tests;
