//! Several jobs that have not been submitted: an array, a chain, or a list.

use std::collections::BTreeMap;

use super::NewJob;
use queuecast_core::asking::Refusal;
use queuecast_core::number::number_of;
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Begin, DependencyKind, DependencyOn, JobArray, RequestTerms, SubmittedJob, TimeLimit,
};
use queuecast_slurm_texts::{read_array, read_submissions};

/// A site's own scheduler is asked about fewer: each simulation of it goes through all of them, over and over where they wait for others.
const MOST_BY_SCHEDULER: usize = 1_000;
const MOST_AFTER_OTHERS: usize = 200;

/// Several jobs as they are described before they are submitted.
#[derive(Debug, Clone)]
pub struct NewCampaign {
    /// In the order of their submission.
    pub(super) jobs: Vec<NewCampaignJob>,
    /// How many jobs of each array may run at once.
    pub(super) at_once: Vec<u32>,
    /// What of the description is not simulated.
    pub(super) left_out: Vec<String>,
    /// How they are submitted to a Slurm site.
    pub(super) as_submitted: CampaignSubmissions,
}

/// Several jobs as sbatch is asked for them.
#[derive(Debug, Clone)]
pub(super) enum CampaignSubmissions {
    /// One submission.
    Array(JobArray),
    /// Each depends on the one before it.
    Chain,
    /// As a list has them, with users and partitions of its own: with keys that no job of a site has, and times from the first of them on.
    Listed(Vec<SubmittedJob>),
}

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct NewCampaignJob {
    pub name: String,
    pub job: NewJob,
    /// How much later than the moment asked about it is submitted.
    pub later: Seconds,
    /// The places of the jobs whose ends it waits for.
    pub after: Vec<usize>,
    pub array: Option<u32>,
}

fn too_many(count: usize, most: usize) -> Refusal {
    Refusal::question(format!("{} are too many to be asked about together", number_of(count, "job")))
        .hint(format!("ask about at most {} at a time", number_of(most, "job")))
}

impl NewCampaign {
    /// The job, if it is only one.
    pub fn alone(&self) -> Option<&NewJob> {
        match &self.jobs[..] {
            [one] => Some(&one.job),
            _ => None,
        }
    }

    /// Whether users and queues come from a list, and not from the question.
    pub(super) fn is_listed(&self) -> bool {
        matches!(self.as_submitted, CampaignSubmissions::Listed(_))
    }

    /// Why a site's own scheduler is not asked about them, if it is not.
    pub(super) fn not_by_scheduler(&self) -> Option<String> {
        let after = self.jobs.iter().filter(|one| !one.after.is_empty()).count();
        let is_large = self.len() > MOST_BY_SCHEDULER || after > MOST_AFTER_OTHERS;
        is_large.then(|| {
            format!(
                "a site's own scheduler is asked about at most {} together, of which at most {MOST_AFTER_OTHERS} wait for others",
                number_of(MOST_BY_SCHEDULER, "job")
            )
        })
    }

    /// The place of the first job that is submitted now and waits for no other.
    pub(super) fn first_now(&self) -> Option<usize> {
        self.jobs.iter().position(|one| one.later == Seconds::ZERO && one.after.is_empty())
    }

    /// How many jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// More jobs are not asked about together by the command.
    pub const MOST: usize = 10_000;

    /// Jobs that ask for the same, with these indices: `1-500%20`.
    ///
    /// # Errors
    /// If the indices are not as sbatch takes them, or more than `most`.
    pub fn array(job: &NewJob, indices: &str, most: usize) -> Result<NewCampaign, Refusal> {
        let wrong = || {
            Refusal::question(format!("--array {indices}: no indices of an array"))
                .hint("as for sbatch: 1-500, 1-500:2, 1,3,7, and with %20 at most 20 at once")
        };
        let array = read_array(indices).ok_or_else(wrong)?;
        if array.indices.len() > most {
            return Err(too_many(array.indices.len(), most));
        }
        let at_once: Vec<u32> = array.throttle.filter(|&most| most > 0).into_iter().collect();
        let of_array = (!at_once.is_empty()).then_some(0);
        let jobs = array.indices.iter().map(|index| NewCampaignJob {
            name: format!("_{index}"),
            job: job.clone(),
            later: Seconds::ZERO,
            after: Vec::new(),
            array: of_array,
        });
        let (jobs, left_out) = (jobs.collect(), Vec::new());
        Ok(NewCampaign { jobs, at_once, left_out, as_submitted: CampaignSubmissions::Array(array) })
    }

    /// A chain of equal jobs, each eligible when the one before it ends.
    ///
    /// # Errors
    /// If they are more than `most`.
    pub fn chain(job: &NewJob, length: usize, most: usize) -> Result<NewCampaign, Refusal> {
        if length > most {
            return Err(too_many(length, most));
        }
        let jobs = (0..length).map(|place| NewCampaignJob {
            name: (place + 1).to_string(),
            job: job.clone(),
            later: Seconds::ZERO,
            after: place.checked_sub(1).into_iter().collect(),
            array: None,
        });
        let (at_once, left_out) = (Vec::new(), Vec::new());
        Ok(NewCampaign { jobs: jobs.collect(), at_once, left_out, as_submitted: CampaignSubmissions::Chain })
    }

    /// The submissions of a list, the first of them now and the others as much later as they are in the list. Jobs that the list gives no
    /// time limit ask for that of `default`.
    ///
    /// # Errors
    /// If a line cannot be read, or a job depends on something that is not simulated.
    pub fn listed(file: &str, text: &str, default: Option<Seconds>) -> Result<NewCampaign, Refusal> {
        let submissions = read_submissions(file, text).map_err(|misread| {
            Refusal::input(misread.to_string())
                .hint("docs/reference/submissions.md has the format: submit,user,args")
        })?;
        if submissions.is_empty() {
            return Err(Refusal::input(format!("{file}: it lists no submission")));
        }
        let mut listed = ListedJobs::default();
        let first = submissions.iter().map(|one| one.submit.second()).min().unwrap_or(Time(0));
        for one in &submissions {
            listed.add(file, one, (one.submit.second() - first, default))?;
        }
        let as_submitted = CampaignSubmissions::Listed(renamed(&submissions, first, default));
        Ok(NewCampaign { as_submitted, ..listed.campaign })
    }
}

/// The submissions of a list with keys that no job of a site has, and times from the first of them on; those without a limit ask for that
/// of `default`.
fn renamed(submissions: &[SubmittedJob], first: Time, default: Option<Seconds>) -> Vec<SubmittedJob> {
    let name = |number: usize| format!("listed {number}");
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::with_capacity(submissions.len());
    for (number, one) in submissions.iter().enumerate() {
        let mut job = SubmittedJob { key: name(number), id: None, runs: Vec::new(), ..one.clone() };
        job.submit = job.submit - Micros::from(first);
        if !matches!(job.request.time_limit, Some(TimeLimit::Of(_))) && default.is_some() {
            job.request.time_limit = default.map(TimeLimit::Of);
        }
        if let Some(dependency) = &mut job.request.dependency {
            for on in &mut dependency.on {
                let wanted = on.job.trim_start_matches('@');
                let bare = wanted.strip_suffix("_*").unwrap_or(wanted);
                let task =
                    || wanted.rsplit_once('_').and_then(|(whole, task)| Some((numbers.get(whole)?, task)));
                match (numbers.get(bare), task()) {
                    (Some(&number), _) => on.job = name(number),
                    (None, Some((&number, task))) => on.job = format!("{}_{task}", name(number)),
                    (None, None) => {}
                }
            }
        }
        let RequestTerms { begin, deadline, .. } = &mut job.request.terms;
        for at in [begin, deadline].into_iter().flatten() {
            if let Begin::At(at) = at {
                *at = Time((*at - first).0);
            }
        }
        numbers.extend(one.id.map(|id| (id.to_string(), number)));
        numbers.insert(one.key.clone(), number);
        all.push(job);
    }
    all
}

struct ListedJobs {
    campaign: NewCampaign,
    /// The places of the jobs of a submission, by its key and by its number.
    places: BTreeMap<String, Vec<usize>>,
    /// The places of the jobs of each name and user.
    named: BTreeMap<(String, Option<String>), Vec<usize>>,
}

impl Default for ListedJobs {
    fn default() -> ListedJobs {
        let as_submitted = CampaignSubmissions::Listed(Vec::new());
        let campaign =
            NewCampaign { jobs: Vec::new(), at_once: Vec::new(), left_out: Vec::new(), as_submitted };
        ListedJobs { campaign, places: BTreeMap::new(), named: BTreeMap::new() }
    }
}

impl ListedJobs {
    fn add(
        &mut self,
        file: &str,
        one: &SubmittedJob,
        (later, default): (Seconds, Option<Seconds>),
    ) -> Result<(), Refusal> {
        let request = &one.request;
        let indices: Vec<Option<u32>> = match &request.array {
            Some(array) => array.indices.iter().copied().map(Some).collect(),
            None => vec![None],
        };
        let count = self.campaign.jobs.len() + indices.len();
        if count > NewCampaign::MOST {
            return Err(too_many(count, NewCampaign::MOST));
        }
        let array = request.array.as_ref().and_then(|array| array.throttle).filter(|&most| most > 0);
        let array = array.map(|most| {
            self.campaign.at_once.push(most);
            self.campaign.at_once.len() as u32 - 1
        });
        let job = NewJob {
            procs: Procs(request.processors()),
            time: match request.time_limit {
                Some(TimeLimit::Of(limit)) => Some(limit),
                Some(TimeLimit::Unlimited) | None => default,
            },
            user: Some(one.user.clone()),
            queue: request.partitions.first().cloned(),
            sbatch: None,
        };
        let name = (request.name.clone().unwrap_or_default(), job.user.clone());
        let mut own = Vec::new();
        for index in indices {
            let mut after = Vec::new();
            let dependency = request.dependency.as_ref();
            if dependency.is_some_and(|all| all.any) {
                return Err(not_simulated(file, &one.key, "a dependency with ? (one of several)"));
            }
            for on in dependency.into_iter().flat_map(|all| &all.on) {
                after.extend(self.awaited(file, &one.key, on, (index, &name))?);
            }
            own.push(self.campaign.jobs.len());
            self.campaign.jobs.push(NewCampaignJob {
                name: match index {
                    Some(index) => format!("{}_{index}", one.key),
                    None => one.key.clone(),
                },
                job: job.clone(),
                later,
                after,
                array,
            });
        }
        self.named.entry(name).or_default().extend(&own);
        for option in &one.not_modelled {
            if !self.campaign.left_out.contains(option) {
                self.campaign.left_out.push(option.clone());
            }
        }
        self.places.extend(one.id.map(|id| (id.to_string(), own.clone())));
        self.places.insert(one.key.clone(), own);
        Ok(())
    }

    /// The jobs whose ends a dependency waits for.
    fn awaited(
        &self,
        file: &str,
        key: &str,
        on: &DependencyOn,
        (index, name): (Option<u32>, &(String, Option<String>)),
    ) -> Result<Vec<usize>, Refusal> {
        match on.kind {
            DependencyKind::AfterAny | DependencyKind::AfterOk | DependencyKind::AfterCorr => {}
            DependencyKind::Singleton => return Ok(self.named.get(name).cloned().unwrap_or_default()),
            DependencyKind::After => return Err(not_simulated(file, key, "after (the start of a job)")),
            DependencyKind::AfterNotOk | DependencyKind::AfterBurstBuffer => {
                return Err(not_simulated(file, key, "afternotok or afterburstbuffer"));
            }
        }
        if on.delay > Seconds::ZERO {
            return Err(not_simulated(file, key, "a delay after another job"));
        }
        let wanted = on.job.trim_start_matches('@');
        let bare = wanted.strip_suffix("_*").unwrap_or(wanted);
        if let Some(all) = self.places.get(bare) {
            let task = (on.kind == DependencyKind::AfterCorr).then_some(index).flatten();
            let name = |place: &&usize| {
                let known = &self.campaign.jobs[**place].name;
                task.is_none_or(|task| known.ends_with(&format!("_{task}")))
            };
            return Ok(all.iter().filter(name).copied().collect());
        }
        let task = self.campaign.jobs.iter().position(|one| one.name == wanted);
        let unknown = || {
            Refusal::input(format!("{file}: job {key} depends on {wanted}, which no line before it submits"))
                .hint("list the job it depends on first, and name it by @key or its number")
        };
        task.map(|place| vec![place]).ok_or_else(unknown)
    }
}

fn not_simulated(file: &str, key: &str, what: &str) -> Refusal {
    Refusal::input(format!("{file}: job {key}: {what} is not simulated"))
        .hint("afterany, afterok, aftercorr and singleton are, each as the end of the jobs named")
}
