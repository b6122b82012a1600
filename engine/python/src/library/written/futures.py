"""Executors with one thread, that of the program: what is submitted is done at once, in the order in which it is submitted. No
program can tell, unless it waits in one task for another."""

import collections

FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = "FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"


class CancelledError(Exception):
    pass


class InvalidStateError(Exception):
    pass


TimeoutError = TimeoutError
BrokenExecutor = type("BrokenExecutor", (RuntimeError,), {})
DoneAndNotDoneFutures = collections.namedtuple("DoneAndNotDoneFutures", "done not_done")


class Future:
    def __init__(self):
        self._is_done, self._result, self._exception, self._callbacks = False, None, None, []

    def cancel(self):
        return False

    def cancelled(self):
        return False

    def running(self):
        return False

    def done(self):
        return self._is_done

    def result(self, timeout=None):
        self._wait()
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self, timeout=None):
        self._wait()
        return self._exception

    def add_done_callback(self, fn):
        if self._is_done:
            fn(self)
        else:
            self._callbacks.append(fn)

    def set_result(self, result):
        self._result = result
        self._end()

    def set_exception(self, exception):
        self._exception = exception
        self._end()

    def set_running_or_notify_cancel(self):
        return True

    def _wait(self):
        if not self._is_done:
            raise TimeoutError("this Future waits for something that nothing will do: programs run here in one thread")

    def _end(self):
        if self._is_done:
            raise InvalidStateError(f"FINISHED: {self!r}")
        self._is_done = True
        for each in self._callbacks:
            each(self)


class Executor:
    _is_shut_down = False

    def __init__(self, max_workers=None, *args, initializer=None, initargs=(), **kwargs):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._initializer = initializer and (lambda: initializer(*initargs))

    def submit(self, fn, /, *args, **kwargs):
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        if self._initializer is not None:
            begin, self._initializer = self._initializer, None
            begin()
        future = Future()
        try:
            result = fn(*args, **kwargs)
        except Exception as exception:
            future.set_exception(exception)
        else:
            future.set_result(result)
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        futures = [self.submit(fn, *each) for each in zip(*iterables)]
        return (each.result() for each in futures)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_shut_down = True

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.shutdown()
        return False


class ThreadPoolExecutor(Executor):
    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        super().__init__(max_workers, initializer=initializer, initargs=initargs)


class ProcessPoolExecutor(Executor):
    def __init__(self, *args, **kwargs):
        raise OSError("concurrent.futures.ProcessPoolExecutor is not available: programs run here in one process; take ThreadPoolExecutor")


def as_completed(fs, timeout=None):
    return iter(list(dict.fromkeys(fs)))


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    return DoneAndNotDoneFutures({each for each in fs if each.done()}, {each for each in fs if not each.done()})
