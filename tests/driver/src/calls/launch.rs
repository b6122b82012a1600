//! Launches: what a device cannot start is refused, and all else waits for its turn.

use crate::codes::{
    Code, INVALID_CLUSTER_SIZE, INVALID_HANDLE, INVALID_VALUE, LAUNCH_OUT_OF_RESOURCES, STREAM_CAPTURE_INVALIDATED,
};
use crate::machine::{Item, Launch};
use crate::state::{Function, Needs, call};
use std::ffi::c_void;

/// The largest cluster that every device of a kind can do.
const PORTABLE_CLUSTER: u32 = 8;
/// The largest that a kernel may ask for.
const LARGEST_CLUSTER: u32 = 16;
const REGISTERS: u32 = 65536;

#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernel(
    function: usize,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: usize,
    params: *const *const c_void,
    extra: *const *const c_void,
) -> Code {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    call("cuLaunchKernel", &format!("{grid:?}, {block:?}, {shared}"), Needs::Context, |state| {
        if !extra.is_null() {
            return Err(INVALID_VALUE);
        }
        let launch = prepared(state.function(function)?, grid, block, shared as usize, params)?;
        match state.stream(stream)? {
            Some(capture) if capture.is_invalid => return Err(STREAM_CAPTURE_INVALIDATED),
            Some(capture) => capture.launches.push(launch),
            None => state.machine.submit(Item::Launch(launch)),
        }
        Ok(())
    })
}

fn prepared(
    function: &Function,
    grid: [u32; 3],
    block: [u32; 3],
    shared: usize,
    params: *const *const c_void,
) -> Result<Launch, Code> {
    let entry = function.ptx.entry(&function.entry).ok_or(INVALID_HANDLE)?;
    let within =
        |sizes: [u32; 3], most: [u32; 3]| sizes.iter().zip(most).all(|(&size, most)| (1..=most).contains(&size));
    let threads = block.iter().try_fold(1_u32, |all, size| all.checked_mul(*size)).ok_or(INVALID_VALUE)?;
    if !within(grid, [i32::MAX as u32, 65535, 65535]) || !within(block, [1024, 1024, 64]) || threads > 1024 {
        return Err(INVALID_VALUE);
    }
    // `.maxntid` bounds the threads of a block, however they lie.
    if entry.max_threads.is_some_and(|most| threads > most.iter().product()) {
        return Err(INVALID_VALUE);
    }
    if shared > function.dynamic {
        return Err(INVALID_VALUE);
    }
    if (function.registers * 32).next_multiple_of(256) * threads.div_ceil(32) > REGISTERS {
        return Err(LAUNCH_OUT_OF_RESOURCES);
    }
    let cluster = entry.cluster.unwrap_or([1; 3]);
    let blocks: u32 = cluster.iter().product();
    if blocks > LARGEST_CLUSTER || blocks > PORTABLE_CLUSTER && !function.has_large_clusters {
        return Err(INVALID_CLUSTER_SIZE);
    }
    if grid.iter().zip(cluster).any(|(grid, cluster)| !grid.is_multiple_of(cluster)) {
        return Err(INVALID_VALUE);
    }
    if params.is_null() && !entry.params.is_empty() {
        return Err(INVALID_VALUE);
    }
    let bytes = entry.params.iter().map(|param| param.offset + param.size).max().unwrap_or(0);
    let mut copied = vec![0; bytes];
    for (number, param) in entry.params.iter().enumerate() {
        // SAFETY: the caller gives a pointer for each parameter of the kernel.
        let from = unsafe { *params.add(number) };
        if from.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: and there are as many bytes behind it as the parameter has.
        let content = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), param.size) };
        copied[param.offset..param.offset + param.size].copy_from_slice(content);
    }
    let (module, entry) = (function.ptx.clone(), function.entry.clone());
    Ok(Launch { module, entry, grid, block, cluster, shared, params: copied })
}
