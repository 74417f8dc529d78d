//! The form of a store, and how an older one is brought up to date. Written for SQLite, with the words of PostgreSQL in their place.

use super::StoreError;

/// Marks a file as a store of ours.
pub(super) const APPLICATION: i64 = 0x5143_4153;

/// The form that is known here.
pub(super) const FORM: i64 = STEPS.len() as i64;

/// Steps from one form to the next. A store of form `n` has had the first `n` of them.
const STEPS: [&str; 5] = ["
    CREATE TABLE cluster (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        history_until INTEGER
    ) STRICT;
    -- A look at a site. `passing` is what changes by itself of its queue, compressed; `nodes` names the text of its nodes.
    CREATE TABLE look (
        cluster INTEGER NOT NULL,
        number INTEGER NOT NULL,
        at INTEGER NOT NULL,
        passing BLOB NOT NULL,
        nodes INTEGER NOT NULL,
        PRIMARY KEY (cluster, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX look_at ON look (cluster, at, number);
    -- What sinfo printed, compressed, from the look on whose number it has until there is another one.
    CREATE TABLE nodes (
        cluster INTEGER NOT NULL,
        look INTEGER NOT NULL,
        text BLOB NOT NULL,
        PRIMARY KEY (cluster, look)
    ) STRICT, WITHOUT ROWID;
    -- A line of the queue, with the looks that saw it first and last; the last look is unknown while it is still there.
    CREATE TABLE queued (
        cluster INTEGER NOT NULL,
        first INTEGER NOT NULL,
        job TEXT NOT NULL,
        last INTEGER,
        line TEXT NOT NULL,
        PRIMARY KEY (cluster, first, job)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX queued_last ON queued (cluster, last);
    CREATE TABLE failure (
        cluster INTEGER NOT NULL,
        at INTEGER NOT NULL,
        -- How many looks there were before it.
        after INTEGER NOT NULL,
        why TEXT NOT NULL,
        PRIMARY KEY (cluster, at, why)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE titles (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
    -- A row of accounting.
    CREATE TABLE job (
        cluster INTEGER NOT NULL,
        id INTEGER NOT NULL,
        submit INTEGER NOT NULL,
        -- As it is shown, while it has not ended.
        open TEXT,
        titles INTEGER NOT NULL,
        row TEXT NOT NULL,
        PRIMARY KEY (cluster, id, submit)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX job_open ON job (cluster, submit) WHERE open IS NOT NULL;
", "
    -- What was learned up to a moment, in parts.
    CREATE TABLE learned (
        cluster INTEGER NOT NULL,
        until INTEGER NOT NULL,
        name TEXT NOT NULL,
        state BLOB NOT NULL,
        UNIQUE (cluster, until, name)
    ) STRICT;
    -- What was said of a waiting job at a look, in seconds from then; when it started or left the queue, once that is known.
    CREATE TABLE forecast (
        cluster INTEGER NOT NULL,
        job TEXT NOT NULL,
        at INTEGER NOT NULL,
        submit INTEGER NOT NULL,
        partition TEXT NOT NULL,
        procs INTEGER NOT NULL,
        ahead INTEGER NOT NULL,
        low REAL NOT NULL,
        median REAL NOT NULL,
        high REAL NOT NULL,
        -- What Slurm expected, as a Unix time.
        slurm INTEGER,
        -- Quantiles of the last waits.
        past_low REAL,
        past_median REAL,
        past_high REAL,
        started INTEGER,
        withdrawn INTEGER,
        PRIMARY KEY (cluster, job, at)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX forecast_open ON forecast (cluster, job) WHERE started IS NULL AND withdrawn IS NULL;
    CREATE INDEX forecast_at ON forecast (cluster, at);
    CREATE INDEX queued_job ON queued (cluster, job);
", "
    -- The range as it was before it was widened, if it was.
    ALTER TABLE forecast ADD COLUMN unwidened_low REAL;
    ALTER TABLE forecast ADD COLUMN unwidened_high REAL;
", "
    -- A text that describes a site, compressed, from a moment on until there is another one of its name; an empty one: it is gone.
    CREATE TABLE site_text (
        cluster INTEGER NOT NULL,
        name TEXT NOT NULL,
        first INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (cluster, name, first)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE cluster ADD COLUMN texts_kept INTEGER;
    -- What was computed of the waiting jobs of a look.
    CREATE TABLE starts (
        cluster INTEGER NOT NULL,
        look INTEGER NOT NULL,
        state BLOB NOT NULL,
        UNIQUE (cluster, look)
    ) STRICT;
    CREATE INDEX job_submit ON job (cluster, submit);
", "
    -- Decisions of the site beside those of its scheduler simulated: of an hour, by what jobs are grouped by, and by group.
    CREATE TABLE shadow (
        cluster INTEGER NOT NULL,
        hour INTEGER NOT NULL,
        sort TEXT NOT NULL,
        name TEXT NOT NULL,
        intervals INTEGER NOT NULL,
        same_start INTEGER NOT NULL,
        other_nodes INTEGER NOT NULL,
        sooner INTEGER NOT NULL,
        later INTEGER NOT NULL,
        waited INTEGER NOT NULL,
        passed_over INTEGER NOT NULL,
        PRIMARY KEY (cluster, hour, sort, name)
    ) STRICT, WITHOUT ROWID;
    -- The last decisions that are not alike.
    CREATE TABLE shadow_miss (
        cluster INTEGER NOT NULL,
        at INTEGER NOT NULL,
        job TEXT NOT NULL,
        partition TEXT NOT NULL,
        verdict TEXT NOT NULL,
        started INTEGER,
        simulated INTEGER,
        PRIMARY KEY (cluster, at, job)
    ) STRICT, WITHOUT ROWID;
    -- Up to when decisions have been or are being compared, and up to when they are counted.
    ALTER TABLE cluster ADD COLUMN shadow_begun INTEGER;
    ALTER TABLE cluster ADD COLUMN shadow_until INTEGER;
"];

/// The steps that a store of a form lacks.
pub(super) fn missing(form: i64, may_write: bool) -> Result<&'static [&'static str], StoreError> {
    match form {
        FORM => Ok(&[]),
        newer if newer > FORM => Err(StoreError::Newer { found: newer, known: FORM }),
        older if !may_write => Err(StoreError::Older { found: older, known: FORM }),
        older => Ok(&STEPS[older.max(0) as usize..]),
    }
}

/// A step in the words of PostgreSQL. Texts are ordered by their bytes, as SQLite does.
pub(super) fn of_postgres(step: &str) -> String {
    let words = [
        (" STRICT, WITHOUT ROWID", ""),
        (" STRICT", ""),
        (" INTEGER PRIMARY KEY", " BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
        (" INTEGER", " BIGINT"),
        (" REAL", " DOUBLE PRECISION"),
        (" BLOB", " BYTEA"),
        (" TEXT", " TEXT COLLATE \"C\""),
    ];
    words.iter().fold(step.to_owned(), |step, (from, to)| step.replace(from, to))
}
