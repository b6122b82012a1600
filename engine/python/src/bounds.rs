//! Bounds of an evaluation: steps, memory, and how deep calls and expressions go. What happens at a bound is an
//! [`Abort`], or the exception that Python has for it.

use crate::interp::{Interp, Mode};
use crate::raise::{Abort, PyResult, Stop};

/// Bounds of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Depth of Python calls: 1000 in Python.
    pub recursion: usize,
    /// Steps (statements, iterations, calls); `None` for no bound.
    pub fuel: Option<u64>,
    /// Bytes that growing values may ask for; `None` for no bound other than [`LARGEST_REQUEST`].
    pub bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { recursion: 1000, fuel: None, bytes: None }
    }
}

/// A single request for more memory than this raises `MemoryError` in Run mode.
pub const LARGEST_REQUEST: u128 = 8 << 30;

/// How many steps pass between two questions whether the evaluation is still wanted.
pub(crate) const STEPS_PER_POLL: u32 = 4096;

/// Nested expressions and native calls that Rust's stack (1 GiB) surely holds.
const DEEPEST_EXPRESSION: usize = 40_000;

impl Interp {
    /// Uses up fuel. Aborts when there is none left, or when the host no longer wants the result.
    pub fn charge(&self, steps: u64) -> PyResult<()> {
        let Some(left) = self.fuel.get().checked_sub(steps) else {
            self.fuel.set(0);
            return Err(Box::new(Stop::Abort(Abort::Fuel { span: self.visible_span() })));
        };
        self.fuel.set(left);
        let waited = self.until_poll.get().saturating_sub(u32::try_from(steps).unwrap_or(u32::MAX));
        if waited > 0 {
            self.until_poll.set(waited);
            return Ok(());
        }
        self.until_poll.set(STEPS_PER_POLL);
        if self.host.cancelled() { Err(Box::new(Stop::Abort(Abort::Cancelled))) } else { Ok(()) }
    }

    /// Steps left, where they are bounded.
    pub fn fuel_left(&self) -> Option<u64> {
        self.limits.fuel.map(|_| self.fuel.get())
    }

    /// Gives the evaluation this many steps from now on, where they are bounded: fuel is per top-level item.
    pub fn refuel(&self, steps: u64) {
        if self.limits.fuel.is_some() {
            self.fuel.set(steps);
        }
    }

    /// Accounts for a value that is about to grow by `bytes`. In analysis the sum is bounded ([`Abort::Memory`]); in Run
    /// mode one request beyond [`LARGEST_REQUEST`] is a `MemoryError`.
    pub fn charge_bytes(&self, bytes: u128) -> PyResult<()> {
        if bytes > LARGEST_REQUEST && self.mode == Mode::Run {
            return Err(self.error(&self.types.memory_error, ""));
        }
        if let Some(limit) = self.limits.bytes {
            let used = self.bytes.get().saturating_add(bytes);
            if used > u128::from(limit) {
                return Err(Box::new(Stop::Abort(Abort::Memory { span: self.visible_span(), bytes })));
            }
            self.bytes.set(used);
        } else if bytes > LARGEST_REQUEST {
            return Err(Box::new(Stop::Abort(Abort::Memory { span: self.visible_span(), bytes })));
        }
        Ok(())
    }

    /// Analysis of another item begins: what the last one asked for is not held against it.
    pub(crate) fn forget_bytes(&self) {
        self.bytes.set(0);
    }

    /// Gives `run` a budget of its own: steps, and bytes from zero. What it leaves of the steps comes back with its result,
    /// and the budget around it is as it was.
    pub fn with_budget<R>(&self, steps: u64, run: impl FnOnce() -> R) -> (R, u64) {
        let (fuel, bytes) = (self.fuel.replace(steps), self.bytes.replace(0));
        let result = run();
        self.bytes.set(bytes);
        (result, self.fuel.replace(fuel))
    }

    /// Counts one nested evaluation; RecursionError where Rust's own stack would be in danger. Pair with [`Interp::leave`].
    pub(crate) fn enter(&self) -> PyResult<()> {
        let depth = self.depth.get() + 1;
        if depth > DEEPEST_EXPRESSION {
            return Err(self.error(&self.types.recursion_error, "maximum recursion depth exceeded"));
        }
        self.depth.set(depth);
        Ok(())
    }

    pub(crate) fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// Runs something in which an array may be wanted that there is no memory for: that is Python's MemoryError.
    pub(crate) fn with_memory<R>(&self, run: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
        let (depth, frames) = (self.depth.get(), self.frames.borrow().len());
        pallas_tensor::with_memory(run).unwrap_or_else(|lack| {
            self.depth.set(depth);
            self.frames.borrow_mut().truncate(frames);
            Err(self.error(&self.types.memory_error, lack.to_string()))
        })
    }

    /// Runs `nested` one level deeper: what natives that recurse over values (repr, comparison, deepcopy) call.
    pub fn nested<R>(&self, nested: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
        self.enter()?;
        let result = nested();
        self.leave();
        result
    }
}
