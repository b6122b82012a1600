//! Evaluation recurses, as Python does: it runs on a thread with a stack that holds a thousand Python calls.

/// Virtual size; the system commits pages as they are touched.
const STACK: usize = 1 << 30;

/// Why nothing came back from a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoResult {
    /// The system gives no thread with such a stack.
    NoThread,
    /// A panic inside.
    Panicked,
}

impl NoResult {
    /// A sentence for the user.
    pub(crate) fn message(self) -> &'static str {
        match self {
            NoResult::NoThread => {
                "there is no room for the evaluator's stack, 1 GB of addresses: allow more (`ulimit -v` shows the limit, \
                 in kilobytes) or more threads (`ulimit -u`)"
            }
            NoResult::Panicked => {
                "the evaluator failed; this is a mistake in Pallas Workbench, not in the file. Please report it with the file."
            }
        }
    }
}

/// Runs `body` on a thread with a large stack and waits for it.
///
/// # Errors
/// Without such a thread, and for a panic inside.
pub(crate) fn with_large_stack<T: Send>(body: impl FnOnce() -> T + Send) -> Result<T, NoResult> {
    with_large_stack_beside(body, || {})
}

/// The same; this thread does something else first.
pub(crate) fn with_large_stack_beside<T: Send>(
    body: impl FnOnce() -> T + Send,
    beside: impl FnOnce(),
) -> Result<T, NoResult> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("evaluator".to_string()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, body).map_err(|_| NoResult::NoThread)?;
        beside();
        thread.join().map_err(|_| NoResult::Panicked)
    })
}

/// Starts a thread with a large stack. Whether there is one.
pub(crate) fn start_with_large_stack(body: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().name("evaluator".to_string()).stack_size(STACK).spawn(body).is_ok()
}
