//! Inlay hints at launches: the grid and the shapes of blocks, where the program computes them. What is written out as numbers
//! needs none.

use crate::assumptions::assumption;
use crate::inlay_hints::{Hint, HintKind};
use crate::launches::tuple;
use pallas_engine::ir::BlockDim;
use pallas_engine::{Analysis, Launch, Span};

/// A place, and what it was in the launches that it bears on: values without repetition, in order.
struct Said<'a> {
    span: Span,
    values: Vec<String>,
    launch: &'a Launch,
}

/// The hints of all launches, in no order.
pub(crate) fn launch_hints(analysis: &Analysis) -> Vec<Hint> {
    let mut said: Vec<Said<'_>> = Vec::new();
    for launch in &analysis.launches {
        if let Some(span) = launch.spans.grid {
            say(analysis, &mut said, launch, span, || tuple(&launch.grid_words()));
        }
        for operand in &launch.operands {
            if let Some(span) = operand.spans.block_shape {
                say(analysis, &mut said, launch, span, || tuple(&operand.block.iter().map(dim).collect::<Vec<_>>()));
            }
        }
    }
    let hint = |said: Said<'_>| {
        let more = if said.values.len() > 1 { " | ..." } else { "" };
        let assumed = analysis.facts.get(said.launch.spans.call).filter(|fact| fact.assumed.is_some());
        let mark = if assumed.is_some() { "?" } else { "" };
        Hint {
            offset: analysis.place(said.span).end,
            label: format!(" = {}{more}{mark}", said.values.last().map_or("", String::as_str)),
            kind: HintKind::Launch,
            tooltip: assumed.and_then(|fact| assumption(analysis, fact)),
        }
    };
    said.into_iter().map(hint).collect()
}

fn say<'a>(
    analysis: &Analysis,
    said: &mut Vec<Said<'a>>,
    launch: &'a Launch,
    span: Span,
    value: impl FnOnce() -> String,
) {
    if !analysis.module.holds(span) || is_written_out(analysis.module.slice(span)) {
        return;
    }
    let value = value();
    match said.iter_mut().find(|known| known.span == span) {
        // The last stands at the end, as everywhere.
        Some(known) => {
            known.values.retain(|before| *before != value);
            known.values.push(value);
        }
        None => said.push(Said { span, values: vec![value], launch }),
    }
}

/// `(8, None, 128)`
fn is_written_out(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
    words.filter(|word| !word.is_empty()).all(|word| word == "None" || word.chars().all(|c| c.is_ascii_digit()))
        && !text.contains(['*', '/', '+', '-', '%'])
}

fn dim(dim: &BlockDim) -> String {
    match dim {
        BlockDim::Squeezed => "None".to_string(),
        _ => dim.size().to_string(),
    }
}
