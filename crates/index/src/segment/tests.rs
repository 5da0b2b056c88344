//! Segments, compared with the documents that they were built from.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::samples::{Parts, code_of, parts, small, small_with_several};
use super::*;
use crate::blob::BLOB_PAGE_BYTES;
use crate::document::Document;
use crate::quantization::join;

fn documents(parts: &Parts) -> Vec<Document> {
    parts.documents.iter().map(|one| one.document.clone()).collect()
}

/// The documents with the codes of each sorted, because the index keeps them in no order.
fn in_order(mut documents: Vec<Document>) -> Vec<Document> {
    documents.iter_mut().for_each(|document| document.codes.sort_unstable());
    documents
}

type Codes = BTreeMap<u32, Vec<(Group, Vec<u8>)>>;

fn add_code(all: &mut Codes, document: u32, group: &Group, code: Vec<u8>) {
    let of_document = all.entry(document).or_default();
    of_document.push((group.clone(), code));
    of_document.sort_by(|(_, a), (_, b)| a.cmp(b));
}

/// By document its codes, with the dimensions and mean of the group of each.
fn codes<B: PagedBytes>(segment: &Segment<B>) -> Codes {
    let codes = segment.codes().unwrap();
    let groups = codes.groups().unwrap();
    let mut all = BTreeMap::new();
    codes
        .each(|group, document, first, rest| {
            let code = join(groups[group].dimensions as usize, first, rest).unwrap();
            add_code(&mut all, document, &groups[group], code);
            Ok(())
        })
        .unwrap();
    all
}

fn codes_of(parts: &Parts) -> Codes {
    let mut all = BTreeMap::new();
    for (number, one) in (0..).zip(&parts.documents) {
        for (code, &group) in one.document.codes.iter().zip(&one.groups) {
            add_code(&mut all, number, &parts.groups[group as usize], code.clone());
        }
    }
    all
}

fn kill(bytes: &mut [u8], documents: impl IntoIterator<Item = u32>) {
    for document in documents {
        let header = Segment::open(&InMemory(bytes)).unwrap().header;
        let mut pages: Vec<&mut [u8]> = bytes.chunks_mut(BLOB_PAGE_BYTES).collect();
        let (page, offset) = header.places.position(document);
        assert!(mark_dead(pages[page as usize], offset).unwrap());
        assert!(!mark_dead(pages[page as usize], offset).unwrap());
        let (page, offset) = header.extents.position(header.places.part_number(document));
        pages[page as usize][offset + header::EXTENT_BYTES - 1] = 1;
    }
}

/// Reads everything that can be read, from bytes that may be damaged; returns the amount.
fn read_all(bytes: &[u8], hashes: &[u64]) -> Outcome<usize> {
    let bytes = InMemory(bytes);
    let segment = Segment::open(&bytes)?;
    let mut read = 0;
    let _ = segment.places(|places| {
        read += places.iter().count();
        Ok(())
    });
    let _ = segment.extents(|extent| {
        read += extent.documents().len();
        Ok(())
    });
    for column in (0..segment.number_columns()).map(|column| segment.numbers(column)).chain([segment.lengths()]) {
        read += column.map_or(0, |column| column.iter().flatten().count());
    }
    let mut set = Bitset::empty(segment.documents())?;
    for hash in hashes {
        let _ = segment.postings(*hash, |document, _| {
            assert!(document < segment.documents());
            read += 1;
        });
        let _ = segment.documents_with(*hash, &mut set);
    }
    let codes = segment.codes()?;
    read += codes.groups().map_or(0, |groups| groups.len());
    let (mut count, mut of_codes) = (0, 0);
    let _ = codes.each(|_, _, first, rest| {
        count += 1;
        of_codes += first.len() + rest.len();
        Ok(())
    });
    assert!(13 * count <= of_codes && of_codes as u64 <= bytes.len(), "no byte is of two codes");
    read += of_codes;
    let _ = merge(&[&segment], &|| Ok(()));
    let documents = documents_again(&segment)?;
    assert!(documents.iter().map(|document| document.codes.len()).sum::<usize>() <= count);
    read += documents.len();
    Ok(read)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn blocks_of_places_are_the_least_and_the_greatest_unless_one_is_dead(
        places in prop::collection::vec((prop_oneof![0..9_u32, any::<u32>()], 0..200_u16), 0..9), with_dead: bool,
    ) {
        let place = |(block, offset)| Place { block, offset: if with_dead { offset } else { offset + 1 } };
        let places = Vec::from_iter(places.into_iter().map(place));
        let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_bytes()).collect();
        let all_live = places.iter().all(|place| place.is_row());
        let blocks = || places.iter().map(|place| place.block);
        let expected = blocks().min().zip(blocks().max()).filter(|_| all_live);
        prop_assert_eq!(Places { first: 0, bytes: &bytes }.blocks(), expected);
    }

    #[test]
    fn a_segment_gives_the_documents_that_it_was_built_of(mut parts in parts(120)) {
        let bytes = parts.build();
        let paged = InMemory(&bytes);
        let segment = Segment::open(&paged).unwrap();
        let expected = documents(&parts);
        prop_assert!(expected.is_sorted_by(|a, b| (&a.numbers, a.place) <= (&b.numbers, b.place)));
        prop_assert_eq!(segment.length(), bytes.len() as u64);
        prop_assert_eq!(in_order(documents_again(&segment).unwrap()), in_order(expected.clone()));
        prop_assert_eq!(codes(&segment), codes_of(&parts));
        let differ = |columns: &usize| {
            let of = |document: &Document| document.numbers[..*columns].to_vec();
            expected.iter().all(|document| of(document).iter().all(Option::is_some))
                && expected.windows(2).all(|pair| of(&pair[0]) != of(&pair[1]))
        };
        prop_assert_eq!(segment.ordered_by(), (1..=parts.numbers).find(differ));
        for column in 0..parts.numbers {
            let numbers = || expected.iter().map(|document| document.numbers[column]);
            let range = segment.range(column).unwrap();
            prop_assert_eq!(range.numbers, numbers().flatten().min().zip(numbers().flatten().max()));
            prop_assert!(expected.is_empty() || range.has_null == numbers().any(|number| number.is_none()));
        }

        let mut places = Vec::new();
        segment.places(|page| { places.extend(page.iter()); Ok(()) }).unwrap();
        let mut extents = Vec::new();
        segment.extents(|extent| { extents.push(extent); Ok(()) }).unwrap();
        let mut of_extents = Vec::new();
        for extent in &extents {
            segment.places_of(extent, |page| {
                assert_eq!((page.documents(), page.blocks()), (extent.documents(), extent.blocks()));
                of_extents.extend(page.iter());
                Ok(())
            }).unwrap();
        }
        prop_assert_eq!(&of_extents, &places);
        prop_assert_eq!(places, Vec::from_iter((0..).zip(expected.iter().map(|document| document.place))));
        let lengths: Vec<_> = segment.lengths().unwrap().iter().collect();
        prop_assert_eq!(lengths, Vec::from_iter(expected.iter().map(|document| Some(i64::from(document.length)))));
        for column in 0..parts.numbers {
            let numbers = segment.numbers(column).unwrap();
            prop_assert_eq!(
                Vec::from_iter(numbers.iter()),
                Vec::from_iter(expected.iter().map(|document| document.numbers[column]))
            );
        }
        prop_assert!(segment.numbers(parts.numbers).is_err());
    }

    #[test]
    fn a_hash_gives_the_documents_that_hold_it(mut parts in parts(120), other: u64) {
        let bytes = parts.build();
        let paged = InMemory(&bytes);
        let segment = Segment::open(&paged).unwrap();
        let expected = documents(&parts);
        let lexemes = expected.iter().flat_map(|document| document.lexemes.iter().map(|lexeme| lexeme.0));
        let terms = expected.iter().flat_map(|document| document.terms.iter().copied());
        for hash in lexemes.chain(terms).chain([0, other, u64::MAX]).collect::<BTreeSet<_>>() {
            let holding: Vec<_> = (0..)
                .zip(&expected)
                .filter_map(|(number, one)| {
                    let at = one.lexemes.binary_search_by_key(&hash, |lexeme| lexeme.0).ok()?;
                    Some((number, one.lexemes[at].1))
                })
                .collect();
            let mut found = Vec::new();
            let count = segment.postings(hash, |document, occurrences| found.push((document, occurrences))).unwrap();
            prop_assert_eq!(count as usize, found.len());
            prop_assert_eq!(found, holding);

            let having: Vec<u32> =
                (0..).zip(&expected).filter(|(_, one)| one.terms.contains(&hash)).map(|(number, _)| number).collect();
            let mut set = Bitset::empty(segment.documents()).unwrap();
            let count = segment.documents_with(hash, &mut set).unwrap();
            prop_assert_eq!(count as usize, having.len());
            prop_assert_eq!(Vec::from_iter(set.iter()), having);
        }
    }

    #[test]
    fn merged_segments_hold_the_live_documents_of_each(
        mut all in prop::collection::vec(parts(40), 0..4),
        dead in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
    ) {
        let numbers = all.first().map_or(0, |parts| parts.numbers);
        all.retain(|parts| parts.numbers == numbers);
        let mut expected = Parts { documents: Vec::new(), groups: super::samples::groups(), numbers };
        let mut stored = Vec::new();
        for (number, parts) in all.iter_mut().enumerate() {
            parts.documents.iter_mut().for_each(|one| one.document.place.block += 1_000 * number as u32);
            let mut bytes = parts.build();
            let dead: BTreeSet<u32> = match parts.documents.len() {
                0 => BTreeSet::new(),
                count => dead.iter().map(|at| at.index(count) as u32).collect(),
            };
            kill(&mut bytes, dead.iter().copied());
            let live = (0..).zip(&parts.documents).filter(|(number, _)| !dead.contains(number));
            expected.documents.extend(live.map(|(_, one)| one.clone()));
            stored.push(bytes);
        }
        let bytes: Vec<_> = stored.iter().map(|bytes| InMemory(bytes)).collect();
        let segments: Vec<_> = bytes.iter().map(|bytes| Segment::open(bytes).unwrap()).collect();
        let merged = merge(&Vec::from_iter(&segments), &|| Ok(())).unwrap();
        let merged = InMemory(&merged);
        let merged = Segment::open(&merged).unwrap();
        expected.build();
        prop_assert_eq!(in_order(documents_again(&merged).unwrap()), in_order(documents(&expected)));
        prop_assert_eq!(codes(&merged), codes_of(&expected));
        prop_assert!(merged.codes().unwrap().groups().unwrap().len() <= 3);
    }

    #[test]
    fn a_damaged_segment_gives_an_error_or_other_documents(
        mut parts in parts(60), cut in any::<prop::sample::Index>(), header: bool,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let whole = parts.build();
        let hashes: Vec<u64> = parts.documents.iter().flat_map(|one| one.document.terms.clone()).take(20).collect();
        let mut flipped = whole.clone();
        let reach = if header { whole.len().min(300) } else { whole.len() };
        flips.iter().for_each(|(at, with)| flipped[at.index(reach)] ^= with);
        let _ = read_all(&flipped, &hashes);
        prop_assert!(read_all(&whole[..cut.index(whole.len())], &hashes).is_err());
    }
}

#[test]
fn documents_that_contradict_themselves_are_refused() {
    let refused = |change: &dyn Fn(&mut Parts)| {
        let mut parts = small();
        change(&mut parts);
        build(&mut parts.documents, &parts.groups, parts.numbers).is_err()
    };
    assert!(!refused(&|_| ()));
    assert!(refused(&|parts| parts.numbers = 2));
    assert!(refused(&|parts| parts.documents[1].groups = vec![7]));
    assert!(refused(&|parts| parts.documents[1].groups = vec![]), "a code without a group");
    assert!(refused(&|parts| parts.documents[1].groups.push(0)), "a group without a code");
    assert!(refused(&|parts| parts.documents[1].document.terms = vec![3, 3]));
    assert!(refused(&|parts| parts.documents[3].document.codes = vec![vec![0; BLOB_PAGE_BYTES]]));
    assert!(refused(&|parts| parts.documents[0].document.codes = vec![vec![0; 4]]), "another length in its group");
}

#[test]
fn a_document_has_all_its_codes_also_those_of_one_group_in_parts_and_whole() {
    let bytes_of = |(group, byte): (u32, u8)| code_of(group, byte);
    for rows in [1, 3, 4, 9] {
        let mut parts = small();
        let groups: Vec<u32> = vec![1, 1, 0, 2, 1, 1];
        let codes: Vec<Vec<u8>> = groups.iter().copied().zip([5, 6, 7, 8, 6, 9]).map(bytes_of).collect();
        let document = |row: u32| {
            let place = Place { block: row, offset: 1 };
            let document = Document { place, numbers: vec![Some(row.into()); 3], ..Document::default() };
            // Other documents before and after it, with one code each.
            match row == rows / 2 {
                true => {
                    SegmentDocument { document: Document { codes: codes.clone(), ..document }, groups: groups.clone() }
                }
                false => SegmentDocument {
                    document: Document { codes: vec![codes[0].clone()], ..document },
                    groups: vec![1],
                },
            }
        };
        parts.groups = super::samples::groups();
        parts.documents = (0..rows).map(document).collect();
        let bytes = parts.build();
        let paged = InMemory(&bytes);
        let segment = Segment::open(&paged).unwrap();
        assert_eq!(in_order(documents_again(&segment).unwrap()), in_order(documents(&parts)));
        assert_eq!(codes_of(&parts)[&(rows / 2)].len(), 6);
        assert_eq!(self::codes(&segment), codes_of(&parts));
        let mut order = Vec::new();
        let stored = segment.codes().unwrap();
        stored
            .each(|group, document, _, _| {
                order.push((group, document));
                Ok(())
            })
            .unwrap();
        assert!(order.is_sorted(), "{order:?}");
        // Six codes are as many as those of six documents.
        assert!(!stored.are_whole(1), "{rows} rows");
    }
}

#[test]
fn every_changed_byte_of_the_codes_is_damage_or_another_estimate() {
    let mut parts = small_with_several();
    let whole = parts.build();
    let paged = InMemory(&whole);
    let groups = Segment::open(&paged).unwrap().header.groups;
    let mut refused = 0;
    // The codes and their table, and its description in the header.
    for at in (16..20).chain(72..80).chain(groups.1 as usize - 200..whole.len()) {
        for with in 1..=u8::MAX {
            let mut flipped = whole.clone();
            flipped[at] ^= with;
            refused += usize::from(read_all(&flipped, &[]).is_err());
        }
    }
    assert!(refused > 10_000, "{refused}");
}

#[test]
fn parts_without_items_may_start_at_the_end_of_a_page() {
    let document = |block| Document { place: Place { block, offset: 1 }, ..Document::default() };
    for count in 1_300..1_380 {
        let documents = (0..count).map(|block| SegmentDocument { document: document(block), groups: Vec::new() });
        let bytes = build(&mut documents.collect::<Vec<_>>(), &[], 0).unwrap();
        assert_eq!(Segment::open(&InMemory(&bytes)).map(|segment| segment.documents()), Ok(count));
    }
}

#[test]
fn terms_that_all_or_many_documents_have_take_few_bytes() {
    let with = |term: &dyn Fn(u64) -> Vec<u64>| {
        let document = |number: u64| Document {
            place: Place { block: number as u32, offset: 1 },
            terms: term(number),
            ..Document::default()
        };
        let documents = (0..10_000).map(|number| SegmentDocument { document: document(number), groups: Vec::new() });
        build(&mut documents.collect::<Vec<_>>(), &[], 0).unwrap().len()
    };
    let none = with(&|_| vec![]);
    assert!(with(&|_| vec![7]) - none < 20);
    assert!(with(&|number| vec![7 + number % 2]) - none < 2 * 1_250 + 40);
    assert!(with(&|number| if number % 1_000 == 0 { vec![7] } else { vec![] }) - none < 40);
}

#[test]
fn long_lists_are_read_over_pages() {
    let document = |number: u32| {
        let found = |d| Occurrences { by_weight: [d, 0, 0, 0] };
        let mut lexemes = vec![(7, found(1 + (number % 9) as u16))];
        lexemes.extend((number.is_multiple_of(3)).then_some((8, found(1))));
        let place = Place { block: number, offset: 1 };
        let terms = if number.is_multiple_of(11) { vec![9] } else { vec![] };
        Document { place, numbers: vec![Some(i64::from(number))], length: 1, terms, lexemes, codes: Vec::new() }
    };
    let expected: Vec<_> = (0..30_000).map(document).collect();
    let mut documents: Vec<_> = expected
        .iter()
        .rev()
        .map(|document| SegmentDocument { document: document.clone(), groups: Vec::new() })
        .collect();
    let bytes = build(&mut documents, &[], 1).unwrap();
    let paged = InMemory(&bytes);
    let segment = Segment::open(&paged).unwrap();
    for (hash, count) in [(7, 30_000), (8, 10_000)] {
        let mut next = expected.iter().enumerate().filter_map(|(number, document)| {
            let lexeme = document.lexemes.iter().find(|lexeme| lexeme.0 == hash)?;
            Some((number as u32, lexeme.1))
        });
        let found = segment.postings(hash, |document, found| assert_eq!(next.next(), Some((document, found)))).unwrap();
        assert_eq!(found, count);
        assert_eq!(next.next(), None);
    }
    let mut set = Bitset::empty(30_000).unwrap();
    assert_eq!(segment.documents_with(9, &mut set).unwrap(), 2_728);
    assert_eq!(Vec::from_iter(set.iter()), Vec::from_iter((0..30_000).step_by(11)));
    assert_eq!(documents_again(&segment).unwrap(), expected);
}

#[test]
fn a_merge_stops_where_its_caller_is_interrupted() {
    let bytes = [small().build(), small().build()];
    let opened: Vec<_> = bytes.iter().map(|bytes| InMemory(bytes)).collect();
    let segments: Vec<_> = opened.iter().map(|bytes| Segment::open(bytes).unwrap()).collect();
    // The number of checks until one answer stops it, if any does.
    let asks_until = |last: usize| {
        let ticks = std::cell::Cell::new(0);
        let merged = merge(&Vec::from_iter(&segments), &|| {
            ticks.set(ticks.get() + 1);
            if ticks.get() == last { Err(damaged_content("interrupted")) } else { Ok(()) }
        });
        (ticks.get(), merged.is_ok())
    };
    let (all, _) = asks_until(usize::MAX);
    assert!(all > 8, "{all} ticks");
    for last in 1..=all {
        assert_eq!(asks_until(last), (last, false), "nothing is done after it");
    }
}
