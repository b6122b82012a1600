//! `einsum`: subscripts are parsed, operands contracted two at a time, each pair by one `dot_general` as in
//! jax/_src/numpy/einsum.py.

use super::call::{self, functions, result};
use super::compose;
use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::collections::BTreeMap;

functions! { JAX_ROWS NUMPY_ROWS
    "einsum" "(subscripts, /, *operands, out=None, optimize='auto', precision=None, preferred_element_type=None, _dot_general=None, out_sharding=None)" "Sums of products in the notation of Einstein." einsum;
}

/// A label of a dimension: a letter, or (above the letters) a dimension of an ellipsis counted from the end.
type Label = u32;

/// The label of dimension `index` from the end of an ellipsis.
fn ellipsis_label(index: usize) -> Label {
    0x0011_0000 + index as u32
}

/// An operand with its labels.
struct Term {
    tile: Tile,
    labels: Vec<Label>,
}

fn einsum(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [subscripts, operands, out, _optimize, precision, preferred, _dot, _sharding] = args.take();
    let _precision = crate::lax::precision::scope(cx.interp, &precision)?;
    call::refuse_out(cx, &out, "einsum")?;
    let operands = cx.interp.collect(&operands)?;
    let Value::Str(_) = subscripts else {
        return interleaved(cx, &subscripts, &operands, &preferred);
    };
    let text = cx.interp.to_str(&subscripts)?;
    let tiles = call::operands(cx, &operands, "einsum")?;
    let preferred = call::dtype(cx, &preferred)?;
    result(cx, einsum_of(cx, &text, &tiles, preferred)?)
}

/// `einsum(x, [0, 1], y, [1, 2], [0, 2])`
fn interleaved(cx: &Context<'_>, first: &Value, rest: &[Value], preferred: &Value) -> PyResult<Value> {
    let values: Vec<&Value> = std::iter::once(first).chain(rest).collect();
    let letters = |value: &Value| -> PyResult<String> {
        let mut text = String::new();
        for item in cx.interp.collect(value)? {
            if matches!(item, Value::Ellipsis) {
                text.push_str("...");
                continue;
            }
            let index = cx.interp.to_usize(&item)?;
            let letter = ('a'..='z').chain('A'..='Z').nth(index);
            text.push(letter.ok_or_else(|| cx.interp.value_error("subscript is not within the valid range [0, 52)"))?);
        }
        Ok(text)
    };
    let mut tiles = Vec::new();
    let mut inputs = Vec::new();
    for pair in values.chunks(2) {
        if let [operand, labels] = pair {
            tiles.push(call::operand_at(cx, operand, "einsum", tiles.len())?);
            inputs.push(letters(labels)?);
        }
    }
    let mut text = inputs.join(",");
    if let (1, Some(output)) = (values.len() % 2, values.last()) {
        text = format!("{text}->{}", letters(output)?);
    }
    let preferred = call::dtype(cx, preferred)?;
    result(cx, einsum_of(cx, &text, &tiles, preferred)?)
}

/// `einsum` of subscripts and tiles.
///
/// # Errors
/// `ValueError` for malformed subscripts and for extents that differ, in the words of opt_einsum.
pub fn einsum_of(cx: &Context<'_>, subscripts: &str, tiles: &[Tile], preferred: Option<DType>) -> PyResult<Tile> {
    let text: String = subscripts.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (&*text, None),
    };
    let inputs: Vec<&str> = inputs.split(',').collect();
    if inputs.len() != tiles.len() {
        return Err(cx.interp.value_error(format!(
            "Number of einsum subscripts, {}, must be equal to the number of operands, {}.",
            inputs.len(),
            tiles.len()
        )));
    }
    let mut terms = Vec::new();
    for (position, (input, tile)) in inputs.iter().zip(tiles).enumerate() {
        let labels = labels_of(cx, input, tile.rank(), position, tile)?;
        terms.push(Term { tile: tile.clone(), labels });
    }
    let widest = terms.iter().flat_map(|term| &term.labels).filter(|&&label| label >= ellipsis_label(0)).max().copied();
    let output = output_labels(cx, output, &terms, widest)?;
    check_extents(cx, &terms)?;
    let types: Vec<&Tile> = tiles.iter().collect();
    let promoted = convert::promote_factors(cx, &types, preferred.is_some())?;
    let (dtype, weak) = promoted.first().map_or((DType::F32, false), |tile| (tile.dtype(), tile.weak()));
    let target = preferred.unwrap_or(dtype);
    let mut terms = terms
        .into_iter()
        .map(|term| match preferred {
            Some(_) => Ok(term),
            None => Ok(Term { tile: p::convert(cx, &term.tile, dtype, false)?, labels: term.labels }),
        })
        .collect::<PyResult<Vec<_>>>()?;
    while terms.len() > 1 {
        let (left, right) = next_pair(&terms, &output);
        let second = terms.remove(right);
        let first = terms.remove(left);
        let mut wanted: Vec<Label> = output.clone();
        wanted.extend(terms.iter().flat_map(|term| term.labels.iter().copied()));
        terms.push(contract(cx, first, second, &wanted, &output, target, terms.is_empty())?);
    }
    let Some(term) = terms.pop() else { return Err(cx.interp.value_error("No input operands")) };
    let term = reduce_term(cx, term, &output, target)?;
    let tile = arrange(cx, &term, &output)?;
    p::convert(cx, &tile, target, weak && preferred.is_none())
}

/// The labels of one operand.
fn labels_of(cx: &Context<'_>, input: &str, rank: usize, position: usize, tile: &Tile) -> PyResult<Vec<Label>> {
    let letters = input.replace("...", "").chars().count();
    let has_ellipsis = input.contains("...");
    if letters > rank || (!has_ellipsis && letters != rank) {
        return Err(cx.interp.value_error(format!(
            "Einstein sum subscript '{input}' does not contain the correct number of indices for operand {position}."
        )));
    }
    let mut labels = Vec::new();
    let mut rest = input;
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            let count = rank - letters;
            labels.extend((0..count).rev().map(ellipsis_label));
            rest = after;
            continue;
        }
        if !letter.is_alphabetic() {
            return Err(cx.interp.value_error(format!("Character '{letter}' is not a valid symbol.")));
        }
        labels.push(letter as Label);
        rest = &rest[letter.len_utf8()..];
    }
    debug_assert_eq!(labels.len(), tile.rank());
    Ok(labels)
}

/// The labels of the result: as written, or those that occur once in alphabetical order.
fn output_labels(
    cx: &Context<'_>,
    output: Option<&str>,
    terms: &[Term],
    widest: Option<Label>,
) -> PyResult<Vec<Label>> {
    let ellipsis: Vec<Label> = match widest {
        Some(last) => (ellipsis_label(0)..=last).rev().collect(),
        None => Vec::new(),
    };
    let mut counts: BTreeMap<Label, usize> = BTreeMap::new();
    for label in terms.iter().flat_map(|term| &term.labels) {
        *counts.entry(*label).or_default() += 1;
    }
    let Some(output) = output else {
        let once = counts.iter().filter(|(label, count)| **label < ellipsis_label(0) && **count == 1);
        return Ok(ellipsis.into_iter().chain(once.map(|(&label, _)| label)).collect());
    };
    let mut labels = Vec::new();
    let mut rest = output;
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            labels.extend(&ellipsis);
            rest = after;
            continue;
        }
        if !counts.contains_key(&(letter as Label)) {
            return Err(cx.interp.value_error(format!("Output character '{letter}' did not appear in the input")));
        }
        if labels.contains(&(letter as Label)) {
            return Err(cx
                .interp
                .value_error(format!("Output character '{letter}' appeared more than once in the output.")));
        }
        labels.push(letter as Label);
        rest = &rest[letter.len_utf8()..];
    }
    Ok(labels)
}

/// A label's extent must be the same everywhere, or 1.
fn check_extents(cx: &Context<'_>, terms: &[Term]) -> PyResult<()> {
    let mut extents: BTreeMap<Label, usize> = BTreeMap::new();
    for (position, term) in terms.iter().enumerate() {
        for (&label, &extent) in term.labels.iter().zip(term.tile.shape().iter()) {
            let known = extents.entry(label).or_insert(extent);
            if *known == 1 {
                *known = extent;
            } else if extent != 1 && extent != *known {
                let name = char::from_u32(label).map_or_else(|| "...".to_string(), String::from);
                let known = *known;
                return Err(cx.interp.error_with(
                    &cx.interp.types().value_error,
                    format!(
                        "Size of label '{name}' for operand {position} ({known}) does not match previous terms ({extent})."
                    ),
                    pallas_python::Diagnosis { code: "PL303", ..Default::default() },
                ));
            }
        }
    }
    Ok(())
}

/// Which two operands to contract next: the pair whose result is smallest.
fn next_pair(terms: &[Term], output: &[Label]) -> (usize, usize) {
    let mut best = (0, 1, u128::MAX);
    for left in 0..terms.len() {
        for right in left + 1..terms.len() {
            let kept = |label: &Label| {
                output.contains(label)
                    || terms
                        .iter()
                        .enumerate()
                        .any(|(other, term)| other != left && other != right && term.labels.contains(label))
            };
            let mut extents: BTreeMap<Label, usize> = BTreeMap::new();
            for term in [&terms[left], &terms[right]] {
                for (&label, &extent) in term.labels.iter().zip(term.tile.shape().iter()) {
                    let known = extents.entry(label).or_insert(1);
                    *known = (*known).max(extent);
                }
            }
            let size: u128 =
                extents.iter().filter(|(label, _)| kept(label)).map(|(_, &extent)| extent as u128).product();
            if size < best.2 {
                best = (left, right, size);
            }
        }
    }
    (best.0, best.1)
}

/// Sums out labels that nobody wants, and takes diagonals of labels that occur twice.
fn reduce_term(cx: &Context<'_>, term: Term, wanted: &[Label], target: DType) -> PyResult<Term> {
    let Term { mut tile, mut labels } = term;
    // Repeated labels: keep only elements on the diagonal, then sum over all but the last of the equal axes.
    while let Some(label) = labels.iter().copied().find(|label| labels.iter().filter(|l| *l == label).count() > 1) {
        let axes: Vec<usize> = (0..labels.len()).filter(|&axis| labels[axis] == label).collect();
        let (first, second) = (axes[0], axes[1]);
        let row = p::iota(cx, DType::I32, tile.shape(), first)?;
        let column = p::iota(cx, DType::I32, tile.shape(), second)?;
        let diagonal = p::binary(cx, &ops::EQ, &row, &column)?;
        tile = compose::or_constant(cx, &diagonal, &tile, 0.0)?;
        tile = sum_out(cx, &tile, &[first], target)?;
        labels.remove(first);
    }
    let gone: Vec<usize> = (0..labels.len()).filter(|&axis| !wanted.contains(&labels[axis])).collect();
    if !gone.is_empty() {
        tile = sum_out(cx, &tile, &gone, target)?;
        labels = labels.iter().enumerate().filter(|(axis, _)| !gone.contains(axis)).map(|(_, &label)| label).collect();
    }
    Ok(Term { tile, labels })
}

fn sum_out(cx: &Context<'_>, x: &Tile, axes: &[usize], target: DType) -> PyResult<Tile> {
    let zero = p::scalar(target, pallas_tensor::Scalar::Int(0));
    let wider = convert::common_dtype_freely(cx, &[x, &zero])?;
    let x = if wider == x.dtype() { x.clone() } else { p::convert(cx, x, target, false)? };
    let op = if x.dtype() == DType::Bool { &ops::REDUCE_OR } else { &ops::REDUCE_SUM };
    p::reduce(cx, op, &x, axes)
}

/// Contracts two operands by one `dot_general`.
fn contract(
    cx: &Context<'_>,
    left: Term,
    right: Term,
    wanted: &[Label],
    output: &[Label],
    target: DType,
    last: bool,
) -> PyResult<Term> {
    // Extents of 1 that the other operand stretches go away first.
    let left = drop_singletons(cx, left, &right)?;
    let right = drop_singletons(cx, right, &left)?;
    let needed = |other: &Term| -> Vec<Label> { wanted.iter().chain(&other.labels).copied().collect() };
    let (for_left, for_right) = (needed(&right), needed(&left));
    let left = reduce_term(cx, left, &for_left, target)?;
    let right = reduce_term(cx, right, &for_right, target)?;
    let place = |term: &Term, label: &Label| term.labels.iter().position(|l| l == label).unwrap_or(0);
    let shared: Vec<Label> = left.labels.iter().copied().filter(|label| right.labels.contains(label)).collect();
    let mut batch: Vec<Label> = output.iter().copied().filter(|label| shared.contains(label)).collect();
    batch.extend(shared.iter().copied().filter(|label| wanted.contains(label) && !output.contains(label)));
    let summed: Vec<Label> = {
        let mut summed: Vec<Label> = shared.iter().copied().filter(|label| !batch.contains(label)).collect();
        summed.sort_unstable();
        summed
    };
    let free = |term: &Term| -> Vec<Label> { term.labels.iter().copied().filter(|l| !shared.contains(l)).collect() };
    let axes = |term: &Term, labels: &[Label]| labels.iter().map(|label| place(term, label)).collect::<Vec<_>>();
    let swapped: Vec<Label> = batch.iter().copied().chain(free(&right)).chain(free(&left)).collect();
    // As in JAX: swap the operands where that puts the result in order at once.
    let (left, right) = if last && swapped == output { (right, left) } else { (left, right) };
    let labels: Vec<Label> = batch.iter().copied().chain(free(&left)).chain(free(&right)).collect();
    let tile = p::dot_general(
        cx,
        &left.tile,
        &right.tile,
        (&axes(&left, &summed), &axes(&right, &summed)),
        (&axes(&left, &batch), &axes(&right, &batch)),
        target,
    )?;
    Ok(Term { tile, labels })
}

/// Drops dimensions of 1 whose label has a larger extent in the other operand.
fn drop_singletons(cx: &Context<'_>, term: Term, other: &Term) -> PyResult<Term> {
    let stretched = |axis: usize| {
        term.tile.shape()[axis] == 1
            && other
                .labels
                .iter()
                .zip(other.tile.shape().iter())
                .any(|(&label, &extent)| label == term.labels[axis] && extent != 1)
    };
    let gone: Vec<usize> = (0..term.labels.len()).filter(|&axis| stretched(axis)).collect();
    let tile = p::squeeze(cx, &term.tile, &gone)?;
    let labels = term.labels.iter().enumerate().filter(|(axis, _)| !gone.contains(axis)).map(|(_, &l)| l).collect();
    Ok(Term { tile, labels })
}

/// The dimensions in the order of the output.
fn arrange(cx: &Context<'_>, term: &Term, output: &[Label]) -> PyResult<Tile> {
    let order: Vec<usize> = output.iter().filter_map(|label| term.labels.iter().position(|l| l == label)).collect();
    if order.len() == term.labels.len() {
        return p::transpose(cx, &term.tile, &order);
    }
    Err(cx.interp.value_error("einsum lost a dimension"))
}
