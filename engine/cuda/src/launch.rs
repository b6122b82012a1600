//! One launch on a device: memory for its parameters, the call, a watch on its end, the results, and everything given back
//! whatever happens.

use crate::device::{BufferId, Call, Device, FunctionId, GraphId};
use crate::failure::Failure;
use pallas_simt::ir::TensorMap;
use pallas_tensor::DType;
use std::iter::Peekable;

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

/// A parameter that is a box of another parameter's array, by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boxed<'a> {
    /// Its position among the parameters.
    pub position: usize,
    /// The position of the other parameter, which comes before.
    pub of: usize,
    /// The box.
    pub map: &'a TensorMap,
    /// Of its elements.
    pub dtype: DType,
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
    /// Its parameters in memory.
    pub memories: Vec<Memory<'a>>,
    /// Its other parameters, in order, which stand between those.
    pub boxes: Vec<Boxed<'a>>,
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
    let mut boxes = work.boxes.iter().peekable();
    for memory in &work.memories {
        described(device, buffers, &mut boxes)?;
        // The driver gives nothing for no bytes, and a parameter has to point somewhere.
        let buffer = device.allocate(memory.bytes.max(1))?;
        buffers.push(buffer);
        if let Some(initial) = memory.initial.filter(|initial| !initial.is_empty()) {
            device.write(buffer, initial)?;
        }
    }
    described(device, buffers, &mut boxes)
}

/// The boxes that come next among the parameters.
fn described<'a>(
    device: &mut dyn Device,
    buffers: &mut Vec<BufferId>,
    boxes: &mut Peekable<impl Iterator<Item = &'a Boxed<'a>>>,
) -> Result<(), Failure> {
    while let Some(boxed) = boxes.next_if(|boxed| boxed.position == buffers.len()) {
        let missing = || Failure::Driver { call: "cuTensorMapEncodeTiled", code: "a box of no array".to_string() };
        let buffer = *buffers.get(boxed.of).ok_or_else(missing)?;
        buffers.push(device.describe(buffer, boxed.map, boxed.dtype)?);
    }
    Ok(())
}

impl<'a> Work<'a> {
    fn call(&self, function: FunctionId, buffers: &'a [BufferId]) -> Call<'a> {
        Call { function, blocks: self.blocks, threads: self.threads, shared: self.shared, buffers }
    }
}

/// Waits for the end of what was started; for how many microseconds it ran.
fn ended(device: &mut dyn Device) -> Result<f64, Failure> {
    let patience = device.patience();
    let mut waited = 0_u64;
    while !device.has_ended()? {
        waited = waited.saturating_add(device.rest());
        if waited > patience.saturating_mul(1_000_000) {
            let failure = Failure::Hang(patience);
            device.give_up(&failure);
            return Err(failure);
        }
    }
    device.microseconds()
}

/// Starts a function and waits for its end; for how many microseconds it ran.
fn once(device: &mut dyn Device, work: &Work<'_>, function: FunctionId, buffers: &[BufferId]) -> Result<f64, Failure> {
    device.start(&work.call(function, buffers))?;
    ended(device)
}

/// How often a launch is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Runs before any counts: the device's clock rises, caches fill.
    pub warm_up: usize,
    /// Measurements that count.
    pub counted: usize,
    /// Launches of a measurement, replayed as one graph where they are several.
    pub launches: usize,
}

impl Rounds {
    /// As many as a launch deserves that takes so many microseconds: a measurement lasts a few hundred, and all of them about
    /// half a second at most.
    pub fn of(microseconds: f64) -> Rounds {
        const MEASUREMENT: f64 = 400.0;
        const ALL: f64 = 500_000.0;
        let each = microseconds.max(1.0);
        let launches = (MEASUREMENT / each).ceil().clamp(1.0, 64.0);
        let counted = (ALL / (each * launches)).floor().clamp(3.0, 30.0);
        let warm_up = if each > 50_000.0 { 1 } else { 3 };
        Rounds { warm_up, counted: counted as usize, launches: launches as usize }
    }
}

/// What measuring a launch gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Microseconds of a launch, by measurement, the shortest first.
    pub times: Vec<f64>,
    /// Launches of a measurement that were replayed as a graph; 1 where each was started by itself.
    pub launches: usize,
    /// How many blocks a multiprocessor runs at once, if the device says it.
    pub resident: Option<u32>,
}

/// Runs a launch many times on the memory that it has after the first, and says for how many microseconds the device worked each
/// time that counts. `rounds` hears how long the first run took. Nothing is read back. Ends early, with what there is, where
/// `stop` says so.
///
/// # Errors
/// As [`run`].
pub fn measure(
    device: &mut dyn Device,
    work: &Work<'_>,
    rounds: &dyn Fn(f64) -> Rounds,
    stop: &dyn Fn() -> bool,
) -> Result<Samples, Failure> {
    let most = device.info().shared_per_block;
    if work.shared > most {
        return Err(Failure::SharedMemory { wanted: work.shared, most });
    }
    let mut buffers = Vec::new();
    let result = filled(device, work, &mut buffers).and_then(|()| samples(device, work, rounds, stop, &buffers));
    if !result.as_ref().is_err_and(Failure::is_lost) {
        for buffer in buffers {
            device.free(buffer);
        }
    }
    result
}

fn samples(
    device: &mut dyn Device,
    work: &Work<'_>,
    rounds: &dyn Fn(f64) -> Rounds,
    stop: &dyn Fn() -> bool,
    buffers: &[BufferId],
) -> Result<Samples, Failure> {
    if work.blocks == 0 {
        return Ok(Samples::default());
    }
    let function = device.load(work.cubin, work.entry, work.shared)?;
    // A device that cannot say it is no reason to measure nothing.
    let resident = device.resident(function, work.threads, work.shared).ok();
    let first = once(device, work, function, buffers)?;
    let rounds = rounds(first);
    for _ in 1..rounds.warm_up {
        once(device, work, function, buffers)?;
    }
    let graph = match rounds.launches {
        0 | 1 => None,
        launches => match device.record(&work.call(function, buffers), launches) {
            Ok(graph) => Some(graph),
            Err(failure) if failure.is_lost() => return Err(failure),
            // Single launches are measured instead, and `launches` says so.
            Err(_) => None,
        },
    };
    let mut samples =
        Samples { times: Vec::new(), launches: if graph.is_some() { rounds.launches } else { 1 }, resident };
    let measured = repeated(device, rounds.counted, stop, &mut samples, |device| match graph {
        Some(graph) => replayed(device, graph, rounds.launches),
        None => once(device, work, function, buffers),
    });
    if let Some(graph) = graph {
        device.forget(graph);
    }
    measured?;
    samples.times.sort_by(f64::total_cmp);
    Ok(samples)
}

fn repeated(
    device: &mut dyn Device,
    counted: usize,
    stop: &dyn Fn() -> bool,
    samples: &mut Samples,
    mut once: impl FnMut(&mut dyn Device) -> Result<f64, Failure>,
) -> Result<(), Failure> {
    for _ in 0..counted {
        if stop() && !samples.times.is_empty() {
            break;
        }
        samples.times.push(once(device)?);
    }
    Ok(())
}

/// Replays a graph and waits for its end; the share of one of its launches.
fn replayed(device: &mut dyn Device, graph: GraphId, launches: usize) -> Result<f64, Failure> {
    device.replay(graph)?;
    Ok(ended(device)? / launches as f64)
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
    let is_box = |position: &usize| work.boxes.iter().any(|boxed| boxed.position == *position);
    let in_memory = (0..buffers.len()).filter(|position| !is_box(position)).map(|position| &buffers[position]);
    for (memory, &buffer) in work.memories.iter().zip(in_memory) {
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
