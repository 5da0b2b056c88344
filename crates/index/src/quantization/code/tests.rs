//! Codes are compared with the vectors that they stand for.

use proptest::prelude::*;

use super::*;

fn unit_vectors(count: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
    (1usize..200).prop_flat_map(move |dimensions| {
        let vector =
            prop::collection::vec(-1f32..1.0, dimensions).prop_filter("no zero", |v| v.iter().any(|&x| x != 0.0));
        let rotation = Rotation::new(dimensions).unwrap();
        let unit = vector.prop_map(move |vector| rotation.unit(&vector).unwrap());
        prop::collection::vec(unit, count)
    })
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum::<f64>().sqrt()
}

proptest! {
    #[test]
    fn a_decoded_vector_has_the_distance_that_the_code_gives(units in unit_vectors(4)) {
        let dimensions = units[0].len();
        let mean = Mean::of(&units);
        for (unit, mean) in units.iter().flat_map(|unit| [(unit, None), (unit, mean.as_ref())]) {
            let code = encode_rotated(unit, mean).unwrap();
            prop_assert_eq!(dimensions_of(&code), Some(dimensions));
            let e = f64::from(Factors::read(code.first_chunk().unwrap()).e);
            let said = e * ((dimensions - 1).max(1) as f64).sqrt();
            let far = distance(unit, &decode(&code, mean).unwrap());
            prop_assert!(far <= said + 1e-6 && said <= far * 1.001 + 1e-5, "{} away, said {}", far, said);
            let residual = distance(unit, mean.map_or(&vec![0.0; dimensions], |mean| mean.values()));
            let worst = if dimensions <= FINE_DIMENSIONS { 0.02 } else { 0.25 };
            prop_assert!(far <= worst * residual + 1e-6, "{} away from a residual of {}", far, residual);
        }
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..200), set: bool) {
        let dimensions = bytes.len().saturating_sub(HEADER_BYTES) / 4 * 8;
        if set && bytes.len() > HEADER_BYTES {
            bytes[..2].copy_from_slice(&(dimensions as u16).to_le_bytes());
        }
        prop_assert_eq!(decode(&bytes, None).map(|vector| vector.len()), dimensions_of(&bytes));
    }

    #[test]
    fn a_factor_in_half_precision_is_rounded_up(e in 0f32..2.0) {
        let mut code = [0; HEADER_BYTES];
        Factors { dimensions: 1, a: 0.0, f: 0.0, e }.write(&mut code);
        let kept = Factors::read(&code).e;
        prop_assert!(kept >= e && kept <= e * 1.001 + 1e-7);
        prop_assert_eq!(kept, f16::from_le_bytes([code[2], code[3]]).to_f32());
    }
}

#[test]
fn a_code_takes_half_a_byte_a_dimension_or_one() {
    let bytes: Vec<usize> = [1, 32, 33, 64, 256, 16_000].into_iter().map(code_bytes).collect();
    assert_eq!(bytes, [13, 44, 32, 44, 140, 8012]);
    for dimensions in 1..=300 {
        let code = encode(&Rotation::new(dimensions).unwrap(), &vec![1.0; dimensions], None).unwrap();
        assert_eq!((code.len(), dimensions_of(&code)), (code_bytes(dimensions), Some(dimensions)));
    }
}

#[test]
fn a_vector_that_equals_the_mean_has_no_residual() {
    for dimensions in [1, 2, 20, 100] {
        // Exact in half precision.
        let mut unit = vec![0.0f32; dimensions];
        unit[0] = 1.0;
        let mean = Mean::of([&unit]).unwrap();
        let code = encode_rotated(&unit, Some(&mean)).unwrap();
        assert!(Factors::read(code.first_chunk().unwrap()).e < 1e-7);
        assert_eq!(decode(&code, Some(&mean)), Some(unit));
    }
}

#[test]
fn the_length_of_a_vector_does_not_matter() {
    let rotation = Rotation::new(70).unwrap();
    let vector: Vec<f32> = (0..70).map(|at| (at as f32).sin()).collect();
    let longer: Vec<f32> = vector.iter().map(|value| value * 1024.0).collect();
    assert_eq!(encode(&rotation, &vector, None), encode(&rotation, &longer, None));
}

#[test]
fn vectors_that_cannot_be_coded_are_refused() {
    let rotation = Rotation::new(40).unwrap();
    let mean = Mean::of([[1.0f32, 0.0]]).unwrap();
    assert_eq!(encode(&rotation, &[0.0; 40], None), None);
    assert_eq!(encode(&rotation, &[1.0; 41], None), None);
    assert_eq!(encode(&rotation, &[1.0; 40], Some(&mean)), None);
    let code = encode(&rotation, &[1.0; 40], None).unwrap();
    assert_eq!(decode(&code, Some(&mean)), None);
    assert_eq!(dimensions_of(&code[..code.len() - 1]), None);
}
