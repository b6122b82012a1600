//! `set_printoptions` and what turns arrays into text: `array2string`, `array_repr`, `array_str`, and `printoptions` as
//! a context manager. The text itself is made in `pallas_tensor::print`.

use super::NdArray;
use crate::context::Context;
use crate::jnp::call::{self, given};
use crate::jnp::creation::array_from;
use crate::text::PrintState;
use crate::tile::Tile;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::Array;
use pallas_tensor::print::{self, FloatMode, PrintOptions, Sign};
use std::cell::RefCell;
use std::rc::Rc;

/// Rows of the module.
pub(super) static ROWS: &[NativeDef] = &[
    NativeDef {
        name: "set_printoptions",
        signature: "(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, \
                    infstr=None, formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None)",
        doc: "Sets how arrays are printed.",
        run: set_printoptions,
    },
    NativeDef {
        name: "get_printoptions",
        signature: "()",
        doc: "How arrays are printed, as a dict.",
        run: |interp, _args| {
            let state = interp.extension::<PrintState>();
            let options = state.options.borrow().clone();
            Ok(as_dict(interp, &options))
        },
    },
    NativeDef {
        name: "printoptions",
        signature: "(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, \
                    infstr=None, formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None)",
        doc: "Print options for the body of a `with`.",
        run: printoptions,
    },
    NativeDef {
        name: "array2string",
        signature: "(a, max_line_width=None, precision=None, suppress_small=None, separator=' ', prefix='', *, \
                    formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix='', legacy=None)",
        doc: "The elements of an array in brackets.",
        run: array2string,
    },
    NativeDef {
        name: "array_repr",
        signature: "(arr, max_line_width=None, precision=None, suppress_small=None)",
        doc: "What repr shows of an array.",
        run: |interp, args| array_text(interp, &args, print::numpy_repr_with),
    },
    NativeDef {
        name: "array_str",
        signature: "(a, max_line_width=None, precision=None, suppress_small=None)",
        doc: "What print shows of an array.",
        run: |interp, args| {
            array_text(interp, &args, |array, options| match array.rank() {
                0 => print::numpy_str_with(array, options),
                _ => print::array2string(array, options, " ", "", ""),
            })
        },
    },
];

/// Options with the given ones changed, in the order of `set_printoptions`'s first ten parameters.
fn changed(interp: &Interp, mut options: PrintOptions, values: &[Value]) -> PyResult<PrintOptions> {
    let count = |value: &Value| -> PyResult<usize> {
        match value {
            Value::Float(value) if value.is_infinite() => Ok(usize::MAX),
            value => interp.to_usize(value),
        }
    };
    let at = |index: usize| values.get(index).and_then(given);
    if let Some(value) = at(0) {
        options.precision = count(value)?;
    }
    if let Some(value) = at(1) {
        options.threshold = match value {
            Value::Float(value) if value.is_nan() => {
                return Err(
                    interp.value_error("threshold must be non-NAN, try sys.maxsize for untruncated representation")
                );
            }
            Value::Str(_) => return Err(interp.type_error("threshold must be numeric")),
            value => count(value)?,
        };
    }
    if let Some(value) = at(2) {
        options.edgeitems = count(value)?;
    }
    if let Some(value) = at(3) {
        options.linewidth = count(value)?;
    }
    if let Some(value) = at(4) {
        options.suppress = interp.truth(value)?;
    }
    if let Some(value) = at(5) {
        options.nanstr = interp.to_str(value)?.to_string();
    }
    if let Some(value) = at(6) {
        options.infstr = interp.to_str(value)?.to_string();
    }
    if at(7).is_some() {
        return Err(
            interp.not_implemented_error("formatter functions are not supported; use precision, suppress or sign")
        );
    }
    if let Some(value) = at(8) {
        options.sign = match &*interp.to_str(value)? {
            "-" => Sign::Minus,
            "+" => Sign::Plus,
            " " => Sign::Space,
            _ => return Err(interp.value_error("sign option must be one of ' ', '+', or '-'")),
        };
    }
    if let Some(value) = at(9) {
        options.floatmode = match &*interp.to_str(value)? {
            "fixed" => FloatMode::Fixed,
            "unique" => FloatMode::Unique,
            "maxprec" => FloatMode::Maxprec,
            "maxprec_equal" => FloatMode::MaxprecEqual,
            _ => {
                return Err(interp.value_error(
                    "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"",
                ));
            }
        };
    }
    Ok(options)
}

fn as_dict(interp: &Interp, options: &PrintOptions) -> Value {
    let count = |value: usize| Value::from(i64::try_from(value).unwrap_or(i64::MAX));
    interp.dict_of([
        ("edgeitems", count(options.edgeitems)),
        ("threshold", count(options.threshold)),
        (
            "floatmode",
            Value::str(match options.floatmode {
                FloatMode::Fixed => "fixed",
                FloatMode::Unique => "unique",
                FloatMode::Maxprec => "maxprec",
                FloatMode::MaxprecEqual => "maxprec_equal",
            }),
        ),
        ("precision", count(options.precision)),
        ("suppress", Value::Bool(options.suppress)),
        ("linewidth", count(options.linewidth)),
        ("nanstr", Value::str(&options.nanstr)),
        ("infstr", Value::str(&options.infstr)),
        (
            "sign",
            Value::str(match options.sign {
                Sign::Minus => "-",
                Sign::Plus => "+",
                Sign::Space => " ",
            }),
        ),
        ("formatter", Value::None),
        ("legacy", Value::Bool(false)),
        ("override_repr", Value::None),
    ])
}

fn set_printoptions(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let state = interp.extension::<PrintState>();
    let options = state.options.borrow().clone();
    *state.options.borrow_mut() = changed(interp, options, args.values())?;
    Ok(Value::None)
}

/// `with np.printoptions(...)`
struct Scope {
    inside: PrintOptions,
    outside: RefCell<Option<PrintOptions>>,
}

static SCOPE: NativeClass = NativeClass {
    name: "_GeneratorContextManager",
    module: "contextlib",
    doc: "Print options for the body of a `with`.",
    methods: &[
        NativeDef { name: "__enter__", signature: "(self)", doc: "Sets the options.", run: enter },
        NativeDef {
            name: "__exit__",
            signature: "(self, typ, value, traceback)",
            doc: "Puts the options back.",
            run: exit,
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Scope {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SCOPE)
    }
}

fn printoptions(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let options = interp.extension::<PrintState>().options.borrow().clone();
    let inside = changed(interp, options, args.values())?;
    Ok(Value::object(Scope { inside, outside: RefCell::new(None) }))
}

fn enter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let Some(scope) = args.get(0).downcast::<Scope>() else {
        return Err(interp.type_error("__enter__ needs the context of printoptions"));
    };
    let state = interp.extension::<PrintState>();
    let outside = std::mem::replace(&mut *state.options.borrow_mut(), scope.inside.clone());
    *scope.outside.borrow_mut() = Some(outside);
    Ok(as_dict(interp, &scope.inside))
}

fn exit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(scope) = args.get(0).downcast::<Scope>()
        && let Some(outside) = scope.outside.borrow_mut().take()
    {
        *interp.extension::<PrintState>().options.borrow_mut() = outside;
    }
    Ok(Value::None)
}

/// The data of an argument; `None` where analysis has none.
fn data(interp: &Interp, value: &Value) -> PyResult<Option<Array>> {
    let cx = Context::numpy(interp);
    let tile = match value.downcast::<NdArray>() {
        Some(array) => array.tile(&cx)?,
        None => array_from(&cx, value, None)?,
    };
    Ok(match tile {
        Tile::Concrete { array, .. } => Some(array),
        _ => None,
    })
}

fn unknown(interp: &Interp) -> Value {
    call::data_dependent(&Context::numpy(interp), "array2string")
}

fn array2string(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [
        a,
        width,
        precision,
        suppress,
        separator,
        prefix,
        formatter,
        threshold,
        edgeitems,
        sign,
        floatmode,
        suffix,
        _legacy,
    ] = args.take();
    let Some(array) = data(interp, &a)? else { return Ok(unknown(interp)) };
    let options = interp.extension::<PrintState>().options.borrow().clone();
    let none = Value::None;
    let values = [precision, threshold, edgeitems, width, suppress, none.clone(), none, formatter, sign, floatmode];
    let options = changed(interp, options, &values)?;
    let (separator, prefix, suffix) = (interp.to_str(&separator)?, interp.to_str(&prefix)?, interp.to_str(&suffix)?);
    Ok(Value::from(print::array2string(&array, &options, &separator, &prefix, &suffix)))
}

fn array_text(interp: &Interp, args: &Arguments, text: fn(&Array, &PrintOptions) -> String) -> PyResult<Value> {
    let Some(array) = data(interp, args.get(0))? else { return Ok(unknown(interp)) };
    let options = interp.extension::<PrintState>().options.borrow().clone();
    let none = Value::None;
    let values = [args.get(2).clone(), none.clone(), none, args.get(1).clone(), args.get(3).clone()];
    let options = changed(interp, options, &values)?;
    Ok(Value::from(text(&array, &options)))
}
