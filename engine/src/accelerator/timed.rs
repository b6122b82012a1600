//! What a kernel noted of its times, as the report wants it. Nothing runs here.

use pallas_cuda::{Ceilings, Occupancy, Resources, Samples, median};
use pallas_ir::Launch;
use pallas_profile::{Ceiling, DeviceEvent, DeviceTimes, OnDevice, Residency, Stage, Way};
use pallas_simt::Program;
use pallas_simt::marks::{TimedStage, read};

/// All that is known of a launch that was timed.
#[derive(Debug, Default)]
pub(super) struct Known<'a> {
    /// What the kernel that notes its times has noted.
    pub(super) notes: &'a [u64],
    /// Measurements of the kernel without notes, in microseconds.
    pub(super) samples: Samples,
    /// The median of the one with notes, in microseconds.
    pub(super) noted: Option<f64>,
    /// What the kernel without notes takes.
    pub(super) resources: Option<Resources>,
    /// How many fit a multiprocessor.
    pub(super) occupancy: Option<Occupancy>,
    /// What the device reaches at most.
    pub(super) ceilings: Option<Ceilings>,
    /// The median of the way of tiles, in microseconds, if it was measured too.
    pub(super) tiles: Option<f64>,
}

/// Of a launch by way of tiles, in which nobody notes what programs do: measurements, and the median of the other way.
pub(super) fn of_tiles(
    launch: &Launch,
    blocks: usize,
    samples: &Samples,
    ceilings: Option<Ceilings>,
    threads: Option<f64>,
) -> DeviceTimes {
    let about = OnDevice {
        replayed: samples.launches,
        blocks,
        bytes: bytes(launch),
        ceilings: ceilings.iter().flat_map(rates).collect(),
        ways: [("tileir", median(&samples.times))]
            .into_iter()
            .chain(threads.map(|time| ("simt", Some(time))))
            .map(way)
            .collect(),
        ..OnDevice::default()
    };
    DeviceTimes { about, times: nanoseconds(samples), ..DeviceTimes::default() }
}

fn way((name, microseconds): (&str, Option<f64>)) -> Way {
    Way { name: name.to_string(), time: microseconds.map(|time| time * 1e3) }
}

fn nanoseconds(samples: &Samples) -> Vec<f64> {
    samples.times.iter().map(|microseconds| microseconds * 1e3).collect()
}

/// Of the arrays, each once.
fn bytes(launch: &Launch) -> u64 {
    let size = |operand: &pallas_ir::Operand| {
        let size = operand.array.shape.size().saturating_mul(operand.array.dtype.size_bytes());
        u64::try_from(size).unwrap_or(u64::MAX)
    };
    launch.operands.iter().map(size).fold(0, u64::saturating_add)
}

/// Of the program that notes its times.
pub(super) fn times(launch: &Launch, program: &Program, known: Known<'_>) -> DeviceTimes {
    let times = read(&program.kernel, known.notes);
    let event = |event: pallas_simt::marks::TimedEvent| DeviceEvent {
        program: event.program,
        block: event.block,
        stage: match event.stage {
            TimedStage::CopyIn => Stage::CopyIn,
            TimedStage::Compute => Stage::Compute,
            TimedStage::CopyOut => Stage::CopyOut,
            TimedStage::Wait => Stage::Wait,
        },
        operand: event.operand,
        slot: event.slot as usize,
        start: event.start.max(0.0),
        end: event.end.max(0.0),
        bytes: event.bytes,
        span: event.span,
    };
    let plain = median(&known.samples.times).map(|time| ("simt", Some(time))).into_iter();
    let used = known.resources;
    DeviceTimes {
        about: OnDevice {
            replayed: known.samples.launches,
            noted: known.noted.map(|microseconds| microseconds * 1e3),
            lost: times.lost,
            blocks: program.blocks,
            threads: program.threads,
            registers: used.map(|used| used.registers),
            spilled: used.map(|used| used.spill_stores + used.spill_loads),
            shared: (program.shared_bytes + used.map_or(0, |used| used.shared as usize)) as u64,
            residency: known.occupancy.map(|full| Residency {
                blocks: full.blocks,
                warps: full.warps,
                most: full.most,
                limit: full.limit.words().to_string(),
                driver: known.samples.resident,
            }),
            bytes: bytes(launch),
            ceilings: known.ceilings.iter().flat_map(rates).collect(),
            remarks: program.kernel.notes.iter().map(|note| note.message.clone()).collect(),
            ways: plain.chain(known.tiles.map(|time| ("tileir", Some(time)))).map(way).collect(),
            ..OnDevice::default()
        },
        times: nanoseconds(&known.samples),
        blocks: times.blocks.iter().map(|block| (block.multiprocessor, block.start.max(0.0), block.end)).collect(),
        events: times.events.into_iter().map(event).collect(),
    }
}

fn rates(found: &Ceilings) -> Vec<Ceiling> {
    let named = |name: &str, rate: f64| Ceiling { name: name.to_string(), rate };
    let products = found.matrix.iter().map(|(dtype, rate)| named(dtype.short_name(), *rate));
    [named("copy", found.copy), named("fma", found.vector)].into_iter().chain(products).collect()
}
