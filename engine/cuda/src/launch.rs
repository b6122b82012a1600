//! One launch on a device: memory for its parameters, the call, a watch on its end, the results, and everything given back
//! whatever happens.

use crate::device::{BufferId, Device, FunctionId};
use crate::failure::Failure;

/// What a parameter's memory holds, and whether it is wanted back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory<'a> {
    /// How many bytes.
    pub bytes: usize,
    /// What it holds before; `None`: anything.
    pub initial: Option<&'a [u8]>,
    /// Whether it is read afterwards.
    pub wanted: bool,
}

/// A launch.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    /// Machine code.
    pub cubin: &'a [u8],
    /// The function in it.
    pub entry: &'a str,
    /// How many blocks.
    pub blocks: usize,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared: usize,
    /// Its parameters.
    pub memories: Vec<Memory<'a>>,
    /// After how many seconds it is given up.
    pub patience: u64,
}

/// What a launch gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What the parameters hold that were wanted, in order.
    pub contents: Vec<Vec<u8>>,
    /// How long the device worked.
    pub microseconds: f64,
}

/// Runs a launch to its end.
///
/// # Errors
/// What went wrong. Where the device is not lost, it has no memory of this launch any more.
pub fn run(device: &mut dyn Device, work: &Work<'_>) -> Result<Outcome, Failure> {
    let most = device.info().shared_per_block;
    if work.shared > most {
        return Err(Failure::SharedMemory { wanted: work.shared, most });
    }
    let mut buffers = Vec::new();
    let result = filled(device, work, &mut buffers).and_then(|()| launched(device, work, &buffers));
    // A lost context has nothing that could be given back.
    if !result.as_ref().is_err_and(Failure::is_lost) {
        for buffer in buffers {
            device.free(buffer);
        }
    }
    result
}

fn filled(device: &mut dyn Device, work: &Work<'_>, buffers: &mut Vec<BufferId>) -> Result<(), Failure> {
    for memory in &work.memories {
        // The driver gives nothing for no bytes, and a parameter has to point somewhere.
        let buffer = device.allocate(memory.bytes.max(1))?;
        buffers.push(buffer);
        if let Some(initial) = memory.initial.filter(|initial| !initial.is_empty()) {
            device.write(buffer, initial)?;
        }
    }
    Ok(())
}

/// Starts a function and waits for its end; for how many microseconds it ran.
fn once(device: &mut dyn Device, work: &Work<'_>, function: FunctionId, buffers: &[BufferId]) -> Result<f64, Failure> {
    device.start(function, work.blocks, work.threads, work.shared, buffers)?;
    let mut waited = 0_u64;
    while !device.has_ended()? {
        waited = waited.saturating_add(device.rest());
        if waited > work.patience.saturating_mul(1_000_000) {
            return Err(Failure::Hang(work.patience));
        }
    }
    device.microseconds()
}

/// How often a launch is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Runs before any counts: the device's clock rises, caches fill.
    pub warm_up: usize,
    /// Runs that count.
    pub counted: usize,
}

/// Runs a launch many times on the memory that it has after the first, and says for how many microseconds the device worked each
/// time that counts, the shortest first. Nothing is read back.
///
/// # Errors
/// As [`run`].
pub fn measure(device: &mut dyn Device, work: &Work<'_>, rounds: Rounds) -> Result<Vec<f64>, Failure> {
    let most = device.info().shared_per_block;
    if work.shared > most {
        return Err(Failure::SharedMemory { wanted: work.shared, most });
    }
    let mut buffers = Vec::new();
    let result = filled(device, work, &mut buffers).and_then(|()| {
        if work.blocks == 0 {
            return Ok(Vec::new());
        }
        let function = device.load(work.cubin, work.entry, work.shared)?;
        for _ in 0..rounds.warm_up {
            once(device, work, function, &buffers)?;
        }
        let mut times = Vec::with_capacity(rounds.counted);
        for _ in 0..rounds.counted {
            times.push(once(device, work, function, &buffers)?);
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    });
    if !result.as_ref().is_err_and(Failure::is_lost) {
        for buffer in buffers {
            device.free(buffer);
        }
    }
    result
}

/// The one in the middle; the mean of the two there, if their number is even. `None` of nothing.
pub fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len().is_multiple_of(2) { (sorted[middle - 1] + upper) / 2.0 } else { upper })
}

fn launched(device: &mut dyn Device, work: &Work<'_>, buffers: &[BufferId]) -> Result<Outcome, Failure> {
    let mut microseconds = 0.0;
    if work.blocks > 0 {
        let function = device.load(work.cubin, work.entry, work.shared)?;
        microseconds = once(device, work, function, buffers)?;
    }
    let mut contents = Vec::new();
    for (memory, &buffer) in work.memories.iter().zip(buffers) {
        if memory.wanted {
            let mut bytes = vec![0; memory.bytes];
            if !bytes.is_empty() {
                device.read(buffer, &mut bytes)?;
            }
            contents.push(bytes);
        }
    }
    Ok(Outcome { contents, microseconds })
}
