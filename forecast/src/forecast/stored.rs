//! Forecasters in files: what one has learned, so that another process need not learn it again.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use twox_hash::XxHash3_128;

use super::answer::WhenSettings;
use super::campaign::CampaignForecaster;
use super::forecaster::{Forecaster, ForecasterState};
use super::pending::PendingForecaster;
use queuecast_core::asking::{Kept, Learning};
use queuecast_core::job::{Ending, Job};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::site::Site;

/// What every stored forecaster begins with.
const MAGIC: [u8; 16] = *b"queuecast learnt";

/// The layout of what follows. Whatever changes it, or what a forecaster learns, changes this number.
const LAYOUT: u32 = 7;

/// The version of the program: another one may have learned otherwise.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Names what a forecaster has learned from: the facts of a log that are known at a moment, and the settings. Equal keys mean equal
/// forecasters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ForecasterKey(u128);

impl fmt::Display for ForecasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A job as it is known at a moment.
#[derive(Serialize)]
struct KnownJob<'a> {
    job: &'a Job,
    /// Whether it is known when it starts, be it later.
    has_start: bool,
    start: Option<Time>,
    run: Option<(Seconds, Ending)>,
}

impl ForecasterKey {
    /// Of the schedule that a log records up to the end of a second. What happens later makes no difference.
    pub fn of(history: &Workload, until: Time, settings: &WhenSettings) -> ForecasterKey {
        let machine = (!history.is_machine_guessed).then_some(history.machine().procs);
        let mut text = encoded(&(LAYOUT, VERSION, ForecasterKey::of_settings(settings), machine));
        for (job, truth) in
            history.jobs().iter().zip(history.truths()).take_while(|(job, _)| job.submit <= until)
        {
            let start = history.starts.get(job.index.at()).copied().unwrap_or(Time::NEVER);
            // A job whose start is unknown is replayed from its submission on.
            let from = if start == Time::NEVER { job.submit } else { start };
            let end = from.0.saturating_add(truth.run().0);
            let known = KnownJob {
                job,
                has_start: start != Time::NEVER,
                start: (start <= until).then_some(start),
                run: (end <= until.0).then(|| (truth.run(), truth.ending)),
            };
            text.extend(encoded(&known));
        }
        for one in history.withdrawn.iter().filter(|one| one.job.submit <= until) {
            text.extend(encoded(&(&one.job, (one.left <= until).then_some(one.left))));
        }
        ForecasterKey(XxHash3_128::oneshot(&text))
    }

    /// As [`ForecasterKey::of`], of a [`PendingForecaster`]: it tries no methods.
    pub fn of_queue(history: &Workload, until: Time, settings: &WhenSettings) -> ForecasterKey {
        ForecasterKey::of(
            history,
            until,
            &WhenSettings { methods: Vec::new(), trials: 0, ..settings.clone() },
        )
    }

    /// As [`ForecasterKey::of_queue`], of a [`CampaignForecaster`].
    pub fn of_campaigns(history: &Workload, until: Time, settings: &WhenSettings) -> ForecasterKey {
        let of_queue = ForecasterKey::of_queue(history, until, settings);
        ForecasterKey(XxHash3_128::oneshot(&encoded(&("campaigns", of_queue.0))))
    }

    /// Of what is kept under a name of its own, learned by these settings; what it has learned from must be told beside it.
    pub fn named(name: &str, settings: &WhenSettings) -> ForecasterKey {
        let of_settings = ForecasterKey::of_settings(settings);
        ForecasterKey(XxHash3_128::oneshot(&encoded(&(LAYOUT, VERSION, of_settings, name))))
    }

    fn of_settings(settings: &WhenSettings) -> impl Serialize + use<> {
        let methods: Vec<String> = settings.methods.iter().map(ToString::to_string).collect();
        (methods, settings.trials, settings.predictor.to_string(), settings.default_request)
    }

    /// What was kept under this key, else what is learned now, which is kept then.
    pub(super) fn recalled<T>(
        self,
        kept: &dyn Kept,
        restored: impl Fn(&[u8], ForecasterKey) -> Result<T, StoredError>,
        learned: impl FnOnce() -> T,
        stored: impl Fn(&T, ForecasterKey) -> Option<Vec<u8>>,
    ) -> T {
        let name = self.to_string();
        if let Some(bytes) = kept.recall(&name) {
            match restored(&bytes, self) {
                Ok(found) => return found,
                Err(error) => kept.refused(&name, &error.to_string()),
            }
        }
        let found = learned();
        if let Some(bytes) = stored(&found, self) {
            kept.keep(&name, &bytes);
        }
        found
    }
}

fn encoded(value: &impl Serialize) -> Vec<u8> {
    // It fails for lists of unknown length only, and there are none.
    postcard::to_stdvec(value).unwrap_or_default()
}

/// Why a stored forecaster is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StoredError {
    /// Another kind of file.
    #[error("it is no stored forecaster")]
    Foreign,
    /// Of another version of the program.
    #[error("it is of another version of queuecast")]
    OtherVersion,
    /// Learned from another log, up to another moment, or by other settings.
    #[error("it has learned from something else")]
    OtherKey,
    /// Cut short, or changed.
    #[error("it is damaged")]
    Damaged,
}

/// What stands before the state: all of a fixed length.
const HEAD: usize = MAGIC.len() + 4 * size_of::<u128>();

/// The parts of the head after the magic: layout and version, the key, the digest of the state, its length.
fn head(key: ForecasterKey, state: &[u8]) -> [u128; 4] {
    let version = XxHash3_128::oneshot(&encoded(&(LAYOUT, VERSION)));
    [version, key.0, XxHash3_128::oneshot(state), state.len() as u128]
}

/// A state behind a head that names its key; `None` where it cannot be stored.
pub fn sealed(state: &impl Serialize, key: ForecasterKey) -> Option<Vec<u8>> {
    let state = postcard::to_stdvec(state).ok()?;
    let mut bytes = Vec::with_capacity(HEAD + state.len());
    bytes.extend(MAGIC);
    head(key, &state).iter().for_each(|part| bytes.extend(part.to_le_bytes()));
    bytes.extend(state);
    Some(bytes)
}

/// The state that was sealed under a key.
///
/// # Errors
/// If it is something else, of another version of the program, or damaged.
pub fn opened<T: DeserializeOwned>(bytes: &[u8], key: ForecasterKey) -> Result<T, StoredError> {
    let (begin, state) = bytes.split_at_checked(HEAD).ok_or(StoredError::Foreign)?;
    let (magic, parts) = begin.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(StoredError::Foreign);
    }
    let expected = head(key, state);
    for (part, (expected, error)) in parts.chunks(size_of::<u128>()).zip(expected.iter().zip([
        StoredError::OtherVersion,
        StoredError::OtherKey,
        StoredError::Damaged,
        StoredError::Damaged,
    ])) {
        if part != expected.to_le_bytes() {
            return Err(error);
        }
    }
    postcard::from_bytes(state).map_err(|_| StoredError::Damaged)
}

impl Forecaster {
    /// All that it has learned, with the site as it is then; `None` where a method or predictor is used that cannot be stored.
    pub fn stored(&self, site: &Site, key: ForecasterKey) -> Option<Vec<u8>> {
        let state = self.state();
        if state.is_stored() { sealed(&(state, site), key) } else { None }
    }

    /// What was stored, under the same key. The settings are those that it learned by.
    ///
    /// # Errors
    /// If it is something else than what was stored under this key by this version of the program.
    pub fn restored(
        bytes: &[u8],
        key: ForecasterKey,
        settings: &WhenSettings,
    ) -> Result<(Forecaster, Site), StoredError> {
        let (state, site): (ForecasterState, Site) = opened(bytes, key)?;
        if !state.has(settings) {
            return Err(StoredError::OtherKey);
        }
        Ok((Forecaster::with(settings, state), site))
    }
}

impl PendingForecaster {
    /// As [`PendingForecaster::of_log`], or as it was kept.
    pub fn recalled(
        history: &Workload,
        until: Time,
        settings: &WhenSettings,
        learning: Learning<'_>,
    ) -> (PendingForecaster, Site) {
        let learned = || PendingForecaster::of_log(history, until, settings, learning.done);
        let Some(kept) = learning.kept else { return learned() };
        ForecasterKey::of_queue(history, until, settings).recalled(
            kept,
            PendingForecaster::restored,
            learned,
            |(forecaster, site), key| forecaster.stored(site, key),
        )
    }

    /// As [`Forecaster::stored`].
    pub fn stored(&self, site: &Site, key: ForecasterKey) -> Option<Vec<u8>> {
        if self.learned().is_stored() { sealed(&(self, site), key) } else { None }
    }

    /// As [`Forecaster::restored`].
    ///
    /// # Errors
    /// If it is something else than what was stored under this key by this version of the program.
    pub fn restored(bytes: &[u8], key: ForecasterKey) -> Result<(PendingForecaster, Site), StoredError> {
        opened(bytes, key)
    }
}

impl CampaignForecaster {
    /// As [`CampaignForecaster::of_log`], or as it was kept.
    pub fn recalled(
        history: &Workload,
        until: Time,
        settings: &WhenSettings,
        learning: Learning<'_>,
    ) -> (CampaignForecaster, Site) {
        let learned = || CampaignForecaster::of_log(history, until, settings, learning.done);
        let Some(kept) = learning.kept else { return learned() };
        ForecasterKey::of_campaigns(history, until, settings).recalled(
            kept,
            CampaignForecaster::restored,
            learned,
            |(forecaster, site), key| forecaster.stored(site, key),
        )
    }

    /// As [`Forecaster::stored`].
    pub fn stored(&self, site: &Site, key: ForecasterKey) -> Option<Vec<u8>> {
        if self.learned().is_stored() { sealed(&(self, site), key) } else { None }
    }

    /// As [`Forecaster::restored`].
    ///
    /// # Errors
    /// If it is something else than what was stored under this key by this version of the program.
    pub fn restored(bytes: &[u8], key: ForecasterKey) -> Result<(CampaignForecaster, Site), StoredError> {
        opened(bytes, key)
    }
}
