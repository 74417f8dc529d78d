//! The experts, by name.

/// How many experts there are.
pub(super) const COUNT: usize = EXPERTS.len();

/// What each of the experts says, in the order of [`EXPERTS`], in seconds.
pub(super) type Values = [f64; COUNT];

/// What the experts are called: first the median and the last run time of the jobs alike in each sense, then the others.
pub const EXPERTS: [&str; 38] = [
    "median of user, executable, processors, request",
    "last of user, executable, processors, request",
    "median of user, processors, request",
    "last of user, processors, request",
    "median of user, request",
    "last of user, request",
    "median of user",
    "last of user",
    "median of user, executable",
    "last of user, executable",
    "median of user, processors",
    "last of user, processors",
    "median of user, queue",
    "last of user, queue",
    "median of request",
    "last of request",
    "median of user, request, gap",
    "last of user, request, gap",
    "median of processors, request, queue",
    "last of processors, request, queue",
    "mean of the user's last two",
    "request",
    "share of the request usual in the queue",
    "10 % of user, request",
    "90 % of user, request",
    "age of the user's running jobs with this request",
    "neighbours: 30 %",
    "neighbours: median",
    "neighbours: 70 %",
    "loose neighbours: 30 %",
    "loose neighbours: median",
    "loose neighbours: 70 %",
    "strict neighbours: 30 %",
    "strict neighbours: median",
    "strict neighbours: 70 %",
    "latest neighbours: 30 %",
    "latest neighbours: median",
    "latest neighbours: 70 %",
];

/// The places of the experts after those of likenesses.
pub(super) const LAST_TWO: usize = 20;
pub(super) const REQUEST: usize = 21;
pub(super) const SHARE: usize = 22;
pub(super) const LOW: usize = 23;
pub(super) const HIGH: usize = 24;
pub(super) const AGE: usize = 25;
pub(super) const NEIGHBOURS: usize = 26;

/// What an expert says of a job, and how much that counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpertOpinion {
    /// One of [`EXPERTS`].
    pub expert: &'static str,
    /// The run time in seconds.
    pub run: f64,
    /// Its weight under logarithmic and under absolute loss; those of all experts add up to 1.
    pub weights: [f64; 2],
}
