//! The times at which documents with words were added. The order of the segments mostly gives the order of these times,
//! so that only few times have to be read.

use std::ops::Range;

use memory_search_core::error;
use memory_search_core::rank::arrivals::{Arrivals, Run, TimeOrder};
use memory_search_core::timestamp::Micros;
use memory_search_index::fault::Outcome;

use super::counted::{Counted, Part};
use super::open::RankedBy;
use crate::pg::interrupt;

/// The values for a missing time and a missing number.
const NO_TIME: Micros = i64::MIN;
const NO_ORDER: i64 = 0;

/// The times at which rows were added.
pub enum ArrivalTimes {
    /// The times and order numbers of all rows, as they were read.
    Read(Arrivals),
    /// Their order is known: those of each part follow each other, and no two parts overlap.
    InOrder(InOrder),
}

/// The columns by which segments of such rows are ordered: creation time and insertion.
const CREATED: usize = 0;
const ORDER: usize = 1;

/// Rows whose order in time is known.
pub struct InOrder {
    order: TimeOrder,
    /// The rows of each part.
    parts: Vec<Range<usize>>,
    /// The times of those in tails, by the number of the part.
    of_tails: Vec<(usize, Vec<Micros>)>,
}

impl ArrivalTimes {
    /// The arrival times of rows, by their documents; `parts` has the rows of each part.
    pub fn of(counted: &Counted<'_>, documents: &[u32], parts: &[(Range<usize>, RankedBy)]) -> Outcome<ArrivalTimes> {
        if let Some(known) = InOrder::of(counted, documents, parts)? {
            return Ok(ArrivalTimes::InOrder(known));
        }
        let mut all = Arrivals::default();
        all.reserve(documents.len())?;
        for (part, (rows, ranked_by)) in counted.parts.iter().zip(parts) {
            interrupt::check();
            read_part(counted, part, &documents[rows.clone()], *ranked_by, &mut all)?;
        }
        Ok(ArrivalTimes::Read(all))
    }

    /// Rows of one instant with the same order, as long as nothing else distinguishes them.
    pub fn tied(&self) -> Outcome<Vec<usize>> {
        match self {
            ArrivalTimes::Read(arrivals) => Ok(arrivals.tied()?),
            ArrivalTimes::InOrder(_) => Ok(Vec::new()),
        }
    }

    /// Distinguishes a row from others of the same instant and order.
    pub fn set_tie(&mut self, row: usize, tie: u128) {
        if let ArrivalTimes::Read(arrivals) = self {
            arrivals.set_tie(row, tie);
        }
    }

    /// The order of the rows.
    pub fn take_order(&mut self) -> Outcome<TimeOrder> {
        match self {
            ArrivalTimes::Read(arrivals) => Ok(arrivals.time_order()?),
            ArrivalTimes::InOrder(known) => Ok(std::mem::take(&mut known.order)),
        }
    }

    /// The creation times of all rows.
    pub fn all_created(&self, counted: &Counted<'_>, documents: &[u32]) -> Outcome<Vec<Micros>> {
        let mut all: Vec<Micros> = Vec::new();
        all.try_reserve_exact(documents.len()).map_err(|_| error::out_of_memory())?;
        match self {
            ArrivalTimes::Read(arrivals) => all.extend(&arrivals.created),
            ArrivalTimes::InOrder(known) => {
                for (number, rows) in known.parts.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                    interrupt::check();
                    match counted.segment(&counted.parts[number]) {
                        Some(open) => {
                            let first = counted.parts[number].first;
                            let of_rows = documents[rows.clone()].iter().map(|document| document - first);
                            let column = open.segment.numbers(CREATED)?;
                            column.each_of(of_rows, |time| all.push(time.unwrap_or(NO_TIME)));
                        }
                        None => all.extend(known.of_tail(number)),
                    }
                }
            }
        }
        Ok(all)
    }

    /// The creation times of some rows.
    pub fn created(&self, counted: &Counted<'_>, documents: &[u32], rows: &[usize]) -> Outcome<Vec<Micros>> {
        let mut created: Vec<Micros> = Vec::new();
        created.try_reserve_exact(rows.len()).map_err(|_| error::out_of_memory())?;
        let known = match self {
            ArrivalTimes::Read(arrivals) => {
                created.extend(rows.iter().map(|&row| arrivals.created[row]));
                return Ok(created);
            }
            ArrivalTimes::InOrder(known) => known,
        };
        let part_of = |row: usize| known.parts.partition_point(|rows| rows.end <= row);
        for some in rows.chunk_by(|a, b| part_of(*a) == part_of(*b)) {
            let number = part_of(some[0]);
            let part = &counted.parts[number];
            match counted.segment(part) {
                Some(open) => {
                    let mut of_segment: Vec<u32> = Vec::new();
                    of_segment.try_reserve_exact(some.len()).map_err(|_| error::out_of_memory())?;
                    of_segment.extend(some.iter().map(|&row| documents[row] - part.first));
                    open.segment.some_numbers(CREATED, &of_segment, |time| created.push(time.unwrap_or(NO_TIME)))?;
                }
                None => {
                    let of_tail = known.of_tail(number);
                    created.extend(some.iter().map(|&row| of_tail[row - known.parts[number].start]));
                }
            }
        }
        Ok(created)
    }
}

impl InOrder {
    /// The times of a tail's rows, by the number of the part.
    fn of_tail(&self, number: usize) -> &[Micros] {
        self.of_tails.iter().find(|(tail, _)| *tail == number).map_or(&[], |(_, created)| created)
    }

    fn of(counted: &Counted<'_>, documents: &[u32], parts: &[(Range<usize>, RankedBy)]) -> Outcome<Option<InOrder>> {
        let (mut runs, mut of_tails) = (Vec::new(), Vec::new());
        for (number, (part, (rows, ranked_by))) in counted.parts.iter().zip(parts).enumerate() {
            let run = match counted.segment(part) {
                _ if rows.is_empty() => continue,
                Some(open) => {
                    // Segments number their documents in the order of the columns.
                    let ranked_by = (ranked_by.created, ranked_by.order);
                    let is_ordered = match open.segment.ordered_by() {
                        Some(1) => ranked_by.0 == Some(CREATED),
                        Some(2) => ranked_by == (Some(CREATED), Some(ORDER)),
                        _ => false,
                    };
                    let range = if is_ordered { open.segment.range(CREATED)?.numbers } else { None };
                    range.map(|created| Run { rows: rows.len(), created, order: TimeOrder::OfRows })
                }
                None => {
                    let mut arrivals = Arrivals::default();
                    arrivals.reserve(rows.len())?;
                    read_part(counted, part, &documents[rows.clone()], *ranked_by, &mut arrivals)?;
                    let run = arrivals.as_run()?;
                    of_tails.push((number, arrivals.created));
                    run
                }
            };
            let Some(run) = run else { return Ok(None) };
            runs.push(run);
        }
        let order = TimeOrder::of_runs(&runs)?;
        Ok(order.map(|order| InOrder { order, parts: parts.iter().map(|(rows, _)| rows.clone()).collect(), of_tails }))
    }
}

/// Appends the arrivals of a part's rows, by their documents.
fn read_part(
    counted: &Counted<'_>,
    part: &Part,
    documents: &[u32],
    ranked_by: RankedBy,
    arrivals: &mut Arrivals,
) -> Outcome<()> {
    let of_rows = || documents.iter().map(|document| document - part.first);
    let Some(open) = counted.segment(part) else {
        let contents = counted.contents(part);
        for document in of_rows() {
            let (_, _, view) = contents.tail_document(document)?;
            let number = |column: Option<usize>| column.and_then(|column| view.number(column));
            arrivals.created.push(number(ranked_by.created).unwrap_or(NO_TIME));
            arrivals.order.push(number(ranked_by.order).unwrap_or(NO_ORDER));
        }
        return Ok(());
    };
    for (column, numbers, nothing) in
        [(ranked_by.created, &mut arrivals.created, NO_TIME), (ranked_by.order, &mut arrivals.order, NO_ORDER)]
    {
        match column {
            Some(column) => {
                open.segment.numbers(column)?.each_of(of_rows(), |number| numbers.push(number.unwrap_or(nothing)));
            }
            None => numbers.resize(numbers.len() + documents.len(), nothing),
        }
    }
    Ok(())
}
