//! From launches and findings to a report: one part of it, one file.

mod findings;
mod lanes;
mod launch;
mod modelled;
mod rehearsed;
mod schedule;

use crate::measured::Recorder;
use crate::place::Place;
use crate::report::{
    FindingReport, LaunchReport, MachineReport, NumberReport, Producer, Program, RateReport, Report, SourceText,
    Totals, TotalsMeasured, TotalsModelled, VERSION,
};
use findings::finding_report;
use launch::launch_report;
use pallas_ir::{Finding, Launch};
use pallas_pipeline::{self as pipeline, Machine, Machines};
use pallas_syntax::SourceFile;
use std::collections::BTreeSet;
use std::sync::Arc;

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
    /// The report of a program, modelled on machines.
    pub fn new(observed: &Observed<'_>, machines: &Machines) -> Report {
        let launches: Vec<LaunchReport> = observed
            .launches
            .iter()
            .map(|launch| launch_report(launch, observed, &machines.of(&launch.launch)))
            .collect();
        let mut used: Vec<&Machine> = Vec::new();
        for launch in observed.launches {
            let machine = machines.of(&launch.launch).machine;
            if !used.iter().any(|known| known.key == machine.key) {
                used.push(machine);
            }
        }
        let first = used.first().copied().unwrap_or_else(|| machines.of_nothing());
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
                cancelled: false,
                analysed: 0.0,
                run: None,
            },
            sources: Vec::new(),
            machine: machine_report(first),
            machines: used.into_iter().map(machine_report).collect(),
            launches,
            findings,
            totals,
            left_out: Vec::new(),
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
        launch.modelled.lanes.iter().flat_map(|lanes| &lanes.events).for_each(|event| mark(event.place));
        launch.measured.iter().flat_map(|measured| &measured.lines).for_each(|line| mark(Some(line.place)));
        let on_device = launch.measured.iter().filter_map(|measured| measured.on_device.as_ref());
        on_device.flat_map(|device| &device.lanes.events).for_each(|event| mark(event.place));
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
        link_latency: Some(number(&machine.link_latency)),
        link_bandwidth: Some(number(&machine.link_bandwidth)),
    }
}
