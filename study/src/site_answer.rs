//! What would become of submissions at a site.

use serde::Serialize;

use crate::cluster_report::{ClusterReport, cluster_report};
use crate::site_policy::SitePolicy;
use crate::unknown_names::unknown_names;
use queuecast_sim::sim::SimError;
use queuecast_slurm_sim::cluster::JobOutcome;
use queuecast_slurm_sim::controller::SimulatedRun;
use queuecast_slurm_texts::{AppliedChange, Misread, MissingText, SubmissionLog, WhatIf, left_out};

/// What would become of submissions at a site.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteAnswer {
    /// Who ran next: `slurm`, or a policy as the engine writes it.
    pub policy: SitePolicy,
    /// Where the submissions come from.
    pub log: SubmissionLog,
    /// What of the site was changed, and from what to what.
    pub changes: Vec<AppliedChange>,
    /// What became of the jobs.
    #[serde(flatten)]
    pub report: ClusterReport,
    /// What the site or the submissions use and the simulation leaves out.
    pub not_modelled: Vec<String>,
    /// What no text of the site tells, and what is taken instead.
    pub missing: Vec<MissingText>,
    /// What is odd about the site and the submissions.
    pub warnings: Vec<String>,
    /// Places that could not be read.
    pub misread: Vec<Misread>,
}

/// Simulates the submissions at the site by Slurm's rules or another policy; the second part is what became of each job. Fails only if a
/// predictor or a policy breaks its contract.
pub fn simulate_site(
    what_if: &WhatIf,
    policy: &SitePolicy,
) -> Result<(SiteAnswer, Vec<JobOutcome>), SimError> {
    let (answer, simulated) = simulated_answer(what_if, policy)?;
    Ok((answer, simulated.jobs.into_iter().map(|job| job.outcome).collect()))
}

/// The answer, with what each job held.
pub(crate) fn simulated_answer(
    what_if: &WhatIf,
    policy: &SitePolicy,
) -> Result<(SiteAnswer, SimulatedRun), SimError> {
    let (cluster, run, reading) = (&what_if.reading.cluster, &what_if.run, &what_if.reading);
    let simulated = policy.simulate(cluster, run)?;
    let report = cluster_report(cluster, run, &simulated);
    let not_modelled = left_out(reading, run);
    let answer = SiteAnswer {
        policy: policy.clone(),
        log: what_if.log.clone(),
        changes: what_if.changes.clone(),
        report,
        not_modelled,
        missing: reading.missing.clone(),
        warnings: reading.warnings.iter().cloned().chain(unknown_names(cluster, run)).collect(),
        misread: reading.misread.clone(),
    };
    Ok((answer, simulated))
}

/// What would become of submissions at a site, with where both come from.
#[derive(Debug, Serialize)]
pub struct SimulatedSite {
    /// Of queuecast.
    pub version: &'static str,
    /// The folder of the site.
    pub site: String,
    /// The file of the submissions.
    pub source: String,
    /// The answer.
    #[serde(flatten)]
    pub answer: SiteAnswer,
}

impl SimulatedSite {
    /// Of a site and submissions that are called so.
    pub fn of(site: String, source: String, answer: SiteAnswer) -> SimulatedSite {
        SimulatedSite { version: env!("CARGO_PKG_VERSION"), site, source, answer }
    }
}
