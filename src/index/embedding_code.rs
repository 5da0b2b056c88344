//! Codes of embeddings; the rotation for each number of dimensions is computed once in a session.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use memory_search_index::quantization::{self, Rotation};

/// The rotations that a session keeps: a store has one number of dimensions, so few are needed.
const MAX_ROTATIONS: usize = 16;

thread_local! {
    static ROTATIONS: RefCell<BTreeMap<usize, Rc<Rotation>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The rotation for a number of dimensions.
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

/// The codes of embeddings, relative to zero. An embedding without a direction has none.
pub fn of_all(embeddings: &[Vec<f32>]) -> Vec<Vec<u8>> {
    let code = |vector: &Vec<f32>| quantization::encode(&*rotation(vector.len())?, vector, None);
    embeddings.iter().filter_map(code).collect()
}
