//! Memory of the device, and copies, which are done when they return.

use crate::codes::{Code, INVALID_VALUE, OUT_OF_MEMORY};
use crate::log;
use crate::state::{Needs, call, put};

#[unsafe(no_mangle)]
extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Code {
    call("cuMemAlloc_v2", &bytes.to_string(), Needs::NoCapture, |state| {
        if bytes == 0 || address.is_null() {
            return Err(INVALID_VALUE);
        }
        if state.machine.hangs {
            // The driver may wait for the device here.
            state.wait("cuMemAlloc_v2")?;
        }
        if bytes > state.machine.free() {
            return Err(OUT_OF_MEMORY);
        }
        let place = state.machine.allocate(bytes);
        log::line(&format!("MEMORY {place:#x}"));
        put(address, place)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> Code {
    call("cuMemFree_v2", &format!("{address:#x}"), Needs::NoCapture, |state| {
        if address == 0 {
            return Ok(());
        }
        state.wait("cuMemFree_v2")?;
        if state.machine.give_back(address) { Ok(()) } else { Err(INVALID_VALUE) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Code {
    call("cuMemGetInfo_v2", "", Needs::Context, |state| {
        put(free, state.machine.free())?;
        put(total, crate::setup::SETUP.memory)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const u8, bytes: usize) -> Code {
    call("cuMemcpyHtoD_v2", &format!("{to:#x}, {bytes}"), Needs::LegacyStream, |state| {
        if bytes == 0 {
            return Ok(());
        }
        if from.is_null() || !state.machine.holds(to, bytes) {
            return Err(INVALID_VALUE);
        }
        state.wait("cuMemcpyHtoD_v2")?;
        // SAFETY: the caller gives so many bytes.
        let content = unsafe { std::slice::from_raw_parts(from, bytes) };
        if state.machine.write(to, content) { Ok(()) } else { Err(INVALID_VALUE) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoH_v2(to: *mut u8, from: u64, bytes: usize) -> Code {
    call("cuMemcpyDtoH_v2", &format!("{from:#x}, {bytes}"), Needs::LegacyStream, |state| {
        if bytes == 0 {
            return Ok(());
        }
        if to.is_null() || !state.machine.holds(from, bytes) {
            return Err(INVALID_VALUE);
        }
        state.wait("cuMemcpyDtoH_v2")?;
        // SAFETY: the caller has room for so many bytes.
        let content = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
        if state.machine.read(from, content) { Ok(()) } else { Err(INVALID_VALUE) }
    })
}
