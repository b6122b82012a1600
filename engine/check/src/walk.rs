//! Every op of a function with the regions that enclose it, and where values come from. Judges nothing.

use pallas_ir::{Function, OpId, RegionId, ValueId};

/// One step of the way from a function's body to an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Enclosing {
    /// The op with regions.
    pub(crate) op: OpId,
    /// Which of its regions.
    pub(crate) region: usize,
}

/// Calls `visit` for each op in order, an op before those in its regions, with what encloses it, outermost first.
pub(crate) fn walk(function: &Function, mut visit: impl FnMut(OpId, &[Enclosing])) {
    let mut path: Vec<Enclosing> = Vec::new();
    // What is left to do, last first: ops to visit, and regions to enter and leave.
    enum Todo {
        Op(OpId),
        Enter(Enclosing, RegionId),
        Leave,
    }
    let ops_of = |region: RegionId| {
        let ops = function.regions.get(region.0 as usize).map(|r| &r.ops[..]);
        ops.unwrap_or(&[]).iter().rev().map(|&op| Todo::Op(op))
    };
    let mut todo: Vec<Todo> = ops_of(function.body).collect();
    while let Some(next) = todo.pop() {
        match next {
            Todo::Op(op) => {
                visit(op, &path);
                for (number, &region) in function.op(op).regions.iter().enumerate().rev() {
                    let enclosing = Enclosing { op, region: number };
                    todo.push(Todo::Enter(enclosing, region));
                }
            }
            Todo::Enter(enclosing, region) => {
                path.push(enclosing);
                todo.push(Todo::Leave);
                todo.extend(ops_of(region));
            }
            Todo::Leave => {
                path.pop();
            }
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A result of an op.
    Result(OpId, usize),
    /// A parameter of the function.
    Parameter(usize),
    /// A parameter of a region of an op: which op, which region, which parameter.
    Inner(OpId, usize, usize),
    /// Nothing defines it: the function is damaged.
    Nowhere,
}

/// Sources of all values of a function.
pub(crate) struct Sources(Vec<Source>);

impl Sources {
    /// Reads them off.
    pub(crate) fn new(function: &Function) -> Self {
        let mut sources = vec![Source::Nowhere; function.values.len()];
        let mut set = |value: ValueId, source| {
            if let Some(slot) = sources.get_mut(value.0 as usize) {
                *slot = source;
            }
        };
        for (number, &value) in function.params().iter().enumerate() {
            set(value, Source::Parameter(number));
        }
        for (number, op) in function.ops.iter().enumerate() {
            let id = OpId(number as u32);
            for (position, &value) in op.results.iter().enumerate() {
                set(value, Source::Result(id, position));
            }
            for (region_number, region) in op.regions.iter().enumerate() {
                let params = function.regions.get(region.0 as usize);
                for (position, &value) in params.iter().flat_map(|r| r.params.iter().enumerate()) {
                    set(value, Source::Inner(id, region_number, position));
                }
            }
        }
        Sources(sources)
    }

    /// Where a value comes from.
    pub(crate) fn of(&self, value: ValueId) -> Source {
        let source = self.0.get(value.0 as usize);
        source.copied().unwrap_or(Source::Nowhere)
    }
}
