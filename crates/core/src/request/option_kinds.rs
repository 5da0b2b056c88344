//! What an option may hold: how its value is read, and what JSON Schema says of it.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use crate::error::Result;
use crate::request::json_fields::{Choice, Fields, words};
use crate::request::options::Options;
use crate::timestamp::{self, Micros};

/// The type and range of an option's value, with the place where the value lands.
pub trait Kind {
    /// Reads the field, where it is given, into its place.
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()>;

    /// The JSON Schema of the value, without a description.
    fn schema(&self) -> Value;
}

/// One of the words of `T`.
pub struct Word<T>(pub fn(&mut Options, T));

impl<T: Choice> Kind for Word<T> {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(word) = fields.take_choice(key)? {
            self.0(into, word);
        }
        Ok(())
    }

    fn schema(&self) -> Value {
        json!({"type": "string", "enum": words::<T>()})
    }
}

/// True or false.
pub struct Flag(pub fn(&mut Options) -> &mut bool);

impl Kind for Flag {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(flag) = fields.take_boolean(key)? {
            *self.0(into) = flag;
        }
        Ok(())
    }

    fn schema(&self) -> Value {
        json!({"type": "boolean", "default": *self.0(&mut Options::default())})
    }
}

/// A number within a range.
pub struct Number(pub RangeInclusive<f64>, pub fn(&mut Options, f64));

impl Kind for Number {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(number) = fields.take_number(key, self.0.clone())? {
            self.1(into, number);
        }
        Ok(())
    }

    fn schema(&self) -> Value {
        json!({"type": "number", "minimum": self.0.start(), "maximum": self.0.end()})
    }
}

/// A whole number within a range.
pub struct Integer {
    /// Both ends belong to it.
    pub range: RangeInclusive<i64>,
    /// What is documented as the default.
    pub default: i64,
    /// Where a given value lands.
    pub set: fn(&mut Options, i64),
}

impl Kind for Integer {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(number) = fields.take_integer(key, self.range.clone())? {
            (self.set)(into, number);
        }
        Ok(())
    }

    fn schema(&self) -> Value {
        json!({"type": "integer", "minimum": self.range.start(), "maximum": self.range.end(), "default": self.default})
    }
}

/// A time in RFC 3339.
pub struct Instant(pub fn(&mut Options, Micros));

impl Kind for Instant {
    fn read(&self, fields: &mut Fields, key: &'static str, into: &mut Options) -> Result<()> {
        if let Some(text) = fields.take_text(key)? {
            self.0(into, timestamp::parse(&fields.path_of(key), &text)?);
        }
        Ok(())
    }

    fn schema(&self) -> Value {
        json!({"type": "string", "format": "date-time"})
    }
}
