//! The rules, by their catalogue and by literate cases.

mod cases;
mod catalogue;
