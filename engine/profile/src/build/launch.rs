//! A launch: what is said of it whatever the machine, with what was modelled and measured of it.

use super::findings::{findings_of, marks};
use super::modelled::modelled;
use super::{Observed, ObservedLaunch};
use crate::measured::{Measured, Recorder};
use crate::place::Place;
use crate::report::{BlockDim, Event, IndexForm, LaunchMachine, LaunchReport, OperandReport, ScratchReport, Stage};
use pallas_ir::{BlockMap, Launch, Operand, Role};
use pallas_pipeline::Chosen;
use pallas_syntax::{SourceFile, Span};
use std::sync::Arc;

/// Launches with so many programs have all their modelled events in the report.
const ALL_EVENTS: usize = 256;
/// Of others, events of so many programs at the beginning and at the end.
const SOME_EVENTS: usize = 32;

pub(super) fn launch_report(observed: &ObservedLaunch, all: &Observed<'_>, chosen: &Chosen<'_>) -> LaunchReport {
    let launch = &*observed.launch;
    let place = |span: Span| Place::of(span, all.sources);
    let findings = findings_of(launch, all.findings);
    let marks = marks(launch, &findings, all.findings);
    let mut report = LaunchReport {
        kernel: launch.kernel.name.to_string(),
        machine: LaunchMachine {
            name: chosen.machine.name.to_string(),
            key: chosen.machine.key.to_string(),
            named: chosen.named,
            why: chosen.why.to_string(),
        },
        call: place(launch.spans.call),
        definition: launch.spans.kernel.and_then(place),
        grid: launch.grid.clone(),
        dynamic: launch.dynamic.clone(),
        semantics: launch.semantics.iter().map(|axis| axis.name().to_string()).collect(),
        programs: launch.programs(),
        operands: launch.operands.iter().map(|operand| operand_report(operand, launch, all.sources)).collect(),
        scratch: launch
            .scratch
            .iter()
            .map(|ty| ScratchReport {
                dtype: ty.dtype.short_name().to_string(),
                shape: ty.shape.to_vec(),
                space: ty.space.name().to_string(),
            })
            .collect(),
        aliases: aliases(launch),
        ir: launch.to_string(),
        findings,
        marks,
        modelled: modelled(launch, chosen.machine, all.sources),
        measured: None,
        values: Vec::new(),
        ran: observed.measured.is_some(),
        stale: false,
    };
    report.measured = observed.measured.clone().map(|recorder| measured(recorder, &report, all.sources));
    let timing = report.timing();
    let programs = timing.schedule().programs();
    report.modelled.complete = programs <= ALL_EVENTS;
    report.modelled.events = if report.modelled.complete {
        report.events(&timing, 0, programs)
    } else {
        let mut events = report.events(&timing, 0, SOME_EVENTS);
        events.extend(report.events(&timing, programs - SOME_EVENTS, SOME_EVENTS));
        events
    };
    report
}

/// Events of the first programs get their places and FLOPs, and only block indices that depend on data are kept: others
/// follow from the index map.
fn measured(recorder: Recorder, report: &LaunchReport, sources: &[Arc<SourceFile>]) -> Measured {
    let mut measured = recorder.take(sources);
    let schedule = &report.modelled.schedule;
    let describe = |event: &mut Event| {
        let operand = event.operand.and_then(|at| report.operands.get(at));
        event.place = operand.map_or(report.definition, |operand| operand.spec.or(operand.parameter));
        if event.stage == Stage::Compute && schedule.stride == 1 {
            event.flops = schedule.flops(event.program);
        }
    };
    if let Some(device) = &mut measured.on_device {
        device.flops = report.modelled.flops;
        let seconds = measured.time / 1e9;
        if seconds > 0.0 {
            (device.bandwidth, device.rate) = (device.bytes as f64 / seconds, device.flops as f64 / seconds);
        }
        for lane in device.lanes.lanes.iter_mut().filter(|lane| lane.kind == "copies") {
            for (at, operand) in report.operands.iter().enumerate().rev() {
                lane.name = lane.name.replace(&format!("operand {at} "), &format!("{} ", operand.name));
            }
        }
    }
    measured.events.iter_mut().for_each(describe);
    let is_data = |operand: &OperandReport| operand.map.contains(&IndexForm::Data);
    if !report.operands.iter().any(is_data) {
        measured.blocks.clear();
    }
    measured
}

/// Aliases as positions among all operands.
fn aliases(launch: &Launch) -> Vec<(usize, usize)> {
    let positions = |output: bool| -> Vec<usize> {
        (0..launch.operands.len()).filter(|&at| (launch.operands[at].role == Role::Output) == output).collect()
    };
    let (inputs, outputs) = (positions(false), positions(true));
    launch.aliases.iter().filter_map(|&(input, output)| Some((*inputs.get(input)?, *outputs.get(output)?))).collect()
}

fn operand_report(operand: &Operand, launch: &Launch, sources: &[Arc<SourceFile>]) -> OperandReport {
    let place = |span: Option<Span>| span.and_then(|span| Place::of(span, sources));
    let map = BlockMap::new(operand, launch.grid.len());
    OperandReport {
        name: operand.name.to_string(),
        role: match operand.role {
            Role::Prefetch => "prefetch",
            Role::Input => "input",
            Role::Output => "output",
        }
        .to_string(),
        dtype: operand.array.dtype.short_name().to_string(),
        shape: operand.array.shape.to_vec(),
        block: operand.block.iter().map(|dim| block_dim(*dim)).collect(),
        space: operand.space.name().to_string(),
        buffers: operand.buffers,
        formula: map.formula(launch.grid.len()),
        map: map.dims.iter().map(index_form).collect(),
        spec: place(operand.spans.spec),
        index_map: place(operand.spans.index_map),
        parameter: place(operand.spans.parameter),
    }
}

fn block_dim(dim: pallas_ir::BlockDim) -> BlockDim {
    match dim {
        pallas_ir::BlockDim::Blocked(size) => BlockDim::Blocked { size },
        pallas_ir::BlockDim::Squeezed => BlockDim::Squeezed,
        pallas_ir::BlockDim::Element { size, low, high } => BlockDim::Element { size, low, high },
    }
}

fn index_form(form: &pallas_ir::IndexForm) -> IndexForm {
    match form {
        pallas_ir::IndexForm::Affine { constant, coefficients } => {
            IndexForm::Affine { constant: *constant, coefficients: coefficients.clone() }
        }
        pallas_ir::IndexForm::General => IndexForm::General,
        pallas_ir::IndexForm::Unknown => IndexForm::Data,
    }
}
