//! The `filters` argument: which entries may be found. Filters hold before any limit.

use serde_json::value::RawValue;

use crate::error::{Error, Result, shown};
use crate::filter::Containment;
use crate::filter::condition::{Comparison, Condition, NumberField, TagMatch, TextField, TimeField};
use crate::json_fields::{Fields, described};
use crate::limits;
use crate::timestamp::{self, Micros};

/// Bounds on a number; `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[allow(missing_docs)]
pub struct NumberRange {
    pub at_least: Option<f64>,
    pub above: Option<f64>,
    pub at_most: Option<f64>,
    pub below: Option<f64>,
    pub equal: Option<f64>,
}

impl NumberRange {
    /// The bounds that are set.
    pub fn bounds(&self) -> impl Iterator<Item = (Comparison, f64)> {
        let bounds = [
            (Comparison::GreaterOrEqual, self.at_least),
            (Comparison::Greater, self.above),
            (Comparison::LessOrEqual, self.at_most),
            (Comparison::Less, self.below),
            (Comparison::Equal, self.equal),
        ];
        bounds.into_iter().filter_map(|(comparison, bound)| bound.map(|bound| (comparison, bound)))
    }

    /// That a number is within all bounds; `None` without any.
    fn condition(&self, field: NumberField) -> Option<Condition> {
        let bounds: Vec<_> =
            self.bounds().map(|(comparison, bound)| Condition::Number(field, comparison, bound)).collect();
        (!bounds.is_empty()).then_some(Condition::All(bounds))
    }

    fn read(fields: &mut Fields, key: &'static str) -> Result<NumberRange> {
        let any = f64::MIN..=f64::MAX;
        let path = fields.path_of(key);
        let Some(value) = fields.take(key) else { return Ok(NumberRange::default()) };
        if let Some(number) = value.as_f64() {
            return Ok(NumberRange { equal: Some(number), ..NumberRange::default() });
        }
        if !value.is_object() {
            return Err(Error::invalid(format!("{path} must be a number or bounds, not {}", described(&value)))
                .hint(format!("Write {{\"{key}\": 50}} or {{\"{key}\": {{\"$gte\": 50, \"$lt\": 90}}}}.")));
        }
        let mut bounds = Fields::parse(&path, &value.to_string())?;
        let range = NumberRange {
            at_least: bounds.take_number("$gte", any.clone())?,
            above: bounds.take_number("$gt", any.clone())?,
            at_most: bounds.take_number("$lte", any.clone())?,
            below: bounds.take_number("$lt", any.clone())?,
            equal: bounds.take_number("$eq", any)?,
        };
        bounds.finish()?;
        range.refuse_empty(&path)?;
        Ok(range)
    }

    fn refuse_empty(&self, path: &str) -> Result<()> {
        let others = NumberRange { equal: None, ..*self };
        let accepts = |number: f64| others.bounds().all(|(comparison, bound)| comparison.holds_of(number, bound));
        let low = self.at_least.into_iter().chain(self.above).fold(f64::MIN, f64::max);
        let high = self.at_most.into_iter().chain(self.below).fold(f64::MAX, f64::min);
        let possible = match self.equal {
            Some(number) => accepts(number),
            None => low < high || (low == high && accepts(low)),
        };
        if possible {
            return Ok(());
        }
        Err(Error::invalid(format!("{path} contradicts itself: no number meets all its bounds")))
    }
}

/// The filters as written; empty lists and `None` do not filter.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Filters {
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub tags: Vec<String>,
    pub tag_match: TagMatch,
    pub importance: NumberRange,
    pub created_after: Option<Micros>,
    pub created_before: Option<Micros>,
    pub source_types: Option<Vec<String>>,
    pub access_count: NumberRange,
    /// JSON text that the entry's metadata must contain, verbatim as the caller wrote it.
    pub metadata: Option<String>,
}

impl Filters {
    /// Each filter by the name that requests have for it, in the order of the documentation.
    pub fn conditions(&self) -> Vec<(&'static str, Condition)> {
        let Filters {
            user_id,
            agent_id,
            tags,
            tag_match,
            importance,
            created_after,
            created_before,
            source_types,
            access_count,
            metadata,
        } = self;
        let equals = |field, value: &Option<String>| value.clone().map(|value| Condition::Equals(field, value));
        let created = |comparison, instant: &Option<Micros>| {
            instant.map(|instant| Condition::Time(TimeField::Creation, comparison, instant))
        };
        let types = source_types.clone().filter(|types| !types.is_empty());
        let conditions = [
            ("userId", equals(TextField::UserId, user_id)),
            ("agentId", equals(TextField::AgentId, agent_id)),
            ("tags", (!tags.is_empty()).then(|| Condition::Tags(tags.clone(), *tag_match))),
            ("importance", importance.condition(NumberField::Importance)),
            ("createdAfter", created(Comparison::GreaterOrEqual, created_after)),
            ("createdBefore", created(Comparison::LessOrEqual, created_before)),
            ("sourceType", types.map(|types| Condition::IsAmong(TextField::SourceType, types))),
            ("accessCount", access_count.condition(NumberField::AccessCount)),
            ("metadata", metadata.clone().map(|json| Condition::Metadata(Containment::of(json)))),
        ];
        conditions.into_iter().filter_map(|(name, condition)| condition.map(|condition| (name, condition))).collect()
    }

    /// Parses the JSON text of `filters`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields = Fields::parse("filters", text)?;
        let mut filters = Filters {
            user_id: fields.take_text("userId")?,
            agent_id: fields.take_text("agentId")?,
            tags: fields.take_texts("tags", limits::MAX_FILTER_VALUES)?.unwrap_or_default(),
            tag_match: fields.take_choice("tagMatch")?.unwrap_or_default(),
            importance: NumberRange::read(&mut fields, "importance")?,
            source_types: fields.take_texts("sourceType", limits::MAX_FILTER_VALUES)?,
            access_count: NumberRange::read(&mut fields, "accessCount")?,
            ..Filters::default()
        };
        if let Some(least) = fields.take_number("minImportance", 0.0..=100.0)? {
            filters.importance.at_least = Some(filters.importance.at_least.map_or(least, |other| other.max(least)));
            filters.importance.refuse_empty("filters.importance")?;
        }
        if let Some(aliased) = fields.take_texts("source.type", limits::MAX_FILTER_VALUES)?
            && filters.source_types.replace(aliased).is_some()
        {
            return Err(Error::invalid("filters has both sourceType and source.type")
                .hint("They are two names of one filter: keep sourceType."));
        }
        for (key, into) in
            [("createdAfter", &mut filters.created_after), ("createdBefore", &mut filters.created_before)]
        {
            if let Some(instant) = fields.take_text(key)? {
                *into = Some(timestamp::parse(&fields.path_of(key), &instant)?);
            }
        }
        if let (Some(after), Some(before)) = (filters.created_after, filters.created_before)
            && after > before
        {
            return Err(Error::invalid(format!(
                "filters.createdAfter ({}) is later than filters.createdBefore ({})",
                timestamp::format(after),
                timestamp::format(before)
            ))
            .hint("Swap the two, or leave one out."));
        }
        if let Some(value) = fields.take("metadata") {
            if !value.is_object() {
                return Err(Error::invalid(format!(
                    "filters.metadata must be a JSON object, not {}",
                    described(&value)
                )));
            }
            refuse_operators("filters.metadata", &value)?;
            filters.metadata = Some(verbatim_metadata(text)?);
        }
        fields.finish()?;
        Ok(filters)
    }
}

/// Refuses keys that look like operators, however deep: taken for content they would match nothing, and say nothing.
fn refuse_operators(path: &str, value: &serde_json::Value) -> Result<()> {
    match value {
        serde_json::Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
            if key.starts_with('$') {
                return Err(Error::invalid(format!("{path} holds \"{}\", and knows no operators", shown(key))).hint(
                    "metadata must be contained as it is written: {\"metadata\": {\"page\": 5}}. Ranges and alternatives \
                     are asked one by one, or in plain SQL.",
                ));
            }
            refuse_operators(&format!("{path}.{}", shown(key)), value)
        }),
        serde_json::Value::Array(items) => items.iter().try_for_each(|item| refuse_operators(path, item)),
        _ => Ok(()),
    }
}

/// The text of the `metadata` field: a number must not lose digits on its way through a double.
fn verbatim_metadata(text: &str) -> Result<String> {
    #[derive(serde::Deserialize)]
    struct OnlyMetadata<'a> {
        #[serde(borrow)]
        metadata: &'a RawValue,
    }
    serde_json::from_str::<OnlyMetadata<'_>>(text)
        .map(|only| only.metadata.get().to_owned())
        .map_err(|error| Error::invalid(format!("filters.metadata cannot be read: {}", shown(&error.to_string()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_means_equality_and_an_object_bounds() {
        let filters = Filters::parse(r#"{"importance": 70, "accessCount": {"$gte": 2, "$lt": 9}}"#).unwrap();
        assert_eq!(filters.importance.equal, Some(70.0));
        assert_eq!((filters.access_count.at_least, filters.access_count.below), (Some(2.0), Some(9.0)));
    }

    #[test]
    fn contradictions_are_named() {
        for bad in [
            r#"{"importance": {"$gt": 50, "$lt": 40}}"#,
            r#"{"importance": {"$gt": 50, "$lte": 50}}"#,
            r#"{"importance": {"$lt": 40}, "minImportance": 70}"#,
            r#"{"createdAfter": "2025-02-01T00:00:00Z", "createdBefore": "2025-01-01T00:00:00Z"}"#,
            r#"{"sourceType": "chat", "source.type": "mail"}"#,
        ] {
            assert!(Filters::parse(bad).is_err(), "{bad}");
        }
        for good in
            [r#"{"importance": {"$gte": 50, "$lte": 50}}"#, r#"{"importance": {"$gte": 0, "$lte": -0.0, "$eq": 0.0}}"#]
        {
            assert!(Filters::parse(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn metadata_keeps_digits_that_no_double_holds() {
        let filters = Filters::parse(r#"{"metadata": {"id": 123456789012345678901234567890}}"#).unwrap();
        assert_eq!(filters.metadata.as_deref(), Some(r#"{"id": 123456789012345678901234567890}"#));
    }

    #[test]
    fn operators_in_metadata_are_refused_and_not_taken_for_content() {
        for bad in [
            r#"{"metadata": {"page": {"$gt": 5}}}"#,
            r#"{"metadata": {"$or": [{"page": 5}, {"page": 6}]}}"#,
            r#"{"metadata": {"pages": [{"of": {"$in": [1]}}]}}"#,
        ] {
            let refusal = Filters::parse(bad).unwrap_err();
            assert_eq!(refusal.kind, crate::ErrorKind::InvalidArgument);
            assert!(refusal.message.contains("\"$") && refusal.hint.is_some(), "{refusal:?}");
        }
        assert!(Filters::parse(r#"{"metadata": {"price": "5 $", "us$": 5}}"#).is_ok());
    }

    #[test]
    fn an_unknown_filter_is_answered_with_the_nearest_one() {
        let refusal = Filters::parse(r#"{"user_id": "u1"}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"userId\"?"));
        let refusal = Filters::parse(r#"{"importance": {"gte": 5}}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"$gte\"?"));
    }

    #[test]
    fn the_documented_alias_of_source_type_works() {
        let filters = Filters::parse(r#"{"source.type": ["chat", "mail"]}"#).unwrap();
        assert_eq!(filters.source_types.unwrap(), ["chat", "mail"]);
    }
}
