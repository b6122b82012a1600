//! Arrays and their operations, against JAX and numpy.

mod deferred;
mod lanes;
mod math;
mod operations;
mod printing;
mod promotion;
mod random;
mod support;
