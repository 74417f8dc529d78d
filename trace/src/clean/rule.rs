//! The cleaning rules: name, description, field and possible actions of each.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::record::Field;

/// Declares a fieldless enum whose members have kebab-case names.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($(#[$member_doc:meta])* $member:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$member_doc])* $member),+ }

        impl $type {
            /// All of them.
            pub const ALL: &[$type] = &[$($type::$member),+];

            /// Its name in rulesets and reports.
            pub fn name(self) -> &'static str {
                match self { $($type::$member => $name),+ }
            }

            /// The one of this name.
            pub fn from_name(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|one| one.name() == name)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

named! {
    /// A cleaning rule: a condition to look for in a log.
    Rule {
        /// The line cannot be read as a record.
        Malformed = "malformed",
        /// A step of a job (`123.batch`).
        Step = "step",
        /// A repeated header line.
        RepeatedHeader = "repeated-header",
        /// A repeated row, as in overlapping dumps.
        DuplicateRow = "duplicate-row",
        /// A job of another cluster than the one asked for.
        OtherCluster = "other-cluster",
        /// A job whose cluster is not known.
        ClusterMissing = "cluster-missing",
        /// A line of column names above the records.
        ColumnNames = "column-names",
        /// Columns separated by semicolons.
        Semicolons = "semicolons",
        /// Several preceding jobs.
        PrecedingList = "preceding-list",
        /// Names instead of numbers of users, queues and so on.
        IdentityNames = "identity-names",
        /// A delimiter or a line end within a name.
        SplitName = "split-name",
        /// No column that says how jobs ended.
        StateMissing = "state-missing",
        /// A run time that Slurm could not tell.
        ElapsedInvalid = "elapsed-invalid",
        /// More columns than the format has.
        ExtraColumns = "extra-columns",
        /// A fraction where a whole number belongs.
        Fraction = "fraction",
        /// Eligible later than submitted.
        Eligible = "eligible",
        /// Local times without a zone.
        LocalTime = "local-time",
        /// A local time that happened twice.
        DstFold = "dst-fold",
        /// A local time that never happened.
        DstGap = "dst-gap",
        /// A component of a heterogeneous job.
        HetComponent = "het-component",
        /// A job that was requeued and ran again.
        Incarnation = "incarnation",
        /// A job that was suspended for a while.
        Suspended = "suspended",
        /// Pending or running when the log was taken.
        Unfinished = "unfinished",
        /// One of several executions of a job.
        PartialExecution = "partial-execution",
        /// A partial execution without a line that sums up its job.
        PartialAlone = "partial-alone",
        /// No job number.
        JobNumberMissing = "job-number-missing",
        /// No submit time.
        SubmitMissing = "submit-missing",
        /// No run time.
        RunMissing = "run-missing",
        /// A time so large that sums would overflow.
        TimeRange = "time-range",
        /// A run time of zero.
        RunZero = "run-zero",
        /// Which processor count is the job's.
        Processors = "processors",
        /// Requested and allocated processors differ.
        ProcessorsDiffer = "processors-differ",
        /// No processor count.
        ProcessorsMissing = "processors-missing",
        /// Larger than the machine.
        TooLarge = "too-large",
        /// No requested time.
        RequestMissing = "request-missing",
        /// Ran longer than requested.
        RunAboveRequest = "run-above-request",
        /// A status the format does not define.
        StatusUnknown = "status-unknown",
        /// A user, group or other number that does not fit into 32 bits.
        IdentifierRange = "identifier-range",
        /// Submitted before the record above it.
        SubmitUnordered = "submit-unordered",
        /// Order among jobs submitted in the same second.
        Ties = "ties",
        /// A job number that several jobs have.
        DuplicateJob = "duplicate-job",
    }
}

named! {
    /// What a rule does to a record it fires on.
    Action {
        /// Nothing; it is counted.
        Keep = "keep",
        /// Removes it.
        Drop = "drop",
        /// Reduces its processors to the machine's.
        Cap = "cap",
        /// Shortens its run to the request.
        Cut = "cut",
        /// Counts it as one second.
        OneSecond = "one-second",
        /// Takes the run time as the request: a leak of the future.
        Run = "run",
        /// Requested processors, else allocated ones.
        Requested = "requested",
        /// Allocated processors, else requested ones.
        Allocated = "allocated",
        /// Allocated processors; without them, a record is removed.
        Held = "held",
        /// Allocated processors in accounting records, requested ones in SWF; else the other.
        ByFormat = "format",
        /// Waiting counts from eligibility.
        UseEligible = "eligible",
        /// Waiting counts from submission.
        UseSubmit = "submit",
        /// Rounds to the nearest whole number.
        Round = "round",
        /// Takes the earlier of the two instants.
        Earlier = "earlier",
        /// Takes the instant as if clocks had not been changed.
        Later = "later",
        /// Joins the pieces again.
        Rejoin = "rejoin",
        /// Takes it as completed, or as cancelled where it never started.
        Completed = "completed",
        /// Takes the time between start and end.
        Between = "end-minus-start",
        /// Takes the line number.
        Line = "line",
        /// Takes the field as unknown.
        Forget = "unknown",
        /// Numbers all identities of the column in the order of appearance.
        Renumber = "renumber",
        /// Sorts by submit time.
        Sort = "sort",
        /// In the order of the log.
        ByLog = "log",
        /// In the order of job numbers.
        ByNumber = "number",
    }
}

/// What happened to the records a rule fired on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Kept as they are.
    Kept,
    /// Kept, with one column or order of the log chosen over another.
    Chosen,
    /// Kept, altered.
    Changed,
    /// Not among the jobs.
    Removed,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Effect::Kept => "kept",
            Effect::Chosen => "chosen",
            Effect::Changed => "changed",
            Effect::Removed => "removed",
        })
    }
}

impl Action {
    /// The effect on a record. Choosing between two columns, or an order among ties, changes no value.
    pub fn effect(self) -> Effect {
        match self {
            Action::Drop | Action::Held => Effect::Removed,
            Action::Keep | Action::Renumber | Action::Rejoin => Effect::Kept,
            Action::Requested
            | Action::Allocated
            | Action::ByFormat
            | Action::UseEligible
            | Action::UseSubmit
            | Action::Completed
            | Action::Between
            | Action::ByLog
            | Action::ByNumber => Effect::Chosen,
            _ => Effect::Changed,
        }
    }
}

impl Rule {
    /// Its description, as printed in reports.
    pub fn description(self) -> &'static str {
        match self {
            Rule::Malformed => "the line cannot be read as a record",
            Rule::Step => "a step of a job, not a job",
            Rule::RepeatedHeader => "the header line again, as where dumps were joined",
            Rule::DuplicateRow => "the same run of the same job again, as where dumps overlap",
            Rule::OtherCluster => "a job of another cluster than --cluster names",
            Rule::ClusterMissing => "no cluster in the Cluster column; taken for the cluster that is read",
            Rule::ColumnNames => "column names, not a record; the columns are taken in the format's order",
            Rule::Semicolons => "columns separated by semicolons instead of blanks",
            Rule::PrecedingList => "several preceding jobs (1&2&3); the field is taken as unknown",
            Rule::IdentityNames => {
                "names of users, queues and so on instead of numbers; numbered by appearance"
            }
            Rule::SplitName => {
                "a delimiter or a line end within a name or comment; the pieces are joined, but the last column ends at a line end"
            }
            Rule::StateMissing => "no State column; a job that ran counts as completed",
            Rule::ElapsedInvalid => {
                "no readable run time; the time between Start and End is taken, if End is known"
            }
            Rule::ExtraColumns => "more than 18 columns; the rest is ignored",
            Rule::Fraction => "a fraction in a column of whole numbers",
            Rule::Eligible => "became eligible at another time than submitted",
            Rule::LocalTime => "local times, read as UTC; name another zone with --time-zone",
            Rule::DstFold => "a local time that happened twice, when clocks went back",
            Rule::DstGap => "a local time that never happened, when clocks went forward",
            Rule::HetComponent => "a component of a heterogeneous job, taken as a job of its own",
            Rule::Incarnation => "the same job again, after it was requeued",
            Rule::Suspended => "was suspended; its run time leaves that out",
            Rule::Unfinished => "had not ended when the log was taken",
            Rule::PartialExecution => "a partial execution of the job summed up above (status 2, 3 or 4)",
            Rule::PartialAlone => "status 2, 3 or 4 without a line above that sums the job up",
            Rule::JobNumberMissing => "no job number",
            Rule::SubmitMissing => "no submit time",
            Rule::RunMissing => "no run time: it never ran",
            Rule::TimeRange => "a submit, run or requested time beyond 10^15 seconds",
            Rule::RunZero => "a run time of zero",
            Rule::Processors => "the preferred processor count is not known",
            Rule::ProcessorsDiffer => "requested and allocated processors differ",
            Rule::ProcessorsMissing => "no processor count",
            Rule::TooLarge => "more processors than the machine has",
            Rule::RequestMissing => "no requested time",
            Rule::RunAboveRequest => "ran longer than it had requested",
            Rule::StatusUnknown => "a status that the format does not define; how it ended is unknown",
            Rule::IdentifierRange => {
                "a number beyond 32 bits; jobs number that column by order of appearance, names keep the numbers"
            }
            Rule::SubmitUnordered => "submitted before a record above it",
            Rule::Ties => "submitted in the same second as a job above it that has a higher number",
            Rule::DuplicateJob => "a job number that a job above has, too",
        }
    }

    /// The field it looks at; `None` for the line as a whole.
    pub fn field(self) -> Option<Field> {
        match self {
            Rule::Malformed | Rule::Step | Rule::ExtraColumns | Rule::Fraction => None,
            Rule::RepeatedHeader | Rule::DuplicateRow | Rule::OtherCluster | Rule::ClusterMissing => None,
            Rule::ColumnNames | Rule::Semicolons | Rule::IdentityNames | Rule::SplitName => None,
            Rule::PrecedingList => Some(Field::PrecedingJob),
            Rule::StateMissing => Some(Field::Status),
            Rule::ElapsedInvalid => Some(Field::Run),
            Rule::HetComponent | Rule::Incarnation | Rule::JobNumberMissing => Some(Field::Job),
            Rule::Ties | Rule::DuplicateJob => Some(Field::Job),
            Rule::Eligible | Rule::LocalTime | Rule::DstFold | Rule::DstGap => Some(Field::Submit),
            Rule::SubmitMissing | Rule::SubmitUnordered | Rule::TimeRange => Some(Field::Submit),
            Rule::RunMissing | Rule::RunZero | Rule::RunAboveRequest | Rule::Suspended => Some(Field::Run),
            Rule::Processors | Rule::ProcessorsDiffer => Some(Field::RequestedProcs),
            Rule::ProcessorsMissing | Rule::TooLarge => Some(Field::RequestedProcs),
            Rule::RequestMissing => Some(Field::RequestedTime),
            Rule::Unfinished | Rule::PartialExecution | Rule::PartialAlone => Some(Field::Status),
            Rule::StatusUnknown => Some(Field::Status),
            Rule::IdentifierRange => Some(Field::User),
        }
    }

    /// The possible actions: first that of `-rule`, then that of `+rule`. A rule with one action cannot be changed.
    pub fn actions(self) -> &'static [Action] {
        match self {
            Rule::Malformed | Rule::Step | Rule::Unfinished | Rule::TimeRange => &[Action::Drop],
            Rule::SubmitMissing | Rule::RunMissing | Rule::ProcessorsMissing => &[Action::Drop],
            Rule::RepeatedHeader | Rule::OtherCluster | Rule::ColumnNames => &[Action::Drop],
            Rule::Semicolons | Rule::ClusterMissing => &[Action::Keep],
            Rule::IdentityNames => &[Action::Renumber],
            Rule::PrecedingList => &[Action::Forget],
            Rule::SplitName => &[Action::Rejoin],
            Rule::StateMissing => &[Action::Completed],
            Rule::ElapsedInvalid => &[Action::Between],
            Rule::DuplicateRow => &[Action::Keep, Action::Drop],
            Rule::ExtraColumns | Rule::HetComponent | Rule::Incarnation | Rule::Suspended => &[Action::Keep],
            Rule::PartialAlone | Rule::StatusUnknown | Rule::DuplicateJob => &[Action::Keep],
            Rule::ProcessorsDiffer | Rule::LocalTime => &[Action::Keep],
            Rule::Fraction => &[Action::Round],
            Rule::Eligible => &[Action::UseSubmit, Action::UseEligible],
            Rule::DstFold => &[Action::Earlier],
            Rule::DstGap => &[Action::Later],
            Rule::PartialExecution => &[Action::Keep, Action::Drop],
            Rule::JobNumberMissing => &[Action::Line],
            Rule::RunZero => &[Action::Keep, Action::OneSecond, Action::Drop],
            Rule::Processors => &[Action::Requested, Action::Allocated, Action::ByFormat, Action::Held],
            Rule::TooLarge => &[Action::Drop, Action::Cap],
            Rule::RequestMissing => &[Action::Keep, Action::Drop, Action::Run],
            Rule::RunAboveRequest => &[Action::Keep, Action::Cut],
            Rule::IdentifierRange => &[Action::Renumber],
            Rule::SubmitUnordered => &[Action::Sort],
            Rule::Ties => &[Action::ByLog, Action::ByNumber],
        }
    }

    pub(super) fn at(self) -> usize {
        self as usize
    }
}
