//! Evaluation recurses, as Python does: it runs on a thread with a stack that holds a thousand Python calls.

/// Virtual size; the system commits pages as they are touched.
const STACK: usize = 1 << 30;

/// Runs `body` on a thread with a large stack and waits for it. A panic inside becomes `None`.
pub(crate) fn with_large_stack<T: Send>(body: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("evaluator".to_string())
            .stack_size(STACK)
            .spawn_scoped(scope, body)
            .ok()?
            .join()
            .ok()
    })
}

/// Starts a thread with a large stack. Whether there is one.
pub(crate) fn start_with_large_stack(body: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().name("evaluator".to_string()).stack_size(STACK).spawn(body).is_ok()
}
