//! The place of a row in its table: ranking passes it on to the code that reads the row again.

/// The block of a row and its number there, from 1; 0 marks a document that is dead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The block of the table.
    pub block: u32,
    /// The line pointer within the block.
    pub offset: u16,
}

/// Bytes of a place on a page.
pub const PLACE_BYTES: usize = 6;

impl Place {
    /// No row; also the key of a memory's header, which comes before its documents.
    pub const NONE: Place = Place { block: 0, offset: 0 };

    /// Whether a row may have this place.
    pub fn is_row(self) -> bool {
        self.offset != 0
    }

    /// The place as bytes that sort in the order of places.
    pub fn to_bytes(self) -> [u8; PLACE_BYTES] {
        let (block, offset) = (self.block.to_be_bytes(), self.offset.to_be_bytes());
        [block[0], block[1], block[2], block[3], offset[0], offset[1]]
    }

    /// From [`Place::to_bytes`].
    pub fn from_bytes(bytes: [u8; PLACE_BYTES]) -> Place {
        let [a, b, c, d, e, f] = bytes;
        Place { block: u32::from_be_bytes([a, b, c, d]), offset: u16::from_be_bytes([e, f]) }
    }
}
