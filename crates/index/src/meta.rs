//! The metapage, block 0: the format, the secret key of the hashes, the root of the tree, and options of the index's
//! creator.
//!
//! Little-endian after the header: version u32, root u32, level of the root u32, unused u32, key 16 bytes, options.

use memory_search_core::{Error, ErrorKind};

use crate::fault::{Fault, Outcome, damaged};
use crate::page::{self, HEADER_BYTES, Kind, NO_BLOCK, Page, SPECIAL, Special, u32_at};
use crate::pages::{Pages, Root};

/// The block of the metapage.
pub const META_BLOCK: u32 = 0;
/// The format of all pages of the index.
pub const FORMAT_VERSION: u32 = 5;
/// Bytes that options may have.
pub const MAX_OPTIONS: usize = 4096;

/// The place of the format version.
pub(crate) const VERSION: usize = HEADER_BYTES;
const ROOT: usize = VERSION + 4;
const LEVEL: usize = ROOT + 4;
const KEY: usize = LEVEL + 8;
const OPTIONS: usize = KEY + 16;

/// The contents of the metapage. Only the root changes during the life of the index. An outdated root still leads to
/// every record, so that a reader may keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The secret key of the hashes.
    pub key: [u8; 16],
    /// The root of the tree.
    pub root: Root,
    /// The options that [`crate::tree::create`] got.
    pub options: Vec<u8>,
}

/// Makes the page the metapage of a new index.
pub(crate) fn write(page: &mut Page, meta: &Meta) -> Outcome<()> {
    let options = &meta.options;
    if options.len() > MAX_OPTIONS {
        let message = format!("the options of the memory index have {} bytes, more than {MAX_OPTIONS}", options.len());
        return Err(Fault::Error(Error::new(ErrorKind::LimitExceeded, message)));
    }
    page::init(page, Special { kind: Kind::Meta, next: NO_BLOCK, position: 0, owner: 0, made_at: 0 });
    page[VERSION..VERSION + 4].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    page[KEY..KEY + 16].copy_from_slice(&meta.key);
    page[OPTIONS..OPTIONS + options.len()].copy_from_slice(options);
    page::set_bounds(page, OPTIONS + options.len(), SPECIAL);
    set_root(page, meta.root);
    Ok(())
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
    // A change clears the bytes between the bounds before it writes the page.
    if page::bounds(page, META_BLOCK)?.0 < OPTIONS {
        return Err(damaged(META_BLOCK, "it is too short"));
    }
    Ok(Root { block: u32_at(page, ROOT), level: u32_at(page, LEVEL) })
}

/// Writes the root of the tree.
pub(crate) fn set_root(page: &mut Page, root: Root) {
    page[ROOT..ROOT + 4].copy_from_slice(&root.block.to_le_bytes());
    page[LEVEL..LEVEL + 4].copy_from_slice(&root.level.to_le_bytes());
}
