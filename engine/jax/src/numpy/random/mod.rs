//! `numpy.random`: `default_rng` (PCG64) and the functions around `np.random.seed` (MT19937), with numpy's own streams.
//! Drawn are uniform and normal variables, integers, choices and permutations; other distributions are refused.

mod bits;
mod bounded;
mod draw;
mod normal;
mod sampler;
mod widths;

use bits::{Bits, Mersenne};
use bounded::Method;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use sampler::Sampler;
use std::cell::RefCell;
use std::rc::Rc;

/// The module.
pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "numpy.random",
    doc: "Random numbers.",
    functions: FUNCTIONS,
    populate: |interp, namespace| {
        for (name, class) in sampler::classes(interp) {
            namespace.insert(Name::from(name), Value::Class(class));
        }
    },
};

/// The generator behind the functions of the module.
#[derive(Default)]
struct Global(RefCell<Option<Rc<Sampler>>>);

/// The generator behind `np.random.rand` and its kin; unseeded until `np.random.seed`.
fn global(interp: &Interp) -> PyResult<Value> {
    let global = interp.extension::<Global>();
    let known = global.0.borrow().clone();
    let sampler = match known {
        Some(sampler) => sampler,
        None => {
            let sampler = Rc::new(Sampler::new(legacy_bits(interp, &Value::None)?, Method::Masked));
            *global.0.borrow_mut() = Some(sampler.clone());
            sampler
        }
    };
    Ok(Value::Object(sampler))
}

/// The words of a seed: an integer, lowest word first, or a sequence of integers one after the other.
///
/// # Errors
/// `ValueError: expected non-negative integer`; `TypeError` for what is no integer.
fn seed_words(interp: &Interp, seed: &Value) -> PyResult<Vec<u32>> {
    if seed.is_none() {
        // The only entropy that a program gets here is its clock.
        let clock = interp.host().seconds().to_bits();
        return Ok(vec![clock as u32, (clock >> 32) as u32]);
    }
    let items = match interp.as_index(seed)? {
        Some(int) => {
            if int.is_negative() {
                return Err(interp.value_error("expected non-negative integer"));
            }
            let (_, words) = int.to_big().to_u32_digits();
            return Ok(if words.is_empty() { vec![0] } else { words });
        }
        None => interp.collect(seed).map_err(|_| {
            interp.type_error("SeedSequence expects int or sequence of ints for entropy not something else")
        })?,
    };
    let mut words = Vec::new();
    for item in items {
        words.extend(seed_words(interp, &item)?);
    }
    Ok(words)
}

/// The bits of `RandomState(seed)`.
///
/// # Errors
/// `ValueError: Seed must be between 0 and 2**32 - 1`
fn legacy_bits(interp: &Interp, seed: &Value) -> PyResult<Bits> {
    let single = interp.as_index(seed)?.is_some();
    let words = match seed_words(interp, seed) {
        Ok(words) if !single || words.len() == 1 => words,
        Ok(_) => return Err(interp.value_error("Seed must be between 0 and 2**32 - 1")),
        Err(_) if single => return Err(interp.value_error("Seed must be between 0 and 2**32 - 1")),
        Err(stop) => return Err(stop),
    };
    let mersenne = if single { Mersenne::new(words[0]) } else { Mersenne::from_key(&words) };
    Ok(Bits::Mersenne(Box::new(mersenne)))
}

fn default_rng(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let seed = args.get(0);
    if seed.is_unknown() || seed.downcast::<Sampler>().is_some() {
        return Ok(seed.clone());
    }
    Ok(Value::object(Sampler::seeded(seed_words(interp, seed)?)))
}

fn seed(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if args.get(0).is_unknown() {
        return Ok(Value::None);
    }
    let sampler = Sampler::new(legacy_bits(interp, args.get(0))?, Method::Masked);
    *interp.extension::<Global>().0.borrow_mut() = Some(Rc::new(sampler));
    Ok(Value::None)
}

/// Calls a method of the global generator.
fn on_global(interp: &Interp, name: &str, args: Arguments) -> PyResult<Value> {
    let global = global(interp)?;
    let method = interp.get_attr(&global, name)?;
    let mut values: Vec<Value> = args.values().to_vec();
    // `rand(2, 3)` arrives as one tuple, and goes on as arguments.
    if matches!(name, "rand" | "randn")
        && let Some(Value::Tuple(items)) = values.first().cloned()
    {
        values = items.to_vec();
    }
    interp.call_values(&method, values)
}

macro_rules! functions {
    ($($name:literal $signature:literal $doc:literal;)*) => {
        static FUNCTIONS: &[NativeDef] = &[
            NativeDef {
                name: "default_rng",
                signature: "(seed=None)",
                doc: "A generator with numpy's recommended source of bits.",
                run: default_rng,
            },
            NativeDef { name: "seed", signature: "(seed=None)", doc: "Seeds the functions of this module.", run: seed },
            $(NativeDef {
                name: $name,
                signature: $signature,
                doc: $doc,
                run: |interp, args| on_global(interp, $name, args),
            }),*
        ];
    };
}

functions! {
    "rand" "(*args)" "Uniform in [0, 1), the dimensions given one by one.";
    "randn" "(*args)" "Standard normals, the dimensions given one by one.";
    "random" "(size=None)" "Uniform in [0, 1).";
    "random_sample" "(size=None)" "Uniform in [0, 1).";
    "ranf" "(size=None)" "Uniform in [0, 1).";
    "sample" "(size=None)" "Uniform in [0, 1).";
    "uniform" "(low=0.0, high=1.0, size=None)" "Uniform in [low, high).";
    "normal" "(loc=0.0, scale=1.0, size=None)" "Normals of a mean and a standard deviation.";
    "standard_normal" "(size=None)" "Standard normals.";
    "randint" "(low, high=None, size=None, dtype=None)" "Integers from low to high, excluded.";
    "choice" "(a, size=None, replace=True, p=None)" "Elements drawn from an array or from arange(a).";
    "permutation" "(x)" "A shuffled copy, or shuffled arange(x).";
    "shuffle" "(x)" "Shuffles along the first axis, in place.";
}
