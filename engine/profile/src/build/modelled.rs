//! What the machine's model says of a launch: times, formulas, work, advice, and what it takes for granted.

use super::lanes::lanes;
use super::schedule::schedule;
use crate::clip::clip;
use crate::modelled::{Advice, BlockChoice, Formulas, Line, Modelled, SlotChoice, Unknown, WorkTerm, nanoseconds};
use crate::place::Place;
use pallas_ir::Launch;
use pallas_pipeline::{self as pipeline, Assumed, LaunchWork, Machine, Model, Unit, Wishes};
use pallas_syntax::SourceFile;
use std::sync::Arc;

/// Block shapes that are advised.
const BLOCK_CHOICES: usize = 8;

pub(super) fn modelled(launch: &Launch, machine: &Machine, sources: &[Arc<SourceFile>]) -> Modelled {
    let model = Model::new(launch, machine, Wishes::default());
    let totals = model.timing.totals();
    let place_of = |id: pallas_ir::LocationId| {
        let location = launch.kernel.locations.get(id.0 as usize)?;
        Place::of(location.span, sources)
    };
    let mut unknown: Vec<Unknown> = model
        .work
        .unknown
        .iter()
        .map(|unknown| Unknown { place: unknown.place.and_then(place_of), what: unknown.what.clone() })
        .collect();
    let (lanes, steered) = lanes(launch, machine, sources).unzip();
    if steered == Some(true) {
        let what =
            "what the kernel does depends on data; in the lanes, and so in the time, all data is zero".to_string();
        unknown.push(Unknown { place: launch.spans.kernel.and_then(|span| Place::of(span, sources)), what });
    }
    unknown.extend(assumptions(launch, machine, &model, lanes.is_some(), sources));
    let mut modelled = Modelled {
        time: nanoseconds(totals.time),
        compute: nanoseconds(totals.compute),
        fill: nanoseconds(totals.fill),
        drain: nanoseconds(totals.drain),
        stalls: nanoseconds(totals.stalls),
        utilisation: totals.utilisation(),
        flops: clip(model.work.total.flops()),
        bytes: clip(model.bytes),
        kernel_bytes: clip(model.work.total.copied),
        intensity: model.intensity(),
        peak: machine.peak(&model.work.total),
        bound: model.formulas.bound().name().to_string(),
        formulas: formulas(&model.formulas),
        work: model
            .work
            .total
            .terms
            .iter()
            .map(|((unit, dtype), &count)| WorkTerm {
                unit: unit_name(*unit).to_string(),
                dtype: dtype.short_name().to_string(),
                count: clip(count),
            })
            .collect(),
        lines: lines(&model, place_of),
        unknown,
        on_chip: clip(model.on_chip),
        fits: model.on_chip as f64 <= machine.on_chip.value,
        schedule: schedule(&model, launch, machine),
        advice: advice(launch, machine, &model.work),
        events: Vec::new(),
        complete: false,
        lanes,
    };
    super::rehearsed::take_over(&mut modelled, launch, machine);
    modelled
}

fn advice(launch: &Launch, machine: &Machine, work: &LaunchWork) -> Advice {
    let slots = pipeline::slot_choices(launch, machine, work);
    let blocks = pipeline::block_choices(launch, machine, work, BLOCK_CHOICES);
    let slot = |choice: &pipeline::SlotChoice| SlotChoice {
        slots: choice.slots,
        time: choice.time * 1e9,
        on_chip: clip(choice.on_chip),
        fits: choice.fits,
    };
    let block = |choice: pipeline::BlockChoice| BlockChoice {
        grid: choice.grid,
        blocks: choice.blocks,
        time: choice.time * 1e9,
        bytes: clip(choice.bytes),
        on_chip: clip(choice.on_chip),
        bound: choice.bound.name().to_string(),
    };
    Advice {
        best_slots: pipeline::best_slots(&slots).map(|choice| choice.slots),
        slots: slots.iter().map(slot).collect(),
        blocks: blocks.into_iter().map(block).collect(),
    }
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Matrix => "matrix",
        Unit::Vector => "vector",
        Unit::Transcendental => "transcendental",
        Unit::Other => "other",
    }
}

fn formulas(formulas: &pipeline::Formulas) -> Formulas {
    Formulas {
        programs: formulas.programs,
        latency: formulas.latency * 1e9,
        transfer: formulas.transfer * 1e9,
        compute: formulas.compute * 1e9,
        slots: formulas.slots,
        rounds: formulas.rounds,
        compute_bound: formulas.compute_bound() * 1e9,
        bandwidth_bound: formulas.bandwidth_bound() * 1e9,
        latency_bound: formulas.latency_bound() * 1e9,
    }
}

/// FLOPs by place, the most first. Several ops of one expression are one place.
fn lines(model: &Model, place_of: impl Fn(pallas_ir::LocationId) -> Option<Place>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for &(id, flops) in &model.work.places {
        let Some(place) = place_of(id) else { continue };
        match lines.iter_mut().find(|line| line.place == place) {
            Some(line) => line.flops = line.flops.saturating_add(clip(flops)),
            None => lines.push(Line { place, flops: clip(flops) }),
        }
    }
    lines.sort_by(|a, b| b.flops.cmp(&a.flops).then(a.place.cmp(&b.place)));
    lines
}

/// What the model takes for granted of this launch.
fn assumptions(
    launch: &Launch,
    machine: &Machine,
    model: &Model,
    has_lanes: bool,
    sources: &[Arc<SourceFile>],
) -> Vec<Unknown> {
    let place = |at: usize| {
        let spans = &launch.operands[at].spans;
        spans.index_map.or(spans.spec).or(spans.parameter).and_then(|span| Place::of(span, sources))
    };
    let mut unknown = Vec::new();
    for &(at, why) in &model.assumed {
        let name = &launch.operands[at].name;
        let what = match why {
            Assumed::DependsOnData => {
                format!("which blocks of {name} are read depends on data; a new one for every program is counted")
            }
            Assumed::TooManyPrograms => format!(
                "the index map of {name} is no formula of the program ids, and the grid too large to evaluate it for each; \
                 a new block for every program is counted"
            ),
        };
        unknown.push(Unknown { place: place(at), what });
    }
    for &at in &model.left_in_place {
        let (name, space) = (&launch.operands[at].name, launch.operands[at].space.name());
        let what = format!(
            "{name} stays in memory space `{space}`: copies that the kernel starts are counted, loads and stores in place are \
             not"
        );
        unknown.push(Unknown { place: place(at), what });
    }
    if model.work.total.copied > 0 {
        let place = match has_lanes {
            true => "have their place in the lanes, not in the schedule of the launch's own blocks",
            false => "have no place in the schedule",
        };
        let what = format!(
            "the kernel copies {} bytes itself: they count for the intensity and the formulas, and {place}",
            model.work.total.copied
        );
        unknown.push(Unknown { place: launch.spans.kernel.and_then(|span| Place::of(span, sources)), what });
    }
    if !launch.dynamic.is_empty() {
        let what = "the extent of the grid depends on data; one program is counted along such an axis".to_string();
        unknown.push(Unknown { place: launch.spans.grid.and_then(|span| Place::of(span, sources)), what });
    }
    if machine.core_count() > 1 {
        let what =
            "caches are not modelled: blocks that several programs share are counted once for each; nor is how much \
                    of the bandwidth one core alone can use"
                .to_string();
        unknown.push(Unknown { place: None, what });
    }
    unknown
}
