//! A CUDA device: launches are lowered, compiled by NVRTC, and run through the driver.

use super::{Accelerator, NotRun, Ran};
use pallas_cuda::{Cache, CompileError, Compiler, Device, Failure, Nvrtc, Request};
use pallas_ir::Launch;
use pallas_simt::{Architecture, Options};
use pallas_tensor::Array;
use std::path::{Path, PathBuf};

/// A device, with the compiler for it.
pub struct Gpu {
    device: Box<dyn Device>,
    compiler: Compiler,
    /// Where generated source is left that NVRTC refuses.
    folder: Option<PathBuf>,
    lost: bool,
    checked: bool,
}

impl Gpu {
    /// The first device of this machine, and NVRTC from a file, or from where the loader finds it. What is compiled is kept
    /// in a folder.
    ///
    /// # Errors
    /// There is no driver, no device or no NVRTC.
    pub fn open(nvrtc: Option<&Path>, folder: Option<PathBuf>) -> Result<Gpu, NotRun> {
        let device = pallas_cuda::open(0).map_err(|failure| failed(&failure))?;
        let nvrtc = Nvrtc::load(nvrtc).map_err(|error| NotRun {
            message: error.to_string(),
            span: None,
            help: Some(
                "install it with `pip install nvidia-cuda-nvrtc`, and see what `pallas-tui doctor` says".to_string(),
            ),
        })?;
        let compiler = Compiler::new(nvrtc, folder.clone().map(Cache::new));
        Ok(Gpu { device, compiler, folder, lost: false, checked: false })
    }
}

impl Gpu {
    /// The same, with kernels that tell of positions outside of their Refs.
    #[must_use]
    pub fn checked(mut self, checked: bool) -> Gpu {
        self.checked = checked;
        self
    }
}

impl Accelerator for Gpu {
    fn name(&self) -> String {
        self.device.info().name.clone()
    }

    fn run(&mut self, launch: &Launch, inputs: &[Array]) -> Result<Ran, NotRun> {
        if self.lost {
            return Err(failed(&Failure::Lost));
        }
        let mut architecture = Architecture::new(self.device.info().architecture());
        architecture.shared_bytes = self.device.info().shared_per_block;
        let options = Options { architecture, checked: self.checked };
        let program = pallas_simt::compile_with(launch, options).map_err(|refusal| NotRun {
            message: refusal.message,
            span: Some(refusal.span),
            help: refusal.help,
        })?;
        let name = architecture.name();
        let request = Request { source: &program.source, architecture: &name, lines: &program.lines };
        let compiled = self.compiler.compile(&request).map_err(|error| refused(&error, self.folder.as_deref()))?;
        let ran = pallas_cuda::execute(&mut *self.device, launch, &program, &compiled.cubin, inputs);
        let ran = ran.map_err(|failure| {
            self.lost |= failure.is_lost();
            failed(&failure)
        })?;
        Ok(Ran { outputs: ran.outputs, microseconds: Some(ran.microseconds), seen: ran.told, printed: Vec::new() })
    }
}

fn failed(failure: &Failure) -> NotRun {
    NotRun { message: failure.to_string(), span: None, help: Some(failure.help().to_string()) }
}

/// What NVRTC said of source that was generated: a mistake of ours, with all that is needed to find it.
fn refused(error: &CompileError, folder: Option<&Path>) -> NotRun {
    let first = error.messages.iter().find(|message| message.is_error);
    let message = match first {
        Some(message) => format!(
            "NVRTC refuses the CUDA C++ that was generated, at line {}: {}; this is a mistake in Pallas Workbench",
            message.line, message.text
        ),
        None => error.to_string(),
    };
    let kept = folder.map(|folder| folder.join("refused.cu"));
    let kept = kept.filter(|file| pallas_cuda::cache::leave(file, &error.source_text));
    NotRun {
        message,
        span: first.and_then(|message| message.span),
        help: kept.map(|file| format!("the source is in {}; please report it", file.display())),
    }
}
