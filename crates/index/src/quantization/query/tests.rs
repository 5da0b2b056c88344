//! Comparisons of estimates by codes with exact cosines, by all instructions.

use proptest::prelude::*;

use super::*;
use crate::quantization::encode;

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    simd::dot(a, b) / (simd::dot(a, a) * simd::dot(b, b)).sqrt()
}

fn vectors(dimensions: std::ops::Range<usize>, count: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
    dimensions.prop_flat_map(move |dimensions| {
        let vector =
            prop::collection::vec(-1f32..1.0, dimensions).prop_filter("no zero", |v| v.iter().any(|&x| x != 0.0));
        // Some are near the first one, and some are equal to it.
        (prop::collection::vec((vector, prop::sample::select(vec![0.0f32, 0.1, 1.0])), count)).prop_map(|mut all| {
            let first = all[0].0.clone();
            for (vector, own) in &mut all[1..] {
                vector.iter_mut().zip(&first).for_each(|(value, first)| *value = *own * *value + (1.0 - *own) * first);
            }
            all.into_iter().map(|(vector, _)| vector).collect()
        })
    })
}

fn mean_of(vectors: &[Vec<f32>]) -> Option<Mean> {
    let rotation = Rotation::new(vectors[0].len())?;
    Mean::of(vectors.iter().filter_map(|vector| rotation.unit(vector)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_exact_cosine_lies_within_the_bounds(vectors in vectors(1..200, 5)) {
        let (query, rows) = vectors.split_first().unwrap();
        let rotation = Rotation::new(query.len()).unwrap();
        let mean = mean_of(rows);
        for (row, mean) in rows.iter().flat_map(|row| [(row, None), (row, mean.as_ref())]) {
            let Some(code) = encode(&rotation, row, mean) else { continue };
            let prepared = Query::new(query).unwrap().against(mean).unwrap();
            let estimate = prepared.estimate(&code).unwrap();
            // Wider than the bounds, because one of some millions of errors exceeds 5 deviations.
            let (exact, bound) = (cosine(query, row) as f32, 7.0 * estimate.error);
            prop_assert!((exact - estimate.cosine).abs() <= bound, "{} of {:?}", exact, estimate);
            let most = if query.len() <= FINE_DIMENSIONS { 0.01 } else { 0.06 };
            prop_assert!(estimate.error < most, "{:?} of {} dimensions", estimate, query.len());
        }
    }

    #[test]
    fn all_instructions_give_the_same_estimates(vectors in vectors(1..700, 3)) {
        let (query, rows) = vectors.split_first().unwrap();
        let (rotation, mean) = (Rotation::new(query.len()).unwrap(), mean_of(rows));
        let widest = Query::new(query).unwrap();
        let plain = Query { instructions: Instructions::Plain, ..widest.clone() };
        let (widest, plain) = (widest.against(mean.as_ref()).unwrap(), plain.against(mean.as_ref()).unwrap());
        for code in rows.iter().filter_map(|row| encode(&rotation, row, mean.as_ref())) {
            prop_assert_eq!(widest.estimate(&code), plain.estimate(&code));
        }
    }

    #[test]
    fn codes_at_a_distance_are_estimated_as_alone(
        vectors in vectors(1..300, 75), count in 1usize..75, gap in 0usize..9,
    ) {
        let (query, rows) = vectors.split_first().unwrap();
        let rotation = Rotation::new(query.len()).unwrap();
        let prepared = Query::new(query).unwrap().against(None).unwrap();
        let rows: Vec<Vec<u8>> = rows.iter().take(count).filter_map(|row| encode(&rotation, row, None)).collect();
        let stride = prepared.code_bytes() + gap;
        let mut codes: Vec<u8> = rows.iter().flat_map(|code| [&code[..], &vec![7; gap]].concat()).collect();
        codes.truncate(codes.len() - gap);
        let mut estimates = Vec::new();
        prepared.scan(&codes, stride, |row, estimate| {
            assert_eq!(row, estimates.len());
            estimates.push(estimate);
        });
        prop_assert_eq!(estimates, rows.iter().map(|code| prepared.estimate(code)).collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_are_estimated_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), stride in 0usize..60) {
        let prepared = Query::new(&[1.0; 40]).unwrap().against(None).unwrap();
        prepared.scan(&bytes, stride, |_, _| ());
        prop_assert_eq!(prepared.estimate(&bytes), None);
    }
}

#[test]
fn a_row_like_the_query_is_estimated_more_exactly() {
    let query: Vec<f32> = (0..256).map(|at| (at as f32 * 1.7).sin()).collect();
    let other: Vec<f32> = (0..256).map(|at| (at as f32 * 0.9).cos()).collect();
    let rotation = Rotation::new(256).unwrap();
    let prepared = Query::new(&query).unwrap().against(None).unwrap();
    let [same, other] = [query, other].map(|row| prepared.estimate(&encode(&rotation, &row, None).unwrap()).unwrap());
    assert!(same.error < other.error / 2.0, "{same:?} {other:?}");
    assert!((same.cosine - 1.0).abs() < 0.002);
}

#[test]
fn errors_of_vectors_with_few_dimensions_have_the_stated_deviation() {
    let mut state = 1u64;
    let mut below = move |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % end
    };
    for dimensions in [100, 128, 256] {
        let rotation = Rotation::new(dimensions).unwrap();
        let vectors: Vec<Vec<f32>> = (0..300)
            .map(|_| {
                let mut vector = vec![0.0; dimensions];
                (0..4).for_each(|_| vector[below(dimensions)] += 1.0 + below(100) as f32 / 100.0);
                vector
            })
            .collect();
        let codes: Vec<u8> = vectors.iter().filter_map(|vector| encode(&rotation, vector, None)).flatten().collect();
        let mut greatest = 0.0f64;
        for query in &vectors {
            let prepared = Query::new(query).unwrap().against(None).unwrap();
            prepared.scan(&codes, prepared.code_bytes(), |row, estimate| {
                let (estimate, exact) = (estimate.unwrap(), cosine(query, &vectors[row]));
                greatest = greatest.max((exact - f64::from(estimate.cosine)).abs() / f64::from(estimate.error));
            });
        }
        // One in a hundred sets of as many normally distributed ones has a greater one.
        assert!((3.5..5.3).contains(&greatest), "{greatest} standard deviations at {dimensions} dimensions");
    }
}

#[test]
fn other_dimensions_are_refused() {
    let code = encode(&Rotation::new(41).unwrap(), &[1.0; 41], None).unwrap();
    let query = Query::new(&[1.0; 42]).unwrap();
    assert_eq!(query.against(None).unwrap().estimate(&code), None);
    assert!(query.against(mean_of(&[vec![1.0; 41]]).as_ref()).is_none());
    assert!(Query::new(&[]).is_none() && Query::new(&[0.0; 8]).is_none());
}

#[test]
fn a_query_that_equals_the_mean_is_its_cosine_with_all() {
    let mut row = vec![0.0; 64];
    row[3] = 1.0;
    let mut unit = row.clone();
    Rotation::new(64).unwrap().rotate(&mut unit);
    let mean = Mean::of([unit]).unwrap();
    let code = encode(&Rotation::new(64).unwrap(), &row, Some(&mean)).unwrap();
    let estimate = Query::new(&row).unwrap().against(Some(&mean)).unwrap().estimate(&code).unwrap();
    assert!((estimate.cosine - 1.0).abs() < 1e-6 && estimate.error < 1e-5, "{estimate:?}");
}
