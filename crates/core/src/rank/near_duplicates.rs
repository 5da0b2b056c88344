//! Near duplicates: among entries that mean nearly the same, the best ranked one stays.

/// An entry's embedding.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// The embedder that made it; `None` when the caller gave it.
    pub model: Option<String>,
    /// Its elements.
    pub vector: Vec<f32>,
}

/// An entry that is a near duplicate of a better ranked one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    /// The rank of the entry that stays, from 0.
    pub of: usize,
    /// Their cosine similarity.
    pub similarity: f64,
}

/// Finds near duplicates in a ranking, whose entries it gets from the best on.
#[derive(Debug)]
pub struct NearDuplicates {
    threshold: f64,
    staying: Vec<(usize, Option<Embedded>)>,
}

impl NearDuplicates {
    /// Entries are near duplicates whose cosine similarity is above `threshold`.
    pub fn above(threshold: f64) -> Self {
        NearDuplicates { threshold, staying: Vec::new() }
    }

    /// Tests the entry of a rank, from 0; `None` if it stays. An entry without an embedding is never a duplicate. Two
    /// entries whose embeddings are by different embedders are not compared, because their similarity has no meaning.
    /// (Embeddings of callers may be by any embedder.)
    pub fn look(&mut self, rank: usize, embedded: Option<Embedded>) -> Option<Duplicate> {
        let duplicate = embedded.as_ref().and_then(|this| {
            self.staying
                .iter()
                .filter_map(|(of, other)| other.as_ref().map(|other| (*of, other)))
                .filter_map(|(of, other)| Some(Duplicate { of, similarity: similarity(this, other)? }))
                .find(|found| found.similarity > self.threshold)
        });
        if duplicate.is_none() {
            self.staying.push((rank, embedded));
        }
        duplicate
    }
}

/// Cosine similarity of two entries; `None` if their embeddings are by different embedders.
pub fn similarity(a: &Embedded, b: &Embedded) -> Option<f64> {
    let can_be_compared = a.model.is_none() || b.model.is_none() || a.model == b.model;
    can_be_compared.then(|| cosine(&a.vector, &b.vector))
}

/// Cosine similarity; 0 if one of the vectors has no direction or their lengths differ.
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

    fn by(model: Option<&str>, vector: [f32; 2]) -> Option<Embedded> {
        Some(Embedded { model: model.map(str::to_owned), vector: vector.to_vec() })
    }

    /// The ranks of the duplicates.
    fn duplicates(threshold: f64, entries: &[Option<Embedded>]) -> Vec<(usize, usize)> {
        let mut near = NearDuplicates::above(threshold);
        let looked = entries.iter().cloned().enumerate();
        looked.filter_map(|(rank, entry)| near.look(rank, entry).map(|duplicate| (rank, duplicate.of))).collect()
    }

    #[test]
    fn the_better_ranked_twin_stays_and_the_order_is_kept() {
        let entries = [by(None, [1.0, 0.0]), by(None, [0.0, 1.0]), by(None, [1.0, 0.01])];
        assert_eq!(duplicates(0.95, &entries), [(2, 0)]);
    }

    #[test]
    fn an_entry_without_embedding_is_never_a_duplicate() {
        assert!(duplicates(0.0, &[by(None, [1.0, 0.0]), None, None]).is_empty());
    }

    #[test]
    fn a_duplicate_of_a_dropped_duplicate_is_judged_by_what_stays() {
        // a-b and b-c are close, a-c are not: b goes, c stays.
        let entries = [by(None, [1.0, 0.0]), by(None, [0.9, 0.3]), by(None, [0.7, 0.6])];
        assert_eq!(duplicates(0.9, &entries), [(1, 0)]);
    }

    #[test]
    fn embeddings_of_two_embedders_are_not_compared() {
        let entries = [by(Some("a"), [1.0, 0.0]), by(Some("b"), [1.0, 0.0]), by(Some("b"), [1.0, 0.0])];
        assert_eq!(duplicates(0.5, &entries), [(2, 1)]);
        assert_eq!(duplicates(0.5, &[by(Some("a"), [1.0, 0.0]), by(None, [1.0, 0.0])]), [(1, 0)]);
    }
}
