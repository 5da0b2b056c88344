//! The entries of a memory that functions without a search show: the visible ones, and hidden ones on request.

use crate::error::Result;
use crate::filter::condition::{Condition, When};
use crate::filter::visibility;
use crate::json_fields::Fields;
use crate::timestamp::{self, Micros};

/// The hidden entries to show, and the instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShownEntries {
    /// Also deleted ones.
    pub include_deleted: bool,
    /// Also expired ones.
    pub include_expired: bool,
    /// Also corrected ones.
    pub include_superseded: bool,
    /// The instant in question, if it is not now.
    pub as_of: Option<Micros>,
    /// Whether their embeddings are shown.
    pub include_embedding: bool,
}

impl ShownEntries {
    /// Parses the JSON text of `options` of a function that shows entries.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields = Fields::parse("options", text)?;
        let include_embedding = fields.take_boolean("includeEmbedding")?.unwrap_or_default();
        Ok(ShownEntries { include_embedding, ..ShownEntries::which(fields)? })
    }

    /// Parses the JSON text of `options` of a function that counts entries.
    pub fn parse_counted(text: &str) -> Result<Self> {
        ShownEntries::which(Fields::parse("options", text)?)
    }

    fn which(mut fields: Fields) -> Result<Self> {
        let shown = ShownEntries {
            include_deleted: fields.take_boolean("includeDeleted")?.unwrap_or_default(),
            include_expired: fields.take_boolean("includeExpired")?.unwrap_or_default(),
            include_superseded: fields.take_boolean("includeSuperseded")?.unwrap_or_default(),
            as_of: fields
                .take_text("asOf")?
                .map(|text| timestamp::parse(&fields.path_of("asOf"), &text))
                .transpose()?,
            include_embedding: false,
        };
        fields.finish()?;
        Ok(shown)
    }

    /// The instant, with `now` as the default.
    pub fn when(&self, now: Micros) -> When {
        self.as_of.map_or(When::Now(now), When::AsOf)
    }

    /// The condition on an entry.
    pub fn condition(&self, when: When) -> Condition {
        let mut conditions = Vec::new();
        if !self.include_deleted {
            conditions.push(visibility::not_deleted(when));
        }
        if !self.include_expired {
            conditions.push(visibility::not_expired(when));
        }
        if !self.include_superseded {
            conditions.push(visibility::stands(when));
        }
        if let When::AsOf(then) = when {
            conditions.push(visibility::created_by(then));
        }
        Condition::All(conditions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_is_shown_unless_it_is_asked_for() {
        let shown = ShownEntries::parse("{}").unwrap();
        assert_eq!(shown, ShownEntries::default());
        for when in [When::Now(5), When::AsOf(5)] {
            let (Condition::All(mut asked), Condition::All(mut visible)) =
                (shown.condition(when), visibility::visible(when))
            else {
                panic!()
            };
            asked.sort_by_key(|condition| format!("{condition:?}"));
            visible.sort_by_key(|condition| format!("{condition:?}"));
            assert_eq!(asked, visible);
        }
        let everything = r#"{"includeDeleted": true, "includeExpired": true, "includeSuperseded": true}"#;
        assert_eq!(ShownEntries::parse(everything).unwrap().condition(When::Now(5)), Condition::All(Vec::new()));
    }

    #[test]
    fn an_unknown_option_is_answered_with_the_nearest_one() {
        let refusal = ShownEntries::parse(r#"{"include_deleted": true}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"includeDeleted\"?"));
        assert!(ShownEntries::parse(r#"{"asOf": "now"}"#).is_err());
    }

    #[test]
    fn what_is_counted_has_no_embedding_to_show() {
        assert!(ShownEntries::parse(r#"{"includeEmbedding": true}"#).unwrap().include_embedding);
        assert!(ShownEntries::parse_counted(r#"{"includeEmbedding": true}"#).is_err());
        assert!(ShownEntries::parse_counted(r#"{"includeDeleted": true}"#).unwrap().include_deleted);
    }
}
