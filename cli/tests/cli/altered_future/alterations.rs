//! Fourteen alterations of what happens after a moment. What was known at that moment is the same before and after each.

use super::logs::{Entry, Form, Recording, State, UNKNOWN};

/// Numbers that are the same every time.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From 0 up to, not including, `below`.
    fn below(&mut self, below: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as i64 % below.max(1)
    }
}

/// A change of what happens after a moment.
pub type Alteration = (&'static str, fn(&mut Recording, i64, &mut Numbers));

pub const ALTERATIONS: [Alteration; 14] = [
    ("cut", cut),
    ("ends of running jobs", running_ends),
    ("status of running jobs", running_status),
    ("what running jobs used", running_use),
    ("starts of waiting jobs", waiting_starts),
    ("cancellations of waiting jobs", cancellations),
    ("later jobs", later_jobs),
    ("later jobs that are too large", too_large),
    ("numbers of later jobs", later_numbers),
    ("missing fields of later jobs", missing_fields),
    ("unknown waits of later jobs", unknown_waits),
    ("partial executions", partial_executions),
    ("sizes in the header", header_sizes),
    ("everything", everything),
];

fn each(log: &mut Recording, at: i64, state: State, mut change: impl FnMut(&mut Entry)) {
    log.entries.iter_mut().filter(|entry| entry.state(at) == state).for_each(&mut change);
}

/// Nothing is submitted later.
fn cut(log: &mut Recording, at: i64, _: &mut Numbers) {
    log.entries.retain(|entry| entry.state(at) != State::Later);
}

/// Running jobs end at another time after the moment: some in the next second, some long after their limit.
fn running_ends(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    each(log, at, State::Running, |entry| {
        let so_far = at - entry.leaves_queue();
        let more = [1, 1 + numbers.below(600), entry.request.max(60) * 2][numbers.below(3) as usize];
        entry.run = if entry.run == so_far + more { so_far + more + 7 } else { so_far + more };
    });
}

/// Running jobs fail, are cancelled or complete.
fn running_status(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    each(log, at, State::Running, |entry| {
        let others = [0, 1, 5].into_iter().filter(|&status| status != entry.status);
        entry.status = others.collect::<Vec<_>>()[numbers.below(2) as usize];
    });
}

/// What accounting tells of running jobs when they have ended.
fn running_use(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    each(log, at, State::Running, |entry| {
        entry.cpu = 1 + numbers.below(9_999);
        entry.memory = 1 + numbers.below(99_999);
        // Accounting has no such columns here; that the job ends in the next second is all that it can tell.
        entry.run = at - entry.leaves_queue() + 1 + entry.run % 2;
    });
}

/// Waiting jobs start in another order.
fn waiting_starts(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    each(log, at, State::Waiting, |entry| entry.wait = at - entry.submit + 1 + numbers.below(100_000));
}

/// Waiting jobs are cancelled later instead of started, and those that were cancelled start.
fn cancellations(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    each(log, at, State::Waiting, |entry| {
        entry.wait = at - entry.submit + 1 + numbers.below(5_000);
        // Where only what was allocated tells how large a job is, that stays.
        let allocated = [0, UNKNOWN, entry.procs][numbers.below(3) as usize];
        let (restarted, ended) =
            if entry.procs < 0 { (entry.allocated, entry.allocated) } else { (entry.procs, allocated) };
        if entry.is_withdrawn() {
            (entry.run, entry.status, entry.allocated) = (1 + numbers.below(9_000), 1, restarted);
        } else {
            (entry.run, entry.status, entry.cpu, entry.allocated) = (UNKNOWN, 5, UNKNOWN, ended);
        }
    });
}

/// A third of the later jobs are not submitted, the others are other jobs, and many more are.
fn later_jobs(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    let users: Vec<i64> = log.entries.iter().map(|entry| entry.user).collect();
    let procs = log.entries.iter().map(|entry| entry.procs).max().unwrap_or(1);
    log.entries.retain(|entry| entry.state(at) != State::Later || numbers.below(3) > 0);
    each(log, at, State::Later, |entry| {
        entry.user = users[numbers.below(users.len() as i64) as usize];
        entry.procs = 1 + numbers.below(procs);
        entry.allocated = if entry.is_withdrawn() { entry.allocated } else { entry.procs };
        entry.request = 60 + numbers.below(90_000);
        entry.wait = numbers.below(40_000);
        entry.run = if entry.is_withdrawn() { entry.run } else { numbers.below(2 * entry.request) };
    });
    let first = log.entries.iter().map(|entry| entry.job).max().unwrap_or(0) + 1;
    let like = log.entries[0].clone();
    for more in 0..60 {
        let submit = at + 1 + numbers.below(20_000);
        let (wait, run) = (numbers.below(9_000), 1 + numbers.below(9_000));
        let user = users[numbers.below(users.len() as i64) as usize];
        log.entries.push(Entry { job: first + more, submit, wait, run, user, status: 1, ..like.clone() });
    }
    log.sort();
}

/// Later jobs are larger than the machine, or than any job before where its size is not told.
fn too_large(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    let procs = log.entries.iter().map(|entry| entry.procs).max().unwrap_or(1);
    each(log, at, State::Later, |entry| {
        entry.procs = [procs * 2 + 1, procs * 40, entry.procs][numbers.below(3) as usize];
        entry.allocated = if entry.is_withdrawn() { entry.allocated } else { entry.procs };
    });
}

/// Later jobs have the numbers of earlier ones, and users, queues and partitions of their own.
fn later_numbers(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    let earlier: Vec<i64> =
        log.entries.iter().filter(|entry| entry.state(at) != State::Later).map(|entry| entry.job).collect();
    let form = log.form;
    each(log, at, State::Later, |entry| {
        // In accounting, two records of one number are one job that ran again.
        if form == Form::Swf {
            entry.job = earlier[numbers.below(earlier.len() as i64) as usize];
        }
        entry.user = [i64::from(u32::MAX) + 5 + numbers.below(9), 0, entry.user][numbers.below(3) as usize];
        entry.group = 4_000 + numbers.below(9);
        entry.executable = numbers.below(9);
        entry.queue = 90 + numbers.below(9);
        entry.partition = 70 + numbers.below(9);
    });
}

/// Fields of later jobs are missing.
fn missing_fields(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    each(log, at, State::Later, |entry| match numbers.below(6) {
        0 => entry.request = UNKNOWN,
        1 => (entry.user, entry.group) = (UNKNOWN, UNKNOWN),
        2 => (entry.procs, entry.allocated) = (UNKNOWN, UNKNOWN),
        3 => (entry.queue, entry.partition, entry.executable) = (UNKNOWN, UNKNOWN, UNKNOWN),
        4 => entry.status = UNKNOWN,
        _ => (entry.run, entry.status) = (UNKNOWN, 0),
    });
}

/// Waits of later jobs are not known.
fn unknown_waits(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    each(log, at, State::Later, |entry| entry.wait = if numbers.below(4) > 0 { UNKNOWN } else { entry.wait });
}

/// Later jobs, and jobs that run at the moment, are recorded in parts: in the Standard Workload Format below a line that sums them
/// up, in accounting as jobs that were put back into the queue.
fn partial_executions(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    let form = log.form;
    let mut entries = Vec::new();
    for entry in std::mem::take(&mut log.entries) {
        let (state, is_split) = (entry.state(at), numbers.below(3) > 0 && !entry.is_withdrawn());
        if !is_split || !matches!(state, State::Later | State::Running) {
            entries.push(entry);
            continue;
        }
        // The first part goes on after the moment.
        let so_far = if state == State::Running { at - entry.leaves_queue() } else { 0 };
        let first = so_far + 1 + numbers.below(300);
        let (again, rest) = (numbers.below(500), 1 + numbers.below(3_000));
        let put_back = entry.wait + first;
        // In accounting it is submitted anew when it is put back.
        let (submit, wait) = match form {
            Form::Swf => (entry.submit, put_back + again),
            Form::Sacct => (entry.submit + put_back, again),
        };
        let parts = [
            Entry { run: first, status: 2, ..entry.clone() },
            Entry { submit, wait, run: rest, status: 3 + numbers.below(2), ..entry.clone() },
        ];
        if form == Form::Swf {
            entries.push(Entry { run: first + rest, ..entry });
        }
        entries.extend(parts);
    }
    log.entries = entries;
    if form == Form::Sacct {
        log.sort();
    }
}

/// The header tells of the whole file, and later jobs are larger than any before where it does not tell how large the machine is.
fn header_sizes(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    let is_told = log.header.iter().any(|line| line.starts_with("MaxProcs:"));
    let procs = log.entries.iter().map(|entry| entry.procs).max().unwrap_or(1);
    let largest = procs * 3 + numbers.below(99);
    log.header.retain(|line| !line.starts_with("MaxJobs") && !line.starts_with("MaxRecords"));
    log.header.extend([
        format!("MaxJobs: {}", 77_000 + numbers.below(999)),
        format!("MaxRecords: {}", 78_000 + numbers.below(999)),
        "EndTime: Sat Dec 31 23:59:59 UTC 2016".to_owned(),
    ]);
    if !is_told {
        log.header.push(format!("MaxProcs: {largest}"));
        log.header.push("Note: MaxProcs is the size of the largest job".to_owned());
        let mut is_first = true;
        each(log, at, State::Later, |entry| {
            if std::mem::take(&mut is_first) || numbers.below(9) == 0 {
                (entry.procs, entry.allocated) = (largest, largest);
            }
        });
    }
}

/// All of them but the cut, which would leave nothing to alter.
fn everything(log: &mut Recording, at: i64, numbers: &mut Numbers) {
    for (_, alter) in &ALTERATIONS[1..ALTERATIONS.len() - 1] {
        alter(log, at, numbers);
    }
}
