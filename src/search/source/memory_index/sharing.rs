//! Finds the entries that share terms with the best candidates, by postings and by the terms of entities. A search by
//! the rows ([`crate::search::source::sharing`]) finds the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use memory_search_core::rank::association::{Holders, Holding, MOST_FOUND_BY_ONE, Term, Terms, most_holding};
use memory_search_core::rank::by_entry::EntryKey;
use memory_search_core::rank::candidate::Candidate;
use memory_search_index::blob::PagedBytes;
use memory_search_index::document::Wanted;
use memory_search_index::fault::Outcome;
use memory_search_index::filter::terms_of_names;
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
        let found = Sought::new(&terms.terms, open, most_holding(entries)).documents(counted, parts)?;
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

/// Terms of one memory, as its index holds them.
struct Sought {
    /// A term that more documents hold is frequent, and its documents are not told.
    most: u64,
    terms: usize,
    words: Hashes,
    names: Hashes,
}

impl Sought {
    fn new(terms: &[Term], open: &OpenIndex, most: u64) -> Self {
        let hashes = open.index.hashes();
        let (mut words, mut names) = (Vec::new(), Vec::new());
        for (number, term) in terms.iter().enumerate() {
            match (term, open.layout.entities()) {
                (Term::Word(lexeme), _) => words.push((hashes.lexeme(lexeme.as_bytes()), number)),
                (Term::Entity(keys), Some(column)) => {
                    names.extend(terms_of_names(&open.layout, column, keys).map(|name| (name, number)));
                }
                (Term::Entity(_), None) => {}
            }
        }
        Sought { most, terms: terms.len(), words: Hashes::new(words), names: Hashes::new(names) }
    }

    /// For each term the documents that count and hold it, ascending; `None` if it is frequent.
    fn documents(&self, counted: &Counted<'_>, parts: &[Part]) -> Outcome<Vec<Option<Vec<u32>>>> {
        let mut found = vec![Some(Vec::new()); self.terms];
        let mut segments = Vec::new();
        for part in parts {
            match counted.segment(part) {
                Some(opened) => segments.push((&opened.segment, part)),
                None => self.in_tail(counted, part, &mut found)?,
            }
        }
        // A term that is frequent in a large segment need not be looked up in the others.
        segments.sort_by_key(|(segment, _)| Reverse(segment.documents()));
        for (segment, part) in segments {
            interrupt::check();
            self.in_segment(segment, part, &mut found)?;
        }
        for documents in found.iter_mut().flatten() {
            documents.sort_unstable();
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
        let (words, names) = (self.words.of_rare(found), self.names.of_rare(found));
        let mut add = |terms: &[(u64, usize)], documents: Option<&[u32]>| {
            interrupt::check();
            for &(_, term) in terms {
                let all = &mut found[term];
                match (all.as_mut(), documents) {
                    (Some(all), Some(documents)) => {
                        let those = documents.iter().filter(|document| part.counts.contains(**document));
                        all.extend(those.map(|document| part.first + document));
                    }
                    _ => *all = None,
                }
            }
        };
        segment.documents_of_lexemes(&words.hashes, most, |which, documents| add(words.terms(which), documents))?;
        segment.documents_of_terms(&names.hashes, most, |which, documents| add(names.terms(which), documents))?;
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
        let (words, names) = (Wanted::new(&self.words.hashes)?, Wanted::new(&self.names.hashes)?);
        let contents = counted.contents(part);
        for document in part.counts.iter() {
            interrupt::check();
            let (_, _, view) = contents.tail_document(document)?;
            let number = part.first + document;
            let mut add = |terms: &[(u64, usize)]| {
                for &(_, term) in terms {
                    match &mut found[term] {
                        // It has several names of this entity.
                        Some(documents) if documents.last() == Some(&number) => {}
                        Some(documents) if (documents.len() as u64) < self.most => documents.push(number),
                        frequent => *frequent = None,
                    }
                }
            };
            view.find(&words, |which, _| add(self.words.terms(which)));
            view.terms().filter_map(|term| names.which(term)).for_each(|which| add(self.names.terms(which)));
        }
        Ok(())
    }
}

/// Hashes in ascending order, each once, and the numbers of the terms that have them.
struct Hashes {
    hashes: Vec<u64>,
    /// The hash and the number of each term, in ascending order.
    terms: Vec<(u64, usize)>,
    /// The beginning of the terms of each hash among these; at the end their number.
    starts: Vec<usize>,
}

impl Hashes {
    fn new(mut terms: Vec<(u64, usize)>) -> Self {
        terms.sort_unstable();
        let (mut hashes, mut starts) = (Vec::new(), Vec::new());
        for (place, (hash, _)) in terms.iter().enumerate() {
            if hashes.last() != Some(hash) {
                hashes.push(*hash);
                starts.push(place);
            }
        }
        starts.push(terms.len());
        Hashes { hashes, terms, starts }
    }

    /// The terms of a hash, by its place.
    fn terms(&self, which: usize) -> &[(u64, usize)] {
        &self.terms[self.starts[which]..self.starts[which + 1]]
    }

    /// The hashes of terms that are not known to be frequent.
    fn of_rare(&self, found: &[Option<Vec<u32>>]) -> Self {
        Hashes::new(self.terms.iter().copied().filter(|(_, term)| found[*term].is_some()).collect())
    }
}
