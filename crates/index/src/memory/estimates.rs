//! How near the documents of a memory are to a query, by their codes.

use super::contents::{Contents, OpenSegment};
use crate::fault::{Outcome, damaged_content};
use crate::pages::Pages;
use crate::quantization::{Estimate, Mean, Prepared, Query, code_bytes};
use crate::segment::groups::{self, NUMBER_BYTES};

impl<P: Pages> Contents<'_, P> {
    /// Calls `each` with how near every document is that has an embedding of the query's dimensions: its part (0 for
    /// the tail, then the segments), its number there, and the estimate. It must be short, for a page is held.
    pub fn estimates(&self, query: &Query, each: &mut impl FnMut(usize, u32, Estimate) -> Outcome<()>) -> Outcome<()> {
        if let Some(prepared) = query.against(None) {
            for number in 0..self.tail_documents() {
                let (_, _, document) = self.tail_document(number)?;
                if let Some(estimate) = document.code().and_then(|code| prepared.estimate(code)) {
                    each(0, number, estimate)?;
                }
            }
        }
        for (index, open) in self.segments.iter().enumerate() {
            estimates_of(open, index + 1, query, each)?;
        }
        Ok(())
    }
}

fn estimates_of<P: Pages>(
    open: &OpenSegment<'_, P>,
    part: usize,
    query: &Query,
    each: &mut impl FnMut(usize, u32, Estimate) -> Outcome<()>,
) -> Outcome<()> {
    let mut prepared = Vec::new();
    for group in open.segment.groups()? {
        let mean = match group.mean.as_deref().map(Mean::from_bytes) {
            Some(None) => return Err(damaged_content("the mean of a group of codes cannot be read")),
            mean => mean.flatten(),
        };
        let stride = NUMBER_BYTES + code_bytes(group.dimensions as usize);
        let is_for = |prepared: &Prepared| NUMBER_BYTES + prepared.code_bytes() == stride;
        prepared.push((stride, query.against(mean.as_ref()).filter(is_for)));
    }
    let documents = open.segment.documents();
    open.segment.codes(|group, items, stride| {
        let Some((expected, prepared)) = prepared.get(group as usize) else { return Ok(()) };
        if stride != *expected {
            return Err(damaged_content("a group of codes has items of another length than its dimensions say"));
        }
        let (Some(prepared), Some(codes)) = (prepared, items.get(NUMBER_BYTES..)) else { return Ok(()) };
        let mut result = Ok(());
        prepared.scan(codes, stride, |row, estimate| {
            if let (Some(estimate), Some((document, _)), true) =
                (estimate, groups::item(&items[row * stride..]), result.is_ok())
                && document < documents
            {
                result = each(part, document, estimate);
            }
        });
        result
    })
}
