//! What the report says of a launch, as tables of text: the same for every format.

use super::words::{bytes, digits, flops, percent, scaled, time};
use pallas_engine::report::{LaneEvent, Lanes, LaunchReport, LeftOutReport, MachineReport, Place, Report};

/// Lines of the source that are listed.
const LINES: usize = 6;
/// Lanes that are listed.
const LANES: usize = 16;

/// A table with its heading.
pub(super) struct Section {
    /// What it is about.
    pub(super) title: String,
    /// The first row is the head.
    pub(super) rows: Vec<Vec<String>>,
    /// Columns of numbers.
    pub(super) right: &'static [usize],
}

/// `matmul_kernel (kernel.py:34:10)`
pub(super) fn title(report: &Report, launch: &LaunchReport) -> String {
    match launch.call {
        Some(place) => format!("{} ({})", launch.kernel, at(report, place)),
        None => launch.kernel.clone(),
    }
}

fn at(report: &Report, place: Place) -> String {
    report.place(place).unwrap_or_else(|| format!("?:{}:{}", place.line, place.column))
}

/// `grid 4×2 = 8 programs`
pub(super) fn grid(launch: &LaunchReport) -> String {
    let programs = crate::app::report::plural(launch.programs, "program");
    match &launch.grid[..] {
        [] => "no grid, 1 program".to_string(),
        [_] if launch.dynamic.is_empty() => format!("grid of {programs}"),
        grid => {
            let extents: Vec<String> = (0..grid.len())
                .map(|axis| if launch.dynamic.contains(&axis) { "?".to_string() } else { grid[axis].to_string() })
                .collect();
            match launch.dynamic.is_empty() {
                true => format!("grid {} = {programs}", extents.join("×")),
                false => format!("grid {}, which depends on data", extents.join("×")),
            }
        }
    }
}

/// One sentence: `bandwidth bound: 12.3 µs, of which 3.1 % compute`.
pub(super) fn verdict(report: &Report, launch: &LaunchReport) -> String {
    let modelled = &launch.modelled;
    format!(
        "modelled on {}: {}, {} bound, the processor busy {} of it",
        report.machine_of(launch).name,
        time(modelled.time),
        modelled.bound,
        percent(modelled.utilisation)
    )
}

/// Why it is modelled on that machine; nothing where somebody has asked for it.
pub(super) fn machine(launch: &LaunchReport) -> Option<String> {
    launch.machine.reason().map(|reason| format!("{reason}; --machine takes another"))
}

/// Everything about a launch.
pub(super) fn sections(report: &Report, launch: &LaunchReport) -> Vec<Section> {
    let mut sections = vec![modelled(launch)];
    match &launch.modelled.lanes {
        Some(lanes) => sections.push(who_waits(report, launch, lanes)),
        None => sections.push(formulas(report, launch)),
    }
    // What copies nothing for its programs has no slots to choose.
    if launch.modelled.lanes.is_none() || !launch.modelled.schedule.streams.is_empty() {
        sections.extend([copies(report, launch), slots(report, launch)]);
    }
    sections.extend(blocks(launch));
    sections.extend(lines(report, launch));
    sections.extend(measured(report, launch));
    sections.extend(unknown(report, launch));
    sections
}

fn texts(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_string()).collect()
}

fn modelled(launch: &LaunchReport) -> Section {
    let m = &launch.modelled;
    let intensity = m.intensity.map_or("no copies".to_string(), |value| format!("{} FLOP/B", digits(value)));
    Section {
        title: "modelled time".to_string(),
        rows: vec![
            texts(&["total", "compute", "fill", "drain", "stalls", "work", "copies", "intensity", "at best"]),
            vec![
                time(m.time),
                time(m.compute),
                time(m.fill),
                time(m.drain),
                time(m.stalls),
                flops(m.flops),
                bytes(m.bytes.saturating_add(m.kernel_bytes)),
                intensity,
                if m.flops == 0 { "no FLOPs".to_string() } else { scaled(m.peak, "FLOP/s") },
            ],
        ],
        right: &[0, 1, 2, 3, 4, 5, 6, 7, 8],
    }
}

fn formulas(report: &Report, launch: &LaunchReport) -> Section {
    let f = &launch.modelled.formulas;
    let one = if report.machine_of(launch).cores > 1 { " (of one core)" } else { "" };
    let mark = |bound: &str| if launch.modelled.bound == bound { "applies" } else { "" }.to_string();
    Section {
        title: format!(
            "by the guide's formulas{one}, with N = {}, alpha = {}, X/beta = {}, Y/F = {}, S = {}",
            f.programs,
            time(f.latency),
            time(f.transfer),
            time(f.compute),
            f.slots
        ),
        rows: vec![
            texts(&["bound", "time", ""]),
            vec!["compute".to_string(), time(f.compute_bound), mark("compute")],
            vec!["bandwidth".to_string(), time(f.bandwidth_bound), mark("bandwidth")],
            vec!["latency".to_string(), time(f.latency_bound), mark("latency")],
        ],
        right: &[1],
    }
}

/// What each thread, core and engine does with the time, and its longest wait.
fn who_waits(report: &Report, launch: &LaunchReport, lanes: &Lanes) -> Section {
    let mut rows = vec![texts(&["lane", "busy", "share", "waits", "longest wait", ""])];
    for (at, lane) in lanes.lanes.iter().enumerate().take(LANES) {
        let (busy, waits) = lanes.busy(at);
        let longest = lanes.longest_wait(at);
        let share = if lanes.time > 0.0 { busy / lanes.time } else { 0.0 };
        rows.push(vec![
            lanes.short(&lane.name),
            time(busy),
            percent(share),
            if waits > 0.0 { time(waits) } else { String::new() },
            longest.map_or(String::new(), |event| time(event.end - event.start)),
            longest.map_or(String::new(), |event| lanes.short(&wait_words(report, lanes, event))),
        ]);
    }
    let hidden = lanes.lanes.len().saturating_sub(LANES);
    let more = if hidden > 0 { format!(", first {LANES} of {} lanes", lanes.lanes.len()) } else { String::new() };
    let part = if lanes.complete { "" } else { ", of which the first events are known" };
    let turns = launch.modelled.time / lanes.time;
    let again =
        if lanes.complete && turns > 1.5 { format!(", {turns:.0} times one after the other") } else { String::new() };
    let title = format!("{}, who waits for whom: {}{again}{part}{more}", lanes.of_whom(), time(lanes.time));
    Section { title, rows, right: &[1, 2, 3, 4] }
}

/// `for full[1], phase 2, until the copy of x_smem[1] by thread 0 (kernel.py:35:3)`
fn wait_words(report: &Report, lanes: &Lanes, event: &LaneEvent) -> String {
    let mut words = match event.subject() {
        subject if subject.is_empty() => String::new(),
        subject => format!("for {subject}"),
    };
    if let Some(cause) = lanes.cause(event) {
        let comma = if words.is_empty() { "" } else { ", " };
        words.push_str(&format!("{comma}until {cause}"));
    }
    if let Some(place) = event.place {
        words.push_str(&format!(" ({})", at(report, place)));
    }
    words
}

fn copies(report: &Report, launch: &LaunchReport) -> Section {
    let mut rows = vec![texts(&["operand", "stage", "block", "index map", "slots", "copies", "bytes"])];
    for stream in &launch.modelled.schedule.streams {
        let Some(operand) = launch.operands.get(stream.operand) else { continue };
        let all = stream.block_bytes.saturating_mul(stream.copies);
        rows.push(vec![
            operand.name.clone(),
            if stream.output { "copy_out" } else { "copy_in" }.to_string(),
            bytes(stream.block_bytes),
            operand.formula.clone(),
            stream.slots.to_string(),
            stream.copies.to_string(),
            bytes(all),
        ]);
    }
    let limit = report.machine_of(launch).on_chip.value;
    let m = &launch.modelled;
    let fits = match m.fits {
        _ if limit >= 1e17 => "slots and scratch are not limited".to_string(),
        true => format!("slots and scratch take {} of {} on chip", bytes(m.on_chip), scaled(limit, "B")),
        false => format!("slots and scratch need {}, more than the {} on chip", bytes(m.on_chip), scaled(limit, "B")),
    };
    Section { title: format!("copies; {fits}"), rows, right: &[2, 4, 5, 6] }
}

fn slots(report: &Report, launch: &LaunchReport) -> Section {
    let advice = &launch.modelled.advice;
    let mut head = texts(&["slots"]);
    let mut times = texts(&["time"]);
    for choice in &advice.slots {
        head.push(choice.slots.to_string());
        times.push(if choice.fits { time(choice.time) } else { format!("{} (no room)", time(choice.time)) });
    }
    // JAX's lowering for TPUs refuses more than two in a `pallas_call`.
    let limit = if report.machine_of(launch).name.starts_with("TPU") {
        " (a pallas_call on TPU takes 1 or 2, emit_pipeline more)"
    } else {
        ""
    };
    let best = match advice.best_slots {
        Some(best) => format!("slots per operand; {best} would do{limit}"),
        None => "slots per operand; the blocks do not fit on chip".to_string(),
    };
    Section { title: best, rows: vec![head, times], right: &[1, 2, 3, 4, 5, 6, 7, 8] }
}

fn blocks(launch: &LaunchReport) -> Option<Section> {
    let choices = &launch.modelled.advice.blocks;
    let now = launch.modelled.time;
    let better: Vec<_> = choices.iter().filter(|choice| choice.time < now * 0.99).take(3).collect();
    if better.is_empty() {
        return None;
    }
    let mut rows = vec![texts(&["grid", "blocks", "time", "change", "bound", "on chip"])];
    for choice in better {
        let shape = |sizes: &Vec<usize>| {
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            format!("({})", sizes.join(", "))
        };
        let extents: Vec<String> = choice.grid.iter().map(usize::to_string).collect();
        let shapes: Vec<String> = launch
            .operands
            .iter()
            .zip(&choice.blocks)
            .filter(|(operand, _)| operand.role != "prefetch")
            .map(|(operand, sizes)| format!("{} {}", operand.name, shape(sizes)))
            .collect();
        rows.push(vec![
            extents.join("×"),
            shapes.join(", "),
            time(choice.time),
            super::super::comparison::share(choice.time / now - 1.0),
            choice.bound.clone(),
            bytes(choice.on_chip),
        ]);
    }
    let title = "blocks that would be faster, if the work stays the same".to_string();
    Some(Section { title, rows, right: &[2, 3, 5] })
}

fn lines(report: &Report, launch: &LaunchReport) -> Option<Section> {
    let lines = &launch.modelled.lines;
    if lines.is_empty() {
        return None;
    }
    let mut rows = vec![texts(&["place", "FLOPs", "share", ""])];
    for line in lines.iter().take(LINES) {
        let share = line.flops as f64 / launch.modelled.flops.max(1) as f64;
        rows.push(vec![at(report, line.place), flops(line.flops), percent(share), code(report, line.place)]);
    }
    Some(Section { title: format!("work by place{}", of(lines.len())), rows, right: &[1, 2] })
}

fn of(count: usize) -> String {
    if count > LINES { format!(", the first {LINES} of {count}") } else { String::new() }
}

/// The text at a place, its first line.
fn code(report: &Report, place: Place) -> String {
    let source = report.sources.iter().find(|source| source.file == place.file);
    let text = source.and_then(|source| source.text.get(place.start as usize..place.end as usize)).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    let short: String = first.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

fn measured(report: &Report, launch: &LaunchReport) -> Vec<Section> {
    let Some(m) = &launch.measured else { return Vec::new() };
    let whole = m.time.max(1.0);
    let mut rows = vec![texts(&["stage", "operand", "time", "share", "copies", "bytes"])];
    rows.push(vec![
        "compute".to_string(),
        String::new(),
        time(m.compute),
        percent(m.compute / whole),
        String::new(),
        String::new(),
    ]);
    for sum in &m.operands {
        rows.push(vec![
            sum.stage.name().to_string(),
            launch.operands.get(sum.operand).map_or(String::new(), |operand| operand.name.clone()),
            time(sum.time),
            percent(sum.time / whole),
            sum.copies.to_string(),
            bytes(sum.bytes),
        ]);
    }
    let runs = if m.runs == 1 { String::new() } else { format!(" in {} runs", m.runs) };
    let programs = crate::app::report::plural(usize::try_from(m.programs).unwrap_or(usize::MAX), "program");
    // A launch that was stopped, or that depends on data, has not run all of its programs.
    let all = (launch.programs as u64).saturating_mul(m.runs as u64);
    let part = if report.program.cancelled && m.programs < all { format!(" of {all}") } else { String::new() };
    let title = format!(
        "measured, {}: {}, {programs}{part}{runs}; the clock took about {}, `--timing off` runs without",
        m.device,
        time(m.time),
        time(m.overhead)
    );
    let mut sections = match &m.on_device {
        Some(device) => {
            let times = super::device::times(&m.device, m.time, device);
            let title = format!("measured, {times}; {programs}{part}{runs}");
            let about = super::device::section(launch, m, device);
            match device.notes() {
                true => {
                    let title = format!(
                        "{title}, stages of one lane on average, copies slot by slot; `--timing off` measures nothing"
                    );
                    vec![Section { title, rows, right: &[2, 3, 4, 5] }, about]
                }
                false => vec![Section { title: format!("{title}; {}", about.title), ..about }],
            }
        }
        None => vec![Section { title, rows, right: &[2, 3, 4, 5] }],
    };
    if !m.lines.is_empty() {
        let mut rows = vec![texts(&["place", "time", "share", ""])];
        for line in m.lines.iter().take(LINES) {
            let share = line.time / m.compute.max(1.0);
            rows.push(vec![at(report, line.place), time(line.time), percent(share), code(report, line.place)]);
        }
        let sampled = format!("measured in {} of {programs}", m.line_programs);
        sections.push(Section {
            title: format!("compute by place, {sampled}{}", of(m.lines.len())),
            rows,
            right: &[1, 2],
        });
    }
    sections
}

fn unknown(report: &Report, launch: &LaunchReport) -> Option<Section> {
    let unknown = &launch.modelled.unknown;
    if unknown.is_empty() {
        return None;
    }
    let mut rows = vec![texts(&["place", "what"])];
    for doubt in unknown {
        rows.push(vec![doubt.place.map_or(String::new(), |place| at(report, place)), doubt.what.clone()]);
    }
    Some(Section { title: "not known to the model".to_string(), rows, right: &[] })
}

/// What stands below all launches.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let mut notes = assumed(report);
    if report.program.cancelled {
        notes.push(format!("the program was stopped: {}", kept(report)));
    }
    notes.extend(report.left_out.iter().map(|left| left_out(report, left)));
    notes.extend(findings(report));
    notes
}

/// `99,936 more launches of add_kernel (kernel.py:34:10) are not listed: each differs from those that are`
pub(crate) fn left_out(report: &Report, left: &LeftOutReport) -> String {
    let launches = usize::try_from(left.launches).unwrap_or(usize::MAX);
    let (more, are) = if launches == 1 { ("more launch", "is") } else { ("more launches", "are") };
    let place = left.call.map_or_else(String::new, |place| format!(" ({})", at(report, place)));
    format!(
        "{} {more} of `{}`{place} {are} not listed, since each differs from the others: {} programs, {} in copies, {} in the \
         kernel; the first and the slowest are",
        crate::app::report::grouped(launches),
        left.kernel,
        crate::app::report::grouped(usize::try_from(left.programs).unwrap_or(usize::MAX)),
        time(left.copy_in + left.copy_out),
        time(left.compute)
    )
}

/// Numbers of the machines that nobody has published.
fn assumed(report: &Report) -> Vec<String> {
    let all = if report.machines.is_empty() { std::slice::from_ref(&report.machine) } else { &report.machines[..] };
    all.iter().flat_map(assumed_of).collect()
}

fn assumed_of(machine: &MachineReport) -> Vec<String> {
    let named = [
        ("latency", &machine.latency),
        ("bandwidth", &machine.bandwidth),
        ("rate of other operations", &machine.vector),
        ("memory on chip", &machine.on_chip),
    ];
    let mut notes: Vec<String> = named
        .iter()
        .filter(|(_, number)| !number.known)
        .map(|(name, number)| format!("{name} of {}: {}", machine.name, number.source))
        .collect();
    notes.extend(
        machine
            .matrix
            .iter()
            .filter(|rate| !rate.rate.known)
            .map(|rate| format!("rate of {} products on {}: {}", rate.dtype, machine.name, rate.rate.source)),
    );
    notes
}

/// What a program that was stopped has finished.
pub(crate) fn kept(report: &Report) -> String {
    let count = report.launches.iter().filter(|launch| launch.measured.is_some()).count();
    let partly = report.launches.iter().find_map(|launch| {
        let measured = launch.measured.as_ref()?;
        let all = (launch.programs as u64).saturating_mul(measured.runs as u64);
        let is_part = measured.programs < all && launch.dynamic.is_empty();
        is_part.then(|| format!(", of `{}` {} of {all} programs", launch.kernel, measured.programs))
    });
    match (count, report.launches.len()) {
        (_, 0) => "no launch had been reached".to_string(),
        (0, known) => format!("nothing was measured, {} modelled", crate::app::report::plural(known, "launch")),
        (count, _) => format!(
            "the report holds {} that ran{}",
            crate::app::report::plural(count, "launch"),
            partly.unwrap_or_default()
        ),
    }
}

/// What the findings come to.
fn findings(report: &Report) -> Option<String> {
    let count = |severity: &str| report.findings.iter().filter(|finding| finding.severity == severity).count();
    let words: Vec<String> = [("error", "error"), ("warning", "warning"), ("info", "note")]
        .iter()
        .map(|(severity, word)| (count(severity), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| crate::app::report::plural(count, word))
        .collect();
    (!words.is_empty()).then(|| format!("{}; `pallas-tui check` shows them", words.join(", ")))
}
