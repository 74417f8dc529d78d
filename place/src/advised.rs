//! What to ask for, at one place, in each partition of a live site, or at one of several sites.

use serde::Serialize;

use super::asked::{Asking, refused, refused_at_site};
use super::{AskedPlace, LabelledLog, NewJob};
use queuecast_core::asking::{Learning, Messages, Refusal};
use queuecast_core::units::Time;
use queuecast_forecast::advice::{
    AdviceError, JobChanges, JobLimits, JobOption, JobPlan, PlanError, PlanQuestion, PlanSettings,
    SoonestPlace, plan_at_cluster, plan_job,
};
use queuecast_forecast::forecast::{Doubt, WhenSettings};
use queuecast_sim::predict::PredictorSpec;
use queuecast_trace::{Moment, TimeZone};

/// What may change about a job, and how that is judged.
#[derive(Debug, Clone)]
pub struct PlaceAdvice {
    /// What may change.
    pub changes: JobChanges,
    /// How its run time is predicted.
    pub predictor: PredictorSpec,
    /// How its wait is predicted.
    pub when: WhenSettings,
    /// Simulations that compare submitting later.
    pub draws: u32,
}

impl PlaceAdvice {
    /// As by default: the time limit and the queue may change, at a risk of 2 % of being stopped at the limit.
    pub fn usual() -> PlaceAdvice {
        let when = WhenSettings::default();
        PlaceAdvice {
            changes: JobChanges { sizes: None, later: Vec::new(), risk: 0.02 },
            predictor: when.predictor.clone(),
            when,
            draws: 200,
        }
    }
}

/// The advice for one job, in one place. Uses nothing that a log records of later.
#[derive(Debug, Serialize)]
pub struct AdvisedJob {
    /// Of queuecast.
    pub version: &'static str,
    /// Where what is known comes from.
    pub source: String,
    /// When it is submitted.
    pub moment: Moment,
    /// On a live site.
    pub partition: Option<String>,
    /// Whether other sites are answered for too.
    #[serde(skip)]
    pub is_one_of_several: bool,
    /// Whose past it was learned from.
    pub history: String,
    /// Why the advice is not to be relied on, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The accepted risk of being stopped at the limit.
    pub risk: f64,
    /// Whether the user was named.
    #[serde(skip)]
    pub is_known: bool,
    /// The plan.
    #[serde(flatten)]
    pub plan: JobPlan,
}

/// The advice for each of several places; never empty: partitions of a live site, or sites by their logs.
#[derive(Debug, Serialize)]
pub struct AdvisedPlaces {
    /// Of a live site.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<AdvisedJob>,
    /// By their logs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<AdvisedJob>,
    /// Places that do not allow the job, and why.
    pub refused: Vec<String>,
    /// Among the partitions or sites.
    pub soonest: Option<SoonestPlace>,
}

impl AdvisedPlaces {
    /// The partitions or the sites.
    pub fn places(&self) -> &[AdvisedJob] {
        if self.sites.is_empty() { &self.partitions } else { &self.sites }
    }
}

/// What to ask for.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum AdvisedAnswer {
    /// At one place.
    One(Box<AdvisedJob>),
    /// At one of several.
    Several(AdvisedPlaces),
}

fn soonest(places: &[AdvisedJob]) -> Option<SoonestPlace> {
    let advised: Vec<&JobOption> = places.iter().map(|one| one.plan.advised()).collect();
    SoonestPlace::of(&advised)
}

/// The advice at one place: one answer, or one for each partition of a live site.
///
/// # Errors
/// If the place does not know its user or queue, does not allow it, or has nothing to learn from.
pub fn advise_at(
    place: AskedPlace<'_>,
    job: &NewJob,
    advice: &PlaceAdvice,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<AdvisedAnswer, Refusal> {
    if let AskedPlace::Log { log, .. } = place {
        job.check(&log.log.workload)?;
    }
    let is_live = matches!(place, AskedPlace::Live { .. });
    let found = place.each(job, &advice.when, zone, messages, |facts, asking| {
        if let Some(lost) = place.lost(facts, facts.asked.procs, asking.waiting()) {
            return Ok(Err(format!("{}: {}", facts.partition.as_deref().unwrap_or_default(), lost.words())));
        }
        let plan = planned(&asking, advice, facts.name, is_live.then_some(facts.limits), messages)?;
        if plan.learned == 0 && advice.changes.sizes.is_none() {
            return Err(nothing_to_advise_by(facts.name));
        }
        Ok(Ok(AdvisedJob {
            version: env!("CARGO_PKG_VERSION"),
            source: facts.name.to_owned(),
            moment: facts.moment.clone(),
            partition: facts.partition.clone(),
            is_one_of_several: is_live,
            history: facts.learned_from(plan.learned),
            doubt: Doubt::of(plan.regime.as_ref(), plan.record.as_ref()).map(|doubt| doubt.words()),
            risk: advice.changes.risk,
            is_known: job.user.is_some(),
            plan,
        }))
    })?;
    let mut refused = found.refused;
    let (mut answers, mut withheld) = (Vec::new(), Vec::new());
    for answer in found.answers {
        match answer {
            Ok(advised) => answers.push(advised),
            Err(why) => withheld.push(why),
        }
    }
    if answers.is_empty() {
        return Err(advice_withheld(&withheld));
    }
    let is_withheld = !withheld.is_empty();
    refused.extend(withheld.into_iter().map(|why| format!("advice is withheld: {why}")));
    Ok(match answers.pop() {
        Some(only) if answers.is_empty() && !is_withheld => AdvisedAnswer::One(Box::new(only)),
        last => {
            answers.extend(last);
            let partitions = answers;
            let soonest = soonest(&partitions);
            AdvisedAnswer::Several(AdvisedPlaces { partitions, sites: Vec::new(), refused, soonest })
        }
    })
}

/// Without a past it is not known how long jobs run, so that every limit would be a guess.
fn nothing_to_advise_by(name: &str) -> Refusal {
    Refusal::input(format!(
        "{name}: no job is known to have run there, so that no limit can be advised: how long jobs run is learned from accounting"
    ))
    .hint("name accounting (queuecast advise --live site.sacct.gz), follow the site (queuecast collect), or say how long it runs (--runs 64=2h); queuecast when says when it starts")
}

/// There is no advice where ranges have not held lately.
pub(super) fn advice_withheld(why: &[String]) -> Refusal {
    Refusal::input(format!("advice is withheld until it is earned back: {}", why.join("; ")))
        .hint("queuecast when still answers, with wider ranges; queuecast score live has the record")
}

/// The advice at each of several sites by their logs, each at a moment of its own, or why a log cannot be asked. A user that a log does
/// not know counts as any.
///
/// # Errors
/// The first refusal, if no site has an answer.
pub fn advise_at_logs<'a>(
    logs: impl IntoIterator<Item = (&'a str, Result<(LabelledLog<'a>, Time), Refusal>)>,
    job: &NewJob,
    advice: &PlaceAdvice,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<AdvisedAnswer, Refusal> {
    let (mut sites, mut refused, mut first) = (Vec::new(), Vec::new(), None);
    for (name, known) in logs {
        let answer = known.and_then(|(log, at)| {
            let user = job.user.clone().filter(|_| job.knows_user(&log.log.workload));
            let job = NewJob { user, ..job.clone() };
            advise_at(AskedPlace::Log { log, at }, &job, advice, zone, messages)
        });
        match answer {
            Ok(AdvisedAnswer::One(site)) => sites.push(AdvisedJob { is_one_of_several: true, ..*site }),
            Ok(AdvisedAnswer::Several(places)) => sites.extend(places.sites),
            Err(why) => {
                refused.push(format!("{name}: {why}"));
                first.get_or_insert(why);
            }
        }
    }
    match first {
        Some(why) if sites.is_empty() => Err(why),
        _ => {
            let soonest = soonest(&sites);
            Ok(AdvisedAnswer::Several(AdvisedPlaces { partitions: Vec::new(), sites, refused, soonest }))
        }
    }
}

fn planned(
    asking: &Asking<'_>,
    advice: &PlaceAdvice,
    name: &str,
    limits: Option<JobLimits>,
    messages: &dyn Messages,
) -> Result<JobPlan, Refusal> {
    asking.begin(messages);
    let done = |steps| messages.done(steps);
    let PlaceAdvice { changes, predictor, draws, .. } = advice.clone();
    let plan = match asking {
        Asking::Jobs { job, source, settings } => {
            let settings = PlanSettings { when: WhenSettings { predictor, ..(**settings).clone() }, draws };
            // On a live site each partition is asked for itself.
            let queues = limits.map(|_| Vec::new());
            let limits = limits.unwrap_or_default();
            let question = PlanQuestion { job: job.clone(), changes, limits, queues };
            plan_job(&question, source, &settings, Learning { done: &done, kept: messages.kept() })
        }
        Asking::Slurm { question, settings } => plan_at_cluster(question, &changes, *settings, &done),
    };
    plan.map_err(|error| refused_plan(name, error))
}

/// Why there is no advice, with what helps.
pub(super) fn refused_plan(name: &str, error: PlanError) -> Refusal {
    match error {
        PlanError::When(error) => refused(name, error),
        PlanError::AtSite(error) => refused_at_site(&error),
        PlanError::Sizes(why) => AdviceError::Sizes(why).refusal(),
        PlanError::NotTaken(_) => Refusal::question(error.to_string())
            .hint("queuecast site check DIR lists partitions, QOS, accounts and their limits"),
        PlanError::NoLimit => Refusal::question(error.to_string()).hint("name one by --time, as in -t 2h"),
    }
}
