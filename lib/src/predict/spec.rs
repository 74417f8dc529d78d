//! Predictors as data: what is written on a command line or in an experiment file.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::history::{Learn, Newcomer};
use super::settings::{Setting, each, yes_or_no};
use super::template::{
    Characteristic, Characteristics, Downey, Gibbons, Lifetime, TemplatePredictor, TemplateSet,
};
use super::{
    Constant, Perfect, RecentUserHistory, Requested, Ruh, RuntimePredictor, Sbh, Search, SessionHistory,
    Statistic,
};
use crate::job::Job;
use crate::spec::SpecError;
use crate::units::Seconds;

/// Which predictor, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PredictorSpec {
    /// The requested time: ESTIMATE in Talby et al. 2005.
    #[default]
    Requested,
    /// What will happen: PERFECT.
    Perfect,
    /// One length for all: CONSTANT.
    Constant(Seconds),
    /// The user's last jobs: RUH.
    Recent(Ruh),
    /// The user's jobs alike, by session: SBH.
    Session(Sbh),
    /// Jobs similar by a set of templates (Smith, Foster & Taylor 1998).
    Template(TemplateSet),
    /// Gibbons's six templates.
    Gibbons {
        /// Whether run times are divided by requested times.
        relative: bool,
    },
    /// Downey's distribution of each queue.
    Downey(Lifetime),
}

/// The furthest back anybody may look.
const LONGEST_WINDOW: usize = 100_000;

const RUH_SETTINGS: &str = "window=N, statistic=median|mean|last|min|max, learn=ended|overran|running, need=N, \
                            new=estimate|SECONDS, cap=yes|no, propagate=yes|no";

const SBH_SETTINGS: &str = "[PE,P,E,*] (criteria), search=dfs|bfs, depth=all|N, think=SECONDS, \
                            statistic=median|mean|last|min|max, learn=ended|overran|running, new=estimate|SECONDS, \
                            cap=yes|no, propagate=yes|no, unknown=alike|different";

impl PredictorSpec {
    /// Every form, as shown to people.
    pub const KNOWN: [&'static str; 9] = [
        "requested",
        "perfect",
        "constant:SECONDS",
        "recent:K[:STATISTIC]",
        "ruh[:K,SETTINGS]",
        "sbh[:[CRITERIA],SETTINGS]",
        "template:SET",
        "gibbons[:rel]",
        "downey[:median|mean]",
    ];

    /// Whether it goes by the history of a job's user.
    pub fn needs_user(&self) -> bool {
        match self {
            PredictorSpec::Recent(_) | PredictorSpec::Session(_) | PredictorSpec::Gibbons { .. } => true,
            PredictorSpec::Template(set) => set.characteristics().contains(Characteristic::User),
            _ => false,
        }
    }

    /// Whether it looks at a job's executable.
    pub fn needs_executable(&self) -> bool {
        match self {
            PredictorSpec::Session(sbh) => sbh.criteria.iter().any(|one| one.names_executable()),
            PredictorSpec::Template(set) => set.characteristics().contains(Characteristic::Executable),
            PredictorSpec::Gibbons { .. } => true,
            _ => false,
        }
    }

    /// Refuses templates that tell these jobs apart by something in which they do not differ.
    pub fn check(&self, jobs: &[Job]) -> Result<(), SpecError> {
        match self {
            PredictorSpec::Template(set) => set.check(Characteristics::present(jobs)),
            _ => Ok(()),
        }
    }

    /// The predictor. `runs` says how long each job will run, in arrival order, and is read for
    /// [`PredictorSpec::Perfect`] only; `default_request` stands in for a missing requested time.
    pub fn build(
        &self,
        runs: impl FnOnce() -> Vec<Seconds>,
        default_request: Seconds,
    ) -> Box<dyn RuntimePredictor> {
        let requested = Requested { default: default_request };
        match self {
            PredictorSpec::Requested => Box::new(requested),
            PredictorSpec::Perfect => Box::new(Perfect::new(runs())),
            PredictorSpec::Constant(length) => Box::new(Constant(*length)),
            PredictorSpec::Recent(settings) => Box::new(RecentUserHistory::new(*settings, requested)),
            PredictorSpec::Session(settings) => Box::new(SessionHistory::new(*settings, requested)),
            PredictorSpec::Template(set) => Box::new(TemplatePredictor::new(set)),
            PredictorSpec::Gibbons { relative } => Box::new(Gibbons::new(*relative)),
            PredictorSpec::Downey(lifetime) => Box::new(Downey::new(*lifetime)),
        }
    }
}

impl Ruh {
    fn read(spec: &str, settings: &str) -> Result<Ruh, SpecError> {
        let bare = |text: &str| match text {
            "propagate" | "cap" => Some(if text == "cap" { "cap" } else { "propagate" }),
            _ if Statistic::KNOWN.contains(&text) => Some("statistic"),
            _ if text.parse::<i64>().is_ok() => Some("window"),
            _ => None,
        };
        let (mut ruh, mut need) = (Ruh::default(), None);
        for setting in each(spec, settings, bare) {
            match setting.key {
                "window" => ruh.window = setting.number(1, LONGEST_WINDOW as i64)?,
                "statistic" => ruh.statistic = statistic(&setting)?,
                "learn" => ruh.learn = learn(&setting)?,
                "need" => need = Some((setting.number::<usize>(1, LONGEST_WINDOW as i64)?, setting)),
                "new" => ruh.newcomer = newcomer(&setting)?,
                "cap" => ruh.cap = setting.flag()?,
                "propagate" => ruh.propagate = setting.flag()?,
                _ => return Err(setting.unknown(RUH_SETTINGS)),
            }
        }
        ruh.need = ruh.window;
        if let Some((need, setting)) = need {
            if need > ruh.window {
                return Err(setting.wrong(&format!("no more than the window, which is {}", ruh.window)));
            }
            ruh.need = need;
        }
        Ok(ruh)
    }

    /// Written `recent:K` or `recent:K:STATISTIC`, if it is of that family.
    fn as_recent(&self) -> Option<String> {
        let Ruh { window, statistic, .. } = *self;
        (*self == Ruh::capped(window, statistic)).then(|| match statistic {
            Statistic::Mean => format!("recent:{window}"),
            _ => format!("recent:{window}:{statistic}"),
        })
    }
}

impl Sbh {
    fn read(spec: &str, settings: &str) -> Result<Sbh, SpecError> {
        let bare = |text: &str| match text {
            "dfs" | "bfs" => Some("search"),
            "propagate" => Some("propagate"),
            "cap" => Some("cap"),
            _ if text.starts_with('[') => Some("criteria"),
            _ if Statistic::KNOWN.contains(&text) => Some("statistic"),
            _ => None,
        };
        let mut sbh = Sbh::default();
        for setting in each(spec, settings, bare) {
            match (setting.key, setting.value) {
                ("criteria", list) => {
                    sbh.criteria = list.parse().map_err(|error: SpecError| setting.wrong(&error.why))?;
                }
                ("search", "dfs") => sbh.search = Search::DepthFirst,
                ("search", "bfs") => sbh.search = Search::BreadthFirst,
                ("search", _) => return Err(setting.wrong("say dfs (depth first) or bfs (breadth first)")),
                ("depth", "all") => sbh.depth = None,
                ("depth", _) => {
                    let depth = setting.number(1, u32::MAX.into());
                    sbh.depth = Some(
                        depth.map_err(|_| setting.wrong("give a number of sessions from 1 on, or all"))?,
                    );
                }
                ("think", _) => sbh.think = setting.seconds()?,
                ("statistic", _) => sbh.statistic = statistic(&setting)?,
                ("learn", _) => sbh.learn = learn(&setting)?,
                ("new", _) => sbh.newcomer = newcomer(&setting)?,
                ("cap", _) => sbh.cap = setting.flag()?,
                ("propagate", _) => sbh.propagate = setting.flag()?,
                ("unknown", "alike") => sbh.strict = false,
                ("unknown", "different") => sbh.strict = true,
                ("unknown", _) => return Err(setting.wrong("say alike or different")),
                _ => return Err(setting.unknown(SBH_SETTINGS)),
            }
        }
        Ok(sbh)
    }
}

fn statistic(setting: &Setting<'_>) -> Result<Statistic, SpecError> {
    setting.value.parse().map_err(|_| setting.wrong(&format!("say {}", Statistic::KNOWN.join(", "))))
}

fn learn(setting: &Setting<'_>) -> Result<Learn, SpecError> {
    Learn::read(setting.value).map_err(|_| setting.wrong(&format!("say {}", Learn::KNOWN.join(", "))))
}

fn newcomer(setting: &Setting<'_>) -> Result<Newcomer, SpecError> {
    if setting.value == "estimate" {
        return Ok(Newcomer::Requested);
    }
    let fixed = setting.seconds().map(Newcomer::Fixed);
    fixed.map_err(|_| setting.wrong("say estimate, or a whole number of seconds from 1 on"))
}

/// A name and those settings that differ from its own.
struct Written {
    name: &'static str,
    settings: Vec<String>,
}

impl Written {
    fn new(name: &'static str) -> Written {
        Written { name, settings: Vec::new() }
    }

    fn unless<T: PartialEq>(
        mut self,
        key: &str,
        value: T,
        default: T,
        show: impl Fn(&T) -> String,
    ) -> Written {
        if value != default {
            self.settings.push(format!("{key}={}", show(&value)));
        }
        self
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if self.settings.is_empty() { Ok(()) } else { write!(f, ":{}", self.settings.join(",")) }
    }
}

fn new_as_written(newcomer: &Newcomer) -> String {
    match newcomer {
        Newcomer::Requested => "estimate".into(),
        Newcomer::Fixed(length) => length.to_string(),
    }
}

impl fmt::Display for PredictorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |flag: &bool| yes_or_no(*flag).to_owned();
        let learn = |learn: &Learn| learn.word().to_owned();
        match self {
            PredictorSpec::Requested => write!(f, "requested"),
            PredictorSpec::Perfect => write!(f, "perfect"),
            PredictorSpec::Constant(length) => write!(f, "constant:{length}"),
            PredictorSpec::Recent(ruh) => {
                let own = Ruh::default();
                let written = Written::new("ruh")
                    .unless("window", ruh.window, own.window, usize::to_string)
                    .unless("statistic", ruh.statistic, own.statistic, Statistic::to_string)
                    .unless("learn", ruh.learn, own.learn, learn)
                    .unless("need", ruh.need, ruh.window, usize::to_string)
                    .unless("new", ruh.newcomer, own.newcomer, new_as_written)
                    .unless("cap", ruh.cap, own.cap, yes)
                    .unless("propagate", ruh.propagate, own.propagate, yes);
                f.write_str(&ruh.as_recent().unwrap_or_else(|| written.to_string()))
            }
            PredictorSpec::Session(sbh) => {
                let own = Sbh::default();
                let mut written = Written::new("sbh");
                written.settings.extend((sbh.criteria != own.criteria).then(|| sbh.criteria.to_string()));
                let depth = |depth: &Option<u32>| depth.map_or("all".into(), |depth| depth.to_string());
                let unknown = |strict: &bool| if *strict { "different" } else { "alike" }.to_owned();
                let written = written
                    .unless("search", sbh.search, own.search, Search::to_string)
                    .unless("depth", sbh.depth, own.depth, depth)
                    .unless("think", sbh.think, own.think, Seconds::to_string)
                    .unless("statistic", sbh.statistic, own.statistic, Statistic::to_string)
                    .unless("learn", sbh.learn, own.learn, learn)
                    .unless("new", sbh.newcomer, own.newcomer, new_as_written)
                    .unless("cap", sbh.cap, own.cap, yes)
                    .unless("propagate", sbh.propagate, own.propagate, yes)
                    .unless("unknown", sbh.strict, own.strict, unknown);
                write!(f, "{written}")
            }
            // Without the blanks, which a command line would need quotes for.
            PredictorSpec::Template(set) => write!(f, "template:{}", set.to_string().replace(' ', "")),
            PredictorSpec::Gibbons { relative: false } => f.write_str("gibbons"),
            PredictorSpec::Gibbons { relative: true } => f.write_str("gibbons:rel"),
            PredictorSpec::Downey(Lifetime::Median) => f.write_str("downey"),
            PredictorSpec::Downey(Lifetime::Mean) => f.write_str("downey:mean"),
        }
    }
}

impl FromStr for PredictorSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PredictorSpec, SpecError> {
        let wrong = |why: &str| Err(SpecError::value("predictor", text, why));
        let (name, settings) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        match (name, settings) {
            ("requested", None) => Ok(PredictorSpec::Requested),
            ("perfect", None) => Ok(PredictorSpec::Perfect),
            ("requested" | "perfect", Some(_)) => wrong("it has no settings"),
            ("constant", Some(seconds)) => match seconds.parse::<i64>() {
                Ok(seconds) if (1..=i64::from(u32::MAX)).contains(&seconds) => {
                    Ok(PredictorSpec::Constant(Seconds(seconds)))
                }
                _ => wrong("give a whole number of seconds, from 1 to 4294967295, as in constant:3600"),
            },
            ("constant", None) => wrong("give the seconds, as in constant:3600"),
            ("recent", Some(settings)) => {
                let (window, statistic) = settings.split_once(':').unwrap_or((settings, "mean"));
                let Ok(statistic) = statistic.parse() else {
                    let known = Statistic::KNOWN.join(", ");
                    return wrong(&format!("the statistic is one of {known}, as in recent:5:median"));
                };
                match window.parse::<usize>() {
                    Ok(window) if (1..=LONGEST_WINDOW).contains(&window) => {
                        Ok(PredictorSpec::Recent(Ruh::capped(window, statistic)))
                    }
                    _ => wrong("give how many jobs to look back, from 1 to 100000, as in recent:2"),
                }
            }
            ("recent", None) => wrong("give how many jobs to look back, as in recent:2"),
            ("ruh", None) => Ok(PredictorSpec::Recent(Ruh::default())),
            ("ruh", Some(settings)) => Ruh::read(text, settings).map(PredictorSpec::Recent),
            ("sbh", None) => Ok(PredictorSpec::Session(Sbh::default())),
            ("sbh", Some(settings)) => Sbh::read(text, settings).map(PredictorSpec::Session),
            ("template", Some(set)) => set.parse().map(PredictorSpec::Template),
            ("template", None) => wrong("give templates, as in template:(u,e),(q,u,n=4,lr)"),
            ("gibbons", None) => Ok(PredictorSpec::Gibbons { relative: false }),
            ("gibbons", Some("rel")) => Ok(PredictorSpec::Gibbons { relative: true }),
            ("gibbons", Some(_)) => wrong("its only setting is rel, for relative run times"),
            ("downey", None | Some("median")) => Ok(PredictorSpec::Downey(Lifetime::Median)),
            ("downey", Some("mean")) => Ok(PredictorSpec::Downey(Lifetime::Mean)),
            ("downey", Some(_)) => wrong("say median or mean"),
            _ => Err(SpecError::unknown("predictor", text, &PredictorSpec::KNOWN)),
        }
    }
}

impl TryFrom<String> for PredictorSpec {
    type Error = SpecError;
    fn try_from(text: String) -> Result<PredictorSpec, SpecError> {
        text.parse()
    }
}

impl From<PredictorSpec> for String {
    fn from(spec: PredictorSpec) -> String {
        spec.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Procs, Time};

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
        ] {
            assert_eq!(text.parse::<PredictorSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_they_need_to_know_is_told() {
        let spec = |text: &str| text.parse::<PredictorSpec>().unwrap();
        let users = ["requested", "constant:1", "recent:2", "sbh:[P]"].map(|text| spec(text).needs_user());
        assert_eq!(users, [false, false, true, true]);
        assert!(spec("template:(e)").needs_executable() && !spec("template:(u,q)").needs_executable());
        assert!(spec("template:(e),(u)").needs_user() && !spec("template:(e)").needs_user());
        let jobs = [Job::rigid(1, Time(0), Procs(1), None)];
        assert!(spec("template:(n=4)").check(&jobs).is_ok() && spec("template:(u)").check(&jobs).is_err());
        assert!(spec("sbh:[E,PX]").needs_executable() && !spec("sbh").needs_executable());
    }

    #[test]
    fn short_forms_mean_the_long_ones() {
        let same = |short: &str, long: &str| {
            assert_eq!(short.parse::<PredictorSpec>().unwrap(), long.parse::<PredictorSpec>().unwrap());
        };
        same("ruh:2,mean,cap", "recent:2");
        same("ruh:3,propagate", "ruh:window=3,statistic=median,propagate=yes");
        same("sbh:[PE,P,E,*],dfs,propagate", "sbh:propagate=yes,criteria=[PE,P,E,*],search=dfs,depth=all");
        same("sbh:think=1200, new=estimate", "sbh");
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        let error = |text: &str| text.parse::<PredictorSpec>().expect_err(text).to_string();
        for text in ["", "recent", "recent:0", "recent:-1", "recent:2:mode", "constant", "constant:0", "ave2"]
        {
            error(text);
        }
        assert!(error("ave2").contains("recent:K[:STATISTIC]"));
        assert_eq!("ave2".parse::<PredictorSpec>().unwrap_err().known, PredictorSpec::KNOWN);
        for (text, expected) in [
            ("ruh:0", "from 1 to 100000"),
            ("ruh:window=-2", "from 1 to 100000"),
            ("ruh:window=2,need=3", "no more than the window, which is 2"),
            ("ruh:depth=3", "learn=ended|overran|running"),
            ("ruh:", "window=N"),
            ("ruh:statistic=mode", "median, mean, last, min, max"),
            ("ruh:new=0", "estimate, or a whole number of seconds"),
            ("sbh:[PQ]", "P (processors), E (estimate) and X (executable)"),
            ("sbh:[]", "at least one criterion"),
            ("sbh:[P,E", "brackets"),
            ("sbh:search=deep", "dfs (depth first) or bfs"),
            ("sbh:depth=0", "from 1 on, or all"),
            ("sbh:think=-5", "from 1 to"),
            ("sbh:propagate=maybe", "yes or no"),
            ("sbh:unknown=x", "alike or different"),
            ("sbh:window=3", "think=SECONDS"),
            ("perfect:1", "no settings"),
            ("template", "as in template:(u,e)"),
            ("template:(u,x)", "column 4: \"x\" is unknown"),
            ("gibbons:act", "only setting is rel"),
            ("downey:mode", "median or mean"),
        ] {
            let error = error(text);
            assert!(error.contains(expected), "{text}: {error}");
            assert!(!error.contains('\n'), "{text}");
        }
    }
}
