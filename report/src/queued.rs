//! When a job that already waits starts, as text and rows.

use crate::pending::{job_rows, record, start_sentence, unreliable};
use crate::words::number_of;
use crate::{Answer, Cell, Column, Document, Table, date, duration, words};
use queuecast_place::{QueuedAnswer, StartWhy};

impl Answer for QueuedAnswer {
    fn document(&self) -> Document {
        let job = &self.job;
        let mut lines: Vec<String> = self.queue.iter().filter_map(|queue| unreliable(queue, false)).collect();
        lines.push(start_sentence(job));
        // Where it starts only in some simulations, there is no such time.
        let latest = job.start.as_ref().filter(|start| start.p90 >= words::AT_ONCE && job.never == 0.0);
        if let Some(start) = latest {
            let at = self.epoch.and_then(|epoch| {
                date::second(epoch + self.moment.time.0 + start.p90.round() as i64, &self.zone)
            });
            let at = at.map_or_else(String::new, |at| format!(" ({at})"));
            lines.push(format!("At the latest, nine times in ten: {}{at}.", duration::about(start.p90)));
        }
        lines.push(format!("It waits for {}.", job.why));
        let waited = job.waited.map_or_else(String::new, |waited| {
            format!("; it has waited for {}", duration::about(waited.0 as f64))
        });
        let user = job.user.as_ref().map_or_else(String::new, |user| format!(" of user {user}"));
        let place = job.place.map_or_else(String::new, |place| format!("; place {place} in the order"));
        lines.push(format!(
            "Job {}{user}: {}{waited}{place}.",
            job.job,
            words::asked(job.asked.procs, job.asked.time)
        ));
        let mut document = Document::new().with_paragraph(lines.join("\n"));
        if let Some(why) = &self.blockers {
            document = with_blockers(document, "", why);
        }
        match &self.queue {
            Some(queue) => document.with_paragraph(record(queue, false)),
            None => document,
        }
    }

    fn table(&self) -> Table {
        job_rows([&self.job])
    }
}

/// Rows of the table of what was left out, at most.
const ROWS: usize = 8;

/// What keeps a job from starting, after the answer. `place` is said where there are several: " in batch".
pub(crate) fn with_blockers(document: Document, place: &str, why: &StartWhy) -> Document {
    let mut table = Table::of(
        why.tried.iter().take(ROWS),
        [
            (Column::text("without").naming(), |one| (&one.what).into()),
            (Column::integer("processors"), |one| {
                Cell::Integer(i64::try_from(one.procs).unwrap_or(i64::MAX))
            }),
            (Column::duration("simulated start").key("median").spare(1), |one| {
                one.median.map(Cell::duration).into()
            }),
            (Column::duration("sooner by"), |one| one.gain.map(Cell::duration).into()),
            (Column::share("in simulations"), |one| Cell::share(one.sooner)),
            (Column::text("matters"), |one| (if one.matters { "yes" } else { "no" }).into()),
        ],
    )
    .titled(format!("What keeps it from starting{place}"));
    let starts = match why.median {
        Some(median) if median < words::AT_ONCE => "it starts at once".to_owned(),
        Some(median) => format!("it starts in {}", words::wait(median)),
        None => "it starts in fewer than half of them".to_owned(),
    };
    table.note(format!(
        "{} simulations of each case with the same random numbers, of the queue alone: with all jobs {starts} there; the answer above also counts how such jobs fared before",
        why.draws
    ));
    table.note(
        "matters: sooner by more than a minute and a tenth of the simulated wait, in six of ten simulations or more",
    );
    if why.tried.len() > ROWS {
        table.note(format!("the first {ROWS} of {}; JSON has all", number_of(why.tried.len(), "case")));
    }
    document.with_paragraph(why.sentence.clone()).with_table(format!("blockers{place}"), table)
}
