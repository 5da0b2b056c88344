//! Facets: how many of the entries that a search finds have each value of a column.

use std::collections::HashMap;

use serde_json::Value;

use super::aliases::Aliases;
use super::{better_written, too_many, with_single_blanks};
use crate::error::{Error, Result, shown};
use crate::json_fields::nearest;
use crate::timestamp::{self, Micros};

/// The most facets of one call (22023), and the most values of one facet.
const MOST_FACETS: usize = 16;
/// Values of one facet that are returned, the most frequent.
pub const MOST_VALUES: usize = 1_000;

/// A property that entries are counted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facet {
    /// Each of the tags.
    Tags,
    /// Each of the entities, by all its names.
    Entities,
    /// A column of type text.
    Text(TextFacet),
    /// The importance.
    Importance,
    /// A part of the time of creation, in UTC.
    Time(Period),
    /// A scalar at a path of the metadata, or each scalar of a list there.
    Metadata(Vec<String>),
}

/// A column of type text that entries are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TextFacet {
    UserId,
    AgentId,
    SessionId,
    SourceType,
}

/// The precision to which a time of creation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Period {
    Day,
    Month,
    Year,
}

/// The facets by name, except those of metadata.
const NAMES: [&str; 10] =
    ["tags", "entities", "user_id", "agent_id", "session_id", "source_type", "importance", "day", "month", "year"];

/// The values of an entry in the columns of the facets.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Values<'a> {
    pub tags: &'a [Option<String>],
    pub entities: &'a [Option<String>],
    pub user_id: Option<&'a str>,
    pub agent_id: Option<&'a str>,
    pub session_id: Option<&'a str>,
    pub source_type: Option<&'a str>,
    pub importance: Option<i64>,
    pub created: Option<Micros>,
    /// JSON text.
    pub metadata: &'a str,
}

/// A value of a facet, and the number of entries that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The facet's name.
    pub facet: String,
    /// The value, as text.
    pub value: String,
    /// The number of entries that have it.
    pub entries: i64,
}

impl Facet {
    /// The facets in a list of names, each once.
    pub fn parse(names: Vec<Option<String>>) -> Result<Vec<(String, Facet)>> {
        if names.is_empty() || names.len() > MOST_FACETS {
            return Err(Error::invalid(format!("by must name 1 to {MOST_FACETS} facets, not {}", names.len()))
                .hint(format!("Facets are {}, and metadata.KEY.", NAMES.join(", "))));
        }
        let mut facets: Vec<(String, Facet)> = Vec::new();
        for name in names {
            let name = name.ok_or_else(|| Error::null("a name in by").hint("Name a facet, for example tags."))?;
            if facets.iter().all(|(known, _)| *known != name) {
                let facet = Facet::named(&name)?;
                facets.push((name, facet));
            }
        }
        Ok(facets)
    }

    fn named(name: &str) -> Result<Facet> {
        Ok(match name {
            "tags" => Facet::Tags,
            "entities" => Facet::Entities,
            "user_id" => Facet::Text(TextFacet::UserId),
            "agent_id" => Facet::Text(TextFacet::AgentId),
            "session_id" => Facet::Text(TextFacet::SessionId),
            "source_type" => Facet::Text(TextFacet::SourceType),
            "importance" => Facet::Importance,
            "day" => Facet::Time(Period::Day),
            "month" => Facet::Time(Period::Month),
            "year" => Facet::Time(Period::Year),
            _ => match name.strip_prefix("metadata.").filter(|path| path.split('.').all(|key| !key.is_empty())) {
                Some(path) => Facet::Metadata(path.split('.').map(str::to_owned).collect()),
                None => {
                    let refusal = Error::invalid(format!("by has no facet \"{}\"", shown(name)));
                    return Err(match nearest(name, &NAMES) {
                        Some(nearest) => refusal.hint(format!("Did you mean \"{nearest}\"?")),
                        None => refusal.hint(format!("Facets are {}, and metadata.KEY.", NAMES.join(", "))),
                    });
                }
            },
        })
    }
}

/// Counts values over entries.
pub struct Counter<'a> {
    facets: &'a [(String, Facet)],
    aliases: &'a Aliases,
    counts: Vec<HashMap<String, Counted>>,
    looks_at_metadata: bool,
}

#[derive(Default)]
struct Counted {
    entries: i64,
    /// The name that an entity is shown by.
    shown: Option<String>,
}

impl<'a> Counter<'a> {
    /// For these facets.
    pub fn new(facets: &'a [(String, Facet)], aliases: &'a Aliases) -> Counter<'a> {
        let looks_at_metadata = facets.iter().any(|(_, facet)| matches!(facet, Facet::Metadata(_)));
        Counter { facets, aliases, counts: facets.iter().map(|_| HashMap::new()).collect(), looks_at_metadata }
    }

    /// Counts an entry.
    pub fn add(&mut self, entry: &Values<'_>) -> Result<()> {
        let metadata: Option<Value> =
            self.looks_at_metadata.then(|| serde_json::from_str(entry.metadata).ok()).flatten();
        for ((_, facet), counts) in self.facets.iter().zip(&mut self.counts) {
            let mut values = values_of(facet, entry, metadata.as_ref(), self.aliases);
            let shown = |a: &Option<String>, b: &Option<String>| match (a, b) {
                (Some(a), Some(b)) => better_written(a, b),
                (a, b) => a.cmp(b),
            };
            values.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| shown(&a.1, &b.1)));
            values.dedup_by(|a, b| a.0 == b.0);
            for (value, shown) in values {
                counts.try_reserve(1).map_err(|_| too_many())?;
                let counted = counts.entry(value).or_default();
                counted.entries += 1;
                // The result does not depend on the order of the entries.
                counted.shown = counted.shown.take().into_iter().chain(shown).min_by(|a, b| better_written(a, b));
            }
        }
        Ok(())
    }

    /// The values that most entries have, at most `most` for each facet; times in their order. Ties are in the order of
    /// values.
    pub fn finish(self, most: usize) -> Vec<Count> {
        let mut all = Vec::new();
        for ((name, facet), counts) in self.facets.iter().zip(self.counts) {
            let mut counts: Vec<(String, Counted)> = counts.into_iter().collect();
            counts.sort_by(|a, b| b.1.entries.cmp(&a.1.entries).then_with(|| a.0.cmp(&b.0)));
            counts.truncate(most);
            if matches!(facet, Facet::Time(_)) {
                counts.sort_by(|a, b| a.0.cmp(&b.0));
            }
            all.extend(counts.into_iter().map(|(value, counted)| Count {
                facet: name.clone(),
                value: counted.shown.unwrap_or(value),
                entries: counted.entries,
            }));
        }
        all
    }
}

/// The values of an entry for a facet, each with the text to show if that is another one.
fn values_of(
    facet: &Facet,
    entry: &Values<'_>,
    metadata: Option<&Value>,
    aliases: &Aliases,
) -> Vec<(String, Option<String>)> {
    let plain = |value: Option<String>| value.into_iter().map(|value| (value, None)).collect();
    match facet {
        Facet::Tags => entry.tags.iter().flatten().map(|tag| (tag.clone(), None)).collect(),
        Facet::Entities => entry
            .entities
            .iter()
            .flatten()
            .filter_map(|name| {
                let (key, shown) = aliases.of_name(name)?;
                Some((key.into_owned(), Some(shown.map_or_else(|| with_single_blanks(name), str::to_owned))))
            })
            .collect(),
        Facet::Text(column) => plain(
            match column {
                TextFacet::UserId => entry.user_id,
                TextFacet::AgentId => entry.agent_id,
                TextFacet::SessionId => entry.session_id,
                TextFacet::SourceType => entry.source_type,
            }
            .map(str::to_owned),
        ),
        Facet::Importance => plain(entry.importance.map(|importance| importance.to_string())),
        Facet::Time(period) => plain(entry.created.and_then(|created| of_period(*period, created))),
        Facet::Metadata(path) => {
            let at = path.iter().try_fold(metadata, |value, key| value.map(|value| value.get(key))).flatten();
            let items =
                at.and_then(Value::as_array).map_or_else(|| at.into_iter().collect(), |all| all.iter().collect());
            let items: Vec<&Value> = items;
            items.into_iter().filter_map(scalar).map(|value| (value, None)).collect()
        }
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The beginning of an ISO 8601 time; empty for infinity.
fn of_period(period: Period, created: Micros) -> Option<String> {
    let text = timestamp::format(created);
    let day = text.split_once('T')?.0;
    let parts = match period {
        Period::Day => 3,
        Period::Month => 2,
        Period::Year => 1,
    };
    // A year before our era begins with a minus.
    let (sign, digits) = day.strip_prefix('-').map_or(("", day), |digits| ("-", digits));
    Some(format!("{sign}{}", digits.split('-').take(parts).collect::<Vec<_>>().join("-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(by: &[&str], entries: &[Values<'_>]) -> Vec<(String, String, i64)> {
        let aliases = Aliases::of([("Liz".to_owned(), "Elizabeth".to_owned())]);
        let facets = Facet::parse(by.iter().map(|name| Some((*name).to_owned())).collect()).unwrap();
        let mut counter = Counter::new(&facets, &aliases);
        entries.iter().for_each(|entry| counter.add(entry).unwrap());
        counter.finish(2).into_iter().map(|count| (count.facet, count.value, count.entries)).collect()
    }

    fn is(facet: &str, value: &str, entries: i64) -> (String, String, i64) {
        (facet.to_owned(), value.to_owned(), entries)
    }

    #[test]
    fn each_entry_counts_once_a_value() {
        let texts = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
        let (tags, names) = (texts(&["a", "a", "b"]), texts(&["Liz", "ELIZABETH", "Bob"]));
        let entry = Values { tags: &tags, entities: &names, ..Values::default() };
        assert_eq!(
            counted(&["tags", "entities"], &[entry, Values { entities: &names[2..], ..Values::default() }]),
            [is("tags", "a", 1), is("tags", "b", 1), is("entities", "Bob", 2), is("entities", "Elizabeth", 1)]
        );
    }

    #[test]
    fn times_are_told_apart_by_day_month_or_year_in_utc() {
        let at = |micros| Values { created: Some(micros), ..Values::default() };
        let entries =
            [at(1_735_689_600_000_000), at(1_735_689_599_999_999), at(1_735_776_000_000_000), at(Micros::MAX)];
        assert_eq!(counted(&["year"], &entries), [is("year", "2024", 1), is("year", "2025", 2)]);
        assert_eq!(counted(&["month"], &entries), [is("month", "2024-12", 1), is("month", "2025-01", 2)]);
        assert_eq!(counted(&["day"], &entries), [is("day", "2024-12-31", 1), is("day", "2025-01-01", 1)]);
    }

    #[test]
    fn scalars_of_metadata_are_counted_at_their_path() {
        let of = |metadata| Values { metadata, ..Values::default() };
        let entries = [of(r#"{"a": {"b": 1}}"#), of(r#"{"a": {"b": [1, "1", true, null]}}"#), of("[]"), of("")];
        assert_eq!(counted(&["metadata.a.b"], &entries), [is("metadata.a.b", "1", 2), is("metadata.a.b", "true", 1)]);
    }

    #[test]
    fn an_unknown_facet_is_refused() {
        for by in [vec![], vec![Some("tag".to_owned())], vec![None], vec![Some("metadata.".to_owned())]] {
            assert!(Facet::parse(by).is_err());
        }
        let twice = Facet::parse(vec![Some("tags".to_owned()), Some("tags".to_owned())]).unwrap();
        assert_eq!(twice.len(), 1);
    }
}
