//! Moments along a line.

use queuecast_core::units::Time;
use ratatui_core::layout::Rect;

use super::canvas::{ScreenCanvas, width};
use crate::clock::{DayWords, WallClock};
use crate::trail::SaidStart;

/// An axis from one moment to another, across an area.
#[derive(Debug, Clone, Copy)]
pub struct TimeAxis {
    from: Time,
    to: Time,
    area: Rect,
}

/// Seconds between two marks, one of these.
const STEPS: [i64; 13] =
    [60, 300, 600, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_419_200];

/// Columns between two marks at least.
const APART: i64 = 14;

impl TimeAxis {
    /// An axis that has now and all that was said.
    pub fn of(now: Time, said: &[SaidStart], area: Rect) -> TimeAxis {
        let low = said.iter().map(|one| one.low).min().unwrap_or(now).min(now);
        let high = said.iter().map(|one| one.high).max().unwrap_or(now).max(now);
        // A range of a moment has some width too.
        TimeAxis { from: low, to: high.max(Time(low.0.saturating_add(600))), area }
    }

    /// The column of a moment, from the left of the area.
    fn column(&self, at: Time) -> u16 {
        let last = f64::from(self.area.width.saturating_sub(1));
        let share = (at - self.from).0 as f64 / ((self.to - self.from).0.max(1)) as f64;
        (share.clamp(0.0, 1.0) * last).round() as u16
    }

    /// Draws a range into a line of the area, with its median.
    pub fn range(&self, canvas: &mut ScreenCanvas<'_>, line: u16, said: &SaidStart) {
        let theme = canvas.theme;
        let [low, high, median] = [said.low, said.high, said.median].map(|at| self.column(at));
        let [begin, inside, middle, end] = theme.range();
        let y = self.area.y + line;
        if line >= self.area.height {
            return;
        }
        let bar = Rect { x: self.area.x + low, y, width: high.saturating_sub(low) + 1, height: 1 };
        canvas.fill(bar, inside, theme.bar());
        let mut mark = |column: u16, letter: char, style| {
            canvas.buffer[(self.area.x + column, y)].set_char(letter).set_style(style);
        };
        mark(low, begin, theme.bar());
        mark(high, end, theme.bar());
        mark(median, middle, theme.median());
    }

    /// Draws marks at round moments, in two lines of the area: a mark, and below it which moment it is.
    pub fn marks(&self, canvas: &mut ScreenCanvas<'_>, line: u16, clock: &WallClock) {
        let theme = canvas.theme;
        let span = (self.to - self.from).0.max(1);
        let most = (i64::from(self.area.width) / APART).max(1);
        let step = STEPS.into_iter().find(|step| span / step <= most).unwrap_or(STEPS[STEPS.len() - 1]);
        let rule = Rect { y: self.area.y + line, height: 1, ..self.area };
        if line + 1 >= self.area.height {
            return;
        }
        canvas.fill(rule, theme.rule(), theme.faint());
        let mut free = 0;
        for at in clock.round_moments(self.from, self.to, step) {
            let told = clock.moment(at, DayWords::Brief);
            let (column, wide) = (self.column(at), width(&told) as u16);
            let begin = column.saturating_sub(wide / 2).min(self.area.width.saturating_sub(wide));
            if begin < free {
                continue;
            }
            canvas.buffer[(self.area.x + column, rule.y)].set_char(theme.tick());
            canvas.text_at(self.area, (begin, line + 1), &told, theme.faint());
            free = begin + wide + 2;
        }
    }
}
