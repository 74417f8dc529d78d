//! Templates in the paper's notation: `(u,e,n=16,lr,rel)`, and sets of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Characteristic, Characteristics};
use queuecast_core::spec::{Form, Settings, Spec, SpecError, conversions};

/// The widest range of node counts there is.
pub const LARGEST_RANGE: u32 = 512;

/// How the number of processors tells jobs apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Nodes {
    /// Not at all.
    #[default]
    Ignored,
    /// `n=R`: ranges of this size, a power of two up to [`LARGEST_RANGE`]; `n=4` has 1–4, 5–8 and so on.
    Ranges(u32),
    /// `n=exp`: 1, 2–3, 4–7, 8–15 and so on (Gibbons 1997).
    Exponential,
}

impl Nodes {
    /// Which range `procs` processors are in, from 0.
    pub fn range(self, procs: u32) -> u32 {
        match self {
            Nodes::Ignored => 0,
            Nodes::Ranges(size) => procs.saturating_sub(1) / size.max(1),
            Nodes::Exponential => procs.max(1).ilog2(),
        }
    }
}

/// What is remembered of a job that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Data {
    /// `act`: its run time.
    #[default]
    Actual,
    /// `rel`: its run time divided by the requested time.
    Relative,
}

/// How a prediction is made of what is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Estimator {
    /// `mean`: the mean.
    #[default]
    Mean,
    /// `lr`: regression on the number of processors.
    Linear,
    /// `inv`: regression on its inverse.
    Inverse,
    /// `log`: regression on its natural logarithm.
    Logarithmic,
}

impl Estimator {
    /// Every one, in the order of [`Estimator::word`]s `mean`, `lr`, `inv`, `log`.
    pub const ALL: [Estimator; 4] =
        [Estimator::Mean, Estimator::Linear, Estimator::Inverse, Estimator::Logarithmic];

    /// How it is written in a template.
    pub fn word(self) -> &'static str {
        ["mean", "lr", "inv", "log"][self as usize]
    }

    /// Reads its word; the error says which there are.
    pub fn read(word: &str) -> Result<Estimator, String> {
        let known = Estimator::ALL.into_iter().find(|one| one.word() == word.trim());
        known.ok_or_else(|| SpecError::unknown("estimator", word, &Estimator::ALL.map(Estimator::word)).why)
    }
}

/// Which jobs are similar, what is remembered of them, and how it becomes a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Template {
    /// What similar jobs have in common. Unknown is a value like any other.
    pub characteristics: Characteristics,
    /// How alike they are in size.
    pub nodes: Nodes,
    /// `age`: whether a running job is compared only with those that ran for longer than it has.
    pub age: bool,
    /// What is remembered.
    pub data: Data,
    /// How it becomes a prediction.
    pub predictor: Estimator,
    /// `h=N`: how many jobs a category remembers at most; all of them without.
    pub history: Option<u32>,
}

const KNOWN: &str =
    "q, p, o, u, g, k, e (characteristics), n=RANGE, n=exp, age, act, rel, mean, lr, inv, log, h=JOBS";

impl Template {
    /// Refuses a template that tells jobs apart by something that is not `present`.
    pub fn check(&self, present: Characteristics) -> Result<(), SpecError> {
        let absent = self.characteristics.beyond(present);
        if absent.is_empty() {
            return Ok(());
        }
        let why = format!("jobs do not differ in {absent}; they do in {present}");
        Err(SpecError::value("template", &self.to_string(), why))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = self.characteristics.iter().map(|one| one.letter().into()).collect();
        match self.nodes {
            Nodes::Ignored => {}
            Nodes::Ranges(size) => parts.push(format!("n={size}")),
            Nodes::Exponential => parts.push("n=exp".into()),
        }
        parts.extend(self.age.then(|| "age".into()));
        parts.extend((self.predictor != Estimator::Mean).then(|| self.predictor.word().into()));
        parts.extend((self.data == Data::Relative).then(|| "rel".into()));
        parts.extend(self.history.map(|jobs| format!("h={jobs}")));
        write!(f, "({})", parts.join(","))
    }
}

impl Spec for Template {
    const KIND: &'static str = "template";

    /// The words a template is made of.
    fn forms() -> Vec<Form> {
        vec![
            Form::new("q", "the same queue").example("(q)"),
            Form::new("p", "the same partition").example("(p)"),
            Form::new("o", "the same quality of service").example("(o)"),
            Form::new("u", "the same user").example("(u)"),
            Form::new("g", "the same group").example("(g)"),
            Form::new("k", "the same account").example("(k)"),
            Form::new("e", "the same executable").example("(e)"),
            Form::new("n=RANGE", "sizes in the same range of so many processors, a power of two")
                .example("(n=4)"),
            Form::new("n=exp", "sizes in the same of the ranges 1, 2-3, 4-7 and so on").example("(n=exp)"),
            Form::new("age", "jobs that ran longer than the running job has").example("(age)"),
            Form::new("act", "run times").example("(act)"),
            Form::new("rel", "run times divided by requested times").example("(rel)"),
            Form::new("mean", "their mean").example("(mean)"),
            Form::new("lr", "their regression on the number of processors").example("(lr)"),
            Form::new("inv", "their regression on its inverse").example("(inv)"),
            Form::new("log", "their regression on its logarithm").example("(log)"),
            Form::new("h=JOBS", "the last JOBS of a category only").example("(h=64)"),
        ]
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Template, SpecError> {
        Err(settings.unread())
    }

    fn parse(text: &str) -> Result<Template, SpecError> {
        match TemplateSet::read(Template::KIND, text)?.0[..] {
            [template] => Ok(template),
            _ => Err(SpecError::value(Template::KIND, text, "give one template, as in (u,e)")),
        }
    }
}

conversions!(Template);

/// Templates, at least one when read. Of several predictions with equally small intervals, the earlier
/// template's counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TemplateSet(pub Vec<Template>);

impl TemplateSet {
    /// Refuses templates that tell jobs apart by something that is not `present`.
    pub fn check(&self, present: Characteristics) -> Result<(), SpecError> {
        self.0.iter().try_for_each(|template| template.check(present))
    }

    /// The characteristics of all of them.
    pub fn characteristics(&self) -> Characteristics {
        self.0.iter().flat_map(|template| template.characteristics.iter()).collect()
    }

    fn read(kind: &'static str, text: &str) -> Result<TemplateSet, SpecError> {
        let wrong = |place: usize, why: String| {
            // People count characters, from one.
            let column = text[..place].chars().count() + 1;
            SpecError::value(kind, text, format!("column {column}: {why}"))
        };
        let mut templates = Vec::new();
        let mut place = blank(text, 0);
        loop {
            if !text[place..].starts_with('(') {
                return Err(wrong(
                    place,
                    format!("{} where a template begins with (", found(&text[place..])),
                ));
            }
            let Some(length) = text[place..].find(')') else {
                return Err(wrong(place, "this template is not closed with )".into()));
            };
            let inside = place + 1..place + length;
            templates
                .push(template(&text[inside.clone()]).map_err(|(at, why)| wrong(inside.start + at, why))?);
            place = blank(text, place + length + 1);
            if place == text.len() {
                return Ok(TemplateSet(templates));
            }
            if !text[place..].starts_with(',') {
                let next = found(&text[place..]);
                return Err(wrong(place, format!("{next} where a comma or the end is expected")));
            }
            place = blank(text, place + 1);
        }
    }
}

/// Where the blanks from here on end.
fn blank(text: &str, from: usize) -> usize {
    text.len() - text[from..].trim_start().len()
}

fn found(rest: &str) -> String {
    rest.chars().next().map_or("the text ends".into(), |next| format!("{next:?}"))
}

/// One template, without its parentheses; else where it is wrong, and why.
fn template(inside: &str) -> Result<Template, (usize, String)> {
    let mut read = Template::default();
    if inside.trim().is_empty() {
        return Ok(read);
    }
    let mut seen: Vec<&str> = Vec::new();
    let mut place = 0;
    for piece in inside.split(',') {
        let at = place + piece.len() - piece.trim_start().len();
        place += piece.len() + 1;
        let token = piece.trim();
        let kind = token_into(&mut read, token).map_err(|why| (at, why))?;
        if seen.contains(&kind) {
            return Err((at, format!("{token:?}: the {kind} is given twice")));
        }
        seen.push(kind);
    }
    Ok(read)
}

/// Takes one token into the template and says what it was about.
fn token_into(template: &mut Template, token: &str) -> Result<&'static str, String> {
    if let Some(one) = Characteristic::read(token) {
        template.characteristics = template.characteristics.with(one);
        return Ok(one.word());
    }
    if let Some(estimator) = Estimator::ALL.into_iter().find(|estimator| estimator.word() == token) {
        template.predictor = estimator;
        return Ok("predictor");
    }
    match token.split_once('=').map_or((token, None), |(key, value)| (key.trim(), Some(value.trim()))) {
        ("act", None) => template.data = Data::Actual,
        ("rel", None) => template.data = Data::Relative,
        ("age", None) => {
            template.age = true;
            return Ok("age");
        }
        ("n", Some("exp")) => {
            template.nodes = Nodes::Exponential;
            return Ok("node range");
        }
        ("n", Some(size)) => {
            let size =
                size.parse().ok().filter(|size: &u32| size.is_power_of_two() && *size <= LARGEST_RANGE);
            let size = size.ok_or_else(|| {
                format!("{token:?}: a node range is a power of two from 1 to {LARGEST_RANGE}, or exp")
            })?;
            template.nodes = Nodes::Ranges(size);
            return Ok("node range");
        }
        ("n", None) => return Err("\"n\": give the size of the node ranges, as in n=4, or n=exp".into()),
        ("h", Some(jobs)) => {
            let jobs = jobs.parse().ok().filter(|&jobs| jobs > 0);
            let jobs = jobs.ok_or_else(|| format!("{token:?}: a history is a number of jobs from 1 on"))?;
            template.history = Some(jobs);
            return Ok("history");
        }
        ("h", None) => return Err("\"h\": give the number of jobs to remember, as in h=64".into()),
        ("", None) => return Err(format!("something is missing here; known are {KNOWN}")),
        _ => return Err(format!("{token:?} is unknown; known are {KNOWN}")),
    }
    Ok("data")
}

impl fmt::Display for TemplateSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let templates: Vec<String> = self.0.iter().map(Template::to_string).collect();
        f.write_str(&templates.join(", "))
    }
}

impl Spec for TemplateSet {
    const KIND: &'static str = "template set";

    /// The words its templates are made of.
    fn forms() -> Vec<Form> {
        Template::forms()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<TemplateSet, SpecError> {
        Err(settings.unread())
    }

    fn parse(text: &str) -> Result<TemplateSet, SpecError> {
        TemplateSet::read(TemplateSet::KIND, text)
    }
}

conversions!(TemplateSet);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read_as_written() {
        for text in [
            "()",
            "(u,e,n=16,lr,rel,h=64)",
            "(q,u,n=4,lr)",
            "(n=exp,age,inv)",
            "(q,p,o,u,g,k,e,n=512,log,h=1)",
        ] {
            assert_eq!(text.parse::<Template>().unwrap().to_string(), text);
        }
        let set: TemplateSet = " ( ) ,(e , u,rel, mean),\n( n = 1 , act )".parse().unwrap();
        assert_eq!(set.to_string(), "(), (u,e,rel), (n=1)");
        assert_eq!(serde_json::from_str::<TemplateSet>(&serde_json::to_string(&set).unwrap()).unwrap(), set);
        let template = set.0[1];
        assert_eq!(
            template,
            Template {
                characteristics: [Characteristic::User, Characteristic::Executable].into_iter().collect(),
                data: Data::Relative,
                ..Template::default()
            }
        );
        assert_eq!(set.characteristics(), template.characteristics);
    }

    #[test]
    fn wrong_templates_name_the_token_and_its_column() {
        let error = |text: &str| text.parse::<TemplateSet>().expect_err(text).to_string();
        for (text, expected) in [
            ("", "column 1: the text ends"),
            ("u,e", "column 1: 'u' where a template begins with ("),
            ("(u,e", "column 1: this template is not closed"),
            ("(u),(x)", "column 6: \"x\" is unknown"),
            ("(u, é,e)", "column 5: \"é\" is unknown"),
            ("(é,x)", "column 2: \"é\" is unknown"),
            ("(u,,e)", "column 4: something is missing"),
            ("(u,e,)", "column 6: something is missing"),
            ("(u)(e)", "column 4: '(' where a comma or the end"),
            ("(u),", "column 5: the text ends where a template begins"),
            ("(n=3)", "column 2: \"n=3\": a node range is a power of two from 1 to 512"),
            ("(n=1024)", "power of two"),
            ("(n=0)", "power of two"),
            ("(n)", "as in n=4"),
            ("(h)", "as in h=64"),
            ("(u,h=0)", "column 4: \"h=0\": a history is a number of jobs from 1 on"),
            ("(u,u)", "column 4: \"u\": the user is given twice"),
            ("(lr,mean)", "column 5: \"mean\": the predictor is given twice"),
            ("(act,rel)", "the data is given twice"),
            ("(n=4,n=exp)", "the node range is given twice"),
            ("(u=4)", "\"u=4\" is unknown; known are q, p, o, u, g, k, e"),
        ] {
            let error = error(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!("(u),(e)".parse::<Template>().unwrap_err().to_string().contains("give one template"));
    }

    #[test]
    fn absent_characteristics_are_refused_with_those_present() {
        let present: Characteristics = [Characteristic::User, Characteristic::Queue].into_iter().collect();
        let set: TemplateSet = "(u), (q,e)".parse().unwrap();
        assert_eq!(
            set.check(present).unwrap_err().to_string(),
            "template \"(q,e)\": jobs do not differ in e (executable); they do in q (queue), u (user)"
        );
        assert_eq!(set.check(Characteristics::ALL), Ok(()));
        assert_eq!("(n=4,rel)".parse::<Template>().unwrap().check(Characteristics::NONE), Ok(()));
    }

    #[test]
    fn ranges_of_nodes_are_the_papers() {
        let ranges = |nodes: Nodes| [1, 2, 3, 4, 5, 7, 8, 9, 16].map(|procs| nodes.range(procs));
        assert_eq!(ranges(Nodes::Ignored), [0; 9]);
        assert_eq!(ranges(Nodes::Ranges(4)), [0, 0, 0, 0, 1, 1, 1, 2, 3]);
        assert_eq!(ranges(Nodes::Ranges(1)), [0, 1, 2, 3, 4, 6, 7, 8, 15]);
        assert_eq!(ranges(Nodes::Exponential), [0, 1, 1, 2, 2, 2, 3, 3, 4]);
    }
}
