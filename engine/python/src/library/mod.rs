//! The standard modules that kernels import, written in Rust. One module, one file or folder; functions are tables with
//! signatures and one line of documentation each, which help, completion and hovers read.
//!
//! What touches files, processes or the network is importable and says so when used.

mod abc;
mod argparse;
mod assertions;
mod bisect;
mod collections;
mod contextlib;
mod copy;
mod dataclasses;
mod enumeration;
mod files;
mod fractions;
mod functools;
mod heapq;
mod importlib;
mod inspect;
mod io;
mod itertools;
mod json;
mod logging;
mod math;
mod operator;
mod os;
mod pathlib;
mod pprint;
mod random;
mod re;
mod small;
mod statistics;
mod string;
mod support;
mod sys;
mod testing;
mod textwrap;
mod time;
mod timeit;
mod traceback;
mod types;
pub(crate) mod typing;
mod unavailable;
mod warnings;
pub(crate) mod written;
mod zlib;

pub use dataclasses::declare_fields;
pub use functools::Partial;
pub(crate) use functools::is_partial;
pub use sys::hook::uncaught;
pub(crate) use sys::streams::replaced_stdout;

use crate::call::CallArgs;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::NativeFunction;
use crate::value::Value;

/// Every standard module.
pub static MODULES: &[&ModuleDef] = &[
    &abc::MODULE,
    &argparse::MODULE,
    &assertions::MODULE,
    &testing::MODULE,
    &bisect::MODULE,
    &collections::MODULE,
    &collections::abc::MODULE,
    &contextlib::MODULE,
    &copy::MODULE,
    &dataclasses::MODULE,
    &enumeration::MODULE,
    &fractions::MODULE,
    &functools::MODULE,
    &heapq::MODULE,
    &importlib::METADATA,
    &importlib::MODULE,
    &importlib::RESOURCES,
    &importlib::UTIL,
    &inspect::MODULE,
    &io::MODULE,
    &itertools::MODULE,
    &json::MODULE,
    &logging::MODULE,
    &math::MODULE,
    &operator::MODULE,
    &os::MODULE,
    &os::path::MODULE,
    &pathlib::MODULE,
    &pprint::MODULE,
    &random::MODULE,
    &re::MODULE,
    &small::ATEXIT,
    &small::FUTURE,
    &small::GC,
    &small::NUMBERS,
    &small::PLATFORM,
    &small::WEAKREF,
    &statistics::MODULE,
    &string::MODULE,
    &sys::MODULE,
    &textwrap::MODULE,
    &time::MODULE,
    &timeit::MODULE,
    &traceback::MODULE,
    &types::MODULE,
    &typing::EXTENSIONS,
    &typing::MODULE,
    &unavailable::ASYNCIO,
    &unavailable::CONCURRENT,
    &unavailable::MULTIPROCESSING,
    &unavailable::PICKLE,
    &unavailable::PROCESS,
    &unavailable::QUEUE,
    &unavailable::SIGNAL,
    &unavailable::SOCKET,
    &unavailable::SUBPROCESS,
    &unavailable::THREADING,
    &warnings::MODULE,
    &zlib::MODULE,
];

pub(crate) use files::open;

/// The first unknown value among the arguments of a call, also inside a list or tuple.
pub(crate) fn unknown_argument(args: &CallArgs) -> Option<Value> {
    let values = || args.positional.iter().chain(args.keywords.iter().map(|(_, value)| value));
    values().find_map(|value| match value {
        Value::Unknown(_) => Some(value.clone()),
        Value::List(items) => support::unknown(&items.borrow()),
        Value::Tuple(items) => support::unknown(items),
        _ => None,
    })
}

/// Whether a function is one of a standard module.
pub(crate) fn is_standard(native: &NativeFunction) -> bool {
    MODULES.iter().any(|module| module.name == native.module)
}

/// Makes the standard modules importable.
pub(crate) fn register(interp: &Interp) {
    for module in MODULES {
        interp.register(module);
    }
}
