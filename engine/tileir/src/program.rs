//! What a launch becomes: a module, its bytecode, and all that a host has to know to launch it.

use crate::types::stored;
use crate::{Initial, Param, ParamKind, Refusal, launch, no, print};
use cutile_ir::bytecode::{BytecodeVersion, write_bytecode_version};
use cutile_ir::ir::{Module, OpId};
use pallas_ir::Launch;
use pallas_simt::lower::grid;
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::HashMap;

/// The first version that compiles for every generation from Ampere to Blackwell.
const VERSION: BytecodeVersion = BytecodeVersion::V13_3;

/// A launch as Tile IR.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module. One entry.
    pub module: Module,
    /// Its name.
    pub entry: String,
    /// How many blocks, along x. Each is launched as one thread: the compiler says how many there are.
    pub blocks: usize,
    /// Parameters of the entry, in order: pointers to global memory.
    pub params: Vec<Param>,
    /// Where ops come from.
    pub(crate) spans: HashMap<OpId, Span>,
}

impl Program {
    /// The bytecode that `tileiras` reads.
    ///
    /// # Errors
    /// What the writer says, which is a mistake of ours.
    pub fn bytecode(&self) -> Result<Vec<u8>, Refusal> {
        write_bytecode_version(&self.module, VERSION).map_err(|error| {
            no(format!("the Tile IR is not well formed: {error}"))
                .with_help("take the SIMT back end; this is our mistake")
        })
    }

    /// The module as text; `place` says where something stands in the source, as `file.py:3:5`.
    pub fn text(&self, place: &dyn Fn(Span) -> String) -> String {
        print::module(self, place)
    }
}

/// Lowers a launch.
///
/// # Errors
/// What has no Tile IR, with the op.
pub fn compile(launch: &Launch) -> Result<Program, Refusal> {
    let placed = |mut refusal: Refusal| {
        if refusal.span == Span::default() {
            refusal.span = launch.spans.call;
        }
        refusal
    };
    fits(launch).map_err(placed)?;
    let plan = grid::plan(launch);
    let blocks = plan.blocks(&launch.grid);
    let lowered = launch::lower(launch, &plan).map_err(placed)?;
    let mut params = Vec::new();
    for (operand, array) in launch.operands.iter().enumerate() {
        if lowered.shared.iter().any(|&(input, _)| input == operand) {
            continue;
        }
        let initial: Initial = pallas_simt::initial(launch, operand);
        let len = array.array.shape.iter().product();
        let kind = ParamKind::Operand { operand, initial };
        params.push(Param { kind, dtype: array.array.dtype, len, written: lowered.written[operand], keys: false });
    }
    if let Some(bytes) = lowered.workspace {
        let len = bytes.saturating_mul(blocks);
        params.push(Param { kind: ParamKind::Workspace, dtype: stored(DType::U8), len, written: true, keys: false });
    }
    let program = Program { module: lowered.module, entry: lowered.name, blocks, params, spans: lowered.spans };
    program.module.verify_dominance().map_err(|error| {
        no(format!("the Tile IR is not well formed: {error}")).with_help("take the SIMT back end; this is our mistake")
    })?;
    Ok(program)
}

/// Refuses what Tile IR has no words for, whatever the kernel does.
fn fits(launch: &Launch) -> Result<(), Refusal> {
    if launch.has_agents() {
        return Err(no("this is a Mosaic GPU kernel: it says itself what threads, barriers and copies do, which Tile IR leaves to its compiler")
            .with_help("take the SIMT back end"));
    }
    if launch.has_peers() || launch.device_axes() > 0 {
        return Err(no("kernels of several devices or cores have no Tile IR").with_help("take the SIMT back end"));
    }
    if !launch.dynamic.is_empty() {
        return Err(no("the extent of the grid is not known"));
    }
    Ok(())
}
