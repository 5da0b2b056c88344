//! The place of a page of a memory, and the search that it goes on with.

use memory_search_client::database::error::DatabaseError;

use crate::asked::{Asked, link};
use crate::markup::layout::Place;
use crate::search_form::SEARCH;

/// A memory, and the search in it.
pub struct Here<'a> {
    /// The store.
    pub store: &'a str,
    /// The memory.
    pub memory: &'a str,
    /// The fields of the search.
    pub search: Vec<(&'a str, &'a str)>,
}

impl<'a> Here<'a> {
    /// The place of an address, which may also have these names.
    pub fn of(asked: &'a Asked, besides: &[&str]) -> Result<Self, DatabaseError> {
        asked.refuse_unknown(&[&["store", "memory"], besides, &SEARCH].concat())?;
        let (store, memory) = (asked.required("store")?, asked.required("memory")?);
        Ok(Here { store, memory, search: asked.those(&SEARCH) })
    }

    /// The place for the frame of the page.
    pub fn place(&self, view: &'static str) -> Place {
        Place {
            store: Some(self.store.to_owned()),
            memory: Some(self.memory.to_owned()),
            view,
            search: self.search.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        }
    }

    /// Another page of this memory, which goes on with the search.
    pub fn to(&self, page: &str, values: &[(&str, &str)]) -> String {
        link(page, &[&[("store", self.store), ("memory", self.memory)], values, &self.search].concat())
    }

    /// The page of an entry.
    pub fn entry(&self, id: &str) -> String {
        self.to("entry", &[("id", id)])
    }

    /// The page of an entity.
    pub fn entity(&self, name: &str) -> String {
        self.to("entity", &[("entity", name)])
    }

    /// A value of the search.
    pub fn asked(&self, name: &str) -> Option<&'a str> {
        self.search.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }
}
