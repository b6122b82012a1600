//! The functions of the `builtins` module: its table. By family: [`arithmetic`], [`collections`], [`output`],
//! [`reflection`], [`lazy`] (`map`, `zip` and their kin, which are classes), [`refused`] (dynamic code).

mod arithmetic;
mod collections;
pub(crate) mod lazy;
mod output;
mod reflection;
mod refused;

use crate::builtins::table::rows;
use crate::native::NativeDef;

/// The functions of `builtins`.
pub static FUNCTIONS: &[NativeDef] = rows! {
    "abs", "(x, /)", "Return the absolute value of the argument.", arithmetic::absolute;
    "all", "(iterable, /)", "Return True if bool(x) is True for all values x in the iterable.", collections::all;
    "any", "(iterable, /)", "Return True if bool(x) is True for any x in the iterable.", collections::any;
    "ascii", "(obj, /)", "Return repr(obj) with characters that are not ASCII escaped.", output::ascii;
    "bin", "(number, /)", "Return the binary representation of an integer.", arithmetic::binary_text;
    "callable", "(obj, /)", "Return whether the object is callable.", reflection::callable;
    "chr", "(i, /)", "Return a Unicode string of one character with ordinal i.", output::character;
    "compile", "(source, filename, mode, flags=0, dont_inherit=False, optimize=-1)", "Not available: code is not compiled at run time.", refused::compile;
    "delattr", "(obj, name, /)", "Deletes the named attribute from the given object.", reflection::delete_attribute;
    "dir", "(object=..., /)", "Names in the current scope, or the attributes of the object.", reflection::names;
    "divmod", "(x, y, /)", "Return the tuple (x//y, x%y).", arithmetic::divide;
    "eval", "(source, globals=None, locals=None, /)", "Not available: code is not compiled at run time.", refused::evaluate;
    "exec", "(source, globals=None, locals=None, /, *, closure=None)", "Not available: code is not compiled at run time.", refused::execute;
    "exit", "(code=None)", "Leave the program by raising SystemExit.", refused::exit;
    "format", "(value, format_spec='', /)", "Return value.__format__(format_spec).", output::format;
    "getattr", "(object, name, default=..., /)", "Get a named attribute from an object, or the default.", reflection::get_attribute;
    "globals", "()", "The dictionary of the current module's global variables.", reflection::globals;
    "hasattr", "(obj, name, /)", "Return whether the object has an attribute with the given name.", reflection::has_attribute;
    "hash", "(obj, /)", "Return the hash value for the given object.", reflection::hash;
    "hex", "(number, /)", "Return the hexadecimal representation of an integer.", arithmetic::hexadecimal_text;
    "id", "(obj, /)", "Return the identity of an object.", reflection::identity;
    "input", "(prompt='', /)", "Read a string from standard input, without its newline.", output::input;
    "isinstance", "(obj, class_or_tuple, /)", "Return whether an object is an instance of a class or of a subclass thereof.", reflection::is_instance;
    "issubclass", "(cls, class_or_tuple, /)", "Return whether 'cls' is derived from another class or is the same class.", reflection::is_subclass;
    "iter", "(object, sentinel=..., /)", "Get an iterator from an object, or from a callable until it returns the sentinel.", collections::iterator;
    "len", "(obj, /)", "Return the number of items in a container.", collections::length;
    "locals", "()", "A dictionary of the current scope's local variables.", reflection::locals;
    "max", "(*args, key=None, default=...)", "The largest of the arguments, or of the items of an iterable.", collections::largest;
    "min", "(*args, key=None, default=...)", "The smallest of the arguments, or of the items of an iterable.", collections::smallest;
    "next", "(iterator, default=..., /)", "Return the next item from the iterator, or the default at its end.", collections::next;
    "oct", "(number, /)", "Return the octal representation of an integer.", arithmetic::octal_text;
    "ord", "(c, /)", "Return the Unicode code point for a one-character string.", output::ordinal;
    "pow", "(base, exp, mod=None)", "Equivalent to base**exp with 2 arguments or base**exp % mod with 3 arguments.", arithmetic::power;
    "print", "(*args, sep=' ', end='\\n', file=None, flush=False)", "Prints the values to a stream, or to sys.stdout by default.", output::print;
    "quit", "(code=None)", "Leave the program by raising SystemExit.", refused::exit;
    "repr", "(obj, /)", "Return the canonical string representation of the object.", output::repr;
    "round", "(number, ndigits=None)", "Round a number to a given precision in decimal digits.", arithmetic::round;
    "setattr", "(obj, name, value, /)", "Sets the named attribute on the given object to the specified value.", reflection::set_attribute;
    "sorted", "(iterable, /, *, key=None, reverse=False)", "Return a new list containing all items from the iterable in ascending order.", collections::sorted;
    "sum", "(iterable, /, start=0)", "Return the sum of a 'start' value (default: 0) plus an iterable of numbers.", arithmetic::sum;
    "vars", "(object=..., /)", "The __dict__ of the object, or locals() without one.", reflection::variables;
    "__import__", "(name, globals=None, locals=None, fromlist=(), level=0)", "Import a module.", reflection::import;
    "__build_class__", "(func, name, /, *bases, **kwds)", "Used by the class statement; classes are made by the evaluator here.", refused::build_class;
    crate::library::open::ROW,
};
