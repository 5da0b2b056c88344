//! Receives the rows of a running statement one by one, in place: as the executor makes them, without the copy of each
//! row that SPI's tables and cursors keep.

use memory_search_core::{Error, Result};
use pgrx::pg_sys;

use crate::pg::memory_reserve;
use crate::pg::row::{CheckedTypes, Row};

/// The target of a statement's rows. The server knows only the first field.
#[repr(C)]
pub struct Receiver<'a> {
    server_side: pg_sys::DestReceiver,
    each: &'a mut dyn FnMut(Row<'_>) -> Result<()>,
    failure: Option<Error>,
    checked: CheckedTypes,
}

impl<'a> Receiver<'a> {
    /// A receiver that calls `each` with every row, until a call fails.
    pub fn new(each: &'a mut dyn FnMut(Row<'_>) -> Result<()>) -> Self {
        let server_side = pg_sys::DestReceiver {
            receiveSlot: Some(receive),
            rStartup: Some(start),
            rShutdown: Some(end),
            rDestroy: Some(end),
            mydest: pg_sys::CommandDest::DestNone,
        };
        Receiver { server_side, each, failure: None, checked: CheckedTypes::default() }
    }

    /// The pointer for the server.
    pub fn as_ptr(&mut self) -> *mut pg_sys::DestReceiver {
        (&raw mut *self).cast()
    }

    /// The error with which `each` stopped the statement, if it did.
    pub fn finish(self) -> Result<()> {
        self.failure.map_or(Ok(()), Err)
    }
}

/// Passes the row on; false ends the statement.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn receive(slot: *mut pg_sys::TupleTableSlot, this: *mut pg_sys::DestReceiver) -> bool {
    // SAFETY: the server calls with the pointer of Receiver::as_ptr, whose receiver lives through the
    // statement, and with a slot that holds a row through the call.
    unsafe {
        let this = &mut *this.cast::<Receiver<'_>>();
        let passed = memory_reserve::check().and_then(|()| (this.each)(Row::in_slot(slot, &this.checked)));
        match passed {
            Ok(()) => true,
            Err(error) => {
                this.failure = Some(error);
                false
            }
        }
    }
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn start(_this: *mut pg_sys::DestReceiver, _operation: i32, _description: pg_sys::TupleDesc) {}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn end(_this: *mut pg_sys::DestReceiver) {}
