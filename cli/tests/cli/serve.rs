//! `serve` as its clients meet it: over a socket.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::collect::{now, run, site};
use crate::{Folder, stdout};

/// A service that runs, and ends with the test.
struct Served {
    child: Child,
    address: String,
    told: BufReader<ChildStderr>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(folder: &Folder, line: &str) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queuecast"));
        command.current_dir(folder.path("")).args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(line.split_whitespace()).stderr(Stdio::piped()).stdout(Stdio::null());
        command.env("XDG_DATA_HOME", folder.path("data")).env("XDG_CACHE_HOME", folder.path("cache"));
        let mut child = command.spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut address = String::new();
        while address.is_empty() {
            let mut line = String::new();
            assert!(told.read_line(&mut line).unwrap() > 0, "it ended before it listened");
            if let Some(after) = line.split("event=listening address=http://").nth(1) {
                address = after.trim().trim_end_matches('/').to_owned();
            }
        }
        Served { child, address, told }
    }

    fn ready(folder: &Folder, line: &str) -> Served {
        let served = Served::start(folder, line);
        let begun = Instant::now();
        while served.get("/api/v1/ready").0 != 200 {
            assert!(begun.elapsed() < Duration::from_secs(240), "{}", served.get("/api/v1/ready").1);
            std::thread::sleep(Duration::from_millis(50));
        }
        served
    }

    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The status and the body.
    fn get(&self, path: &str) -> (u16, String) {
        let answer =
            self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Sends a signal; how it ended, how long that took, and what it told.
    fn ended_by(mut self, signal: &str) -> (Option<i32>, Duration, String) {
        let begun = Instant::now();
        assert!(
            Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success()
        );
        let status = self.child.wait().unwrap();
        let mut told = String::new();
        self.told.read_to_string(&mut told).unwrap();
        (status.code(), begun.elapsed(), told)
    }
}

/// A log of made-up jobs as they were started.
fn log() -> Folder {
    let folder = Folder::with("note", "");
    let made = "demo --jobs 1500 --procs 64 --load 0.9 --output made-up.swf";
    folder.queuecast(made).assert().success();
    folder.queuecast("simulate made-up.swf --policy easy --schedule-swf log.swf").assert().success();
    folder
}

#[test]
fn answers_are_those_of_the_commands() {
    let folder = log();
    let served = Served::ready(&folder, "--replay log.swf --at 3d --speed 0.000001");
    for (path, line) in [
        ("/api/v1/when?procs=16&limit=2h", "when log.swf --at 3d -n 16 -t 2h"),
        ("/api/v1/when?procs=3&limit=30&user=2", "when log.swf --at 3d -n 3 -t 30 -u 2"),
        ("/api/v1/advice?procs=16&limit=2h", "advise log.swf --at 3d -n 16 -t 2h"),
        ("/api/v1/pending", "pending log.swf --at 3d"),
        ("/api/v1/pending?user=3", "pending log.swf --at 3d -u 3"),
    ] {
        let printed = stdout(&mut folder.recalling(&format!("{line} --format json")));
        assert_eq!(served.get(path), (200, printed), "{path}");
    }
    let begun = Instant::now();
    let campaign = loop {
        let (status, body) = served.get("/api/v1/campaign?procs=4&limit=1h&array=1-30%255");
        if status == 200 {
            break body;
        }
        assert!(status == 503 && begun.elapsed() < Duration::from_secs(120), "{body}");
        std::thread::sleep(Duration::from_millis(200));
    };
    let printed =
        stdout(&mut folder.recalling("when log.swf --at 3d -n 4 -t 1h --array 1-30%5 --format json"));
    assert_eq!(campaign, printed);
}

#[test]
fn a_store_is_served_as_it_is_filled() {
    let folder = site(now());
    run(&folder, "collect --once --store s.sqlite --history 20d").assert().success();
    let served = Served::ready(&folder, "--store s.sqlite");
    let row = &served.json("/api/v1/clusters")[0];
    assert_eq!((&row["name"], &row["kind"], &row["state"]), (&"tiny".into(), &"slurm".into(), &"ok".into()));
    assert_eq!(
        (row["nodes"].as_u64(), row["processors"].as_u64(), &row["epoch"]),
        (Some(2), Some(8), &0.into())
    );
    for (path, line) in [
        ("/api/v1/when?procs=4&limit=60", "when --live --store s.sqlite -n 4 -t 60"),
        ("/api/v1/pending", "pending --live --store s.sqlite"),
        ("/api/v1/scorecard", "score live --store s.sqlite"),
    ] {
        let printed = stdout(&mut run(&folder, &format!("{line} --format json")));
        assert_eq!(served.get(path), (200, printed), "{path}");
    }
    let machine = served.json("/api/v1/machine");
    assert_eq!((&machine["running"][0]["job"], &machine["planned"][0]["job"]), (&"30".into(), &"31".into()));
    let waits = served.json("/api/v1/waits?days=30");
    let count = |name: &str| -> u64 {
        waits["queues"].as_array().unwrap().iter().map(|one| one[name].as_u64().unwrap()).sum()
    };
    assert_eq!((count("jobs"), count("pending")), (22, 1), "{waits}");

    // What the collector sees next is served without a word, and the past stays.
    std::thread::sleep(Duration::from_millis(1100));
    let before = now();
    std::thread::sleep(Duration::from_millis(1100));
    fs::write(folder.path("squeue.txt"), "").unwrap();
    let idle = folder.read("sinfo.txt").replace("4/0/0/4", "0/4/0/4");
    fs::write(folder.path("sinfo.txt"), idle).unwrap();
    run(&folder, "collect --once --store s.sqlite").assert().success();
    let begun = Instant::now();
    while !served.json("/api/v1/machine")["running"].as_array().unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(200));
    }
    let then = served.json(&format!("/api/v1/pending?at={before}"));
    assert_eq!(then["jobs"][0]["job"], "31");
    assert_eq!(served.get("/api/v1/pending?at=5").0, 400);

    // A store that disappears is told of, and what was seen stays.
    fs::rename(folder.path("s.sqlite"), folder.path("gone")).unwrap();
    let begun = Instant::now();
    while served.json("/api/v1/clusters")[0]["failure"].is_null() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(served.get("/api/v1/machine").0, 200);
    let (code, _, told) = served.ended_by("-TERM");
    assert!(code == Some(0) && told.contains("event=look-failed"), "{code:?} {told}");
}

#[test]
fn it_ends_in_order_and_streams_with_it() {
    let folder = log();
    for signal in ["-TERM", "-INT"] {
        let served = Served::start(&folder, "--replay log.swf");
        let mut viewer = TcpStream::connect(&served.address).unwrap();
        viewer.write_all(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut first = [0; 12];
        viewer.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        let (code, took, told) = served.ended_by(signal);
        assert_eq!(code, Some(0), "{told}");
        assert!(told.contains("level=info event=ended") && took < Duration::from_secs(4), "{took:?} {told}");
        // The stream has come to its end, and was not broken off.
        let mut rest = String::new();
        viewer.read_to_string(&mut rest).unwrap();
        assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
    }
}

#[test]
fn what_is_no_request_is_closed_and_others_are_answered() {
    let folder = log();
    let served = Served::start(&folder, "--replay log.swf --log-requests");
    let mut slow = TcpStream::connect(&served.address).unwrap();
    slow.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost:").unwrap();
    assert!(served.send("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(100_000));
    let answer = served.send(&long);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert_eq!(served.get("/api/v1/health").0, 200);
    let elsewhere =
        served.send("GET /api/v1/clusters HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert!(elsewhere.starts_with("HTTP/1.1 421"), "{elsewhere}");
    // A client that does not go on is closed after ten seconds.
    slow.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut rest = String::new();
    let begun = Instant::now();
    let _ = slow.read_to_string(&mut rest);
    assert!(begun.elapsed() < Duration::from_secs(25) && !rest.contains("200 OK"), "{rest}");
    let (_, _, told) = served.ended_by("-TERM");
    assert!(told.contains("event=request method=GET path=/api/v1/health status=200"), "{told}");
}

#[test]
fn it_is_refused_to_listen_for_all_without_a_token() {
    let folder = Folder::with("token", "short");
    let refused = |line: &str, said: &str| {
        let mut command = folder.queuecast(&format!("serve {line}"));
        command.env("XDG_DATA_HOME", folder.path("data"));
        let output = command.assert().failure().get_output().clone();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(said), "{line}: {told}");
        output.status.code()
    };
    assert_eq!(refused("--demo --listen 0.0.0.0:0", "--token-file"), Some(2));
    assert_eq!(refused("--demo --listen 0.0.0.0:0 --token-file token", "16 characters"), Some(2));
    assert_eq!(refused("--demo --token-file none", "none: no such file"), Some(3));
    assert_eq!(refused("--proxy-user-header a:b", "no name of a header"), Some(2));
    assert_eq!(refused("", "queuecast collect"), Some(2));
    assert_eq!(refused("--store none.sqlite", "none.sqlite"), Some(3));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert_eq!(
        refused(&format!("--demo --listen {}", taken.local_addr().unwrap()), "cannot listen"),
        Some(3)
    );
}
