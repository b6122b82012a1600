//! Starting, what there is, and the context.

use crate::codes::{Code, INVALID_CONTEXT, INVALID_DEVICE, INVALID_VALUE};
use crate::setup::SETUP;
use crate::state::{CONTEXT, CURRENT, Needs, call, put};

const NO_DEVICE: Code = 100;

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: u32) -> Code {
    call("cuInit", &flags.to_string(), Needs::Nothing, |state| {
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        if SETUP.devices == 0 {
            return Err(NO_DEVICE);
        }
        state.initialised = true;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDriverGetVersion(version: *mut i32) -> Code {
    call("cuDriverGetVersion", "", Needs::Nothing, |_| put(version, SETUP.version))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetCount(count: *mut i32) -> Code {
    call("cuDeviceGetCount", "", Needs::Start, |_| put(count, SETUP.devices))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGet(device: *mut i32, ordinal: i32) -> Code {
    call("cuDeviceGet", &ordinal.to_string(), Needs::Start, |_| {
        there(ordinal)?;
        put(device, ordinal)
    })
}

/// Whether there is such a device.
fn there(device: i32) -> Result<(), Code> {
    if (0..SETUP.devices).contains(&device) { Ok(()) } else { Err(INVALID_DEVICE) }
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetName(name: *mut u8, length: i32, device: i32) -> Code {
    call("cuDeviceGetName", &device.to_string(), Needs::Start, |_| {
        there(device)?;
        let length = usize::try_from(length).ok().filter(|&length| length > 0).ok_or(INVALID_VALUE)?;
        let bytes = SETUP.model.name.bytes().take(length - 1).chain([0]);
        // SAFETY: the caller has room for so many bytes.
        bytes.enumerate().try_for_each(|(at, byte)| put(unsafe { name.add(at) }, byte))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) -> Code {
    call("cuDeviceTotalMem_v2", &device.to_string(), Needs::Start, |_| {
        there(device)?;
        put(bytes, SETUP.memory)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32) -> Code {
    call("cuDeviceGetAttribute", &format!("{attribute}, {device}"), Needs::Start, |_| {
        there(device)?;
        let model = SETUP.model;
        put(
            value,
            match attribute {
                // Threads of a block, shared memory of one, multiprocessors.
                1 => 1024,
                8 => 48 << 10,
                16 => model.multiprocessors,
                75 => model.capability.0,
                76 => model.capability.1,
                81 => model.shared,
                97 => model.shared_opt_in,
                _ => return Err(INVALID_VALUE),
            },
        )
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, device: i32) -> Code {
    call("cuDevicePrimaryCtxRetain", &device.to_string(), Needs::Start, |state| {
        there(device)?;
        put(context, CONTEXT)?;
        // One that is dead stays so: only the end of the process helps.
        if let Some(code) = state.dead {
            return Err(code);
        }
        state.retained += 1;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(device: i32) -> Code {
    call("cuDevicePrimaryCtxRelease_v2", &device.to_string(), Needs::Start, |state| {
        there(device)?;
        if state.retained == 0 {
            return Err(INVALID_CONTEXT);
        }
        if state.retained == 1 {
            state.wait("cuDevicePrimaryCtxRelease_v2")?;
            state.end_context();
        }
        state.retained -= 1;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: usize) -> Code {
    call("cuCtxSetCurrent", &format!("{context:#x}"), Needs::Start, |state| {
        if context != 0 && (context != CONTEXT || state.retained == 0) {
            return Err(INVALID_CONTEXT);
        }
        CURRENT.set(context);
        Ok(())
    })
}
