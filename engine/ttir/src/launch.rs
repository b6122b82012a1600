//! The module around a kernel: its parameters, the grid in Triton's three axes, and where each operand's block begins.

use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::{Bound, Lowering};
use crate::ops::arith;
use crate::place::Place;
use crate::types::{Tile, element};
use pallas_ir::{BlockDim, Launch, Operand, Role};
use pallas_tensor::DType;
use std::fmt;

/// A launch as Triton IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The name of the function in it.
    pub name: String,
    /// The MLIR module.
    pub text: String,
    /// How many programs along Triton's axes.
    pub grid: [usize; 3],
}

/// The module under a line that says how many programs run it.
impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.grid;
        write!(f, "// {}: {x} x {y} x {z} programs\n{}", self.name, self.text)
    }
}

/// The most programs along Triton's second and third axis.
const MOST_YZ: usize = (1 << 16) - 1;

/// Prints a launch as Triton IR.
///
/// # Errors
/// What Triton, or JAX's lowering to it, does not have, with the op.
pub fn lower(launch: &Launch) -> Result<Module, Refusal> {
    if launch.has_agents() {
        return Err(Refusal::new(
            "this is a Mosaic GPU kernel: its threads, barriers and copies have no Triton IR; `--emit ir` prints what it is",
        ));
    }
    if !launch.dynamic.is_empty() {
        return Err(Refusal::new("dynamic grid bounds are not supported in the Triton backend"));
    }
    if launch.with_role(Role::Prefetch).next().is_some() {
        return Err(Refusal::new("scalar prefetch is not implemented in the Triton backend"));
    }
    if !launch.scratch.is_empty() {
        return Err(Refusal::new(
            "scratch memory is not implemented in the Triton backend: carry values through a loop",
        ));
    }
    let mut emitter = Emitter::default();
    let mut parameters = Vec::new();
    for (number, operand) in launch.operands.iter().enumerate() {
        parameters
            .push(format!("%arg{number}: !tt.ptr<{}> {{tt.divisibility = 32 : i32}}", element(operand.array.dtype)?));
    }
    let (grid, programs) = programs(&mut emitter, &launch.grid)?;
    let extents = launch.grid.clone();
    let mut places = Vec::new();
    for (number, operand) in launch.operands.iter().enumerate() {
        places.push(place(&mut emitter, number, operand, &programs, &extents)?);
    }
    let mut lowering = Lowering::new(&mut emitter, &launch.kernel, &programs, &extents);
    for (&param, place) in launch.kernel.params().iter().zip(places) {
        lowering.bind(param, Bound::Place(place));
    }
    lowering.region(launch.kernel.body)?;
    emitter.line("tt.return");
    let name = sanitized(&launch.kernel.name);
    let text = format!(
        "module @{name} {{\n  tt.func public @{name}({}) attributes {{noinline = false}} {{\n{}  }}\n}}\n",
        parameters.join(", "),
        emitter.finish()
    );
    Ok(Module { name, text, grid })
}

/// A name that MLIR takes without quotes.
fn sanitized(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

/// The program id along each axis of the grid. Triton has three axes, the later two of them short: what is too many goes
/// into the first, the earliest axis fastest, as JAX does it.
fn programs(emitter: &mut Emitter, grid: &[usize]) -> Result<([usize; 3], Vec<Tile>), Refusal> {
    let mut collapsed = grid.len().saturating_sub(2);
    if grid.get(collapsed + 1).is_some_and(|&extent| extent > MOST_YZ) {
        collapsed += 2;
    } else if grid.get(collapsed).is_some_and(|&extent| extent > MOST_YZ) {
        collapsed += 1;
    }
    let (first, rest) = grid.split_at(collapsed);
    let mut axes = Vec::new();
    if collapsed > 0 {
        axes.push(first.iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent)).unwrap_or(usize::MAX));
    }
    axes.extend(rest);
    if axes.first().is_some_and(|&extent| extent >= (1 << 31) - 1) {
        return Err(Refusal::new(format!(
            "a grid of {} programs along one axis is more than CUDA can launch",
            axes[0]
        )));
    }
    let mut ids = Vec::new();
    for (axis, &extent) in axes.iter().enumerate() {
        ids.push(match extent {
            1 => emitter.index(0)?,
            _ => emitter.value(DType::I32, &[], &format!("tt.get_program_id {} : i32", ["x", "y", "z"][axis]))?,
        });
    }
    let mut programs = Vec::new();
    let mut left = ids.first().cloned();
    for &extent in first {
        if let Some(id) = &left {
            let extent = emitter.index(extent as i64)?;
            programs.push(arith::plain(emitter, "arith.remui", id, &extent)?);
            left = Some(arith::plain(emitter, "arith.divui", id, &extent)?);
        }
    }
    programs.extend(ids.into_iter().skip(usize::from(collapsed > 0)));
    let mut whole = [1; 3];
    for (slot, extent) in whole.iter_mut().zip(axes) {
        *slot = extent;
    }
    Ok((whole, programs))
}

/// Where an operand's block begins, for the program that asks.
fn place(
    emitter: &mut Emitter,
    number: usize,
    operand: &Operand,
    programs: &[Tile],
    grid: &[usize],
) -> Result<Place, Refusal> {
    if operand.buffers.is_some() {
        return Err(Refusal::new(format!(
            "{}: `pipeline_mode` is not supported in the Triton lowering: leave it out, Triton chooses how many slots there are",
            operand.name
        )));
    }
    let indices = match &operand.index_map {
        None => Vec::new(),
        Some(map) => {
            let mut lowering = Lowering::new(emitter, map, programs, grid);
            for (&param, id) in map.params().iter().zip(programs) {
                lowering.bind(param, Bound::Tile(id.clone()));
            }
            lowering.region(map.body)?
        }
    };
    let mut starts = Vec::new();
    for (dim, block) in operand.block.iter().enumerate() {
        let start = match indices.get(dim) {
            None => emitter.index(0)?,
            Some(index) => match *block {
                BlockDim::Squeezed => index.clone(),
                BlockDim::Element { low: 0, high: 0, .. } => index.clone(),
                BlockDim::Element { .. } => {
                    return Err(Refusal::new(format!(
                        "{}: `pl.Element` with padding is not supported in the Triton lowering",
                        operand.name
                    )));
                }
                BlockDim::Blocked(size) => arith::scaled(emitter, index, size as i64)?,
            },
        };
        starts.push(start);
    }
    let live: Vec<bool> = operand.block.iter().map(|block| !matches!(block, BlockDim::Squeezed)).collect();
    Ok(Place::new(format!("%arg{number}"), operand.array.dtype, &operand.array.shape, starts, &live))
}
