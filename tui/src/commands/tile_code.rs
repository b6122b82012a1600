//! `pallas-tui lower FILE --emit sass --backend tileir`: what NVIDIA's tile compiler makes of the Tile IR. It needs no GPU; what is
//! missing is said with how to install it.

use super::lower::architecture;
use super::machine_code::{Wanted, print_each};
use crate::exit::Exit;
use crate::{environment, output};
use pallas_engine::cuda::{Cache, TileCompiler, disassemble, find};
use pallas_engine::{Analysis, Launch, Span, tileir};
use std::path::Path;
use std::sync::Arc;

/// Prints the machine code of each launch; those that have none are said.
pub(super) fn print(
    analysis: &Analysis,
    launches: &[&Arc<Launch>],
    wanted: Wanted,
    capability: Option<u32>,
    python: Option<&Path>,
    script: &Path,
) -> Exit {
    if wanted == Wanted::Ptx {
        output::error("tileiras gives machine code only: ask for `--emit sass`, or leave `--backend tileir` out");
        return Exit::Usage;
    }
    let found = find(&environment::cuda_places(python, script));
    let cache = crate::calibrate::cache().map(|folder| Cache::new(folder.join("cuda")));
    let compiler = match TileCompiler::new(&found, &std::env::temp_dir(), cache) {
        Ok(compiler) => compiler,
        Err(error) => {
            output::error(&error.to_string());
            return Exit::Usage;
        }
    };
    let Some(nvdisasm) = found.nvdisasm else {
        output::error(
            "there is no nvdisasm, which shows machine code: install it with `pip install nvidia-cuda-nvdisasm`",
        );
        return Exit::Usage;
    };
    print_each(analysis, launches, |launch| {
        code(&compiler, &nvdisasm, launch, architecture(launch, capability).capability)
    })
}

fn code(compiler: &TileCompiler, nvdisasm: &Path, launch: &Launch, capability: u32) -> Result<String, (Span, String)> {
    let refused = |refusal: pallas_engine::simt::Refusal| {
        let help = refusal.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        (refusal.span, format!("{refusal}{help}"))
    };
    let at_call = |message: String| (launch.spans.call, message);
    let program = tileir::compile(launch).map_err(refused)?;
    let bytecode = program.bytecode().map_err(refused)?;
    let compiled = compiler.compile(&bytecode, capability).map_err(|error| at_call(error.to_string()))?;
    let text = disassemble(nvdisasm, &compiled.cubin, &std::env::temp_dir());
    let text = text.map_err(|error| at_call(error.to_string()))?;
    // Local memory is touched for lack of registers only.
    let spills = text.lines().filter(|line| line.contains(" STL") || line.contains(" LDL")).count();
    Ok(format!("// {}: sm_{capability}, {} blocks, {spills} spills\n{text}", program.entry, program.blocks))
}
