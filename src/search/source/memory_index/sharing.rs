//! Which entries share terms with the best candidates, from postings and from the terms of entities. What rows say
//! ([`crate::search::source::sharing`]) is the same.

use std::collections::{BTreeMap, HashSet};

use memory_search_core::filter::TagMatch;
use memory_search_core::filter::condition::Condition;
use memory_search_core::rank::association::{Holders, Holding, MOST_FOUND_BY_ONE, Term, Terms, most_holding};
use memory_search_core::rank::by_entry::EntryKey;
use memory_search_core::rank::candidate::Candidate;
use memory_search_index::blob::PagedBytes;
use memory_search_index::document::Wanted;
use memory_search_index::fault::Outcome;
use memory_search_index::filter::{DocumentRow, terms_of_names};
use memory_search_index::segment::Segment;

use super::counted::{Counted, Part};
use super::open::OpenIndex;
use super::search::Search;
use crate::pg::interrupt;
use crate::search::source::pass::Sharing;

/// Finds the entries that hold the terms of each memory's best candidates.
pub fn find(
    search: &mut Search<'_>,
    counted: &Counted<'_>,
    candidates: &[Candidate],
    sought: Vec<(u32, Terms)>,
) -> Outcome<Sharing> {
    let known: HashSet<EntryKey<'_>> = candidates.iter().map(Candidate::key).collect();
    let (mut sharing, mut others) = (Sharing::default(), BTreeMap::new());
    for (memory, terms) in sought {
        let Some((index, parts)) = counted.parts_of(memory) else { continue };
        let entries = parts.iter().map(|part| u64::from(part.counts.count())).sum();
        let open = &search.opened[index].index;
        let found = Sought::new(&terms.terms, open, most_holding(entries))?.documents(counted, parts)?;
        let finds_others = |place: usize, documents: &[u32]| {
            matches!(terms.terms[place], Term::Entity(_)) && documents.len() as u64 <= MOST_FOUND_BY_ONE
        };
        let new = found.iter().enumerate().filter_map(|(place, documents)| Some((place, documents.as_deref()?)));
        let new = new.filter(|(place, documents)| finds_others(*place, documents)).flat_map(|(_, documents)| documents);
        let new: Vec<u32> = new.copied().filter(|document| counted.may_be_found(*document)).collect();
        search.ask(counted, &new)?;
        let mut holders = Vec::new();
        for (place, documents) in found.into_iter().enumerate() {
            let Some(documents) = documents else {
                holders.push(None);
                continue;
            };
            let mut ids = Vec::new();
            for &document in documents.iter().filter(|document| counted.may_be_found(**document)) {
                // Only candidates can share a word or a frequent entity, and these were asked about.
                let Some(fetched) = search.found(document) else { continue };
                let id = fetched.id.to_text();
                if known.contains(&EntryKey { memory, id: &id }) {
                    ids.push(id);
                } else if finds_others(place, &documents) {
                    others.entry((id.clone(), memory)).or_insert_with(|| Candidate {
                        id: id.clone(),
                        memory,
                        created: fetched.created,
                        importance: fetched.importance,
                        author: fetched.author.clone(),
                        text_bytes: fetched.text_bytes,
                        place: open.looked_up_by.is_none().then_some(fetched.at),
                        ..Candidate::default()
                    });
                    ids.push(id);
                }
            }
            ids.sort_unstable();
            holders.push(Some(Holders { count: documents.len() as u64, ids }));
        }
        sharing.of_memories.push((memory, terms, Holding { entries, holders }));
    }
    sharing.others = others.into_values().collect();
    Ok(sharing)
}

/// Terms of one memory, as its index holds them. The places are those of the terms.
struct Sought<'t> {
    open: &'t OpenIndex,
    /// Documents beyond so many are not told: the term is frequent.
    most: u64,
    terms: usize,
    words: Hashes,
    names: Hashes,
    /// The entities, as conditions on a document.
    entities: Vec<(Condition, usize)>,
}

/// Hashes in ascending order, each with the place of its term.
struct Hashes {
    hashes: Vec<u64>,
    places: Vec<usize>,
}

impl Hashes {
    fn new(mut hashes: Vec<(u64, usize)>) -> Self {
        hashes.sort_unstable();
        let (hashes, places) = hashes.into_iter().unzip();
        Hashes { hashes, places }
    }
}

impl<'t> Sought<'t> {
    fn new(terms: &[Term], open: &'t OpenIndex, most: u64) -> Outcome<Self> {
        let hashes = open.index.hashes();
        let (mut words, mut names, mut entities) = (Vec::new(), Vec::new(), Vec::new());
        for (place, term) in terms.iter().enumerate() {
            match term {
                Term::Word(lexeme) => words.push((hashes.lexeme(lexeme.as_bytes()), place)),
                Term::Entity(keys) => {
                    if let Some(column) = open.layout.entities() {
                        names.extend(terms_of_names(&open.layout, column, keys).map(|term| (term, place)));
                    }
                    entities.push((Condition::Entities(keys.clone(), TagMatch::Any), place));
                }
            }
        }
        Ok(Sought { open, most, terms: terms.len(), words: Hashes::new(words), names: Hashes::new(names), entities })
    }

    /// Of each term the documents that count and hold it, ascending; `None` where they are too many.
    fn documents(&self, counted: &Counted<'_>, parts: &[Part]) -> Outcome<Vec<Option<Vec<u32>>>> {
        let mut found = vec![Some(Vec::new()); self.terms];
        for part in parts {
            interrupt::check();
            match counted.segment(part) {
                Some(opened) => self.in_segment(&opened.segment, part, &mut found)?,
                None => self.in_tail(counted, part, &mut found)?,
            }
        }
        Ok(found)
    }

    fn in_segment<B: PagedBytes>(
        &self,
        segment: &Segment<B>,
        part: &Part,
        found: &mut [Option<Vec<u32>>],
    ) -> Outcome<()> {
        // A list may hold documents that do not count.
        let uncounted = u64::from(part.counts.size() - part.counts.count());
        let most = u32::try_from(self.most + uncounted).unwrap_or(u32::MAX);
        let mut add = |place: usize, documents: Option<&[u32]>| {
            interrupt::check();
            let all = &mut found[place];
            match (all.as_mut(), documents) {
                (Some(all), Some(documents)) => {
                    let those = documents.iter().filter(|document| part.counts.contains(**document));
                    all.extend(those.map(|document| part.first + document));
                }
                _ => *all = None,
            }
        };
        let Hashes { hashes, places } = &self.words;
        segment.documents_of_lexemes(hashes, most, |which, documents| add(places[which], documents))?;
        let Hashes { hashes, places } = &self.names;
        segment.documents_of_terms(hashes, most, |which, documents| add(places[which], documents))?;
        for all in found {
            if let Some(documents) = all {
                // A document may have several names of an entity.
                documents.sort_unstable();
                documents.dedup();
                if documents.len() as u64 > self.most {
                    *all = None;
                }
            }
        }
        Ok(())
    }

    fn in_tail(&self, counted: &Counted<'_>, part: &Part, found: &mut [Option<Vec<u32>>]) -> Outcome<()> {
        let words = Wanted::new(&self.words.hashes)?;
        let contents = counted.contents(part);
        for document in part.counts.iter() {
            interrupt::check();
            let (_, _, view) = contents.tail_document(document)?;
            let mut add = |place: usize| {
                if let Some(documents) = &mut found[place] {
                    match (documents.len() as u64) < self.most {
                        true => documents.push(part.first + document),
                        false => found[place] = None,
                    }
                }
            };
            view.find(&words, |which, _| add(self.words.places[which]));
            let row = DocumentRow { view: &view, layout: &self.open.layout };
            self.entities
                .iter()
                .filter(|(names_it, _)| names_it.evaluate(&row) == Some(true))
                .for_each(|(_, place)| add(*place));
        }
        Ok(())
    }
}
