//! The name of an entry among those of all searched memories, and maps by it: an id is unique only within its memory.

use std::collections::HashMap;

/// An entry (or a context) of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EntryKey<'a> {
    /// The number of its memory among the searched ones.
    pub memory: u32,
    /// Its id as text.
    pub id: &'a str,
}

/// Values by entry.
#[derive(Debug, Clone, PartialEq)]
pub struct ByEntry<T> {
    memories: Vec<HashMap<String, T>>,
}

impl<T> Default for ByEntry<T> {
    fn default() -> Self {
        ByEntry { memories: Vec::new() }
    }
}

impl<T> ByEntry<T> {
    /// Inserts the value of an entry of a memory.
    pub fn insert(&mut self, memory: u32, id: String, value: T) {
        let memory = memory as usize;
        if self.memories.len() <= memory {
            self.memories.resize_with(memory + 1, HashMap::new);
        }
        self.memories[memory].insert(id, value);
    }

    /// The value of an entry.
    pub fn get(&self, key: EntryKey<'_>) -> Option<&T> {
        self.memories.get(key.memory as usize)?.get(key.id)
    }

    /// Whether an entry has a value.
    pub fn contains(&self, key: EntryKey<'_>) -> bool {
        self.get(key).is_some()
    }

    /// Removes the value of an entry.
    pub fn remove(&mut self, key: EntryKey<'_>) -> Option<T> {
        self.memories.get_mut(key.memory as usize)?.remove(key.id)
    }

    /// The ids of a memory's entries, in no order.
    pub fn ids(&self, memory: u32) -> impl Iterator<Item = &String> {
        self.memories.get(memory as usize).into_iter().flat_map(HashMap::keys)
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.memories.iter().all(HashMap::is_empty)
    }
}

/// The ids of some entries, with the number of their memory: grouped by memory, in the order of memories.
pub fn by_memory<'a>(keys: impl Iterator<Item = EntryKey<'a>>) -> Vec<(u32, Vec<String>)> {
    let mut found: Vec<(u32, Vec<String>)> = Vec::new();
    for EntryKey { memory, id } in keys {
        match found.binary_search_by_key(&memory, |(memory, _)| *memory) {
            Ok(at) => found[at].1.push(id.to_owned()),
            Err(at) => found.insert(at, (memory, vec![id.to_owned()])),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_id_in_two_memories_is_two_entries() {
        let mut values = ByEntry::default();
        values.insert(2, "a".to_owned(), 1);
        values.insert(0, "a".to_owned(), 2);
        let of = |memory| values.get(EntryKey { memory, id: "a" }).copied();
        assert_eq!((of(0), of(1), of(2), of(3)), (Some(2), None, Some(1), None));
        assert_eq!(values.remove(EntryKey { memory: 2, id: "a" }), Some(1));
        assert!(!values.contains(EntryKey { memory: 2, id: "a" }) && !values.is_empty());
    }

    #[test]
    fn ids_come_by_memory_in_the_order_in_which_they_were() {
        let keys = [(3, "b"), (1, "x"), (3, "a")].map(|(memory, id)| EntryKey { memory, id });
        let grouped = by_memory(keys.into_iter());
        assert_eq!(grouped, [(1, vec!["x".to_owned()]), (3, vec!["b".to_owned(), "a".to_owned()])]);
    }
}
