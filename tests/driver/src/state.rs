//! What the driver knows: one device with its primary context, the objects in it, who captures; and what every call goes through.

use crate::codes::{
    Code, INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_INITIALIZED, STREAM_CAPTURE_IMPLICIT,
    STREAM_CAPTURE_UNSUPPORTED, SUCCESS, UNKNOWN, is_sticky,
};
use crate::log;
use crate::machine::{Launch, Machine};
use crate::setup::SETUP;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::ThreadId;

/// A module with the registers of its functions.
pub(crate) struct Module {
    pub(crate) ptx: Arc<pallas_ptx::Module>,
    pub(crate) registers: HashMap<String, u32>,
}

/// A function, and what was allowed to it.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) module: usize,
    pub(crate) ptx: Arc<pallas_ptx::Module>,
    pub(crate) entry: String,
    pub(crate) registers: u32,
    /// Bytes of dynamic shared memory that a launch may ask for.
    pub(crate) dynamic: usize,
    pub(crate) has_large_clusters: bool,
}

/// What a stream has captured.
pub(crate) struct Capture {
    pub(crate) thread: ThreadId,
    pub(crate) mode: u32,
    pub(crate) launches: Vec<Launch>,
    pub(crate) is_invalid: bool,
}

/// An event.
#[derive(Default)]
pub(crate) struct Event {
    pub(crate) without_time: bool,
    pub(crate) captured: bool,
    /// The number of its last record.
    pub(crate) ticket: Option<u64>,
    /// When that was done, in nanoseconds.
    pub(crate) at: Option<u64>,
    /// Whether somebody has asked since.
    pub(crate) asked: bool,
}

/// What a handle is of.
pub(crate) enum Object {
    Module(Module),
    Function(Function),
    Stream(Option<Capture>),
    Event(Event),
    Graph(Vec<Launch>),
    Executable(Vec<Launch>),
}

impl Object {
    fn name(&self) -> &'static str {
        match self {
            Object::Module(_) => "module",
            Object::Function(_) => "function",
            Object::Stream(_) => "stream",
            Object::Event(_) => "event",
            Object::Graph(_) => "graph",
            Object::Executable(_) => "executable graph",
        }
    }
}

/// What a call may be done without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// `cuInit`.
    Start,
    /// A context that is current. May be called while a stream captures.
    Context,
    /// The same, and no capture of this thread: what may wait, or cannot be recorded.
    NoCapture,
    /// The same, on the stream that others wait for.
    LegacyStream,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) initialised: bool,
    /// How often the primary context was retained.
    pub(crate) retained: usize,
    /// What a kernel has done to it.
    pub(crate) dead: Option<Code>,
    pub(crate) machine: Machine,
    pub(crate) objects: BTreeMap<usize, Object>,
    pub(crate) tickets: u64,
    next: usize,
    calls: HashMap<&'static str, usize>,
    /// Whether the end of the process will be written down.
    tells_end: bool,
}

/// The handle of the primary context.
pub(crate) const CONTEXT: usize = 0x00C0_0000;

thread_local! {
    /// The context that is current to a thread.
    pub(crate) static CURRENT: Cell<usize> = const { Cell::new(0) };
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

/// Says what was not given back.
extern "C" fn at_exit() {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for object in state.objects.values() {
        *left.entry(object.name()).or_default() += 1;
    }
    // Functions go with their modules.
    left.remove("function");
    let memory = state.machine.allocations();
    let more = [("memory", memory), ("context", state.retained)];
    let left = left.into_iter().chain(more).filter(|(_, count)| *count > 0);
    let left: Vec<String> = left.map(|(name, count)| format!("{count} {name}")).collect();
    log::line(&format!("END, left: {}", if left.is_empty() { "nothing".to_string() } else { left.join(", ") }));
}

/// Does a call: asks whether it may be done, plans its failure if a test wants that, and writes it down. What comes of `body` that
/// stays dead is what each later call answers.
pub(crate) fn call(
    name: &'static str,
    given: &str,
    needs: Needs,
    body: impl FnOnce(&mut State) -> Result<(), Code> + std::panic::UnwindSafe,
) -> Code {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if !std::mem::replace(&mut state.tells_end, true) {
        // SAFETY: the function takes nothing, and lives as long as the library, which nobody unloads.
        unsafe { atexit(at_exit) };
    }
    let count = state.calls.entry(name).or_default();
    *count += 1;
    let planned = SETUP.fault(name, *count);
    let answer = state.may(needs).and_then(|()| match planned {
        Some(code) => Err(code),
        None => {
            let state = std::panic::AssertUnwindSafe(&mut *state);
            let done = std::panic::catch_unwind(move || {
                // All of it is moved: of what is inside alone, nobody has asserted anything.
                let state = state;
                body(state.0)
            });
            done.unwrap_or_else(|_| {
                log::line(&format!("PANIC in {name}"));
                Err(UNKNOWN)
            })
        }
    });
    let code = answer.err().unwrap_or(SUCCESS);
    if is_sticky(code) && state.dead.is_none() {
        state.dead = Some(code);
    }
    log::line(&format!("{name}({given}) = {code}"));
    code
}

impl State {
    fn may(&mut self, needs: Needs) -> Result<(), Code> {
        if needs == Needs::Nothing {
            return Ok(());
        }
        if !self.initialised {
            return Err(NOT_INITIALIZED);
        }
        if needs == Needs::Start {
            return Ok(());
        }
        if CURRENT.get() != CONTEXT || self.retained == 0 {
            return Err(INVALID_CONTEXT);
        }
        if let Some(code) = self.dead {
            return Err(code);
        }
        let here = std::thread::current().id();
        for object in self.objects.values_mut() {
            let Object::Stream(Some(capture)) = object else { continue };
            // Captures of the kind "global" mind what any thread does, those of the kind "thread local" their own, others nobody.
            let minds = capture.mode == 0 || capture.mode == 1 && capture.thread == here;
            match needs {
                Needs::NoCapture if minds => {
                    capture.is_invalid = true;
                    return Err(STREAM_CAPTURE_UNSUPPORTED);
                }
                // The stream that captures waits for the legacy stream, whoever uses it.
                Needs::LegacyStream => {
                    capture.is_invalid = true;
                    return Err(STREAM_CAPTURE_IMPLICIT);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A handle of something new. No two are the same, whatever they are of.
    pub(crate) fn add(&mut self, object: Object) -> usize {
        self.next += 0x100;
        let handle = 0x00D0_0000 + self.next;
        self.objects.insert(handle, object);
        handle
    }

    /// Does what waits on the device.
    ///
    /// # Errors
    /// What a kernel did to its context.
    pub(crate) fn work(&mut self) -> Result<(), Code> {
        let State { machine, objects, .. } = self;
        machine.work(|event, ticket, clock| {
            if let Some(Object::Event(event)) = objects.get_mut(&event)
                && event.ticket == Some(ticket)
            {
                event.at = Some(clock);
            }
        })
    }

    /// Waits for the device, for ever if need be: which is the end of this process.
    ///
    /// # Errors
    /// What a kernel did to its context.
    pub(crate) fn wait(&mut self, who: &str) -> Result<(), Code> {
        self.work()?;
        if self.machine.hangs {
            log::line(&format!("STANDS FOR EVER: {who} waits for a kernel that does not end"));
            std::process::abort();
        }
        Ok(())
    }

    pub(crate) fn function(&mut self, handle: usize) -> Result<&mut Function, Code> {
        match self.objects.get_mut(&handle) {
            Some(Object::Function(function)) => Ok(function),
            _ => Err(INVALID_HANDLE),
        }
    }

    pub(crate) fn event(&mut self, handle: usize) -> Result<&mut Event, Code> {
        match self.objects.get_mut(&handle) {
            Some(Object::Event(event)) => Ok(event),
            _ => Err(INVALID_HANDLE),
        }
    }

    /// The capture of a stream; the legacy stream has none.
    pub(crate) fn stream(&mut self, handle: usize) -> Result<&mut Option<Capture>, Code> {
        match self.objects.get_mut(&handle) {
            Some(Object::Stream(capture)) => Ok(capture),
            _ => Err(INVALID_HANDLE),
        }
    }

    pub(crate) fn executable(&self, handle: usize) -> Result<&[Launch], Code> {
        match self.objects.get(&handle) {
            Some(Object::Executable(launches)) => Ok(launches),
            _ => Err(INVALID_VALUE),
        }
    }

    /// Ends the primary context with all that is in it.
    pub(crate) fn end_context(&mut self) {
        self.objects.clear();
        self.machine.clear();
    }
}

/// Puts an answer where the caller wants it.
///
/// # Errors
/// Nowhere.
pub(crate) fn put<T>(place: *mut T, value: T) -> Result<(), Code> {
    if place.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller of the driver gives a place for an answer of this type.
    unsafe { place.write(value) };
    Ok(())
}
