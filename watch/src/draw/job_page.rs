//! The page of one job: when it starts, what it waits for, and how its forecast has moved.

use queuecast_core::units::Time;
use queuecast_place::PendingJob;
use queuecast_report::duration;
use queuecast_report::number::number_of;
use queuecast_report::queue_record;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::canvas::{ScreenCanvas, width};
use super::time_axis::TimeAxis;
use crate::clock::{DayWords, WallClock};
use crate::columns::starts;
use crate::state::WatchState;
use crate::trail::SaidStart;

/// Draws it.
pub fn draw(state: &WatchState, canvas: &mut ScreenCanvas<'_>, area: Rect) {
    let (Some(job), Some(answer), Some(clock)) = (&state.open, &state.answer, state.clock()) else { return };
    let theme = canvas.theme;
    // The last line is for keys.
    let area = Rect { height: area.height.saturating_sub(1), ..area };
    // Places are in the order of the machine, or of each group of partitions that is a queue of its own.
    let is_in_line = |one: &&PendingJob| {
        one.place.is_some() && (answer.queues.len() <= 1 || one.partition == job.partition)
    };
    let in_line = answer.jobs.iter().filter(is_in_line).count();
    let place = match job.place {
        Some(place) if state.open_waits() && place <= in_line => format!("place {place} of {in_line}"),
        Some(place) if state.open_waits() => format!("place {place}"),
        _ => String::new(),
    };
    let mut line = 0;
    let style = if job.own { theme.own() } else { theme.strong() };
    canvas.text(area, line, &title(job), style);
    canvas.text_right(area, line, &place, theme.faint());
    line += 1;
    canvas.text(area, line, &asks(job), theme.faint());
    line += 2;
    let trail = state.trail.of(&job.job);
    if state.open_waits() {
        let said = sentence(job, answer.moment.time, &clock);
        line += canvas.paragraph(area, line, &said, Style::new());
        if let Some(held) = job.queue_in(&answer.queues).and_then(queue_record) {
            line += canvas.paragraph(area, line, &held, theme.faint());
        }
    } else {
        let said = format!("Job {} waits no longer: it has started, or was withdrawn.", job.job);
        line += canvas.paragraph(area, line, &said, theme.strong());
    }
    line += 1;
    // All ranges have one axis, with what was said at its left.
    let told: Vec<(String, SaidStart)> = moved(trail, &clock);
    let left = told.iter().map(|one| width(&one.0)).max().unwrap_or(0).max(width("now")) as u16 + 2;
    let all: Vec<SaidStart> = told.iter().map(|one| one.1).collect();
    let strip = Rect { x: area.x + left, width: area.width.saturating_sub(left), ..area };
    let axis = TimeAxis::of(clock.now(), &all, strip);
    if let Some((last, earlier)) = told.split_last() {
        canvas.text(area, line, if state.open_waits() { "now" } else { &last.0 }, theme.strong());
        axis.range(canvas, line, &last.1);
        axis.marks(canvas, line + 1, &clock);
        line += 4;
        line += waits_for(job, canvas, area, line) + 1;
        forecasts(earlier, &axis, canvas, area, line);
    } else {
        waits_for(job, canvas, area, line);
    }
}

fn title(job: &PendingJob) -> String {
    let mut said = format!("Job {}", job.job);
    if let Some(user) = &job.user {
        said += &format!(" of {user}");
    }
    if let Some(partition) = &job.partition {
        said += &format!(" in {partition}");
    }
    if job.own {
        said += " *";
    }
    said
}

fn asks(job: &PendingJob) -> String {
    let asked = format!(
        "{} for up to {}",
        number_of(i64::from(job.asked.procs.0), "processor"),
        duration::about(job.asked.time.0 as f64)
    );
    match job.waited {
        Some(waited) => format!("{asked} · waiting for {}", duration::about(waited.0 as f64)),
        None => asked,
    }
}

fn sentence(job: &PendingJob, asked: Time, clock: &WallClock) -> String {
    let words = DayWords::Full;
    let Some(said) = SaidStart::of(job, asked) else {
        return match (job.not_before, job.never > 0.0) {
            (Some(_), _) => format!("Starts {}.", starts(job, asked, clock, words)),
            (None, true) => "Starts in no simulation.".to_owned(),
            (None, false) => "It is not in line for processors, so no range can be told.".to_owned(),
        };
    };
    let never = match job.never > 0.0 {
        true => format!("; in {:.0} % of the simulations never", job.never * 100.0),
        false => String::new(),
    };
    let range = match starts(job, asked, clock, words) {
        now if now == "now" => return "Most likely starts now.".to_owned(),
        range => range,
    };
    format!(
        "Most likely starts {range} (80 %), as likely as not by {}{never}.",
        clock.moment(said.median.max(clock.now()), words)
    )
}

/// What keeps it from starting; how many lines that takes.
fn waits_for(job: &PendingJob, canvas: &mut ScreenCanvas<'_>, area: Rect, line: u16) -> u16 {
    let theme = canvas.theme;
    canvas.text(area, line, "Waits for", theme.strong());
    let inner = Rect { x: area.x + 2, width: area.width.saturating_sub(2), ..area };
    1 + canvas.paragraph(inner, line + 1, &job.why, Style::new())
}

/// What was said, with when: the last one is what is said now.
fn moved(trail: &[SaidStart], clock: &WallClock) -> Vec<(String, SaidStart)> {
    trail.iter().map(|one| (clock.moment(one.at, DayWords::Brief), *one)).collect()
}

/// What was said before, the latest first, on the axis of what is said now. Of more than there is room for, some are left out evenly, the
/// first one never.
fn forecasts(
    earlier: &[(String, SaidStart)],
    axis: &TimeAxis,
    canvas: &mut ScreenCanvas<'_>,
    area: Rect,
    line: u16,
) {
    let theme = canvas.theme;
    if line + 1 >= area.height {
        return;
    }
    canvas.text(area, line, "Said before", theme.strong());
    if earlier.is_empty() {
        canvas.text(area, line + 1, "  nothing yet", theme.faint());
        return;
    }
    let room = usize::from(area.height - line - 1);
    let shown = earlier.len().min(room);
    for number in 0..shown {
        let back = match shown {
            1 => 0,
            _ => number * (earlier.len() - 1) / (shown - 1),
        };
        let (told, said) = &earlier[earlier.len() - 1 - back];
        let line = line + 1 + number as u16;
        canvas.text(area, line, told, theme.faint());
        axis.range(canvas, line, said);
    }
}
