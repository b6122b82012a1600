//! NVRTC for tests: hands everything to the real library, and puts behind each CUBIN the PTX that it was made of, which is what the
//! driver for tests (`tests/driver`) executes. Whatever else reads CUBINs reads real ones.
//!
//! `PALLAS_NVRTC` names the real library's file, `PALLAS_NVRTC_LOG` a file to which a line goes for each compilation,
//! `PALLAS_NVRTC_FAULTS` what fails: `nvrtcCompileProgram=6`.

#![allow(
    unsafe_code,
    reason = "what it exports and what it calls are a C library's; callers keep to that library's rules"
)]

use std::ffi::{c_char, c_int, c_void};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

type Code = c_int;
type Program = *mut c_void;

const INTERNAL_ERROR: Code = 11;
const INVALID_INPUT: Code = 3;
/// Before the PTX, with its length in eight bytes; the driver for tests looks for it where the CUBIN ends.
const MARK: &[u8; 16] = b"PTX OF THE CUBIN";

/// The real library, with what it opens by name later.
static REAL: LazyLock<Option<libloading::Library>> = LazyLock::new(|| {
    let file = PathBuf::from(std::env::var_os("PALLAS_NVRTC")?);
    let folder = file.parent().map(Path::to_path_buf)?;
    let entries = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_builtins = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("libnvrtc-builtins.so"))
    };
    for builtins in entries.filter(is_builtins) {
        // SAFETY: NVIDIA's files, from where the tests were told.
        std::mem::forget(unsafe { libloading::Library::new(builtins) }.ok()?);
    }
    // SAFETY: as above.
    unsafe { libloading::Library::new(file) }.ok()
});

/// A function of the real library.
fn real<F: Copy>(name: &str) -> Option<F> {
    // SAFETY: the types below are those of NVRTC's header.
    unsafe { REAL.as_ref()?.get::<F>(name.as_bytes()) }.ok().map(|function| *function)
}

/// What a test wants of a function.
fn planned(name: &str) -> Option<Code> {
    let faults = std::env::var("PALLAS_NVRTC_FAULTS").unwrap_or_default();
    faults.split_whitespace().find_map(|fault| fault.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

fn log(text: &str) {
    if let Some(path) = std::env::var_os("PALLAS_NVRTC_LOG")
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        // A log that cannot be written is missed by the test that reads it.
        let _ = file.write_all(format!("{text}\n").as_bytes());
    }
}

/// Functions that are handed on.
macro_rules! handed_on {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(#[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "NVRTC's names")]
        extern "C" fn $name($($argument: $type),*) -> Code {
            if let Some(code) = planned(stringify!($name)) {
                return code;
            }
            type Function = unsafe extern "C" fn($($type),*) -> Code;
            match real::<Function>(stringify!($name)) {
                // SAFETY: the caller keeps to the rules of the real function.
                Some(function) => unsafe { function($($argument),*) },
                None => INTERNAL_ERROR,
            }
        })*
    };
}

handed_on! {
    nvrtcVersion(major: *mut c_int, minor: *mut c_int);
    nvrtcCreateProgram(program: *mut Program, source: *const c_char, name: *const c_char, headers: c_int, texts: *const *const c_char, names: *const *const c_char);
    nvrtcDestroyProgram(program: *mut Program);
    nvrtcGetProgramLogSize(program: Program, size: *mut usize);
    nvrtcGetProgramLog(program: Program, log: *mut c_char);
    nvrtcGetPTXSize(program: Program, size: *mut usize);
    nvrtcGetPTX(program: Program, text: *mut c_char);
}

#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "NVRTC's name")]
extern "C" fn nvrtcCompileProgram(program: Program, count: c_int, options: *const *const c_char) -> Code {
    type Function = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Code;
    let code = planned("nvrtcCompileProgram").unwrap_or_else(|| match real::<Function>("nvrtcCompileProgram") {
        // SAFETY: the caller keeps to the rules of the real function.
        Some(function) => unsafe { function(program, count, options) },
        None => INTERNAL_ERROR,
    });
    log(&format!("compiled = {code}"));
    code
}

/// What one of the real library's pairs of functions says of a program.
fn content(program: Program, name: &str) -> Result<Vec<u8>, Code> {
    type Size = unsafe extern "C" fn(Program, *mut usize) -> Code;
    type Fill = unsafe extern "C" fn(Program, *mut c_char) -> Code;
    let (size, fill) = (real::<Size>(&format!("{name}Size")), real::<Fill>(name));
    let (size, fill) = size.zip(fill).ok_or(INTERNAL_ERROR)?;
    let mut length = 0;
    // SAFETY: the program is the caller's, and the buffer as long as the library says.
    let (code, bytes) = unsafe {
        let mut code = size(program, &mut length);
        let mut bytes = vec![0_u8; length];
        if code == 0 && length > 0 {
            code = fill(program, bytes.as_mut_ptr().cast());
        }
        (code, bytes)
    };
    if code == 0 { Ok(bytes) } else { Err(code) }
}

/// The CUBIN with its PTX behind it.
fn image(program: Program) -> Result<Vec<u8>, Code> {
    let mut image = content(program, "nvrtcGetCUBIN")?;
    if image.is_empty() {
        return Ok(image);
    }
    let ptx = content(program, "nvrtcGetPTX")?;
    let text = ptx.strip_suffix(&[0]).unwrap_or(&ptx);
    image.extend(MARK);
    image.extend((text.len() as u64).to_le_bytes());
    image.extend(text);
    Ok(image)
}

#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "NVRTC's name")]
extern "C" fn nvrtcGetCUBINSize(program: Program, size: *mut usize) -> Code {
    if size.is_null() {
        return INVALID_INPUT;
    }
    match planned("nvrtcGetCUBINSize").map_or_else(|| image(program), Err) {
        Ok(image) => {
            // SAFETY: the caller gives a place for the answer.
            unsafe { size.write(image.len()) };
            0
        }
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "NVRTC's name")]
extern "C" fn nvrtcGetCUBIN(program: Program, bytes: *mut u8) -> Code {
    match planned("nvrtcGetCUBIN").map_or_else(|| image(program), Err) {
        Ok(image) => {
            // SAFETY: the caller has room for as many bytes as it was told.
            unsafe { std::ptr::copy_nonoverlapping(image.as_ptr(), bytes, image.len()) };
            0
        }
        Err(code) => code,
    }
}
