//! Numbers of users and accounts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster::{AssociationIndex, AssociationPlaces};

/// The association of each account and user, for all partitions, and numbers of users and accounts.
#[derive(Debug)]
pub struct HolderNumbers {
    users: BTreeMap<String, u32>,
    accounts: BTreeMap<String, u32>,
    associations: Arc<AssociationPlaces>,
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
    pub fn of(associations: Arc<AssociationPlaces>) -> HolderNumbers {
        HolderNumbers { users: BTreeMap::new(), accounts: BTreeMap::new(), associations }
    }

    /// The association of a user in an account.
    pub fn association(&self, account: &str, user: &str) -> Option<AssociationIndex> {
        self.associations.get(account, user)
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
