//! Parts of codes are compared with whole codes, and their estimates with exact cosines.

use proptest::prelude::*;

use super::super::parts::{join, put_first, put_rest};
use super::super::{code_of_unusual, dimensions_of, encode, encode_rotated};
use super::*;

fn vector(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut state = seed;
    (0..dimensions)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // The sum of many is nearly normally distributed; the sum of a few heavy ones is not.
            ((state >> 40) as f32 / (1 << 23) as f32 - 1.0).powi(3)
        })
        .collect()
}

fn parts_of(code: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    assert!(put_first(code, &mut first) && put_rest(code, &mut rest));
    (first, rest)
}

/// [`Prepared::scan_first`], with a check that it names all of its steps in order.
fn scan_first(query: &Prepared, parts: &[u8], stride: usize, least: f32, each: impl FnMut(usize, First)) -> bool {
    let mut steps = Vec::new();
    let leaves_out = query.scan_first(parts, stride, least, each, |step, of| steps.push((step, of)));
    assert_eq!(steps, Vec::from_iter((0..steps.len()).map(|step| (step, steps.len()))));
    leaves_out
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

proptest! {
    #[test]
    fn both_parts_are_the_code_and_give_its_estimate(dimensions in 33usize..600, seed: u64, with_mean: bool) {
        let rotation = Rotation::new(dimensions).unwrap();
        let rows: Vec<Vec<f32>> = (0..5).map(|row| vector(seed.wrapping_add(row), dimensions)).collect();
        let mean = Mean::of(rows.iter().filter_map(|row| rotation.unit(row))).filter(|_| with_mean);
        let query = Query::new(&vector(!seed, dimensions)).unwrap().against(mean.as_ref()).unwrap();
        let (mut firsts, mut whole, mut rests) = (Vec::new(), Vec::new(), Vec::new());
        for code in rows.iter().filter_map(|row| encode(&rotation, row, mean.as_ref())) {
            let (first, rest) = parts_of(&code);
            prop_assert_eq!((first.len(), rest.len()), (first_bytes(dimensions), rest_bytes(dimensions)));
            prop_assert_eq!(join(dimensions, &first, &rest), Some(code.clone()));
            firsts.extend_from_slice(&first);
            rests.push(rest);
            whole.push(query.estimate(&code).unwrap());
        }
        let mut seen = 0;
        scan_first(&query, &firsts, first_bytes(dimensions), f32::NEG_INFINITY, |row, first| {
            assert_eq!(query.estimate_rest(&first, &rests[row]), Some(whole[row]));
            assert!(first.estimate.error >= whole[row].error);
            seen += 1;
        });
        prop_assert_eq!(seen, whole.len());
    }

    #[test]
    fn rows_below_a_bound_are_left_out_and_no_others(seed: u64, least in -0.5f32..0.5) {
        let dimensions = 70;
        let rotation = Rotation::new(dimensions).unwrap();
        let codes = (0..80).filter_map(|row| encode(&rotation, &vector(seed ^ row, dimensions), None));
        let firsts: Vec<u8> = codes.flat_map(|code| parts_of(&code).0).collect();
        let query = Query::new(&vector(!seed, dimensions)).unwrap().against(None).unwrap();
        let (mut all, mut stay) = (Vec::new(), Vec::new());
        scan_first(&query, &firsts, first_bytes(dimensions), f32::NEG_INFINITY, |row, first| all.push((row, first)));
        let leaves_out = scan_first(&query, &firsts, first_bytes(dimensions), least, |row, first| stay.push((row, first)));
        let (expected, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, first)| first.estimate.first_upper() >= least);
        prop_assert_eq!(stay, expected);
        prop_assert_eq!(leaves_out, !others.is_empty());
    }

    #[test]
    fn a_row_that_just_reaches_a_bound_is_never_left_out(seed: u64, dimensions in 33_usize..400, is_from_mean: bool) {
        let rotation = Rotation::new(dimensions).unwrap();
        let alike = vector(seed, dimensions);
        let units: Vec<Vec<f32>> = (0..40)
            .map(|row| vector(seed ^ row, dimensions).iter().zip(&alike).map(|(own, shared)| own + shared).collect())
            .filter_map(|vector: Vec<f32>| rotation.unit(&vector))
            .collect();
        let mean = if is_from_mean { Mean::of(units.iter().map(|unit| &unit[..])) } else { None };
        let codes = units.iter().filter_map(|unit| encode_rotated(unit, mean.as_ref()));
        let firsts: Vec<u8> = codes.flat_map(|code| parts_of(&code).0).collect();
        let bytes = first_bytes(dimensions);
        // A query that is near to some, and one that is near to none.
        for query in [vector(seed ^ 3, dimensions), vector(!seed, dimensions)] {
            let query = Query::new(&query).unwrap().against(mean.as_ref()).unwrap();
            let mut all = Vec::new();
            scan_first(&query, &firsts, bytes, f32::NEG_INFINITY, |row, first| all.push((row, first)));
            prop_assert_eq!(all.len(), units.len());
            for (row, first) in all {
                let mut is_named = false;
                scan_first(&query, &firsts, bytes, first.estimate.first_upper(), |other, _| is_named |= other == row);
                prop_assert!(is_named);
            }
        }
    }

    #[test]
    fn any_bytes_are_split_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        let has_parts = dimensions_of(&bytes).is_some_and(|dimensions| dimensions > FINE_DIMENSIONS);
        prop_assert_eq!(put_first(&bytes, &mut first), has_parts);
        prop_assert_eq!(put_rest(&bytes, &mut rest), has_parts);
        prop_assert!(has_parts || first.is_empty() && rest.is_empty());
        prop_assert_eq!(join(40, &bytes, &bytes), None);
    }
}

#[test]
fn errors_of_first_estimates_have_the_stated_deviation() {
    for dimensions in [64, 128, 256, 1000] {
        let rotation = Rotation::new(dimensions).unwrap();
        let rows: Vec<Vec<f32>> = (0..400).map(|row| vector(row, dimensions)).collect();
        let firsts: Vec<u8> =
            rows.iter().filter_map(|row| encode(&rotation, row, None)).flat_map(|code| parts_of(&code).0).collect();
        let (mut squares, mut beyond, mut count) = (0.0, 0, 0);
        for row in 0..100 {
            let asked = vector(1_000_000 + row, dimensions);
            let query = Query::new(&asked).unwrap().against(None).unwrap();
            scan_first(&query, &firsts, first_bytes(dimensions), f32::NEG_INFINITY, |row, first| {
                let off = cosine(&asked, &rows[row]) - f64::from(first.estimate.cosine);
                let off = off / f64::from(first.estimate.error);
                (squares, beyond, count) = (squares + off * off, beyond + usize::from(off > 2.5), count + 1);
            });
        }
        let deviation = (squares / f64::from(count)).sqrt();
        assert!((0.85..1.05).contains(&deviation), "{deviation} of {dimensions} dimensions");
        // The share of normally distributed ones is 0.0062.
        assert!((beyond as f64) < 0.009 * f64::from(count), "{beyond} of {count} beyond 2.5 deviations");
    }
}

#[test]
fn a_vector_of_unusual_length_may_be_as_near_as_can_be() {
    let code = code_of_unusual(&[f32::MAX; 64]).unwrap();
    let (first, rest) = parts_of(&code);
    assert_eq!(join(64, &first, &rest), Some(code));
    let query = Query::new(&vector(1, 64)).unwrap().against(None).unwrap();
    let mut seen = 0;
    scan_first(&query, &first, first.len(), 2.0, |_, first| {
        assert!(query.estimate_rest(&first, &rest).unwrap().cosine.is_nan());
        seen += 1;
    });
    assert_eq!(seen, 1);
}
