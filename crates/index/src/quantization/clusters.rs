//! Groups of similar vectors. Relative to the mean of such a group, residuals are shorter and codes more exact, and the
//! codes of rows near a query are on fewer pages.
//!
//! Vectors are halved again and again, each time along the line between the means of two halves of a sample (2-means),
//! until a group is small enough. No part is smaller than a quarter, so the depth is bounded.

use super::simd::{self, Work};
use crate::fault::Outcome;

/// Vectors of a group whose halves are looked for.
const SAMPLE: usize = 512;
/// Rounds of 2-means.
const ROUNDS: usize = 4;
/// The work between two ticks: some milliseconds, for vectors of 16,000 dimensions.
const VECTORS_A_TICK: usize = 1_024;

/// Divides vectors of one length into groups of `most` at most, and returns the places of each group's vectors,
/// ascending. The same vectors give the same groups. Calls `tick` every few milliseconds.
pub fn clusters(vectors: &[&[f32]], most: usize, tick: impl Fn() -> Outcome<()>) -> Outcome<Vec<Vec<u32>>> {
    let mut groups = Vec::new();
    let mut waiting: Vec<Vec<u32>> = vec![(0..vectors.len() as u32).collect()];
    while let Some(mut places) = waiting.pop() {
        if places.len() <= most.max(1) {
            places.sort_unstable();
            groups.push(places);
            continue;
        }
        let (direction, middle) = simd::widest(Halves { vectors, places: &places });
        let mut along: Vec<(f32, u32)> = Vec::new();
        for places in places.chunks(VECTORS_A_TICK) {
            tick()?;
            let place_along = |&place: &u32| (simd::widest(Dot(vectors[place as usize], &direction)) - middle, place);
            along.extend(places.iter().map(place_along));
        }
        along.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let quarter = (along.len() / 4).max(1);
        let at = along.partition_point(|(along, _)| *along < 0.0).clamp(quarter, along.len() - quarter);
        let (one, other) = along.split_at(at);
        waiting.push(other.iter().map(|(_, place)| *place).collect());
        waiting.push(one.iter().map(|(_, place)| *place).collect());
    }
    groups.retain(|group| !group.is_empty());
    Ok(groups)
}

struct Dot<'a>(&'a [f32], &'a [f32]);

impl Work for Dot<'_> {
    type Result = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        simd::single_dot(self.0, self.1)
    }
}

/// Two halves of a sample.
struct Halves<'a> {
    vectors: &'a [&'a [f32]],
    places: &'a [u32],
}

impl Work for Halves<'_> {
    /// The vector from the mean of one half to the mean of the other, and the position of the middle along it.
    type Result = (Vec<f32>, f32);

    #[inline(always)]
    fn run(self) -> (Vec<f32>, f32) {
        let step = self.places.len().div_ceil(SAMPLE);
        let sample: Vec<&[f32]> = self.places.iter().step_by(step).map(|&place| self.vectors[place as usize]).collect();
        // Two vectors that are far from each other.
        let farthest = |from: &[f32]| {
            let near = |vector: &&&[f32]| simd::single_dot(vector, from);
            sample.iter().min_by(|a, b| near(a).total_cmp(&near(b))).map_or_else(Vec::new, |vector| vector.to_vec())
        };
        let one = farthest(sample[0]);
        let mut other = farthest(&one);
        let mut one = one;
        for _ in 0..ROUNDS {
            let (direction, middle) = between(&one, &other);
            let mut means = [vec![0.0; one.len()], vec![0.0; one.len()]];
            let mut counts = [0_usize; 2];
            for vector in &sample {
                let half = usize::from(simd::single_dot(vector, &direction) >= middle);
                counts[half] += 1;
                means[half].iter_mut().zip(*vector).for_each(|(sum, value)| *sum += value);
            }
            if counts.contains(&0) {
                break;
            }
            for (mean, count) in means.iter_mut().zip(counts) {
                mean.iter_mut().for_each(|sum| *sum /= count as f32);
            }
            [one, other] = means;
        }
        between(&one, &other)
    }
}

#[inline(always)]
fn between(one: &[f32], other: &[f32]) -> (Vec<f32>, f32) {
    let direction: Vec<f32> = one.iter().zip(other).map(|(one, other)| other - one).collect();
    let middle = (simd::single_dot(&direction, one) + simd::single_dot(&direction, other)) / 2.0;
    (direction, middle)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_vector_is_in_one_group_and_none_is_too_large(
            vectors in prop::collection::vec(prop::collection::vec(-1f32..1.0, 3), 0..200),
            same in 0usize..50, most in 1usize..40,
        ) {
            let vectors: Vec<&[f32]> =
                vectors.iter().map(|vector| &vector[..]).chain(std::iter::repeat_n(&[0.5; 3][..], same)).collect();
            let groups = clusters(&vectors, most, || Ok(())).unwrap();
            let mut all: Vec<u32> = groups.concat();
            all.sort_unstable();
            prop_assert_eq!(all, Vec::from_iter(0..vectors.len() as u32));
            prop_assert!(groups.iter().all(|group| group.len() <= most && group.is_sorted()));
        }
    }

    #[test]
    fn two_kinds_of_vectors_are_separated() {
        let vectors: Vec<[f32; 2]> =
            (0..1000).map(|at| if at % 3 == 0 { [1.0, at as f32 / 1e4] } else { [at as f32 / 1e4, 1.0] }).collect();
        let vectors: Vec<&[f32]> = vectors.iter().map(|vector| &vector[..]).collect();
        let groups = clusters(&vectors, 700, || Ok(())).unwrap();
        assert_eq!(groups.len(), 2);
        assert!(groups.iter().all(|group| group.iter().all(|place| (place % 3 == 0) == (group[0] % 3 == 0))));
    }
}
