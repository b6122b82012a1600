//! Which tiles are dealt otherwise than by their shape, decided once for a whole kernel before any of it is lowered.
//!
//! Tiles that ops only combine element by element, that loops carry round, or that lie in one Ref, are best dealt alike: they are
//! a *class*. The sums of a product are dealt as the instruction leaves them ([`dot`](super::dot)), and their class with them.
//! What a reduction leaves, and what is stretched to a tile, is dealt as that tile is, without the axes that come and go; then
//! neither moves anything between threads. Nor does a part of what a product leaves, where it is a part of each thread's registers.

use super::dot;
use super::elementwise;
use super::rows::WholeRows;
use crate::layout::Layout;
use pallas_ir::op::MemoryOp;
use pallas_ir::{ControlOp, Function, OpData, OpKind, ValueId};
use std::collections::HashMap;

/// How tiles are dealt by their shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deal {
    /// Logarithm of the number of threads.
    pub(crate) threads: usize,
    /// Logarithm of how many neighbours a thread holds.
    pub(crate) vector: usize,
    /// Of the device: 80, 90.
    pub(crate) capability: u32,
    /// Products whose rows warps do not share.
    pub(crate) whole: WholeRows,
    /// Whether products may go by warpgroups.
    pub(crate) warpgroups: bool,
}

impl Deal {
    pub(crate) fn layout(self, shape: &[usize]) -> Layout {
        Layout::blocked(shape, self.threads, self.vector)
    }
}

/// Layouts by value.
pub(crate) type Anchors = HashMap<ValueId, Layout>;

/// How a layout follows from another.
enum Follows {
    /// Without these axes.
    Without(Vec<usize>),
    /// Without these axes, and then by this shape.
    Narrowed(Vec<usize>, Vec<usize>),
    /// A part of it.
    Cut,
}

/// Decides.
pub(crate) fn anchors(function: &Function, deal: Deal) -> Anchors {
    let mut classes = Classes::of(function);
    let mut layouts: HashMap<usize, Layout> = HashMap::new();
    for op in &function.ops {
        if let Some(layout) = dot::sums(function, op, deal) {
            layouts.entry(classes.find(op.results[0])).or_insert(layout);
        }
    }
    for (acc, layout) in function.ops.iter().filter_map(|op| super::products::accumulates(function, op)) {
        layouts.insert(classes.find(acc), layout);
    }
    for (tile, layout) in function.ops.iter().filter_map(|op| super::tensor::loads(function, op)) {
        layouts.entry(classes.find(tile)).or_insert(layout);
    }
    let follows: Vec<(ValueId, ValueId, Follows)> =
        function.ops.iter().flat_map(|op| followers(function, op)).collect();
    spread(&mut classes, &follows, &mut layouts, |_| None);
    // Sums along rows of tiles that are dealt by their shape. A part of those is dealt by its own.
    let follows: Vec<_> = follows.into_iter().filter(|(.., how)| !matches!(how, Follows::Cut)).collect();
    spread(&mut classes, &follows, &mut layouts, |shape| Some(deal.layout(shape)));
    let values = (0..function.values.len() as u32).map(ValueId);
    values.filter_map(|value| Some((value, layouts.get(&classes.find(value))?.clone()))).collect()
}

/// Layouts of what follows from layouts, until nothing new does. Those that came first stay.
fn spread(
    classes: &mut Classes<'_>,
    follows: &[(ValueId, ValueId, Follows)],
    layouts: &mut HashMap<usize, Layout>,
    default: impl Fn(&[usize]) -> Option<Layout>,
) {
    loop {
        let before = layouts.len();
        for (from, to, how) in follows {
            let (source, target) = (classes.find(*from), classes.find(*to));
            let shape = classes.function.ty(*from).shape();
            let Some(layout) = layouts.get(&source).cloned().or_else(|| default(shape)) else { continue };
            if layouts.contains_key(&target) || layout.shape.as_slice() != &shape[..] {
                continue;
            }
            let layout = match how {
                Follows::Without(axes) => layout.without(axes),
                Follows::Narrowed(axes, shape) => layout.without(axes).renamed(shape),
                Follows::Cut => match layout.cut(classes.function.ty(*to).shape()) {
                    Some(part) => part,
                    None => continue,
                },
            };
            if layout.shape.as_slice() == &classes.function.ty(*to).shape()[..] {
                layouts.insert(target, layout);
            }
        }
        if layouts.len() == before {
            return;
        }
    }
}

fn followers(function: &Function, op: &OpData) -> Vec<(ValueId, ValueId, Follows)> {
    let (Some(&operand), Some(&result)) = (op.operands.first(), op.results.first()) else { return Vec::new() };
    let shape = |value: ValueId| function.ty(value).shape().to_vec();
    let axes = |name: &str| -> Vec<usize> {
        op.attributes.ints(name).unwrap_or_default().iter().filter_map(|&axis| usize::try_from(axis).ok()).collect()
    };
    let units = |shape: &[usize]| -> Vec<usize> { (0..shape.len()).filter(|&dim| shape[dim] == 1).collect() };
    match op.op.name {
        name if name.starts_with("reduce_") && op.attributes.ints("axes").is_some() => {
            vec![(operand, result, Follows::Without(axes("axes")))]
        }
        "slice" if op.attributes.ints("strides").unwrap_or_default().iter().all(|&step| step == 1) => {
            vec![(operand, result, Follows::Cut)]
        }
        "broadcast_in_dim" => {
            let (from, to, dims) = (shape(operand), shape(result), axes("dims"));
            if from.iter().product::<usize>() <= 1 {
                return Vec::new();
            }
            let kept = |dim: &usize| dims.iter().position(|at| at == dim).is_some_and(|at| from[at] == to[*dim]);
            let gone = (0..to.len()).filter(|dim| !kept(dim)).collect();
            vec![(result, operand, Follows::Narrowed(gone, from))]
        }
        "reshape" | "squeeze" => {
            let (from, to) = (shape(operand), shape(result));
            let long =
                |shape: &[usize]| -> Vec<usize> { shape.iter().copied().filter(|&extent| extent != 1).collect() };
            if long(&from) != long(&to) || long(&from).is_empty() {
                return Vec::new();
            }
            let (gone, back) = (units(&from), units(&to));
            vec![(operand, result, Follows::Narrowed(gone, to)), (result, operand, Follows::Narrowed(back, from))]
        }
        _ => Vec::new(),
    }
}

/// Values that are dealt alike.
pub(super) struct Classes<'a> {
    parents: Vec<usize>,
    function: &'a Function,
}

impl<'a> Classes<'a> {
    pub(super) fn of(function: &'a Function) -> Classes<'a> {
        let mut classes = Classes { parents: (0..function.values.len()).collect(), function };
        for op in &function.ops {
            classes.join(op);
        }
        classes
    }

    pub(super) fn find(&mut self, value: ValueId) -> usize {
        let mut at = value.0 as usize;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// Tiles and Refs of one shape and more than one element.
    fn alike(&mut self, a: ValueId, b: ValueId) {
        let (one, other) = (self.function.ty(a).shape(), self.function.ty(b).shape());
        if one != other || one.iter().product::<usize>() <= 1 {
            return;
        }
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }

    fn all_alike(&mut self, lists: &[&[ValueId]]) {
        let Some((first, rest)) = lists.split_first() else { return };
        for list in rest {
            for (&a, &b) in first.iter().zip(*list) {
                self.alike(a, b);
            }
        }
    }

    fn join(&mut self, op: &OpData) {
        let function = self.function;
        let region = |number: usize| op.regions.get(number).map(|&id| function.region(id));
        match &op.op.kind {
            OpKind::Pure { .. } if elementwise::is_elementwise(op.op) => {
                for &operand in &op.operands {
                    self.alike(operand, op.results[0]);
                }
            }
            OpKind::Memory(MemoryOp::Load | MemoryOp::Store | MemoryOp::Swap) => {
                let whole =
                    op.attributes.index().is_some_and(|index| index.is_full(function.ty(op.operands[0]).shape()));
                let stored = matches!(op.op.kind, OpKind::Memory(MemoryOp::Store | MemoryOp::Swap));
                let value = stored.then(|| op.operands[1]);
                let tiles = op.results.iter().copied().chain(value);
                for tile in tiles.filter(|_| whole) {
                    self.alike(op.operands[0], tile);
                }
                if let (Some(value), Some(&result)) = (value, op.results.first()) {
                    self.alike(value, result);
                }
            }
            OpKind::Control(ControlOp::For) => {
                if let (Some(body), Some(carries)) = (region(0), op.operands.get(2..)) {
                    let params = body.params.get(1..).unwrap_or_default();
                    self.all_alike(&[params, carries, &body.yields, &op.results]);
                }
            }
            OpKind::Control(ControlOp::While) => {
                if let (Some(condition), Some(body)) = (region(0), region(1)) {
                    self.all_alike(&[&condition.params, &op.operands, &body.params, &body.yields, &op.results]);
                }
            }
            OpKind::Control(ControlOp::Cond) => {
                for &id in &op.regions {
                    self.all_alike(&[&op.results, &function.region(id).yields]);
                }
            }
            OpKind::Control(ControlOp::Scoped) => {
                if let Some(body) = region(0) {
                    self.all_alike(&[&op.results, &body.yields]);
                }
            }
            _ => {}
        }
    }
}
