//! Codes in groups: the codes of a group have the same number of dimensions, and are relative to the same mean. They
//! are stored in two runs in the same order, ascending by document: a run with the number of the document u32 and the
//! first part of each code, then a run with the rest of each ([`put_first`], [`put_rest`]). With few documents, and if
//! codes have no rest, there is one run, with the number u32 and the whole code of each: a first pass over few codes
//! would exclude too few. Several codes of one document are consecutive, in no order.
//!
//! The means of all groups come first, because a search compares all of them with its query: so it reads few pages.
//!
//! The table has for each group, little-endian: dimensions u32, bytes of the mean u32 (all bits set: no mean), start of
//! the mean u64, number of codes u32, 1 u32 if they are in two runs (else 0), start of the first run u64, start of the
//! second run u64.

use memory_search_core::error::out_of_memory;

use super::bytes;
use super::header::GROUP_BYTES;
use super::run::Run;
use crate::blob::PagedBytes;
use crate::fault::{Outcome, damaged_content};
use crate::quantization::{MAX_DIMENSIONS, code_bytes, dimensions_of, first_bytes, put_first, put_rest, rest_bytes};

/// Bytes of an item of the first run before the part of a code.
pub const NUMBER_BYTES: usize = 4;
const NO_MEAN: u32 = u32::MAX;
/// Codes that are written between two ticks: a millisecond or two, of 16,000 dimensions.
const CODES_A_TICK: u32 = 256;

/// The common properties of the codes of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Group {
    /// Dimensions of the embeddings.
    pub dimensions: u32,
    /// The mean that the codes are relative to, as its bytes; `None` for zero.
    pub mean: Option<Vec<u8>>,
}

/// The addresses of a group.
#[derive(Debug, Clone, Copy)]
pub struct StoredGroup {
    dimensions: u32,
    mean: Option<(u64, u32)>,
    /// Numbers of documents, and their codes or the first parts of these.
    pub firsts: Run,
    /// The rests of the codes; `None` where the first run has whole codes.
    pub rests: Option<Run>,
    /// Whether a document with a code in the group may have other codes in the segment.
    pub repeats: bool,
}

/// Bits of the form of a group.
const IN_PARTS: u32 = 1;
const REPEATS: u32 = 2;

/// The start and the bytes of the mean of a group; `None` for zero.
pub type MeanAddress = Option<(u64, u32)>;

/// Appends the mean of a group. `None` if it is too long.
pub fn write_mean(group: &Group, out: &mut Vec<u8>) -> Outcome<Option<MeanAddress>> {
    let Some(mean) = &group.mean else { return Ok(Some(None)) };
    let Some(length) = u32::try_from(mean.len()).ok().filter(|&bytes| bytes != NO_MEAN) else { return Ok(None) };
    out.try_reserve(mean.len()).map_err(|_| out_of_memory())?;
    let start = out.len() as u64;
    out.extend_from_slice(mean);
    Ok(Some(Some((start, length))))
}

impl StoredGroup {
    /// Appends the group's `codes`, by the numbers of their documents, in parts if `in_parts`; `repeats` says whether
    /// documents may have several codes. `mean` is the result of [`write_mean`]. Calls `tick` every few milliseconds.
    /// `None` if one is no code of the group's dimensions, or there are too many.
    pub fn write(
        (group, mean): (&Group, MeanAddress),
        codes: &[(u32, &[u8])],
        (in_parts, repeats): (bool, bool),
        out: &mut Vec<u8>,
        tick: &impl Fn() -> Outcome<()>,
    ) -> Outcome<Option<StoredGroup>> {
        let dimensions = group.dimensions as usize;
        if codes.iter().any(|(_, code)| dimensions_of(code) != Some(dimensions)) {
            return Ok(None);
        }
        let Ok(count) = u32::try_from(codes.len()) else { return Ok(None) };
        let in_parts = in_parts && rest_bytes(dimensions) > 0;
        let Some(firsts) = Run::new(out.len() as u64, item_bytes(dimensions, in_parts), count) else { return Ok(None) };
        write_items(firsts, codes, out, tick, |(document, code), out| {
            out.extend_from_slice(&document.to_le_bytes());
            if in_parts {
                put_first(code, out);
            } else {
                out.extend_from_slice(code);
            }
        })?;
        let mut rests = None;
        if in_parts {
            let Some(run) = Run::new(out.len() as u64, rest_bytes(dimensions), count) else { return Ok(None) };
            write_items(run, codes, out, tick, |(_, code), out| {
                put_rest(code, out);
            })?;
            rests = Some(run);
        }
        Ok(Some(StoredGroup { dimensions: group.dimensions, mean, firsts, rests, repeats }))
    }

    /// Its entry in the table.
    pub fn to_bytes(self) -> [u8; GROUP_BYTES] {
        let (mean_start, mean_bytes) = self.mean.unwrap_or((0, NO_MEAN));
        let mut out = [0; GROUP_BYTES];
        out[..4].copy_from_slice(&self.dimensions.to_le_bytes());
        out[4..8].copy_from_slice(&mean_bytes.to_le_bytes());
        out[8..16].copy_from_slice(&mean_start.to_le_bytes());
        out[16..20].copy_from_slice(&self.firsts.items().to_le_bytes());
        let form = if self.rests.is_some() { IN_PARTS } else { 0 } | if self.repeats { REPEATS } else { 0 };
        out[20..24].copy_from_slice(&form.to_le_bytes());
        out[24..32].copy_from_slice(&self.firsts.start().to_le_bytes());
        out[32..].copy_from_slice(&self.rests.map_or(0, |rests| rests.start()).to_le_bytes());
        out
    }

    fn from_bytes(bytes: &[u8; GROUP_BYTES], length: u64) -> Outcome<StoredGroup> {
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let dimensions = u32_at(0) as usize;
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return Err(damaged_content("a group of codes has dimensions that no embedding has"));
        }
        let repeats = u32_at(20) & REPEATS != 0;
        let in_parts = match (u32_at(20) & !REPEATS, rest_bytes(dimensions)) {
            (0, _) => false,
            (IN_PARTS, bytes) if bytes > 0 => true,
            _ => return Err(damaged_content("a group of codes is in no known form")),
        };
        let firsts = Run::checked(u64_at(24), item_bytes(dimensions, in_parts), u32_at(16), length)?;
        let rests = match in_parts {
            false => None,
            true => Some(Run::checked(u64_at(32), rest_bytes(dimensions), u32_at(16), length)?),
        };
        if rests.is_some_and(|rests| rests.start() < firsts.end()) {
            return Err(damaged_content("the parts of a group of codes overlap"));
        }
        let mean = (u32_at(4) != NO_MEAN).then(|| (u64_at(8), u32_at(4)));
        Ok(StoredGroup { dimensions: u32_at(0), mean, firsts, rests, repeats })
    }

    /// The number of its codes.
    pub fn codes(&self) -> u32 {
        self.firsts.items()
    }

    fn end(&self) -> u64 {
        self.rests.unwrap_or(self.firsts).end()
    }
}

/// The means of groups that [`table`] read.
pub struct Means<'g> {
    groups: &'g [StoredGroup],
    /// The bytes of all means.
    bytes: Vec<u8>,
    /// The start of these bytes in the segment.
    start: u64,
}

impl<'g> Means<'g> {
    /// Reads them.
    pub fn read(bytes: &impl PagedBytes, groups: &'g [StoredGroup]) -> Outcome<Means<'g>> {
        let mut addresses = groups.iter().filter_map(|group| group.mean);
        let start = addresses.next().map_or(0, |(start, _)| start);
        let end =
            groups.iter().rev().find_map(|group| group.mean).map_or(0, |(start, length)| start + u64::from(length));
        Ok(Means { groups, bytes: bytes::range(bytes, start, end - start)?, start })
    }

    /// The dimensions of each group, and the bytes of its mean; `None` for zero.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Option<&[u8]>)> {
        self.groups.iter().map(|group| {
            let mean = group.mean.map(|(start, length)| {
                let at = (start - self.start) as usize;
                &self.bytes[at..at + length as usize]
            });
            (group.dimensions, mean)
        })
    }
}

/// Reads the table of groups of a segment that is `length` bytes long.
pub fn table(bytes: &impl PagedBytes, (groups, start): (u32, u64), length: u64) -> Outcome<Vec<StoredGroup>> {
    let table = bytes::range(bytes, start, u64::from(groups) * GROUP_BYTES as u64)?;
    let mut all = Vec::new();
    all.try_reserve_exact(groups as usize).map_err(|_| out_of_memory())?;
    let (mut end_of_means, mut end_of_codes) = (0, 0);
    for bytes in table.as_chunks().0 {
        let stored = StoredGroup::from_bytes(bytes, length)?;
        // These checks keep a damaged table from giving one byte to two groups.
        let (mean, mean_bytes) = stored.mean.unwrap_or((end_of_means, 0));
        if mean < end_of_means || stored.firsts.start() < end_of_codes {
            return Err(damaged_content("groups of codes overlap"));
        }
        end_of_means = mean.saturating_add(u64::from(mean_bytes));
        end_of_codes = stored.end();
        all.push(stored);
    }
    match all.first() {
        Some(first) if first.firsts.start() < end_of_means => {
            Err(damaged_content("means of groups overlap with codes"))
        }
        _ => Ok(all),
    }
}

/// Appends an item of each code.
fn write_items(
    run: Run,
    codes: &[(u32, &[u8])],
    out: &mut Vec<u8>,
    tick: &impl Fn() -> Outcome<()>,
    put: impl Fn((u32, &[u8]), &mut Vec<u8>),
) -> Outcome<()> {
    out.try_reserve((run.end() - out.len() as u64) as usize).map_err(|_| out_of_memory())?;
    let mut ticked = Ok(());
    run.write(out, |item, out| {
        if item.is_multiple_of(CODES_A_TICK) && ticked.is_ok() {
            ticked = tick();
        }
        match ticked.is_ok() {
            true => put(codes[item as usize], out),
            // The bytes that are written are thrown away.
            false => out.resize(out.len() + run.stride(), 0),
        }
    });
    ticked
}

/// Bytes of an item of the first run.
fn item_bytes(dimensions: usize, in_parts: bool) -> usize {
    NUMBER_BYTES + if in_parts { first_bytes(dimensions) } else { code_bytes(dimensions) }
}

/// The number of the document of an item of the first run, and its code or the first part of it.
#[inline]
pub fn item(bytes: &[u8]) -> Option<(u32, &[u8])> {
    bytes.split_first_chunk().map(|(document, part)| (u32::from_le_bytes(*document), part))
}
