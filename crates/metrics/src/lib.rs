//! Figures of stores for Prometheus, in its text format. They are counts, bytes and times: never a memory's id or a
//! text. The program chooses the address and the token, and hands in the connections.

#![forbid(unsafe_code)]

pub mod collector;
pub mod door;
pub mod exposition;
pub mod statements;
pub mod tally;

mod figures;
