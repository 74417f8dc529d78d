//! The policy and the predictor of an experiment: a spec, or a type of the caller's own under a name.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use queuecast_core::job::Job;
use queuecast_core::spec::SpecError;
use queuecast_core::units::Seconds;
use queuecast_sim::predict::{PredictorSpec, RuntimePredictor};
use queuecast_sim::sim::{Backfill, Policy};

/// A policy for an experiment.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyChoice {
    /// A member of the backfilling family.
    Backfill(Backfill),
    /// Any other policy.
    Custom(CustomPolicy),
}

/// A run-time predictor for an experiment.
#[derive(Debug, Clone, PartialEq)]
pub enum PredictorChoice {
    /// A built-in predictor.
    Spec(PredictorSpec),
    /// Any other predictor.
    Custom(CustomPredictor),
}

/// A policy by its name. Two custom policies of the same name are equal.
#[derive(Clone)]
pub struct CustomPolicy {
    name: String,
    make: Arc<dyn Fn() -> Box<dyn Policy> + Send + Sync>,
}

/// A predictor by its name. Two custom predictors of the same name are equal.
#[derive(Clone)]
pub struct CustomPredictor {
    name: String,
    make: Arc<dyn Fn() -> Box<dyn RuntimePredictor> + Send + Sync>,
}

impl CustomPolicy {
    /// `make` is called once for each simulation. Reports show the policy as `name`.
    pub fn new<P: Policy + 'static>(
        name: impl Into<String>,
        make: impl Fn() -> P + Send + Sync + 'static,
    ) -> CustomPolicy {
        CustomPolicy { name: name.into(), make: Arc::new(move || Box::new(make())) }
    }
}

impl CustomPredictor {
    /// `make` is called once for each simulation. Reports show the predictor as `name`.
    pub fn new<P: RuntimePredictor + 'static>(
        name: impl Into<String>,
        make: impl Fn() -> P + Send + Sync + 'static,
    ) -> CustomPredictor {
        CustomPredictor { name: name.into(), make: Arc::new(move || Box::new(make())) }
    }
}

impl PolicyChoice {
    /// A policy that has seen nothing yet.
    pub fn build(&self) -> Box<dyn Policy> {
        match self {
            PolicyChoice::Backfill(family) => family.build(),
            PolicyChoice::Custom(custom) => (custom.make)(),
        }
    }
}

impl PredictorChoice {
    /// A predictor that has learned nothing yet. See [`PredictorSpec::build`].
    pub fn build(
        &self,
        runs: impl FnOnce() -> Vec<Seconds>,
        default_request: Seconds,
    ) -> Box<dyn RuntimePredictor> {
        match self {
            PredictorChoice::Spec(spec) => spec.build(runs, default_request),
            PredictorChoice::Custom(custom) => (custom.make)(),
        }
    }

    /// Refuses a built-in predictor that looks at something these jobs do not tell. See [`PredictorSpec::check`].
    pub fn check(&self, jobs: &[Job]) -> Result<(), SpecError> {
        self.spec().map_or(Ok(()), |spec| spec.check(jobs))
    }

    /// The spec of a built-in predictor.
    pub fn spec(&self) -> Option<&PredictorSpec> {
        match self {
            PredictorChoice::Spec(spec) => Some(spec),
            PredictorChoice::Custom(_) => None,
        }
    }
}

macro_rules! named {
    ($custom:ident, $choice:ident::$builtin:ident($spec:ident)) => {
        impl PartialEq for $custom {
            fn eq(&self, other: &$custom) -> bool {
                self.name == other.name
            }
        }

        impl fmt::Debug for $custom {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($custom)).field(&self.name).finish()
            }
        }

        impl From<$spec> for $choice {
            fn from(spec: $spec) -> $choice {
                $choice::$builtin(spec)
            }
        }

        impl From<$custom> for $choice {
            fn from(custom: $custom) -> $choice {
                $choice::Custom(custom)
            }
        }

        impl PartialEq<$spec> for $choice {
            fn eq(&self, other: &$spec) -> bool {
                matches!(self, $choice::$builtin(spec) if spec == other)
            }
        }

        impl fmt::Display for $choice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $choice::$builtin(spec) => spec.fmt(f),
                    $choice::Custom(custom) => f.write_str(&custom.name),
                }
            }
        }

        impl Serialize for $choice {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}

named!(CustomPolicy, PolicyChoice::Backfill(Backfill));
named!(CustomPredictor, PredictorChoice::Spec(PredictorSpec));
