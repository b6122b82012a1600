//! NVRTC, called directly: cudarc's wrapper gives PTX only, and PTX is what an older driver may refuse. CUBIN of any 13.x
//! compiler loads on every driver of CUDA 13.

#![allow(unsafe_code, reason = "the driver and the compiler are C libraries; each call says its invariant")]

use crate::find;
use cudarc::nvrtc::sys;
use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// NVRTC, loaded. It stays loaded until the process ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nvrtc {
    /// `(13, 0)`
    pub version: (i32, i32),
    /// The file that was loaded; `None` where the loader knew the name.
    pub path: Option<PathBuf>,
}

/// Why there is no NVRTC, or what it said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NvrtcError {
    /// No file, and no name that the loader knows.
    #[error("NVRTC, the compiler for CUDA C++, was not found")]
    Missing,
    /// A file that cannot be loaded.
    #[error("{path}: cannot be loaded: {why}")]
    Broken {
        /// Which.
        path: String,
        /// The loader's words.
        why: String,
    },
    /// NVRTC itself failed, with the log where there is one.
    #[error("NVRTC failed ({code}){}{log}", if log.is_empty() { "" } else { ":\n" })]
    Failed {
        /// Its code.
        code: String,
        /// Its log.
        log: String,
    },
}

/// What comes of a source.
#[derive(Clone, Debug)]
pub struct Made {
    /// The machine code.
    pub cubin: Vec<u8>,
    /// What it was assembled from.
    pub ptx: String,
    /// What the compiler said.
    pub log: String,
}

/// What was loaded first: one process has one NVRTC, since symbols are found by name.
static LOADED: Mutex<Option<Nvrtc>> = Mutex::new(None);

impl Nvrtc {
    /// Loads the library of a file, or the one that the loader knows by its name. Once one is loaded, every later call gives
    /// that one.
    ///
    /// # Errors
    /// There is none, or it cannot be loaded.
    pub fn load(file: Option<&Path>) -> Result<Nvrtc, NvrtcError> {
        let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(nvrtc) = &*loaded {
            return Ok(nvrtc.clone());
        }
        if let Some(file) = file {
            // NVRTC opens these by their bare names later, which finds what is loaded already.
            for builtins in find::builtins(file) {
                open(&builtins)?;
            }
            open(file)?;
        }
        // SAFETY: only looks for the library. It has to come before any other function of `sys`, which panic without one.
        let present = unsafe { sys::is_culib_present() };
        if !present {
            return Err(NvrtcError::Missing);
        }
        let (mut major, mut minor): (c_int, c_int) = (0, 0);
        // SAFETY: the library is there, and both pointers are to live integers.
        let code = unsafe { sys::nvrtcVersion(&mut major, &mut minor) };
        checked(code, "")?;
        let nvrtc = Nvrtc { version: (major, minor), path: file.map(Path::to_path_buf) };
        *loaded = Some(nvrtc.clone());
        Ok(nvrtc)
    }

    /// Compiles CUDA C++ to machine code.
    ///
    /// # Errors
    /// The source is wrong, or an option is; the log says it.
    pub fn compile(&self, source: &str, name: &str, options: &[String]) -> Result<Made, NvrtcError> {
        let (program, log) = self.compiled(source, name, options)?;
        let cubin = program.bytes(sys::nvrtcGetCUBINSize, sys::nvrtcGetCUBIN)?;
        if cubin.is_empty() {
            return Err(NvrtcError::Failed { code: "no machine code".to_string(), log });
        }
        Ok(Made { cubin, ptx: program.ptx()?, log })
    }

    /// Compiles CUDA C++ to PTX, for reading.
    ///
    /// # Errors
    /// As [`Nvrtc::compile`].
    pub fn ptx(&self, source: &str, name: &str, options: &[String]) -> Result<String, NvrtcError> {
        let (program, _) = self.compiled(source, name, options)?;
        program.ptx()
    }

    fn compiled(&self, source: &str, name: &str, options: &[String]) -> Result<(Program, String), NvrtcError> {
        let failed = |why: &str| NvrtcError::Failed { code: why.to_string(), log: String::new() };
        let text = |text: &str| CString::new(text).map_err(|_| failed("a zero byte in the source or in an option"));
        let (source, name) = (text(source)?, text(name)?);
        let options: Vec<CString> = options.iter().map(|option| text(option)).collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let program = Program::new(&source, &name)?;
        let count = c_int::try_from(pointers.len()).map_err(|_| failed("too many options"))?;
        // SAFETY: the program is live, the pointers are to strings that live until the call returns.
        let code = unsafe { sys::nvrtcCompileProgram(program.0, count, pointers.as_ptr()) };
        let log = program.log()?;
        checked(code, &log)?;
        Ok((program, log))
    }
}

/// Loads a library, and leaves it loaded, its symbols for everybody.
fn open(file: &Path) -> Result<(), NvrtcError> {
    #[cfg(unix)]
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: loading runs the library's initialisers. It is NVIDIA's file, from where the user has it installed.
    #[cfg(unix)]
    let loaded = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_GLOBAL) };
    // SAFETY: as above. Other systems find the symbols of every library that is loaded.
    #[cfg(not(unix))]
    let loaded = unsafe { libloading::Library::new(file) };
    match loaded {
        Ok(library) => {
            std::mem::forget(library);
            Ok(())
        }
        Err(error) => Err(NvrtcError::Broken { path: file.display().to_string(), why: error.to_string() }),
    }
}

fn checked(code: sys::nvrtcResult, log: &str) -> Result<(), NvrtcError> {
    match code {
        sys::nvrtcResult::NVRTC_SUCCESS => Ok(()),
        code => Err(NvrtcError::Failed {
            code: format!("{code:?}").trim_start_matches("NVRTC_ERROR_").to_lowercase().replace('_', " "),
            log: log.trim_end().to_string(),
        }),
    }
}

/// A program of NVRTC's, destroyed with this.
struct Program(sys::nvrtcProgram);

type Size = unsafe fn(sys::nvrtcProgram, *mut usize) -> sys::nvrtcResult;
type Fill = unsafe fn(sys::nvrtcProgram, *mut c_char) -> sys::nvrtcResult;

impl Program {
    fn new(source: &CString, name: &CString) -> Result<Program, NvrtcError> {
        let mut program: sys::nvrtcProgram = std::ptr::null_mut();
        // SAFETY: the strings live until the call returns, which copies them; there are no headers.
        let code = unsafe {
            let none = std::ptr::null();
            sys::nvrtcCreateProgram(&mut program, source.as_ptr(), name.as_ptr(), 0, none, none)
        };
        checked(code, "")?;
        Ok(Program(program))
    }

    fn log(&self) -> Result<String, NvrtcError> {
        self.text(sys::nvrtcGetProgramLogSize, sys::nvrtcGetProgramLog)
    }

    fn ptx(&self) -> Result<String, NvrtcError> {
        self.text(sys::nvrtcGetPTXSize, sys::nvrtcGetPTX)
    }

    fn text(&self, size: Size, fill: Fill) -> Result<String, NvrtcError> {
        let bytes = self.bytes(size, fill)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_string())
    }

    fn bytes(&self, size: Size, fill: Fill) -> Result<Vec<u8>, NvrtcError> {
        let mut length = 0;
        // SAFETY: the program is live.
        checked(unsafe { size(self.0, &mut length) }, "")?;
        let mut bytes = vec![0_u8; length];
        if length > 0 {
            // SAFETY: the program is live, and the buffer has the length that it asked for.
            checked(unsafe { fill(self.0, bytes.as_mut_ptr().cast()) }, "")?;
        }
        Ok(bytes)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `new`, destroyed once.
        let _ = unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}
