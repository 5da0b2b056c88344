//! Documents that no index can hold are refused before anything is written.

use crate::document::{Document, Occurrences};
use crate::fault::{ErrorKind, Fault, Outcome};
use crate::memory::bulk::{Embedded, Loader};
use crate::memory::tail;
use crate::place::Place;
use crate::tree::generated::empty_index;

fn sound() -> Document {
    let once = Occurrences { by_weight: [1, 0, 0, 0] };
    let (terms, lexemes) = (vec![7, 9], vec![(4, once), (5, once)]);
    Document { place: Place { block: 3, offset: 1 }, numbers: vec![None], length: 2, terms, lexemes, codes: Vec::new() }
}

/// By a build of an index with so many numbers.
fn load(document: Document, numbers: usize) -> Outcome<()> {
    let pages = empty_index();
    let mut loader = Loader::new(&pages, numbers, |_| None)?;
    loader.add(7, Embedded { document, embeddings: Vec::new() })?;
    loader.finish()
}

#[test]
fn a_place_without_a_row_and_unsorted_hashes_are_refused() {
    let [first, second] = [0, 1].map(|at| sound().lexemes[at]);
    let wrong = [
        (Document { place: Place { block: 3, offset: 0 }, ..sound() }, "offset 0 in block 3"),
        (Document { terms: vec![9, 7], ..sound() }, "terms"),
        (Document { terms: vec![7, 7], ..sound() }, "terms"),
        (Document { lexemes: vec![second, first], ..sound() }, "lexemes"),
        (Document { lexemes: vec![first, first], ..sound() }, "lexemes"),
    ];
    for (document, named) in wrong {
        let pages = empty_index();
        let before = pages.commits();
        let Err(Fault::Error(error)) = tail::insert(&pages, 7, &document) else { panic!("{document:?} is inserted") };
        assert_eq!(error.kind, ErrorKind::InvalidArgument);
        assert!(error.message.contains(named), "{}", error.message);
        assert_eq!(pages.commits(), before, "nothing is written");
        assert!(load(document, 1).is_err());
    }
    assert_eq!(load(sound(), 1), Ok(()));
    assert!(tail::insert(&empty_index(), 7, &sound()).is_ok());
}

#[test]
fn a_build_refuses_a_document_with_other_numbers_than_the_index() {
    let Err(Fault::Error(error)) = load(sound(), 2) else { panic!("it is loaded") };
    assert_eq!(error.message, "a document has 1 numbers, and the index 2");
}
