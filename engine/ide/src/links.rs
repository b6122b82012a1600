//! What only Pallas connects: a kernel's parameter with its `BlockSpec` and its operand, an axis of the grid with the
//! `program_id` calls and the parameters of index maps that stand for it, a finding with the grid of its launch.
//!
//! Where other language servers know places of their own (a name and its uses) these are further ones, and are told apart by
//! [`Links::is_name`]: an editor that asks only one server must ask that one.

use crate::locate::name_span;
use crate::walk;
use pallas_engine::syntax::ast::{Arg, Constant, Expr, ExprKind, FunctionDef, StmtKind};
use pallas_engine::syntax::visit;
use pallas_engine::{Analysis, Launch, Span};

/// Places that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// What the cursor is on.
    pub here: Span,
    /// Whether that is a name, so that other language servers have something to say of it.
    pub is_name: bool,
    /// The place that the others follow from: the `BlockSpec` of a parameter, the extent of an axis in the grid.
    pub origin: Option<Span>,
    /// All of them in order, the one at the cursor included.
    pub places: Vec<Span>,
}

/// What belongs to the place at a byte offset.
pub fn links(analysis: &Analysis, offset: u32) -> Option<Links> {
    if !analysis.speaks_of_jax() {
        return None;
    }
    let (file, offset) = analysis.module.piece_at(offset);
    let mut groups: Vec<Group> = Vec::new();
    for launch in analysis.launches.iter().filter(|launch| analysis.module.holds(launch.spans.call)) {
        operands(analysis, launch, &mut groups);
        axes(analysis, launch, &mut groups);
    }
    let is_here = |place: &&Span| place.file == file && place.touches(offset);
    findings(analysis, &mut groups);
    // The narrowest place decides: an extent lies in the grid, a spec in a list.
    let narrowest = groups
        .iter()
        .flat_map(|group| group.places.iter().filter(is_here))
        .min_by_key(|place| place.end - place.start)?;
    let here = *narrowest;
    let mut origin = None;
    let mut places: Vec<Span> = Vec::new();
    for group in groups.iter().filter(|group| group.places.contains(&here)) {
        origin = origin.or(group.origin);
        places.extend(&group.places);
    }
    let text = analysis.module.slice(here);
    let is_name = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    // From here on they are places in the file itself.
    let place = |span| analysis.module.place(span);
    let mut places: Vec<Span> = places.into_iter().map(place).collect();
    places.sort();
    places.dedup();
    (places.len() > 1).then_some(Links { here: place(here), is_name, origin: origin.map(place), places })
}

struct Group {
    origin: Option<Span>,
    places: Vec<Span>,
}

impl Group {
    fn new(analysis: &Analysis, origin: Option<Span>, places: impl IntoIterator<Item = Span>) -> Group {
        let here = |span: &Span| analysis.module.holds(*span);
        Group { origin: origin.filter(here), places: places.into_iter().filter(here).collect() }
    }
}

fn operands(analysis: &Analysis, launch: &Launch, groups: &mut Vec<Group>) {
    let applied = call_at(analysis, launch.spans.apply);
    for (number, operand) in launch.operands.iter().enumerate() {
        // The parameter's span covers its annotation; its name is what people point at.
        let parameter =
            operand.spans.parameter.map(|span| Span { end: span.start + operand.name.len() as u32, ..span });
        let spec = operand.spans.spec.map(|span| head(analysis, span));
        // Arguments are operands one for one where none of them is a tree or starred.
        let argument = applied.filter(|args| is_flat(args, launch)).and_then(|args| match args.get(number)? {
            Arg::Positional(value) => Some(value.span),
            _ => None,
        });
        groups.push(Group::new(analysis, spec, parameter.into_iter().chain(spec).chain(argument)));
    }
}

/// What is wrong with a launch, and the grid whose programs it is wrong for: from a finding to its programs, and from the
/// grid to all findings. A finding belongs to a launch if it stands in a part of it.
fn findings(analysis: &Analysis, groups: &mut Vec<Group>) {
    if analysis.findings.is_empty() {
        return;
    }
    for launch in analysis.launches.iter().filter(|launch| analysis.module.holds(launch.spans.call)) {
        let places = launch.places();
        let belongs = |span: Span| places.iter().any(|place| place.covers(span));
        let programs = launch.spans.grid.unwrap_or_else(|| head(analysis, launch.spans.call));
        let wrong: Vec<Span> =
            analysis.findings.iter().map(|finding| finding.span).filter(|span| belongs(*span)).collect();
        if !wrong.is_empty() {
            groups.push(Group::new(analysis, Some(programs), wrong.into_iter().chain([programs])));
        }
    }
}

/// Whether a launch has one operand for each argument.
fn is_flat(args: &[Arg], launch: &Launch) -> bool {
    let taken = launch.operands.iter().filter(|operand| operand.role != pallas_engine::Role::Output).count();
    args.len() == taken && args.iter().all(|arg| matches!(arg, Arg::Positional(_)))
}

/// `pl.BlockSpec` of `pl.BlockSpec((8, 128), ...)`: a place to point at that does not cover its arguments.
fn head(analysis: &Analysis, call: Span) -> Span {
    let text = analysis.module.slice(call);
    let end = text.find('(').unwrap_or(text.len());
    Span { end: call.start + end as u32, ..call }
}

fn axes(analysis: &Analysis, launch: &Launch, groups: &mut Vec<Group>) {
    let extents: Vec<Span> =
        launch.spans.grid.and_then(|grid| expression(analysis, grid)).map_or(Vec::new(), |grid| match &grid.kind {
            ExprKind::Tuple(extents) | ExprKind::List(extents) => extents.iter().map(|extent| extent.span).collect(),
            _ => vec![grid.span],
        });
    let mut questions: Vec<(usize, Span)> = Vec::new();
    walk::functions(&analysis.module.body, &mut |def| {
        if launch.spans.kernel == Some(def.name_span) {
            program_ids(def, &mut questions);
        }
    });
    let mut maps: Vec<Span> = launch.operands.iter().filter_map(|operand| operand.spans.index_map).collect();
    maps.dedup();
    for axis in 0..launch.grid.len() {
        let extent = extents.get(axis).copied().filter(|_| extents.len() == launch.grid.len());
        let asked = questions.iter().filter(|(asked, _)| *asked == axis).map(|(_, span)| *span);
        let parameters = maps.iter().filter_map(|map| match &expression(analysis, *map)?.kind {
            ExprKind::Lambda(lambda) => lambda.params.positional.get(axis).map(name_span),
            _ => None,
        });
        let places: Vec<Span> = extent.into_iter().chain(asked).chain(parameters).collect();
        groups.push(Group::new(analysis, extent, places));
    }
}

/// The axes that `program_id(0)` and `num_programs(0)` in a kernel name.
fn program_ids(def: &FunctionDef, found: &mut Vec<(usize, Span)>) {
    each_expression(&def.body, &mut |expr| {
        let ExprKind::Call { function, args } = &expr.kind else { return };
        let (ExprKind::Attribute { name, .. } | ExprKind::Name(name)) = &function.kind else { return };
        if !matches!(&**name, "program_id" | "num_programs") {
            return;
        }
        if let Some(axis) = args.first().map(visit::argument)
            && let ExprKind::Constant(Constant::Int(number)) = axis.kind
            && let Ok(number) = usize::try_from(number)
        {
            found.push((number, axis.span));
        }
    });
}

fn call_at(analysis: &Analysis, span: Span) -> Option<&[Arg]> {
    match &expression(analysis, span)?.kind {
        ExprKind::Call { args, .. } => Some(args),
        _ => None,
    }
}

/// The outermost expression of exactly this span.
fn expression(analysis: &Analysis, span: Span) -> Option<&Expr> {
    let mut found = None;
    each_expression(&analysis.module.body, &mut |expr| {
        if found.is_none() && expr.span == span {
            found = Some(expr);
        }
    });
    found
}

fn each_expression<'a>(body: &'a [pallas_engine::syntax::ast::Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    fn inside<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
        visit(expr);
        visit::inside(expr, &mut |child| inside(child, visit));
    }
    for statement in body {
        visit::expressions(statement, &mut |expr| inside(expr, visit));
        match &statement.kind {
            StmtKind::FunctionDef(def) => each_expression(&def.body, visit),
            StmtKind::ClassDef(class) => each_expression(&class.body, visit),
            _ => visit::blocks(statement, &mut |block| each_expression(block, visit)),
        }
    }
}
