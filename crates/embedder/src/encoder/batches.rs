//! Texts that are evaluated together.
//!
//! A batch goes through the network layer by layer, so that a layer's weights are read, and rounded, once for all its
//! texts. In a layer one group of texts is computed after the other, because what a group needs fits into the level 2
//! cache.

use super::buffer::empty;
use super::layer::Text;
use super::method::Method;
use super::panels::panels_of;
use crate::ModelError;

/// Panels of a group, unless its only text has more.
const PANELS_OF_GROUP: usize = 16;

/// Groups of texts with one method.
pub(super) struct Batch {
    pub(super) method: Method,
    pub(super) groups: Vec<Group>,
}

/// Texts whose panels lie together: their numbers among all texts, and the places of their panels.
#[derive(Default)]
pub(super) struct Group {
    pub(super) numbers: Vec<usize>,
    pub(super) places: Vec<Text>,
}

impl Group {
    pub(super) fn panels(&self) -> usize {
        self.places.last().map_or(0, |last| last.first + last.panels())
    }
}

/// Batches of at most `most_panels` panels, unless one text has more. All texts are in them once.
pub(super) fn batches<T>(texts: &[Vec<T>], most_panels: usize) -> Result<Vec<Batch>, ModelError> {
    let mut order = empty(texts.len())?;
    order.extend(texts.iter().enumerate().map(|(number, text)| (Method::of(text.len()), number)));
    order.sort_by_key(|(method, number)| (method.number(), *number));
    let mut batches: Vec<Batch> = Vec::new();
    let mut left = 0;
    for (method, number) in order {
        let tokens = texts[number].len();
        let panels = panels_of(tokens);
        let goes_on = batches.last().is_some_and(|batch| batch.method.number() == method.number()) && panels <= left;
        if !goes_on {
            batches.push(Batch { method, groups: Vec::new() });
            left = most_panels;
        }
        left = left.saturating_sub(panels);
        let Some(Batch { groups, .. }) = batches.last_mut() else { continue };
        if groups.last().is_none_or(|group| group.panels() + panels > PANELS_OF_GROUP) {
            groups.push(Group::default());
        }
        let Some(group) = groups.last_mut() else { continue };
        let first = group.panels();
        group.numbers.push(number);
        group.places.push(Text { tokens, first });
    }
    Ok(batches)
}
