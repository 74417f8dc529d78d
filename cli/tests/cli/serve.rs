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
pub struct Served {
    child: Child,
    address: String,
    told: BufReader<ChildStderr>,
    /// What it told before it listened.
    before: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    pub fn start(folder: &Folder, line: &str) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queuecast"));
        command.current_dir(folder.path("")).args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(line.split_whitespace()).stderr(Stdio::piped()).stdout(Stdio::null());
        command.env("XDG_DATA_HOME", folder.path("data")).env("XDG_CACHE_HOME", folder.path("cache"));
        Served::begun(command)
    }

    /// A command that serves, once it listens.
    fn begun(mut command: Command) -> Served {
        let mut child = command.spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let (mut address, mut before) = (String::new(), String::new());
        while address.is_empty() {
            let mut line = String::new();
            assert!(told.read_line(&mut line).unwrap() > 0, "it ended before it listened");
            if let Some(after) = line.split("event=listening address=http://").nth(1) {
                address = after.trim().trim_end_matches('/').to_owned();
            }
            before += &line;
        }
        Served { child, address, told, before }
    }

    pub fn ready(folder: &Folder, line: &str) -> Served {
        let served = Served::start(folder, line);
        let begun = Instant::now();
        while served.get("/api/v1/ready").0 != 200 {
            assert!(begun.elapsed() < Duration::from_secs(240), "{}", served.get("/api/v1/ready").1);
            std::thread::sleep(Duration::from_millis(50));
        }
        served
    }

    pub fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The status and the body.
    pub fn get(&self, path: &str) -> (u16, String) {
        let answer =
            self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    pub fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Sends a signal; how it ended, how long that took, and what it told.
    pub fn ended_by(mut self, signal: &str) -> (Option<i32>, Duration, String) {
        let begun = Instant::now();
        self.signal(signal);
        let status = self.child.wait().unwrap();
        let mut told = String::new();
        self.told.read_to_string(&mut told).unwrap();
        (status.code(), begun.elapsed(), told)
    }
}

/// A log of made-up jobs as they were started.
pub fn log() -> Folder {
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
        ("/api/v1/shadow", "score shadow --store s.sqlite"),
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

    // Each was eligible at once.
    assert_eq!(waits["held"]["queues"].as_array().map(Vec::len), Some(0), "{waits}");

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
    // It comes back, and what is collected then is served.
    fs::rename(folder.path("gone"), folder.path("s.sqlite")).unwrap();
    let begun = Instant::now();
    while !served.json("/api/v1/clusters")[0]["failure"].is_null() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(200));
    }
    let look = |served: &Served| served.json("/api/v1/clusters")[0]["last_look"].as_i64().unwrap();
    let before = look(&served);
    std::thread::sleep(Duration::from_millis(1100));
    run(&folder, "collect --once --store s.sqlite").assert().success();
    let begun = Instant::now();
    while look(&served) == before {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(200));
    }
    let (code, _, told) = served.ended_by("-TERM");
    assert!(code == Some(0) && told.contains("event=look-failed"), "{code:?} {told}");
    assert!(told.contains("event=look-works-again"), "{told}");
}

/// What a followed site tells of itself.
const SCONTROL: &str = "#!/bin/sh
case \"$*\" in
*config*) printf 'Configuration data as of 2026-11-18T10:00:00\\nAccountingStorageType   = accounting_storage/none\\nClusterName             = tiny\\nSchedulerType           = sched/backfill\\n' ;;
*node*) for name in c1 c2; do printf 'NodeName=%s Arch=x86_64 CoresPerSocket=4\\n   CPUAlloc=0 CPUTot=4\\n   RealMemory=1000 State=IDLE Partitions=batch\\n\\n' $name; done ;;
*partition*) printf 'PartitionName=batch\\n   Default=YES MaxTime=1-00:00:00 Nodes=c[1-2] State=UP TotalCPUs=8 TotalNodes=2\\n' ;;
*reservation*) printf 'No reservations in the system\\n' ;;
*) exit 1 ;;
esac
";

#[test]
fn a_followed_site_is_asked_what_its_own_settings_would_do() {
    let folder = site(now());
    fs::write(folder.path("scontrol"), SCONTROL).unwrap();
    run(&folder, "collect --once --store s.sqlite --history 20d").assert().success();
    let served = Served::ready(&folder, "--store s.sqlite");
    let last = |question: &str| -> (String, Value) {
        let (status, body) = served.get(&format!("/api/v1/what-if?seeds=2&{question}"));
        assert_eq!(status, 200, "{body}");
        let (name, data) = body.rsplit_once("event: ").unwrap().1.split_once("\ndata: ").unwrap();
        (name.to_owned(), serde_json::from_str(data.lines().next().unwrap()).unwrap())
    };
    let (name, more) = last("set=partition.batch.nodes=%2B2");
    assert_eq!((name.as_str(), more["jobs"].as_u64(), more["lost"].as_u64()), ("answer", Some(20), Some(0)));
    assert!(more["changes"][0]["name"].as_str().unwrap().contains("partition batch"), "{more}");
    assert_eq!(more["policies"], serde_json::json!(["slurm", "slurm"]));
    assert!(more["until"].as_i64().unwrap() > now() - 100_000);
    let (_, short) = last("set=partition.batch.MaxTime=30");
    assert_eq!((short["lost"].as_u64(), short["common_jobs"].as_u64()), (Some(20), Some(0)));
    let (_, easy) = last("set=policy=easy");
    assert_eq!((&easy["policies"][1], easy["common_jobs"].as_u64()), (&"easy".into(), Some(20)));
    let (name, wrong) = last("set=partition.bach.nodes=%2B2");
    assert!(name == "refused" && wrong["error"].as_str().unwrap().contains("batch"), "{wrong}");

    // A store without a description of the site says what is missing.
    let bare = site(now());
    run(&bare, "collect --once --store s.sqlite --history 20d").assert().success();
    let served = Served::ready(&bare, "--store s.sqlite");
    let (_, body) = served.get("/api/v1/what-if?set=bf_interval=60");
    assert!(body.contains("event: refused") && body.contains("queuecast collect"), "{body}");
}

#[test]
fn metrics_have_a_listener_of_their_own() {
    let folder = log();
    fs::write(folder.path("token"), "0123456789abcdef\n").unwrap();
    let mut served =
        Served::start(&folder, "--replay log.swf --token-file token --metrics-listen 127.0.0.1:0");
    let mut line = String::new();
    while !line.contains("metrics=") {
        line.clear();
        assert!(served.told.read_line(&mut line).unwrap() > 0);
    }
    assert_eq!(served.get("/metrics").0, 401);
    let address = line.split("http://").nth(1).unwrap().split("/metrics").next().unwrap().to_owned();
    served.address = address;
    let (status, body) = served.get("/metrics");
    assert!(status == 200 && body.contains("queuecast_up{cluster="), "{body}");
    for path in ["/", "/api/v1/clusters", "/api/v1/openapi.json"] {
        assert_eq!(served.get(path).0, 404, "{path}");
    }
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
    assert_eq!(refused("--demo --token-file none", "token_file none: there is no such file"), Some(3));
    assert_eq!(refused("--proxy-user-header a:b", "no name of a header"), Some(2));
    assert_eq!(refused("", "queuecast collect"), Some(2));
    assert_eq!(refused("--store none.sqlite", "none.sqlite"), Some(3));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert_eq!(
        refused(&format!("--demo --listen {}", taken.local_addr().unwrap()), "cannot listen"),
        Some(3)
    );
}

#[test]
fn questions_that_are_given_up_do_not_hold_up_later_ones() {
    let folder = log();
    let line = "--replay log.swf --at 3d --speed 0.000001 --max-computed 1 --answer-timeout 10s";
    let served = Served::ready(&folder, line);
    // Campaigns are learned after the rest.
    let begun = Instant::now();
    while served.get("/api/v1/campaign?procs=1&limit=30&chain=2").0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(100));
    }
    let asked: Vec<TcpStream> = (1..=150)
        .map(|procs| {
            let mut stream = TcpStream::connect(&served.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let (procs, minutes) = (1 + procs % 60, 30 + procs);
            let request = format!(
                "GET /api/v1/campaign?procs={procs}&limit={minutes}&array=1-250 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    // A single job has another room: it is answered meanwhile, and at once.
    assert_eq!(served.get("/api/v1/when?procs=5&limit=2h").0, 200);
    let mut statuses = Vec::new();
    for mut stream in asked {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().to_owned();
        assert!(status == "200" || answer.contains("\r\nretry-after: "), "{answer}");
        statuses.push(status);
    }
    let count = |status: &str| statuses.iter().filter(|one| *one == status).count();
    assert_eq!(count("200") + count("503"), statuses.len(), "{statuses:?}");
    assert!(
        count("200") > 0 && count("503") > 0,
        "the test asks for more than can be answered: {statuses:?}"
    );
    // Another such question is answered, if need be when it is asked again.
    let begun = Instant::now();
    while served.get("/api/v1/campaign?procs=5&limit=2h&chain=2").0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn the_limit_of_open_files_is_raised_or_there_are_fewer_connections() {
    let folder = log();
    let under = |limits: &str| {
        let mut command = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_queuecast");
        let line = format!("{limits}; exec {program} serve --listen 127.0.0.1:0 --replay log.swf");
        command.current_dir(folder.path("")).args(["-c", &line]).stderr(Stdio::piped()).stdout(Stdio::null());
        Served::begun(command)
    };
    let raised = under("ulimit -Sn 300");
    let limits = fs::read_to_string(format!("/proc/{}/limits", raised.child.id())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let soft: u64 = files.split_whitespace().nth(3).unwrap().parse().unwrap();
    let hard: u64 = files.split_whitespace().nth(4).unwrap().parse().unwrap_or(u64::MAX);
    assert!(soft >= (4_096 + 128).min(hard), "{files}");
    let (_, _, told) = raised.ended_by("-TERM");
    assert_eq!(told.contains("fewer-connections"), hard < 4_096 + 128, "{told}");
    let fewer = under("ulimit -Sn 200; ulimit -Hn 200");
    assert!(
        fewer.before.contains("level=warning event=fewer-connections connections=100"),
        "{}",
        fewer.before
    );
    // More connections than that wait, and are answered in their turn.
    let waiting: Vec<TcpStream> = (0..150).map(|_| TcpStream::connect(&fewer.address).unwrap()).collect();
    drop(waiting);
    assert_eq!(fewer.get("/api/v1/health").0, 200);
}
