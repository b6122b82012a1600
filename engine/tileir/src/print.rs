//! A module as text to read: an op a line in NVIDIA's words, regions indented, and the Pallas line that each part comes from.
//! NVIDIA's own reader of text has no promise to stay; bytecode is what is compiled.

use crate::Program;
use cutile_ir::ir::{Attribute, Module, OpId, RegionId, ScalarType, TileElementType, Type, Value, ValueProducer};
use pallas_syntax::Span;
use std::collections::HashMap;
use std::fmt::Write;

struct Printer<'a> {
    program: &'a Program,
    module: &'a Module,
    place: &'a dyn Fn(Span) -> String,
    results: HashMap<OpId, Vec<Value>>,
    names: HashMap<Value, String>,
    text: String,
    last: String,
}

/// The text of a program.
pub(crate) fn module(program: &Program, place: &dyn Fn(Span) -> String) -> String {
    let module = &program.module;
    let mut results: HashMap<OpId, Vec<Value>> = HashMap::new();
    for (value, data) in module.values_since(0) {
        if let ValueProducer::OpResult { op, .. } = data.producer {
            results.entry(op).or_default().push(value);
        }
    }
    let mut printer =
        Printer { program, module, place, results, names: HashMap::new(), text: String::new(), last: String::new() };
    let _ = writeln!(printer.text, "// {}: {} blocks", program.entry, program.blocks);
    let _ = writeln!(printer.text, "cuda_tile.module @{} {{", program.entry);
    for &entry in &module.functions {
        for &region in &module.op(entry).regions {
            let params = printer.params(region);
            let _ = writeln!(printer.text, "  entry @{}({params}) {{", program.entry);
            printer.region(region, 2);
            printer.text.push_str("  }\n");
        }
    }
    printer.text.push_str("}\n");
    printer.text
}

impl Printer<'_> {
    fn name(&mut self, value: Value) -> String {
        let next = self.names.len();
        self.names.entry(value).or_insert_with(|| format!("%{next}")).clone()
    }

    fn names(&mut self, values: &[Value]) -> String {
        let names: Vec<String> = values.iter().map(|&value| self.name(value)).collect();
        names.join(", ")
    }

    fn params(&mut self, region: RegionId) -> String {
        let module = self.module;
        let args = module.region(region).blocks.iter().flat_map(|&block| &module.block(block).args);
        let params: Vec<String> = args.map(|(value, ty)| format!("{}: {}", self.name(*value), words(ty))).collect();
        params.join(", ")
    }

    fn region(&mut self, region: RegionId, depth: usize) {
        let module = self.module;
        for &block in &module.region(region).blocks {
            for &op in &module.block(block).ops {
                self.op(op, depth);
            }
        }
    }

    fn op(&mut self, id: OpId, depth: usize) {
        let op = self.module.op(id);
        let indent = "  ".repeat(depth);
        let span = self.program.spans.get(&id).copied().unwrap_or_default();
        if span != Span::default() {
            let at = (self.place)(span);
            // Without the column: neighbours come from one line.
            let at = at.rsplit_once(':').map_or(at.as_str(), |(line, _)| line).to_string();
            if at != self.last {
                let _ = writeln!(self.text, "{indent}// {at}");
                self.last = at;
            }
        }
        let results = self.results.get(&id).cloned().unwrap_or_default();
        let left = if results.is_empty() { String::new() } else { format!("{} = ", self.names(&results)) };
        let operands = if op.operands.is_empty() { String::new() } else { format!(" {}", self.names(&op.operands)) };
        let attributes: String = op
            .attributes
            .iter()
            .filter(|(name, _)| name != "operandSegmentSizes")
            .filter_map(|(name, value)| attribute(name, value))
            .map(|words| format!(" {words}"))
            .collect();
        let types: Vec<String> = op.result_types.iter().map(words).collect();
        let types = if types.is_empty() { String::new() } else { format!(" : {}", types.join(", ")) };
        let _ = write!(self.text, "{indent}{left}{}{operands}{attributes}{types}", op.opcode.name());
        for (number, &region) in op.regions.iter().enumerate() {
            let params = self.params(region);
            let params = if params.is_empty() { params } else { format!(" ({params})") };
            let between = if number == 0 { "" } else { " else" };
            let _ = writeln!(self.text, "{between}{params} {{");
            self.region(region, depth + 1);
            let _ = write!(self.text, "{indent}}}");
        }
        self.text.push('\n');
    }
}

fn scalar(ty: ScalarType) -> String {
    format!("{ty:?}").to_lowercase()
}

fn extents(shape: &[i64]) -> String {
    shape.iter().map(|extent| format!("{extent}x")).collect()
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A type as the dialect writes it.
fn words(ty: &Type) -> String {
    match ty {
        Type::Tile(tile) => {
            let element = match &tile.element_type {
                TileElementType::Scalar(ty) => scalar(*ty),
                TileElementType::Pointer(pointer) => format!("ptr<{}>", scalar(pointer.pointee)),
            };
            format!("tile<{}{element}>", extents(&tile.shape))
        }
        Type::TensorView(view) => {
            let (shape, strides) = (extents(&view.shape), list(&view.strides));
            format!("tensor_view<{shape}{}, strides=[{strides}]>", scalar(view.element_type))
        }
        Type::PartitionView(view) => {
            let tile: Vec<String> = view.tile_shape.iter().map(ToString::to_string).collect();
            let padding = view
                .padding_value
                .map_or(String::new(), |value| format!(" padding_value = {},", format!("{value:?}").to_lowercase()));
            let array = words(&Type::TensorView(view.tensor_view.clone()));
            format!("partition_view<tile=({}),{padding} {array}>", tile.join("x"))
        }
        Type::Token => "token".to_string(),
        other => format!("{other:?}"),
    }
}

/// What an op says besides, where it is not what it usually is.
fn attribute(name: &str, value: &Attribute) -> Option<String> {
    let number = |value: &Attribute| if let Attribute::Integer(value, _) = value { Some(*value) } else { None };
    let word = |list: &[&str]| {
        number(value).and_then(|n| usize::try_from(n).ok()).and_then(|n| list.get(n).map(|w| w.to_string()))
    };
    match (name, value) {
        ("value", Attribute::DenseElements(elements)) => Some(format!("<{}>", dense(elements))),
        ("overflow", value) if number(value) == Some(0) => None,
        ("rounding_mode", value) if matches!(number(value), Some(0 | 5 | 6)) => None,
        ("rounding", _) => None,
        ("memory_ordering_semantics", _) => word(&["weak", "relaxed", "acquire", "release", "acq_rel"]),
        ("memory_scope", _) => word(&["tl_blk", "device", "sys"]),
        ("signedness", _) => word(&["unsigned", "signed"]),
        ("signedness_lhs", _) => word(&["unsigned", "signed"]),
        ("signedness_rhs", _) => word(&["unsigned", "signed"]),
        ("comparison_predicate", _) => {
            word(&["equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"])
        }
        ("comparison_ordering", _) => word(&["unordered", "ordered"]),
        ("mode", _) => word(&["and", "or", "xor", "add", "addf", "max", "min", "umax", "umin", "xchg"]),
        ("propagate_nan" | "reverse", Attribute::Bool(true)) => Some(name.to_string()),
        ("propagate_nan" | "reverse", _) => None,
        ("predicate", Attribute::DivBy(by)) => Some(format!("div_by<{}>", by.divisor)),
        ("permutation", Attribute::DenseI32Array(order)) => Some(format!("[{}]", list(order))),
        ("identities", Attribute::Array(values)) => {
            let values: Vec<String> = values.iter().map(plain).collect();
            Some(format!("identities=[{}]", values.join(", ")))
        }
        (name, value) => Some(format!("{name}={}", plain(value))),
    }
}

fn plain(value: &Attribute) -> String {
    match value {
        Attribute::Integer(value, Type::Scalar(ty)) => format!("{value} : {}", scalar(*ty)),
        Attribute::Float(value, Type::Scalar(ty)) => format!("{value:?} : {}", scalar(*ty)),
        Attribute::Bool(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

/// Numbers of a constant: one where all are the same, the first few where there are many.
fn dense(elements: &cutile_ir::ir::DenseElements) -> String {
    let Type::Tile(tile) = &elements.element_type else { return "?".to_string() };
    let TileElementType::Scalar(ty) = tile.element_type else { return "?".to_string() };
    let numbers = crate::run::value::numbers(ty, &elements.data);
    let shown: Vec<String> = numbers.iter().take(8).cloned().collect();
    let rest = if numbers.len() > shown.len() { ", ..." } else { "" };
    match shown.as_slice() {
        [one] => format!("{}: {one}", scalar(ty)),
        _ => format!("{}: [{}{rest}]", scalar(ty), shown.join(", ")),
    }
}
