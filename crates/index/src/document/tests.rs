//! Records of documents, compared with the documents that they were made of.

use memory_search_core::text::document::Occurrences;
use proptest::prelude::*;

use super::samples::{document, hash, small};
use super::{Document, DocumentView, Wanted, encode};
use crate::place::Place;

/// Documents with no code, with one, and with many; a code may be longer than a byte says.
fn with_codes() -> impl Strategy<Value = Document> {
    let code = || prop_oneof![9 => prop::collection::vec(any::<u8>(), 0..40), 1 => Just(vec![7; 300])];
    let codes = prop_oneof![
        2 => prop::collection::vec(code(), 0..2),
        1 => prop::collection::vec(code(), 2..20),
    ];
    ((0_usize..12).prop_flat_map(document), codes).prop_map(|(document, codes)| Document { codes, ..document })
}

fn found_in(view: &DocumentView, wanted: &Wanted) -> Vec<(usize, Occurrences)> {
    let mut found = Vec::new();
    view.find(wanted, |which, occurrences| found.push((which, occurrences)));
    found
}

proptest! {
    #[test]
    fn a_record_gives_the_document_that_it_was_made_of(document in with_codes(), other: u64) {
        let bytes = encode(&document);
        let view = DocumentView::new(&bytes).unwrap();
        prop_assert_eq!(view.to_document(document.place), document.clone());
        prop_assert_eq!(Vec::from_iter(view.codes()), document.codes.clone());
        prop_assert_eq!(view.number(document.numbers.len()), None);
        prop_assert!(document.terms.iter().all(|term| view.has_term(*term)));
        prop_assert_eq!(view.has_term(other), document.terms.contains(&other));
    }

    #[test]
    fn the_lexemes_that_are_wanted_are_found(
        documents in prop::collection::vec(document(1), 1..8), others in prop::collection::btree_set(hash(), 0..64),
    ) {
        // Also a document of many lexemes: more than the filter tests at once.
        let mut lexemes: Vec<_> = documents.iter().flat_map(|document| document.lexemes.clone()).collect();
        lexemes.sort_by_key(|lexeme| lexeme.0);
        lexemes.dedup_by_key(|lexeme| lexeme.0);
        let bytes = encode(&Document { lexemes: lexemes.clone(), ..documents[0].clone() });
        let sorted = Vec::from_iter(others);
        let expected: Vec<_> = lexemes
            .iter()
            .filter_map(|(hash, found)| sorted.binary_search(hash).ok().map(|which| (which, *found)))
            .collect();
        let found = found_in(&DocumentView::new(&bytes).unwrap(), &Wanted::new(&sorted).unwrap());
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn damaged_bytes_are_an_error_or_another_document(
        document in with_codes(), cut in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut bytes = encode(&document);
        flips.iter().for_each(|(at, with)| { let at = at.index(bytes.len()); bytes[at] ^= with; });
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            let Ok(view) = DocumentView::new(bytes) else { continue };
            let read = view.to_document(Place::NONE);
            prop_assert!(read.numbers.len() <= 2 * bytes.len() && read.lexemes.len() <= bytes.len());
            prop_assert!(read.codes.len() + read.codes.iter().map(Vec::len).sum::<usize>() <= bytes.len() + 1);
            found_in(&view, &Wanted::new(&[1, u64::MAX]).unwrap());
            view.has_term(1);
        }
    }
}

#[test]
fn bytes_that_are_no_record_are_refused() {
    let bytes = encode(&small(Place::NONE, 1));
    assert!(DocumentView::new(&[]).is_err());
    assert!(DocumentView::new(&[&[0x20], &bytes[1..]].concat()).is_err(), "another format");
    let without_code = encode(&Document { codes: Vec::new(), ..small(Place::NONE, 1) });
    assert!(DocumentView::new(&[&without_code[..], &[0]].concat()).is_err(), "more than the counts say");
    for end in 0..without_code.len() {
        assert!(DocumentView::new(&without_code[..end]).is_err(), "cut to {end} bytes");
    }
}

#[test]
fn several_codes_that_contradict_their_lengths_are_refused() {
    let bytes = encode(&Document { codes: vec![vec![7; 3], vec![8; 2]], ..small(Place::NONE, 1) });
    let (before, codes) = bytes.split_at(bytes.len() - 7);
    assert_eq!(codes, [3, 7, 7, 7, 2, 8, 8]);
    assert_eq!(before[0] & 0x0f & !4, 8, "instead of the flag of one code");
    let with = |codes: &[u8]| DocumentView::new(&[before, codes].concat()).map(|view| view.codes().count());
    assert_eq!(with(codes), Ok(2));
    assert_eq!(with(&[1, 7, 0, 1, 8]), Ok(3), "an empty one among them");
    for end in 0..codes.len() {
        assert!(with(&codes[..end]).is_err(), "cut to {end} bytes");
    }
    assert!(with(&[3, 7, 7, 7]).is_err(), "only one");
    assert!(with(&[2, 7, 7, 2, 7]).is_err(), "one that ends after the bytes");
    assert!(with(&[1, 7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).is_err(), "the greatest length");
    let both = [&[before[0] | 1], &bytes[1..]].concat();
    assert!(DocumentView::new(&both).is_err(), "one code and several at once");
}
