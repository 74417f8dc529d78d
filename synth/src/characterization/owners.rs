//! Users of each estimate, and owners: users of estimates that no other user has (section 4, Figure 4).

use queuecast_core::order;
use serde::Serialize;

use super::Modes;
use queuecast_core::stats::Percentiles;
use queuecast_core::workload::Workload;

/// The users who own modes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Owners {
    /// Modes used by a single known user. A mode of a job without a known user is not owned.
    pub owned: u64,
    /// Their share of all modes.
    pub owned_share: f64,
    /// The owners by number of modes, descending; ties by user number (Figure 4 from the right).
    pub owners: Vec<Owner>,
    /// Distinct estimates per user, over the users with estimates.
    pub estimates_per_user: Percentiles,
}

/// A user who owns modes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Owner {
    /// The log's number.
    pub user: u32,
    /// The user's name, where the log has names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of modes that only this user has.
    pub modes: u64,
    /// Their share of all modes.
    pub share: f64,
    /// Number of jobs with them.
    pub jobs: u64,
}

impl Owners {
    /// The owners of a workload's modes; `None` if no job has both a user and an estimate.
    pub fn of(workload: &Workload) -> Option<Owners> {
        let modes = Modes::of(workload);
        Some(Owners::among(workload, &modes, &ModeUsers::of(workload, &modes)?))
    }

    /// The owners, given modes and their users computed already.
    pub(super) fn among(workload: &Workload, modes: &Modes, askers: &ModeUsers) -> Owners {
        let owned = askers.owner.iter().zip(modes.by_time());
        let mut owning: Vec<(u32, u64)> =
            owned.filter_map(|(owner, mode)| owner.map(|user| (user, mode.jobs))).collect();
        owning.sort_unstable();
        let all = modes.len() as f64;
        let mut owners: Vec<Owner> = owning
            .chunk_by(|a, b| a.0 == b.0)
            .map(|own| Owner {
                user: own[0].0,
                name: workload.names.users.get(&own[0].0).cloned(),
                modes: own.len() as u64,
                share: own.len() as f64 / all,
                jobs: own.iter().map(|&(_, jobs)| jobs).sum(),
            })
            .collect();
        order::sort_by_key(&mut owners, |owner| std::cmp::Reverse(owner.modes));
        Owners {
            owned: owning.len() as u64,
            owned_share: owning.len() as f64 / all,
            owners,
            estimates_per_user: askers.estimates_per_user.clone(),
        }
    }
}

/// The users of each mode; modes in order of their times.
pub(super) struct ModeUsers {
    /// Number of known users.
    pub users: Vec<u32>,
    /// The only user, if there is only one and no job of an unknown user.
    pub owner: Vec<Option<u32>>,
    /// Modes per user.
    pub estimates_per_user: Percentiles,
}

impl ModeUsers {
    /// `None` if no job has both a user and an estimate.
    pub fn of(workload: &Workload, modes: &Modes) -> Option<ModeUsers> {
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(workload.len());
        let mut unknown = vec![false; modes.len()];
        for job in workload.jobs() {
            let Some(place) = job.shape.limit.and_then(|limit| modes.place(limit)) else { continue };
            match job.user {
                // No workload has more modes than jobs, nor more jobs than 2^32.
                Some(user) => pairs.push((place as u32, user.number())),
                None => unknown[place] = true,
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut users = vec![0; modes.len()];
        let mut owner = vec![None; modes.len()];
        for asking in pairs.chunk_by(|a, b| a.0 == b.0) {
            let place = asking[0].0 as usize;
            users[place] = asking.len() as u32;
            if asking.len() == 1 && !unknown[place] {
                owner[place] = Some(asking[0].1);
            }
        }
        let mut of_users: Vec<u32> = pairs.into_iter().map(|(_, user)| user).collect();
        of_users.sort_unstable();
        let per_user = of_users.chunk_by(|a, b| a == b).map(|own| own.len() as i64).collect();
        Some(ModeUsers { users, owner, estimates_per_user: Percentiles::of(per_user)? })
    }
}
