//! Pages for people: what memories hold, what a search finds in them and why, and why an entry is missing. A terminal
//! shows the same of one search. The program chooses database, role and user, and hands in a
//! [`Reading`](memory_search_client::database::reading::Reading).

#![forbid(unsafe_code)]

pub mod door;
pub mod terminal;

mod asked;
mod markup;
mod pages;
mod search_form;
mod statements;
