//! Where a job would start first, of several followed places.

use serde::Serialize;

use super::choice::RefusedSite;
use super::{JobSize, NewJob, PlaceSnapshot, StartAnswer};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::Seconds;
use queuecast_forecast::forecast::{PredictedWait, SoonestStart};
use queuecast_sim::predict::DEFAULT_REQUEST;

/// Where a job would start first.
#[derive(Debug, Serialize)]
pub struct FastestAnswer {
    /// Of queuecast.
    pub version: &'static str,
    /// What it asks for.
    pub asked: JobSize,
    /// The clusters that may start it first; one if that is clear.
    pub first: Vec<String>,
    /// The soonest first; of each cluster the soonest partition.
    pub clusters: Vec<ClusterStart>,
    /// Those that do not take it, or are not known yet.
    pub refused: Vec<RefusedSite>,
}

/// When it would start at one of them.
#[derive(Debug, Serialize)]
pub struct ClusterStart {
    /// The cluster.
    pub cluster: String,
    /// Its partition, of a live site.
    pub partition: Option<String>,
    /// The moment asked about, on the clock of the cluster.
    pub now: i64,
    /// How long it would wait.
    pub wait: PredictedWait,
    /// Why that is not to be relied on, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

impl FastestAnswer {
    /// Of places by name; one without a look is told as not known yet. The queue that a job names is one of each place that has it: others are asked
    /// without.
    ///
    /// # Errors
    /// If no place takes the job.
    pub fn of<'a>(
        places: impl Iterator<Item = (&'a str, Option<&'a PlaceSnapshot>)>,
        job: &NewJob,
        messages: &dyn Messages,
    ) -> Result<FastestAnswer, Refusal> {
        let (mut starts, mut refused) = (Vec::new(), Vec::new());
        for (name, place) in places {
            match place.map_or_else(|| Err(not_known()), |place| start_at(name, place, job, messages)) {
                Ok(start) => starts.push(start),
                Err(refusal) => refused.push(RefusedSite { site: name.to_owned(), why: refusal.what }),
            }
        }
        if starts.is_empty() {
            let why: Vec<String> = refused.iter().map(|one| format!("{}: {}", one.site, one.why)).collect();
            return Err(Refusal::question("no cluster takes this job").hint(why.join("; ")));
        }
        let waits: Vec<&PredictedWait> = starts.iter().map(|one| &one.wait).collect();
        let SoonestStart { order, close } = SoonestStart::of(&waits);
        let mut starts: Vec<Option<ClusterStart>> = starts.into_iter().map(Some).collect();
        let clusters: Vec<ClusterStart> = order.iter().filter_map(|&place| starts[place].take()).collect();
        Ok(FastestAnswer {
            version: env!("CARGO_PKG_VERSION"),
            asked: JobSize { procs: job.procs, time: time(job) },
            first: clusters.iter().take(close).map(|one| one.cluster.clone()).collect(),
            clusters,
            refused,
        })
    }
}

fn not_known() -> Refusal {
    Refusal::input("it has not been looked at yet")
}

fn time(job: &NewJob) -> Seconds {
    job.time.unwrap_or(DEFAULT_REQUEST)
}

fn start_at(
    name: &str,
    place: &PlaceSnapshot,
    job: &NewJob,
    messages: &dyn Messages,
) -> Result<ClusterStart, Refusal> {
    let queue = job.queue.clone().filter(|queue| place.partitions().contains(queue));
    let found = match place.when(&NewJob { queue, ..job.clone() }, messages)? {
        StartAnswer::One(one) => vec![*one],
        StartAnswer::Several(several) => several.partitions,
    };
    let waits: Vec<&PredictedWait> = found.iter().map(|one| &one.answer.wait).collect();
    let soonest = SoonestStart::of(&waits).order.first().copied();
    let one = soonest.and_then(|place| found.into_iter().nth(place));
    let one = one.ok_or_else(|| Refusal::question("no partition takes this job"))?;
    let (cluster, now) = (name.to_owned(), place.now());
    Ok(ClusterStart { cluster, partition: one.partition, now, wait: one.answer.wait, doubt: one.doubt })
}
