//! What the times of all programs follow from.

use crate::clip::clip;
use crate::modelled::{Moves, Schedule, Stream};
use pallas_ir::Launch;
use pallas_pipeline::{self as pipeline, Machine, Model};

pub(super) fn schedule(model: &Model, launch: &Launch, machine: &Machine) -> Schedule {
    let timing = &model.timing;
    let order = &timing.schedule().order;
    let (durations, rates) = (timing.durations(), timing.rates());
    let programs = launch.programs().max(1) as u128;
    let flops = if machine.core_count() > 1 {
        vec![clip(model.work.total.flops() / programs)]
    } else {
        model.work.programs.iter().map(|work| clip(work.flops())).collect()
    };
    Schedule {
        grid: order.grid().to_vec(),
        stride: model.stride,
        latency: positive(rates.latency),
        per_byte: (positive(rates.per_byte.0), positive(rates.per_byte.1)),
        axes: durations.axes.clone(),
        durations: durations.ticks.iter().map(|&ticks| positive(ticks)).collect(),
        flops,
        streams: timing
            .schedule()
            .streams
            .iter()
            .map(|stream| Stream {
                operand: stream.operand,
                output: stream.direction == pipeline::Direction::Out,
                block_bytes: clip(stream.bytes),
                slots: stream.slots,
                copies: match machine.core_count() {
                    1 => stream.moves.copies(order) as u64,
                    _ => launch.programs() as u64,
                },
                moves: moves(&stream.moves),
            })
            .collect(),
    }
}

fn positive(ticks: pipeline::Ticks) -> u64 {
    clip(ticks.max(0).unsigned_abs())
}

fn moves(moves: &pipeline::Moves) -> Moves {
    match moves {
        pipeline::Moves::Never => Moves::Never,
        pipeline::Moves::Every => Moves::Every,
        pipeline::Moves::Along(axes) => Moves::Along { axes: axes.clone() },
        pipeline::Moves::Listed(moved) => Moves::Listed {
            programs: moved.iter().enumerate().skip(1).filter(|(_, moved)| **moved).map(|(at, _)| at).collect(),
        },
    }
}
