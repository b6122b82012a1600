//! From launches and findings to a report.

use crate::clip::clip;
use crate::measured::{Measured, Recorder};
use crate::modelled::{
    Advice, BlockChoice, Formulas, Line, Modelled, Moves, Schedule, SlotChoice, Stream, Unknown, WorkTerm, nanoseconds,
};
use crate::place::Place;
use crate::report::{
    BlockDim, Event, FindingReport, IndexForm, LabelReport, LaunchReport, MachineReport, Mark, NumberReport,
    OperandReport, Producer, Program, RateReport, Report, ScratchReport, SourceText, Stage, Totals, TotalsMeasured,
    TotalsModelled, VERSION,
};
use pallas_ir::{AxisSemantics, BlockMap, Finding, Launch, Operand, Role};
use pallas_pipeline::{self as pipeline, Assumed, Machine, Model, Unit, Wishes};
use pallas_syntax::{SourceFile, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Launches with so many programs have all their modelled events in the report.
const ALL_EVENTS: usize = 256;
/// Of others, events of so many programs at the beginning and at the end.
const SOME_EVENTS: usize = 32;
/// Block shapes that are advised.
const BLOCK_CHOICES: usize = 8;

/// What was seen of a program.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Its path as it was given.
    pub path: &'a str,
    /// `sys.argv[1:]`
    pub arguments: &'a [String],
    /// Its exit status, if it ran.
    pub exit: Option<i32>,
    /// Every file that was read; the program's own is the first.
    pub sources: &'a [Arc<SourceFile>],
    /// Findings, errors first.
    pub findings: &'a [Finding],
    /// Its launches.
    pub launches: &'a [ObservedLaunch],
}

/// A launch with what was measured of it.
#[derive(Clone, Debug)]
pub struct ObservedLaunch {
    /// The launch.
    pub launch: Arc<Launch>,
    /// What was measured, if it ran with a clock.
    pub measured: Option<Recorder>,
}

impl Report {
    /// The report of a program, modelled on a machine.
    pub fn new(observed: &Observed<'_>, machine: &Machine) -> Report {
        let launches: Vec<LaunchReport> =
            observed.launches.iter().map(|launch| launch_report(launch, observed, machine)).collect();
        let findings: Vec<FindingReport> =
            observed.findings.iter().map(|finding| finding_report(finding, observed.sources)).collect();
        let totals = totals(&launches);
        let mut report = Report {
            version: VERSION,
            producer: Producer { name: "pallas-workbench".to_string(), version: env!("CARGO_PKG_VERSION").to_string() },
            program: Program {
                path: observed.path.to_string(),
                arguments: observed.arguments.to_vec(),
                exit: observed.exit,
            },
            sources: Vec::new(),
            machine: machine_report(machine),
            launches,
            findings,
            totals,
        };
        report.sources = sources(&report, observed.sources);
        report
    }
}

/// The program's own text, and those that places lie in.
fn sources(report: &Report, all: &[Arc<SourceFile>]) -> Vec<SourceText> {
    let mut used: BTreeSet<u32> = all.first().map(|source| source.id.0).into_iter().collect();
    let mut mark = |place: Option<Place>| used.extend(place.map(|place| place.file));
    for launch in &report.launches {
        mark(launch.call);
        mark(launch.definition);
        for operand in &launch.operands {
            [operand.spec, operand.index_map, operand.parameter].into_iter().for_each(&mut mark);
        }
        launch.modelled.lines.iter().for_each(|line| mark(Some(line.place)));
        launch.modelled.unknown.iter().for_each(|unknown| mark(unknown.place));
        launch.measured.iter().flat_map(|measured| &measured.lines).for_each(|line| mark(Some(line.place)));
    }
    for finding in &report.findings {
        mark(finding.place);
        finding.labels.iter().for_each(|label| mark(label.place));
    }
    all.iter()
        .filter(|source| used.contains(&source.id.0))
        .map(|source| SourceText { file: source.id.0, path: source.path.to_string(), text: source.text.to_string() })
        .collect()
}

fn totals(launches: &[LaunchReport]) -> Totals {
    let mut modelled = TotalsModelled { time: 0.0, bytes: 0, flops: 0 };
    let mut measured: Option<TotalsMeasured> = None;
    for launch in launches {
        let runs = launch.measured.as_ref().map_or(1, |measured| measured.runs.max(1));
        modelled.time += launch.modelled.time * runs as f64;
        modelled.bytes = modelled.bytes.saturating_add(launch.modelled.bytes.saturating_mul(runs as u64));
        modelled.flops = modelled.flops.saturating_add(launch.modelled.flops.saturating_mul(runs as u64));
        if let Some(found) = &launch.measured {
            let sum = measured.get_or_insert(TotalsMeasured { time: 0.0, copy_in: 0.0, compute: 0.0, copy_out: 0.0 });
            sum.time += found.time;
            sum.copy_in += found.copy_in;
            sum.compute += found.compute;
            sum.copy_out += found.copy_out;
        }
    }
    Totals { modelled, measured }
}

fn machine_report(machine: &Machine) -> MachineReport {
    let number = |number: &pipeline::Number| NumberReport {
        value: number.value,
        source: number.source.to_string(),
        known: number.known,
    };
    MachineReport {
        name: machine.name.to_string(),
        key: machine.key.to_string(),
        cores: machine.core_count(),
        latency: number(&machine.latency),
        bandwidth: number(&machine.bandwidth),
        matrix: machine
            .matrix
            .iter()
            .map(|(dtype, rate)| RateReport { dtype: dtype.short_name().to_string(), rate: number(rate) })
            .collect(),
        vector: number(&machine.vector),
        on_chip: number(&machine.on_chip),
    }
}

fn finding_report(finding: &Finding, sources: &[Arc<SourceFile>]) -> FindingReport {
    FindingReport {
        code: finding.code.to_string(),
        severity: finding.severity.name().to_string(),
        certainty: finding.certainty.name().to_string(),
        message: finding.message.clone(),
        place: Place::of(finding.span, sources),
        labels: finding
            .labels
            .iter()
            .map(|label| LabelReport { place: Place::of(label.span, sources), text: label.text.clone() })
            .collect(),
        evidence: finding.evidence.clone(),
        help: finding.help.clone(),
    }
}

fn launch_report(observed: &ObservedLaunch, all: &Observed<'_>, machine: &Machine) -> LaunchReport {
    let launch = &*observed.launch;
    let place = |span: Span| Place::of(span, all.sources);
    let findings = findings_of(launch, all.findings);
    let in_grid = |program: &Vec<usize>| {
        program.len() == launch.grid.len() && program.iter().zip(&launch.grid).all(|(id, extent)| id < extent)
    };
    let mut marks: Vec<Mark> = findings
        .iter()
        .filter_map(|&at| Some(Mark { ids: all.findings[at].program().filter(in_grid)?, finding: at }))
        .collect();
    marks.sort_by(|a, b| (&a.ids, a.finding).cmp(&(&b.ids, b.finding)));
    let mut report = LaunchReport {
        kernel: launch.kernel.name.to_string(),
        call: place(launch.spans.call),
        definition: launch.spans.kernel.and_then(place),
        grid: launch.grid.clone(),
        dynamic: launch.dynamic.clone(),
        semantics: launch.semantics.iter().map(|axis| semantics(*axis).to_string()).collect(),
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
        modelled: modelled(launch, machine, all.sources),
        measured: None,
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
    measured.events.iter_mut().for_each(describe);
    let is_data = |operand: &OperandReport| operand.map.contains(&IndexForm::Data);
    if !report.operands.iter().any(is_data) {
        measured.blocks.clear();
    }
    measured
}

fn semantics(axis: AxisSemantics) -> &'static str {
    match axis {
        AxisSemantics::Parallel => "parallel",
        AxisSemantics::Arbitrary => "arbitrary",
    }
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

/// The findings that lie in the parts of the source that a launch is made of: its call, its blocks, its kernel.
fn findings_of(launch: &Launch, findings: &[Finding]) -> Vec<usize> {
    let spans = &launch.spans;
    let mut places = vec![spans.call, spans.apply];
    places.extend([spans.kernel, spans.grid, spans.out_shape].into_iter().flatten());
    for operand in &launch.operands {
        let spans = &operand.spans;
        places.extend([spans.spec, spans.block_shape, spans.index_map, spans.parameter].into_iter().flatten());
    }
    places.extend(launch.kernel.locations.iter().map(|location| location.span));
    places.retain(|place| place.end > place.start);
    let encloses =
        |span: Span| places.iter().any(|p| p.file == span.file && p.start <= span.start && span.end <= p.end);
    let concerns =
        |finding: &Finding| encloses(finding.span) || finding.labels.iter().any(|label| encloses(label.span));
    (0..findings.len()).filter(|&at| concerns(&findings[at])).collect()
}

fn modelled(launch: &Launch, machine: &Machine, sources: &[Arc<SourceFile>]) -> Modelled {
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
    unknown.extend(assumptions(launch, machine, &model, sources));
    let slots = pipeline::slot_choices(launch, machine, &model.work);
    let blocks = pipeline::block_choices(launch, machine, &model.work, BLOCK_CHOICES);
    Modelled {
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
        advice: Advice {
            best_slots: pipeline::best_slots(&slots).map(|choice| choice.slots),
            slots: slots
                .iter()
                .map(|choice| SlotChoice {
                    slots: choice.slots,
                    time: choice.time * 1e9,
                    on_chip: clip(choice.on_chip),
                    fits: choice.fits,
                })
                .collect(),
            blocks: blocks
                .into_iter()
                .map(|choice| BlockChoice {
                    grid: choice.grid,
                    blocks: choice.blocks,
                    time: choice.time * 1e9,
                    bytes: clip(choice.bytes),
                    on_chip: clip(choice.on_chip),
                    bound: choice.bound.name().to_string(),
                })
                .collect(),
        },
        events: Vec::new(),
        complete: false,
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
fn assumptions(launch: &Launch, machine: &Machine, model: &Model, sources: &[Arc<SourceFile>]) -> Vec<Unknown> {
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
        let what = format!(
            "the kernel copies {} bytes itself: they count for the intensity and the formulas, and have no place in the \
             schedule",
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

fn schedule(model: &Model, launch: &Launch, machine: &Machine) -> Schedule {
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
