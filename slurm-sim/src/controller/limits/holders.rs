//! Numbers of users and accounts.

use std::collections::BTreeMap;

use crate::cluster::Cluster;

/// The association of each account and user, for all partitions, and numbers of users and accounts.
#[derive(Debug)]
pub struct HolderNumbers {
    users: BTreeMap<String, u32>,
    accounts: BTreeMap<String, u32>,
    associations: BTreeMap<String, BTreeMap<String, usize>>,
}

fn number(names: &mut BTreeMap<String, u32>, name: &str) -> u32 {
    match names.get(name) {
        Some(&number) => number,
        None => {
            let next = names.len() as u32;
            names.insert(name.to_owned(), next);
            next
        }
    }
}

impl HolderNumbers {
    pub fn of(cluster: &Cluster) -> HolderNumbers {
        let mut associations: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for (index, one) in cluster.associations.0.iter().enumerate() {
            if let (Some(user), None) = (&one.user, &one.partition) {
                let users = associations.entry(one.account.clone()).or_default();
                users.entry(user.clone()).or_insert(index);
            }
        }
        HolderNumbers { users: BTreeMap::new(), accounts: BTreeMap::new(), associations }
    }

    /// The association of a user in an account.
    pub fn association(&self, account: &str, user: &str) -> Option<usize> {
        self.associations.get(account)?.get(user).copied()
    }

    /// The number of a user.
    pub fn user(&mut self, name: &str) -> u32 {
        number(&mut self.users, name)
    }

    /// The number of an account.
    pub fn account(&mut self, name: &str) -> u32 {
        number(&mut self.accounts, name)
    }
}
