//! Deduplication: of entries that mean nearly the same, the best ranked one stays.

use std::collections::HashMap;

use crate::Tick;

/// One entry that a better ranked one makes superfluous.
#[derive(Debug, Clone, PartialEq)]
pub struct Duplicate {
    /// Its place in the ranking given.
    pub place: usize,
    /// The place of the entry that stays.
    pub of: usize,
    /// Their cosine similarity.
    pub similarity: f64,
}

/// Finds entries whose similarity to a better ranked one that stays is above `threshold`, until
/// `wanted` entries stay. Ids without a vector are never duplicates.
pub fn duplicates(
    ids: &[&str],
    vectors: &HashMap<String, Vec<f32>>,
    threshold: f64,
    wanted: usize,
    tick: Tick<'_>,
) -> Vec<Duplicate> {
    let mut staying: Vec<(usize, Option<&Vec<f32>>)> = Vec::new();
    let mut found = Vec::new();
    for (place, id) in ids.iter().enumerate() {
        if staying.len() == wanted {
            break;
        }
        tick();
        let vector = vectors.get(*id);
        let twin = vector.and_then(|vector| {
            staying
                .iter()
                .filter_map(|(of, other)| other.map(|other| (*of, cosine(vector, other))))
                .find(|(_, similarity)| *similarity > threshold)
        });
        match twin {
            Some((of, similarity)) => found.push(Duplicate { place, of, similarity }),
            None => staying.push((place, vector)),
        }
    }
    found
}

/// Cosine similarity; 0 where one of the vectors has no direction or their lengths differ.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let (mut dot, mut aa, mut bb) = (0.0f64, 0.0f64, 0.0f64);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (f64::from(*x), f64::from(*y));
        dot += x * y;
        aa += x * x;
        bb += y * y;
    }
    let lengths = (aa * bb).sqrt();
    if lengths > 0.0 { dot / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(of: &[(&str, [f32; 2])]) -> HashMap<String, Vec<f32>> {
        of.iter().map(|(id, vector)| ((*id).to_owned(), vector.to_vec())).collect()
    }

    #[test]
    fn the_better_ranked_twin_stays_and_the_order_is_kept() {
        let vectors = vectors(&[("a", [1.0, 0.0]), ("b", [0.0, 1.0]), ("c", [1.0, 0.01])]);
        let found = duplicates(&["a", "b", "c"], &vectors, 0.95, 5, &|| ());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].place, found[0].of), (2, 0));
    }

    #[test]
    fn an_entry_without_embedding_is_never_a_duplicate() {
        let found = duplicates(&["a", "words", "more"], &vectors(&[("a", [1.0, 0.0])]), 0.0, 5, &|| ());
        assert!(found.is_empty());
    }

    #[test]
    fn a_duplicate_of_a_dropped_duplicate_is_judged_by_what_stays() {
        // a-b and b-c are close, a-c are not: b goes, c stays.
        let vectors = vectors(&[("a", [1.0, 0.0]), ("b", [0.9, 0.3]), ("c", [0.7, 0.6])]);
        let found = duplicates(&["a", "b", "c"], &vectors, 0.9, 5, &|| ());
        assert_eq!(found.iter().map(|d| d.place).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn nothing_behind_the_wanted_entries_is_compared() {
        let vectors = vectors(&[("a", [1.0, 0.0]), ("b", [1.0, 0.0])]);
        assert!(duplicates(&["a", "b"], &vectors, 0.5, 1, &|| ()).is_empty());
    }
}
