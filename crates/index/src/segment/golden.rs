//! The bytes of a small segment and of a record: they lie on disks, so no change of the code may change them.

use super::samples::{small, small_with_several};
use super::{InMemory, Segment, documents_again};
use crate::document::{Document, DocumentView, encode, samples};
use crate::place::Place;

const RECORD: &str = "
    15030203012c0100000000000008070605040302012d010000000000001817161514131211ffffffffffffffff0142002c01000000000000
    270f00c6ff5348140c57022cc0de
";

const SEGMENT: &str = "
    0101030004000000060000000500000002000000010000008c02000000000000f00000000000000010010000000000005801000000000000
    940100000000000029000000000000003c020000000000000300000000000000010000000000000004000000010000000801000000000000
    030000000000000040822d18240a060040420f00000000000400000001010000080100000000000000495b18240a0600fcffffffffffffff
    010000000000000004000000010100000c01000000000000ffffffffffffffff000000000000000001000000000000000000000000000000
    1001000000000000000000000000000000000009000100000008000200000007000300000006000400010203030201000200000000000000
    01000080030000000000000001010080040000000000000001020080050000000000000001030080181716151413121100000000ffffffff
    ffffffff0a000000010000000000000001000080020000000000000001010080030000000000000001020080040000000000000001030080
    08070605040302012800000010080142014201420142101c0100ac020000000100ac020000000100ac020000000100ac0200000012010000
    0008000202020202020202020202020202020202020300000008000404040404040404040404040404040404040102030000000001010000
    0101010101010101010200000003030000030303030303030303010101010101010101010101010101010101010101030303030303030303
    03030303030303030303030308000000ffffffff00000000000000000200000000000000bd01000000000000000000000000000028000000
    03000000ed010000000000000200000001000000f0010000000000001202000000000000
";

/// Of a document that has several codes.
const RECORD_OF_SEVERAL: &str = "";

/// Of two documents, one of which has four codes and the other none.
const SEGMENT_OF_SEVERAL: &str = "";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

#[test]
fn a_record_has_the_bytes_that_it_always_had() {
    let document = samples::small(Place { block: 1, offset: 2 }, 300);
    let stored = bytes(RECORD);
    assert_eq!(hex(&encode(&document)), hex(&stored));
    assert_eq!(DocumentView::new(&stored).unwrap().to_document(document.place), document);
}

#[test]
fn a_segment_has_the_bytes_that_it_always_had() {
    let mut parts = small();
    let stored = bytes(SEGMENT);
    assert_eq!(hex(&parts.build()), hex(&stored));
    let paged = InMemory(&stored);
    let read = documents_again(&Segment::open(&paged).unwrap()).unwrap();
    assert_eq!(read, Vec::from_iter(parts.documents.into_iter().map(|one| one.document)));
}

#[test]
fn a_record_of_several_codes_has_the_bytes_that_it_always_had() {
    let one = samples::small(Place { block: 1, offset: 2 }, 300);
    let document = Document { codes: vec![vec![0x2c, 0xc0, 0xde], vec![0x2d, 0xc0]], ..one };
    let stored = bytes(RECORD_OF_SEVERAL);
    assert_eq!(hex(&encode(&document)), hex(&stored));
    assert_eq!(DocumentView::new(&stored).unwrap().to_document(document.place), document);
}

#[test]
fn a_segment_of_several_codes_has_the_bytes_that_it_always_had() {
    let mut parts = small_with_several();
    let stored = bytes(SEGMENT_OF_SEVERAL);
    assert_eq!(hex(&parts.build()), hex(&stored));
    let paged = InMemory(&stored);
    let mut read = documents_again(&Segment::open(&paged).unwrap()).unwrap();
    // By groups.
    parts.documents.iter_mut().for_each(|one| one.document.codes.sort_unstable());
    read.iter_mut().for_each(|document| document.codes.sort_unstable());
    assert_eq!(read, Vec::from_iter(parts.documents.into_iter().map(|one| one.document)));
}
