//! `pallas-tui lower FILE --emit ptx|sass`: what NVIDIA's tools make of the generated CUDA C++. They need no GPU; what is missing is
//! said with how to install it.

use super::lower::architecture;
use crate::exit::Exit;
use crate::{environment, output};
use pallas_engine::cuda::{Cache, Compiler, Nvrtc, Places, Request, disassemble, find};
use pallas_engine::generated;
use pallas_engine::simt::{Architecture, Program, compile};
use pallas_engine::{Analysis, Launch, Span};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// PTX, or machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Ptx,
    Sass,
}

struct Tools {
    compiler: Compiler,
    nvdisasm: Option<PathBuf>,
}

/// What is needed for a form, or what to install.
fn tools(places: &Places, wanted: Wanted) -> Result<Tools, String> {
    let found = find(places);
    let nvrtc = Nvrtc::load(found.nvrtc.as_deref()).map_err(|error| {
        format!("{error}: install it with `pip install nvidia-cuda-nvrtc`, and see what `pallas-tui doctor` says")
    })?;
    if wanted == Wanted::Sass && found.nvdisasm.is_none() {
        return Err(
            "there is no nvdisasm, which shows machine code: install it with `pip install nvidia-cuda-nvdisasm`; \
                    `--emit ptx` needs none"
                .to_string(),
        );
    }
    let cache = crate::calibrate::cache().map(|folder| Cache::new(folder.join("cuda")));
    Ok(Tools { compiler: Compiler::new(nvrtc, cache), nvdisasm: found.nvdisasm })
}

/// Prints the code of each launch, with what it takes of a multiprocessor; those that have none are said.
pub(super) fn print(
    analysis: &Analysis,
    launches: &[&Arc<Launch>],
    wanted: Wanted,
    capability: Option<u32>,
    python: Option<&Path>,
    script: &Path,
) -> Exit {
    let tools = match tools(&environment::cuda_places(python, script), wanted) {
        Ok(tools) => tools,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    print_each(analysis, launches, |launch| {
        let architecture = architecture(launch, capability);
        let program = compile(launch, architecture).map_err(|refusal| {
            let help = refusal.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            (refusal.span, format!("{refusal}{help}"))
        })?;
        code(&tools, &program, wanted, architecture).map_err(|message| (launch.spans.call, message))
    })
}

/// Prints what each launch gives; those that give none are said, with the place and the reason.
pub(super) fn print_each(
    analysis: &Analysis,
    launches: &[&Arc<Launch>],
    code: impl Fn(&Launch) -> Result<String, (Span, String)>,
) -> Exit {
    let mut exit = Exit::Success;
    let mut texts = Vec::new();
    for launch in launches {
        match code(launch) {
            Ok(text) => texts.push(text),
            Err((span, message)) => {
                exit = Exit::Findings;
                let place = generated::place(analysis, span);
                output::error(&format!("{place}: `{}` has no machine code: {message}", launch.kernel.name));
            }
        }
    }
    output::stdout(&texts.join("\n"));
    exit
}

fn code(tools: &Tools, program: &Program, wanted: Wanted, architecture: Architecture) -> Result<String, String> {
    let name = architecture.name();
    let request = Request { source: &program.source, architecture: &name, lines: &program.lines };
    if wanted == Wanted::Ptx {
        return tools.compiler.ptx(&request).map_err(|error| error.to_string());
    }
    let compiled = tools.compiler.compile(&request).map_err(|error| error.to_string())?;
    let tool = tools.nvdisasm.as_deref().ok_or("there is no nvdisasm")?;
    let text = disassemble(tool, &compiled.cubin, &std::env::temp_dir()).map_err(|error| error.to_string())?;
    let used = compiled.resources.unwrap_or_default();
    Ok(format!(
        "// {}: {name}, {} threads, {} registers, {} bytes spilled, {} bytes of shared memory\n{text}",
        program.entry,
        program.threads,
        used.registers,
        used.spill_stores + used.spill_loads,
        program.shared_bytes + used.shared as usize
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_disassembler_it_is_said_what_to_install() {
        let empty = Places { named: Some(PathBuf::from("/nowhere")), ..Places::default() };
        match tools(&empty, Wanted::Sass) {
            Err(message) => assert!(message.contains("pip install nvidia-cuda-nv"), "{message}"),
            Ok(tools) => assert!(tools.nvdisasm.is_some(), "a toolkit is installed here"),
        }
    }
}
