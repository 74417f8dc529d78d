//! Accounts and users as a tree.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};

use serde::Serialize;

use super::indices::AssociationIndex;
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
            /// The association above it; `None` for the root.
            parent: Option<AssociationIndex> = None;
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
    pub fn of_user(&self, account: &str, user: &str, partition: Option<&str>) -> Option<AssociationIndex> {
        let matches = |one: &Association, of: Option<&str>| {
            one.account == account && one.user.as_deref() == Some(user) && one.partition.as_deref() == of
        };
        let exact = self.0.iter().position(|one| partition.is_some() && matches(one, partition));
        exact.or_else(|| self.0.iter().position(|one| matches(one, None))).map(AssociationIndex)
    }

    /// The association of an account.
    pub fn of_account(&self, account: &str) -> Option<AssociationIndex> {
        self.0.iter().position(|one| one.account == account && one.user.is_none()).map(AssociationIndex)
    }

    /// An association and those above it; no more than there are, whatever the parents say.
    pub fn upwards(&self, from: Option<AssociationIndex>) -> impl Iterator<Item = AssociationIndex> {
        let above = std::iter::successors(from, |&index| self.0.get(index.0)?.parent);
        above.take_while(|&index| index.0 < self.0.len()).take(self.0.len())
    }

    /// The associations directly below one.
    pub fn children(&self, above: AssociationIndex) -> impl Iterator<Item = AssociationIndex> {
        let all = (0..).map(AssociationIndex).zip(&self.0);
        all.filter(move |(_, one)| one.parent == Some(above)).map(|(child, _)| child)
    }
}

impl Index<AssociationIndex> for Associations {
    type Output = Association;

    fn index(&self, association: AssociationIndex) -> &Association {
        &self.0[association.0]
    }
}

impl IndexMut<AssociationIndex> for Associations {
    fn index_mut(&mut self, association: AssociationIndex) -> &mut Association {
        &mut self.0[association.0]
    }
}

/// Associations by account and user, for all partitions; of several the first. Looked up, never iterated.
#[derive(Debug, Default)]
pub struct AssociationPlaces(HashMap<String, HashMap<String, AssociationIndex>>);

impl AssociationPlaces {
    /// Of the associations of a cluster.
    pub fn of(associations: &Associations) -> AssociationPlaces {
        let mut by_account: HashMap<String, HashMap<String, AssociationIndex>> = HashMap::new();
        for (index, one) in associations.0.iter().enumerate() {
            if let (Some(user), None) = (&one.user, &one.partition) {
                let users = by_account.entry(one.account.clone()).or_default();
                users.entry(user.clone()).or_insert(AssociationIndex(index));
            }
        }
        AssociationPlaces(by_account)
    }

    /// The association of a user in an account.
    pub fn get(&self, account: &str, user: &str) -> Option<AssociationIndex> {
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
            parent: Some(AssociationIndex(0)),
            ..Association::default()
        };
        let account = Association { account: "a".into(), ..Association::default() };
        let at = |index: usize| Some(AssociationIndex(index));
        let all = Associations(vec![account, user(None), user(Some("gpu"))]);
        assert_eq!(all.of_user("a", "u", Some("gpu")), at(2));
        assert_eq!((all.of_user("a", "u", Some("cpu")), all.of_user("a", "u", None)), (at(1), at(1)));
        assert_eq!((all.of_user("b", "u", None), all.of_account("a")), (None, at(0)));
        let places = AssociationPlaces::of(&all);
        assert_eq!((places.get("a", "u"), places.get("b", "u"), places.get("a", "v")), (at(1), None, None));
        assert_eq!(all.children(AssociationIndex(0)).collect::<Vec<_>>(), [1, 2].map(AssociationIndex));
    }
}
