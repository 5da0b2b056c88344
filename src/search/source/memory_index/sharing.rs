//! Which entries share terms with the best candidates, from postings and from the terms of entities. What rows say
//! ([`crate::search::source::sharing`]) is the same.

use std::collections::{BTreeMap, HashSet};

use memory_search_core::filter::TagMatch;
use memory_search_core::filter::condition::Condition;
use memory_search_core::rank::association::{Holders, Holding, MOST_FOUND_BY_ONE, Term, Terms, most_holding};
use memory_search_core::rank::by_entry::EntryKey;
use memory_search_core::rank::candidate::Candidate;
use memory_search_index::document::Wanted;
use memory_search_index::fault::Outcome;
use memory_search_index::filter::{DocumentRow, documents_naming};

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
        let found = documents(counted, open, parts, &terms.terms, most_holding(entries))?;
        let mut holders = Vec::new();
        for (term, documents) in terms.terms.iter().zip(found) {
            let Some(documents) = documents else {
                holders.push(None);
                continue;
            };
            let count = documents.len() as u64;
            let mut to_find: Vec<u32> = documents.into_iter().filter(|it| counted.may_be_found(*it)).collect();
            match term {
                Term::Entity(_) if count <= MOST_FOUND_BY_ONE => search.ask(counted, &to_find)?,
                // Only candidates can share a word, and these were asked about.
                _ => to_find.retain(|document| search.asked.contains_key(document)),
            }
            let mut ids = Vec::new();
            for document in to_find {
                let Some(fetched) = search.found(document) else { continue };
                let id = fetched.id.to_text();
                match (known.contains(&EntryKey { memory, id: &id }), term) {
                    (true, _) => ids.push(id),
                    (false, Term::Entity(_)) if count <= MOST_FOUND_BY_ONE => {
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
                    (false, _) => {}
                }
            }
            ids.sort_unstable();
            holders.push(Some(Holders { count, ids }));
        }
        sharing.of_memories.push((memory, terms, Holding { entries, holders }));
    }
    sharing.others = others.into_values().collect();
    Ok(sharing)
}

/// Of each term the documents that count and hold it; `None` where they are more than `most`.
fn documents(
    counted: &Counted<'_>,
    open: &OpenIndex,
    parts: &[Part],
    terms: &[Term],
    most: u64,
) -> Outcome<Vec<Option<Vec<u32>>>> {
    let mut found: Vec<Option<Vec<u32>>> = terms.iter().map(|_| Some(Vec::new())).collect();
    for part in parts {
        match counted.segment(part) {
            Some(_) => in_segment(counted, open, part, terms, most, &mut found)?,
            None => in_tail(counted, open, part, terms, most, &mut found)?,
        }
        for documents in &mut found {
            if documents.as_ref().is_some_and(|documents| documents.len() as u64 > most) {
                *documents = None;
            }
        }
    }
    Ok(found)
}

fn in_segment(
    counted: &Counted<'_>,
    open: &OpenIndex,
    part: &Part,
    terms: &[Term],
    most: u64,
    found: &mut [Option<Vec<u32>>],
) -> Outcome<()> {
    let Some(segment) = counted.segment(part).map(|open| &open.segment) else { return Ok(()) };
    let hashes = open.index.hashes();
    let uncounted = u64::from(part.counts.size() - part.counts.count());
    for (term, found) in terms.iter().zip(found) {
        interrupt::check();
        let Some(documents) = found else { continue };
        match term {
            Term::Word(lexeme) => {
                let postings = segment.postings_of(hashes.lexeme(lexeme.as_bytes()))?;
                // Too many count, whichever they are.
                if u64::from(postings.count()) > most + uncounted {
                    *found = None;
                    continue;
                }
                segment.each_posting(&postings, |document, _| {
                    if part.counts.contains(document) && documents.len() as u64 <= most {
                        documents.push(part.first + document);
                    }
                })?;
            }
            Term::Entity(keys) => {
                let mut set = documents_naming(keys, &open.layout, segment)?;
                set.intersect(&part.counts);
                if u64::from(set.count()) > most {
                    *found = None;
                    continue;
                }
                documents.extend(set.iter().map(|document| part.first + document));
            }
        }
    }
    Ok(())
}

fn in_tail(
    counted: &Counted<'_>,
    open: &OpenIndex,
    part: &Part,
    terms: &[Term],
    most: u64,
    found: &mut [Option<Vec<u32>>],
) -> Outcome<()> {
    let hashes = open.index.hashes();
    let (mut words, mut entities) = (Vec::new(), Vec::new());
    for (place, term) in terms.iter().enumerate() {
        match term {
            Term::Word(lexeme) => words.push((hashes.lexeme(lexeme.as_bytes()), place)),
            Term::Entity(keys) => entities.push((Condition::Entities(keys.clone(), TagMatch::Any), place)),
        }
    }
    words.sort_unstable();
    let (words, places): (Vec<u64>, Vec<usize>) = words.into_iter().unzip();
    let words = Wanted::new(&words)?;
    let contents = counted.contents(part);
    for document in part.counts.iter() {
        interrupt::check();
        let (_, _, view) = contents.tail_document(document)?;
        let mut add = |place: usize| {
            if let Some(documents) = found[place].as_mut().filter(|documents| documents.len() as u64 <= most) {
                documents.push(part.first + document);
            }
        };
        view.find(&words, |which, _| add(places[which]));
        let row = DocumentRow { view: &view, layout: &open.layout };
        entities
            .iter()
            .filter(|(names_it, _)| names_it.evaluate(&row) == Some(true))
            .for_each(|(_, place)| add(*place));
    }
    Ok(())
}
