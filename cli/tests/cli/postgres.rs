//! A store on a server of PostgreSQL, as users and administrators meet it. Without the server of `scripts/with-postgres` nothing is
//! checked here.
#![cfg(unix)]

use std::fs::File;
use std::process::Command;
use std::time::Duration;

use crate::collect::{RunningCollector, now, run, site};
use crate::json;

/// A database of a test, which is gone afterwards.
struct Database {
    server: String,
    name: String,
}

impl Database {
    fn made(test: &str) -> Option<Database> {
        let server = std::env::var("QUEUECAST_TEST_POSTGRES").ok()?;
        let made = Database { server, name: format!("cli_{test}_{}", std::process::id()) };
        made.asked(&format!("CREATE DATABASE {}", made.name));
        Some(made)
    }

    fn asked(&self, text: &str) {
        let done = Command::new("psql").args([&self.server, "-q", "-c", text]).output().unwrap();
        assert!(done.status.success(), "{text}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn url(&self) -> String {
        let (server, _) = self.server.rsplit_once('/').unwrap();
        format!("{server}/{}", self.name)
    }

    fn allow(&self, may_connect: bool) {
        let name = &self.name;
        self.asked(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {may_connect}"));
        self.asked(&format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        ));
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let asked = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        drop(Command::new("psql").args([&self.server, "-q", "-c", &asked]).output());
    }
}

#[test]
fn a_server_answers_as_a_file_does() {
    let Some(database) = Database::made("answers") else { return };
    let folder = site(now());
    let url = database.url();
    let on_server = |line: &str| {
        let mut command = run(&folder, line);
        command.env("QUEUECAST_STORE", &url);
        command
    };
    let filled = json(&mut on_server("collect --once --history 20d --format json"));
    assert_eq!((&filled["accounting_rows"], &filled["forecasts"]), (&20.into(), &1.into()), "{filled}");
    let told = filled["store"].as_str().unwrap();
    assert!(told.ends_with(&database.name) && !told.contains("secret"), "{told}");
    json(&mut run(&folder, "collect --once --history 20d --store s.sqlite --format json"));
    for question in [
        "when --live -n 4 -t 60 -u ann",
        "when --live --job 31 --why",
        "pending --live",
        "pending --live --no-cache",
        "advise --live -n 4 -t 2h -u ann",
        "allocate --live --runs 2=1h,4=30m",
    ] {
        let jobs = |mut answer: serde_json::Value| {
            // The two looks are not of the same second, and not of the same store.
            for part in ["jobs", "wait", "sizes", "variants", "best"] {
                if let Some(found) = answer.get_mut(part) {
                    return found.take();
                }
            }
            answer
        };
        let server = jobs(json(&mut on_server(&format!("{question} --format json"))));
        let file = jobs(json(&mut run(&folder, &format!("{question} --store s.sqlite --format json"))));
        let names = |one: &serde_json::Value| match one {
            serde_json::Value::Array(all) => format!("{}", all.len()),
            serde_json::Value::Object(all) => format!("{:?}", all.keys().collect::<Vec<_>>()),
            other => other.to_string(),
        };
        assert_eq!(names(&server), names(&file), "{question}: {server} {file}");
    }
    let score = json(&mut on_server("score live --format json"));
    assert_eq!((&score["forecasts"], &score["open"]), (&1.into(), &1.into()), "{score}");
    let runs = on_server("notify 30").assert().code(2);
    assert!(String::from_utf8_lossy(&runs.get_output().stderr).contains("job 30 runs already"));
}

#[test]
fn a_collector_outlives_its_server() {
    let Some(database) = Database::made("outlives") else { return };
    let folder = site(now());
    let log = folder.path("log");
    let mut following = Command::new(assert_cmd::cargo::cargo_bin!("queuecast"));
    following
        .args(["collect", "--store", &database.url(), "--every", "1s", "--history", "5d"])
        .current_dir(folder.path(""))
        .env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()))
        .stderr(File::create(&log).unwrap());
    let mut collector = RunningCollector(following.spawn().unwrap());
    let says = |text: &str, from: usize| {
        for _ in 0..600 {
            let said = std::fs::read_to_string(&log).unwrap();
            if said[from.min(said.len())..].contains(text) {
                return said.len();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{text}: {}", std::fs::read_to_string(&log).unwrap());
    };
    let seen = says("look 2", 0);
    // One cluster has one collector.
    let second = run(&folder, &format!("collect --once --store {}", database.url())).assert().code(3);
    let said = String::from_utf8_lossy(&second.get_output().stderr).into_owned();
    assert!(said.contains("another collector follows this cluster"), "{said}");
    database.allow(false);
    let seen = says("not stored, and tried again in 1 s", seen);
    database.allow(true);
    says("look ", seen);
    assert!(collector.0.try_wait().unwrap().is_none(), "it is still running");
    assert!(!std::fs::read_to_string(&log).unwrap().contains("secret"), "no password is told");
}

#[test]
fn a_server_that_refuses_is_told_with_what_to_do() {
    let folder = site(now());
    for (url, code, said) in [
        ("postgresql://ann@127.0.0.1:1/x", 3, "its server does not answer"),
        ("postgresql://ann@/x?host=/nowhere", 3, "/nowhere/.s.PGSQL.5432"),
        ("postgresql://ann@db/x?sslmode=require", 2, "TLS is not supported"),
        ("postgresql://ann@db:door/x", 2, "no port"),
    ] {
        for line in ["collect --once", "pending --live", "score live"] {
            let refused = run(&folder, &format!("{line} --store {url}")).assert().code(code);
            let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
            assert!(text.contains(said), "{line} {url}: {text}");
        }
    }
    let Some(database) = Database::made("refuses") else { return };
    let empty = run(&folder, &format!("pending --live --store {}", database.url())).assert().code(3);
    let text = String::from_utf8_lossy(&empty.get_output().stderr).into_owned();
    assert!(
        text.contains("nothing has been collected into it") && text.contains("queuecast collect"),
        "{text}"
    );
    let wrong = database.url().replace("secret", "wrong");
    let refused = run(&folder, &format!("pending --live --store {wrong}")).assert().code(3);
    let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(text.contains("password authentication failed") && text.contains("PGPASSWORD"), "{text}");
    assert!(!text.contains("wrong"), "{text}");
}
