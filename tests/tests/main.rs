//! End to end: files of Python through the whole engine, against what JAX said of them and each way to run a kernel against the others.

mod banded_races;
mod benchmarks;
mod captured;
mod conditions;
mod conformance;
mod cuda;
mod cuda_corpus;
mod device;
mod findings;
mod fixes;
mod floors;
mod garbage;
mod gpu_bench;
mod gpu_lowering;
mod half_typed;
mod hopper;
mod jax_ops;
mod lowering;
mod mutation;
mod order;
mod products;
mod ptx;
mod simt;
mod tileir;
mod tileir_compile;
mod ttir;
