//! Checks on an embedding before it goes to the database.

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result};

/// Refuses a vector that cosine distance cannot use: empty, too long, NaN or infinite elements,
/// no direction (22023).
pub fn check(embedding: &[f32]) -> Result<()> {
    check_elements(embedding)?;
    if embedding.iter().all(|&element| element == 0.0) {
        return Err(Error::invalid("embedding has no direction: every element is 0")
            .hint("Leave the embedding out to search or store by words alone."));
    }
    Ok(())
}

/// Refuses a vector that no row can have: empty, too long, NaN or infinite elements (22023). Plain SQL stores one without
/// a direction, which is near to nothing.
pub fn check_elements(embedding: &[f32]) -> Result<()> {
    if embedding.is_empty() {
        return Err(Error::invalid("embedding must have at least one dimension")
            .hint("Leave the embedding out, or null, where there is none."));
    }
    check_length(embedding.len())?;
    if let Some(index) = embedding.iter().position(|element| !element.is_finite()) {
        return Err(Error::invalid(format!(
            "embedding must hold finite numbers, but element {} is {}",
            index + 1,
            embedding[index]
        ))
        .hint(
            "Every element must be a number that a real holds, at most 3.4e38. NaN comes of dividing by a length of 0.",
        ));
    }
    Ok(())
}

/// The error for a vector whose element at an index is null (22004).
pub fn null_element(index: usize) -> Error {
    Error::new(ErrorKind::NullArgument, format!("embedding must hold numbers, but element {} is null", index + 1))
        .hint("Give a number for each dimension, or leave the embedding out.")
}

/// Refuses more dimensions than a `vector` can have (54000).
pub fn check_length(dimensions: usize) -> Result<()> {
    if dimensions > bounds_and_defaults::MAX_DIMENSIONS {
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            format!("embedding has {dimensions} dimensions, more than {}", bounds_and_defaults::MAX_DIMENSIONS),
        )
        .hint("Give an embedding of the store's dimensions."));
    }
    Ok(())
}

/// Refuses a vector that does not fit a column of `dimensions` (22000, as pgvector does).
pub fn check_dimensions(embedding: &[f32], dimensions: usize) -> Result<()> {
    if embedding.len() == dimensions {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::DimensionMismatch,
        format!("embedding has {} dimensions, but the store has {dimensions}", embedding.len()),
    )
    .hint("Use the model the store was made for, or create a store with that dimension."))
}

/// The vector as it is stored: unchanged if half precision holds it well, else the same direction at length 1. Only the
/// direction is ever compared.
pub fn storable(embedding: Vec<f32>) -> Vec<f32> {
    let largest = embedding.iter().fold(0.0f32, |a, b| a.max(b.abs()));
    if (bounds_and_defaults::LEAST_HALF..=bounds_and_defaults::MAX_HALF).contains(&largest) {
        embedding
    } else {
        normalised(&embedding)
    }
}

/// The direction at length 1, so that half precision loses no relevant digits.
pub fn normalised(embedding: &[f32]) -> Vec<f32> {
    let largest = embedding.iter().fold(0.0f32, |a, b| a.max(b.abs()));
    if largest == 0.0 {
        return embedding.to_vec();
    }
    // Scaling by the largest element first keeps the squares of huge or tiny numbers in range.
    let scaled: Vec<f64> = embedding.iter().map(|&x| f64::from(x) / f64::from(largest)).collect();
    let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    scaled.iter().map(|x| (x / length) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_without_a_direction_are_refused() {
        for bad in [vec![], vec![0.0, 0.0], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0]] {
            assert_eq!(check(&bad).unwrap_err().kind, ErrorKind::InvalidArgument, "{bad:?}");
        }
        assert!(check(&[0.0, 1e-30]).is_ok());
    }

    #[test]
    fn normalising_keeps_the_direction_of_extreme_vectors() {
        for vector in [[3e38f32, 2e38], [3e-38, 4e-38], [3.0, -4.0]] {
            let unit = normalised(&vector);
            let length = unit.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-5, "{vector:?} -> {unit:?}");
            assert!((unit[0] * vector[1] / vector[0] - unit[1]).abs() < 1e-5);
        }
    }

    #[test]
    fn what_half_precision_would_lose_is_stored_at_length_one() {
        for extreme in [vec![1e-9f32, 2e-9], vec![1e30, 2e30]] {
            let stored = storable(extreme);
            assert!((stored[1] / stored[0] - 2.0).abs() < 1e-5 && stored[1] > 0.8, "{stored:?}");
        }
        assert_eq!(storable(vec![3.0, 4.0]), [3.0, 4.0]);
    }

    #[test]
    fn a_wrong_dimension_names_both() {
        let refusal = check_dimensions(&[1.0, 2.0], 3).unwrap_err();
        assert_eq!(refusal.kind, ErrorKind::DimensionMismatch);
        assert!(refusal.message.contains('2') && refusal.message.contains('3'));
    }
}
