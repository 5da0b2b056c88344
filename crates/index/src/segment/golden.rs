//! The bytes of a small segment and of a record: they lie on disks, so no change of the code may change them.

use super::samples::small;
use super::{InMemory, Segment, documents_again};
use crate::document::{DocumentView, encode, samples};
use crate::place::Place;

const RECORD: &str = "
    15030203012c0100000000000008070605040302012d010000000000001817161514131211ffffffffffffffff0142002c01000000000000
    270f00c6ff5348140c57022cc0de
";

const SEGMENT: &str = "
    010103000400000006000000050000000200000000000000fc01000000000000d000000000000000f0000000000000003801000000000000
    74010000000000002900000000000000bc01000000000000030000000000000001000000000000000400000001000000e800000000000000
    40822d18240a060040420f00000000000400000001010000e800000000000000fcffffffffffffff01000000000000000400000001010000
    ec00000000000000000000000000000001000000000000000000000000000000f00000000000000000000009000100000008000200000007
    0003000000060004000102030302010002000000000000000100008003000000000000000101008004000000000000000102008005000000
    0000000001030080181716151413121100000000ffffffffffffffff0a000000010000000000000001000080020000000000000001010080
    03000000000000000102008004000000000000000103008008070605040302012800000010080142014201420142101c0100ac0200000001
    00ac020000000100ac020000000100ac02000000120100000002c0de0300000004c0de0102030000000001c0de0200000003c0de08000000
    ffffffff000000000000000007000000020000009d010000000000000800000003000000ab010000000000000700000002000000ae010000
    00000000
";

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
