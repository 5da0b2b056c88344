//! The analyzer as a PostgreSQL text search parser, so that `to_tsvector`, `ts_headline` and `@@` see the words that a
//! search sees. Its kinds of tokens are the default parser's, by number and name.

use std::cell::RefCell;

use memory_search_analyzer::{Token, tokens};
use memory_search_core::{Result, error};
use pgrx::{PgMemoryContexts, pg_sys, prelude::*};

use crate::pg::error::or_raise;
use crate::pg::interrupt;

/// The kind of the text between tokens.
const BLANK: u8 = 12;

/// The server leaves out tokens of this many bytes, also from texts that it shows.
const TOO_LONG: usize = pg_sys::MAXSTRLEN as usize;

/// The bits of an element of a list of bits.
const BITS_AT_ONCE: usize = u64::BITS as usize;

/// The bytes of sources that are kept of a text: beyond it, tokens are shown as they are searched.
const BYTES_OF_SOURCES: usize = 4 << 20;

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
    shown: Shown,
}

thread_local! {
    /// The tokens of the text that was parsed last: a function that shows a text parses it, and then asks which tokens
    /// to show.
    static LAST_SHOWN: RefCell<Shown> = const { RefCell::new(Shown::NONE) };
}

/// The way in which a text's tokens are shown.
struct Shown {
    /// A bit for each token that is not shown: its parts follow it, or it was shown before.
    hidden: Vec<u64>,
    count: usize,
    /// The sources of shown tokens that have another text, by the number of the token.
    sources: Vec<(usize, Box<str>)>,
    /// The bytes of these sources.
    bytes: usize,
}

impl Shown {
    const NONE: Shown = Shown { hidden: Vec::new(), count: 0, sources: Vec::new(), bytes: 0 };

    fn push(&mut self, piece: &Piece, source: impl FnOnce() -> Box<str>) -> Result<()> {
        if self.count.is_multiple_of(BITS_AT_ONCE) {
            self.hidden.try_reserve(1).map_err(|_| error::out_of_memory())?;
            self.hidden.push(0);
        }
        if !piece.is_shown {
            self.hidden[self.count / BITS_AT_ONCE] |= 1 << (self.count % BITS_AT_ONCE);
        } else if piece.other.is_some() && self.bytes < BYTES_OF_SOURCES {
            let source = source();
            self.bytes += source.len() + size_of::<(usize, Box<str>)>();
            self.sources.push((self.count, source));
        }
        self.count += 1;
        Ok(())
    }

    fn is_hidden(&self, number: usize) -> bool {
        let bits = self.hidden.get(number / BITS_AT_ONCE);
        bits.is_some_and(|bits| bits >> (number % BITS_AT_ONCE) & 1 == 1)
    }
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
        let piece = self.pieces.get(self.next - 1);
        if let Some(piece) = piece {
            self.shown.push(piece, || {
                // SAFETY: by the caller's promise; the piece is within the text.
                let bytes = unsafe { std::slice::from_raw_parts(self.text.cast::<u8>(), self.length) };
                String::from_utf8_lossy(&bytes[piece.from as usize..piece.to as usize]).into()
            })?;
        }
        Ok(piece)
    }
}

/// A token, or the text before one.
struct Piece {
    kind: u8,
    from: u32,
    to: u32,
    /// The token's text if it differs from that in the text.
    other: Option<Box<str>>,
    is_shown: bool,
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
        let parsed =
            Parsed { text, length: length.max(0) as usize, rest: 0, pieces: Vec::new(), next: 0, shown: Shown::NONE };
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
    let parsed = unsafe { &mut *argument(call, 0).cast_mut_ptr::<Parsed>() };
    parsed.pieces = Vec::new();
    LAST_SHOWN.set(std::mem::replace(&mut parsed.shown, Shown::NONE));
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
        let as_parsed = LAST_SHOWN.replace(Shown::NONE);
        let mut sources = as_parsed.sources.iter().peekable();
        // A token has a word for each word of the query that it is; only the first one is shown.
        let words = std::slice::from_raw_parts_mut(shown.words, shown.curwords.max(0) as usize);
        for (number, word) in words.iter_mut().filter(|word| word.repeated() == 0).enumerate() {
            word.set_skip(u32::from(as_parsed.is_hidden(number)));
            if let Some((_, source)) = sources.next_if(|(of, _)| *of == number) {
                let copy = pg_sys::palloc(source.len().max(1)).cast::<u8>();
                copy.copy_from_nonoverlapping(source.as_ptr(), source.len());
                word.word = copy.cast();
                word.set_len(source.len() as _);
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

/// The tokens of the part of a text that begins at `first`, and the text between them, so that the pieces that are shown
/// together are the whole text.
fn pieces(text: &str, first: usize) -> Result<Vec<Piece>> {
    let mut pieces = Pieces { text, first, all: Vec::new(), shown: 0, has_room: true };
    let mut last: Option<Token<'_>> = None;
    tokens(text, |token| {
        interrupt::check();
        let has_room = last.take().is_none_or(|last| {
            // `C++` comes after `C`, and is no part of it.
            let is_whole = token.start < last.end && token.end <= last.end;
            pieces.add(&last, is_whole)
        });
        last = Some(token);
        has_room
    });
    if let Some(last) = last {
        pieces.add(&last, false);
    }
    pieces.add_blanks(text.len());
    if pieces.has_room { Ok(pieces.all) } else { Err(error::out_of_memory()) }
}

/// Pieces of a text that are being made.
struct Pieces<'t> {
    text: &'t str,
    first: usize,
    all: Vec<Piece>,
    /// The end of what is shown so far.
    shown: usize,
    has_room: bool,
}

impl Pieces<'_> {
    /// Adds a token, whose parts follow it if it is a whole; returns whether there was room.
    fn add(&mut self, token: &Token<'_>, is_whole: bool) -> bool {
        self.add_blanks(token.start);
        let source = &self.text[token.start..token.end];
        let is_shown = !is_whole && token.start >= self.shown && source.len() < TOO_LONG;
        if is_shown {
            self.shown = token.end;
        }
        let other = (*source != *token.text).then(|| token.text.as_ref().into());
        self.push(token.kind as u8, token.start, token.end, other, is_shown)
    }

    /// Adds the text before a place that was not shown yet, in pieces that the server shows.
    fn add_blanks(&mut self, to: usize) {
        while self.shown < to && self.has_room {
            let mut end = to.min(self.shown + TOO_LONG - 1);
            while !self.text.is_char_boundary(end) {
                end -= 1;
            }
            self.push(BLANK, self.shown, end, None, true);
            self.shown = end;
        }
    }

    fn push(&mut self, kind: u8, from: usize, to: usize, other: Option<Box<str>>, is_shown: bool) -> bool {
        self.has_room = self.has_room && self.all.try_reserve(1).is_ok();
        if self.has_room {
            let (from, to) = ((self.first + from) as u32, (self.first + to) as u32);
            self.all.push(Piece { kind, from, to, other, is_shown });
        }
        self.has_room
    }
}
