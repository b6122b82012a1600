//! Prints functions. Parameters keep their Python names, other values are numbered in the order of definition.

use super::element::{float, write_data};
use super::lex::is_name;
use super::pipeline::write_pipeline;
use super::print_launch::write_launch;
use crate::attribute::{Attribute, DimIndex, Position};
use crate::function::{Function, OpData, OpId, RegionId, ValueId};
use crate::op::{MemoryOp, OpKind};
use std::collections::HashSet;
use std::fmt::Write;

/// A function as text, without a final line break.
pub fn print_function(function: &Function) -> String {
    let mut out = String::new();
    out.push_str("func ");
    write_function(&mut out, function, 0);
    out
}

/// `@name(parameters) { ... }`.
pub(super) fn write_function(out: &mut String, function: &Function, indent: usize) {
    let mut printer = Printer { function, names: names(function), out };
    write_symbol(printer.out, &function.name);
    printer.params(function.body);
    printer.out.push(' ');
    printer.body(function.body, indent);
}

/// `@name`, quoted if it is not a plain name.
pub(super) fn write_symbol(out: &mut String, name: &str) {
    if !name.is_empty() && name.chars().all(is_name) {
        let _ = write!(out, "@{name}");
    } else {
        let _ = write!(out, "@{name:?}");
    }
}

/// A line break and indentation.
pub(super) fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", indent));
}

/// Unique names of all values.
fn names(function: &Function) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names: Vec<String> = vec![String::new(); function.values.len()];
    let mut unnamed = Vec::new();
    for (index, value) in function.values.iter().enumerate() {
        let wish: String =
            value.name.iter().flat_map(|name| name.chars()).map(|c| if is_name(c) { c } else { '_' }).collect();
        if wish.is_empty() || wish.starts_with(|c: char| c.is_ascii_digit()) {
            unnamed.push(index);
            continue;
        }
        let mut name = wish.clone();
        let mut suffix = 1;
        while !taken.insert(name.clone()) {
            name = format!("{wish}_{suffix}");
            suffix += 1;
        }
        names[index] = name;
    }
    // Numbers in the order in which a reader meets the values.
    let mut order = Vec::new();
    visit(function, function.body, &mut order, 0);
    order.extend(unnamed.iter().map(|&index| ValueId(index as u32)));
    let mut next = 0;
    for value in order {
        if let Some(name) = names.get_mut(value.0 as usize)
            && name.is_empty()
        {
            *name = next.to_string();
            next += 1;
        }
    }
    names
}

/// Regions nest at most this deep in a text; the verifier refuses deeper ones.
pub(super) const DEPTH: usize = 200;

fn visit(function: &Function, region: RegionId, order: &mut Vec<ValueId>, depth: usize) {
    let Some(region) = function.regions.get(region.0 as usize) else {
        return;
    };
    if depth > DEPTH {
        return;
    }
    order.extend(&region.params);
    for op in &region.ops {
        if let Some(op) = function.ops.get(op.0 as usize) {
            order.extend(&op.results);
            for &inner in &op.regions {
                visit(function, inner, order, depth + 1);
            }
        }
    }
}

struct Printer<'a> {
    function: &'a Function,
    names: Vec<String>,
    out: &'a mut String,
}

impl Printer<'_> {
    fn value(&mut self, value: ValueId) {
        match self.names.get(value.0 as usize) {
            Some(name) => {
                let _ = write!(self.out, "%{name}");
            }
            None => {
                let _ = write!(self.out, "%?{}", value.0);
            }
        }
    }

    fn values(&mut self, values: &[ValueId]) {
        for (index, &value) in values.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.value(value);
        }
    }

    fn params(&mut self, region: RegionId) {
        self.out.push('(');
        let function = self.function;
        if let Some(region) = function.regions.get(region.0 as usize) {
            for (index, &param) in region.params.iter().enumerate() {
                if index > 0 {
                    self.out.push_str(", ");
                }
                self.value(param);
                if let Some(value) = function.values.get(param.0 as usize) {
                    let _ = write!(self.out, ": {}", value.ty);
                }
            }
        }
        self.out.push(')');
    }

    /// `{ ... }`, on one line if there are no ops.
    fn body(&mut self, region: RegionId, indent: usize) {
        let function = self.function;
        let Some(data) = function.regions.get(region.0 as usize) else {
            self.out.push_str("{ }");
            return;
        };
        if indent > DEPTH {
            self.out.push_str("{ }");
            return;
        }
        self.out.push('{');
        let short = data.ops.is_empty();
        for &op in &data.ops {
            new_line(self.out, indent + 1);
            self.op(op, indent + 1);
        }
        if !data.yields.is_empty() {
            match short {
                true => self.out.push(' '),
                false => new_line(self.out, indent + 1),
            }
            self.out.push_str("yield ");
            self.values(&data.yields);
        }
        match short {
            true => self.out.push_str(" }"),
            false => {
                new_line(self.out, indent);
                self.out.push('}');
            }
        }
    }

    fn op(&mut self, id: OpId, indent: usize) {
        let function = self.function;
        let Some(op) = function.ops.get(id.0 as usize) else {
            let _ = write!(self.out, "// no op {}", id.0);
            return;
        };
        if !op.results.is_empty() {
            self.values(&op.results);
            self.out.push_str(" = ");
        }
        self.out.push_str(op.op.name);
        match (&op.op.kind, op.attributes.index()) {
            (OpKind::Memory(kind), Some(_)) => self.access(op, *kind),
            _ if !op.operands.is_empty() => {
                self.out.push(' ');
                self.values(&op.operands);
            }
            _ => {}
        }
        self.attributes(op, indent);
        for &region in &op.regions {
            self.out.push(' ');
            let has_params = function.regions.get(region.0 as usize).is_some_and(|region| !region.params.is_empty());
            if has_params {
                self.params(region);
                self.out.push(' ');
            }
            self.body(region, indent);
        }
        for (index, &result) in op.results.iter().enumerate() {
            self.out.push_str(if index == 0 { " : " } else { ", " });
            if let Some(value) = function.values.get(result.0 as usize) {
                let _ = write!(self.out, "{}", value.ty);
            }
        }
    }

    /// `%ref[...], %value mask %m other %o`.
    fn access(&mut self, op: &OpData, kind: MemoryOp) {
        let Some(pattern) = op.attributes.index() else {
            return;
        };
        let writes = matches!(kind, MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic);
        let mut operands = op.operands.iter().copied();
        let shape: Vec<usize> = op
            .operands
            .first()
            .and_then(|r| self.function.values.get(r.0 as usize))
            .map(|value| value.ty.shape().to_vec())
            .unwrap_or_default();
        self.out.push(' ');
        if let Some(reference) = operands.next() {
            self.value(reference);
        }
        let value = if writes { operands.next() } else { None };
        self.out.push('[');
        for (axis, dimension) in pattern.0.iter().enumerate() {
            if axis > 0 {
                self.out.push_str(", ");
            }
            self.dimension(dimension, shape.get(axis).copied(), &mut operands);
        }
        self.out.push(']');
        if let Some(value) = value {
            self.out.push_str(", ");
            self.value(value);
        }
        for (flag, word) in [("masked", "mask"), ("other", "other")] {
            if op.attributes.flag(flag)
                && let Some(operand) = operands.next()
            {
                let _ = write!(self.out, " {word} ");
                self.value(operand);
            }
        }
        for operand in operands {
            self.out.push_str(", ");
            self.value(operand);
        }
    }

    fn dimension(&mut self, dimension: &DimIndex, whole: Option<usize>, operands: &mut impl Iterator<Item = ValueId>) {
        match *dimension {
            DimIndex::At(Position::Static(position)) => {
                let _ = write!(self.out, "{position}");
            }
            DimIndex::At(Position::Dynamic) => {
                if let Some(operand) = operands.next() {
                    self.value(operand);
                }
            }
            DimIndex::Array => {
                self.out.push('[');
                if let Some(operand) = operands.next() {
                    self.value(operand);
                }
                self.out.push(']');
            }
            DimIndex::Slice { start: Position::Static(0), size, stride: 1 } if Some(size) == whole => {
                self.out.push(':')
            }
            DimIndex::Slice { start: Position::Static(start), size, stride } => {
                let span = (size as i128 - 1).max(-1) * stride as i128 + 1;
                let end = i128::from(start) + span.max(0);
                let _ = write!(self.out, "{start}:{end}");
                if stride != 1 {
                    let _ = write!(self.out, ":{stride}");
                }
            }
            DimIndex::Slice { start: Position::Dynamic, size, stride } => {
                self.out.push_str("ds(");
                if let Some(operand) = operands.next() {
                    self.value(operand);
                }
                let _ = write!(self.out, ", {size}");
                if stride != 1 {
                    let _ = write!(self.out, ", {stride}");
                }
                self.out.push(')');
            }
            DimIndex::Part { start, bound } => {
                self.out.push_str("ds(");
                match start {
                    Position::Static(start) => {
                        let _ = write!(self.out, "{start}");
                    }
                    Position::Dynamic => {
                        if let Some(operand) = operands.next() {
                            self.value(operand);
                        }
                    }
                }
                self.out.push_str(", ");
                if let Some(operand) = operands.next() {
                    self.value(operand);
                }
                let _ = write!(self.out, " <= {bound})");
            }
        }
    }

    fn attributes(&mut self, op: &OpData, indent: usize) {
        let is_access = matches!(op.op.kind, OpKind::Memory(_)) && op.attributes.index().is_some();
        let is_constant = op.op.name == "constant";
        for (name, value) in &op.attributes.0 {
            match value {
                // The subscript says them.
                Attribute::Index(_) => continue,
                Attribute::Bool(_) if is_access && matches!(*name, "masked" | "other") => continue,
                // The result's type says it.
                Attribute::Bool(_) if is_constant && *name == "weak" => continue,
                Attribute::Array(array) if is_constant => {
                    self.out.push(' ');
                    write_data(self.out, array);
                    continue;
                }
                _ => {}
            }
            let _ = write!(self.out, " {name}=");
            self.attribute(value, indent);
        }
    }

    fn attribute(&mut self, value: &Attribute, indent: usize) {
        // Writing to a string does not fail.
        let _ = match value {
            Attribute::Int(value) => write!(self.out, "{value}"),
            Attribute::Ints(values) => write!(self.out, "{values:?}"),
            Attribute::IntLists(lists) => write!(self.out, "{lists:?}"),
            Attribute::Bool(value) => write!(self.out, "{value}"),
            Attribute::Float(value) => write!(self.out, "{}", float(*value, false)),
            Attribute::Str(text) => write!(self.out, "{text:?}"),
            Attribute::DType(dtype) => write!(self.out, "{}", dtype.short_name()),
            Attribute::Array(array) => {
                write_data(self.out, array);
                let ty = crate::TensorType::new(array.dtype(), array.shape().clone());
                write!(self.out, ": {ty}")
            }
            Attribute::Index(_) => Ok(()),
            Attribute::Launch(launch) => {
                write_launch(self.out, launch, indent);
                Ok(())
            }
            Attribute::Pipeline(pipeline) => {
                write_pipeline(self.out, pipeline);
                Ok(())
            }
        };
    }
}
