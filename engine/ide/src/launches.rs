//! Launches in words: the grid, the block that each operand gives a program, the range of a program id.

use pallas_engine::ir::{AxisSemantics, BlockMap};
use pallas_engine::syntax::ast::{Arg, Constant, Expr, ExprKind};
use pallas_engine::{Analysis, Launch, Operand, Role, Span};

/// More lines than this are counted instead of shown.
const MOST_LINES: usize = 8;

/// What a `pallas_call(...)`, its application, or the name of its kernel stands for: a list in Markdown.
pub(crate) fn launch(analysis: &Analysis, span: Span) -> Option<String> {
    let mine = |launch: &&&Launch| {
        launch.spans.call == span || launch.spans.apply == span || launch.spans.kernel == Some(span)
    };
    let launches: Vec<&Launch> = analysis.launches.iter().map(|launch| &**launch).collect();
    let mut lines = Vec::new();
    for launch in launches.iter().filter(mine) {
        let mut text = format!("grid `{}`{}", tuple(&launch.grid_words()), programs(launch));
        for operand in &launch.operands {
            text.push_str(&format!("\n- {}", operand_line(launch, operand)));
        }
        let parameters = launch.kernel.params().iter().skip(launch.operands.len());
        for (scratch, &parameter) in launch.scratch.iter().zip(parameters) {
            let ty = pallas_engine::ir::Type::Ref(scratch.clone());
            text.push_str(&match &launch.kernel.value(parameter).name {
                Some(name) => format!("\n- `{name}`, scratch: `{ty}`"),
                None => format!("\n- scratch `{ty}`"),
            });
        }
        // What is only taken for granted is said where it is shown: in the profile.
        let chosen = analysis.machines.of(launch);
        if chosen.said {
            text.push_str(&format!("\n- profiled on {}, because {}", chosen.machine.name, chosen.why));
        }
        if analysis.is_uncompiled(launch) {
            text.push_str(
                "\n- what a TPU's compiler refuses is not looked for: the setting `target` (`tpu-v5e`) says what it is compiled for",
            );
        }
        push(&mut lines, text);
    }
    joined(lines, "\n\n")
}

/// The operands that a `BlockSpec(...)` cuts.
pub(crate) fn block_spec(analysis: &Analysis, span: Span) -> Option<String> {
    drawn(analysis, |operand| operand.spans.spec == Some(span))
}

/// The operands that a parameter of a kernel takes.
pub(crate) fn parameter(analysis: &Analysis, span: Span) -> Option<String> {
    drawn(analysis, |operand| operand.spans.parameter == Some(span))
}

/// The operands in words; a single one with its blocks drawn.
fn drawn(analysis: &Analysis, wanted: impl Fn(&Operand) -> bool) -> Option<String> {
    let text = operands(analysis, &wanted)?;
    let all = analysis.launches.iter().flat_map(|launch| launch.operands.iter().map(move |operand| (launch, operand)));
    let mut drawings: Vec<String> = Vec::new();
    for (launch, operand) in all.filter(|(_, operand)| wanted(operand)) {
        if let Some(drawing) = crate::drawing::drawing(launch, operand) {
            push(&mut drawings, drawing);
        }
    }
    Some(match drawings.as_slice() {
        [drawing] => format!("{text}\n\n```text\n{drawing}\n```"),
        _ => text,
    })
}

/// The range of `program_id(axis)` or `num_programs(axis)`.
pub(crate) fn program_id(analysis: &Analysis, call: &Expr) -> Option<String> {
    let ExprKind::Call { function, args } = &call.kind else { return None };
    let name = match &function.kind {
        ExprKind::Attribute { name, .. } | ExprKind::Name(name) => name,
        _ => return None,
    };
    if !matches!(&**name, "program_id" | "num_programs") {
        return None;
    }
    let axis = match args.first()? {
        Arg::Positional(value) => value,
        Arg::Keyword(name, value, _) if &**name == "axis" => value,
        _ => return None,
    };
    let axis: usize = match &axis.kind {
        ExprKind::Constant(Constant::Int(axis)) => usize::try_from(*axis).ok()?,
        _ => analysis.facts.get(axis.span)?.value.as_ref()?.parse().ok()?,
    };
    let kernel = enclosing_kernel(analysis, call.span);
    let mut lines = Vec::new();
    for launch in analysis.launches.iter().filter(|l| kernel.is_none() || l.spans.kernel == kernel) {
        if let Some(extent) = launch.grid_words().get(axis) {
            // The same words as for a value that is computed from it.
            let what = match (&**name, extent.parse::<usize>()) {
                ("num_programs", _) => format!("`{extent}`"),
                (_, Ok(0 | 1)) => "`0`".to_string(),
                (_, Ok(extent)) => format!("`0` to `{}`", extent - 1),
                _ => format!("`0` to less than `{extent}`"),
            };
            push(&mut lines, format!("{what}: axis {axis} of grid `{}`", tuple(&launch.grid_words())));
        }
    }
    joined(lines, "\n\n")
}

/// The name of the kernel that a place is in; `None` if it is in none, and any kernel may lead there.
fn enclosing_kernel(analysis: &Analysis, span: Span) -> Option<Span> {
    let mut name = None;
    crate::walk::functions(&analysis.module.body, &mut |def| {
        if def.span.covers(span) && analysis.launches.iter().any(|launch| launch.spans.kernel == Some(def.name_span)) {
            name = Some(def.name_span);
        }
    });
    name
}

fn operands(analysis: &Analysis, wanted: &impl Fn(&Operand) -> bool) -> Option<String> {
    let mut lines = Vec::new();
    for launch in &analysis.launches {
        for operand in launch.operands.iter().filter(|operand| wanted(operand)) {
            push(&mut lines, format!("{}; grid `{}`", operand_line(launch, operand), tuple(&launch.grid_words())));
        }
    }
    joined(lines, "\n\n")
}

/// `x_ref`, input: blocks `(2,)` of `i32[8]`; program `(3,)` gets block `(3,)`
fn operand_line(launch: &Launch, operand: &Operand) -> String {
    let role = match operand.role {
        Role::Prefetch => "scalar prefetch",
        Role::Input => "input",
        Role::Output => "output",
    };
    let name = &operand.name;
    if operand.role == Role::Prefetch || operand.is_whole() {
        return format!("`{name}`, {role}: all of `{}`", operand.array);
    }
    let block = tuple(&operand.block.iter().map(|dim| dim.size()).collect::<Vec<_>>());
    let mut line = format!("`{name}`, {role}: blocks `{block}` of `{}`", operand.array);
    // The last program says most: where blocks run out, it shows there.
    let last: Option<Vec<usize>> = launch.grid.iter().map(|extent| extent.checked_sub(1)).collect();
    if let Some(last) = last
        && launch.dynamic.is_empty()
        && let Some(indices) = BlockMap::new(operand, launch.grid.len()).indices(&last)
    {
        line.push_str(&format!("; program `{}` gets block `{}`", tuple(&last), tuple(&indices)));
    } else if operand.index_map.is_some() && launch.dynamic.is_empty() && launch.programs() > 0 {
        line.push_str("; which block a program gets depends on data");
    }
    line
}

/// `: 8 programs`
pub(crate) fn programs(launch: &Launch) -> String {
    format!("{}{}", counted(launch), devices(launch))
}

/// `, axis 0 are 4 devices`: nobody has written that axis into the grid.
fn devices(launch: &Launch) -> String {
    let axes = launch.semantics.iter().zip(&launch.grid).enumerate();
    axes.filter(|(_, (_, extent))| **extent > 1)
        .filter_map(|(axis, (semantics, extent))| match semantics {
            AxisSemantics::Device => Some(format!(", axis {axis} the {extent} devices")),
            AxisSemantics::Core => Some(format!(", axis {axis} the {extent} cores")),
            AxisSemantics::Thread => Some(format!(", axis {axis} the {extent} threads")),
            _ => None,
        })
        .collect()
}

fn counted(launch: &Launch) -> String {
    if !launch.dynamic.is_empty() {
        return ": as many programs as the data say".to_string();
    }
    let count = launch.grid.iter().try_fold(1usize, |count, extent| count.checked_mul(*extent));
    match count {
        Some(1) => ": 1 program".to_string(),
        Some(count) => format!(": {count} programs"),
        None => String::new(),
    }
}

/// As Python writes it.
pub(crate) fn tuple<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    match items.as_slice() {
        [one] => format!("({one},)"),
        _ => format!("({})", items.join(", ")),
    }
}

/// Adds a line that is not there yet.
pub(crate) fn push(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}

fn joined(mut lines: Vec<String>, separator: &str) -> Option<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    (!lines.is_empty()).then(|| lines.join(separator))
}
