//! `jax.experimental.pallas.mosaic_gpu` in Python: rows for its functions, and the names of its classes.

use super::{forward, rows};
use pallas_python::embedded::{DeferredName, EmbeddedModule};
use pallas_python::native::NativeDef;

const NAME: &str = "jax.experimental.pallas.mosaic_gpu";
const CORE: &str = "jax._src.pallas.mosaic_gpu.core";
const PRIMITIVES: &str = "jax._src.pallas.mosaic_gpu.primitives";
const HELPERS: &str = "jax._src.pallas.mosaic_gpu.helpers";
const PIPELINES: &str = "jax._src.pallas.mosaic_gpu.pipeline";

const INTERPRET: &str = "jax._src.pallas.mosaic_gpu.interpret.params";

/// The modules in Python.
pub static MODULES: &[EmbeddedModule] = &[
    EmbeddedModule { name: CORE, text: include_str!("core.py"), is_package: false },
    EmbeddedModule { name: PRIMITIVES, text: include_str!("primitives.py"), is_package: false },
    EmbeddedModule { name: HELPERS, text: include_str!("helpers.py"), is_package: false },
    EmbeddedModule { name: PIPELINES, text: include_str!("pipelines.py"), is_package: false },
    EmbeddedModule { name: INTERPRET, text: include_str!("interpret.py"), is_package: false },
];

macro_rules! names {
    ($($source:ident: $($name:literal)*;)*) => {
        &[$($(DeferredName { module: NAME, name: $name, source: $source }),*),*]
    };
}

/// Classes of the module.
pub static DEFERRED: &[DeferredName] = names! {
    CORE: "Barrier" "ClusterBarrier" "WGMMAAccumulatorRef" "ACC" "RefUnion" "Transform" "TilingTransform"
        "SwizzleTransform" "PeerMemRef" "RefType" "Layout" "TMEMLayout" "Tiling" "Replicated" "Mesh" "WarpMesh"
        "TraceScope" "LoweringSemantics" "OOBFillMode" "CopyPartition";
    PRIMITIVES: "SemaphoreSignal" "ShapeDtypeStruct";
    HELPERS: "NDLoopInfo";
    PIPELINES: "PipelinePipeline";
};

/// Rows of the module.
pub static ROWS: &[&[NativeDef]] = &[CORE_ROWS, PRIMITIVE_ROWS, HELPER_ROWS, PIPELINE_ROWS];

rows! { CORE_ROWS "jax._src.pallas.mosaic_gpu.core":
    "layout_cast" "(x, new_layout)"
    "The array in another layout.";
    "transform_ref" "(ref, transform)"
    "A Ref with a transform.";
    "transpose_ref" "(ref, permutation)"
    "A Ref with its dimensions in another order.";
    "remote_ref" "(ref, device_id, device_id_type=...)"
    "The same Ref on another device.";
    "cluster_ref" "(ref, block_id)"
    "The same Ref in another block of the cluster.";
    "multicast_ref" "(ref, collective_axes)"
    "The same Ref on all devices.";
    "TryClusterCancelResult" "(num_buffers=None)"
    "Memory for the answer of `try_cluster_cancel`.";
    "kernel" "(body=..., out_shape=..., *, out_type=..., scratch_types=..., scratch_shapes=..., compiler_params=None, grid=(), grid_names=(), cluster=(), cluster_names=(), num_threads=None, thread_name=None, interpret=None, **mesh_kwargs)"
    "A kernel over blocks, clusters and threads of a GPU.";
}

rows! { PRIMITIVE_ROWS "jax._src.pallas.mosaic_gpu.primitives":
    "barrier_arrive" "(barrier, *, predicate=None)"
    "Arrives at a barrier.";
    "barrier_wait" "(barrier)"
    "Waits until the next phase of a barrier is complete.";
    "barrier_test" "(barrier)"
    "Whether the next phase of a barrier is complete.";
    "copy_gmem_to_smem" "(src, dst, barrier, *, collective_axes=None, leader_tracked=None, oob_mode=..., predicate=None)"
    "Starts a copy from global into shared memory; when it is done it arrives at the barrier.";
    "copy_smem_to_gmem" "(src, dst, predicate=None, *, commit_group=True, reduction_op=None)"
    "Starts a copy from shared into global memory.";
    "commit_smem_to_gmem_group" "()"
    "Closes the group of copies out of shared memory.";
    "wait_smem_to_gmem" "(n, wait_read_only=False)"
    "Waits until at most `n` groups of copies out of shared memory are under way.";
    "async_prefetch" "(ref, *, collective_axes=None, leader_tracked=None)"
    "Brings global memory into the cache.";
    "async_store_smem" "(src, ref, barrier, *, cluster_idx, cluster_dim, optimized=True, atomic=None)"
    "Stores to the shared memory of another block of the cluster, and arrives there.";
    "load" "(src, idx=..., *, layout=None, optimized=True)"
    "Reads a Ref at an index, with a layout.";
    "wgmma" "(acc, a, b)"
    "Starts `acc += a @ b` on the tensor cores of a warpgroup.";
    "wgmma_wait" "(n)"
    "Waits until at most `n` products are under way.";
    "wgmma_accumulator_load" "(acc, *, wait_n=0)"
    "The value of an accumulator, after at most `wait_n` products are under way.";
    "tcgen05_mma" "(acc, a, b, barrier=None, *, a_scale=None, b_scale=None, a_sparse_metadata=None, accumulate=True, collective_axis=None)"
    "Starts a product into tensor memory.";
    "tcgen05_commit_arrive" "(barrier, collective_axis=None)"
    "Arrives at a barrier when the products into tensor memory are done.";
    "async_copy_smem_to_tmem" "(smem_ref, tmem_ref, collective_axis=None)"
    "Starts a copy from shared into tensor memory.";
    "async_copy_scales_to_tmem" "(smem_ref, tmem_ref, collective_axis=None)"
    "Starts a copy of scales into tensor memory.";
    "async_copy_sparse_metadata_to_tmem" "(smem_ref, tmem_ref, collective_axis=None)"
    "Starts a copy of the metadata of a sparse factor into tensor memory.";
    "async_load_tmem" "(src, *, layout=None)"
    "Reads tensor memory.";
    "async_store_tmem" "(ref, value)"
    "Writes tensor memory; `commit_tmem` makes it visible.";
    "wait_load_tmem" "()"
    "Waits until this thread's reads of tensor memory are done.";
    "commit_tmem" "()"
    "Makes this thread's writes to tensor memory visible.";
    "commit_smem" "()"
    "Makes writes to shared memory visible to copies and tensor cores.";
    "set_max_registers" "(n, *, action)"
    "Sets how many registers a thread may have.";
    "griddepcontrol_wait" "()"
    "Waits for the launch before.";
    "griddepcontrol_launch_dependents" "()"
    "Lets the launch behind begin.";
    "print_layout" "(fmt, x)"
    "Prints the layout of an array; here nothing.";
    "broadcasted_iota" "(dtype, shape, dimension, *, layout=None)"
    "Numbers along a dimension.";
    "try_cluster_cancel" "(result_ref, barrier)"
    "Asks for the next cluster that has not begun.";
    "query_cluster_cancel" "(result_ref, grid_names)"
    "The block that was given, and whether there was one.";
    "atomic_add" "(ref, val)"
    "Atomically `ref += val`.";
    "atomic_max" "(ref, val)"
    "Atomically `ref = max(ref, val)`.";
    "atomic_min" "(ref, val)"
    "Atomically `ref = min(ref, val)`.";
    "atomic_and" "(ref, val)"
    "Atomically `ref &= val`.";
    "atomic_or" "(ref, val)"
    "Atomically `ref |= val`.";
    "atomic_xor" "(ref, val)"
    "Atomically `ref ^= val`.";
    "multimem_store" "(source, ref, collective_axes)"
    "Stores on all devices.";
    "multimem_load_reduce" "(ref, *, collective_axes, reduction_op)"
    "What all devices hold, folded.";
    "semaphore_signal" "(semaphore, inc=1, *, device_id=None, memory_scope='sys')"
    "Adds to a semaphore, on this device or another.";
    "semaphore_wait" "(semaphore, value=1, *, decrement=True, memory_scope='sys')"
    "Waits until a semaphore has reached a value.";
    "semaphore_signal_parallel" "(*signals)"
    "Several signals at once.";
    "semaphore_signal_multicast" "(semaphore, value=1, *, collective_axes)"
    "Adds to a semaphore on all devices.";
    "inline_mgpu" "(*, arg_types=(), return_type=None)"
    "Decorates a function that writes code for the GPU itself; what it gives is not known.";
}

rows! { HELPER_ROWS "jax._src.pallas.mosaic_gpu.helpers":
    "nd_loop" "(grid, *, collective_axes, tiling=None, init_carry=None)"
    "Decorates a loop body: the points of a grid, dealt out along axes.";
    "find_swizzle" "(minor_dim_bits, what='')"
    "The widest swizzle that fits.";
    "planar_snake" "(lin_idx, shape, minor_dim, tile_width)"
    "A place in a plane that is gone through in bands, to and fro.";
    "dynamic_scheduling_loop" "(grid_names, thread_axis=None, cluster_axes=(), init_carry=None)"
    "Decorates a loop body: blocks that nobody else has begun.";
    "warp_map" "(f, /)"
    "Runs a function once per warp of the warpgroup.";
    "format_tcgen05_sparse_metadata" "(meta, operand_dtype)"
    "Metadata of a sparse factor as tensor memory has it.";
}

rows! { PIPELINE_ROWS "jax._src.pallas.mosaic_gpu.pipeline":
    "emit_pipeline" "(body, *, grid, in_specs=(), out_specs=(), max_concurrent_steps=1, init_carry=None)"
    "A pipeline of copies and computation inside of a kernel.";
    "emit_pipeline_warp_specialized" "(body, *, grid, memory_registers, in_specs=(), out_specs=(), max_concurrent_steps=2, wg_axis, num_compute_wgs, pipeline_state=None, manual_consumed_barriers=False, compute_context=None, memory_thread_idx=None)"
    "A pipeline whose copies are made by a warpgroup of its own.";
}
