//! The weights that can be learned, and the values that are tried.
//!
//! Popularity, recency of use and feedback are not among them: their counts have no history, and the use that judged an
//! entry as helpful has often been counted already. The weights would be measured on counts that contain the answer.

use crate::rank::scoring::Scoring;

/// An option that gets another value.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Change {
    pub option: &'static str,
    pub before: f64,
    pub after: f64,
}

/// A weight.
pub struct Parameter {
    /// The option that has it.
    pub option: &'static str,
    /// The values that are tried, beside the present one.
    pub values: &'static [f64],
    /// Its value in a scoring.
    pub value: fn(&Scoring) -> f64,
    /// Gives it another value.
    pub set: fn(&mut Scoring, f64),
}

/// The number of parameters.
pub const COUNT: usize = 7;

/// All of them, in the order in which they are fitted.
pub static ALL: [Parameter; COUNT] = [
    Parameter {
        option: "weights.semantic",
        values: &[0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
        value: |scoring| scoring.semantic_weight,
        set: |scoring, share| (scoring.semantic_weight, scoring.keyword_weight) = (share, 1.0 - share),
    },
    Parameter {
        option: "boosts.recency",
        values: &[0.0, 0.05, 0.1, 0.2, 0.3, 0.4],
        value: |scoring| scoring.recency_boost,
        set: |scoring, share| scoring.recency_boost = share,
    },
    Parameter {
        option: "recency.days",
        values: &[7.0, 30.0, 90.0, 365.0],
        value: |scoring| scoring.recency_days,
        set: |scoring, days| scoring.recency_days = days,
    },
    Parameter {
        option: "boosts.importance",
        values: &[0.0, 0.05, 0.1, 0.2, 0.3],
        value: |scoring| scoring.importance_boost,
        set: |scoring, share| scoring.importance_boost = share,
    },
    Parameter {
        option: "boosts.author",
        values: &[0.0, 0.25, 0.5, 1.0],
        value: |scoring| scoring.author_boost,
        set: |scoring, weight| scoring.author_boost = weight,
    },
    Parameter {
        option: "boosts.date",
        values: &[0.0, 0.4, 0.8, 1.0],
        value: |scoring| scoring.date_boost,
        set: |scoring, weight| scoring.date_boost = weight,
    },
    Parameter {
        option: "boosts.length",
        values: &[0.0, 0.15, 0.3, 0.6],
        value: |scoring| scoring.length_boost,
        set: |scoring, weight| scoring.length_boost = weight,
    },
];

/// The value of an option in a scoring; `None` if the option is not learned.
pub fn value(scoring: &Scoring, option: &str) -> Option<f64> {
    ALL.iter().find(|one| one.option == option).map(|one| (one.value)(scoring))
}

/// The parameters whose values differ.
pub fn changes(before: &Scoring, after: &Scoring) -> Vec<Change> {
    ALL.iter()
        .map(|one| Change { option: one.option, before: (one.value)(before), after: (one.value)(after) })
        .filter(|change| change.before != change.after)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::presets::Preset;

    #[test]
    fn each_parameter_sets_what_it_reads_and_nothing_else() {
        let default = Preset::Default.scoring();
        for parameter in &ALL {
            for &value in parameter.values {
                let mut changed = default;
                (parameter.set)(&mut changed, value);
                assert_eq!((parameter.value)(&changed), value, "{}", parameter.option);
                let others = changes(&default, &changed).into_iter().filter(|change| change.option != parameter.option);
                assert_eq!(others.count(), 0, "{}", parameter.option);
                (parameter.set)(&mut changed, (parameter.value)(&default));
                assert_eq!(changed, default);
            }
            assert!(parameter.values.contains(&(parameter.value)(&default)), "{}", parameter.option);
        }
    }
}
