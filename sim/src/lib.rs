//! What a backfilling scheduler does: one machine and its queue ([`site`]), how long jobs will run ([`predict`]), the engine and its
//! policies ([`sim`]).

pub mod predict;
pub mod sim;
pub mod site;
