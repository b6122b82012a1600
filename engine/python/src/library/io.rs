//! `io`: streams, of text or of bytes: in memory, and those of files, which [`super::files`] opens.

use super::files::open::Opened;
use super::support::{arguments, form, iterator_of, row, text};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "io",
    doc: "Streams in memory.",
    functions: &[],
    populate: |interp, names| {
        if let Ok(open) = super::support::builtin(interp, "open") {
            names.insert("open".into(), open);
        }
        super::support::add_class(names, &interp.native_class(&STRING_IO));
        super::support::add_class(names, &interp.native_class(&BYTES_IO));
        let error = interp.exception_class("io", "UnsupportedOperation", &interp.types().os_error);
        names.insert("UnsupportedOperation".into(), Value::Class(error));
        for name in ["IOBase", "TextIOBase", "RawIOBase", "BufferedIOBase", "TextIOWrapper"] {
            let class = super::support::ClassBuilder::new(name, "io", &interp.types().object).build();
            super::support::add_class(names, &class);
        }
        names.insert("SEEK_SET".into(), Value::int(0i64));
        names.insert("SEEK_CUR".into(), Value::int(1i64));
        names.insert("SEEK_END".into(), Value::int(2i64));
        names.insert("DEFAULT_BUFFER_SIZE".into(), Value::int(8192i64));
    },
};

macro_rules! table {
    ($name:literal, $doc:literal, methods [$($method:expr),*], properties [$($property:expr),*], $construct:expr) => {
        NativeClass {
            name: $name,
            module: "_io",
            doc: $doc,
            methods: &[
                $($method,)*
                row("write", "(self, s, /)", "Writes at the position; returns how much.", write),
                row("writelines", "(self, lines, /)", "Writes several texts.", |interp, args| {
                    let [this, lines] = args.take();
                    for line in interp.collect(&lines)? {
                        interp.call_method(&this, "write", [line])?;
                    }
                    Ok(Value::None)
                }),
                row("read", "(self, size=-1, /)", "What follows the position.", read),
                row("readline", "(self, size=-1, /)", "The line that follows the position.", |interp, args| {
                    reading(interp, &args, |stream| Ok(stream.line()))
                }),
                row("readlines", "(self, hint=-1, /)", "The lines that follow the position.", |interp, args| {
                    reading(interp, &args, |stream| Ok(Value::list(stream.lines())))
                }),
                row("seek", "(self, pos, whence=0, /)", "Moves the position.", seek),
                row("tell", "(self, /)", "The position.", |interp, args| {
                    stream(interp, &args, |stream| Ok(stream.position.get().into()))
                }),
                row("truncate", "(self, pos=None, /)", "Cuts at the position.", truncate),
                row("flush", "(self, /)", "Puts what was written into the file.", |interp, args| {
                    stream(interp, &args, |stream| stream.flush(interp).map(|()| Value::None))
                }),
                row("isatty", "(self, /)", "False", |_, _| Ok(Value::Bool(false))),
                row("readable", "(self, /)", "Whether it can be read.", |interp, args| {
                    stream(interp, &args, |stream| Ok(stream.file.as_ref().is_none_or(|file| file.mode.reads).into()))
                }),
                row("writable", "(self, /)", "Whether it can be written.", |interp, args| {
                    stream(interp, &args, |stream| Ok(stream.file.as_ref().is_none_or(|file| file.mode.writes).into()))
                }),
                row("seekable", "(self, /)", "True", |_, _| Ok(Value::Bool(true))),
                row("fileno", "(self, /)", "There is none.", |interp, _| Err(unsupported(interp, "fileno"))),
                row("close", "(self, /)", "Frees it.", |interp, args| {
                    if let Some(stream) = args.get(0).downcast::<Stream>() {
                        stream.closed.set(true);
                        stream.flush(interp)?;
                    }
                    Ok(Value::None)
                }),
                row("__enter__", "(self, /)", "Itself.", |_, args| Ok(args.get(0).clone())),
                row("__exit__", "(self, *args)", "Frees it.", |interp, args| {
                    interp.call_method(args.get(0), "close", [])
                }),
            ],
            properties: &[
                $($property,)*
                row("closed", "(self)", "Whether it was closed.", |_, args| {
                    Ok(Value::Bool(args.get(0).downcast::<Stream>().is_some_and(|stream| stream.closed.get())))
                }),
            ],
            construct: Some($construct),
            instance_check: None,
        }
    };
}

macro_rules! of_memory {
    ($name:literal, $doc:literal, $construct:expr) => {
        table!(
            $name,
            $doc,
            methods [row("getvalue", "(self, /)", "Everything.", |interp, args| {
                stream(interp, &args, |stream| Ok(stream.value(&stream.items.borrow())))
            })],
            properties [],
            $construct
        )
    };
}

macro_rules! of_file {
    ($name:literal, $doc:literal) => {
        table!(
            $name,
            $doc,
            methods [],
            properties [
                row("name", "(self)", "The path that it was opened by.", |_, args| Ok(opened(&args, |file| &file.name))),
                row("mode", "(self)", "What it was opened for.", |_, args| Ok(opened(&args, |file| &file.mode.text))),
                row("encoding", "(self)", "How text is written.", |_, _| Ok(Value::str("UTF-8")))
            ],
            |interp, class, _| Err(interp.type_error(format!("{} objects are made by open()", class.name)))
        )
    };
}

static STRING_IO: NativeClass =
    of_memory!("StringIO", "StringIO(initial_value='', newline='\\n'): text in memory.", |interp, class, args| {
        let [initial, _] =
            arguments(interp, const { &form("StringIO", "(initial_value='', newline='\\n')") }, args)?.take();
        let items = match text(&initial) {
            Some(text) => characters(&text),
            None if initial.is_none() => Vec::new(),
            None => {
                return Err(
                    interp.type_error(format!("initial_value must be str or None, not {}", interp.type_name(&initial)))
                );
            }
        };
        Ok(make(class, items, false, None))
    });

static BYTES_IO: NativeClass =
    of_memory!("BytesIO", "BytesIO(initial_bytes=b''): bytes in memory.", |interp, class, args| {
        let [initial] = arguments(interp, const { &form("BytesIO", "(initial_bytes=...)") }, args)?.take();
        let items = match &initial {
            Value::Bytes(bytes) => bytes.iter().map(|byte| u32::from(*byte)).collect(),
            _ => Vec::new(),
        };
        Ok(make(class, items, true, None))
    });

static TEXT_FILE: NativeClass = of_file!("TextIOWrapper", "The text of a file.");
static BINARY_FILE: NativeClass = of_file!("BufferedRandom", "The bytes of a file.");

struct Stream {
    class: Rc<Class>,
    /// Characters or bytes.
    items: RefCell<Vec<u32>>,
    position: Cell<usize>,
    is_bytes: bool,
    closed: Cell<bool>,
    /// The file that it is of.
    file: Option<Opened>,
}

fn make(class: &Rc<Class>, items: Vec<u32>, is_bytes: bool, file: Option<Opened>) -> Value {
    Value::object(Stream {
        class: class.clone(),
        position: Cell::new(if file.as_ref().is_some_and(|file| file.mode.appends) { items.len() } else { 0 }),
        items: RefCell::new(items),
        is_bytes,
        closed: Cell::new(false),
        file,
    })
}

fn characters(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

/// The stream of a file that holds these bytes.
pub(super) fn of_file(interp: &Interp, bytes: &[u8], file: Opened) -> PyResult<Value> {
    if file.mode.is_bytes {
        let items = bytes.iter().map(|byte| u32::from(*byte)).collect();
        return Ok(make(&interp.native_class(&BINARY_FILE), items, true, Some(file)));
    }
    let items = match std::str::from_utf8(bytes) {
        // Lines end as they do in programs.
        Ok(text) => characters(&text.replace("\r\n", "\n")),
        // Python's own error says which byte it is.
        Err(_) => return interp.call_method(&Value::Bytes(Rc::from(bytes)), "decode", []),
    };
    Ok(make(&interp.native_class(&TEXT_FILE), items, false, Some(file)))
}

/// What `io.UnsupportedOperation` is raised for.
fn unsupported(interp: &Interp, what: &str) -> Box<Stop> {
    let class = interp.exception_class("io", "UnsupportedOperation", &interp.types().os_error);
    interp.error(&class, what.to_owned())
}

/// Something that is known of the file of a stream.
fn opened(args: &Arguments, known: impl Fn(&Opened) -> &str) -> Value {
    let stream = args.get(0).downcast::<Stream>();
    stream.and_then(|stream| stream.file.as_ref().map(|file| Value::str(known(file)))).unwrap_or(Value::None)
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Nobody can be told here; whoever wants to know closes the file.
            let _ = file.store(|| self.bytes());
        }
    }
}

impl Stream {
    /// What is in it, as a file has it.
    fn bytes(&self) -> Rc<[u8]> {
        match self.value(&self.items.borrow()) {
            Value::Bytes(bytes) => bytes,
            Value::Str(text) => Rc::from(text.as_bytes()),
            _ => Rc::from([]),
        }
    }

    fn flush(&self, interp: &Interp) -> PyResult<()> {
        match &self.file {
            Some(file) => file.store(|| self.bytes()).map_err(|why| super::files::error(interp, why, &file.name)),
            None => Ok(()),
        }
    }

    fn value(&self, items: &[u32]) -> Value {
        if self.is_bytes {
            Value::Bytes(items.iter().map(|item| *item as u8).collect())
        } else {
            Value::from(items.iter().filter_map(|item| char::from_u32(*item)).collect::<String>())
        }
    }

    fn take(&self, count: usize) -> Value {
        let items = self.items.borrow();
        let start = self.position.get().min(items.len());
        let end = start.saturating_add(count).min(items.len());
        self.position.set(end);
        self.value(&items[start..end])
    }

    fn line(&self) -> Value {
        let count = {
            let items = self.items.borrow();
            let rest = items.get(self.position.get()..).unwrap_or(&[]);
            rest.iter().position(|item| *item == u32::from('\n')).map_or(rest.len(), |at| at + 1)
        };
        self.take(count)
    }

    fn lines(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        while self.position.get() < self.items.borrow().len() {
            lines.push(self.line());
        }
        lines
    }
}

/// Runs `body` on the stream; ValueError once it was closed.
fn stream(interp: &Interp, args: &Arguments, body: impl FnOnce(&Stream) -> PyResult<Value>) -> PyResult<Value> {
    match args.get(0).downcast::<Stream>() {
        Some(stream) if stream.closed.get() => {
            let end = if stream.is_bytes || stream.file.is_some() { "." } else { "" };
            Err(interp.value_error(format!("I/O operation on closed file{end}")))
        }
        Some(stream) => body(stream),
        None => Ok(Value::None),
    }
}

/// The same for what reads; a file may have been opened for writing only.
fn reading(interp: &Interp, args: &Arguments, body: impl FnOnce(&Stream) -> PyResult<Value>) -> PyResult<Value> {
    stream(interp, args, |stream| match &stream.file {
        Some(file) if !file.mode.reads => {
            Err(unsupported(interp, if stream.is_bytes { "read" } else { "not readable" }))
        }
        _ => body(stream),
    })
}

/// The same for what writes.
fn writing(interp: &Interp, args: &Arguments, body: impl FnOnce(&Stream) -> PyResult<Value>) -> PyResult<Value> {
    stream(interp, args, |stream| match &stream.file {
        Some(file) if !file.mode.writes => {
            Err(unsupported(interp, if stream.is_bytes { "write" } else { "not writable" }))
        }
        Some(file) => {
            file.changed.set(true);
            if file.mode.appends {
                stream.position.set(stream.items.borrow().len());
            }
            body(stream)
        }
        None => body(stream),
    })
}

fn write(interp: &Interp, args: Arguments) -> PyResult<Value> {
    writing(interp, &args, |stream| {
        let items: Vec<u32> = match (args.get(1), stream.is_bytes) {
            (Value::Bytes(bytes), true) => bytes.iter().map(|byte| u32::from(*byte)).collect(),
            (Value::Unknown(_), _) => Vec::new(),
            (value, false) => match text(value) {
                Some(text) => characters(&text),
                None => {
                    let name = interp.type_name(value);
                    return Err(interp.type_error(match stream.file {
                        Some(_) => format!("write() argument must be str, not {name}"),
                        None => format!("string argument expected, got '{name}'"),
                    }));
                }
            },
            (value, true) => {
                return Err(
                    interp.type_error(format!("a bytes-like object is required, not '{}'", interp.type_name(value)))
                );
            }
        };
        let mut held = stream.items.borrow_mut();
        let start = stream.position.get();
        if held.len() < start {
            held.resize(start, 0);
        }
        let end = (start + items.len()).min(held.len());
        let count = items.len();
        held.splice(start..end, items);
        stream.position.set(start + count);
        Ok(count.into())
    })
}

fn read(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let size = if args.get(1).is_none() { -1 } else { interp.to_i64(args.get(1))? };
    reading(interp, &args, |stream| Ok(stream.take(usize::try_from(size).unwrap_or(usize::MAX))))
}

fn seek(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let (offset, whence) = (interp.to_i64(args.get(1))?, interp.to_i64(args.get(2))?);
    stream(interp, &args, |stream| {
        let base = match whence {
            0 => 0,
            1 => stream.position.get() as i64,
            _ => stream.items.borrow().len() as i64,
        };
        match usize::try_from(base + offset) {
            Ok(position) => {
                stream.position.set(position);
                Ok(position.into())
            }
            Err(_) => Err(interp.value_error(format!("Negative seek position {}", base + offset))),
        }
    })
}

fn truncate(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let size = if args.get(1).is_none() { None } else { Some(interp.to_usize(args.get(1))?) };
    writing(interp, &args, |stream| {
        let size = size.unwrap_or(stream.position.get());
        stream.items.borrow_mut().truncate(size);
        Ok(size.into())
    })
}

impl Object for Stream {
    fn class(&self, _: &Interp) -> Rc<Class> {
        self.class.clone()
    }

    fn iterate(&self, _: &Value, _: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(iterator_of(self.lines())))
    }
}
