//! The host side of a GPU, with devices that are made up, and NVRTC where it is.

mod ceilings;
mod launch;
mod nvrtc;
