//! The parts of pages. Every value passes through the template engine, which escapes it.

pub mod advice;
pub mod form;
pub mod graph;
pub mod layout;
pub mod parts;
pub mod texts;
