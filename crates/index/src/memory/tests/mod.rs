//! Histories of a few memories, compared with their rows.

mod damage;
mod documents;
mod histories;
mod lengths;
mod nearest;
mod passages;
mod readers;
mod refusals;
mod sizes;
mod world;
