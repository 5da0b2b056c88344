//! The nearness of a memory's documents to a query, by their codes.

use memory_search_core::error::out_of_memory;

use super::contents::{Contents, OpenSegment};
use crate::blob::Blob;
use crate::fault::{Outcome, damaged_content};
use crate::pages::Pages;
use crate::quantization::{Estimate, First, Mean, Nearest, Prepared, Query};
use crate::segment::codes::{Codes, FirstsPage};
use crate::segment::groups::{self, NUMBER_BYTES};

/// The number of first parts that are kept before the rests of the best of them (as many as the search wants) are read.
/// From then on a row must reach the least of these. The nearest groups come first, so these few contain many of the
/// nearest rows.
const FIRST_KEPT: usize = 1_024;

/// If more are kept, the rests are read at once, because the signs distinguish these documents badly. This bounds the
/// memory to 4 MB.
const MOST_KEPT: usize = 1 << 17;

/// The number of codes of the tail, each in its record, that are copied side by side, because one by one they take
/// several times as long.
const TAIL_BATCH: usize = 64;

impl<P: Pages> Contents<'_, P> {
    /// Calls `each` for every embedding of the query's dimensions: with the part of its document (0 for the tail, then
    /// the segments), the document's number there, and the estimate. A document with passages has several. `each` must
    /// be short, because a page is held.
    pub fn estimates(&self, query: &Query, each: &mut impl FnMut(usize, u32, Estimate) -> Outcome<()>) -> Outcome<()> {
        self.estimates_of_tail(query, &mut |number, estimate| each(0, number, estimate))?;
        for (index, open) in self.segments.iter().enumerate() {
            let codes = Coded::of(open, query)?;
            for page in codes.codes.pages() {
                if codes.codes.are_whole(page.group) {
                    codes.scan_whole(&page, &mut |number, estimate| each(index + 1, number, estimate))?;
                    continue;
                }
                let (items, stride) = codes.codes.firsts(&page)?;
                let mut firsts = Vec::new();
                let mut add = |code, document, first| {
                    firsts.try_reserve(1).map_err(|_| out_of_memory())?;
                    firsts.push((code, document, first));
                    Ok(())
                };
                codes.scan(&page, (&items, stride), f32::NEG_INFINITY, &mut add, &mut |_, _| ())?;
                let numbers: Vec<u32> = firsts.iter().map(|(code, ..)| *code).collect();
                codes.codes.read_rests(&numbers, |place, group, rest| {
                    let (_, document, first) = &firsts[place];
                    each(index + 1, *document, codes.estimate(group, first, rest)?)
                })?;
            }
        }
        Ok(())
    }

    /// Adds the documents to `near` that may be among the nearest: reads the first parts of all codes, and the rests of
    /// the codes that may still be near. `counted` gives the number under which a document of a part is added; `None`
    /// if it does not count. It must be short, because a page is held.
    ///
    /// A document that has several codes is added several times. It is as near as the nearest of its embeddings.
    pub fn add_near(
        &self,
        query: &Query,
        near: &mut Nearest,
        counted: &mut impl FnMut(usize, u32) -> Option<u32>,
    ) -> Outcome<()> {
        if self.has_tail_several_codes() {
            near.expect_repeats()?;
        }
        self.estimates_of_tail(query, &mut |number, estimate| match counted(0, number) {
            Some(number) => near.add(number, estimate),
            None => Ok(()),
        })?;
        let mut all = Vec::new();
        for open in &self.segments {
            let coded = Coded::of(open, query)?;
            if coded.codes.have_repeats() {
                near.expect_repeats()?;
            }
            all.push(coded);
        }
        let mut kept = Kept { rows: Vec::new(), most: FIRST_KEPT.max(4 * near.reach()) };
        let turns = nearest_first(&all)?;
        let pages_of = |turn: &Turn| {
            let segment = turn.segment;
            all[segment].codes.pages_of(turn.group).map(move |page| (segment, page))
        };
        let mut pages = turns.iter().flat_map(pages_of).peekable();
        while let Some((segment, page)) = pages.next() {
            let next = pages.peek().map(|(segment, next)| (&all[*segment].codes, next));
            if let Some((codes, next)) = next {
                codes.expect(next)?;
            }
            let coded = &all[segment];
            if coded.codes.are_whole(page.group) {
                if let Some((codes, next)) = next {
                    codes.prefetch(next, 0, 1);
                }
                coded.scan_whole(&page, &mut |number, estimate| match counted(segment + 1, number) {
                    Some(number) => near.add(number, estimate),
                    None => Ok(()),
                })?;
                continue;
            }
            let (least, rows) = (near.expected_least(), &mut kept.rows);
            let mut add = |code, document, first| {
                if let Some(document) = counted(segment + 1, document) {
                    rows.try_reserve(1).map_err(|_| out_of_memory())?;
                    rows.push(Row { document, segment: segment as u32, code, first });
                }
                Ok(())
            };
            // Little by little, because the processor waits if it has too much to fetch.
            let mut fetch = |step, steps| {
                if let Some((codes, next)) = next {
                    codes.prefetch(next, step, steps);
                }
            };
            let leaves_out = coded
                .codes
                .read_firsts(&page, |items, stride| coded.scan(&page, (items, stride), least, &mut add, &mut fetch))?;
            if leaves_out {
                near.leave_out();
            }
            if kept.rows.len() >= kept.most {
                kept.raise_least(&all, near)?;
                if kept.rows.len() > MOST_KEPT {
                    add_rests(&all, std::mem::take(&mut kept.rows), near)?;
                }
                kept.most = FIRST_KEPT.max(4 * near.reach()).max(2 * kept.rows.len());
            }
        }
        kept.raise_least(&all, near)?;
        let rows = std::mem::take(&mut kept.rows);
        add_rests(&all, rows, near)
    }

    fn estimates_of_tail(&self, query: &Query, each: &mut impl FnMut(u32, Estimate) -> Outcome<()>) -> Outcome<()> {
        let Some(prepared) = query.against(None) else { return Ok(()) };
        let bytes = prepared.code_bytes();
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        numbers.try_reserve_exact(TAIL_BATCH).map_err(|_| out_of_memory())?;
        codes.try_reserve_exact(TAIL_BATCH * bytes).map_err(|_| out_of_memory())?;
        for number in 0..self.tail_documents() {
            let (_, _, document) = self.tail_document(number)?;
            for code in document.codes().filter(|code| code.len() == bytes) {
                numbers.push(number);
                codes.extend_from_slice(code);
                if numbers.len() == TAIL_BATCH {
                    estimate_batch(&prepared, &numbers, &codes, each)?;
                    numbers.clear();
                    codes.clear();
                }
            }
        }
        estimate_batch(&prepared, &numbers, &codes, each)
    }
}

/// Calls `each` with the estimates of consecutive codes, each with the number of its document.
fn estimate_batch(
    prepared: &Prepared,
    numbers: &[u32],
    codes: &[u8],
    each: &mut impl FnMut(u32, Estimate) -> Outcome<()>,
) -> Outcome<()> {
    let mut result = Ok(());
    prepared.scan(codes, prepared.code_bytes(), |row, estimate| {
        if let (Some(estimate), true) = (estimate, result.is_ok()) {
            result = each(numbers[row], estimate);
        }
    });
    result
}

/// A group whose codes are read.
struct Turn {
    nearness: f32,
    segment: usize,
    group: usize,
}

/// The groups that the query can be compared with, first the groups whose rows are nearest on average. So the least
/// estimate that a row must reach is soon known, and few rows are kept that turn out too far away.
fn nearest_first<P: Pages>(all: &[Coded<'_, '_, P>]) -> Outcome<Vec<Turn>> {
    let mut turns: Vec<Turn> = Vec::new();
    for (segment, coded) in all.iter().enumerate() {
        turns.try_reserve(coded.prepared.len()).map_err(|_| out_of_memory())?;
        let groups = coded.prepared.iter().enumerate();
        turns.extend(
            groups.filter_map(|(group, prepared)| {
                Some(Turn { nearness: prepared.as_ref()?.along_mean(), segment, group })
            }),
        );
    }
    turns.sort_unstable_by(|a, b| {
        b.nearness.total_cmp(&a.nearness).then((a.segment, a.group).cmp(&(b.segment, b.group)))
    });
    Ok(turns)
}

/// The codes of a segment, and the query prepared for each of their groups; `None` for groups of other dimensions.
struct Coded<'s, 'p, P: Pages> {
    codes: Codes<'s, Blob<'p, P>>,
    prepared: Vec<Option<Prepared>>,
    documents: u32,
}

impl<'s, 'p, P: Pages> Coded<'s, 'p, P> {
    fn of(open: &'s OpenSegment<'p, P>, query: &Query) -> Outcome<Self> {
        let codes = open.segment.codes()?;
        let mut prepared = Vec::new();
        for (dimensions, mean) in codes.means()?.iter() {
            let mean = match mean.map(Mean::from_bytes) {
                Some(None) => return Err(damaged_content("the mean of a group of codes cannot be read")),
                mean => mean.flatten(),
            };
            prepared.push(if dimensions as usize == query.dimensions() { query.against(mean.as_ref()) } else { None });
        }
        Ok(Coded { codes, prepared, documents: open.segment.documents() })
    }

    /// Calls `each` with the document of each whole code of a page that the query can be compared with, and its
    /// estimate.
    fn scan_whole(&self, page: &FirstsPage, each: &mut impl FnMut(u32, Estimate) -> Outcome<()>) -> Outcome<()> {
        let Some(Some(prepared)) = self.prepared.get(page.group) else { return Ok(()) };
        self.codes.read_firsts(page, |items, stride| {
            let mut result = Ok(());
            prepared.scan(items.get(NUMBER_BYTES..).unwrap_or_default(), stride, |row, estimate| {
                if let (Some(estimate), Some((document, _)), true) =
                    (estimate, groups::item(&items[row * stride..]), result.is_ok())
                    && document < self.documents
                {
                    result = each(document, estimate);
                }
            });
            result
        })
    }

    /// Looks at the codes of a page that the query can be compared with. Calls `each` with the number, the document and
    /// the first part's estimate of each whose upper bound is not less than `least`, and returns whether there are
    /// others. Calls `step` before each of some steps of the work with the step's number and their count.
    fn scan(
        &self,
        page: &FirstsPage,
        (items, stride): (&[u8], usize),
        least: f32,
        each: &mut impl FnMut(u32, u32, First) -> Outcome<()>,
        step: &mut impl FnMut(usize, usize),
    ) -> Outcome<bool> {
        let (Some(Some(prepared)), Some(parts)) = (self.prepared.get(page.group), items.get(NUMBER_BYTES..)) else {
            return Ok(false);
        };
        let mut result = Ok(());
        let add = |row: usize, first| {
            if let (Some((document, _)), true) = (groups::item(&items[row * stride..]), result.is_ok())
                && document < self.documents
            {
                result = each(page.code + row as u32, document, first);
            }
        };
        let leaves_out = prepared.scan_first(parts, stride, least, add, step);
        result.map(|()| leaves_out)
    }

    fn estimate(&self, group: usize, first: &First, rest: &[u8]) -> Outcome<Estimate> {
        let prepared = self.prepared.get(group).and_then(Option::as_ref);
        let estimate = prepared.and_then(|prepared| prepared.estimate_rest(first, rest));
        estimate.ok_or_else(|| damaged_content("the rest of a code is of another length than its dimensions say"))
    }
}

/// A document that may be near by its first part.
#[derive(Clone, Copy)]
struct Row {
    document: u32,
    segment: u32,
    code: u32,
    first: First,
}

impl Row {
    /// The greatest nearness by its first part; not a number, as of a damaged code, is the greatest.
    fn upper(&self) -> f32 {
        let upper = self.first.estimate.first_upper();
        if upper.is_nan() { f32::INFINITY } else { upper }
    }
}

/// Documents whose first parts were read.
struct Kept {
    rows: Vec<Row>,
    /// The number that is kept before the least is raised.
    most: usize,
}

impl Kept {
    /// Adds the best to `near`, as many as the search wants, and drops the documents that hardly reach the least of
    /// them.
    fn raise_least<P: Pages>(&mut self, all: &[Coded<'_, '_, P>], near: &mut Nearest) -> Outcome<()> {
        let reach = near.reach();
        if reach == 0 || self.rows.len() <= reach {
            return Ok(());
        }
        // Once, unless several rows belong to one document.
        while self.rows.len() > reach {
            self.rows.select_nth_unstable_by(reach - 1, |a, b| b.upper().total_cmp(&a.upper()));
            let mut best = Vec::new();
            best.try_reserve_exact(reach).map_err(|_| out_of_memory())?;
            best.extend(self.rows.drain(..reach));
            add_rests(all, best, near)?;
            if near.expected_least() > f32::NEG_INFINITY {
                break;
            }
        }
        let (least, before) = (near.expected_least(), self.rows.len());
        self.rows.retain(|row| row.upper() >= least);
        if self.rows.len() < before {
            near.leave_out();
        }
        Ok(())
    }
}

/// Adds rows to `near` by their whole codes, page by page.
fn add_rests<P: Pages>(all: &[Coded<'_, '_, P>], mut rows: Vec<Row>, near: &mut Nearest) -> Outcome<()> {
    rows.sort_unstable_by_key(|row| (row.segment, row.code));
    let mut codes: Vec<u32> = Vec::new();
    codes.try_reserve_exact(rows.len()).map_err(|_| out_of_memory())?;
    for of_segment in rows.chunk_by(|a, b| a.segment == b.segment) {
        let Some(coded) = of_segment.first().and_then(|row| all.get(row.segment as usize)) else { continue };
        codes.clear();
        codes.extend(of_segment.iter().map(|row| row.code));
        coded.codes.read_rests(&codes, |place, group, rest| {
            let row = &of_segment[place];
            near.add(row.document, coded.estimate(group, &row.first, rest)?)
        })?;
    }
    Ok(())
}
