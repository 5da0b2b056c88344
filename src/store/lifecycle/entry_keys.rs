//! Keys of entries as parameters of a statement.

use std::collections::HashSet;

use crate::pg::param::Param;
use crate::pg::spi::Statement;

/// Keys of entries.
#[derive(Debug, Clone, Default)]
pub struct EntryKeys {
    /// The ids of their memories.
    pub memories: Vec<String>,
    /// Their ids.
    pub ids: Vec<String>,
}

impl EntryKeys {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds those of a batch that are not among `removed`.
    pub fn add_but(&mut self, batch: &EntryKeys, removed: &EntryKeys) {
        let keys = |of: &EntryKeys| of.memories.iter().cloned().zip(of.ids.iter().cloned()).collect::<Vec<_>>();
        let removed: HashSet<_> = keys(removed).into_iter().collect();
        let (memories, ids): (Vec<_>, Vec<_>) = keys(batch).into_iter().filter(|key| !removed.contains(key)).unzip();
        self.memories.extend(memories);
        self.ids.extend(ids);
    }

    /// Those that are not among `others`.
    pub fn but(&self, others: &EntryKeys) -> EntryKeys {
        let mut left = EntryKeys::default();
        left.add_but(self, others);
        left
    }

    /// Those that are among `others`.
    pub fn among(&self, others: &EntryKeys) -> EntryKeys {
        self.but(&self.but(others))
    }

    /// A query for them, with the columns `memory_id` and `entry_id`.
    pub fn query(&self, statement: &mut Statement) -> String {
        let [memories, ids] = [&self.memories, &self.ids].map(|values| statement.bind(Param::Texts(values.clone())));
        format!(
            "SELECT t.memory_id, t.entry_id FROM ROWS FROM (pg_catalog.unnest({memories}), \
             pg_catalog.unnest({ids}::pg_catalog.uuid[])) t (memory_id, entry_id)"
        )
    }
}
