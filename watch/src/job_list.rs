//! The list of waiting jobs: which are shown, in which order, and which one is chosen.

use queuecast_place::{PendingAnswer, PendingJob};

use super::columns::WatchColumn;

/// The list.
#[derive(Debug)]
pub struct ShownJobs {
    /// The jobs that are shown, by their places in the answer.
    shown: Vec<usize>,
    /// The chosen one, by its place among those shown.
    chosen: usize,
    /// The first one on the screen.
    first: usize,
    /// How many the screen has room for.
    room: usize,
    /// The column that they are sorted by; as answered without one.
    pub sort: Option<WatchColumn>,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// A text that user, job or partition must have.
    pub filter: String,
    /// The only partition that is shown.
    pub partition: Option<String>,
    /// The columns, and whether they are shown.
    pub columns: [(WatchColumn, bool); WatchColumn::ALL.len()],
}

impl ShownJobs {
    /// Without jobs.
    pub fn new() -> ShownJobs {
        ShownJobs {
            shown: Vec::new(),
            chosen: 0,
            first: 0,
            room: 1,
            sort: None,
            reversed: false,
            filter: String::new(),
            partition: None,
            columns: WatchColumn::ALL.map(|column| (column, true)),
        }
    }

    fn has(&self, job: &PendingJob) -> bool {
        let wanted = self.filter.to_lowercase();
        let says = |text: Option<&String>| text.is_some_and(|text| text.to_lowercase().contains(&wanted));
        let in_partition = self.partition.as_ref().is_none_or(|name| {
            job.partition.as_ref().is_some_and(|names| names.split(',').any(|one| one == name))
        });
        in_partition
            && (wanted.is_empty()
                || says(Some(&job.job))
                || says(job.user.as_ref())
                || says(job.partition.as_ref()))
    }

    /// Chooses and sorts the jobs anew; one's own first. The chosen job stays so, if it is still there.
    pub fn arrange(&mut self, answer: &PendingAnswer, chosen: Option<&str>) {
        let jobs = &answer.jobs;
        self.shown = (0..jobs.len()).filter(|&place| self.has(&jobs[place])).collect();
        if let Some(column) = self.sort {
            let reversed = self.reversed;
            self.shown.sort_by(|&one, &other| {
                let (one, other) = (&jobs[one], &jobs[other]);
                let order = column.order(one, other);
                let order = if reversed { order.reverse() } else { order };
                other.own.cmp(&one.own).then(order)
            });
        } else if self.reversed {
            self.shown.reverse();
            self.shown.sort_by_key(|&place| !jobs[place].own);
        }
        let found = chosen.and_then(|name| self.shown.iter().position(|&place| jobs[place].job == name));
        self.choose(found.unwrap_or(self.chosen));
    }

    fn choose(&mut self, place: usize) {
        self.chosen = place.min(self.shown.len().saturating_sub(1));
        // The chosen one is on the screen, and no line of it is left empty that could have a job.
        let last_first = self.shown.len().saturating_sub(self.room);
        self.first = self.first.min(self.chosen).max((self.chosen + 1).saturating_sub(self.room));
        self.first = self.first.min(last_first);
    }

    /// Moves the choice by a number of jobs, down or up.
    pub fn go(&mut self, by: isize) {
        self.choose(self.chosen.saturating_add_signed(by));
    }

    /// Moves the choice down by a screen, or up.
    pub fn go_page(&mut self, pages: isize) {
        self.go(pages.saturating_mul(self.room.max(1) as isize));
    }

    /// How many jobs the screen has room for.
    pub fn set_room(&mut self, room: usize) {
        self.room = room.max(1);
        self.choose(self.chosen);
    }

    /// How many jobs are shown, on the screen or beyond it.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// The chosen job.
    pub fn chosen<'a>(&self, answer: &'a PendingAnswer) -> Option<&'a PendingJob> {
        answer.jobs.get(*self.shown.get(self.chosen)?)
    }

    /// The jobs on the screen, each with whether it is chosen.
    pub fn on_screen<'a>(
        &'a self,
        answer: &'a PendingAnswer,
    ) -> impl Iterator<Item = (&'a PendingJob, bool)> + 'a {
        let places = (self.first..self.shown.len()).take(self.room);
        places.map(|place| (&answer.jobs[self.shown[place]], place == self.chosen))
    }

    /// The place of the first job on the screen, from 1, and of the last one.
    pub fn span(&self) -> (usize, usize) {
        (self.first + 1, (self.first + self.room).min(self.shown.len()))
    }

    /// Sorts by the next column that is shown; after the last one as answered.
    pub fn sort_by_next(&mut self) {
        let mut columns = self.columns.iter().filter(|one| one.1).map(|one| one.0);
        self.sort = match self.sort {
            None => columns.next(),
            Some(last) => columns.skip_while(|&one| one != last).nth(1),
        };
    }

    /// Shows the next partition alone; after the last one all.
    pub fn next_partition(&mut self, answer: &PendingAnswer) {
        let mut names: Vec<&str> = answer
            .jobs
            .iter()
            .filter_map(|job| job.partition.as_deref())
            .flat_map(|names| names.split(','))
            .collect();
        names.sort_unstable();
        names.dedup();
        let next = match &self.partition {
            None => names.first(),
            Some(name) => names.iter().find(|one| **one > name.as_str()),
        };
        self.partition = next.map(|name| (*name).to_owned());
    }
}
