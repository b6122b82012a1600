//! `itertools`: lazy iterators. Those that pass items on are in [`chains`], those that arrange them in [`arrange`].

mod arrange;
mod chains;
mod group;
mod tee;

use super::support::row;
use crate::module::ModuleDef;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "itertools",
    doc: "Iterators for efficient looping.",
    functions: &[row("tee", "(iterable, n=2, /)", "n independent iterators over one iterable.", tee::tee)],
    populate: |interp, names| {
        for table in chains::CLASSES.iter().chain(arrange::CLASSES).chain(group::CLASSES) {
            super::support::add_class(names, &interp.native_class(table));
        }
    },
};

/// The table of an iterator class.
macro_rules! iterator_class {
    ($table:ident, $name:literal, $doc:literal, $construct:expr) => {
        iterator_class!($table, $name, $doc, $construct, &[]);
    };
    ($table:ident, $name:literal, $doc:literal, $construct:expr, $methods:expr) => {
        static $table: crate::class::NativeClass = crate::class::NativeClass {
            name: $name,
            module: "itertools",
            doc: $doc,
            methods: $methods,
            properties: &[],
            construct: Some($construct),
            instance_check: None,
        };
    };
}
use iterator_class;
