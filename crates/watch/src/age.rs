//! The time since something happened: a number and a unit, as `30 days`.

use std::str::FromStr;

/// The units, with the seconds that each has. A month has no fixed length.
const UNITS: [(&str, u64); 5] = [("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400), ("week", 604_800)];

/// The longest age, a thousand years: PostgreSQL computes no times before 4713 BC.
const MOST_SECONDS: u64 = 1_000 * 366 * 86_400;

/// An age in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age {
    /// The seconds.
    pub seconds: u64,
}

impl FromStr for Age {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = (&text[..end], text[end..].trim().to_ascii_lowercase());
        let wanted = "write a number and a unit: '30 days', '12 hours', '90 minutes', '2 weeks'";
        if number.is_empty() {
            return Err(wanted.to_owned());
        }
        if unit.is_empty() {
            return Err(format!("{number} has no unit: {wanted}"));
        }
        let known = UNITS.iter().find(|(name, _)| unit == *name || unit == format!("{name}s") || unit == name[..1]);
        let Some((_, seconds)) = known else { return Err(format!("there is no unit '{unit}' here: {wanted}")) };
        let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(*seconds));
        match seconds {
            Some(seconds) if seconds <= MOST_SECONDS => Ok(Age { seconds }),
            _ => Err("that is longer than 1000 years".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        for (text, seconds) in [("30 days", 2_592_000), ("12h", 43_200), ("1 Week", 604_800), (" 0 seconds ", 0)] {
            assert_eq!(text.parse(), Ok(Age { seconds }), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "30", "-1 days", "days", "1.5 days", "1 month", "1 m0nth", "30 days ago", "9999999999 weeks"] {
            assert!(text.parse::<Age>().is_err(), "{text}");
        }
        assert!("99999999999999999999 days".parse::<Age>().is_err());
        assert!("5 ünits".parse::<Age>().is_err() && "é".parse::<Age>().is_err());
    }
}
