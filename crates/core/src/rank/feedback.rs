//! The feedback of users on an entry, as a factor on its relevance that is bounded for any number of voices.

/// The feedback on an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Feedback {
    /// The number of times that users said that it helped.
    pub helpful: i64,
    /// The number of times that users said that it did not.
    pub unhelpful: i64,
}

impl Feedback {
    /// From -1 to 1, both excluded: twice Laplace's rule of succession, (helpful + 1) / (all + 2), less 1. One voice
    /// has a third of the full effect, and without feedback it is 0.
    fn verdict(self) -> f64 {
        let (helpful, unhelpful) = (self.helpful.max(0) as f64, self.unhelpful.max(0) as f64);
        (helpful - unhelpful) / (helpful + unhelpful + 2.0)
    }

    /// The factor on relevance: from 1 / (1 + weight) to 1 + weight, and 1 without feedback.
    pub fn factor(self, weight: f64) -> f64 {
        (1.0 + weight).powf(self.verdict())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn without_feedback_or_weight_nothing_moves() {
        assert_eq!(Feedback::default().factor(0.25), 1.0);
        assert_eq!(Feedback { helpful: 9, unhelpful: 1 }.factor(0.0), 1.0);
        assert_eq!(Feedback { helpful: 7, unhelpful: 7 }.factor(0.25), 1.0);
    }

    #[test]
    fn the_first_voices_count_most() {
        let factor = |helpful| Feedback { helpful, unhelpful: 0 }.factor(0.25);
        assert!((factor(1) - 1.25f64.powf(1.0 / 3.0)).abs() < 1e-12);
        assert!(factor(1) - factor(0) > factor(2) - factor(1) && factor(1_000_000) > 1.2499);
    }

    proptest! {
        #[test]
        fn it_is_bounded_symmetric_and_monotone(helpful in 0..i64::MAX / 4, unhelpful in 0..i64::MAX / 4, weight in 0.0..=1.0f64) {
            let factor = Feedback { helpful, unhelpful }.factor(weight);
            prop_assert!(factor >= 1.0 / (1.0 + weight) - 1e-12 && factor <= 1.0 + weight + 1e-12);
            let other = Feedback { helpful: unhelpful, unhelpful: helpful }.factor(weight);
            prop_assert!((factor * other - 1.0).abs() < 1e-9);
            let more = Feedback { helpful: helpful + 1, unhelpful }.factor(weight);
            let less = Feedback { helpful, unhelpful: unhelpful + 1 }.factor(weight);
            prop_assert!(more >= factor - 1e-12 && less <= factor + 1e-12);
        }
    }
}
