//! The analyzer as a PostgreSQL text search parser, so that `to_tsvector`, `ts_headline` and `@@` see the words that a
//! search sees. Its kinds of tokens are the default parser's, by number and name.

use crate::pg::error::or_raise;
use crate::pg::interrupt;
use memory_search_analyzer::tokens;
use memory_search_core::{Result, error};
use pgrx::{PgMemoryContexts, pg_sys, prelude::*};

/// The kind of the text between tokens.
const BLANK: u8 = 12;
/// Kinds whose parts follow them: functions that show a text skip the whole token, and show the parts.
const WHOLES: [u8; 8] = [4, 5, 6, 15, 16, 17, 18, 19];

/// The function that begins a text, as the server calls it; a parser that has it is the extension's.
pub const START: unsafe extern "C-unwind" fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum = memory_words_start_wrapper;

/// The bytes that are split at once, extended to the next blank: the pieces of a whole text would take many times its
/// size. The text before a blank and the text after it can be split separately with the same result.
const BYTES_AT_ONCE: usize = 64 << 10;

/// A text that is being split.
struct Parsed {
    text: *const core::ffi::c_char,
    length: usize,
    /// The beginning of the bytes that are not split yet.
    rest: usize,
    pieces: Vec<Piece>,
    next: usize,
}

impl Parsed {
    /// The next piece; `None` at the end.
    ///
    /// # Safety
    /// The text must still be where it was.
    unsafe fn next(&mut self) -> Result<Option<&Piece>> {
        while self.next == self.pieces.len() {
            if self.rest == self.length {
                return Ok(None);
            }
            // SAFETY: by the caller's promise; there are as many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(self.text.cast::<u8>(), self.length) };
            let far = self.length.min(self.rest + BYTES_AT_ONCE);
            let blank = bytes[far..].iter().position(u8::is_ascii_whitespace);
            let end = blank.map_or(self.length, |blank| far + blank);
            self.pieces = pieces(&String::from_utf8_lossy(&bytes[self.rest..end]), self.rest)?;
            (self.rest, self.next) = (end, 0);
        }
        self.next += 1;
        Ok(self.pieces.get(self.next - 1))
    }
}

/// A token, or the text before one.
struct Piece {
    kind: u8,
    from: u32,
    to: u32,
    /// The token's text if it differs from that in the text.
    other: Option<Box<str>>,
}

#[pg_extern(sql = "
CREATE FUNCTION @extschema@.memory_words_start(pg_catalog.internal, pg_catalog.int4) RETURNS pg_catalog.internal
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS '@MODULE_PATHNAME@', '@FUNCTION_NAME@';
")]
fn memory_words_start(call: pg_sys::FunctionCallInfo) -> pgrx::Internal {
    // SAFETY: the server gives the first byte of a text and its length in bytes; the text outlives the parse. The state
    // of the parse is in the current memory context, and goes with it.
    unsafe {
        let (text, length) = (argument(call, 0).cast_mut_ptr::<core::ffi::c_char>(), argument(call, 1).value() as i32);
        let parsed = Parsed { text, length: length.max(0) as usize, rest: 0, pieces: Vec::new(), next: 0 };
        let kept = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(parsed);
        pgrx::Internal::from(Some(pg_sys::Datum::from(kept)))
    }
}

#[pg_extern(sql = "
CREATE FUNCTION @extschema@.memory_words_token(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal)
  RETURNS pg_catalog.internal
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS '@MODULE_PATHNAME@', '@FUNCTION_NAME@';
")]
fn memory_words_token(call: pg_sys::FunctionCallInfo) -> pgrx::Internal {
    // SAFETY: the first argument is what memory_words_start gave, the others are where the token's first byte and its
    // length go. Both stay where they are until the parse ends.
    let kind = unsafe {
        let parsed = &mut *argument(call, 0).cast_mut_ptr::<Parsed>();
        let token = &mut *argument(call, 1).cast_mut_ptr::<*const core::ffi::c_char>();
        let length = &mut *argument(call, 2).cast_mut_ptr::<i32>();
        let text = parsed.text;
        match or_raise(parsed.next()) {
            None => 0,
            Some(Piece { kind, other: Some(other), .. }) => {
                // Dictionaries may read it until the parse ends, but pieces are dropped earlier.
                let copy = pg_sys::palloc(other.len().max(1)).cast::<u8>();
                copy.copy_from_nonoverlapping(other.as_ptr(), other.len());
                (*token, *length) = (copy.cast(), other.len() as i32);
                i32::from(*kind)
            }
            Some(piece) => {
                (*token, *length) = (text.add(piece.from as usize), (piece.to - piece.from) as i32);
                i32::from(piece.kind)
            }
        }
    };
    pgrx::Internal::from(Some(pg_sys::Datum::from(kind)))
}

#[pg_extern(sql = "
CREATE FUNCTION @extschema@.memory_words_end(pg_catalog.internal) RETURNS pg_catalog.void
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS '@MODULE_PATHNAME@', '@FUNCTION_NAME@';
")]
fn memory_words_end(call: pg_sys::FunctionCallInfo) {
    // SAFETY: the argument is what memory_words_start gave. Its context drops it; its memory can be had back now.
    unsafe { (*argument(call, 0).cast_mut_ptr::<Parsed>()).pieces = Vec::new() };
}

#[pg_extern(sql = "
CREATE FUNCTION @extschema@.memory_words_headline(pg_catalog.internal, pg_catalog.internal, pg_catalog.tsquery)
  RETURNS pg_catalog.internal
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS '@MODULE_PATHNAME@', '@FUNCTION_NAME@';
CREATE TEXT SEARCH PARSER @extschema@.memory_words (
  START = @extschema@.memory_words_start, GETTOKEN = @extschema@.memory_words_token,
  END = @extschema@.memory_words_end, HEADLINE = @extschema@.memory_words_headline,
  LEXTYPES = pg_catalog.prsd_lextype);
", requires = [memory_words_start, memory_words_token, memory_words_end])]
fn memory_words_headline(call: pg_sys::FunctionCallInfo) -> pgrx::Internal {
    // SAFETY: the server's own function takes the same arguments: it chooses the words that are shown. They are as many
    // as the first argument says.
    unsafe {
        let chosen = pg_sys::prsd_headline(call);
        let shown = &mut *argument(call, 0).cast_mut_ptr::<pg_sys::HeadlineParsedText>();
        for word in std::slice::from_raw_parts_mut(shown.words, shown.curwords.max(0) as usize) {
            if WHOLES.contains(&(word.type_() as u8)) {
                word.set_skip(1);
            }
        }
        pgrx::Internal::from(Some(chosen))
    }
}

/// An argument of a call that has at least that many.
///
/// # Safety
/// The call must be one of the server's, with more than `number` arguments.
unsafe fn argument(call: pg_sys::FunctionCallInfo, number: usize) -> pg_sys::Datum {
    // SAFETY: by the caller's promise.
    unsafe { (*call).args.as_slice(number + 1)[number].value }
}

/// The tokens of the part of a text that begins at `first`, and the text between them, so that the pieces together are
/// the whole text.
fn pieces(text: &str, first: usize) -> Result<Vec<Piece>> {
    let at = |place: usize| (first + place) as u32;
    let (mut pieces, mut shown) = (Vec::new(), 0);
    let mut has_room = true;
    let mut push = |piece: Piece| {
        has_room = has_room && pieces.try_reserve(1).is_ok();
        if has_room {
            pieces.push(piece);
        }
        has_room
    };
    tokens(text, |token| {
        interrupt::check();
        let kind = token.kind as u8;
        if token.start > shown && !push(Piece { kind: BLANK, from: at(shown), to: at(token.start), other: None }) {
            return false;
        }
        shown = shown.max(token.start);
        let other = (text[token.start..token.end] != *token.text).then(|| token.text.into());
        if !WHOLES.contains(&kind) {
            shown = shown.max(token.end);
        }
        push(Piece { kind, from: at(token.start), to: at(token.end), other })
    });
    if text.len() > shown {
        push(Piece { kind: BLANK, from: at(shown), to: at(text.len()), other: None });
    }
    if has_room { Ok(pieces) } else { Err(error::out_of_memory()) }
}
