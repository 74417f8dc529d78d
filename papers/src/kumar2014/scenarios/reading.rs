//! What the paper leaves open about its synthetic traces, as data.

use queuecast_synth::synth::LublinKinds;

/// How the traces of the queues are made with the model of Lublin & Feitelson 2003.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScenarioReading {
    /// Which jobs of the model are a queue's.
    pub selection: JobSelection,
    /// Which types of jobs the model has.
    pub kinds: LublinKinds,
    /// How the model is brought to the inter-arrival times of Table 5.
    pub arrivals: ArrivalScaling,
    /// What jobs request.
    pub requests: ScenarioRequests,
}

/// Which jobs of the model are a queue's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobSelection {
    /// Jobs of a model for a machine as large as the queue's largest job; those that run for too long are left out.
    OwnModel,
    /// Jobs of a model for the whole system that the queue admits by size and run time.
    Admitted,
    /// Jobs of a model for the whole system, cut to the limits of the queue.
    Cut,
    /// Jobs of a model for the whole system, each in the first queue that admits it, by size alone.
    FirstBySize,
    /// Such jobs, each in the first queue that admits it by size and run time.
    FirstByRunTime,
    /// Such jobs, each in the first queue that admits it by size and requested time, of which the longest is that of queue IV.
    FirstByRequest,
}

/// How the model is brought to a mean time between arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrivalScaling {
    /// By the scale (β) of the gamma that the logarithm of the gaps is drawn from. Days stay days.
    GapScale,
    /// All times are multiplied, and the daily cycle with them.
    Stretched,
}

/// What jobs request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenarioRequests {
    /// Times by the model of Tsafrir, Etsion & Feitelson 2005, with the queue's limit as the longest.
    Modelled,
    /// Their run times.
    RunTimes,
}

/// A reading with a number of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedReading {
    /// The reading.
    pub reading: ScenarioReading,
    /// Jobs of a scenario, all queues together.
    pub jobs: u32,
}

/// Jobs of a scenario by default, all queues together. The paper does not say.
pub const SCENARIO_JOBS: u32 = 10_000;

impl Default for ScenarioReading {
    /// The published model with both types of jobs; each job in the first queue that admits its size and the run time that the model
    /// draws; the daily cycle kept.
    fn default() -> ScenarioReading {
        ScenarioReading {
            selection: JobSelection::FirstByRunTime,
            kinds: LublinKinds::Both,
            arrivals: ArrivalScaling::GapScale,
            requests: ScenarioRequests::Modelled,
        }
    }
}

impl Default for ComparedReading {
    fn default() -> ComparedReading {
        ComparedReading { reading: ScenarioReading::default(), jobs: SCENARIO_JOBS }
    }
}

impl JobSelection {
    /// In the order of the table.
    pub const ALL: [JobSelection; 6] = [
        JobSelection::FirstByRunTime,
        JobSelection::FirstByRequest,
        JobSelection::FirstBySize,
        JobSelection::Admitted,
        JobSelection::Cut,
        JobSelection::OwnModel,
    ];

    fn named(self) -> &'static str {
        match self {
            JobSelection::FirstByRunTime => "first queue by size and run time",
            JobSelection::FirstByRequest => "first queue by size and requested time",
            JobSelection::FirstBySize => "first queue by size",
            JobSelection::Admitted => "all that fit the queue",
            JobSelection::Cut => "cut to the queue",
            JobSelection::OwnModel => "a model for each queue",
        }
    }
}

impl ComparedReading {
    /// All that are compared, the default first: every selection with every type of jobs; then the default with one other choice.
    pub fn all() -> Vec<ComparedReading> {
        let default = ScenarioReading::default();
        let kinds = [LublinKinds::Both, LublinKinds::Batch, LublinKinds::Untyped];
        let mut readings: Vec<ScenarioReading> = JobSelection::ALL
            .into_iter()
            .flat_map(|selection| kinds.map(|kinds| ScenarioReading { selection, kinds, ..default }))
            .collect();
        readings.push(ScenarioReading { arrivals: ArrivalScaling::Stretched, ..default });
        readings.push(ScenarioReading { requests: ScenarioRequests::RunTimes, ..default });
        let jobs = [SCENARIO_JOBS / 4, SCENARIO_JOBS / 2, SCENARIO_JOBS * 2]
            .map(|jobs| ComparedReading { reading: default, jobs });
        let readings = readings.into_iter().map(|reading| ComparedReading { reading, jobs: SCENARIO_JOBS });
        readings.chain(jobs).collect()
    }

    /// The heading of its row: what differs from the default is named after the selection and the type of jobs.
    pub fn row(&self) -> String {
        let kinds = match self.reading.kinds {
            LublinKinds::Both => "both types",
            LublinKinds::Batch => "batch",
            LublinKinds::Interactive => "interactive",
            LublinKinds::Untyped => "no types",
        };
        let mut row = format!("{}; {kinds}", self.reading.selection.named());
        if self.reading.arrivals == ArrivalScaling::Stretched {
            row.push_str("; time stretched");
        }
        if self.reading.requests == ScenarioRequests::RunTimes {
            row.push_str("; run times requested");
        }
        if self.jobs != SCENARIO_JOBS {
            row.push_str(&format!("; {} jobs", self.jobs));
        }
        row
    }
}
