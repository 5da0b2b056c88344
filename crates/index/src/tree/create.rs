//! Making an index: the metapage, and the root of an empty tree.

use memory_search_core::{Error, ErrorKind};

use super::node::{self, Frame};
use crate::fault::{Fault, Outcome};
use crate::meta::{self, META_BLOCK, Meta};
use crate::page::{PAGE_BYTES, Page};
use crate::pages::Root;
use crate::pages::{Change, Pages};

/// The block of the root of an empty index.
const FIRST_ROOT: u32 = META_BLOCK + 1;

/// The pages of an empty index, block by block. `key` is 16 random bytes, `options` the caller's bytes for
/// [`Meta::options`], at most [`meta::MAX_OPTIONS`].
pub fn first_pages(key: [u8; 16], options: &[u8]) -> Outcome<[Page; 2]> {
    let (mut metapage, mut leaf) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
    node::init(&mut leaf, Frame { level: 0, right: None });
    let meta = Meta { key, root: Root { block: FIRST_ROOT, level: 0 }, options: options.to_vec() };
    meta::write(&mut metapage, &meta)?;
    Ok([metapage, leaf])
}

/// Makes an index of no pages an empty one, by one change of [`first_pages`].
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;
    use crate::memory_pages::MemoryPages;
    use crate::meta::{FORMAT_VERSION, MAX_OPTIONS, VERSION, read};
    use crate::pages::Root;

    #[test]
    fn the_metapage_is_read_as_it_was_created() {
        let pages = MemoryPages::new();
        create(&pages, [7; 16], b"options").unwrap();
        let meta = read(&pages).unwrap();
        assert_eq!(meta, Meta { key: [7; 16], root: Root { block: 1, level: 0 }, options: b"options".to_vec() });
    }

    #[test]
    fn another_version_is_refused_with_a_hint() {
        for version in [FORMAT_VERSION - 1, FORMAT_VERSION + 1] {
            let pages = MemoryPages::new();
            create(&pages, [0; 16], b"").unwrap();
            pages.damage(META_BLOCK, |page| page[VERSION] = version as u8);
            let Err(Fault::Error(error)) = read(&pages) else { panic!("version {version} is read") };
            assert_eq!(error.kind, ErrorKind::Unsupported);
            assert!(error.message.contains(&format!("format {version}")), "{}", error.message);
            assert!(error.hint.unwrap().contains("REINDEX"));
        }
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
