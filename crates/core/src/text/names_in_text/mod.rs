//! The names that a text shows, without a model: of people, places and things by their capital letters and by the
//! spelling of the words elsewhere in a memory; handles, mail addresses, hosts, paths, identifiers and tickets by their
//! form.
//!
//! A run of words with capital letters inside of a sentence is a name ("Sarah Miller", "University of Lisbon"). At the
//! beginning of a sentence, in a heading in title case and in a text of capital letters only, a capital letter has no
//! meaning: there a word is a name if it is known as one, from the rest of the text or from [`Elsewhere`]. A word that
//! is mostly written without a capital letter is no name. If all nouns have one, as in German, which the share of words
//! with capital letters shows, only several in a row are a name ("Sarah Müller"): a single one is left out, because
//! otherwise every noun would be a name. Scripts without capital letters show no such names.
//!
//! The time is linear in the length of the text, for any content.

mod case_counts;
mod compound_forms;
mod compounds;
mod elsewhere;
mod headings;
mod judgement;
mod name_found;
mod runs;
mod speakers;
mod titles;
mod word_lists;
mod written_words;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

pub use case_counts::CaseCounts;
pub use elsewhere::{Elsewhere, NothingKnown, Written};
pub use name_found::{LONGEST_NAME_FOUND, NameFound, NameKind};

use crate::bounds_and_defaults::{MAX_ENTITIES, RAW_ENTRY_CHARACTERS};
use crate::text::entity_key::entity_key;
use compounds::{Compounds, compounds};
use judgement::Judgement;
use written_words::written_words;

/// The names in a text, in the order of their places, which do not overlap. A name that occurs several times is
/// returned each time; the first 64 different ones, as [`entity_key`] compares them, are returned. The first 60,000
/// characters are searched.
pub fn names_in<'a>(text: &'a str, elsewhere: &impl Elsewhere) -> Vec<NameFound<'a>> {
    let end = text.char_indices().nth(RAW_ENTRY_CHARACTERS).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let words = written_words(text);
    let Compounds { mut found, mut taken } = compounds(text);
    let says_nothing = headings::of(text, &words);
    let own = CaseCounts::of_words(text, &words, &says_nothing);
    let is_ordinary = |word: &str| own.written(word).and(elsewhere.written(word)).lower > 0;
    let speaker = speakers::named(text, &words, elsewhere);
    let named: Vec<Range<usize>> = speaker
        .into_iter()
        .chain(titles::titles(text, &words, is_ordinary))
        .filter(|place| !overlaps(&taken, place))
        .collect();
    found.extend(named.iter().filter_map(|place| NameFound::new(text, place.clone(), NameKind::Name)));
    taken.extend(named);
    taken.sort_by_key(|place| place.start);
    let is_taken: Vec<bool> = words.iter().map(|word| overlaps(&taken, &word.place)).collect();
    let has_capital_nouns = headings::has_capital_nouns(&words, &says_nothing);
    let judgement = Judgement { words: &words, says_nothing: &says_nothing, own: &own, elsewhere };
    let runs = runs::runs(text, &judgement, &is_taken, has_capital_nouns);
    found.extend(runs.into_iter().filter_map(|place| NameFound::new(text, place, NameKind::Name)));
    in_order(found)
}

/// Whether a place overlaps one of some ordered places.
fn overlaps(places: &[Range<usize>], place: &Range<usize>) -> bool {
    let first = places.partition_point(|other| other.end <= place.start);
    places.get(first).is_some_and(|other| other.start < place.end)
}

/// Names in the order of their places, without those that overlap an earlier one, and only the first of different ones.
fn in_order(mut found: Vec<NameFound<'_>>) -> Vec<NameFound<'_>> {
    found.sort_by_key(|name| name.place.start);
    let mut different = HashSet::new();
    let mut behind = 0;
    found.retain(|name| {
        let Some(key) = entity_key(name.name).map(Cow::into_owned) else { return false };
        let is_taken = name.place.start >= behind
            && (different.contains(&key) || different.len() < MAX_ENTITIES && different.insert(key));
        if is_taken {
            behind = name.place.end;
        }
        is_taken
    });
    found
}

#[cfg(test)]
mod tests;
