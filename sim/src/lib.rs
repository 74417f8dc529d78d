//! What a backfilling scheduler does: one machine and its queue ([`site`]), how long jobs will run ([`predict`]), the engine and its
//! policies ([`sim`]), and when a job will start by what earlier jobs waited ([`wait`]).

pub mod predict;
pub mod sim;
pub mod site;
pub mod wait;
