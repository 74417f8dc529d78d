//! What stands above the table: the place, the moment, how the machine is used, and what is wrong.

use queuecast_place::{AskedQueue, PendingAnswer};
use queuecast_report::number::{integer, number_of};
use ratatui_core::layout::Rect;

use super::canvas::{ScreenCanvas, width};
use crate::clock::ago;
use crate::state::WatchState;

/// Draws it; the rest of the area.
pub fn draw(state: &WatchState, canvas: &mut ScreenCanvas<'_>, area: Rect) -> Rect {
    title(state, canvas, area);
    let lines = state.bar_lines() as u16;
    let bars = Rect { y: area.y + 1, height: lines, ..area };
    if let Some(answer) = &state.answer {
        self::bars(answer, canvas, bars);
    }
    said(state, canvas, Rect { y: bars.y + lines, height: 2, ..area });
    let used = lines + 3;
    Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area }
}

/// The place and the moment at the left, what is going on at the right.
fn title(state: &WatchState, canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let theme = canvas.theme;
    let right = activity(state);
    canvas.text_right(area, 0, &right, theme.faint());
    let room = area.width.saturating_sub(width(&right) as u16 + 2);
    let left = Rect { width: room, ..area };
    let at = canvas.text(left, 0, &state.place.name, theme.strong());
    if let (Some(answer), Some(clock)) = (&state.answer, state.clock()) {
        canvas.text_at(left, (at + 2, 0), &clock.heading(answer.moment.time), theme.faint());
    }
}

/// What is going on: the age of the last look, or how a log is played, and what is computed.
fn activity(state: &WatchState) -> String {
    let mut said = Vec::new();
    if let Some(work) = &state.work {
        said.push(match work.steps {
            0 => format!("{} …", work.what),
            steps => format!("{} {} of {steps} …", work.what, work.done),
        });
    }
    match (state.place.speed, state.age()) {
        (Some(_), _) if state.played_out => said.push("the log ends here".to_owned()),
        (Some(_), _) if state.paused => said.push("paused".to_owned()),
        (Some(speed), _) => said.push(played(speed)),
        (None, Some(age)) if !state.is_outage() => said.push(format!("looked {}", ago(age))),
        (None, _) => {}
    }
    said.join(" · ")
}

/// The speed of a played log in words.
fn played(speed: f64) -> String {
    match speed {
        speed if speed >= 3600.0 && speed % 3600.0 == 0.0 => {
            format!("{} h a second", integer((speed / 3600.0) as i64))
        }
        speed if speed >= 60.0 && speed % 60.0 == 0.0 => format!("{} min a second", (speed / 60.0) as i64),
        speed => format!("{speed} s a second"),
    }
}

/// A bar for the machine, or for each group of partitions.
fn bars(answer: &PendingAnswer, canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let theme = canvas.theme;
    let lines = usize::from(area.height);
    let named: Vec<(String, String)> = answer.queues.iter().take(lines).map(told).collect();
    let left = named.iter().map(|one| width(&one.0)).max().unwrap_or(0).min(24);
    let left = if left == 0 { 0 } else { left as u16 + 2 };
    let right = named.iter().map(|one| width(&one.1)).max().unwrap_or(0) as u16;
    for ((line, queue), (name, use_said)) in (0..).zip(&answer.queues).zip(&named) {
        canvas.text(Rect { width: left.saturating_sub(1), ..area }, line, name, theme.strong());
        let room = area.width.saturating_sub(left + right + 2);
        let (all, used) = (queue.procs.0.max(1), queue.procs.0.saturating_sub(queue.free.0));
        let full = (f64::from(used) / f64::from(all) * f64::from(room)).round() as u16;
        let bar = Rect { x: area.x + left, y: area.y + line, width: full.min(room), height: 1 };
        let rest = Rect { x: bar.x + bar.width, width: room - bar.width, ..bar };
        let [busy, idle] = theme.blocks();
        canvas.fill(bar, busy, theme.bar());
        canvas.fill(rest, idle, theme.faint());
        canvas.text_right(area, line, use_said, theme.strong());
    }
    let hidden = answer.queues.len().saturating_sub(lines);
    if hidden > 0 && lines > 0 {
        canvas.text(area, area.height - 1, &format!("+{hidden} more"), theme.faint());
    }
}

/// A queue's name, and how it is used.
fn told(queue: &AskedQueue) -> (String, String) {
    let used = queue.procs.0.saturating_sub(queue.free.0);
    let said = format!(
        "{} of {} processors in use, {} free",
        integer(used.into()),
        integer(queue.procs.0.into()),
        integer(queue.free.0.into())
    );
    (queue.partition.clone().unwrap_or_default(), said)
}

/// How many jobs run and wait; below, what is wrong, or a note.
fn said(state: &WatchState, canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let theme = canvas.theme;
    if let Some(answer) = &state.answer {
        let mut at = canvas.text(area, 0, &counts(answer), theme.faint());
        let own = answer.jobs.iter().filter(|job| job.own).count();
        if let Some(user) = answer.user.as_ref().filter(|_| own > 0) {
            at += canvas.text_at(area, (at, 0), " · ", theme.faint());
            canvas.text_at(area, (at, 0), &format!("* {own} of {user}"), theme.own());
        }
    }
    let outage = state
        .age()
        .filter(|_| state.is_outage())
        .map(|age| format!("the last look at Slurm was {}", ago(age)));
    let said = match (outage, &state.trouble, state.notes.first()) {
        (Some(outage), Some(why), _) => Some((format!("{outage}: {why}"), theme.trouble())),
        (Some(outage), None, _) => Some((outage, theme.trouble())),
        (None, Some(why), _) => Some((why.clone(), theme.trouble())),
        (None, None, Some(note)) => Some((note.clone(), theme.faint())),
        (None, None, None) => None,
    };
    if let Some((text, style)) = said {
        canvas.text(area, 1, &text, style);
    }
}

fn counts(answer: &PendingAnswer) -> String {
    // Partitions may share nodes: of several, jobs that run are not added up.
    let running = match &answer.queues[..] {
        [queue] => format!("{} running · ", number_of(queue.running, "job")),
        _ => String::new(),
    };
    let wanted: u64 = answer.jobs.iter().map(|job| u64::from(job.asked.procs.0)).sum();
    match answer.jobs.len() {
        0 => format!("{running}no job waits"),
        count => {
            format!("{running}{} waiting for {}", number_of(count, "job"), number_of(wanted, "processor"))
        }
    }
}
