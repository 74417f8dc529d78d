//! Every route once: the router and the OpenAPI document are made from this table.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Response;

use crate::answers;
use crate::events;
use crate::question::ServedQuestion;
use crate::refused::Refused;
use crate::route_form::{ParameterKind, ParameterPlace, RouteForm, RouteParameter};
use crate::served_body::ServedBody;
use crate::service::Service;
use crate::what_if;

/// What answers a question of a route.
pub(crate) type Answering = fn(&Service, &ServedQuestion) -> Result<ServedBody, Refused>;

/// How a route is answered.
pub(crate) enum Ask {
    /// By what is there already.
    Ready(Answering),
    /// By a computation, a bounded number at a time; remembered until the next look.
    Computed(Answering),
    /// By simulations that take far longer, in a room of their own; remembered likewise.
    Campaign(Answering),
    /// By a stream of events.
    Streamed(fn(&Arc<Service>, &ServedQuestion) -> Result<Response<Body>, Refused>),
    /// By what describes all routes.
    Document,
}

/// A route.
pub(crate) struct Route {
    pub form: RouteForm,
    pub ask: Ask,
}

const fn text(name: &'static str, about: &'static str) -> RouteParameter {
    RouteParameter { name, place: ParameterPlace::Query, kind: ParameterKind::Text, about }
}

const fn number(name: &'static str, most: u32, about: &'static str) -> RouteParameter {
    RouteParameter { name, place: ParameterPlace::Query, kind: ParameterKind::Number(most), about }
}

const CLUSTER: RouteParameter = text("cluster", "The cluster; by default the first");
const PROCS: RouteParameter = number("procs", u32::MAX, "Processors the job asks for");
const LIMIT: RouteParameter =
    text("limit", "Its time limit as for sbatch: 90 for minutes, 2h, 02:10:00, 1-12:00:00");
const PARTITION: RouteParameter = text("partition", "Its partition; of a log, its queue");
const USER: RouteParameter = text("user", "Its user");
const AT: RouteParameter = text("at", "A past moment: Unix seconds, yesterday 14:00, 2h ago");
const SCRIPT: RouteParameter = RouteParameter {
    name: "script",
    place: ParameterPlace::Body,
    kind: ParameterKind::Text,
    about: "A job script: its #SBATCH lines say what no other parameter does",
};

const JSON: &str = "application/json";

const METRICS: RouteForm = RouteForm {
    path: "/metrics",
    is_posted: false,
    about: "Metrics for Prometheus",
    parameters: &[],
    needs: &[],
    content: "text/plain; version=0.0.4; charset=utf-8",
    is_open: false,
};

/// All routes but those of the page.
pub(crate) static ROUTES: [Route; 18] = [
    Route {
        form: RouteForm {
            path: "/api/v1/clusters",
            is_posted: false,
            about: "The clusters that are served, and how old what is known of them is",
            parameters: &[],
            needs: &[],
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
            needs: &[&["procs"], &["script"]],
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
            needs: &[&["procs", "limit"], &["script"]],
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
                number("chain", u32::MAX, "That many jobs, each after the end of the one before"),
            ],
            needs: &[&["procs", "array"], &["procs", "chain"], &["script", "array"], &["script", "chain"]],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Campaign(answers::campaign),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/fastest",
            is_posted: true,
            about: "Where a job would start first, of all clusters that are served",
            parameters: &[PROCS, LIMIT, USER, SCRIPT],
            needs: &[&["procs"], &["script"]],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Computed(answers::fastest),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/script",
            is_posted: true,
            about: "What a job script asks for, as the other routes read it, and what of it they do not use",
            parameters: &[RouteParameter { place: ParameterPlace::Query, ..SCRIPT }],
            needs: &[&["script"]],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Ready(answers::script),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/what-if",
            is_posted: true,
            about: "Who gains and who loses by a changed setting, as events: progress, and then answer or refused",
            parameters: &[
                CLUSTER,
                RouteParameter {
                    ..text(
                        "set",
                        "The changes, blanks between several: partition.debug.nodes=+4; of a log procs=+10%, policy=conservative",
                    )
                },
                text("both", "Changes of both sides, as of set"),
                number("jobs", what_if::JOBS.1, "The last jobs that are simulated; by default 5000"),
                number(
                    "seeds",
                    what_if::SEEDS.1,
                    "How often submissions are moved at random to know the scatter; by default 4",
                ),
            ],
            needs: &[&["set"]],
            content: "text/event-stream",
            is_open: false,
        },
        ask: Ask::Streamed(what_if::stream),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/pending",
            is_posted: false,
            about: "Every job that waits: when it starts, and what it waits for, as of queuecast pending",
            parameters: &[CLUSTER, text("user", "Whose jobs come first"), AT],
            needs: &[],
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
                    about: "Its number: 1234, or 1234_5 of an array",
                },
            ],
            needs: &[&["job"]],
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
            needs: &[],
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
            parameters: &[CLUSTER, number("days", answers::MOST_DAYS, "Days, up to 366; by default 14")],
            needs: &[],
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
            parameters: &[
                CLUSTER,
                text(
                    "from",
                    "Forecasts since then: a day, Unix seconds, yesterday 14:00, 7d for seven days ago; by default 30 days",
                ),
                text("to", "And until then: written likewise, and a day is in it; by default now"),
            ],
            needs: &[],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Computed(answers::scorecard),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/shadow",
            is_posted: false,
            about: "How far the site's scheduler, simulated beside the real one, decides alike, as of queuecast score shadow",
            parameters: &[CLUSTER],
            needs: &[],
            content: JSON,
            is_open: false,
        },
        ask: Ask::Ready(answers::shadow),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/events",
            is_posted: false,
            about: "An event at each look",
            parameters: &[CLUSTER],
            needs: &[],
            content: "text/event-stream",
            is_open: false,
        },
        ask: Ask::Streamed(events::stream),
    },
    Route {
        form: RouteForm {
            path: "/api/v1/openapi.json",
            is_posted: false,
            about: "This document",
            parameters: &[],
            needs: &[],
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
            needs: &[],
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
            needs: &[],
            content: JSON,
            is_open: true,
        },
        ask: Ask::Ready(answers::ready),
    },
    Route { form: METRICS, ask: Ask::Ready(answers::metrics) },
];

/// Metrics on a listener of their own.
pub(crate) static METRICS_ALONE: Route =
    Route { form: RouteForm { is_open: true, ..METRICS }, ask: Ask::Ready(answers::metrics) };
