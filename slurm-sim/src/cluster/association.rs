//! Accounts and users as a tree.

use std::collections::BTreeMap;

use serde::Serialize;

use super::limits::{GroupLimits, HolderLimits, PerJobLimits};
use super::rows::settings_struct;

/// The table of [`Association`], without its limits.
#[doc(hidden)]
#[macro_export]
macro_rules! association_settings {
    ($with:ident $args:tt) => {
        $with! { $args
        /// An account, or a user in an account, with shares and limits.
        Association {
            /// The account.
            account: String = String::new();
            /// The user; `None` for the account itself.
            user: Option<String> = None;
            /// The partition it is for; `None`: all.
            partition: Option<String> = None;
            /// The index of the association above it; `None` for the root.
            parent: Option<usize> = None;
            /// Its shares among its siblings.
            shares: Shares = Shares::default(), ["Fairshare" = "30", SHARES, Followed, "Share", "RawShares"];
            /// Its part in the priority of its jobs.
            priority: Option<u32> = None, ["Priority" = "10", OPTIONAL_COUNT, Followed];
            /// Limits of it and those below it together.
            group: GroupLimits = GroupLimits::default();
            /// Limits of each job.
            per_job: PerJobLimits = PerJobLimits::default();
            /// Limits of the jobs of each user (`MaxJobs`, `MaxSubmit`).
            own: HolderLimits = HolderLimits::default();
            /// QOS that its jobs may choose.
            qos: Vec<String> = Vec::new(), ["QOS" = "normal", NAMES, Followed, "QOSRaw"];
            /// The QOS of jobs that name none.
            default_qos: Option<String> = None, ["DefaultQOS" = "normal", NAME, Followed, "DefQOS"];
        } }
    };
}
association_settings!(settings_struct[]);

/// Shares of an association.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shares {
    /// This number of shares.
    Of(u32),
    /// It has no shares of its own: its fair share is that of its parent.
    Parent,
}

impl Default for Shares {
    fn default() -> Shares {
        Shares::Of(1)
    }
}

/// All associations of a cluster; each comes after the one above it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Associations(pub Vec<Association>);

impl Associations {
    /// The association of a user's jobs in an account: one for the partition if there is one, else one for all
    /// partitions.
    pub fn of_user(&self, account: &str, user: &str, partition: Option<&str>) -> Option<usize> {
        let matches = |one: &Association, of: Option<&str>| {
            one.account == account && one.user.as_deref() == Some(user) && one.partition.as_deref() == of
        };
        let exact = self.0.iter().position(|one| partition.is_some() && matches(one, partition));
        exact.or_else(|| self.0.iter().position(|one| matches(one, None)))
    }

    /// The association of an account.
    pub fn of_account(&self, account: &str) -> Option<usize> {
        self.0.iter().position(|one| one.account == account && one.user.is_none())
    }

    /// An association and those above it; no more than there are, whatever the parents say.
    pub fn upwards(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        let above = std::iter::successors(from, |&index| self.0.get(index)?.parent);
        above.take_while(|&index| index < self.0.len()).take(self.0.len())
    }

    /// The associations directly below one.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(move |(_, one)| one.parent == Some(index)).map(|(child, _)| child)
    }
}

/// Associations by account and user, for all partitions; of several the first.
#[derive(Debug, Default)]
pub struct AssociationPlaces(BTreeMap<String, BTreeMap<String, usize>>);

impl AssociationPlaces {
    /// Of the associations of a cluster.
    pub fn of(associations: &Associations) -> AssociationPlaces {
        let mut by_account: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for (index, one) in associations.0.iter().enumerate() {
            if let (Some(user), None) = (&one.user, &one.partition) {
                let users = by_account.entry(one.account.clone()).or_default();
                users.entry(user.clone()).or_insert(index);
            }
        }
        AssociationPlaces(by_account)
    }

    /// The index of the association of a user in an account.
    pub fn get(&self, account: &str, user: &str) -> Option<usize> {
        self.0.get(account)?.get(user).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_association_for_the_partition_comes_first() {
        let user = |partition: Option<&str>| Association {
            account: "a".into(),
            user: Some("u".into()),
            partition: partition.map(str::to_owned),
            parent: Some(0),
            ..Association::default()
        };
        let account = Association { account: "a".into(), ..Association::default() };
        let all = Associations(vec![account, user(None), user(Some("gpu"))]);
        assert_eq!(all.of_user("a", "u", Some("gpu")), Some(2));
        assert_eq!((all.of_user("a", "u", Some("cpu")), all.of_user("a", "u", None)), (Some(1), Some(1)));
        assert_eq!((all.of_user("b", "u", None), all.of_account("a")), (None, Some(0)));
        let places = AssociationPlaces::of(&all);
        assert_eq!((places.get("a", "u"), places.get("b", "u"), places.get("a", "v")), (Some(1), None, None));
        assert_eq!(all.children(0).collect::<Vec<_>>(), [1, 2]);
    }
}
