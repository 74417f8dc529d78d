//! The service without a socket: a small log is played, and every route is asked.

// What tests share is not inside a test function, where clippy would allow it.
#![allow(clippy::unwrap_used)]

mod compressed;
mod connections;
mod dashboard;
mod followed;
mod played;
mod what_if;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use played::{Asked, FROM, USER, cluster, get, post, request, send, settings, started};
use queuecast_serve::{Access, Service, ServiceSettings, app};
use serde_json::{Value, json};

/// One that all tests may ask; the log stands still.
fn standing() -> &'static Router {
    static SERVICE: OnceLock<Router> = OnceLock::new();
    SERVICE.get_or_init(|| started(&settings(), 1e-6))
}

#[test]
fn the_clusters_are_listed_with_how_old_they_are() {
    let row = &get(standing(), "/api/v1/clusters").json()[0];
    assert_eq!(
        (row["name"].as_str(), row["kind"].as_str(), row["state"].as_str()),
        (Some("small"), Some("log"), Some("ok"))
    );
    assert_eq!(
        (row["now"].as_i64(), row["epoch"].as_i64()),
        (Some(1_700_000_000 + FROM.0), Some(1_700_000_000))
    );
    assert_eq!((row["processors"].as_u64(), row["past_from"].as_i64()), (Some(64), row["now"].as_i64()));
    // The log's clock is in the past; the service looked just now.
    assert!(row["last_look"].as_i64() > row["now"].as_i64(), "{row}");
    assert!(row["age_seconds"].as_i64().unwrap() < 120 && row["speed"].as_f64().unwrap() > 0.0);
}

#[test]
fn queue_and_machine_tell_the_same() {
    let pending = get(standing(), "/api/v1/pending").json();
    let machine = get(standing(), "/api/v1/machine").json();
    let (jobs, planned) = (pending["jobs"].as_array().unwrap(), machine["planned"].as_array().unwrap());
    assert!(jobs.len() > 3, "{pending}");
    assert_eq!(jobs.len(), planned.len());
    let now = machine["now"].as_i64().unwrap();
    for (job, plan) in jobs.iter().zip(planned) {
        assert_eq!(job["job"], plan["job"]);
        let median = now + job["start"]["median"].as_f64().unwrap().round() as i64;
        assert_eq!(plan["start_median"].as_i64(), Some(median));
        assert!(plan["end_median"].as_i64().unwrap() > median);
    }
    let running = machine["running"].as_array().unwrap();
    let used: u64 = running.iter().map(|one| one["procs"].as_u64().unwrap()).sum();
    assert_eq!((machine["used"].as_u64(), machine["processors"].as_u64()), (Some(used), Some(64)));
    assert_eq!(pending["queues"][0]["free"].as_u64(), Some(64 - used));
    for one in running {
        let times = ["start", "end_low", "end_median", "end_high"].map(|name| one[name].as_i64().unwrap());
        assert!(times.is_sorted() && times[0] <= now && times[1] >= now, "{one}");
        assert_eq!(one["limit_end"].as_i64(), Some(times[0] + 1_800));
    }
    // One's own jobs come first.
    let user = jobs.last().unwrap()["user"].as_str().unwrap();
    let own = get(standing(), &format!("/api/v1/pending?user={user}")).json();
    assert_eq!(own["jobs"][0]["user"].as_str(), Some(user));
    assert_eq!(own["jobs"][0]["own"], true);
}

#[test]
fn a_job_is_shown_with_those_before_it() {
    let pending = get(standing(), "/api/v1/pending").json();
    let last = pending["jobs"].as_array().unwrap().last().unwrap().clone();
    let name = last["job"].as_str().unwrap();
    let shown = get(standing(), &format!("/api/v1/pending/{name}")).json();
    assert_eq!(shown["job"], last);
    let before = last["place"].as_u64().unwrap() - 1;
    assert_eq!(
        (shown["ahead_count"].as_u64(), shown["ahead"].as_array().unwrap().len() as u64),
        (Some(before), before)
    );
    let said = &shown["said"][0];
    let now = get(standing(), "/api/v1/clusters").json()[0]["now"].as_i64();
    assert_eq!(said["at"].as_i64(), now);
    assert!(
        said["low"].as_i64() <= said["median"].as_i64() && said["median"].as_i64() <= said["high"].as_i64()
    );
    assert_eq!(get(standing(), "/api/v1/pending/no-such").refused().0, 404);
}

#[test]
fn a_script_asks_as_its_fields_do() {
    let fields = get(standing(), "/api/v1/when?procs=16&limit=30");
    let script = r##"{"script": "#!/bin/bash\n#SBATCH -n 16\n#SBATCH --time=30\nsrun x"}"##;
    let mut read = post(standing(), "/api/v1/when", script).json();
    let script_read = read.as_object_mut().unwrap().remove("script").unwrap();
    assert_eq!(read, fields.json());
    assert_eq!(
        (script_read["procs"].as_u64(), script_read["ignored"].as_array().unwrap().len()),
        (Some(16), 0)
    );
    assert_eq!(post(standing(), "/api/v1/when", r#"{"procs": 16, "limit": "30"}"#).text, fields.text);
    let other = post(standing(), "/api/v1/when", r#"{"procs": 17, "limit": "30"}"#);
    assert_ne!(other.text, fields.text);
    assert_eq!(fields.json()["asked"]["time"], 1_800);
    // A whole number is one however JSON has it, and nothing is as if it were not there.
    let written = r#"{"procs": 16.0, "limit": 30, "user": null, "partition": ""}"#;
    assert_eq!(post(standing(), "/api/v1/when", written).text, fields.text);
}

#[test]
fn what_a_script_asks_for_is_told_and_what_is_not_looked_at() {
    let script = r##"{"script": "#!/bin/bash\n#SBATCH -N 2 --ntasks-per-node=3 -c 2 --gres=gpu:1\n#SBATCH -t 30 -a 1-9%2 -p 1\nsrun x"}"##;
    let read = post(standing(), "/api/v1/script", script).json();
    assert_eq!((read["procs"].as_u64(), read["time"].as_u64()), (Some(12), Some(1_800)));
    assert_eq!((read["array"].as_str(), read["partition"].as_str()), (Some("1-9%2"), Some("1")));
    let ignored: Vec<&str> =
        read["ignored"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(ignored.iter().any(|one| one.contains("gpu")), "{ignored:?}");
    // The other routes read it alike, and say so.
    for route in ["when", "advice", "fastest"] {
        let asked = post(standing(), &format!("/api/v1/{route}"), script).json();
        assert_eq!(asked["script"], read, "{route}");
        assert!(asked.to_string().contains("\"procs\":12"), "{route}: {asked}");
    }
    let query = get(standing(), "/api/v1/script?script=%23!/bin/sh%0A%23SBATCH%20-n%204");
    assert_eq!(query.json()["procs"], 4);
    assert_eq!(get(standing(), "/api/v1/script").refused().0, 400);
}

#[test]
fn the_fastest_cluster_is_the_only_one() {
    let fastest = get(standing(), "/api/v1/fastest?procs=16&limit=30").json();
    let when = get(standing(), "/api/v1/when?procs=16&limit=30").json();
    assert_eq!((&fastest["first"][0], &fastest["clusters"][0]["wait"]), (&"small".into(), &when["wait"]));
    let none = get(standing(), "/api/v1/fastest?procs=65").refused();
    assert!(none.0 == 400 && none.1.contains("small: 65 processors"), "{none:?}");
}

#[test]
fn advice_and_campaigns_are_answered() {
    let advice = get(standing(), "/api/v1/advice?procs=16&limit=1h").json();
    assert!(advice["options"].as_array().is_some_and(|options| !options.is_empty()), "{advice}");
    let begun = Instant::now();
    // Campaigns are learned beside the looks.
    let campaign = loop {
        let campaign = get(standing(), "/api/v1/campaign?procs=4&limit=30&array=1-20%255");
        if campaign.status == StatusCode::OK {
            break campaign.json();
        }
        assert_eq!(campaign.refused().0, 503);
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(campaign["asked"]["jobs"].as_array().unwrap().len(), 20);
    assert_eq!(campaign["asked"]["at_once"][0], 5);
    let chain = get(standing(), "/api/v1/campaign?procs=4&limit=30&chain=3").json();
    assert_eq!(chain["asked"]["depend"], true);
}

#[test]
fn waits_and_scores_are_told() {
    let waits = get(standing(), "/api/v1/waits").json();
    let days = waits["days"].as_array().unwrap();
    let jobs: u64 = days.iter().map(|day| day["jobs"].as_u64().unwrap()).sum();
    assert_eq!(jobs, 389);
    let pending: u64 = days.iter().map(|day| day["pending"].as_u64().unwrap()).sum();
    let waiting = get(standing(), "/api/v1/pending").json()["jobs"].as_array().unwrap().len() as u64;
    assert_eq!(pending, waiting);
    assert_eq!(days[0]["day"], "2023-11-14");
    assert_eq!(get(standing(), "/api/v1/waits?days=367").refused().0, 400);
    let scores = get(standing(), "/api/v1/scorecard").json();
    assert_eq!(scores["forecasts"].as_u64(), Some(waiting), "each waiting job was forecast once");
}

#[test]
fn forecasts_are_scored_of_the_time_that_is_asked_about() {
    let router = started(&settings(), 2_000.0);
    let scored = |query: &str| get(&router, &format!("/api/v1/scorecard{query}")).json();
    let begun = Instant::now();
    let card = loop {
        let card = scored("?from=0");
        if card["rows"][0]["forecasts"].as_u64().unwrap_or(0) >= 30 {
            break card;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{card}");
        std::thread::sleep(Duration::from_millis(100));
    };
    let count = |card: &Value| card["forecasts"].as_u64().unwrap();
    // On the clock of the log, from which the page counts.
    assert_eq!(card["since"], -1_700_000_000);
    let (at, first) = (card["at"].as_i64().unwrap(), card["days"][0]["from"].as_i64().unwrap());
    assert!(first <= FROM.0 && card["days"][0]["until"] == first + 86_400, "{card}");
    // Up to the first look and after it: the jobs of the first look were forecast then.
    let split = 1_700_000_000 + FROM.0;
    let early = scored(&format!("?from=0&to={split}"));
    let late = scored(&format!("?from={}&to={}", split + 1, 1_700_000_000 + at));
    assert_eq!((early["until"].as_i64(), late["since"].as_i64()), (Some(FROM.0), Some(FROM.0 + 1)));
    assert!(count(&early) > 0 && count(&late) > 0, "{early} {late}");
    assert!(count(&early) + count(&late) >= count(&card), "{early} {late} {card}");
    // Before the log there was nothing to forecast, and that is an answer.
    let none = scored("?from=2001-01-01&to=2001-01-31");
    assert_eq!((count(&none), &none["rows"], &none["days"]), (0, &json!([]), &json!([])));
    assert_eq!(none["until"], 980_985_599 - 1_700_000_000);
    for (query, why) in [
        ("?from=soon", "from soon: no moment"),
        ("?to=2300-01-01", "to 2300-01-01: that is not past"),
        ("?from=2001-02-01&to=2001-01-01", "from is later than to"),
        ("?from=2001-02-01&from=2001-01-01", "parameter from is given twice"),
    ] {
        let (status, said) = get(&router, &format!("/api/v1/scorecard{query}")).refused();
        assert!(status == 400 && said.contains(why), "{query}: {said}");
    }
}

#[test]
fn nonsense_is_refused_with_what_helps() {
    for (path, status, said) in [
        ("/api/v1/when", 400, "procs"),
        ("/api/v1/when?procs=0", 400, "procs=0"),
        ("/api/v1/when?procs=99999999999", 400, "no number"),
        ("/api/v1/when?procs=-1", 400, "no number"),
        ("/api/v1/when?procs=65", 400, "the machine has 64"),
        ("/api/v1/when?procs=1&limit=soon", 400, "limit=soon"),
        ("/api/v1/when?procs=1&procs=2", 400, "twice"),
        ("/api/v1/when?proc=1", 400, "it takes"),
        ("/api/v1/when?procs=1&cluster=other", 400, "small"),
        ("/api/v1/when?procs=1&partition=none", 400, "partition none"),
        ("/api/v1/when?procs=1&user=%ff", 400, "UTF-8"),
        ("/api/v1/advice?procs=1", 400, "limit"),
        ("/api/v1/campaign?procs=1", 400, "array"),
        ("/api/v1/campaign?procs=1&array=x", 400, "indices"),
        // At most 20 at once, and 30 and 25: % is not encoded. They would be read as no bound, as 1-500, and as nothing.
        ("/api/v1/campaign?procs=1&array=1-50%20", 400, "% is not encoded"),
        ("/api/v1/campaign?procs=1&array=1-50%30", 400, "% is not encoded"),
        ("/api/v1/campaign?procs=1&array=1-50%25", 400, "in a query 1-500%2520"),
        ("/api/v1/campaign?procs=1&array=1-50%250", 400, "%0 lets no task run"),
        ("/api/v1/campaign?procs=1&array=1,+2", 400, "has a blank"),
        ("/api/v1/campaign?procs=1&chain=9000", 400, "at most 2,000 jobs"),
        ("/api/v1/campaign?procs=1&chain=100000", 400, "at most 2,000 jobs"),
        ("/api/v1/campaign?procs=1&array=1-20000", 400, "at most 2,000 jobs"),
        ("/api/v1/when?procs=65", 400, "/api/v1/clusters"),
        ("/api/v1/when?procs=1&user=none", 400, "without user"),
        ("/api/v1/campaign?procs=1&chain=3&array=1-3", 400, "either"),
        ("/api/v1/pending?at=tomorrow", 400, "tomorrow"),
        ("/api/v1/pending?at=5", 400, "past_from"),
        ("/api/v1/nothing", 404, "openapi"),
        ("/nothing", 404, "/api/v1"),
        ("/assets/../Cargo.toml", 404, "nothing"),
    ] {
        let (found, text) = get(standing(), path).refused();
        assert_eq!(found, status, "{path}: {text}");
        assert!(text.contains(said), "{path}: {text}");
        assert!(!text.contains("--"), "options of the command: {text}");
    }
    let twice = post(standing(), "/api/v1/when", "{\"procs\":1,\"procs\":2}").refused();
    assert!(twice.0 == 400 && twice.1.contains("procs is given twice"), "{twice:?}");
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("[]", 400),
        ("{\"procs\": {}}", 400),
        ("{\"procs\": 1.5}", 400),
        ("{\"procs\": \"+1\"}", 400),
        ("{\"procs\": \" 1\"}", 400),
        ("{\"script\": \"ls\"}", 400),
        ("{\"script\": \"#!/bin/sh\\n#SBATCH --time=never\"}", 400),
        (&format!("{{\"user\": {:?}}}", "x".repeat(70_000)), 413),
    ] {
        assert_eq!(post(standing(), "/api/v1/when", body).refused().0, status, "{body:.60}");
    }
    let blank = post(standing(), "/api/v1/campaign", r#"{"procs": 1, "array": "1-10 "}"#).refused();
    assert!(blank.0 == 400 && blank.1.contains("has a blank"), "{blank:?}");
    let posted = post(standing(), "/api/v1/clusters", "{}");
    assert_eq!((posted.refused().0, posted.headers["allow"].to_str().unwrap()), (405, "GET, HEAD"));
}

#[test]
fn a_past_moment_is_as_it_was_shown() {
    let router = started(&settings(), 5_000.0);
    let first = get(&router, "/api/v1/machine");
    let then = first.json()["now"].as_i64().unwrap();
    let begun = Instant::now();
    let later = loop {
        let later = get(&router, "/api/v1/machine").json()["now"].as_i64().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(60));
        if later > then {
            break later;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let asked = |at: i64| get(&router, &format!("/api/v1/machine?at={at}"));
    assert_eq!(asked(then).text, first.text);
    assert_eq!(asked(later - 1).text, first.text);
    assert_ne!(asked(later).text, first.text);
    // One's own jobs come first then too.
    let queue = get(&router, &format!("/api/v1/pending?at={then}")).json();
    let user = queue["jobs"].as_array().unwrap().last().unwrap()["user"].as_str().unwrap();
    let own = get(&router, &format!("/api/v1/pending?at={then}&user={user}")).json();
    assert_eq!((own["jobs"][0]["user"].as_str(), own["user"].as_str()), (Some(user), Some(user)));
    assert_eq!(own["jobs"].as_array().unwrap().len(), queue["jobs"].as_array().unwrap().len());
    assert_eq!(asked(then - 1).refused().0, 400);
}

#[test]
fn other_users_have_pseudonyms() {
    let access = Access { token: None, user_header: Some("x-remote-user".parse().unwrap()) };
    let router = started(&ServiceSettings { anonymous: true, access, ..settings() }, 1e-6);
    let as_user = |path: &str, user: &str| {
        let mut request = request(path);
        request.headers_mut().insert("x-remote-user", user.parse().unwrap());
        send(&router, request)
    };
    let names = |body: &Value, list: &str| -> Vec<String> {
        let jobs = body[list].as_array().unwrap();
        assert!(!jobs.is_empty());
        jobs.iter().map(|job| job["user"].as_str().unwrap().to_owned()).collect()
    };
    let known = get(standing(), "/api/v1/pending").json();
    let own = names(&known, "jobs")[1].clone();
    for (path, list) in
        [("/api/v1/pending", "jobs"), ("/api/v1/machine", "running"), ("/api/v1/machine", "planned")]
    {
        let all = names(&as_user(path, USER.1).json(), list);
        assert!(all.iter().all(|name| name.starts_with("user-")), "{all:?}");
        let mine = names(&as_user(path, &own).json(), list);
        assert!(mine.iter().all(|name| name.starts_with("user-") || *name == own), "{mine:?}");
    }
    assert_eq!(names(&as_user("/api/v1/pending", &own).json(), "jobs")[0], own);
    let last = known["jobs"].as_array().unwrap().last().unwrap()["job"].as_str().unwrap();
    let shown = as_user(&format!("/api/v1/pending/{last}"), USER.1).json();
    assert!(names(&shown, "ahead").iter().all(|name| name.starts_with("user-")));
    assert!(shown["job"]["user"].as_str().unwrap().starts_with("user-"));
    // Naming a user would tell which pseudonym is theirs.
    assert_eq!(as_user("/api/v1/pending?user=3", "4").refused().0, 403);
    assert_eq!(as_user("/api/v1/when?procs=1&user=3", USER.1).refused().0, 403);
    // A request that names no user has not come by the proxy.
    assert_eq!(get(&router, "/api/v1/when?procs=1").refused().0, 401);
    assert_eq!(as_user("/api/v1/when?procs=1&user=3", "3").status, StatusCode::OK);
}

#[test]
fn a_token_is_asked_for_where_data_is() {
    let access = Access { token: Some(b"0123456789abcdef".to_vec()), user_header: None };
    let clusters = [cluster(1.0)];
    let router = app(Arc::new(Service::new(&clusters, &ServiceSettings { access, ..settings() })));
    for path in ["/api/v1/clusters", "/api/v1/pending", "/api/v1/events", "/metrics"] {
        let refused = get(&router, path);
        assert_eq!(
            (refused.refused().0, refused.headers["www-authenticate"].to_str().unwrap()),
            (401, "Bearer")
        );
    }
    for path in ["/", "/api/v1/health", "/api/v1/openapi.json"] {
        assert_eq!(get(&router, path).status, StatusCode::OK, "{path}");
    }
    let mut with = request("/api/v1/clusters");
    with.headers_mut().insert("authorization", "Bearer 0123456789abcdef".parse().unwrap());
    assert_eq!(send(&router, with).status, StatusCode::OK);
}

#[test]
fn headers_protect_the_page() {
    let (page, widget) = (get(standing(), "/"), get(standing(), "/widget"));
    for asked in [&page, &widget, &get(standing(), "/api/v1/clusters"), &get(standing(), "/none")] {
        let policy = asked.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(asked.headers["x-content-type-options"], "nosniff");
        assert_eq!(asked.headers["referrer-policy"], "no-referrer");
    }
    let framed = |asked: &Asked| {
        asked.headers["content-security-policy"].to_str().unwrap().contains("frame-ancestors *")
    };
    assert!(framed(&widget) && !framed(&page));
    let mut again = request("/");
    again.headers_mut().insert("if-none-match", page.headers["etag"].clone());
    let again = send(standing(), again);
    assert_eq!((again.status, again.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
}

#[test]
fn the_document_describes_every_route() {
    let document = get(standing(), "/api/v1/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 18);
    let mut ids = Vec::new();
    for (path, methods) in paths {
        let asked = get(
            standing(),
            &path.replace("{job}", "1").replace("/events", "/health").replace("/what-if", "/health"),
        );
        assert_ne!(asked.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        for (method, operation) in methods.as_object().unwrap() {
            ids.push(operation["operationId"].as_str().unwrap().to_owned());
            let answered = asked.status.as_u16().to_string();
            assert!(
                operation["responses"].get(&answered).is_some() || method == "post",
                "{path}: {answered}"
            );
        }
    }
    ids.sort();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

/// A line of the text format: a name, labels in braces, a number.
fn is_metric(line: &str) -> bool {
    let name = line.split(['{', ' ']).next().unwrap_or_default();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let rest = &line[name.len()..];
    let value = match rest.strip_prefix('{') {
        Some(labels) => {
            let Some((labels, value)) = labels.rsplit_once("} ") else { return false };
            let is_label = |label: &str| {
                label.split_once("=\"").is_some_and(|(name, value)| is_name(name) && value.ends_with('"'))
            };
            if !labels.split("\",").all(|label| is_label(&format!("{}\"", label.trim_end_matches('"')))) {
                return false;
            }
            value
        }
        None => rest.trim_start(),
    };
    is_name(name) && value.parse::<f64>().is_ok()
}

#[test]
fn every_line_of_the_metrics_parses() {
    get(standing(), "/api/v1/clusters");
    let text = get(standing(), "/metrics").text;
    let mut typed: Vec<&str> = Vec::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            if let Some(kind) = comment.strip_prefix("TYPE ") {
                typed.push(kind.split(' ').next().unwrap());
            }
            continue;
        }
        assert!(is_metric(line), "{line}");
        assert!(typed.iter().any(|name| line.starts_with(name)), "{line} has no type");
    }
    for name in [
        "queuecast_waiting_jobs{cluster=\"small\"}",
        "queuecast_processors_used{cluster=\"small\"}",
        "queuecast_look_age_seconds{cluster=\"small\"}",
        "queuecast_wait_seconds{cluster=\"small\",queue=\"1\",quantile=\"0.5\"}",
        "queuecast_requests_total{route=\"/api/v1/clusters\",status=\"200\"}",
        "queuecast_request_seconds_bucket{route=\"/api/v1/clusters\",le=\"+Inf\"}",
    ] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name} is missing in\n{text}");
    }
    // Control: what is none is found.
    for wrong in ["a b", "1a 2", "a{b=c} 1", "a{b=\"c\"} x", "a"] {
        assert!(!is_metric(wrong), "{wrong}");
    }
}
