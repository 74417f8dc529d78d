//! Every route once: the router and the OpenAPI document are made from this table.

use axum::body::Bytes;

use crate::answers;
use crate::question::ServedQuestion;
use crate::refused::Refused;
use crate::route_form::{ParameterKind, ParameterPlace, RouteForm, RouteParameter};
use crate::service::Service;

/// How a route is answered.
pub(crate) enum Ask {
    /// By what is there already.
    Ready(fn(&Service, &ServedQuestion) -> Result<Bytes, Refused>),
    /// By a computation, a bounded number at a time; remembered until the next look.
    Computed(fn(&Service, &ServedQuestion) -> Result<Bytes, Refused>),
    /// By a stream of events.
    Events,
    /// By what describes all routes.
    Document,
}

/// A route.
pub(crate) struct Route {
    pub form: RouteForm,
    pub ask: Ask,
}

const fn text(name: &'static str, about: &'static str) -> RouteParameter {
    RouteParameter {
        name,
        place: ParameterPlace::Query,
        kind: ParameterKind::Text,
        is_required: false,
        about,
    }
}

const fn number(name: &'static str, about: &'static str) -> RouteParameter {
    RouteParameter {
        name,
        place: ParameterPlace::Query,
        kind: ParameterKind::Number,
        is_required: false,
        about,
    }
}

const CLUSTER: RouteParameter = text("cluster", "The cluster; by default the first");
const PROCS: RouteParameter = number("procs", "Processors the job asks for");
const LIMIT: RouteParameter =
    text("limit", "Its time limit as for sbatch: 90 for minutes, 2h, 02:10:00, 1-12:00:00");
const PARTITION: RouteParameter = text("partition", "Its partition; of a log, its queue");
const USER: RouteParameter = text("user", "Its user");
const AT: RouteParameter = text("at", "A past moment: Unix seconds, yesterday 14:00, 2h ago");
const SCRIPT: RouteParameter = RouteParameter {
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
        form: RouteForm {
            path: "/api/v1/clusters",
            is_posted: false,
            about: "The clusters that are served, and how old what is known of them is",
            parameters: &[],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Ready(answers::clusters),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/when",
            is_posted: true,
            about: "When a job would start that is submitted now, as of queuecast when",
            parameters: &[CLUSTER, PROCS, LIMIT, PARTITION, USER, SCRIPT],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Computed(answers::when),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/advice",
            is_posted: true,
            about: "What a job had better ask for, as of queuecast advise",
            parameters: &[CLUSTER, PROCS, LIMIT, PARTITION, USER, SCRIPT],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Computed(answers::advice),
    },
    Route {
        form: RouteForm {
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
        },
        ask: Ask::Computed(answers::campaign),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/pending",
            is_posted: false,
            about: "Every job that waits: when it starts, and what it waits for, as of queuecast pending",
            parameters: &[CLUSTER, text("user", "Whose jobs come first"), AT],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Computed(answers::pending),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/pending/{job}",
            is_posted: false,
            about: "A job that waits, how its forecast has moved, and the jobs before it",
            parameters: &[
                CLUSTER,
                RouteParameter {
                    name: "job",
                    place: ParameterPlace::Path,
                    kind: ParameterKind::Text,
                    is_required: true,
                    about: "Its number: 1234, or 1234_5 of an array",
                },
            ],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Ready(answers::queued),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/machine",
            is_posted: false,
            about: "What runs and until when, and what is expected to start",
            parameters: &[CLUSTER, AT],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Computed(answers::machine),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/waits",
            is_posted: false,
            about: "How long jobs waited, day by day and by queue; those that still wait are counted",
            parameters: &[CLUSTER, number("days", "Days, up to 366; by default 14")],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Computed(answers::waits),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/scorecard",
            is_posted: false,
            about: "How right forecasts of waiting jobs were, as of queuecast score live",
            parameters: &[CLUSTER],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Ready(answers::scorecard),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/events",
            is_posted: false,
            about: "An event at each look",
            parameters: &[CLUSTER],
            content: "text/event-stream",
            is_open: false,
        },
        ask: Ask::Events,
    },
    Route {
        form: RouteForm {
            path: "/api/v1/openapi.json",
            is_posted: false,
            about: "This document",
            parameters: &[],
            content: JSON,
            is_open: true,
        },
        ask: Ask::Document,
    },
    Route {
        form: RouteForm {
            path: "/api/v1/health",
            is_posted: false,
            about: "Whether the service is alive",
            parameters: &[],
            content: JSON,
            is_open: true,
        },
        ask: Ask::Ready(answers::health),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/ready",
            is_posted: false,
            about: "Whether every cluster has been looked at",
            parameters: &[],
            content: JSON,
            is_open: true,
        },
        ask: Ask::Ready(answers::ready),
    },
    Route {
        form: RouteForm {
            path: "/metrics",
            is_posted: false,
            about: "Metrics for Prometheus",
            parameters: &[],
            content: "text/plain; version=0.0.4; charset=utf-8",
            is_open: false,
        },
        ask: Ask::Ready(answers::metrics),
    },
];
