//! A function of the IR as the text of a jaxpr.

use super::document::Document;
use super::names::Names;
use super::parameters::{parameters, primitive};
use pallas_ir::{Function, OpData, OpId, RegionId, TensorType, Type, ValueId, ops};
use pallas_tensor::{Array, Scalar};
use std::collections::{HashMap, HashSet};

/// A function, read for printing.
pub(super) struct Jaxpr<'f> {
    function: &'f Function,
    /// Scalar constants: printed where they are used.
    literals: HashMap<ValueId, String>,
    /// Arrays that came from outside, in the order of their first use.
    pub(super) constants: Vec<(ValueId, Array)>,
    /// Values that are another one under a second name.
    same: Vec<(ValueId, ValueId)>,
    /// Operands that JAX's elementwise ops broadcast themselves: what stands for them.
    implicit: HashMap<ValueId, ValueId>,
    /// Broadcasts of which JAX does only the first half, dimensions of 1 in front: their types there.
    raised: HashMap<ValueId, TensorType>,
    used: HashSet<ValueId>,
}

impl<'f> Jaxpr<'f> {
    pub(super) fn new(function: &'f Function) -> Self {
        let mut jaxpr = Jaxpr {
            function,
            literals: HashMap::new(),
            constants: Vec::new(),
            same: Vec::new(),
            implicit: HashMap::new(),
            raised: HashMap::new(),
            used: HashSet::new(),
        };
        for op in &function.ops {
            jaxpr.used.extend(op.operands.iter().copied());
            if op.op.name == "constant" {
                jaxpr.constant(op);
            }
        }
        for region in &function.regions {
            jaxpr.used.extend(region.yields.iter().copied());
        }
        for op in &function.ops {
            if let Some((value, source)) = jaxpr.broadcast_within(op) {
                jaxpr.leave_to_users(value, source);
            }
        }
        jaxpr
    }

    fn constant(&mut self, op: &OpData) {
        let (Some(array), Some(&value)) = (op.attributes.array("value"), op.results.first()) else { return };
        if array.rank() == 0 {
            let ty = TensorType::scalar(array.dtype());
            self.literals.insert(value, format!("{}:{ty}", array.get(0).map_or_else(String::new, literal)));
            return;
        }
        match self.constants.iter().find(|(_, seen)| std::ptr::eq(seen.buffer(), array.buffer())) {
            Some((first, _)) => self.same.push((value, *first)),
            None => self.constants.push((value, array.clone())),
        }
    }

    /// A broadcast of equal rank, or of a scalar, is not shown; else its first half is, which makes the ranks equal.
    fn leave_to_users(&mut self, value: ValueId, source: ValueId) {
        let (to, from) = (self.function.ty(value).shape(), self.function.ty(source).shape());
        if from.is_empty() || from.len() == to.len() {
            self.implicit.insert(value, source);
            return;
        }
        let shape = std::iter::repeat_n(1, to.len() - from.len()).chain(from.iter().copied()).collect();
        let dtype = self.function.ty(value).dtype();
        self.raised.insert(value, TensorType { dtype, shape, weak: false });
    }

    /// The result and the operand of a broadcast that JAX leaves to the elementwise ops that take it: its expression is
    /// theirs, and only dimensions of 1 are stretched or a scalar is spread.
    fn broadcast_within(&self, op: &OpData) -> Option<(ValueId, ValueId)> {
        if op.op.name != "broadcast_in_dim" {
            return None;
        }
        let (value, source) = (*op.results.first()?, *op.operands.first()?);
        let (rank, full) = (self.function.ty(source).shape().len(), self.function.ty(value).shape().len());
        let aligned = (full - rank..full).map(|dim| dim as i64);
        if !op.attributes.ints("dims").unwrap_or_default().iter().copied().eq(aligned) {
            return None;
        }
        let takes = |user: &&OpData| user.operands.contains(&value);
        let mut users = self.function.ops.iter().filter(takes).peekable();
        users.peek()?;
        let fits = |user: &OpData| {
            ops::is_elementwise_binary(user.op)
                && user.location == op.location
                && user
                    .operands
                    .iter()
                    .any(|&other| other != value && self.function.ty(other).shape() == self.function.ty(value).shape())
        };
        users.all(fits).then_some((value, source))
    }

    /// The text of the whole function.
    pub(super) fn text(&self) -> String {
        let mut names = Names::default();
        let constants: Vec<String> = self.constants.iter().map(|(value, _)| self.binder(*value, &mut names)).collect();
        for (value, first) in &self.same {
            names.same(*value, *first);
        }
        self.region(self.function.body, &constants.join(" "), &mut names).format()
    }

    /// The text of one equation, under names of its own.
    pub(super) fn equation_text(&self, op: &OpData) -> String {
        self.equation(op, &mut Names::default()).format()
    }

    /// The ops that print as equations.
    pub(super) fn equations(&self) -> Vec<OpId> {
        let ops = self.function.region(self.function.body).ops.iter().copied();
        ops.filter(|&id| self.prints(self.function.op(id))).collect()
    }

    fn prints(&self, op: &OpData) -> bool {
        op.op.name != "constant" && !op.results.first().is_some_and(|value| self.implicit.contains_key(value))
    }

    fn region(&self, region: RegionId, constants: &str, names: &mut Names) -> Document {
        let region = self.function.region(region);
        let params: Vec<String> = region.params.iter().map(|&param| self.binder(param, names)).collect();
        let ops = region.ops.iter().map(|&id| self.function.op(id)).filter(|op| self.prints(op));
        let equations: Vec<Document> = ops.map(|op| self.equation(op, names)).collect();
        let yields: Vec<String> = region.yields.iter().map(|&value| self.operand(value, names)).collect();
        let yields = match &yields[..] {
            [one] => format!("({one},)"),
            several => format!("({})", several.join(", ")),
        };
        let head = match constants {
            "" => "{ lambda ; ".to_string(),
            constants => format!("{{ lambda {constants}; "),
        };
        let body = vec![Document::Break(" "), Document::separated(equations, "; ")];
        Document::group(vec![
            Document::text(format!("{head}{}. let", params.join(" "))),
            Document::nest(4, body),
            Document::nest(2, vec![Document::Break(" "), Document::text(format!("in {yields} }}"))]),
        ])
    }

    fn equation(&self, op: &OpData, names: &mut Names) -> Document {
        let results: Vec<String> = op
            .results
            .iter()
            .map(|&value| match self.used.contains(&value) {
                true => self.binder(value, names),
                false => format!("_:{}", plain(self.function.ty(value))),
            })
            .collect();
        let left = if results.is_empty() { String::new() } else { format!("{} = ", results.join(" ")) };
        let mut brackets: Vec<Document> =
            parameters(op).into_iter().map(|(name, value)| Document::text(format!("{name}={value}"))).collect();
        for &region in &op.regions {
            brackets.push(Document::Join(vec![Document::text("jaxpr="), self.region(region, "", names)]));
        }
        let mut parts = vec![Document::text(format!("{left}{}", primitive(op)))];
        if !brackets.is_empty() {
            parts.push(Document::group(vec![
                Document::text("["),
                Document::nest(2, vec![Document::Break(""), Document::separated(brackets, " ")]),
                Document::Break(""),
                Document::text("]"),
            ]));
        }
        let operands: Vec<String> = op.operands.iter().map(|&value| self.operand(value, names)).collect();
        parts.push(Document::text(format!(" {}", operands.join(" "))));
        Document::Join(parts)
    }

    fn binder(&self, value: ValueId, names: &mut Names) -> String {
        let name = names.of(value);
        match self.raised.get(&value) {
            Some(ty) => format!("{name}:{ty}"),
            None => format!("{name}:{}", plain(self.function.ty(value))),
        }
    }

    fn operand(&self, value: ValueId, names: &mut Names) -> String {
        let value = self.implicit.get(&value).copied().unwrap_or(value);
        match self.literals.get(&value) {
            Some(literal) => literal.clone(),
            None => names.of(value),
        }
    }
}

/// A type without its weakness, which jaxprs do not show.
fn plain(ty: &Type) -> String {
    match ty {
        Type::Tensor(ty) => TensorType { weak: false, ..ty.clone() }.to_string(),
        other => other.to_string(),
    }
}

/// A number as Python writes it.
fn literal(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(value) => if value { "True" } else { "False" }.to_string(),
        Scalar::Float(value) => pallas_tensor::print::python_float_repr(value),
        Scalar::Int(value) => value.to_string(),
        Scalar::Key([high, low]) => format!("[{high} {low}]"),
    }
}
