//! Blobs: written, read, marked and freed, with a crash at any commit, and read while others free them.

use std::collections::HashSet;

use super::{BLOB_PAGE_BYTES, Blob, LISTED, PagedBytes, free, free_unlinked, write};
use crate::fault::{Fault, Outcome};
use crate::memory_pages::MemoryPages;
use crate::pages::Pages;
use crate::tree::check;

const LENGTHS: [usize; 7] = [
    0,
    1,
    BLOB_PAGE_BYTES - 1,
    BLOB_PAGE_BYTES,
    BLOB_PAGE_BYTES + 1,
    9 * BLOB_PAGE_BYTES + 77,
    LISTED * BLOB_PAGE_BYTES * 2 + 5,
];

fn index() -> MemoryPages {
    let pages = MemoryPages::new();
    crate::tree::create(&pages, [0; 16], b"").unwrap();
    pages
}

fn content(length: usize) -> Vec<u8> {
    (0..length).map(|byte| (byte / 7 + byte / BLOB_PAGE_BYTES) as u8).collect()
}

fn read(pages: &MemoryPages, root: u32, id: u64) -> Outcome<Vec<u8>> {
    let blob = Blob::open(pages, root, id)?;
    let mut bytes = Vec::new();
    for page in 0..blob.pages() {
        blob.read_page(page, |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
    }
    assert_eq!(bytes.len() as u64, blob.len());
    Ok(bytes)
}

/// Frees the blobs that nothing points to, after all transactions have ended.
fn vacuum(pages: &MemoryPages, linked: &[u64]) -> Outcome<u64> {
    pages.set_transactions(100, 100);
    let freed = free_unlinked(pages, |ids| {
        ids.retain(|id| !linked.contains(id));
        Ok(())
    })?;
    Ok(freed.pages)
}

#[test]
fn a_blob_is_read_as_it_was_written() {
    let pages = index();
    for length in LENGTHS {
        let id = pages.fresh_id().unwrap();
        let root = write(&pages, id, &content(length)).unwrap();
        assert!(read(&pages, root, id).unwrap() == content(length), "{length}");
        assert!(Blob::open(&pages, root, id).unwrap().read_page(1 << 20, |_| Ok(())).is_err());
    }
}

#[test]
fn a_freed_blob_gives_back_its_pages_and_its_address_is_noticed_to_be_stale() {
    let pages = index();
    for length in LENGTHS {
        let (first, second) = (pages.fresh_id().unwrap(), pages.fresh_id().unwrap());
        let root = write(&pages, first, &content(length)).unwrap();
        let blob = Blob::open(&pages, root, first).unwrap();
        let blocks = pages.blocks().unwrap();
        free(&pages, root, first).unwrap();
        assert_eq!(Blob::open(&pages, root, first).err(), Some(Fault::Moved), "free");
        let again = write(&pages, second, &content(length)).unwrap();
        assert_eq!(pages.blocks().unwrap(), blocks, "pages are used again");
        assert_eq!(Blob::open(&pages, root, first).err(), Some(Fault::Moved), "another's");
        for page in 0..blob.pages() {
            assert_eq!(blob.read_page(page, |_| Ok(())), Err(Fault::Moved));
            assert_eq!(blob.change_pages(&[page], |_, _| Ok(true)), Err(Fault::Moved));
        }
        free(&pages, root, first).unwrap();
        assert!(read(&pages, again, second).unwrap() == content(length), "a second free leaves the new owner's pages");
    }
}

#[test]
fn a_reader_meets_whole_bytes_or_notices_that_they_moved() {
    let mut moved = 0;
    for visits in 0..30 {
        let pages = index();
        let bytes = content(20 * BLOB_PAGE_BYTES);
        let id = pages.fresh_id().unwrap();
        let root = write(&pages, id, &bytes).unwrap();
        let mut left = visits;
        pages.between(move |pages| {
            left -= 1;
            if left == 0 {
                free(pages, root, id).unwrap();
                write(pages, pages.fresh_id().unwrap(), &[0xee; 20 * BLOB_PAGE_BYTES]).unwrap();
            }
        });
        match read(&pages, root, id) {
            Ok(read) => assert!(read == bytes),
            Err(fault) => {
                assert_eq!(fault, Fault::Moved);
                moved += 1;
            }
        }
    }
    assert!(moved > 20);
}

#[test]
fn marks_stay_and_refused_changes_are_not_written() {
    let pages = index();
    let mut bytes = content(3 * BLOB_PAGE_BYTES + 10);
    let id = pages.fresh_id().unwrap();
    let root = write(&pages, id, &bytes).unwrap();
    let blob = Blob::open(&pages, root, id).unwrap();
    blob.change_pages(&[3], |_, part| {
        assert_eq!(part.len(), 10);
        part[9] = 0xdd;
        Ok(true)
    })
    .unwrap();
    bytes[3 * BLOB_PAGE_BYTES + 9] = 0xdd;
    let before = pages.commits();
    let not_meant = blob.change_pages(&[0, 1], |_, part| {
        part.fill(0);
        Ok(false)
    });
    assert_eq!((not_meant, pages.commits()), (Ok(false), before));
    assert!(read(&pages, root, id).unwrap() == bytes);
}

#[test]
fn a_crash_while_writing_or_freeing_leaves_pages_that_vacuum_frees() {
    let bytes = content(21 * BLOB_PAGE_BYTES);
    for crash in 0..16 {
        let pages = index();
        let (kept, id) = (pages.fresh_id().unwrap(), pages.fresh_id().unwrap());
        let kept_root = write(&pages, kept, &bytes).unwrap();
        pages.crash_after(crash);
        let freed = write(&pages, id, &bytes).and_then(|root| free(&pages, root, id));
        assert_eq!(freed.is_err(), pages.has_crashed());
        pages.restart();
        // VACUUM may crash as well; the next one goes on.
        pages.crash_after(crash);
        let _ = vacuum(&pages, &[kept]);
        pages.restart();
        vacuum(&pages, &[kept]).unwrap();
        let statistics = check(&pages).unwrap();
        assert_eq!((statistics.blob_pages, statistics.empty_pages), (22, 0));
        assert!(read(&pages, kept_root, kept).unwrap() == bytes);
        // All that was freed is used again before the file grows.
        let blocks = pages.blocks().unwrap();
        for _ in 0..statistics.free_pages {
            write(&pages, pages.fresh_id().unwrap(), b"").unwrap();
        }
        assert_eq!(pages.blocks().unwrap(), blocks);
    }
}

#[test]
fn the_pages_of_a_running_writer_are_kept() {
    let pages = index();
    pages.set_transactions(10, 5);
    let id = pages.fresh_id().unwrap();
    let root = write(&pages, id, &content(10_000)).unwrap();
    let nobody_asked = |_: &mut HashSet<u64>| -> Outcome<()> { panic!("its writer is at it") };
    assert_eq!(free_unlinked(&pages, nobody_asked).unwrap().pages, 0);
    pages.set_transactions(20, 9);
    assert_eq!(free_unlinked(&pages, nobody_asked).unwrap().pages, 0);
    pages.set_transactions(20, 10);
    let link_all = |ids: &mut HashSet<u64>| {
        ids.clear();
        Ok(())
    };
    assert_eq!(free_unlinked(&pages, link_all).unwrap().pages, 0);
    assert_eq!(free_unlinked(&pages, |_| Ok(())).unwrap().pages, 3);
    assert_eq!(Blob::open(&pages, root, id).err(), Some(Fault::Moved));
}

/// VACUUM checks a blob that is written, linked and committed during its walk over pages after the walk, or not at all.
#[test]
fn a_blob_that_is_linked_during_the_walk_is_kept() {
    use std::{cell::RefCell, rc::Rc};
    for moment in 0..40 {
        let pages = index();
        let linked = Rc::new(RefCell::new(HashSet::new()));
        let dead = pages.fresh_id().unwrap();
        write(&pages, dead, &content(10 * BLOB_PAGE_BYTES)).unwrap();
        // Transaction 1 has begun and written a blob; it links the blob and ends at any moment of VACUUM.
        pages.set_transactions(2, 1);
        let id = pages.fresh_id().unwrap();
        let bytes = content(10 * BLOB_PAGE_BYTES);
        let root = write(&pages, id, &bytes).unwrap();
        let (links, mut left) = (Rc::clone(&linked), moment);
        pages.between(move |pages| {
            left -= 1;
            if left == 0 {
                links.borrow_mut().insert(id);
                pages.set_transactions(2, 2);
            }
        });
        free_unlinked(&pages, |ids| {
            ids.retain(|id| !linked.borrow().contains(id));
            Ok(())
        })
        .unwrap();
        pages.alone();
        assert!(read(&pages, root, id).unwrap() == bytes, "moment {moment}");
    }
}
