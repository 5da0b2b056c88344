//! The metapage, block 0: the format, the secret key of the hashes, the root of the tree, and what whoever made the
//! index wants to find again.
//!
//! Little-endian after the header: version u32, root u32, level of the root u32, unused u32, key 16 bytes, options.

use memory_search_core::{Error, ErrorKind};

use crate::fault::{Fault, Outcome, damaged};
use crate::page::{self, HEADER_BYTES, Kind, NO_BLOCK, PAGE_BYTES, Page, SPECIAL, Special, u32_at};
use crate::pages::{Change, Pages};
use crate::tree::{Root, write_empty_leaf};

/// The block of the metapage.
pub const META_BLOCK: u32 = 0;
/// The format of all pages of the index.
pub const FORMAT_VERSION: u32 = 1;
/// Bytes that options may have.
pub const MAX_OPTIONS: usize = 4096;

const VERSION: usize = HEADER_BYTES;
const ROOT: usize = VERSION + 4;
const LEVEL: usize = ROOT + 4;
const KEY: usize = LEVEL + 8;
const OPTIONS: usize = KEY + 16;

/// What the metapage says. All but the root stays as it is for the life of the index, and a root that has become stale
/// still leads to every record: whoever reads it may keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The secret key of the hashes.
    pub key: [u8; 16],
    /// Where the tree begins.
    pub root: Root,
    /// What was handed to [`create`].
    pub options: Vec<u8>,
}

/// The block of the root of an empty index.
const FIRST_ROOT: u32 = META_BLOCK + 1;

/// The pages of an empty index, block by block. `options` has at most [`MAX_OPTIONS`] bytes.
pub fn first_pages(key: [u8; 16], options: &[u8]) -> Outcome<[Page; 2]> {
    if options.len() > MAX_OPTIONS {
        let message = format!("the options of the memory index have {} bytes, more than {MAX_OPTIONS}", options.len());
        return Err(Fault::Error(Error::new(ErrorKind::LimitExceeded, message)));
    }
    let (mut meta, mut leaf) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
    write_empty_leaf(&mut leaf);
    page::init(&mut meta, Special { kind: Kind::Meta, next: NO_BLOCK, position: 0, owner: 0, made_at: 0 });
    meta[VERSION..VERSION + 4].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    meta[KEY..KEY + 16].copy_from_slice(&key);
    meta[OPTIONS..OPTIONS + options.len()].copy_from_slice(options);
    page::set_bounds(&mut meta, OPTIONS + options.len(), SPECIAL);
    set_root(&mut meta, Root { block: FIRST_ROOT, level: 0 });
    Ok([meta, leaf])
}

/// Makes an index of no pages an empty one, by one change of two pages.
pub fn create(pages: &impl Pages, key: [u8; 16], options: &[u8]) -> Outcome<()> {
    let mut change = pages.change();
    for (expected, image) in (META_BLOCK..).zip(first_pages(key, options)?) {
        let (block, slot) = change.allocate()?;
        if block != expected {
            return Err(Fault::Error(Error::new(ErrorKind::Internal, "the file of a new memory index is not empty")));
        }
        *change.page_mut(slot)? = image;
    }
    change.commit()
}

/// Reads the metapage. A format that this library does not know is refused (0A000).
pub fn read(pages: &impl Pages) -> Outcome<Meta> {
    pages.read(META_BLOCK, |page| {
        let root = read_root(page)?;
        let (lower, _) = page::bounds(page, META_BLOCK)?;
        let options = page.get(OPTIONS..lower).ok_or_else(|| damaged(META_BLOCK, "it is too short"))?;
        let mut key = [0; 16];
        key.copy_from_slice(&page[KEY..KEY + 16]);
        Ok(Meta { key, root, options: options.to_vec() })
    })
}

/// The root of the tree, by the bytes of the metapage.
pub(crate) fn read_root(page: &Page) -> Outcome<Root> {
    page::expect(page, META_BLOCK, Kind::Meta)?;
    let version = u32_at(page, VERSION);
    if version != FORMAT_VERSION {
        let message = format!("the memory index has format {version}, this library knows {FORMAT_VERSION}");
        let hint = "REINDEX INDEX CONCURRENTLY the index, or install the library that made it.";
        return Err(Fault::Error(Error::new(ErrorKind::Unsupported, message).hint(hint)));
    }
    Ok(Root { block: u32_at(page, ROOT), level: u32_at(page, LEVEL) })
}

/// Writes the root of the tree.
pub(crate) fn set_root(page: &mut Page, root: Root) {
    page[ROOT..ROOT + 4].copy_from_slice(&root.block.to_le_bytes());
    page[LEVEL..LEVEL + 4].copy_from_slice(&root.level.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_pages::MemoryPages;

    #[test]
    fn what_was_created_is_read_again() {
        let pages = MemoryPages::new();
        create(&pages, [7; 16], b"options").unwrap();
        let meta = read(&pages).unwrap();
        assert_eq!(meta, Meta { key: [7; 16], root: Root { block: 1, level: 0 }, options: b"options".to_vec() });
    }

    #[test]
    fn another_version_is_refused_with_what_to_do() {
        let pages = MemoryPages::new();
        create(&pages, [0; 16], b"").unwrap();
        pages.damage(META_BLOCK, |page| page[VERSION] = 2);
        let Err(Fault::Error(error)) = read(&pages) else { panic!("version 2 is read") };
        assert_eq!(error.kind, ErrorKind::Unsupported);
        assert!(error.hint.unwrap().contains("REINDEX"));
    }

    #[test]
    fn a_crash_while_it_is_made_leaves_no_index() {
        let pages = MemoryPages::new();
        pages.crash_after(0);
        assert!(create(&pages, [0; 16], b"").is_err());
        pages.restart();
        assert!(read(&pages).is_err());
    }

    #[test]
    fn too_long_options_are_refused() {
        assert!(create(&MemoryPages::new(), [0; 16], &[0; MAX_OPTIONS + 1]).is_err());
    }
}
