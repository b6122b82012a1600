//! Chains of elementwise operations in one pass: a chunk of elements goes through all of them while it is in the innermost
//! cache, reads come from wherever the elements lie, and the last operation writes where the result belongs.
//!
//! Every operation computes what the one of the same name in [`crate::ops`] computes, with the same loops or with loops of
//! the same formula, so a chain gives the same bits as its operations one by one. What is a chain and what is not is the
//! caller's business.

mod ahead;
#[cfg_attr(
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))),
    expect(dead_code, reason = "only code asks")
)]
mod asks;
mod calm;
mod chain;
mod chunk;
mod code;
mod convert;
mod inlaid;
mod joined;
mod known;
mod lanes;
mod layers;
mod layout;
mod lines;
mod loops;
mod pair;
mod ready;
mod rows;
mod run;
pub(crate) mod stream;
mod target;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use ahead::lines;
pub use chain::{Arg, Chain, ChainBuilder, Code};
pub use code::Compilation;
pub use inlaid::Inlaid;
pub use lanes::Lanes;
pub use layers::Layer;
pub use layout::{Place, View};
pub use pair::Pair;
pub use ready::{Ready, Reduction, Start};
pub use target::Target;

/// Elements that go through a chain at a time.
pub(crate) const CHUNK: usize = 1024;
