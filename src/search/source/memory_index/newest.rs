//! The newest entries that pass filters, by the memory index: the same as from the statement that reads entries in the
//! order of time. If few pass, that statement reads all entries.

use std::cmp::Reverse;
use std::collections::HashMap;

use memory_search_core::filter::condition::NumberField;
use memory_search_core::place::Place;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::newest_first::{Newest, Passing};
use memory_search_core::{Result, error};
use memory_search_index::fault::Outcome;
use memory_search_index::filter::{DocumentRow, NumberForm, over_segment};
use memory_search_index::memory::contents::{Contents, OpenSegment};
use memory_search_index::segment::Column;

use super::conditions::Opened;
use super::fetched::{self, Fetched};
use super::open_all;
use super::read_rows::RowColumns;
use crate::index::{Index, RelationPages};
use crate::pg::interrupt;
use crate::pg::open_relation;
use crate::pg::seen_rows::SeenRows;
use crate::pg::spi::Reader;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;
use crate::search::source::pass::Wanted;

/// The most rows of a memory that are read: if more have one instant, or are not visible to the snapshot, the statement
/// is used.
const MOST_READ: usize = 16_384;
/// The most documents in a statement, if the index cannot evaluate the filters. The statement in the order of time
/// reads a row in less time than a statement about given rows.
const MOST_ASKED: usize = 1_024;
/// In a memory with fewer documents, the statement in the order of time is faster.
const LARGE: u32 = 8_192;

/// Whether the index may help: not without filters, because then the statement stops at once.
pub fn may_know_newest(scopes: &Scopes<'_>, limit: usize) -> bool {
    // Only the executor can record the reads of a transaction that must leave traces.
    let may_be_read = |first: &Scope<'_>| {
        first.store.memory_index.is_some()
            && open_relation::may_scan_indexes()
            && !open_relation::is_serializable()
            && !open_relation::is_for_statements(first.store.read_from.entries)
    };
    // Each row must be read for a query's demands on words.
    let is_asked = |first: &Scope<'_>| first.has_filters() && first.demands.is_none();
    (1..=MOST_READ).contains(&limit)
        && scopes.memories.first().is_some_and(|first| is_asked(first) && may_be_read(first))
}

/// The `limit` newest entries of each memory, by its number, in their order; `None` if the statement must be used.
pub fn newest(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    least_importance: f64,
    limit: usize,
) -> Result<Option<HashMap<u32, Vec<Candidate>>>> {
    let Some(first) = scopes.memories.first() else { return Ok(None) };
    let wanted =
        Wanted { searched: Searched::Entries, vector: None, lexemes: None, typos: None, limit, look_further: None };
    let serves = |opened: &Opened| opened.index.may_be_read_whole();
    let Some((opened, memories)) = open_all(reader, scopes, &wanted, &serves)? else { return Ok(None) };
    if memories.is_empty() {
        return Ok(None);
    }
    let mut asked = Vec::new();
    for opened in &opened {
        let Some(columns) = RowColumns::of(first, &opened.index, None) else { return Ok(None) };
        let Some(importance) = opened.index.layout.number(NumberField::Importance) else { return Ok(None) };
        asked.push((columns, importance));
    }
    Index::read_all(opened.iter().map(|opened| &opened.index.index), |pages| {
        let mut found = HashMap::new();
        for memory in &memories {
            let (columns, importance) = &mut asked[memory.index];
            let contents = Contents::read(pages[memory.index], memory.memory, &mut |_| false)?;
            let of_memory = OfMemory {
                reader,
                scope: scopes.memory(memory.number),
                opened: &opened[memory.index],
                importance: *importance,
                least_importance,
                contents: &contents,
                limit,
            };
            let Some(newest) = of_memory.newest(columns)? else { return Ok(None) };
            found.insert(memory.number, newest);
        }
        Ok(Some(found))
    })
}

/// The search in one memory.
struct OfMemory<'a> {
    reader: &'a Reader<'a>,
    scope: &'a Scope<'a>,
    opened: &'a Opened,
    /// The column of the index with the importance of an entry.
    importance: (usize, NumberForm),
    /// The least importance: an entry without an importance has enough, because no caller asks for more than the
    /// default.
    least_importance: f64,
    contents: &'a Contents<'a, RelationPages>,
    limit: usize,
}

impl OfMemory<'_> {
    fn newest(&self, columns: &mut RowColumns<'_>) -> Outcome<Option<Vec<Candidate>>> {
        let is_coarse = self.opened.conditions.asked.is_some();
        if is_coarse && self.contents.documents() < LARGE {
            return Ok(None);
        }
        let mut passing = Newest::of(self.limit);
        self.add_tail(&mut passing)?;
        self.add_segments(&mut passing)?;
        if is_coarse && passing.offered() > MOST_ASKED {
            return Ok(None);
        }
        let (mut found, mut read): (Vec<(Option<i64>, Fetched)>, usize) = (Vec::new(), 0);
        while found.len() < self.limit {
            let next = passing.next(self.limit)?;
            read += next.len();
            if next.is_empty() && passing.has_left_out() || read > MOST_READ {
                return Ok(None);
            }
            if next.is_empty() {
                break;
            }
            self.read(&next, columns, &mut found)?;
        }
        // All entries of the same instant as the last one were read, so ids decide which of them comes first.
        found.sort_by(|(a_created, a), (b_created, b)| {
            Reverse(a_created).cmp(&Reverse(b_created)).then_with(|| a.id.text_order(&b.id))
        });
        found.truncate(self.limit);
        let candidate = |(_, fetched): (_, Fetched)| Candidate {
            id: fetched.id.to_text(),
            created: fetched.created,
            importance: fetched.importance,
            place: self.opened.index.looked_up_by.is_none().then_some(fetched.at),
            ..Candidate::default()
        };
        Ok(Some(found.into_iter().map(candidate).collect()))
    }

    fn add_tail(&self, passing: &mut Newest) -> Outcome<()> {
        let Opened { index, conditions } = self.opened;
        for document in 0..self.contents.tail_documents() {
            let (_, _, view) = self.contents.tail_document(document)?;
            let row = DocumentRow { view: &view, layout: &index.layout };
            let may_pass = conditions.asked.as_ref().is_none_or(|asked| asked.evaluate(&row) != Some(false));
            let (number, form) = self.importance;
            let is_unimportant =
                view.number(number).is_some_and(|importance| form.number(importance) < self.least_importance);
            if !may_pass || is_unimportant || conditions.filters.evaluate(&row) != Some(true) {
                continue;
            }
            let is_corrected = match conditions.visible.evaluate(&row) {
                Some(false) => continue,
                Some(true) => false,
                None => true,
            };
            let created = index.ranked_by.created.and_then(|created| view.number(created));
            passing.offer(Passing { created, document, is_corrected })?;
        }
        Ok(())
    }

    /// Adds the entries of the segments, the newest first: most segments are wholly older than enough entries found so
    /// far.
    fn add_segments(&self, passing: &mut Newest) -> Outcome<()> {
        let Opened { index, conditions } = self.opened;
        // Documents are in the order of their first number.
        let is_in_order = index.ranked_by.created.is_none_or(|created| created == 0);
        // If rows must be read to know which documents pass, the caller needs the number of these documents.
        let may_leave_out = is_in_order && conditions.asked.is_none();
        let mut segments = Vec::new();
        for open in &self.contents.segments {
            let times = index.ranked_by.created.map(|created| open.segment.range(created)).transpose()?;
            let newest = times.and_then(|times| times.numbers).map(|(_, greatest)| greatest);
            segments.push((newest, open));
        }
        segments.sort_by_key(|(newest, _)| Reverse(*newest));
        for (newest, open) in segments {
            interrupt::check();
            if may_leave_out && passing.leaves_out(newest) {
                break;
            }
            let created = index.ranked_by.created.map(|created| open.segment.numbers(created)).transpose()?;
            self.add_segment(open, created.as_ref(), may_leave_out, passing)?;
        }
        Ok(())
    }

    fn add_segment(
        &self,
        open: &OpenSegment<'_, RelationPages>,
        created: Option<&Column>,
        may_leave_out: bool,
        passing: &mut Newest,
    ) -> Outcome<()> {
        let Opened { index, conditions } = self.opened;
        let (segment, layout) = (&open.segment, &index.layout);
        let mut set = over_segment(&conditions.filters, layout, segment)?.is_true;
        if let Some(asked) = conditions.asked.as_ref().filter(|_| !set.is_empty()) {
            set.intersect(&over_segment(asked, layout, segment)?.not_false);
        }
        if set.is_empty() {
            return Ok(());
        }
        let visible = over_segment(&conditions.visible, layout, segment)?;
        set.intersect(&visible.not_false);
        let (number, form) = self.importance;
        let importance = segment.numbers(number)?;
        for document in set.iter_from_last() {
            if importance.get(document).is_some_and(|importance| form.number(importance) < self.least_importance) {
                continue;
            }
            let created = created.and_then(|created| created.get(document));
            let is_corrected = !visible.is_true.contains(document);
            let is_kept = passing.offer(Passing { created, document: open.first + document, is_corrected })?;
            if !is_kept && may_leave_out {
                break;
            }
        }
        Ok(())
    }

    /// Adds the entries whose rows the caller sees and that pass, for some documents.
    fn read(
        &self,
        documents: &[Passing],
        columns: &mut RowColumns<'_>,
        found: &mut Vec<(Option<i64>, Fetched)>,
    ) -> Outcome<()> {
        let mut places: Vec<Place> = Vec::new();
        places.try_reserve_exact(documents.len()).map_err(|_| error::out_of_memory())?;
        for passing in documents {
            places.push(self.contents.place(passing.document)?);
        }
        let Opened { index, conditions } = self.opened;
        // A dead document has no row.
        let asked = |is_asked: &dyn Fn(&Passing) -> bool| -> Vec<Place> {
            let all = documents.iter().zip(&places);
            all.filter(|(passing, place)| place.is_row() && is_asked(passing)).map(|(_, place)| *place).collect()
        };
        let corrected = asked(&|passing| passing.is_corrected);
        let standing = match corrected.is_empty() {
            true => None,
            false => Some(fetched::that_stand_again(self.reader, self.scope, index, &corrected)?),
        };
        let passing = match conditions.asked {
            None => None,
            Some(_) => Some(fetched::that_pass(self.reader, self.scope, index, &asked(&|_| true))?),
        };
        let kept: Vec<(Option<i64>, Place)> = (documents.iter().zip(&places))
            .filter(|(document, place)| {
                place.is_row()
                    && (!document.is_corrected || standing.as_ref().is_some_and(|standing| standing.contains(place)))
                    && passing.as_ref().is_none_or(|passing| passing.contains(place))
            })
            .map(|(document, place)| (document.created, *place))
            .collect();
        let places: Vec<Place> = kept.iter().map(|(_, place)| *place).collect();
        let rows = columns.read(&mut SeenRows::in_active_snapshot(&index.table), &places)?;
        let seen = kept.into_iter().zip(rows).filter_map(|((created, _), row)| Some((created, row?)));
        found.extend(seen);
        Ok(())
    }
}
