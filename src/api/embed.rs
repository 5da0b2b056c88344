//! `memory_embed`: the embedding of a text by the embedder of the session.

use memory_search_core::{Error, ErrorKind};
use pgrx::{pg_extern, search_path};

use crate::embed::embedder;
use crate::pg::datum::vector::Vector;
use crate::pg::error::{SqlResult, report};

#[pg_extern(stable, strict, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_embed(text: String) -> SqlResult<Vector> {
    embedder::require().map_err(report)?;
    match embedder::embed(&text).map_err(report)? {
        Some(vector) => Ok(Vector(vector)),
        None => Err(report(
            Error::new(ErrorKind::InvalidArgument, "text holds no word that the embedder knows")
                .hint("Store such text without an embedding; it is found by its words."),
        )),
    }
}
