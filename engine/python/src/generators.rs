//! Generators: frames that are put aside. `send`, `throw`, `close`, and `yield from`.

use crate::class::Class;
use crate::exec::control::{Completion, Control, Frame};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A generator.
pub struct Generator {
    /// Taken out while it runs; `None` for good when it is over.
    frame: RefCell<Option<Frame>>,
    running: Cell<bool>,
    started: Cell<bool>,
    name: Rc<str>,
    qualified_name: Rc<str>,
}

/// How a generator goes on.
enum Resume {
    Send(Value),
    Throw(Box<Stop>),
}

/// What a step of a generator gave.
enum Step {
    Yielded(Value),
    /// With the value of `return`.
    Returned(Value),
}

impl Generator {
    pub(crate) fn value(frame: Frame, qualified_name: Rc<str>) -> Value {
        Value::object(Generator {
            name: Rc::clone(&frame.name),
            qualified_name,
            frame: RefCell::new(Some(frame)),
            running: Cell::new(false),
            started: Cell::new(false),
        })
    }

    fn resume(&self, interp: &Interp, resume: Resume) -> PyResult<Step> {
        if self.running.get() {
            return Err(interp.value_error("generator already executing"));
        }
        let frame = self.frame.borrow_mut().take();
        let Some(mut frame) = frame else {
            return match resume {
                Resume::Send(_) => Ok(Step::Returned(Value::None)),
                Resume::Throw(stop) => Err(stop),
            };
        };
        let first = !self.started.replace(true);
        if first
            && let Resume::Send(value) = &resume
            && !value.is_none()
        {
            self.started.set(false);
            *self.frame.borrow_mut() = Some(frame);
            return Err(interp.type_error("can't send non-None value to a just-started generator"));
        }
        self.running.set(true);
        let (env, name) = (Rc::clone(&frame.env), Rc::clone(&frame.name));
        let outer = interp.handled.borrow().len();
        interp.handled.borrow_mut().extend(frame.handled.iter().cloned());
        let result = interp.in_frame(&env, &name, || interp.resume_frame(&mut frame, resume, first));
        interp.handled.borrow_mut().truncate(outer);
        self.running.set(false);
        match result {
            Ok(Completion::Yield(value)) => {
                *self.frame.borrow_mut() = Some(frame);
                Ok(Step::Yielded(value))
            }
            Ok(Completion::Return(value)) => Ok(Step::Returned(value)),
            // PEP 479: StopIteration must not end the caller's loop.
            Err(stop) if interp.stop_is(&stop, &interp.types().stop_iteration) => {
                Err(interp.replaced(*stop, "generator raised StopIteration"))
            }
            Err(stop) => Err(stop),
        }
    }
}

impl Object for Generator {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        Rc::clone(&interp.types().generator)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::str(&self.name)),
            "__qualname__" => Some(Value::str(&self.qualified_name)),
            "gi_running" => Some(Value::Bool(self.running.get())),
            _ => None,
        })
    }

    fn iterate(&self, this: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(this.clone()))
    }

    fn next(&self, interp: &Interp) -> Option<PyResult<Option<Value>>> {
        Some(match self.resume(interp, Resume::Send(Value::None)) {
            Ok(Step::Yielded(value)) => Ok(Some(value)),
            Ok(Step::Returned(_)) => Ok(None),
            Err(stop) => Err(stop),
        })
    }

    fn repr(&self, this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let address = match this {
            Value::Object(object) => Rc::as_ptr(object).cast::<()>() as usize,
            _ => 0,
        };
        Ok(Some(format!("<generator object {} at 0x{address:x}>", self.qualified_name)))
    }
}

impl Interp {
    /// `next(iterator)`: StopIteration at the end, with the value that a generator returned.
    pub fn next_item(&self, iterator: &Value) -> PyResult<Value> {
        if let Some(generator) = iterator.downcast::<Generator>() {
            return finish(self, generator.resume(self, Resume::Send(Value::None))?);
        }
        match self.next(iterator)? {
            Some(item) => Ok(item),
            None => Err(self.stop_iteration(Value::None)),
        }
    }

    fn resume_frame(&self, frame: &mut Frame, resume: Resume, first: bool) -> PyResult<Completion> {
        if let Some(delegate) = frame.delegate.clone() {
            match self.resume_delegate(frame, &delegate, resume) {
                Ok(Some(value)) => return Ok(Completion::Yield(value)),
                Ok(None) => return self.run_frame(frame),
                Err(stop) => return self.raise_in_frame(frame, stop),
            }
        }
        match resume {
            Resume::Send(value) => {
                if !first && let Some(replay) = &frame.env.replay {
                    replay.answer(value);
                }
                self.run_frame(frame)
            }
            Resume::Throw(stop) => {
                if first {
                    // It never began, so nothing in it can catch this.
                    frame.control.clear();
                }
                self.raise_in_frame(frame, stop)
            }
        }
    }

    /// Raises an exception where the frame is suspended.
    fn raise_in_frame(&self, frame: &mut Frame, stop: Box<Stop>) -> PyResult<Completion> {
        if let Some(span) = frame.env.replay.as_ref().and_then(|replay| replay.waiting_span()) {
            self.position.set(span);
        }
        let stop = self.traced(frame, stop);
        match self.unwind(frame, crate::exec::control::Leave::Raise(stop))? {
            Some(value) => Ok(Completion::Return(value)),
            None => self.run_frame(frame),
        }
    }

    /// Begins `yield from`: the first value to yield, or `None` where the iterator is at its end and the frame goes on.
    pub(crate) fn delegate(&self, frame: &mut Frame, iterator: Value) -> PyResult<Option<Value>> {
        frame.delegate = Some(iterator.clone());
        match self.resume_delegate(frame, &iterator, Resume::Send(Value::None)) {
            Ok(value) => Ok(value),
            Err(stop) => {
                frame.delegate = None;
                let stop = self.traced(frame, stop);
                match self.unwind(frame, crate::exec::control::Leave::Raise(stop))? {
                    // A `finally` that returns: let the run loop find it again.
                    Some(value) => {
                        frame.control.clear();
                        frame.perhaps.clear();
                        frame
                            .control
                            .push(Control::Finally { pending: Some(crate::exec::control::Leave::Return(value)) });
                        Ok(None)
                    }
                    None => Ok(None),
                }
            }
        }
    }

    /// Passes a value or an exception on to the iterator that the frame delegates to.
    fn resume_delegate(&self, frame: &mut Frame, iterator: &Value, resume: Resume) -> PyResult<Option<Value>> {
        let step = match iterator.downcast::<Generator>() {
            Some(inner) => match resume {
                Resume::Throw(stop) if self.stop_is(&stop, &self.types().generator_exit) => {
                    frame.delegate = None;
                    self.close_generator(inner)?;
                    return Err(stop);
                }
                resume => inner.resume(self, resume),
            },
            None => match resume {
                Resume::Send(value) => self.step_iterator(iterator, value),
                Resume::Throw(stop) => self.throw_into(iterator, stop),
            },
        };
        match step {
            Ok(Step::Yielded(value)) => Ok(Some(value)),
            Ok(Step::Returned(value)) => {
                frame.delegate = None;
                if let Some(replay) = &frame.env.replay {
                    replay.answer(value);
                }
                Ok(None)
            }
            Err(stop) => {
                frame.delegate = None;
                Err(stop)
            }
        }
    }

    fn step_iterator(&self, iterator: &Value, sent: Value) -> PyResult<Step> {
        let result = match (iterator, sent.is_none()) {
            (Value::Instance(_), true) => self.call_special(iterator, "__next__", []),
            (_, true) => {
                return Ok(match self.next(iterator)? {
                    Some(value) => Step::Yielded(value),
                    None => Step::Returned(Value::None),
                });
            }
            _ => self.call_method(iterator, "send", [sent]).map(Some),
        };
        self.step_of(result)
    }

    fn throw_into(&self, iterator: &Value, stop: Box<Stop>) -> PyResult<Step> {
        let Stop::Raise(raise) = &*stop else {
            return Err(stop);
        };
        match self.find_attr(iterator, "throw")? {
            Some(throw) => self.step_of(self.call_values(&throw, [raise.exception.clone()]).map(Some)),
            None => Err(stop),
        }
    }

    fn step_of(&self, result: PyResult<Option<Value>>) -> PyResult<Step> {
        match result {
            Ok(value) => Ok(Step::Yielded(value.unwrap_or(Value::None))),
            Err(stop) => match &*stop {
                Stop::Raise(raise) if self.exception_is(&raise.exception, &self.types().stop_iteration) => {
                    Ok(Step::Returned(self.get_attr(&raise.exception, "value")?))
                }
                _ => Err(stop),
            },
        }
    }

    fn close_generator(&self, generator: &Generator) -> PyResult<()> {
        if generator.frame.borrow().is_none() && !generator.running.get() {
            return Ok(());
        }
        if !generator.started.get() {
            let frame = generator.frame.borrow_mut().take();
            drop(frame);
            return Ok(());
        }
        let exit = self.error(&self.types().generator_exit, "");
        match generator.resume(self, Resume::Throw(exit)) {
            Ok(Step::Yielded(_)) => Err(self.runtime_error("generator ignored GeneratorExit")),
            Ok(Step::Returned(_)) => Ok(()),
            Err(stop)
                if self.stop_is(&stop, &self.types().generator_exit)
                    || self.stop_is(&stop, &self.types().stop_iteration) =>
            {
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }

    /// A RuntimeError with `stop` as its cause.
    fn replaced(&self, stop: Stop, message: &str) -> Box<Stop> {
        let Stop::Raise(raise) = stop else {
            return self.runtime_error(message);
        };
        self.store_traceback(&raise);
        let error = self.runtime_error(message);
        if let Stop::Raise(new) = &*error {
            crate::exceptions::set_field(&new.exception, "__cause__", raise.exception.clone());
            crate::exceptions::set_field(&new.exception, "__context__", raise.exception);
            crate::exceptions::set_field(&new.exception, "__suppress_context__", Value::Bool(true));
        }
        error
    }
}

fn generator<'a>(interp: &Interp, this: &'a Value) -> PyResult<&'a Generator> {
    this.downcast::<Generator>()
        .ok_or_else(|| interp.type_error(format!("expected a generator, not '{}'", interp.type_name(this))))
}

fn finish(interp: &Interp, step: Step) -> PyResult<Value> {
    match step {
        Step::Yielded(value) => Ok(value),
        Step::Returned(value) => Err(interp.stop_iteration(value)),
    }
}

pub(crate) fn send(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, value] = args.take();
    let step = generator(interp, &this)?.resume(interp, Resume::Send(value))?;
    finish(interp, step)
}

pub(crate) fn next(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let step = generator(interp, &this)?.resume(interp, Resume::Send(Value::None))?;
    finish(interp, step)
}

pub(crate) fn iter(_interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(this)
}

pub(crate) fn throw(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, kind, value, _traceback] = args.take();
    let exception = match (&kind, value) {
        (Value::Class(_), value @ Value::Instance(_))
            if interp.exception_is(&value, &interp.types().base_exception) =>
        {
            value
        }
        (Value::Class(_), Value::None | Value::Unset) => interp.exception_from(&kind)?,
        (Value::Class(_), value) => interp.call_values(&kind, [value])?,
        _ => interp.exception_from(&kind)?,
    };
    let stop = interp.raise_value(exception, None);
    let step = generator(interp, &this)?.resume(interp, Resume::Throw(stop))?;
    finish(interp, step)
}

pub(crate) fn close(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    interp.close_generator(generator(interp, &this)?)?;
    Ok(Value::None)
}
