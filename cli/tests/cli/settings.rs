//! Settings of the services: the file of them, reading it again while they run, and what `doctor` says.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::collect::{now, run, site};
use crate::serve::{Served, log};
use crate::{Folder, json, stdout};

/// The row of a setting.
fn setting<'a>(shown: &'a Value, section: &str, key: &str) -> &'a Value {
    let all = shown["settings"].as_array().unwrap();
    all.iter().find(|one| one["section"] == section && one["key"] == key).unwrap()
}

#[test]
fn what_holds_is_shown_with_where_it_comes_from() {
    let folder = Folder::with("q.toml", "store = \"s.sqlite\"\n\n[serve]\nlisten = \"127.0.0.1:81\"\n");
    let mut command = folder.queuecast("config --config q.toml --format json serve --log-requests");
    let shown = json(&mut command);
    let of = |section: &str, key: &str| {
        let row = setting(&shown, section, key);
        (row["value"].clone(), row["source"].as_str().unwrap().to_owned(), row["line"].clone())
    };
    assert_eq!(of("serve", "listen"), ("127.0.0.1:81".into(), "file".into(), 4.into()));
    assert_eq!(of("serve", "log_requests"), ("true".into(), "option".into(), Value::Null));
    assert_eq!(of("serve", "answer_timeout"), ("20s".into(), "default".into(), Value::Null));
    assert_eq!(of("", "store"), ("s.sqlite".into(), "file".into(), 1.into()));
    let told = json(folder.queuecast("config --config q.toml --format json").env("QUEUECAST_STORE", "/x"));
    assert_eq!(
        (&setting(&told, "", "store")["value"], &setting(&told, "", "store")["source"]),
        (&"/x".into(), &"environment".into())
    );
    assert!(!setting(&told, "collect", "every").is_null());

    // The defaults are a file, and as that they change nothing.
    let defaults = stdout(&mut folder.queuecast("config --defaults"));
    fs::write(folder.path("defaults.toml"), &defaults).unwrap();
    let with = json(&mut folder.queuecast("config --config defaults.toml --format json"));
    let without = json(&mut folder.queuecast("config --format json"));
    for (one, other) in
        with["settings"].as_array().unwrap().iter().zip(without["settings"].as_array().unwrap())
    {
        assert_eq!((&one["key"], &one["value"]), (&other["key"], &other["value"]));
    }
}

#[test]
fn a_file_that_is_wrong_is_refused_by_every_command_that_reads_it() {
    let folder = Folder::with("q.toml", "[serve]\nlisten = \"127.0.0.1:0\"\ntoken_fil = \"x\"\n");
    for line in ["serve --demo --config q.toml", "collect --config q.toml", "config --config q.toml"] {
        let output = folder.queuecast(line).assert().code(3).get_output().clone();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("q.toml, line 3: there is no setting token_fil in [serve]"), "{line}: {told}");
        assert!(told.contains("did you mean token_file?"), "{line}: {told}");
    }
    let none = folder.queuecast("config --config none.toml").assert().code(3).get_output().clone();
    let told = String::from_utf8(none.stderr).unwrap();
    assert!(
        told.contains("none.toml: there is no such file") && told.contains("config --defaults"),
        "{told}"
    );
    folder.queuecast("config when").assert().code(2);
}

#[test]
fn a_service_says_which_of_its_settings_is_wrong() {
    let folder = Folder::with("token", "");
    for (settings, code, parts) in [
        ("listen = 8080", 3, &["line 2: listen = 8080: give an address and a port: 127.0.0.1:8080"][..]),
        ("listen = \"hpc1:8080\"", 3, &["line 2: listen = \"hpc1:8080\": give an address and a port"]),
        (
            "administrator = \"root\"",
            2,
            &["administrator root: no request names its user", "set proxy_user_header"],
        ),
        (
            "administrator = [\"root \"]",
            3,
            &["line 2: administrator = [\"root \"]: give one name in each text"],
        ),
        ("proxy_user_header = \"X User\"", 2, &["proxy_user_header X User: no name of a header"]),
        (
            "token_file = \"token\"",
            2,
            &["token_file token: its first line is to be a token of at least 16 characters"],
        ),
        ("token_file = \"none\"", 3, &["token_file none: there is no such file", "head -c 24 /dev/urandom"]),
    ] {
        fs::write(folder.path("q.toml"), format!("[serve]\n{settings}\n")).unwrap();
        let output =
            folder.queuecast("serve --demo --config q.toml").assert().code(code).get_output().clone();
        let told = String::from_utf8(output.stderr).unwrap();
        for part in parts {
            // In a log, quotation marks are escaped.
            assert!(told.replace("\\\"", "\"").contains(part), "{settings}: {told}");
        }
        assert!(!told.contains("SWF") && !told.contains("standard input"), "{settings}: {told}");
    }
}

/// A request with this token: the status.
fn status(served: &Served, token: &str) -> String {
    let request = format!(
        "GET /api/v1/clusters HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    served.send(&request).split(' ').nth(1).unwrap().to_owned()
}

/// Waits until a request with this token has this status.
fn becomes(served: &Served, token: &str, wanted: &str) {
    let begun = Instant::now();
    while status(served, token) != wanted {
        assert!(begun.elapsed() < Duration::from_secs(60), "{token} is not {wanted}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_service_takes_over_what_can_be_changed_and_keeps_what_holds_if_the_file_is_wrong() {
    const OLD: &str = "0123456789abcdef-old";
    const NEW: &str = "0123456789abcdef-new";
    let folder = log();
    fs::write(folder.path("token"), OLD).unwrap();
    let settings = "[serve]\ntoken_file = \"token\"\n";
    fs::write(folder.path("q.toml"), settings).unwrap();
    let served = Served::start(&folder, "--replay log.swf --config q.toml");
    assert_eq!((status(&served, OLD), status(&served, NEW)), ("200".into(), "401".into()));
    fs::write(folder.path("token"), NEW).unwrap();
    served.signal("-HUP");
    becomes(&served, NEW, "200");
    assert_eq!(status(&served, OLD), "401");
    // A wrong file, and a token that is too short, leave all as it is.
    for wrong in ["[serve]\ntoken_fil = 5\n", "[serve]\ntoken_file = \"short\"\n"] {
        fs::write(folder.path("short"), "short").unwrap();
        fs::write(folder.path("q.toml"), wrong).unwrap();
        served.signal("-HUP");
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!((status(&served, NEW), status(&served, OLD)), ("200".into(), "401".into()));
    }
    fs::write(folder.path("token"), OLD).unwrap();
    let changed = "[serve]\ntoken_file = \"token\"\nlog_format = \"json\"\nanonymous = true\n";
    fs::write(folder.path("q.toml"), changed).unwrap();
    served.signal("-HUP");
    becomes(&served, OLD, "200");
    let (code, _, told) = served.ended_by("-TERM");
    assert_eq!(code, Some(0), "{told}");
    for part in [
        "level=info event=settings-read changed=token",
        "level=warning event=token-readable file=",
        "holds=\"what held before\"",
        "level=error event=settings-refused why=\"q.toml, line 2: there is no setting token_fil",
        "16 characters",
        "\"event\":\"settings-read\",\"changed\":\"log_format,token\"",
        "\"level\":\"warning\",\"event\":\"settings-need-restart\",\"settings\":\"anonymous\"",
        "\"event\":\"ended\"",
    ] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn a_collector_takes_over_settings_and_ends_in_order() {
    let folder = site(now());
    fs::write(
        folder.path("q.toml"),
        "store = \"s.sqlite\"\n[collect]\nevery = \"1h\"\nlog_format = \"logfmt\"\n",
    )
    .unwrap();
    let path = format!("{}:/bin:/usr/bin", folder.path("").display());
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_queuecast"))
        .current_dir(folder.path(""))
        .args(["collect", "--config", "q.toml", "--history", "20d"])
        .env("PATH", path)
        .stderr(fs::File::create(folder.path("told")).unwrap())
        .spawn()
        .unwrap();
    let waits_for = |part: &str| {
        let begun = Instant::now();
        while !folder.read("told").contains(part) {
            assert!(begun.elapsed() < Duration::from_secs(120), "{part}: {}", folder.read("told"));
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let signal = |name: &str, id: u32| {
        assert!(std::process::Command::new("kill").args([name, &id.to_string()]).status().unwrap().success());
    };
    waits_for(" text=\"look 1: 3 lines have changed");
    fs::write(folder.path("q.toml"), "store = \"other.sqlite\"\n[collect]\nevery = \"x\"\n").unwrap();
    signal("-HUP", child.id());
    waits_for("event=error text=\"the settings stay as they were: ");
    let later = "store = \"other.sqlite\"\n[collect]\nevery = \"2h\"\nlog_format = \"json\"\n";
    fs::write(folder.path("q.toml"), later).unwrap();
    signal("-HUP", child.id());
    waits_for("\"text\":\"settings read again: every, log_format\"");
    waits_for("need a new start of the collector: store");
    signal("-TERM", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(0), "{}", folder.read("told"));
    assert!(!folder.path("other.sqlite").exists());
    let looked = json(&mut run(&folder, "pending --live --store s.sqlite --format json"));
    assert_eq!(looked["jobs"].as_array().unwrap().len(), 1, "what was collected is whole");
}

#[test]
fn what_was_asked_before_the_end_is_answered_and_streams_end() {
    let folder = log();
    let served = Served::ready(&folder, "--replay log.swf --at 3d --speed 0.000001 --max-computed 1");
    let ask = |request: String| {
        let mut stream = TcpStream::connect(served.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let mut viewers: Vec<TcpStream> =
        (0..3).map(|_| ask("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned())).collect();
    for viewer in &mut viewers {
        let mut first = [0; 12];
        viewer.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
    }
    // More questions than are computed at once, each another one, so that most still wait when the service is told to end.
    let mut asked: Vec<TcpStream> = (1..=30)
        .map(|procs| {
            ask(format!("GET /api/v1/when?procs={procs}&limit=2h HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        })
        .collect();
    let (code, _, told) = served.ended_by("-TERM");
    assert_eq!(code, Some(0), "{told}");
    for (number, stream) in asked.iter_mut().enumerate() {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.trim_end().ends_with('}'),
            "{number}: {answer:?}"
        );
    }
    for viewer in &mut viewers {
        let mut rest = String::new();
        viewer.read_to_string(&mut rest).unwrap();
        assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
    }
}

/// What `doctor` finds: its exit code, and states and findings by area and check.
fn doctor(folder: &Folder, line: &str) -> (Option<i32>, Vec<(String, String, String)>) {
    let output = run(folder, &format!("doctor --format json {line}")).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = found["checks"].as_array().unwrap().iter().map(|one| {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(one["state"] == "ok", one["to_do"].is_null(), "{one}");
        (format!("{}: {}", text("area"), text("check")), text("state"), text("found"))
    });
    (output.status.code(), checks.collect())
}

#[test]
fn the_doctor_finds_what_is_wrong_and_nothing_else() {
    let folder = site(now());
    let state = |found: &[(String, String, String)], name: &str| {
        let one = found.iter().find(|one| one.0 == name);
        one.map_or_else(|| format!("no {name} in {found:?}"), |one| one.1.clone())
    };
    // Nothing is there yet but Slurm.
    fs::write(folder.path("q.toml"), "store = \"s.sqlite\"\n[serve]\nlisten = \"127.0.0.1:1\"\n").unwrap();
    let (code, found) = doctor(&folder, "--config q.toml");
    assert_eq!(code, Some(3));
    for (name, expected) in [
        ("settings: file", "ok"),
        ("slurm: slurmctld", "ok"),
        ("slurm: squeue", "ok"),
        ("slurm: sacct", "ok"),
        ("slurm: rights", "ok"),
        ("store: file", "wrong"),
        ("service: reachable", "wrong"),
    ] {
        assert_eq!(state(&found, name), expected, "{name}");
    }
    // All of it works.
    run(&folder, "collect --once --store s.sqlite --history 20d").assert().success();
    fs::write(folder.path("token"), "0123456789abcdef").unwrap();
    fs::set_permissions(folder.path("token"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let served = Served::ready(&folder, "--store s.sqlite --token-file token");
    let settings =
        format!("store = \"s.sqlite\"\n[serve]\nlisten = \"{}\"\ntoken_file = \"token\"\n", served.address());
    fs::write(folder.path("q.toml"), settings).unwrap();
    let (code, found) = doctor(&folder, "--config q.toml");
    let wrong: Vec<_> = found.iter().filter(|one| one.1 == "wrong").collect();
    assert!(wrong.is_empty() && code == Some(0), "{wrong:?}");
    for name in [
        "store: integrity",
        "store: tiny: last look",
        "store: tiny: accounting",
        "service: token",
        "service: access",
    ] {
        assert_eq!(state(&found, name), "ok", "{name}");
    }
    // One thing after the other breaks.
    let breaks = |break_it: &dyn Fn(), name: &str| {
        break_it();
        let (code, found) = doctor(&folder, "--config q.toml");
        assert_eq!((code, state(&found, name)), (Some(3), "wrong".to_owned()), "{name}");
    };
    breaks(&|| fs::write(folder.path("token"), "0123456789abcdeX").unwrap(), "service: access");
    breaks(
        &|| fs::write(folder.path("sacct"), "#!/bin/sh\necho slurmdbd >&2; exit 1\n").unwrap(),
        "slurm: sacct",
    );
    breaks(
        &|| {
            fs::write(folder.path("s.sqlite"), "no database, but a text that is long enough to be one")
                .unwrap()
        },
        "store: file",
    );
    breaks(&|| fs::write(folder.path("q.toml"), "[serve]\nx = 1\n").unwrap(), "settings: file");
}

#[test]
fn the_doctor_asks_as_strangers_and_as_those_whom_a_proxy_names() {
    let folder = site(now());
    run(&folder, "collect --once --store s.sqlite --history 20d").assert().success();
    fs::write(folder.path("token"), "0123456789abcdef").unwrap();
    let settings = |listen: &str, rest: &str| {
        let text = format!("store = \"s.sqlite\"\n[serve]\nlisten = \"{listen}\"\n{rest}");
        fs::write(folder.path("q.toml"), text).unwrap();
    };
    let found = |name: &str| {
        let (_, found) = doctor(&folder, "--config q.toml");
        let one = found.iter().find(|one| one.0 == format!("service: {name}")).cloned();
        one.map(|one| (one.1, one.2)).unwrap_or_else(|| panic!("no {name} in {found:?}"))
    };
    let proxied = "token_file = \"token\"\nproxy_user_header = \"X-Remote-User\"\n";
    settings("127.0.0.1:8080", &format!("{proxied}administrator = [\"root\"]\n"));
    let served = Served::ready(&folder, "--config q.toml");
    settings(served.address(), &format!("{proxied}administrator = [\"root\"]\n"));
    for name in ["settings", "strangers", "access", "administrators"] {
        assert_eq!(found(name).0, "ok", "{name}: {}", found(name).1);
    }
    // One more administrator, whom the service knows of once it has read its settings again.
    settings(served.address(), &format!("{proxied}administrator = [\"root\", \"ada\"]\n"));
    assert_eq!(found("administrators"), ("wrong".into(), "the service does not know of ada".into()));
    served.signal("-HUP");
    let begun = Instant::now();
    while found("administrators").0 != "ok" {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", found("administrators"));
    }
    // A service that runs without what its settings ask for answers everyone.
    let open = Served::ready(&folder, "--store s.sqlite");
    settings(open.address(), "token_file = \"token\"\n");
    let (state, what) = found("strangers");
    assert_eq!((state.as_str(), what.contains("without token")), ("wrong", true), "{what}");
    // What the service would not begin with is told before it is started.
    settings("0.0.0.0:1", "administrator = [\"root\"]\n");
    let (state, what) = found("settings");
    assert_eq!((state.as_str(), what.contains("without a token")), ("wrong", true), "{what}");
}
