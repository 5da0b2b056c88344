//! Pages for people: the contents of memories, the results of a search with the reasons, and the reason for which an
//! entry is missing. A terminal shows the same for one search. The program chooses database, role and user, and hands
//! in a [`Reading`](memory_search_client::database::reading::Reading).

#![forbid(unsafe_code)]

pub mod door;
pub mod terminal;

mod asked;
mod markup;
mod pages;
mod search_form;
mod statements;
