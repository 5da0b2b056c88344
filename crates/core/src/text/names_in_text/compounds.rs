//! Names with signs: mail addresses, hosts, paths, identifiers, tickets, handles. The analyzer, whose words are also
//! those of searches, gives their beginnings and ends.

use std::ops::Range;

use memory_search_analyzer::{Kind, Token, tokens};

use super::compound_forms::{is_code, is_hash, is_host, is_identifier, is_ip_address, is_path, is_ticket};
use super::name_found::{NameFound, NameKind};

/// The least digits of a ticket's number after `#`: "#1" is a place in a list.
const SHORTEST_NUMBER: usize = 2;
/// The most digits of that number.
const LONGEST_NUMBER: usize = 9;

/// The names that were found, and all places in which no other name may be, such as the rest of an address.
#[derive(Default)]
pub struct Compounds<'a> {
    pub found: Vec<NameFound<'a>>,
    pub taken: Vec<Range<usize>>,
}

/// The compounds of a text, in order.
pub fn compounds(text: &str) -> Compounds<'_> {
    let mut all = Compounds::default();
    let mut behind = 0;
    tokens(text, |token| {
        // The parts of a compound follow it.
        if token.start >= behind
            && let Some(compound) = compound(text, &token)
        {
            behind = compound.end;
            all.taken.push(token.start.min(compound.name.start)..compound.end);
            // One that is too long for a name has no parts that are names either.
            all.found.extend(NameFound::new(text, compound.name, compound.kind));
        }
        true
    });
    all
}

/// A name by its form, and the end of the token that it is part of.
struct Compound {
    name: Range<usize>,
    kind: NameKind,
    end: usize,
}

/// The name that a token is, if it is one.
fn compound(text: &str, token: &Token<'_>) -> Option<Compound> {
    let place = token.start..token.end;
    let written = &text[place.clone()];
    let before = &text[..token.start];
    let found = |kind, name: Range<usize>| Some(Compound { kind, end: name.end.max(token.end), name });
    if before.ends_with("://") {
        let (name, end) = host_of_address(text, token.start);
        return Some(Compound { name, kind: NameKind::Host, end });
    }
    if let Some(before) = before.strip_suffix('@') {
        return found(NameKind::Handle, before.len()..handle(text, before, token)?);
    }
    if let Some(before) = before.strip_suffix('#') {
        let is_number = token.kind == Kind::UInt && (SHORTEST_NUMBER..=LONGEST_NUMBER).contains(&written.len());
        let is_apart = !before.ends_with(|c: char| c.is_alphanumeric() || c == '#' || c == '&');
        return if is_number && is_apart { found(NameKind::Ticket, before.len()..token.end) } else { None };
    }
    match token.kind {
        Kind::Email => found(NameKind::Mail, place),
        Kind::File | Kind::Host if is_path(written) => found(NameKind::Path, place),
        Kind::File => {
            let host = written.split('/').next().filter(|host| is_host(host))?;
            Some(Compound { name: token.start..token.start + host.len(), kind: NameKind::Host, end: token.end })
        }
        Kind::Host if is_host(written) => found(NameKind::Host, place),
        Kind::Version if is_ip_address(written) => found(NameKind::Host, place),
        Kind::NumHword | Kind::AsciiHword if is_ticket(written) => found(NameKind::Ticket, place),
        _ if is_identifier(written) || is_code(written) || is_hash(written) => found(NameKind::Identifier, place),
        _ if is_marked_as_code(text, token) => found(NameKind::Identifier, place),
        _ => None,
    }
}

/// The host of the address whose protocol ends at `start`, without user, password and port, and the end of the address.
fn host_of_address(text: &str, start: usize) -> (Range<usize>, usize) {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`' | ')' | ']' | '}' | '|' | '\\');
    let end = text[start..].find(is_end).map_or(text.len(), |length| start + length);
    let authority = text[start..end].find(['/', '?', '#']).map_or(end, |length| start + length);
    let host = text[start..authority].rfind('@').map_or(start, |at| start + at + 1);
    let host_end = text[host..authority].find(':').map_or(authority, |length| host + length);
    let written = text[host..host_end].trim_end_matches(['.', ',', ';', '!', '\'']);
    (host..host + written.len(), end)
}

/// The end of the handle after an `@`, if it is one: `@maria`, `@maria@example.social`.
fn handle(text: &str, before: &str, token: &Token<'_>) -> Option<usize> {
    let is_apart = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '/'));
    let rest = &text[token.start..];
    let is_of_handle = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let length = rest.find(|c| !is_of_handle(c)).unwrap_or(rest.len());
    let name = rest[..length].trim_end_matches(['.', '-']);
    let end = token.start + name.len();
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().nth(1).is_some();
    (is_apart && is_name).then_some(if token.kind == Kind::Email { token.end } else { end })
}

/// Whether a word is alone in backticks.
fn is_marked_as_code(text: &str, token: &Token<'_>) -> bool {
    let rest = &text[token.end..];
    let is_of_word = !matches!(token.kind, Kind::UInt | Kind::Float | Kind::SFloat | Kind::Int);
    is_of_word
        && text[..token.start].ends_with('`')
        && !text[..token.start].ends_with("``")
        && rest.strip_prefix("()").unwrap_or(rest).starts_with('`')
}
