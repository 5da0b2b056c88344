//! Corrected entries: a pass over them learns which of them are reinstated.

use std::collections::HashSet;

use memory_search_core::Result;
use memory_search_core::error;
use memory_search_core::ids::RowId;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// Corrected entries. A pass sees that they are corrected, but not whether an entry is reinstated because its
/// correction is not present: that is looked up once all are known.
#[derive(Default)]
pub struct Corrected {
    met: Vec<RowId>,
    standing_again: Option<HashSet<RowId>>,
}

impl Corrected {
    /// Whether a corrected entry is hidden.
    pub fn hides(&mut self, id: Option<RowId>) -> Result<bool> {
        Ok(match (&self.standing_again, id) {
            (Some(standing), Some(id)) => !standing.contains(&id),
            (None, Some(id)) => {
                // A memory may hold more of them than this backend has memory for: an ERROR, not an abort.
                self.met.try_reserve(1).map_err(|_| error::out_of_memory())?;
                self.met.push(id);
                true
            }
            (_, None) => true,
        })
    }

    /// Finds those of the entries met that are reinstated; `false` if there is none, or if this was done before.
    pub fn learn_which_stand_again(
        &mut self,
        reader: &Reader<'_>,
        scope: &Scope<'_>,
        searched: Searched,
    ) -> Result<bool> {
        if self.met.is_empty() {
            return Ok(false);
        }
        let mut statement = Statement::default();
        let of_memory = scope.store.of_memory(&mut statement, "e", scope.memory_id);
        let stands_again = scope.stands_again(&mut statement, "e");
        let ids = std::mem::take(&mut self.met).iter().map(RowId::to_text).collect();
        let ids = statement.bind(Param::Texts(ids));
        let id_type = searched.id_type(scope);
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.{id_type} FROM {} WHERE {stands_again}",
            scope.store.wanted(&ids, &of_memory)
        ));
        let mut standing = HashSet::new();
        reader.scan(&statement, |row| {
            standing.extend(row.id(1, id_type)?);
            Ok(())
        })?;
        let any = !standing.is_empty();
        self.standing_again = Some(standing);
        Ok(any)
    }
}
