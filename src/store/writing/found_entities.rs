//! The names in the texts of an entry, added to its entities if `memory_search.find_entities` is on.

use memory_search_core::entities::found::{self, Texts};
use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::text::names_in_text::{CaseCounts, Elsewhere, NothingKnown};

use crate::pg::{interrupt, settings};

/// Adds the names in the texts of a new entry.
pub fn add_to(entry: &mut EntryRow) {
    if settings::finds_entities() {
        add(entry, &NothingKnown);
    }
}

/// Adds the names in the texts of many entries. The spelling of a word in one entry shows whether it is a name in the
/// others.
pub fn add_to_many(entries: &mut [EntryRow]) {
    if !settings::finds_entities() {
        return;
    }
    let mut written = CaseCounts::default();
    for entry in entries.iter() {
        interrupt::check();
        written.add(&entry.raw_entry);
    }
    for entry in entries {
        interrupt::check();
        add(entry, &written);
    }
}

fn add(entry: &mut EntryRow, elsewhere: &impl Elsewhere) {
    let given = entry.entities.take().unwrap_or_default().into_iter().flatten().collect();
    let texts = Texts { summary: entry.summary.as_deref(), raw_entry: &entry.raw_entry };
    entry.entities = Some(found::with_found(given, texts, elsewhere).into_iter().map(Some).collect());
}

/// The entities of an entry whose texts are new; `None` if they do not change.
pub fn of_new_texts(stored: Vec<String>, old: Texts<'_>, new: Texts<'_>) -> Option<Vec<String>> {
    are_read(old, new).then(|| found::replaced(stored, old, new, &NothingKnown))
}

/// The given names, then those in the texts of an entry if these are new.
pub fn with_those_of_new_texts(given: Vec<String>, old: Texts<'_>, new: Texts<'_>) -> Vec<String> {
    if are_read(old, new) { found::with_found(given, new, &NothingKnown) } else { given }
}

fn are_read(old: Texts<'_>, new: Texts<'_>) -> bool {
    settings::finds_entities() && (old.summary != new.summary || old.raw_entry != new.raw_entry)
}
