//! The possible values of an entry's numbers, and the conditions that these make always true or false.

use super::condition::{Comparison, Condition, NumberField};
use crate::bounds_and_defaults;

/// The least and the greatest value of a number.
pub fn of(field: NumberField) -> (f64, f64) {
    match field {
        NumberField::Importance => {
            (*bounds_and_defaults::IMPORTANCE_FILTER.start(), *bounds_and_defaults::IMPORTANCE_FILTER.end())
        }
        NumberField::AccessCount => (0.0, f64::INFINITY),
    }
}

/// The condition, with parts that every or no entry meets by the range of its numbers replaced by true or false. This
/// applies to entries that exist, because these have all the numbers.
pub fn beyond_ranges(condition: &Condition) -> Condition {
    let each = |parts: &[Condition]| parts.iter().map(beyond_ranges).collect();
    match condition {
        Condition::Number(field, comparison, bound) => {
            let (least, most) = of(*field);
            let (of_least, of_most) = (comparison.holds_of(least, *bound), comparison.holds_of(most, *bound));
            match comparison {
                Comparison::Equal if *bound < least || *bound > most => Condition::Any(Vec::new()),
                Comparison::Equal => condition.clone(),
                _ if of_least && of_most => Condition::All(Vec::new()),
                _ if !of_least && !of_most => Condition::Any(Vec::new()),
                _ => condition.clone(),
            }
        }
        Condition::All(parts) => Condition::All(each(parts)),
        Condition::Any(parts) => Condition::Any(each(parts)),
        Condition::Not(part) => Condition::Not(Box::new(beyond_ranges(part))),
        Condition::IsTrue(part) => Condition::IsTrue(Box::new(beyond_ranges(part))),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::argument::Filters;

    #[test]
    fn bounds_that_every_number_meets_ask_nothing_and_all_others_stay() {
        let asked = |filters: &str| Filters::parse(filters).unwrap().condition();
        let all = Condition::All(Vec::new());
        for number in [Comparison::GreaterOrEqual, Comparison::Greater].map(|above| (above, NumberField::Importance)) {
            for bound in -2..103 {
                let condition = Condition::Number(number.1, number.0, f64::from(bound));
                let meet = (0..=100).filter(|value| number.0.holds_of(f64::from(*value), f64::from(bound))).count();
                let expected = match meet {
                    101 => all.clone(),
                    0 => Condition::Any(Vec::new()),
                    _ => condition.clone(),
                };
                assert_eq!(beyond_ranges(&condition), expected, "{condition:?}");
            }
        }
        let count = |comparison, bound| Condition::Number(NumberField::AccessCount, comparison, bound);
        assert_eq!(beyond_ranges(&count(Comparison::GreaterOrEqual, 0.0)), all);
        for some in
            [count(Comparison::Equal, 0.0), count(Comparison::LessOrEqual, 0.0), count(Comparison::Greater, 0.0)]
        {
            assert_eq!(beyond_ranges(&some), some);
        }
        assert_ne!(asked(r#"{"minImportance": 0}"#), beyond_ranges(&asked(r#"{"minImportance": 0}"#)));
    }
}
