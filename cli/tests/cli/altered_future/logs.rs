//! Logs whose future can be altered: jobs as a system records them, as text in the Standard Workload Format or as accounting.

use std::fmt::Write as _;

use crate::Folder;

/// What is not known.
pub const UNKNOWN: i64 = -1;

/// Where the clock of accounting begins.
const EPOCH: i64 = 1_700_000_000;

/// One record of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub job: i64,
    pub submit: i64,
    /// Until it started, or until it left the queue.
    pub wait: i64,
    /// Unknown of a job that never started.
    pub run: i64,
    pub allocated: i64,
    pub cpu: i64,
    pub memory: i64,
    pub procs: i64,
    pub request: i64,
    pub status: i64,
    pub user: i64,
    pub group: i64,
    pub executable: i64,
    pub queue: i64,
    pub partition: i64,
}

/// What became of a job by a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Later,
    Waiting,
    Running,
    Over,
}

impl Entry {
    pub fn leaves_queue(&self) -> i64 {
        self.submit + self.wait
    }

    pub fn is_withdrawn(&self) -> bool {
        self.run < 0
    }

    /// At the end of this second. Of a job whose wait is not known, nothing is altered once it is submitted.
    pub fn state(&self, at: i64) -> State {
        if self.submit > at {
            State::Later
        } else if self.wait < 0 {
            State::Over
        } else if self.leaves_queue() > at {
            State::Waiting
        } else if !self.is_withdrawn() && self.leaves_queue() + self.run > at {
            State::Running
        } else {
            State::Over
        }
    }

    fn swf(&self) -> String {
        let Entry { job, submit, wait, run, allocated, cpu, memory, procs, request, status, .. } = self;
        let Entry { user, group, executable, queue, partition, .. } = self;
        format!(
            "{job} {submit} {wait} {run} {allocated} {cpu} {memory} {procs} {request} -1 {status} {user} {group} {executable} {queue} {partition} -1 -1"
        )
    }

    fn sacct(&self) -> String {
        let time = |at: i64| (EPOCH + at).to_string();
        let known = |value: i64| if value < 0 { String::new() } else { value.to_string() };
        let is_started = !self.is_withdrawn() && self.wait >= 0;
        let left = if self.wait < 0 { "Unknown".to_owned() } else { time(self.leaves_queue()) };
        let (start, end) = match (is_started, self.wait < 0) {
            (true, _) => (left, time(self.leaves_queue() + self.run)),
            (false, true) => (left, time(self.submit + self.run.max(0))),
            // Slurm shows as start when such a job left the queue, or nothing.
            (false, false) if self.allocated > 0 => (left.clone(), left),
            (false, false) => ("None".to_owned(), left),
        };
        let state = match self.status {
            0 | 4 => "FAILED",
            2 => "REQUEUED",
            5 => "CANCELLED by 17",
            _ => "COMPLETED",
        };
        let name =
            |kind: &str, number: i64| if number < 0 { String::new() } else { format!("{kind}{number}") };
        let limit = if self.request < 0 { String::new() } else { (self.request / 60).max(1).to_string() };
        let fields = [
            self.job.to_string(),
            state.to_owned(),
            time(self.submit),
            time(self.submit),
            start,
            end,
            self.run.max(0).to_string(),
            limit,
            known(self.procs),
            known(if self.is_withdrawn() { self.allocated.min(0) } else { self.allocated }),
            name("user", self.user),
            name("part", self.queue),
            name("app", self.executable),
            if is_started { "n1".to_owned() } else { "None assigned".to_owned() },
        ];
        fields.join("|")
    }
}

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Swf,
    Sacct,
}

/// A log.
#[derive(Debug, Clone)]
pub struct Recording {
    pub name: &'static str,
    pub form: Form,
    pub header: Vec<String>,
    /// In order of submission.
    pub entries: Vec<Entry>,
}

impl Recording {
    pub fn file(&self) -> &'static str {
        match self.form {
            Form::Swf => "log.swf",
            Form::Sacct => "log.sacct",
        }
    }

    /// A moment as `--at` is given it.
    pub fn moment(&self, at: i64) -> i64 {
        match self.form {
            Form::Swf => at,
            Form::Sacct => EPOCH + at,
        }
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        match self.form {
            Form::Swf => {
                self.header.iter().for_each(|line| writeln!(text, "; {line}").unwrap());
                self.entries.iter().for_each(|entry| writeln!(text, "{}", entry.swf()).unwrap());
            }
            Form::Sacct => {
                text += "JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|User|Partition|JobName|NodeList\n";
                self.entries.iter().for_each(|entry| writeln!(text, "{}", entry.sacct()).unwrap());
            }
        }
        text
    }

    /// What is known at the end of this second of the jobs submitted by then.
    pub fn known(&self, at: i64) -> Vec<Entry> {
        let is_part = |entry: &&Entry| self.form == Form::Swf && (2..=4).contains(&entry.status);
        let known = self.entries.iter().filter(|entry| entry.submit <= at && !is_part(entry));
        let known = known.map(|entry| {
            let mut entry = entry.clone();
            let state = entry.state(at);
            if matches!(state, State::Waiting | State::Running) {
                (entry.run, entry.status, entry.cpu, entry.memory) = (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
            }
            if state == State::Waiting {
                (entry.wait, entry.allocated) = (UNKNOWN, UNKNOWN);
            }
            entry
        });
        known.collect()
    }

    /// Stable: records of one second stay in their order.
    pub fn sort(&mut self) {
        self.entries.sort_by_key(|entry| entry.submit);
    }

    /// Moments at which several jobs run and several wait, one of which leaves the queue later without having started; as evenly
    /// spread over the second half of the log as there are such.
    pub fn moments(&self, count: usize) -> Vec<i64> {
        let is_busy = |&at: &i64| {
            let with = |state: State| self.entries.iter().filter(move |entry| entry.state(at) == state);
            with(State::Running).count() > 1
                && with(State::Waiting).count() > 2
                && with(State::Waiting).any(Entry::is_withdrawn)
                && with(State::Later).count() > 9
        };
        let late = &self.entries[self.entries.len() * 2 / 5..];
        let mut busy: Vec<i64> = late.iter().map(|entry| entry.submit).filter(is_busy).collect();
        busy.dedup();
        assert!(busy.len() >= count, "{}: {} moments", self.name, busy.len());
        (0..count).map(|place| busy[place * (busy.len() - 1) / (count - 1).max(1)]).collect()
    }

    /// The records of a log in the Standard Workload Format, as they stand there.
    pub fn of_swf(name: &'static str, text: &str) -> Recording {
        let header =
            text.lines().filter_map(|line| line.strip_prefix(';')).map(|line| line.trim().to_owned());
        let entry = |line: &str| {
            let fields: Vec<i64> =
                line.split_whitespace().map(|field| field.parse::<f64>().unwrap() as i64).collect();
            Entry {
                job: fields[0],
                submit: fields[1],
                wait: fields[2],
                run: fields[3],
                allocated: fields[4],
                cpu: fields[5],
                memory: fields[6],
                procs: fields[7],
                request: fields[8],
                status: fields[10],
                user: fields[11],
                group: fields[12],
                executable: fields[13],
                queue: fields[14],
                partition: fields[15],
            }
        };
        let rows = text.lines().filter(|line| !line.starts_with(';') && !line.trim().is_empty());
        let (header, entries) = (header.collect(), rows.map(entry).collect());
        let mut made = Recording { name, form: Form::Swf, header, entries };
        made.sort();
        made
    }

    /// A generated workload as EASY schedules it, with jobs that give up waiting.
    pub fn simulated(name: &'static str, jobs: usize, seed: u32) -> Recording {
        let folder = Folder::with("unused", "");
        let line = format!(
            "generate habits --jobs {jobs} --procs 64 --load 2 --seed {seed} --output made.swf --quiet"
        );
        folder.queuecast(&line).assert().success();
        let line = "simulate made.swf --schedule-swf log.swf --quiet --no-plot";
        folder.queuecast(line).assert().success();
        let mut made = Recording::of_swf(name, &folder.read("log.swf"));
        made.withdraw_some();
        made
    }

    /// Adds jobs that leave the queue without having started, of every kind that logs have.
    fn withdraw_some(&mut self) {
        let waiting: Vec<Entry> = self.entries.iter().filter(|entry| entry.wait > 60).cloned().collect();
        let first = self.entries.iter().map(|entry| entry.job).max().unwrap_or(0) + 1;
        for (place, like) in waiting.into_iter().enumerate().filter(|(place, _)| place % 3 == 0) {
            let allocated = [0, UNKNOWN, like.procs][place / 3 % 3];
            let wait = like.wait / 2 + like.wait * (place as i64 % 5) / 4;
            self.entries.push(Entry {
                job: first + place as i64,
                submit: like.submit + 1,
                wait,
                run: UNKNOWN,
                allocated,
                cpu: UNKNOWN,
                status: 5,
                ..like
            });
        }
        self.sort();
    }
}

/// Three logs: one says how large its machine is, one does not, and one is accounting.
pub fn recordings(jobs: usize) -> Vec<Recording> {
    let sized = Recording::simulated("with MaxProcs", jobs, 2);
    let mut unsized_ = Recording::simulated("without a size", jobs, 14);
    unsized_.header.retain(|line| !line.starts_with("Max") && !line.starts_with("Note"));
    let mut accounting = Recording::simulated("accounting", jobs, 23);
    (accounting.form, accounting.header) = (Form::Sacct, Vec::new());
    vec![sized, unsized_, accounting]
}

/// Segments of real logs that have withdrawn jobs, as many as there are.
pub fn real() -> Vec<Recording> {
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let folder = std::env::var_os("QUEUECAST_TRACES").map_or(beside, Into::into);
    let segment = |(name, file, from): (&'static str, &str, usize)| {
        let bytes = std::fs::read(folder.join(file)).ok()?;
        let mut text = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*bytes), &mut text).ok()?;
        let mut log = Recording::of_swf(name, &text);
        log.entries = log.entries.split_off(from);
        log.entries.truncate(500);
        // These logs name no executables, which a method asks for: jobs that request alike stand for runs of one program.
        log.entries.iter_mut().for_each(|entry| entry.executable = 1 + entry.request.max(0) % 97);
        Some(log)
    };
    let logs = [
        ("SDSC-SP2", "SDSC-SP2-1998-4.2-cln.swf.gz", 20_000),
        ("SDSC-SP2, later", "SDSC-SP2-1998-4.2-cln.swf.gz", 50_000),
        ("SDSC-BLUE", "SDSC-BLUE-2000-4.2-cln.swf.gz", 100_000),
    ];
    logs.into_iter().filter_map(segment).collect()
}
