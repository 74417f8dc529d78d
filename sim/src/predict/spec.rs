//! The list of prediction methods, and the spec that names one of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::mixture::MixtureSettings;
use super::oracle::ActualTime;
use super::requested::RequestedTime;
use super::settings::{Needs, PredictorSettings};
use super::template::{GibbonsSettings, Lifetime, TemplateSet};
use super::{Constant, LearnedRuns, Ruh, Sbh};
use queuecast_core::job::Job;
use queuecast_core::spec::{Form, Settings, Spec, SpecError, conversions};
use queuecast_core::units::Seconds;

/// Makes [`PredictorSpec`] from the list of methods: first those without settings, each with its unit struct, then
/// those with settings.
macro_rules! methods {
    (
        plain { $($(#[$about:meta])* $bare:ident = $unit:ident;)+ }
        with_settings { $($(#[$meaning:meta])* $method:ident($settings:ident);)+ }
    ) => {
        /// A prediction method with its settings.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum PredictorSpec {
            $($(#[$about])* $bare,)+
            $($(#[$meaning])* $method($settings),)+
        }

        impl PredictorSpec {
            /// The facts about jobs that the method depends on.
            pub fn needs(&self) -> Needs {
                match self {
                    $(PredictorSpec::$bare => $unit.needs(),)+
                    $(PredictorSpec::$method(settings) => settings.needs(),)+
                }
            }

            /// Refuses settings that make no sense for these jobs, such as templates by a fact in which they do not
            /// differ.
            pub fn check(&self, jobs: &[Job]) -> Result<(), SpecError> {
                match self {
                    $(PredictorSpec::$bare => PredictorSettings::check(&$unit, jobs),)+
                    $(PredictorSpec::$method(settings) => PredictorSettings::check(settings, jobs),)+
                }
            }

            /// The predictor. `runs` gives each job's run time, in arrival order, and is called for
            /// [`PredictorSpec::Perfect`] only; `default_request` stands in for a missing requested time.
            pub fn build(
                &self,
                runs: impl FnOnce() -> Vec<Seconds>,
                default_request: Seconds,
            ) -> Box<dyn LearnedRuns> {
                match self {
                    $(PredictorSpec::$bare => $unit.build(runs, default_request),)+
                    $(PredictorSpec::$method(settings) => settings.build(runs, default_request),)+
                }
            }
        }

        impl Spec for PredictorSpec {
            const KIND: &'static str = "predictor";
            const NOTE: &'static str = "Settings follow a colon: ruh:5,mean,propagate, \
                sbh:[PX,P,*],search=bfs,depth=10,new=1; all of them are in docs/reference/predictors.md";

            fn forms() -> Vec<Form> {
                [$(<$unit as PredictorSettings>::FORMS,)+ $(<$settings as PredictorSettings>::FORMS,)+].concat()
            }

            fn from_settings(settings: &Settings<'_>) -> Result<PredictorSpec, SpecError> {
                let is_of = |forms: &[Form]| forms.iter().any(|form| form.name == settings.name());
                $(if is_of(<$unit as PredictorSettings>::FORMS) {
                    return Ok(PredictorSpec::$bare);
                })+
                $(if is_of(<$settings as PredictorSettings>::FORMS) {
                    return <$settings as PredictorSettings>::read(settings).map(PredictorSpec::$method);
                })+
                Err(settings.unread())
            }
        }

        impl fmt::Display for PredictorSpec {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&match self {
                    $(PredictorSpec::$bare => $unit.write(),)+
                    $(PredictorSpec::$method(settings) => settings.write(),)+
                })
            }
        }
    };
}

// A new predictor is one line here, and a file with the settings that implement `PredictorSettings`.
methods! {
    plain {
        /// The requested time: ESTIMATE in Talby et al. 2005.
        #[default]
        Requested = RequestedTime;
        /// The actual run time: PERFECT.
        Perfect = ActualTime;
    }
    with_settings {
        /// One length for all jobs: CONSTANT.
        Constant(Constant);
        /// The user's last jobs: RUH.
        Recent(Ruh);
        /// The user's similar jobs, by session: SBH.
        Session(Sbh);
        /// Similar jobs by a set of templates (Smith, Foster & Taylor 1998).
        Template(TemplateSet);
        /// Gibbons's six templates.
        Gibbons(GibbonsSettings);
        /// Downey's distribution of each queue.
        Downey(Lifetime);
        /// Many experts, each counting as much as it has been right.
        Mixture(MixtureSettings);
    }
}

conversions!(PredictorSpec);

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::spec::known;
    use queuecast_core::units::{Procs, Time};

    #[test]
    fn specs_are_read_as_written() {
        for text in [
            "requested",
            "perfect",
            "constant:3600",
            "recent:2",
            "recent:7:median",
            "recent:1:last",
            "ruh",
            "ruh:window=5,statistic=max,learn=overran,need=2,new=60,propagate=yes",
            "sbh",
            "sbh:[PX,P,X,*],new=1",
            "sbh:[*],search=bfs,depth=3,think=60,statistic=mean,learn=running,cap=yes,propagate=yes,unknown=different",
            "template:()",
            "template:(u,e),(q,u,n=4,lr)",
            "gibbons",
            "gibbons:rel",
            "downey",
            "downey:mean",
            "mixture",
            "mixture:median",
        ] {
            assert_eq!(text.parse::<PredictorSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_they_need_to_know_is_told() {
        let spec = |text: &str| text.parse::<PredictorSpec>().unwrap();
        let users = ["requested", "constant:1", "recent:2", "sbh:[P]"].map(|text| spec(text).needs().user);
        assert_eq!(users, [false, false, true, true]);
        let executable = |text: &str| spec(text).needs().executable;
        assert!(executable("template:(e)") && !executable("template:(u,q)"));
        assert!(spec("template:(e),(u)").needs().user && !spec("template:(e)").needs().user);
        let jobs = [Job::rigid(1, Time(0), Procs(1), None)];
        assert!(spec("template:(n=4)").check(&jobs).is_ok() && spec("template:(u)").check(&jobs).is_err());
        assert!(executable("sbh:[E,PX]") && !executable("sbh"));
        assert!(executable("gibbons") && spec("gibbons").needs().user);
    }

    #[test]
    fn short_forms_mean_the_long_ones() {
        let same = |short: &str, long: &str| {
            assert_eq!(short.parse::<PredictorSpec>().unwrap(), long.parse::<PredictorSpec>().unwrap());
        };
        same("ruh:2,mean,cap", "recent:2");
        same("ruh:3,propagate", "ruh:window=3,statistic=median,propagate=yes");
        same("sbh:[PE,P,E,*],dfs,propagate", "sbh:propagate=yes,criteria=[PE,P,E,*],search=dfs,depth=all");
        same("sbh:think=1200, new=requested", "sbh");
        same("sbh:new=estimate", "sbh");
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        let error = |text: &str| text.parse::<PredictorSpec>().expect_err(text).to_string();
        for text in ["", "recent", "recent:0", "recent:-1", "recent:2:mode", "constant", "constant:0", "ave2"]
        {
            error(text);
        }
        assert!(error("ave2").contains("recent:K[:STATISTIC]"));
        assert_eq!("ave2".parse::<PredictorSpec>().unwrap_err().known, known::<PredictorSpec>());
        for (text, expected) in [
            ("ruh:0", "from 1 to 100000"),
            ("ruh:window=-2", "from 1 to 100000"),
            ("ruh:window=2,need=3", "no more than the window, which is 2"),
            ("ruh:depth=3", "learn=ended|overran|running"),
            ("ruh:", "window=N"),
            ("ruh:statistic=mode", "median, mean, last, min, max"),
            ("ruh:new=0", "requested, or a whole number of seconds"),
            ("sbh:[PQ]", "P (processors), E (requested time) and X (executable)"),
            ("sbh:[]", "at least one criterion"),
            ("sbh:[P,E", "brackets"),
            ("sbh:search=deep", "known are dfs, bfs"),
            ("sbh:depth=0", "from 1 on, or all"),
            ("sbh:think=-5", "from 1 to"),
            ("sbh:propagate=maybe", "yes or no"),
            ("sbh:unknown=x", "known are alike, different"),
            ("sbh:window=3", "think=SECONDS"),
            ("perfect:1", "no settings"),
            ("template", "as in template:(u,e)"),
            ("template:(u,x)", "column 4: \"x\" is unknown"),
            ("gibbons:act", "known are rel"),
            ("mixture:mode", "known are point=consensus|mean|median"),
            ("downey:mode", "known are lifetime=median|mean"),
        ] {
            let error = error(text);
            assert!(error.contains(expected), "{text}: {error}");
            assert!(!error.contains('\n'), "{text}");
        }
    }
}
