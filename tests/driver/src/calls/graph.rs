//! Captures and graphs of launches; and boxes of arrays.

use crate::codes::{
    Code, INVALID_VALUE, NOT_SUPPORTED, STREAM_CAPTURE_INVALIDATED, STREAM_CAPTURE_UNMATCHED,
    STREAM_CAPTURE_UNSUPPORTED, STREAM_CAPTURE_WRONG_THREAD,
};
use crate::machine::Item;
use crate::setup::SETUP;
use crate::state::{Capture, Needs, Object, call, put};
use crate::tensor_map::{Asked, encoded};

const ILLEGAL_STATE: Code = 401;

#[unsafe(no_mangle)]
extern "C" fn cuStreamBeginCapture_v2(stream: usize, mode: u32) -> Code {
    call("cuStreamBeginCapture_v2", &mode.to_string(), Needs::Context, |state| {
        // The legacy stream is 0, or 1 by another name.
        if stream <= 1 {
            return Err(STREAM_CAPTURE_UNSUPPORTED);
        }
        let capture = state.stream(stream)?;
        if mode > 2 {
            return Err(INVALID_VALUE);
        }
        if capture.is_some() {
            return Err(ILLEGAL_STATE);
        }
        let thread = std::thread::current().id();
        *capture = Some(Capture { thread, mode, launches: Vec::new(), is_invalid: false });
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamEndCapture(stream: usize, graph: *mut usize) -> Code {
    call("cuStreamEndCapture", "", Needs::Context, |state| {
        let capture = state.stream(stream)?;
        let begun = capture.as_ref().ok_or(STREAM_CAPTURE_UNMATCHED)?;
        if begun.mode != 2 && begun.thread != std::thread::current().id() {
            return Err(STREAM_CAPTURE_WRONG_THREAD);
        }
        let Some(ended) = capture.take() else { return Err(STREAM_CAPTURE_UNMATCHED) };
        if ended.is_invalid {
            put(graph, 0)?;
            return Err(STREAM_CAPTURE_INVALIDATED);
        }
        let made = state.add(Object::Graph(ended.launches));
        put(graph, made)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphInstantiateWithFlags(executable: *mut usize, graph: usize, flags: u64) -> Code {
    call("cuGraphInstantiateWithFlags", &flags.to_string(), Needs::NoCapture, |state| {
        let Some(Object::Graph(launches)) = state.objects.get(&graph) else { return Err(INVALID_VALUE) };
        if flags > 15 {
            return Err(INVALID_VALUE);
        }
        let launches = launches.clone();
        let made = state.add(Object::Executable(launches));
        put(executable, made)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphDestroy(graph: usize) -> Code {
    call("cuGraphDestroy", "", Needs::Context, |state| match state.objects.get(&graph) {
        Some(Object::Graph(_)) => {
            state.objects.remove(&graph);
            Ok(())
        }
        _ => Err(INVALID_VALUE),
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphExecDestroy(executable: usize) -> Code {
    call("cuGraphExecDestroy", "", Needs::Context, |state| {
        state.executable(executable)?;
        state.objects.remove(&executable);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphUpload(executable: usize, stream: usize) -> Code {
    call("cuGraphUpload", "", Needs::Context, |state| {
        state.executable(executable)?;
        if state.stream(stream)?.is_some() { Err(STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphLaunch(executable: usize, stream: usize) -> Code {
    call("cuGraphLaunch", "", Needs::Context, |state| {
        let launches = state.executable(executable)?.to_vec();
        match state.stream(stream)? {
            Some(capture) => capture.launches.extend(launches),
            None => launches.into_iter().for_each(|launch| state.machine.submit(Item::Launch(launch))),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuTensorMapEncodeTiled(
    map: *mut [u8; 128],
    element: u32,
    rank: u32,
    address: u64,
    extents: *const u64,
    strides: *const u64,
    boxed: *const u32,
    steps: *const u32,
    interleave: u32,
    swizzle: u32,
    promotion: u32,
    fill: u32,
) -> Code {
    call("cuTensorMapEncodeTiled", &format!("{element}, {rank}, {address:#x}"), Needs::Start, |_| {
        if SETUP.model.capability.0 < 9 {
            return Err(NOT_SUPPORTED);
        }
        let pointers = [extents.is_null(), strides.is_null() && rank > 1, boxed.is_null(), steps.is_null()];
        if !(1..=5).contains(&rank) || pointers.contains(&true) || !(map as usize).is_multiple_of(64) {
            return Err(INVALID_VALUE);
        }
        let rank = rank as usize;
        // SAFETY: the caller gives lists as long as the rank says; strides are one less.
        let asked = unsafe {
            let strides = if rank == 1 { &[] } else { std::slice::from_raw_parts(strides, rank - 1) };
            Asked {
                element,
                address,
                extents: std::slice::from_raw_parts(extents, rank),
                strides,
                boxed: std::slice::from_raw_parts(boxed, rank),
                steps: std::slice::from_raw_parts(steps, rank),
                interleave,
                swizzle,
                promotion,
                fill,
            }
        };
        put(map, encoded(&asked)?)
    })
}
