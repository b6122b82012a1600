//! GPU kernels whose threads act on each other: launches with threads and clusters, requests for barriers, tensor memory
//! and accumulators, and the one function that stages their ops. What the functions of `plgpu` take and how pipelines are
//! put together is said in Python (`written/mosaic_gpu`).

pub(crate) mod collective;
mod launch;
mod pipelines;
mod requests;
mod staging;

pub(crate) use launch::target;
pub(crate) use requests::{Across, grid_axis, requested};

use pallas_python::module::ModuleDef;

/// Where the Python half finds the functions here.
pub static MODULE: ModuleDef = ModuleDef {
    name: "jax._src.pallas.mosaic_gpu.staging",
    doc: "Stages the ops of GPU kernels.",
    functions: &[],
    populate: |_interp, namespace| {
        for table in [staging::FUNCTIONS, requests::FUNCTIONS, launch::FUNCTIONS] {
            super::add_functions(namespace, MODULE.name, table);
        }
    },
};
