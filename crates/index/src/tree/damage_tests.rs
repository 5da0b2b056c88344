//! Damaged pages: every operation ends with a result or an error, for all bytes in them.

use std::collections::HashSet;

use super::generated::{Random, empty_index};
use super::{Builder, Key, Tree, Walk, check};
use crate::blob::{Blob, PagedBytes, free, free_unlinked, write};
use crate::fault::{Fault, Outcome};
use crate::memory_pages::MemoryPages;
use crate::page::{HEADER_BYTES, PAGE_BYTES, SPECIAL};
use crate::pages::Pages;
use crate::place::Place;
use memory_search_core::ErrorKind;

/// An index of three levels and two blobs, with the first of which others are compared.
struct Sound {
    pages: MemoryPages,
    keys: Vec<Key>,
    blob: (u32, u64),
}

fn sound() -> Sound {
    let pages = empty_index();
    let mut builder = Builder::new(&pages, 10).unwrap();
    let keys: Vec<_> = (0..200u32)
        .map(|row| Key { memory: u128::from(row / 9), place: Place { block: row % 9, offset: 1 } })
        .collect();
    for key in &keys {
        builder.add(key, &[key.place.block as u8; 500]).unwrap();
    }
    builder.finish().unwrap();
    assert_eq!(check(&pages).unwrap().levels.len(), 3);
    let id = pages.fresh_id().unwrap();
    let root = write(&pages, id, &[1; 5 * PAGE_BYTES]).unwrap();
    write(&pages, pages.fresh_id().unwrap(), &[2; PAGE_BYTES]).unwrap();
    Sound { pages, keys, blob: (root, id) }
}

/// Overwrites some bytes, mostly in parts that matter.
fn damage(pages: &MemoryPages, random: &mut Random) {
    let blocks = u64::from(pages.blocks().unwrap());
    for _ in 0..1 + random.below(4) {
        let (block, other) = (random.below(blocks) as u32, random.below(blocks) as u32);
        let source = pages.read(other, |page| Ok(*page)).unwrap();
        pages.damage(block, |page| match random.below(10) {
            0 => page.fill(0),
            1 => *page = source,
            2 => page.iter_mut().for_each(|byte| *byte = random.next() as u8),
            3 => page[SPECIAL..SPECIAL + 4].copy_from_slice(&other.to_le_bytes()),
            4 => page[SPECIAL..SPECIAL + 8].copy_from_slice(&source[SPECIAL..SPECIAL + 8]),
            5 => {
                // A block number or length within the content.
                let at = HEADER_BYTES + random.below(300) as usize;
                page[at..at + 4].copy_from_slice(&other.to_le_bytes());
            }
            _ => {
                for _ in 0..1 + random.below(8) {
                    let at = match random.below(3) {
                        0 => 10 + random.below(100),
                        1 => SPECIAL as u64 + random.below((PAGE_BYTES - SPECIAL) as u64),
                        _ => random.below(PAGE_BYTES as u64),
                    };
                    page[at as usize] = random.next() as u8;
                }
            }
        });
    }
}

/// Counts the operations that ended with damage.
struct Met(u64);

impl Met {
    fn take<T>(&mut self, outcome: Outcome<T>) {
        match outcome {
            Ok(_) | Err(Fault::Moved) => {}
            Err(Fault::Error(error)) => {
                self.0 += 1;
                assert!(matches!(error.kind, ErrorKind::IndexCorrupted | ErrorKind::Unsupported), "{error:?}");
                assert!(error.hint.is_some());
            }
        }
    }
}

fn use_all(sound: &Sound, pages: &MemoryPages, random: &mut Random) -> u64 {
    let mut met = Met(0);
    met.take(check(pages));
    let tree = match Tree::open(pages) {
        Ok(tree) => tree,
        Err(_) => Tree::at(pages, Tree::open(&sound.pages).unwrap().root()),
    };
    for _ in 0..10 {
        let known = sound.keys[random.below(sound.keys.len() as u64) as usize];
        let new = Key { place: Place { offset: 2, ..known.place }, ..known };
        met.take(tree.get(&known, |record| Ok(record.len())));
        met.take(tree.insert(&new, &random.record()));
        met.take(tree.replace(&known, &random.record()));
        met.take(tree.remove(&[known, new]));
    }
    met.take(tree.leaves(&Key::MIN, |leaf| leaf.entries().try_for_each(|entry| entry.map(drop)).map(|()| Walk::Go)));
    met.take(tree.change_leaves(&Key::MIN, |leaf, gone| {
        gone.extend((leaf.first()..leaf.count()).step_by(7));
        Ok(Walk::Go)
    }));
    let (root, id) = sound.blob;
    met.take(Blob::open(pages, root, id).and_then(|blob| {
        for page in 0..blob.pages() {
            blob.read_page(page, |bytes| Ok(bytes.len()))?;
            blob.change_pages(&[page], |_, bytes| Ok(bytes.first_mut().map(|byte| *byte ^= 1).is_some()))?;
        }
        Ok(())
    }));
    met.take(free_unlinked(pages, |_: &mut HashSet<u64>| Ok(())));
    met.take(free(pages, root, id));
    met.take(check(pages));
    met.0
}

#[test]
fn damaged_pages_end_in_a_result_or_an_error() {
    let (sound, mut random) = (sound(), Random(9));
    let mut met = 0;
    for _ in 0..3_000 {
        let pages = sound.pages.copy();
        damage(&pages, &mut random);
        met += u64::from(use_all(&sound, &pages, &mut random) > 0);
    }
    assert!(met > 2_000, "little damage was noticed: {met}");
}

#[test]
fn an_index_without_damage_is_used_without_errors() {
    let sound = sound();
    assert_eq!(use_all(&sound, &sound.pages.copy(), &mut Random(1)), 0);
}

#[test]
fn leaves_that_lead_in_a_circle_are_noticed() {
    let Sound { pages, keys, .. } = sound();
    let (mut leaves, mut circle) = (Vec::new(), Vec::new());
    let tree = Tree::open(&pages).unwrap();
    tree.leaves(&Key::MIN, |leaf| {
        leaves.push(leaf.block());
        Ok(Walk::Go)
    })
    .unwrap();
    pages.damage(leaves[9], |page| page[SPECIAL..SPECIAL + 4].copy_from_slice(&leaves[3].to_le_bytes()));
    let walked = tree.leaves(&keys[0], |leaf| {
        circle.push(leaf.block());
        Ok(Walk::Go)
    });
    assert!(matches!(walked, Err(Fault::Error(error)) if error.kind == ErrorKind::IndexCorrupted));
    assert_eq!(circle, leaves[..10]);
    assert!(check(&pages).is_err());
}
