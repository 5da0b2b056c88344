//! Codes of embeddings; the rotation of each dimension is made once a session.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use memory_search_index::quantization::{self, Mean, Rotation};

/// Rotations that a session keeps: a store has one dimension, so few are needed.
const MAX_ROTATIONS: usize = 16;

thread_local! {
    static ROTATIONS: RefCell<BTreeMap<usize, Rc<Rotation>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The rotation of so many dimensions.
pub fn rotation(dimensions: usize) -> Option<Rc<Rotation>> {
    ROTATIONS.with_borrow_mut(|rotations| {
        if let Some(rotation) = rotations.get(&dimensions) {
            return Some(Rc::clone(rotation));
        }
        if rotations.len() >= MAX_ROTATIONS {
            rotations.clear();
        }
        let rotation = Rc::new(Rotation::new(dimensions)?);
        rotations.insert(dimensions, Rc::clone(&rotation));
        Some(rotation)
    })
}

/// The code of an embedding, counted from the mean of its group; `None` for one that has no direction.
pub fn of(vector: &[f32], mean: Option<&Mean>) -> Option<Vec<u8>> {
    quantization::encode(&*rotation(vector.len())?, vector, mean)
}
