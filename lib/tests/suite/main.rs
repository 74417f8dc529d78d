//! Tests of the library from outside, one module per subject: `cargo test -p queuecast --test suite MODULE`.

#![allow(clippy::unwrap_used)] // a test that cannot set up its case should fail

mod advice_odd;
mod advice_properties;
mod allot_properties;
mod allot_reference;
mod broker_properties;
mod campaign_properties;
mod characterization_properties;
mod engine_properties;
mod estimates_properties;
mod forecast_growth;
mod forecaster;
mod laws;
mod likely_properties;
mod metrics;
mod metrics_properties;
mod metrics_reference;
mod mixture_properties;
mod models_properties;
mod odd_workloads;
mod one_start_properties;
mod population_properties;
mod predictor_properties;
mod predictors_reference;
mod queue_time_properties;
mod random_runs;
mod random_sites;
mod recordings;
mod run_on_properties;
mod session_properties;
mod shadow_decisions;
mod shapes;
mod site;
mod site_policy_properties;
mod slurm_properties;
mod slurm_settings_reference;
mod specs;
mod speedup_properties;
mod submission_properties;
#[path = "../support/mod.rs"]
mod support;
mod template_properties;
mod tidy;
mod trace_clean;
mod trace_foreign;
mod trace_known_at;
mod trace_properties;
mod trace_sacct;
mod trace_squeue;
mod trace_swf;
mod trace_withdrawn;
mod trees_properties;
mod wait_features;
mod wait_methods;
mod what_if_properties;
