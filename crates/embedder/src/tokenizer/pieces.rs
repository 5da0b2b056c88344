//! The vocabulary of a Unigram model: its pieces with their scores, found by the beginning of a text.
//!
//! The library's trie has a hash map for each byte of each piece, which takes 280 MB in every connection for the
//! 250,000 pieces of XLM-RoBERTa. Here the pieces are stored one after another in their sorted order, in 6 MB. The
//! pieces that a text begins with are found by narrowing a range byte by byte.

use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

/// The pieces of tokenizer.json's `vocab`, a list of `[piece, score]`; a piece's id is its place in the list.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// All pieces, sorted and without repetitions.
    text: String,
    /// The end of each of them in `text`.
    ends: Vec<u32>,
    ids: Vec<u32>,
    scores: Vec<f64>,
    /// The place in the sorted order, by id.
    places: Vec<u32>,
    /// The first place of each first byte, and the number of pieces at last.
    by_first_byte: Vec<u32>,
    /// The least score.
    pub(super) least: f64,
}

/// A piece that a text begins with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) bytes: usize,
    pub(super) id: u32,
    pub(super) score: f64,
}

impl Pieces {
    /// `None` if numbers of 32 bits cannot count them.
    fn new(listed: &[(String, f64)]) -> Option<Self> {
        let mut order: Vec<u32> = (0..u32::try_from(listed.len()).ok()?).collect();
        // If a piece is listed twice, the last one counts, as in the library.
        order.sort_unstable_by(|&a, &b| {
            listed[a as usize].0.as_bytes().cmp(listed[b as usize].0.as_bytes()).then(b.cmp(&a))
        });
        let mut pieces = Self { places: vec![0; listed.len()], least: f64::INFINITY, ..Self::default() };
        for id in order {
            let (piece, score) = &listed[id as usize];
            pieces.least = pieces.least.min(*score);
            if pieces.ids.last().is_none_or(|&last| listed[last as usize].0 != *piece) {
                pieces.text.push_str(piece);
                pieces.ends.push(u32::try_from(pieces.text.len()).ok()?);
                pieces.ids.push(id);
                pieces.scores.push(*score);
            }
            pieces.places[id as usize] = u32::try_from(pieces.ids.len() - 1).ok()?;
        }
        let mut place = 0;
        for byte in 0..=256 {
            while place < pieces.ids.len() && pieces.bytes(place).first().is_none_or(|&first| u16::from(first) < byte) {
                place += 1;
            }
            pieces.by_first_byte.push(u32::try_from(place).ok()?);
        }
        Some(pieces)
    }

    /// Number of ids.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The piece of an id.
    pub(super) fn piece(&self, id: u32) -> Option<&str> {
        self.places.get(id as usize).map(|&place| self.at(place as usize))
    }

    /// The id of a piece.
    pub(super) fn id(&self, piece: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ids.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.bytes(middle).cmp(piece.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(self.ids[middle]),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Every piece that `text` begins with, the shortest first.
    pub(super) fn beginning(&self, text: &[u8], mut found: impl FnMut(Found)) {
        let Some(&first) = text.first() else { return };
        let mut low = self.by_first_byte[usize::from(first)] as usize;
        let mut high = self.by_first_byte[usize::from(first) + 1] as usize;
        for depth in 1.. {
            // The pieces from `low` to `high` begin with as many bytes of the text; only the first can have no more.
            if low < high && self.bytes(low).len() == depth {
                found(Found { bytes: depth, id: self.ids[low], score: self.scores[low] });
                low += 1;
            }
            let Some(&byte) = text.get(depth) else { return };
            low = self.first(low, high, |place| self.bytes(place)[depth] >= byte);
            high = self.first(low, high, |place| self.bytes(place)[depth] > byte);
            if low == high {
                return;
            }
        }
    }

    /// The first place from `low` on for which a monotonic condition is true; else `high`.
    fn first(&self, mut low: usize, mut high: usize, is_so: impl Fn(usize) -> bool) -> usize {
        while low < high {
            let middle = low + (high - low) / 2;
            if is_so(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    fn at(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[place] as usize]
    }

    fn bytes(&self, place: usize) -> &[u8] {
        self.at(place).as_bytes()
    }
}

impl<'de> Deserialize<'de> for Pieces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Pieces;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of [piece, score]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pieces, A::Error> {
                let mut listed = Vec::new();
                while let Some(piece) = list.next_element()? {
                    listed.push(piece);
                }
                Pieces::new(&listed).ok_or_else(|| serde::de::Error::custom("there are too many pieces"))
            }
        }
        deserializer.deserialize_seq(List)
    }
}
