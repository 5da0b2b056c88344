//! Conditions on the data of the index, compared with their values on rows that hold everything in the simplest form.

use memory_search_core::filter::condition::{
    Comparison, Condition, Field, NumberField, Row, TagMatch, TextField, TimeField, When,
};
use memory_search_core::filter::json_path::JsonPath;
use memory_search_core::filter::{Containment, containment};
use memory_search_core::text::entity_key::entity_key;
use memory_search_core::timestamp::Micros;
use proptest::prelude::*;
use serde_json::Value;

use super::{DocumentRow, Layout, NumberForm, over_segment};
use crate::document::{Document, DocumentView, encode};
use crate::hashing::Hashes;
use crate::place::Place;
use crate::segment::{InMemory, Segment, SegmentDocument, build};

/// A row as a table has it.
#[derive(Debug, Clone, Default)]
struct Entry {
    texts: [Option<String>; TextField::ALL.len()],
    importance: Option<f64>,
    accesses: Option<i64>,
    times: [Option<Micros>; TimeField::ALL.len()],
    tags: Option<Vec<String>>,
    entities: Option<Vec<String>>,
    metadata: Option<String>,
}

impl Row for Entry {
    fn says(_: Field) -> bool {
        true
    }

    fn equals(&self, field: TextField, value: &str) -> Option<bool> {
        // The layout of these tests knows only users and agents.
        if !matches!(field, TextField::UserId | TextField::AgentId) {
            return None;
        }
        self.texts[field as usize].as_ref().map(|text| text == value)
    }

    fn number(&self, field: NumberField) -> Option<f64> {
        match field {
            NumberField::Importance => self.importance,
            NumberField::AccessCount => self.accesses.map(|count| count as f64),
        }
    }

    fn time(&self, field: TimeField) -> Option<Micros> {
        self.times[field as usize]
    }

    fn has_tag(&self, tag: &str) -> Option<bool> {
        self.tags.as_ref().map(|tags| tags.iter().any(|own| own == tag))
    }

    fn names_entity(&self, key: &str) -> Option<bool> {
        self.entities.as_ref().map(|names| names.iter().any(|name| entity_key(name).as_deref() == Some(key)))
    }

    /// A row that lacks a term does not contain it; for other rows the answer is unknown.
    fn metadata_contains(&self, part: &Containment) -> Option<bool> {
        let (own, wanted) = (containment::terms(self.metadata.as_ref()?)?, part.terms()?);
        (!wanted.iter().all(|term| own.contains(term))).then_some(false)
    }
}

fn layout() -> Layout {
    Layout::new(Hashes::new([5; 16]))
        .with_time(TimeField::Creation, 0)
        .with_time(TimeField::DeletionScheduled, 3)
        .with_time(TimeField::Expiry, 1)
        .with_time(TimeField::Superseded, 4)
        .with_time(TimeField::ValidFrom, 6)
        .with_time(TimeField::ValidUntil, 7)
        .with_number(NumberField::Importance, 2, NumberForm::Float)
        .with_number(NumberField::AccessCount, 5, NumberForm::Integer)
        .with_text(TextField::UserId, 3)
        .with_text(TextField::AgentId, 4)
        .with_tags(6)
        .with_metadata(7)
        .with_entities(8)
}

fn document(entry: &Entry, block: u32) -> Document {
    let hashes = Hashes::new([5; 16]);
    let [creation, deletion, expiry, superseded, valid_from, valid_until] = entry.times;
    let importance = entry.importance.map(|number| number.to_bits().cast_signed());
    let mut terms = Vec::new();
    for (column, text) in [(3, &entry.texts[0]), (4, &entry.texts[1])] {
        if let Some(text) = text {
            terms.extend([hashes.presence(column), hashes.value(column, text.as_bytes())]);
        }
    }
    if let Some(tags) = &entry.tags {
        terms.push(hashes.presence(6));
        terms.extend(tags.iter().map(|tag| hashes.value(6, tag.as_bytes())));
    }
    if let Some(names) = &entry.entities {
        terms.push(hashes.presence(8));
        for name in names {
            terms.push(hashes.value(8, name.as_bytes()));
            terms.extend(hashes.term_of_key(8, name));
        }
    }
    if let Some(metadata) = &entry.metadata {
        terms.push(hashes.presence(7));
        match containment::terms(metadata) {
            Some(own) => terms.extend(own.iter().map(|term| hashes.value(7, term))),
            None => terms.push(hashes.whole(7)),
        }
    }
    terms.sort_unstable();
    terms.dedup();
    let numbers = vec![creation, expiry, importance, deletion, superseded, entry.accesses, valid_from, valid_until];
    Document { place: Place { block, offset: 1 }, numbers, terms, ..Document::default() }
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["ann", "bob", "\0", ""]).prop_map(str::to_owned)
}

fn json() -> impl Strategy<Value = String> {
    let texts = ["{}", r#"{"a": 1}"#, r#"{"a": [1, 2], "b": "x"}"#, r#"{"b": "x"}"#, "[1]", "1e400"];
    prop::sample::select(texts.to_vec()).prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![-1.0, -0.0, 0.0, 49.5, 50.0, f64::INFINITY, f64::NAN])
}

fn instant() -> impl Strategy<Value = Micros> {
    prop::sample::select(vec![Micros::MIN, -1, 0, 1, 2, Micros::MAX])
}

prop_compose! {
    fn entry()(
        texts in prop::array::uniform5(prop::option::of(word())),
        importance in prop::option::of(number()),
        accesses in prop::option::of(prop::sample::select(vec![-1, 0, 49, 50, i64::MAX])),
        times in prop::array::uniform6(prop::option::of(instant())),
        tags in prop::option::of(prop::collection::vec(word(), 0..3)),
        entities in prop::option::of(prop::collection::vec(name(), 0..3)),
        metadata in prop::option::of(json()),
    ) -> Entry {
        Entry { texts, importance, accesses, times, tags, entities, metadata }
    }
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["ann", "bob"]).prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["ann", "Ann", " ÁNN", "bob", ""]).prop_map(str::to_owned)
}

fn condition() -> impl Strategy<Value = Condition> {
    let text = prop::sample::select(TextField::ALL.to_vec());
    let number_field = prop::sample::select(vec![NumberField::Importance, NumberField::AccessCount]);
    let time = prop::sample::select(TimeField::ALL.to_vec());
    let comparison = prop::sample::select(vec![
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Equal,
        Comparison::GreaterOrEqual,
        Comparison::Greater,
    ]);
    let matching = prop::sample::select(vec![TagMatch::Any, TagMatch::All]);
    let words = || prop::collection::vec(word(), 0..3);
    let leaf = prop_oneof![
        (text.clone(), word()).prop_map(|(field, value)| Condition::Equals(field, value)),
        (text, words()).prop_map(|(field, values)| Condition::IsAmong(field, values)),
        (number_field, comparison.clone(), number())
            .prop_map(|(field, how, bound)| Condition::Number(field, how, bound)),
        (time.clone(), comparison.clone(), instant()).prop_map(|(field, how, at)| Condition::Time(field, how, at)),
        (time.clone(), comparison, instant()).prop_map(|(field, how, at)| Condition::NullOrTime(field, how, at)),
        time.prop_map(Condition::IsNull),
        (words(), matching.clone()).prop_map(|(tags, matching)| Condition::Tags(tags, matching)),
        (prop::collection::vec(key(), 0..3), matching).prop_map(|(keys, matching)| Condition::Entities(keys, matching)),
        json().prop_map(|json| Condition::Metadata(Containment::of(json))),
        Just(Condition::StandsAgain(When::Now(0))),
    ];
    leaf.prop_recursive(3, 16, 3, |part| {
        prop_oneof![
            prop::collection::vec(part.clone(), 0..3).prop_map(Condition::All),
            prop::collection::vec(part.clone(), 0..3).prop_map(Condition::Any),
            part.clone().prop_map(|part| Condition::Not(Box::new(part))),
            part.prop_map(|part| Condition::IsTrue(Box::new(part))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_condition_has_the_value_that_it_has_on_the_row(
        entries in prop::collection::vec(entry(), 1..90), conditions in prop::collection::vec(condition(), 1..4),
    ) {
        let layout = layout();
        let mut documents: Vec<_> = (0..)
            .zip(&entries)
            .map(|(block, entry)| SegmentDocument { document: document(entry, block), groups: Vec::new() })
            .collect();
        let bytes = build(&mut documents, &[], 8).unwrap();
        let paged = InMemory(&bytes);
        let segment = Segment::open(&paged).unwrap();
        for condition in &conditions {
            let verdicts = over_segment(condition, &layout, &segment).unwrap();
            let unknown = verdicts.unknown().unwrap();
            for (number, one) in (0..).zip(&documents) {
                let expected = condition.evaluate(&entries[one.document.place.block as usize]);
                prop_assert_eq!(verdicts.value(number), expected);
                prop_assert_eq!(unknown.contains(number), expected.is_none());
                let record = encode(&one.document);
                let view = DocumentView::new(&record).unwrap();
                prop_assert_eq!(condition.evaluate(&DocumentRow { view: &view, layout: &layout }), expected);
            }
        }
    }
}

/// Whether a path of a document in lax mode has the value: it tests each element of an array.
fn has_at(document: &Value, keys: &[&str], value: &Value) -> bool {
    match (document, keys) {
        (Value::Array(items), _) => items.iter().any(|item| has_at(item, keys, value)),
        (Value::Object(fields), [first, rest @ ..]) => {
            fields.get(*first).is_some_and(|inner| has_at(inner, rest, value))
        }
        (document, []) => document == value,
        _ => false,
    }
}

#[test]
fn a_path_that_is_met_is_never_ruled_out() {
    let documents = [
        r#"{"a": 1}"#,
        r#"{"a": [1, "x"]}"#,
        r#"{"a": {"b": "x"}}"#,
        r#"{"a": [{"b": 1}, {"b": ["x"]}]}"#,
        r#"[{"a": 1}]"#,
        r#"{"a": null}"#,
        r#"{"b": 1}"#,
        "{}",
        r#"{"a": true, "big": 1e400}"#,
        r#"{"a": 1.0}"#,
    ];
    let layout = layout();
    let mut rows: Vec<SegmentDocument> = (0..)
        .zip(documents)
        .map(|(block, json)| {
            let entry = Entry { metadata: Some(json.to_owned()), ..Entry::default() };
            SegmentDocument { document: document(&entry, block), groups: Vec::new() }
        })
        .collect();
    let bytes = build(&mut rows, &[], 8).unwrap();
    let paged = InMemory(&bytes);
    let segment = Segment::open(&paged).unwrap();
    let (mut met, mut ruled_out) = (0, 0);
    for keys in [&["a"][..], &["a", "b"], &["b"]] {
        let path: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        for value in [Value::from(1), "x".into(), Value::Null, true.into()] {
            let text = value.to_string();
            let condition =
                Condition::MetadataPath(JsonPath::meets(&path, "@ == $0", &[&text]).with_terms_of(&path, &[&text]));
            let verdicts = over_segment(&condition, &layout, &segment).unwrap();
            for (number, row) in (0..).zip(&rows) {
                let json = documents[row.document.place.block as usize];
                let is_met = serde_json::from_str(json).is_ok_and(|document| {
                    let as_floats = |value: &Value| value.as_f64().map_or(value.clone(), Value::from);
                    has_at(&document, keys, &value) || has_at(&document, keys, &as_floats(&value))
                });
                assert!(!is_met || verdicts.value(number).is_none(), "{json} {keys:?} {value}");
                met += usize::from(is_met);
                ruled_out += usize::from(verdicts.value(number) == Some(false));
            }
        }
    }
    assert!(met > 5 && ruled_out > 60, "{met} {ruled_out}");
}

#[test]
fn a_layout_knows_the_conditions_on_its_fields() {
    let layout = layout();
    let of_user = Condition::Equals(TextField::UserId, "ann".to_owned());
    let of_source = Condition::Equals(TextField::SourceType, "mail".to_owned());
    assert!(layout.knows(&Condition::All(vec![])));
    assert!(layout.knows(&of_user));
    assert!(layout.knows(&Condition::Tags(vec![], TagMatch::All).or(Condition::IsNull(TimeField::Expiry)).negated()));
    assert!(!layout.knows(&of_source));
    assert!(!layout.knows(&Condition::all([of_user, of_source.is_not_true()])));
    assert!(!layout.knows(&Condition::Demands));
    assert!(!layout.knows(&Condition::Metadata(Containment::of("{}".to_owned()))));
    assert!(!Layout::new(Hashes::new([0; 16])).knows(&Condition::IsNull(TimeField::Creation)));
}
