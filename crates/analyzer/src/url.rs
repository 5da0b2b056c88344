//! Addresses with a protocol, which is left out: the whole, the host, the path. The query behind them is taken apart as
//! any text is.

use std::ops::ControlFlow;

use crate::characters::{Class, begins_word, character_at, class, is_in_names};
use crate::dotted;
use crate::element::end_of_element;
use crate::output::Output;
use crate::path::words_of;
use crate::plain_word::PlainWord;
use crate::text::{region, run};
use crate::token::{Kind, Token};

/// The address of which `protocol` may be the protocol. Where its path ends.
pub fn url<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    protocol: PlainWord,
    end: usize,
) -> ControlFlow<(), Option<usize>> {
    let text = out.text;
    let bytes = text.as_bytes();
    let is_protocol = protocol.kind() == Kind::AsciiWord && protocol.end > start + 1;
    if !is_protocol || start < out.end_of_url || !bytes[protocol.end..end].starts_with(b"://") {
        return ControlFlow::Continue(None);
    }
    let from = protocol.end + 3;
    if from < end && bytes[from] == b'/' {
        // `file:///etc/hosts`: a path, and no host.
        return ControlFlow::Continue(Some(from));
    }
    if !begins_word(text, from, end) {
        return ControlFlow::Continue(None);
    }
    let address_end = end_of_address(text, from, end);
    out.end_of_url = address_end;
    let Some((_, last)) = words_of(text, from, address_end) else { return ControlFlow::Continue(None) };
    let host_end = bytes[from..address_end].iter().position(|byte| b"/?#".contains(byte));
    let host_end = host_end.map_or(address_end, |offset| from + offset);
    // A host alone is that, and no address besides.
    if end_of_element(text, from, address_end) < last {
        out.whole(Kind::Url, from, last, 0)?;
        region(out, from, host_end)?;
    } else {
        dotted::element(out, from, last, 0)?;
    }
    if host_end < address_end && bytes[host_end] == b'/' {
        return ControlFlow::Continue(Some(run(out, host_end, address_end, Kind::UrlPath)?));
    }
    ControlFlow::Continue(Some(host_end))
}

/// Whether a run of these is an address, as far as signs between its parts are concerned.
fn is_in_addresses(byte: u8) -> bool {
    is_in_names(byte) || b"/:?=&#!$*".contains(&byte)
}

fn end_of_address(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        if bytes[at] < 128 {
            if !is_in_addresses(bytes[at]) {
                break;
            }
            at += 1;
            continue;
        }
        match character_at(text, at) {
            Some(c) if matches!(class(c), Class::Word(_) | Class::Mark | Class::Joiner) => at += c.len_utf8(),
            _ => break,
        }
    }
    at
}
