//! Copies, slots and the model of a pipeline.

mod copies;
mod derivation;
mod formulas;
mod model;
mod simulation;
