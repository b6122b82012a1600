//! `numpy.testing`: assertions about arrays, with numpy's messages.

mod compare;
mod raises;

use crate::array::ArrayObject;
use crate::context::Context;
use crate::jnp::call;
use crate::numpy::NdArray;
use compare::{Check, Comparison, error_text};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::ast::BinaryOp;

/// The module.
pub(super) static MODULE: ModuleDef =
    ModuleDef { name: "numpy.testing", doc: "Assertions about arrays.", functions: FUNCTIONS, populate: |_, _| {} };

macro_rules! assertions {
    ($($name:literal $signature:literal $doc:literal $run:expr;)*) => {
        static FUNCTIONS: &[NativeDef] = &[
            $(NativeDef {
                name: $name,
                signature: $signature,
                doc: $doc,
                run: |interp, args| call::enter(&Context::numpy(interp), args, $run),
            },)*
            NativeDef {
                name: "assert_raises",
                signature: "(exception_class, callable=None, *args, **kwargs)",
                doc: "A callable, or the body of a `with`, must raise an exception of this class.",
                run: raises::assert_raises,
            },
            NativeDef {
                name: "assert_raises_regex",
                signature: "(exception_class, expected_regexp, callable=None, *args, **kwargs)",
                doc: "As assert_raises; the message must contain a match of the expression.",
                run: raises::assert_raises_regex,
            },
        ];
    };
}

assertions! {
    "assert_array_equal" "(actual, desired, err_msg='', verbose=True, *, strict=False)" "All elements are equal." array_equal;
    "assert_allclose" "(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg='', verbose=True, *, strict=False)" "All elements are equal up to tolerances." allclose;
    "assert_array_almost_equal" "(actual, desired, decimal=6, err_msg='', verbose=True)" "All elements agree up to a number of decimals." array_almost_equal;
    "assert_array_less" "(x, y, err_msg='', verbose=True, *, strict=False)" "Every element of x is less than that of y." array_less;
    "assert_equal" "(actual, desired, err_msg='', verbose=True, *, strict=False)" "Two objects are equal: numbers, containers or arrays." equal;
    "assert_almost_equal" "(actual, desired, decimal=7, err_msg='', verbose=True)" "Two numbers or arrays agree up to a number of decimals." almost_equal;
    "assert_approx_equal" "(actual, desired, significant=7, err_msg='', verbose=True)" "Two numbers agree up to a number of significant digits." approx_equal;
    "assert_" "(val, msg='')" "The value is true." assert_true;
}

fn text(cx: &Context<'_>, message: &Value) -> PyResult<String> {
    cx.interp.str(message)
}

/// The parts that most checks share.
fn check<'a>(
    cx: &Context<'_>,
    comparison: Comparison,
    header: String,
    message: &Value,
    verbose: &Value,
) -> PyResult<Check<'a>> {
    Ok(Check {
        comparison,
        header,
        message: text(cx, message)?,
        verbose: call::flag(cx, verbose)?,
        strict: false,
        equal_nan: true,
        equal_inf: true,
        precision: 6,
        names: ["ACTUAL", "DESIRED"],
    })
}

fn array_equal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [actual, desired, message, verbose, strict] = args.take();
    let mut check = check(cx, Comparison::Equal, "Arrays are not equal".into(), &message, &verbose)?;
    check.strict = call::flag(cx, &strict)?;
    check.run(cx, &actual, &desired)?;
    Ok(Value::None)
}

fn allclose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [actual, desired, rtol, atol, equal_nan, message, verbose, strict] = args.take();
    let header = format!(
        "Not equal to tolerance rtol={}, atol={}",
        cx.interp.format(&rtol, "g")?,
        cx.interp.format(&atol, "g")?
    );
    let close = Comparison::Close { rtol: cx.interp.to_f64(&rtol)?, atol: cx.interp.to_f64(&atol)? };
    let mut check = check(cx, close, header, &message, &verbose)?;
    check.strict = call::flag(cx, &strict)?;
    check.equal_nan = call::flag(cx, &equal_nan)?;
    check.run(cx, &actual, &desired)?;
    Ok(Value::None)
}

fn array_almost_equal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [actual, desired, decimal, message, verbose] = args.take();
    almost(cx, &actual, &desired, cx.interp.to_i64(&decimal)?, &message, &verbose)
}

fn almost(
    cx: &Context<'_>,
    actual: &Value,
    desired: &Value,
    decimal: i64,
    message: &Value,
    verbose: &Value,
) -> PyResult<Value> {
    let header = format!("Arrays are not almost equal to {decimal} decimals");
    let mut check = check(cx, Comparison::Almost { decimal }, header, message, verbose)?;
    check.precision = usize::try_from(decimal).unwrap_or(0);
    check.run(cx, actual, desired)?;
    Ok(Value::None)
}

fn array_less(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, y, message, verbose, strict] = args.take();
    let header = "Arrays are not strictly ordered `x < y`".to_string();
    let mut check = check(cx, Comparison::Less, header, &message, &verbose)?;
    check.strict = call::flag(cx, &strict)?;
    check.equal_inf = false;
    check.names = ["x", "y"];
    check.run(cx, &x, &y)?;
    Ok(Value::None)
}

fn is_array(value: &Value) -> bool {
    value.downcast::<NdArray>().is_some_and(|array| !array.is_scalar()) || value.downcast::<ArrayObject>().is_some()
}

fn is_sequence(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Tuple(_))
}

/// `AssertionError` with the two values shown by `repr`.
fn not_equal(
    cx: &Context<'_>,
    header: &str,
    message: &str,
    verbose: bool,
    actual: &Value,
    desired: &Value,
) -> PyResult<Box<Stop>> {
    let texts = [cx.interp.repr(actual)?, cx.interp.repr(desired)?];
    Ok(cx.interp.assertion_error(error_text(header, message, verbose, ["ACTUAL", "DESIRED"], texts)))
}

fn equal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [actual, desired, message, verbose, strict] = args.take();
    equal_values(cx, &actual, &desired, &text(cx, &message)?, call::flag(cx, &verbose)?, &strict)?;
    Ok(Value::None)
}

fn equal_values(
    cx: &Context<'_>,
    actual: &Value,
    desired: &Value,
    message: &str,
    verbose: bool,
    strict: &Value,
) -> PyResult<()> {
    let interp: &Interp = cx.interp;
    let lengths = |actual: usize, desired: usize| {
        equal_values(cx, &Value::from(actual), &Value::from(desired), message, verbose, strict)
    };
    if let Value::Dict(wanted) = desired {
        let Value::Dict(given) = actual else {
            let class = interp.repr(&Value::Class(interp.type_of(actual)))?;
            return Err(interp.assertion_error(class));
        };
        lengths(given.borrow().len(), wanted.borrow().len())?;
        let entries: Vec<(Value, Value)> =
            wanted.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        for (key, value) in entries {
            let shown = interp.repr(&key)?;
            let Some(found) = interp.dict_get(given, &key)? else {
                return Err(interp.assertion_error(shown));
            };
            equal_values(cx, &found, &value, &format!("key={shown}\n{message}"), verbose, strict)?;
        }
        return Ok(());
    }
    if is_sequence(desired) && is_sequence(actual) {
        let (given, wanted) = (interp.collect(actual)?, interp.collect(desired)?);
        lengths(given.len(), wanted.len())?;
        for (at, (given, wanted)) in given.iter().zip(&wanted).enumerate() {
            equal_values(cx, given, wanted, &format!("item={at}\n{message}"), verbose, strict)?;
        }
        return Ok(());
    }
    if is_array(actual) || is_array(desired) {
        let mut check =
            check(cx, Comparison::Equal, "Arrays are not equal".into(), &Value::str(message), &Value::Bool(verbose))?;
        check.strict = call::flag(cx, strict)?;
        return check.run(cx, actual, desired);
    }
    let failure = || not_equal(cx, "Items are not equal:", message, verbose, actual, desired);
    if is_sequence(actual) != is_sequence(desired) {
        return Err(failure()?);
    }
    let number = |value: &Value| match value {
        Value::Str(_) | Value::None => None,
        value => interp.to_f64(value).ok(),
    };
    if let (Some(given), Some(wanted)) = (number(actual), number(desired)) {
        if given.is_nan() && wanted.is_nan() {
            return Ok(());
        }
        if given == 0.0 && wanted == 0.0 && given.is_sign_negative() != wanted.is_sign_negative() {
            return Err(failure()?);
        }
    }
    if interp.equals(desired, actual)? { Ok(()) } else { Err(failure()?) }
}

fn almost_equal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [actual, desired, decimal, message, verbose] = args.take();
    let decimal = cx.interp.to_i64(&decimal)?;
    let array = |value: &Value| is_array(value) || is_sequence(value);
    if array(&actual) || array(&desired) {
        return almost(cx, &actual, &desired, decimal, &message, &Value::Bool(true));
    }
    let (given, wanted) = (cx.interp.to_f64(&actual)?, cx.interp.to_f64(&desired)?);
    let fails = if given.is_finite() && wanted.is_finite() {
        let difference = cx.interp.binary(BinaryOp::Sub, &desired, &actual)?;
        let difference = cx.interp.to_f64(&difference)?.abs();
        difference >= 1.5 * 10f64.powi(-decimal as i32)
    } else {
        !(given.is_nan() && wanted.is_nan()) && given != wanted
    };
    if !fails {
        return Ok(Value::None);
    }
    let header = format!("Arrays are not almost equal to {decimal} decimals");
    Err(not_equal(cx, &header, &text(cx, &message)?, call::flag(cx, &verbose)?, &actual, &desired)?)
}

fn approx_equal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [actual, desired, significant, message, verbose] = args.take();
    let (given, wanted) = (cx.interp.to_f64(&actual)?, cx.interp.to_f64(&desired)?);
    let significant = cx.interp.to_i64(&significant)?;
    let fails = if given == wanted {
        false
    } else if given.is_finite() && wanted.is_finite() {
        let scale = 10f64.powf((0.5 * (given.abs() + wanted.abs())).log10().floor());
        let scaled = |value: f64| if scale == 0.0 { 0.0 } else { value / scale };
        (scaled(wanted) - scaled(given)).abs() >= 10f64.powi(-(significant as i32 - 1))
    } else {
        !(given.is_nan() && wanted.is_nan())
    };
    if !fails {
        return Ok(Value::None);
    }
    let header = format!("Items are not equal to {significant} significant digits:");
    let (actual, desired) = (Value::Float(given), Value::Float(wanted));
    Err(not_equal(cx, &header, &text(cx, &message)?, call::flag(cx, &verbose)?, &actual, &desired)?)
}

fn assert_true(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [value, message] = args.take();
    if cx.interp.truth(&value)? {
        return Ok(Value::None);
    }
    let message = if cx.interp.is_callable(&message) { cx.interp.call_values(&message, [])? } else { message };
    let text = cx.interp.str(&message)?;
    // `AssertionError('')` has an argument, but prints like one without.
    Err(cx.interp.assertion_error(text))
}
