//! Addresses with a protocol, which is no part of the tokens. A token of the whole address comes first, then the host
//! and the path. The query is split like any other text.

use std::ops::ControlFlow;

use crate::characters::{begins_word, is_in_names};
use crate::extent::{end_of_element, words_of};
use crate::output::Output;
use crate::plain_word::{PlainWord, plain_word};
use crate::token::{Kind, Token};

/// The places of an address's parts: the host ends at the beginning of the path or the query.
pub struct Address {
    pub host: usize,
    pub host_end: usize,
    pub end: usize,
}

/// Emits the token of the whole address, if `protocol` is its protocol, and returns the places of its parts.
pub fn url<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    protocol: PlainWord,
    end: usize,
) -> ControlFlow<(), Option<Address>> {
    let text = out.text;
    let bytes = text.as_bytes();
    let is_protocol = protocol.kind() == Kind::AsciiWord && protocol.end > start + 1;
    if !is_protocol || start < out.end_of_url || !bytes[protocol.end..end].starts_with(b"://") {
        return ControlFlow::Continue(None);
    }
    let host = protocol.end + 3;
    if host < end && bytes[host] == b'/' {
        // `file:///etc/hosts`: a path, and no host.
        return ControlFlow::Continue(Some(Address { host, host_end: host, end: host }));
    }
    if !begins_word(text, host, end) {
        return ControlFlow::Continue(None);
    }
    let address_end = end_of_address(text, host, end);
    out.end_of_url = address_end;
    let Some((_, last)) = words_of(text, host, address_end) else { return ControlFlow::Continue(None) };
    // A host alone is only a host, without a second token as an address.
    if end_of_element(text, host, address_end) < last {
        out.whole(Kind::Url, host, last, 0)?;
    }
    let host_end = bytes[host..address_end].iter().position(|byte| b"/?#".contains(byte));
    let host_end = host_end.map_or(address_end, |offset| host + offset);
    ControlFlow::Continue(Some(Address { host, host_end, end: address_end }))
}

/// Whether a sign may be between the parts of an address.
fn is_in_addresses(byte: u8) -> bool {
    is_in_names(byte) || b"/:?=&#!$*".contains(&byte)
}

fn end_of_address(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        if begins_word(text, at, end) {
            at = plain_word(text, at, end).end;
        } else if bytes[at] < 128 && is_in_addresses(bytes[at]) {
            at += 1;
        } else {
            break;
        }
    }
    at
}
