//! `queuecast watch` on a terminal, made by `script` of util-linux.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use predicates::prelude::*;

use crate::{Folder, queuecast};

/// What a terminal of 100 columns and 30 lines shows: text, and moves of the cursor.
struct Shown {
    cells: Vec<Vec<char>>,
    at: (usize, usize),
    is_other: bool,
}

const SIZE: (usize, usize) = (30, 100);

impl Shown {
    fn new() -> Shown {
        Shown { cells: vec![vec![' '; SIZE.1]; SIZE.0], at: (0, 0), is_other: false }
    }

    /// Takes all sequences of a text that are whole; the rest is returned.
    fn take(&mut self, text: &str) -> String {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            if let Some(sequence) = rest.strip_prefix("\x1b[") {
                let Some(end) = sequence.find(|c: char| c.is_ascii_alphabetic()) else { break };
                self.obey(&sequence[..end], sequence.as_bytes()[end]);
                rest = &sequence[end + 1..];
                continue;
            }
            if rest == "\x1b" {
                break;
            }
            match letter {
                '\r' => self.at.1 = 0,
                '\n' => self.at.0 += 1,
                '\x1b' => {}
                letter => {
                    if let Some(cell) = self.cells.get_mut(self.at.0).and_then(|line| line.get_mut(self.at.1))
                    {
                        *cell = letter;
                    }
                    self.at.1 += 1;
                }
            }
            rest = &rest[letter.len_utf8()..];
        }
        rest.to_owned()
    }

    fn obey(&mut self, numbers: &str, command: u8) {
        match (numbers, command) {
            ("?1049", b'h') => self.is_other = true,
            ("?1049", b'l') => self.is_other = false,
            (_, b'J') => self.cells = Shown::new().cells,
            (place, b'H') => {
                let mut parts = place.split(';').map(|part| part.parse::<usize>().unwrap_or(1) - 1);
                self.at = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
            }
            _ => {}
        }
    }

    fn text(&self) -> String {
        let line = |line: &Vec<char>| line.iter().collect::<String>().trim_end().to_owned();
        self.cells.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// A command on a terminal.
struct OnTerminal {
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    shown: Shown,
    rest: Vec<u8>,
    plain: String,
}

impl OnTerminal {
    /// Runs a line of a shell in a folder.
    fn run(folder: &Folder, line: &str) -> OnTerminal {
        let line = format!("stty rows {} cols {}; {line}", SIZE.0, SIZE.1);
        let mut child = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .current_dir(folder.path(""))
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()))
            .env("XDG_DATA_HOME", folder.path("data"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (tell, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                if tell.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        OnTerminal { child, keys, output, shown: Shown::new(), rest: Vec::new(), plain: String::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Reads until the screen is as expected; fails after two minutes.
    fn until(&mut self, what: &str, expected: impl Fn(&Shown) -> bool) {
        let begun = Instant::now();
        while !expected(&self.shown) {
            assert!(begun.elapsed() < Duration::from_secs(120), "{what} is not in\n{}", self.shown.text());
            match self.output.recv_timeout(Duration::from_secs(1)) {
                Ok(bytes) => self.took(&bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("ended without {what}:\n{}", self.plain),
            }
        }
    }

    fn took(&mut self, bytes: &[u8]) {
        self.plain += &String::from_utf8_lossy(bytes);
        self.rest.extend(bytes);
        // The end may be a part of a character.
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8(self.rest.drain(..whole).collect()).unwrap();
        let rest = self.shown.take(&text);
        self.rest.splice(0..0, rest.into_bytes());
    }

    fn has(&mut self, text: &str) {
        self.until(text, |shown| shown.is_other && shown.text().contains(text));
    }

    /// Reads to the end; what was written after the screen was left.
    fn ended(mut self) -> String {
        self.until("the end of the screen", |shown| !shown.is_other);
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_secs(60)) {
            self.took(&bytes);
        }
        self.child.wait().unwrap();
        self.plain.rsplit("\x1b[?1049l").next().unwrap_or_default().to_owned()
    }
}

/// The command between two looks at the settings of the terminal.
fn settled(line: &str) -> String {
    format!("stty -g > before; {} {line}; echo code=$?; stty -g > after", env!("CARGO_BIN_EXE_queuecast"))
}

#[test]
fn the_demo_is_watched_without_slurm_and_the_terminal_is_given_back() {
    let folder = Folder::with("empty", "");
    let mut terminal = OnTerminal::run(&folder, &settled("watch --replay demo --speed 60"));
    terminal.has("1 min a second");
    terminal.has("waits for");
    terminal.has("of 256 processors in use");
    terminal.press(" ");
    terminal.has("paused");
    terminal.press("?");
    terminal.has("sort by the next column");
    terminal.press("x/user");
    terminal.has("Esc as before");
    terminal.press("\r");
    terminal.has("/user");
    terminal.press("\r");
    terminal.has("Most likely starts");
    terminal.press("\x1b");
    terminal.until("the table", |shown| !shown.text().contains("Most likely starts"));
    terminal.press("q");
    let after = terminal.ended();
    assert!(after.contains("code=0"), "{after:?}");
    assert_eq!(folder.read("before"), folder.read("after"));
    assert!(after.contains("\x1b[?25h"), "the cursor is shown again: {after:?}");
}

#[test]
fn the_terminal_is_given_back_at_a_signal_and_at_an_error() {
    let folder = Folder::with("empty", "");
    let line = format!(
        "stty -g > before; sh -c 'echo $$ > pid; exec {} watch --replay demo'; stty -g > after",
        env!("CARGO_BIN_EXE_queuecast")
    );
    let mut terminal = OnTerminal::run(&folder, &line);
    terminal.has("waits for");
    let pid = folder.read("pid");
    Command::new("kill").arg(pid.trim()).status().unwrap();
    terminal.ended();
    assert_eq!(folder.read("before"), folder.read("after"));
    let refused = OnTerminal::run(&folder, &settled("watch --replay nowhere.swf"));
    let after = refused.ended();
    assert!(after.contains("nowhere.swf") && after.contains("code=3"), "{after:?}");
    assert_eq!(folder.read("before"), folder.read("after"));
}

#[test]
fn a_live_site_is_watched_and_slurm_is_asked_once() {
    let folder = Folder::with("queue.txt", "");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let queue = format!(
        "30|RUNNING|8|2:00:00|10:00|50|ann|{0}|batch|c1,c2|phys|normal|(null)|{0}|(null)|None\n\
         31|PENDING|4|1:00:00|0:00|40|bob|{1}|batch||phys|normal|(null)|N/A|(null)|Resources\n",
        now - 600,
        now - 300
    );
    fs::write(folder.path("queue.txt"), queue).unwrap();
    let nodes = "c1|4/0/0/4|batch|up|1-00:00:00|1-infinite|UNLIMITED|1\nc2|4/0/0/4|batch|up|1-00:00:00|1-infinite|UNLIMITED|1\n";
    fs::write(folder.path("nodes.txt"), nodes).unwrap();
    for (name, text) in
        [("squeue", "echo x >> asked; cat queue.txt"), ("sinfo", "cat nodes.txt"), ("id", "echo bob")]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::write(folder.path(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut terminal = OnTerminal::run(&folder, &settled("watch"));
    terminal.has("8 of 8 processors in use, 0 free");
    terminal.has("* 1 of bob");
    terminal.press("\r");
    terminal.has("Job 31 of bob in batch");
    // Another look at whether there is something new asks nothing.
    terminal.has("looked 7 seconds ago");
    terminal.press("\x03");
    assert!(terminal.ended().contains("code=0"));
    assert_eq!(folder.read("asked").lines().count(), 1);
}

#[test]
fn without_a_terminal_pending_is_named() {
    let said =
        predicate::str::contains("watch needs a terminal").and(predicate::str::contains("queuecast pending"));
    queuecast().args(["watch", "--replay", "demo"]).assert().code(2).stdout("").stderr(said);
}
