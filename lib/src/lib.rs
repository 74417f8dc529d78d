//! Queuecast answers three questions about a shared supercomputer from its own job history: how long will
//! a job run, when will it start, and what would the scheduler do if it knew.
//!
//! This crate is what a program or a notebook needs of it. It reads from any [`std::io::Read`] and returns values;
//! it refuses to know the terminal, the clock, the environment, processes, the network, or any randomness
//! that was not handed to it as a [`seed::Seed`]. What touches the world lives in the `queuecast` command.
//!
//! Begin with [`trace::read`] (a log becomes a [`workload::Workload`]) or [`synth::Habits`] (made-up jobs), simulate with
//! [`study::Experiment`] or [`study::Sweep`], and measure with [`eval::Evaluation`]. [`predict`] and [`wait`] predict run times
//! and waits, [`place`] answers the questions of a user about one job, [`slurm`], [`cluster`] and [`controller`] simulate a Slurm site.
//! The crates that these modules re-export have more, which changes without notice.

/// Typed numbers: instants and lengths of time in whole seconds, and processors.
pub mod units {
    pub use queuecast_core::units::{Micros, Procs, Seconds, Time};
}

/// The seed of all randomness: equal seeds give equal results on any number of threads.
pub mod seed {
    pub use queuecast_core::seed::Seed;
}

/// Jobs as a scheduler knows them, what became of them, and the events of a site.
pub mod job {
    pub use queuecast_core::job::{
        AccountId, End, Ending, Event, ExecutableId, GroupId, Job, JobId, JobIndex, PartitionId, QosId,
        QueueId, Runs, Shape, Truth, UserId, What,
    };
}

/// Workloads: the jobs of a log or a model, with what became of them and the machine that they are for.
pub mod workload {
    pub use queuecast_core::workload::{Machine, Names, Withdrawn, Workload, WorkloadError};
}

/// Distributions of a time: a point, an interval, quantiles, observed values; each conditional on what has passed.
pub mod distribution {
    pub use queuecast_core::distribution::{Distribution, Interval, LogUniform};
}

/// Policies, predictors, corrections and the like as short texts.
pub mod spec {
    pub use queuecast_core::spec::{Spec, SpecError};
}

/// Messages while an answer is computed, and why a question is refused.
pub mod asking {
    pub use queuecast_core::asking::{Learning, Messages, Refusal, RefusedPart, Unheard};
}

/// Job logs: the Standard Workload Format, `sacct` and others, compressed or not; cleaning, describing and writing them.
pub mod trace {
    pub use queuecast_trace::{
        Cleaned, CleaningReport, Compression, Converted, Field, Header, Info, Inspected, Log, LogFormat,
        LogSpan, MachineSize, MachineSource, Moment, Percentiles, RawLog, ReadOptions, Record, Records, Rule,
        Ruleset, SwfWriter, TimeZone, TraceError, WorkloadFacts, convert, describe, digest, inspect,
        past_moment, read, time_zone,
    };
}

/// Statistics that describe logs: modes of requested times and who asks for them, accuracy, sessions, flurries.
pub mod characterization {
    pub use queuecast_synth::characterization::{
        Accuracy, AccuracyBin, Characterization, Covering, Disparity, Flurries, Flurry, Growth, GrowthPoint,
        Mode, Modes, Owner, Owners, Ranked, Repeats, RunBin, SessionStatistics, UserSessions,
    };
}

/// Models of workloads, of requested times and of users; and changes of a workload.
pub mod synth {
    pub use queuecast_synth::synth::{
        Calendar, Downey, DowneyArrivals, DowneyJob, EstimateModel, Estimates, Exponential, GammaLaw, Habits,
        Law, LoadTarget, Lublin, LublinArrivals, LublinClass, LublinKinds, LublinRuns, LublinSizes, Pairing,
        Population, PowerLaw, Resample, Rescale, Rounding, Routine, ScaledQuantity, Shaken, Speedup,
        Stripped, Supplied, SynthError, UniformLog, UserStatistics, ValueCount, Variant, Viable,
    };

    /// One call per model and per change, which also tells what was done: steps, seed, parameters and warnings.
    pub mod generate {
        pub use queuecast_synth::synth::generate::{
            EstimateSettings, GenerateError, Generated, JobSettings, ModelSettings, NamedLog,
            ParameterSetting, RequestedTimes, ResampleSettings, UserSettings, downey, estimates, habits,
            lublin, resample, rescale, shake,
        };
    }
}

/// One machine and its queue, fed by events; a recorded schedule replayed as events.
pub mod site {
    pub use queuecast_sim::site::{Replay, Site, SiteError, Step, TimedStep, Timeline};
}

/// How long will it run: predictors of run times by name or of one's own, and corrections of predictions that jobs outlive.
pub mod predict {
    pub use queuecast_sim::predict::{
        Constant, Correction, Criteria, Criterion, DEFAULT_REQUEST, Forecast, Perfect, PredictorSpec,
        Question, RecentUserHistory, Requested, Revision, Ruh, Rule, RuntimePredictor, Sbh, SessionHistory,
        SessionSearch, Statistic,
    };

    /// Run times predicted by experts whose weights follow their past losses.
    pub mod mixture {
        pub use queuecast_sim::predict::mixture::{Mixture, MixturePoint, MixtureSettings};
    }

    /// Run times predicted by templates: the jobs alike in some characteristics.
    pub mod template {
        pub use queuecast_sim::predict::template::{
            Characteristic, Characteristics, Data, Estimator, Gibbons, GibbonsSettings, Template,
            TemplatePredictor, TemplateSet,
        };
    }
}

/// What the scheduler would do: the engine, policies by name or of one's own, forks of a running simulation.
pub mod sim {
    pub use queuecast_sim::sim::{
        Backfill, Backfilled, Capacity, Change, Components, Depth, Earliest, Engine, EventOrder, Fork,
        Formula, Likely, LimitRule, Nodes, Observer, Options, Order, Otherwise, Persistence, Placement,
        Policy, Profile, Reason, RunningJob, Schedule, SimError, Standing, Start, Started, Unknown,
        Variation, View, WaitingJob, simulate,
    };
}

/// When will it start: predictors of waits that learn from starts, and queue times at the head of a queue.
pub mod wait {
    pub use queuecast_wait::{
        Arrival, BinomialBound, ClassWaits, FeatureDistance, Holder, InstanceBased, LifetimeFit,
        NamedClasses, Nearest, NearestRegression, Outlook, PastWaits, PointRule, QueueAhead, QueueTime,
        QuickStarters, Ranges, Regression, SimilarWaits, WAIT_CLASSES, WaitForecast, WaitPredictor, ZeroWait,
        class_of, interval_score,
    };

    /// The features of an arrival: the job, and the site as it finds it.
    pub mod features {
        pub use queuecast_wait::features::{Feature, FeatureTracker, Features};
    }
}

/// A Slurm cluster: nodes, partitions, limits, settings, and the jobs that are submitted to it.
pub mod cluster {
    pub use queuecast_slurm_sim::cluster::{
        AdvanceReservation, Allowed, Association, BackfillSettings, Cluster, ClusterAction, ClusterEvent,
        ClusterMoment, ClusterNode, ClusterPartition, ClusterSettings, GenericResource, JobOutcome,
        JobRequest, NodeState, Outage, PartitionState, PrioritySettings, Qos, RecordedRun, RunClock,
        SelectSettings, SubmitRefusal, SubmittedJob, Switch, TaskRun, TimeLimit, Topology, Tres,
        submit_refusal,
    };
}

/// Slurm's own scheduler on such a cluster: what becomes of what is submitted, and why jobs wait.
pub mod controller {
    pub use queuecast_slurm_sim::controller::{
        AssumedFuture, Interruptions, PendingReason, Phases, RefusedFor, SimulatedJob, SimulatedRun,
        SiteRules, WaitReason, pending_reasons, run_on, simulate_by_rules, simulate_cluster,
        simulate_in_detail,
    };
}

/// A Slurm site read from texts: its configuration, what its commands print, its submissions and recordings.
pub mod slurm {
    pub use queuecast_slurm_texts::{
        AppliedChange, ChangeError, Misread, MissingText, NoRecordedSite, RecordedSite, SbatchError,
        SbatchRequest, SettingChange, SiteChange, SiteChanges, SiteOptions, SiteReading, SubmissionLog,
        Unmodelled, WhatIf, WhatIfError, left_out, read_changed_site, read_recorded_site, read_site,
        read_submissions, read_what_if, sbatch, sbatch_line, site_changes, write_submissions,
    };
}

/// Was it right: metrics of schedules, and walk-forward scores of predicted run times and waits.
pub mod eval {
    pub use queuecast_eval::{
        AskedAt, Better, Breakdown, Dimension, EvalError, Evaluation, Excluded, Fairness, Group, METRICS,
        Metric, Outcome, QueueSeries, QueueStep, QueueSummary, RuntimeMeasures, RuntimeMethod,
        RuntimePrediction, RuntimeScore, RuntimeScorer, Score, ScoreIntervals, Scorer, Selection, Span,
        Spread, Summary, Unit, WaitPrediction, WaitScore, WaitScorer, WaitWindow, WalkForward, Watch, Window,
    };
}

/// Many simulations: experiments, sweeps on all cores, policies compared on logs and at Slurm sites.
pub mod study {
    pub use queuecast_study::{
        ClusterReport, CustomPolicy, CustomPredictor, Experiment, ForecastStart, PolicyChoice,
        PredictorChoice, Repeated, ShakenResult, Shaking, Simulated, SimulatedSite, Simulation, SimulationId,
        SimulationReport, SimulationResult, SiteAnswer, SitePolicy, SiteVariant, StartForecastScore, Sweep,
        SweepResults, VariantAnswer, cluster_report, compare_variants, forecast_starts, simulate_site,
    };

    /// The search for good template sets.
    pub mod search {
        pub use queuecast_study::search::{
            Genetic, Greedy, Search, SearchError, SearchReport, SearchRequest, Space,
        };
    }
}

/// How many processors to take: sizes of a moldable job, and strategies at the head of a queue (Downey 1997).
pub mod allot {
    pub use queuecast_forecast::allot::{
        Allotter, Hold, Prompting, Size, Sizes, SizesError, Strategy, StrategyRecorder,
    };
}

/// When a job will start at a site, by methods that are tried on its past, or by a Slurm site's own scheduler.
pub mod forecast {
    pub use queuecast_forecast::forecast::{
        ClusterForecaster, ClusterQuestion, ClusterWhenError, ClusterWhenSettings, Forecaster, LimitAdvice,
        MethodRecord, PredictedWait, RegimeRecord, StartForecast, StateNow, WaitMethod, WhenAnswer,
        WhenAnswers, WhenError, WhenSettings, WhenSource, wait_predictor, when, when_at_cluster, when_each,
    };
}

/// What to ask for: one job in several variants, what becomes of each, and which to take.
pub mod advice {
    pub use queuecast_forecast::advice::{
        Advice, AdviceAnswer, AdviceError, AdviceSettings, AdviceSource, JobChange, JobChanges, JobLimits,
        JobOption, JobPlan, MoldableJob, Offer, PlanError, PlanQuestion, PlanSettings, Preference, Prospect,
        RunTimeBySize, SizeForecasts, SoonestPlace, Target, TimeRange, TimeSpread, advise, forecast_sizes,
        plan_at_cluster, plan_job,
    };
}

/// Several sites on one clock, and brokers that send each job to one of them.
pub mod broker {
    pub use queuecast_forecast::broker::{
        Alignment, Broker, BrokerSpec, Grid, GridError, GridJob, GridSchedule, GridStart, NotTaken,
        QueueLimits, Routing, SiteOffer, SiteSetup, Uses, WaitHistory, merged,
    };
}

/// Questions of a user at a place: a log at a moment, a live site by its queue, or a Slurm site by its own scheduler.
pub mod place {
    pub use queuecast_place::{
        AdvisedAnswer, AdvisedJob, AllocationAnswer, AllocationSettings, AskedCampaign, AskedPlace,
        AskedQueue, CampaignAnswer, JobSize, LabelledLog, LearnedLog, LiveSite, NewCampaign, NewJob,
        PendingAnswer, PendingJob, PlaceAdvice, QueuedAnswer, RefusedSite, SiteAsker, SiteChoice, SiteStart,
        SitesFile, SlurmJob, SlurmNow, SlurmPlace, StartAnswer, StartTime, StartTimes, advise_at,
        allocate_at, campaign_at, pending_at, queued_at, when_at,
    };
}

/// Answers as text, Markdown, CSV and JSON; tables and charts of results of one's own.
pub mod report {
    pub use queuecast_report::{
        Align, Answer, Cell, Charset, Chart, Column, Document, Format, Layout, Page, Table, json, render,
        side_by_side, table,
    };
}

/// The code in the guides is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guides/library.md")]
#[doc = include_str!("../../docs/guides/extending.md")]
struct LibraryGuides;
