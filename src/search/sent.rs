//! A search that is sent to the node of its memory: if Citus keeps the memory on another node, the call itself is sent
//! there in one statement, and its answer comes back. Each statement of a local search would take a round trip.
//!
//! The statement reads one row of the memory's entries, by which Citus finds the node, and calls `memory_search_sent()`
//! together with it. Citus runs it in the session that holds the transaction's writes there. Everything that depends on
//! the caller's session is determined here and sent along: the query's vector, the instant for ages, settings.

use memory_search_core::Result;
use memory_search_core::request::plan::Bounds;
use memory_search_core::request::search_request::SearchRequest;
use memory_search_core::timestamp::Micros;
use memory_search_core::vector::embedding;

use crate::pg::extension;
use crate::pg::param::Param;
use crate::pg::settings;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::store::definition::Store;
use crate::store::definition::placement::led;

/// The part of a sent search that the caller's session determined.
pub struct Settled {
    /// The query's vector.
    pub vector: Option<Vec<f32>>,
    /// The embedder that made it.
    pub embedder: Option<String>,
    /// The instant for ages, if the request has none.
    pub now: Micros,
    /// Whether words may differ in one letter, if the request does not say.
    pub typos: bool,
}

impl Settled {
    /// The vector, if the store can be searched by it (22023).
    pub fn vector_for(&self, store: &Store) -> Result<Option<Vec<f32>>> {
        let Some(vector) = &self.vector else { return Ok(None) };
        embedding::check(vector)?;
        embedding::check_dimensions(vector, store.embedding.dimensions.unwrap_or(vector.len()))?;
        Ok(self.vector.clone())
    }

    /// The bounds for a request that was within those of the caller's session; bounds that only a superuser raises are
    /// also checked in this session.
    pub fn bounds(&self) -> Bounds {
        let own = settings::bounds();
        Bounds { max_top_ke: own.highest_top_ke, typos: self.typos, ..own }
    }
}

/// The answer, as JSON, of the node that holds the memory. `None` if the search must run here: its rows are read in
/// place here or in no session, there are several memories, the memory is empty, or none of it can be read in place
/// there.
pub fn answered(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    vector: Option<&[f32]>,
    request: &SearchRequest,
) -> Result<Option<String>> {
    let [scope] = scopes.memories.as_slice() else { return Ok(None) };
    // A reranker is a function on the caller's node. A cursor contains the whole request, and another node gets the
    // request without its embedding.
    let stays = scope.store.is_adopted() || scopes.rerank.is_some() || scopes.page.is_some();
    if !scope.store.is_elsewhere() || stays || led::is_here() || led::is_in_internal_session() {
        return Ok(None);
    }
    let settled = Settled {
        vector: vector.map(<[f32]>::to_vec),
        embedder: scopes.embedder.map(str::to_owned),
        now: scope.now,
        typos: settings::bounds().typos,
    };
    let statement = statement(reader, scope, request, settled)?;
    led::in_this_session(|| Ok(reader.first(&statement, |row| row.text(1))?.flatten()))
}

fn statement(reader: &Reader<'_>, scope: &Scope<'_>, request: &SearchRequest, settled: Settled) -> Result<Statement> {
    let extension = extension::schema(reader)?;
    let request = request.of_one_memory(scope.memory_id, &settings::store_or(request.store.clone())?)?;
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(scope.memory_id));
    let request = statement.bind(Param::Text(Some(request)));
    let vector = statement.bind(Param::Reals(settled.vector));
    let embedder = statement.bind(Param::Text(settled.embedder));
    let now = statement.bind(Param::Timestamp(Some(settled.now)));
    let typos = statement.bind(Param::Integer(Some(settled.typos.into())));
    // In the order of the primary key: otherwise a node might read its whole shard to find one row.
    Ok(statement.with(format!(
        "SELECT {extension}.memory_search_sent({typos} OPERATOR(pg_catalog.<>) 0, {request}, {vector}, {embedder}, {now}) \
           FROM {} e WHERE e.memory_id OPERATOR(pg_catalog.=) {memory} ORDER BY e.entry_id LIMIT 1",
        scope.store.relation("entries")
    )))
}
