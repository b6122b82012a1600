//! Modules, their functions, and what a function is allowed.

use crate::codes::{Code, INVALID_HANDLE, INVALID_IMAGE, INVALID_VALUE, NO_BINARY_FOR_GPU, NOT_FOUND};
use crate::elf::Image;
use crate::log;
use crate::setup::SETUP;
use crate::state::{Function, Module, Needs, Object, call, put};
use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// What every function may have of shared memory.
const PLAIN_SHARED: usize = 48 << 10;

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadData(module: *mut usize, image: *const u8) -> Code {
    call("cuModuleLoadData", "", Needs::NoCapture, |state| {
        if module.is_null() || image.is_null() {
            return Err(INVALID_VALUE);
        }
        // Loading may want the device to be idle.
        if state.machine.hangs {
            state.wait("cuModuleLoadData")?;
        }
        if SETUP.version < 13000 {
            return Err(INVALID_IMAGE);
        }
        let image = Image::of(image).ok_or(INVALID_IMAGE)?;
        let Some(text) = image.ptx else {
            log::line("REFUSED an image without PTX");
            return Err(INVALID_IMAGE);
        };
        if !fits(text) {
            return Err(NO_BINARY_FOR_GPU);
        }
        let ptx = pallas_ptx::Module::parse(text).map_err(|wrong| {
            log::line(&format!("REFUSED {wrong}"));
            INVALID_IMAGE
        })?;
        let registers = |entry: &pallas_ptx::Entry| Some((entry.name.clone(), image.registers(&entry.name)?));
        let registers: HashMap<String, u32> = ptx.entries().filter_map(registers).collect();
        log::line(&format!("LOADED with registers {registers:?}"));
        let loaded = state.add(Object::Module(Module { ptx: Arc::new(ptx), registers }));
        put(module, loaded)
    })
}

/// Whether machine code for the target of a text runs on the device: of the same generation, and not newer; exactly the one of which
/// it takes what is particular.
fn fits(text: &str) -> bool {
    let target = text.lines().find_map(|line| line.trim().strip_prefix(".target sm_")).unwrap_or_default();
    let target = target.split(',').next().unwrap_or_default().trim();
    let number: i32 = target.trim_end_matches(['a', 'f']).parse().unwrap_or(0);
    let (major, minor) = SETUP.model.capability;
    if target.ends_with('a') {
        return number == major * 10 + minor;
    }
    number / 10 == major && number % 10 <= minor
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: usize) -> Code {
    call("cuModuleUnload", "", Needs::NoCapture, |state| {
        if !matches!(state.objects.get(&module), Some(Object::Module(_))) {
            return Err(INVALID_HANDLE);
        }
        state.wait("cuModuleUnload")?;
        state.objects.remove(&module);
        state.objects.retain(|_, object| !matches!(object, Object::Function(function) if function.module == module));
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> Code {
    if name.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: the caller gives a text that ends with a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    call("cuModuleGetFunction", &name, Needs::Context, |state| {
        let Some(Object::Module(loaded)) = state.objects.get(&module) else { return Err(INVALID_HANDLE) };
        let entry = loaded.ptx.entry(&name).ok_or(NOT_FOUND)?;
        let found = Function {
            module,
            entry: entry.name.clone(),
            registers: loaded.registers.get(&*name).copied().unwrap_or(32),
            dynamic: PLAIN_SHARED.saturating_sub(entry.static_shared),
            has_large_clusters: false,
            ptx: loaded.ptx.clone(),
        };
        let found = state.add(Object::Function(found));
        put(function, found)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetAttribute(function: usize, attribute: i32, value: i32) -> Code {
    call("cuFuncSetAttribute", &format!("{attribute}, {value}"), Needs::Context, |state| {
        let function = state.function(function)?;
        match attribute {
            8 => {
                let fixed = function.ptx.entry(&function.entry).map_or(0, |entry| entry.static_shared);
                let bytes = usize::try_from(value).map_err(|_| INVALID_VALUE)?;
                if bytes + fixed > SETUP.model.shared_opt_in as usize {
                    return Err(INVALID_VALUE);
                }
                function.dynamic = bytes;
            }
            // How shared memory and cache share is a hint.
            9 if (-1..=100).contains(&value) => {}
            14 if SETUP.model.capability.0 >= 9 => function.has_large_clusters = value != 0,
            _ => return Err(INVALID_VALUE),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut i32,
    function: usize,
    threads: i32,
    dynamic: usize,
) -> Code {
    let given = format!("{threads}, {dynamic}");
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &given, Needs::Context, |state| {
        let function = state.function(function)?;
        let threads = usize::try_from(threads).ok().filter(|threads| (1..=1024).contains(threads));
        let warps = threads.ok_or(INVALID_VALUE)?.div_ceil(32);
        let fixed = function.ptx.entry(&function.entry).map_or(0, |entry| entry.static_shared);
        let registers = (function.registers as usize * 32).next_multiple_of(256) * warps;
        // A kilobyte of each block is the system's.
        let shared = (fixed + dynamic + 1024).next_multiple_of(128);
        let fit = [64 / warps, 65536 / registers.max(1), SETUP.model.shared as usize / shared, 32];
        let most = if dynamic > function.dynamic { 0 } else { fit.into_iter().min().unwrap_or(0) };
        put(blocks, most as i32)
    })
}
