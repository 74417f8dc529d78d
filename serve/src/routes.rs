//! Every route once: the router and the OpenAPI document are made from this table.

use axum::body::Bytes;

use crate::answers;
use crate::question::Question;
use crate::refused::Refused;
use crate::service::Service;

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterPlace {
    /// In the path.
    Path,
    /// In the query, and in the body of a POST.
    Query,
    /// In the body of a POST only.
    Body,
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    /// A text.
    Text,
    /// A number of at least 1.
    Number,
}

/// A parameter of a route.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: &'static str,
    pub place: ParameterPlace,
    pub kind: ParameterKind,
    pub is_required: bool,
    pub about: &'static str,
}

/// How a route is answered.
pub(crate) enum Ask {
    /// By what is there already.
    Ready(fn(&Service, &Question) -> Result<Bytes, Refused>),
    /// By a computation, a bounded number at a time; remembered until the next look.
    Computed(fn(&Service, &Question) -> Result<Bytes, Refused>),
    /// By a stream of events.
    Events,
}

/// A route.
pub(crate) struct Route {
    pub path: &'static str,
    /// Whether it takes a POST beside a GET.
    pub is_posted: bool,
    pub about: &'static str,
    pub parameters: &'static [Parameter],
    pub content: &'static str,
    /// Whether it is answered without a token: it tells nothing of users and jobs.
    pub is_open: bool,
    pub ask: Ask,
}

const fn text(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, place: ParameterPlace::Query, kind: ParameterKind::Text, is_required: false, about }
}

const fn number(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, place: ParameterPlace::Query, kind: ParameterKind::Number, is_required: false, about }
}

const CLUSTER: Parameter = text("cluster", "The cluster; by default the first");
const PROCS: Parameter = number("procs", "Processors the job asks for");
const LIMIT: Parameter =
    text("limit", "Its time limit as for sbatch: 90 for minutes, 2h, 02:10:00, 1-12:00:00");
const PARTITION: Parameter = text("partition", "Its partition; of a log, its queue");
const USER: Parameter = text("user", "Its user");
const AT: Parameter = text("at", "A past moment: Unix seconds, yesterday 14:00, 2h ago");
const SCRIPT: Parameter = Parameter {
    name: "script",
    place: ParameterPlace::Body,
    kind: ParameterKind::Text,
    is_required: false,
    about: "A job script: its #SBATCH lines say what no other parameter does",
};

const JSON: &str = "application/json";

/// All routes but those of the page.
pub(crate) static ROUTES: [Route; 14] = [
    Route {
        path: "/api/v1/clusters",
        is_posted: false,
        about: "The clusters that are served, and how old what is known of them is",
        parameters: &[],
        content: JSON,
        is_open: false,
        ask: Ask::Ready(answers::clusters),
    },
    Route {
        path: "/api/v1/when",
        is_posted: true,
        about: "When a job would start that is submitted now, as of queuecast when",
        parameters: &[CLUSTER, PROCS, LIMIT, PARTITION, USER, SCRIPT],
        content: JSON,
        is_open: false,
        ask: Ask::Computed(answers::when),
    },
    Route {
        path: "/api/v1/advice",
        is_posted: true,
        about: "What a job had better ask for, as of queuecast advise",
        parameters: &[CLUSTER, PROCS, LIMIT, PARTITION, USER, SCRIPT],
        content: JSON,
        is_open: false,
        ask: Ask::Computed(answers::advice),
    },
    Route {
        path: "/api/v1/campaign",
        is_posted: true,
        about: "When the first of several jobs starts and the last ends, as of queuecast when --array or --chain",
        parameters: &[
            CLUSTER,
            PROCS,
            LIMIT,
            PARTITION,
            USER,
            SCRIPT,
            text("array", "Indices as for sbatch: 1-500, and with %20 at most 20 at once"),
            number("chain", "That many jobs, each after the end of the one before"),
        ],
        content: JSON,
        is_open: false,
        ask: Ask::Computed(answers::campaign),
    },
    Route {
        path: "/api/v1/pending",
        is_posted: false,
        about: "Every job that waits: when it starts, and what it waits for, as of queuecast pending",
        parameters: &[CLUSTER, text("user", "Whose jobs come first"), AT],
        content: JSON,
        is_open: false,
        ask: Ask::Computed(answers::pending),
    },
    Route {
        path: "/api/v1/pending/{job}",
        is_posted: false,
        about: "A job that waits, how its forecast has moved, and the jobs before it",
        parameters: &[
            CLUSTER,
            Parameter {
                name: "job",
                place: ParameterPlace::Path,
                kind: ParameterKind::Text,
                is_required: true,
                about: "Its number: 1234, or 1234_5 of an array",
            },
        ],
        content: JSON,
        is_open: false,
        ask: Ask::Ready(answers::queued),
    },
    Route {
        path: "/api/v1/machine",
        is_posted: false,
        about: "What runs and until when, and what is expected to start",
        parameters: &[CLUSTER, AT],
        content: JSON,
        is_open: false,
        ask: Ask::Computed(answers::machine),
    },
    Route {
        path: "/api/v1/waits",
        is_posted: false,
        about: "How long jobs waited, day by day and by queue; those that still wait are counted",
        parameters: &[CLUSTER, number("days", "Days, up to 366; by default 14")],
        content: JSON,
        is_open: false,
        ask: Ask::Computed(answers::waits),
    },
    Route {
        path: "/api/v1/scorecard",
        is_posted: false,
        about: "How right forecasts of waiting jobs were, as of queuecast score live",
        parameters: &[CLUSTER],
        content: JSON,
        is_open: false,
        ask: Ask::Ready(answers::scorecard),
    },
    Route {
        path: "/api/v1/events",
        is_posted: false,
        about: "An event at each look",
        parameters: &[CLUSTER],
        content: "text/event-stream",
        is_open: false,
        ask: Ask::Events,
    },
    Route {
        path: "/api/v1/openapi.json",
        is_posted: false,
        about: "This document",
        parameters: &[],
        content: JSON,
        is_open: true,
        ask: Ask::Ready(answers::openapi),
    },
    Route {
        path: "/api/v1/health",
        is_posted: false,
        about: "Whether the service is alive",
        parameters: &[],
        content: JSON,
        is_open: true,
        ask: Ask::Ready(answers::health),
    },
    Route {
        path: "/api/v1/ready",
        is_posted: false,
        about: "Whether every cluster has been looked at",
        parameters: &[],
        content: JSON,
        is_open: true,
        ask: Ask::Ready(answers::ready),
    },
    Route {
        path: "/metrics",
        is_posted: false,
        about: "Metrics for Prometheus",
        parameters: &[],
        content: "text/plain; version=0.0.4; charset=utf-8",
        is_open: false,
        ask: Ask::Ready(answers::metrics),
    },
];
