//! Checks that functions and launches are well formed: names before uses, types as the ops' rules infer them, regions
//! that yield what their op carries, operands that fit the kernel. Says nothing of what a kernel computes.

use crate::function::{Function, OpId, RegionId, ValueId};
use crate::launch::{Launch, Role};
use crate::op::{InferContext, OpKind, ProgramOp};
use crate::ops;
use crate::types::{MemorySpace, RefType, Type};
use pallas_tensor::{DType, Shape};
use std::collections::HashSet;
use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: the op, by its position in the function and its name, such as `@kernel op 3 (add)`; or the part of the
    /// launch.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// The op.
    pub op: Option<OpId>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Regions may nest this deep.
const DEPTH: usize = 200;

/// All that is wrong with a function.
pub fn verify_function(function: &Function) -> Vec<Problem> {
    verify(function, None)
}

/// All that is wrong with a launch: its kernel, index maps and operands.
pub fn verify_launch(launch: &Launch) -> Vec<Problem> {
    let mut problems = verify(&launch.kernel, Some(launch.grid.len()));
    let mut problem = |place: &str, message: String| {
        problems.push(Problem { place: place.to_owned(), message, op: None });
    };
    check_params(launch, &mut problem);
    check_aliases(launch, &mut problem);
    if !launch.semantics.is_empty() && launch.semantics.len() != launch.grid.len() {
        problem(
            "launch",
            format!("{} axis semantics for a grid of {} axes", launch.semantics.len(), launch.grid.len()),
        );
    }
    let mut last = Role::Prefetch;
    if let Some(axis) = launch.dynamic.iter().find(|&&axis| axis >= launch.grid.len()) {
        problem("launch", format!("axis {axis} is dynamic, but the grid has {} axes", launch.grid.len()));
    }
    for operand in &launch.operands {
        let place = format!("operand {}", operand.name);
        if (operand.role as u8) < last as u8 {
            problem(&place, "operands stand in the order prefetch, input, output".into());
        }
        last = operand.role;
        if operand.block.len() != operand.array.shape.rank() {
            problem(
                &place,
                format!("{} block sizes for an array of shape {}", operand.block.len(), operand.array.shape),
            );
        }
    }
    problems.extend(verify_index_maps(launch));
    problems
}

fn check_params(launch: &Launch, problem: &mut impl FnMut(&str, String)) {
    let operands = launch.operands.iter().map(|operand| {
        let shape = match operand.role {
            Role::Prefetch => operand.array.shape.clone(),
            _ => operand.block_shape().into(),
        };
        RefType::new(operand.array.dtype, shape, operand.space)
    });
    let expected: Vec<RefType> = operands.chain(launch.scratch.iter().cloned()).collect();
    let kernel = &launch.kernel;
    let Some(body) = kernel.regions.get(kernel.body.0 as usize) else {
        return;
    };
    if body.params.len() != expected.len() {
        problem(
            "kernel",
            format!(
                "@{} takes {} parameters, its operands and scratch are {}",
                kernel.name,
                body.params.len(),
                expected.len()
            ),
        );
        return;
    }
    for (index, (&param, expected)) in body.params.iter().zip(&expected).enumerate() {
        let Some(value) = kernel.values.get(param.0 as usize) else {
            continue;
        };
        // The space may be said on one side only.
        let fits = matches!(&value.ty, Type::Ref(ty) if ty.shape == expected.shape && ty.dtype == expected.dtype
            && (ty.space == expected.space || ty.space == MemorySpace::Default || expected.space == MemorySpace::Default));
        if !fits {
            problem(
                "kernel",
                format!("parameter {index} of @{} is {}, its operand gives {expected}", kernel.name, value.ty),
            );
        }
    }
    if !body.yields.is_empty() {
        problem("kernel", format!("@{} yields values", kernel.name));
    }
}

fn check_aliases(launch: &Launch, problem: &mut impl FnMut(&str, String)) {
    let inputs: Vec<_> = launch.operands.iter().filter(|operand| operand.role != Role::Output).collect();
    let outputs: Vec<_> = launch.with_role(Role::Output).collect();
    for (input, output) in &launch.aliases {
        match (inputs.get(*input), outputs.get(*output)) {
            (Some(input), Some((_, output))) => {
                if input.array.shape != output.array.shape || input.array.dtype != output.array.dtype {
                    problem(
                        "launch",
                        format!(
                            "output {} of type {} aliases input {} of type {}",
                            output.name, output.array, input.name, input.array
                        ),
                    );
                }
            }
            _ => problem(
                "launch",
                format!(
                    "the alias {input} -> {output} is out of range: there are {} inputs and {} outputs",
                    inputs.len(),
                    outputs.len()
                ),
            ),
        }
    }
}

fn verify_index_maps(launch: &Launch) -> Vec<Problem> {
    let prefetched: Vec<&Shape> = launch.with_role(Role::Prefetch).map(|(_, operand)| &operand.array.shape).collect();
    let mut problems = Vec::new();
    for operand in &launch.operands {
        let Some(map) = &operand.index_map else {
            continue;
        };
        let place = format!("index map of {}", operand.name);
        let mut problem = |message: String| {
            problems.push(Problem { place: place.clone(), message, op: None });
        };
        let inner = verify(map, None);
        if let Some(first) = inner.first() {
            problem(first.to_string());
            continue;
        }
        let body = map.region(map.body);
        let axes = launch.grid.len();
        let fits = body.params.len() == axes + prefetched.len()
            && body.params.iter().enumerate().all(|(index, &param)| match (map.ty(param), index.checked_sub(axes)) {
                (Type::Tensor(ty), None) => ty.dtype == DType::I32 && ty.shape.rank() == 0,
                (Type::Ref(ty), Some(scalar)) => ty.shape == *prefetched[scalar],
                _ => false,
            });
        if !fits {
            problem(format!("it must take {axes} program ids (i32[]) and {} prefetched scalars", prefetched.len()));
        }
        let indices = body
            .yields
            .iter()
            .all(|&value| matches!(map.ty(value), Type::Tensor(ty) if ty.dtype.is_integer() && ty.shape.rank() == 0));
        if body.yields.len() != operand.block.len() || !indices {
            problem(format!("it must yield {} integer scalars", operand.block.len()));
        }
    }
    problems
}

/// `axes` of the grid, where the function is a kernel.
fn verify(function: &Function, axes: Option<usize>) -> Vec<Problem> {
    let mut verifier = Verifier {
        function,
        axes,
        problems: Vec::new(),
        visible: HashSet::new(),
        defined: HashSet::new(),
        entered: HashSet::new(),
    };
    verifier.region(function.body, 0);
    verifier.problems
}

struct Verifier<'a> {
    function: &'a Function,
    axes: Option<usize>,
    problems: Vec<Problem>,
    /// Values that may be used at this point.
    visible: HashSet<ValueId>,
    /// Values that have been defined anywhere.
    defined: HashSet<ValueId>,
    entered: HashSet<RegionId>,
}

impl Verifier<'_> {
    fn problem(&mut self, op: Option<OpId>, message: impl Into<String>) {
        let name = &self.function.name;
        let place = match op {
            Some(op) => {
                let kind = self.function.ops.get(op.0 as usize).map(|op| op.op.name);
                format!("@{name} op {} ({})", op.0, kind.unwrap_or("missing"))
            }
            None => format!("@{name}"),
        };
        self.problems.push(Problem { place, message: message.into(), op });
    }

    fn define(&mut self, op: Option<OpId>, values: &[ValueId]) {
        for &value in values {
            if value.0 as usize >= self.function.values.len() {
                self.problem(op, format!("defines value {}, which does not exist", value.0));
            } else if !self.defined.insert(value) {
                self.problem(op, format!("defines value {} again", value.0));
            }
            self.visible.insert(value);
        }
    }

    fn uses(&mut self, op: Option<OpId>, values: &[ValueId]) -> bool {
        let mut all = true;
        for &value in values {
            if value.0 as usize >= self.function.values.len() {
                self.problem(op, format!("uses value {}, which does not exist", value.0));
                all = false;
            } else if !self.visible.contains(&value) {
                self.problem(op, format!("uses value {} where it is not defined", value.0));
                all = false;
            }
        }
        all
    }

    /// Checks a region; what it defines is visible in it alone.
    fn region(&mut self, id: RegionId, depth: usize) {
        let Some(region) = self.function.regions.get(id.0 as usize) else {
            self.problem(None, format!("region {} does not exist", id.0));
            return;
        };
        if !self.entered.insert(id) {
            self.problem(None, format!("region {} is used twice", id.0));
            return;
        }
        if depth > DEPTH {
            self.problem(None, "regions nest too deep");
            return;
        }
        let outer = self.visible.clone();
        self.define(None, &region.params);
        for &op in &region.ops {
            self.op(op, depth);
        }
        self.uses(None, &region.yields);
        self.visible = outer;
    }

    fn op(&mut self, id: OpId, depth: usize) {
        let Some(op) = self.function.ops.get(id.0 as usize) else {
            self.problem(None, format!("op {} does not exist", id.0));
            return;
        };
        if op.location.0 as usize >= self.function.locations.len() {
            self.problem(Some(id), "its location does not exist");
        }
        let known = self.uses(Some(id), &op.operands);
        let before = self.problems.len();
        for &region in &op.regions {
            self.region(region, depth + 1);
        }
        // Rules read the operands and regions: no use on broken ones.
        if known && self.problems.len() == before {
            self.types(id);
        }
        self.define(Some(id), &op.results);
        if let (OpKind::Program(ProgramOp::ProgramId | ProgramOp::NumPrograms), Some(axes)) = (&op.op.kind, self.axes) {
            let axis = op.attributes.int("axis").unwrap_or(-1);
            if !usize::try_from(axis).is_ok_and(|axis| axis < axes) {
                self.problem(Some(id), format!("axis {axis} is out of a grid of {axes} axes"));
            }
        }
    }

    fn types(&mut self, id: OpId) {
        let op = self.function.op(id);
        let operands: Vec<Type> = op.operands.iter().map(|&v| self.function.ty(v).clone()).collect();
        for (name, _) in &op.attributes.0 {
            if !op.op.attributes.contains(name) {
                self.problem(Some(id), format!("has no attribute {name}"));
            }
        }
        let inferred = (op.op.infer)(&InferContext {
            operands: &operands,
            attributes: &op.attributes,
            function: self.function,
            regions: &op.regions,
        });
        let inferred = match inferred {
            Ok(types) => types,
            Err(error) => {
                self.problem(Some(id), error.message);
                return;
            }
        };
        let found: Vec<Option<&Type>> =
            op.results.iter().map(|r| self.function.values.get(r.0 as usize).map(|v| &v.ty)).collect();
        let agree = found.len() == inferred.len()
            && found.iter().zip(&inferred).all(|(found, inferred)| found.is_some_and(|found| found == inferred));
        if !agree {
            let list = |types: &[String]| format!("({})", types.join(", "));
            let inferred: Vec<String> = inferred.iter().map(|ty| ty.to_string()).collect();
            let found: Vec<String> = found.iter().map(|ty| ty.map_or("missing".into(), |ty| ty.to_string())).collect();
            self.problem(Some(id), format!("gives {}, its results are {}", list(&inferred), list(&found)));
        }
        if op.op == crate::Op(&ops::LAUNCH)
            && let Some(crate::Attribute::Launch(launch)) = op.attributes.get("launch")
        {
            for inner in verify_launch(launch) {
                self.problem(Some(id), format!("in its launch: {inner}"));
            }
        }
    }
}
