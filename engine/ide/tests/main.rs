//! What editors ask: answers at places of texts.

mod editor;
mod ranges;
mod rename;
mod typing;
