//! `random`: the numbers that CPython gives for the same seed. Without a seed they begin with the clock, in analysis
//! with zero.

mod sha512;
mod twister;

use super::support::{row, text};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef, NativeFunction};
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive, Zero};
use pallas_syntax::ast::BinaryOp;
use std::cell::RefCell;
use std::rc::Rc;
use twister::Twister;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "random",
    doc: "Random numbers from a Mersenne Twister.",
    functions: &[],
    populate: |interp, names| {
        let shared =
            Value::object(Random { class: interp.native_class(&RANDOM), twister: RefCell::new(unseeded(interp)) });
        // The functions of the module are the methods of one generator.
        for def in METHODS.iter().filter(|def| !def.name.starts_with("__")) {
            let function = Value::Native(NativeFunction::method(def, "random", "Random"));
            names.insert(def.name.into(), super::support::method(shared.clone(), function));
        }
        super::support::add_class(names, &interp.native_class(&RANDOM));
        names.insert("SystemRandom".into(), Value::Class(interp.native_class(&RANDOM)));
    },
};

static RANDOM: NativeClass = NativeClass {
    name: "Random",
    module: "random",
    doc: "Random(x=None): a generator of its own.",
    methods: METHODS,
    properties: &[],
    construct: Some(|interp, class, args: CallArgs| {
        let [value] =
            super::support::arguments(interp, const { &super::support::form("Random", "(x=None)") }, args)?.take();
        let twister = seeded(interp, &value)?;
        Ok(Value::object(Random { class: class.clone(), twister: RefCell::new(twister) }))
    }),
    instance_check: None,
};

const METHODS: &[NativeDef] = &[
    row("seed", "(self, a=None, version=2)", "Starts anew from a seed.", |interp, args| {
        let twister = seeded(interp, args.get(1))?;
        generate(&args, |own| *own = twister);
        Ok(Value::None)
    }),
    row("random", "(self)", "A float in 0..1.", |_, args| Ok(Value::Float(generate(&args, Twister::random)))),
    row("getrandbits", "(self, k, /)", "An integer of k random bits.", |interp, args| {
        let k = interp.to_i64(args.get(1))?;
        let Ok(k) = u64::try_from(k) else { return Err(interp.value_error("number of bits must be non-negative")) };
        interp.charge_bytes(u128::from(k / 8))?;
        Ok(Value::int(BigInt::from(generate(&args, |own| own.bits(k)))))
    }),
    row("randbytes", "(self, n)", "n random bytes.", |interp, args| {
        let n = interp.to_usize(args.get(1))?;
        interp.charge_bytes(n as u128)?;
        let mut bytes = generate(&args, |own| own.bits(n as u64 * 8)).to_bytes_le();
        bytes.resize(n, 0);
        Ok(Value::Bytes(bytes.into()))
    }),
    row("randrange", "(self, start, stop=None, step=1)", "An element of range(start, stop, step).", randrange),
    row("randint", "(self, a, b)", "An integer from a to b, both included.", |interp, args| {
        let (low, high) = (interp.to_int(args.get(1))?.to_big(), interp.to_int(args.get(2))?.to_big());
        between(interp, &args, &low, &(high + 1), &BigInt::one())
    }),
    row("choice", "(self, seq)", "An item of a sequence.", |interp, args| {
        let length = interp.len(args.get(1))?;
        if length == 0 {
            return Err(interp.index_error("Cannot choose from an empty sequence"));
        }
        let at = generate(&args, |own| own.index_below(length));
        interp.get_item(args.get(1), &at.into())
    }),
    row("choices", "(self, population, weights=None, *, cum_weights=None, k=1)", "k items, with repetition.", choices),
    row("shuffle", "(self, x)", "Shuffles a list in place.", |interp, args| {
        let items = args.get(1);
        for i in (1..interp.len(items)?).rev() {
            let j = generate(&args, |own| own.index_below(i + 1));
            let (a, b) = (interp.get_item(items, &i.into())?, interp.get_item(items, &j.into())?);
            interp.set_item(items, &i.into(), b)?;
            interp.set_item(items, &j.into(), a)?;
        }
        Ok(Value::None)
    }),
    row("sample", "(self, population, k, *, counts=None)", "k items, without repetition.", sample),
    row("uniform", "(self, a, b)", "A float from a to b.", |interp, args| {
        let random = Value::Float(generate(&args, Twister::random));
        let (a, b) = (args.get(1), args.get(2));
        let width = interp.binary(BinaryOp::Sub, b, a)?;
        interp.binary(BinaryOp::Add, a, &interp.binary(BinaryOp::Mult, &width, &random)?)
    }),
    row("triangular", "(self, low=0.0, high=1.0, mode=None)", "A float with a triangular distribution.", triangular),
    row("gauss", "(self, mu=0.0, sigma=1.0)", "A float with a normal distribution.", |interp, args| {
        let (mu, sigma) = (interp.to_f64(args.get(1))?, interp.to_f64(args.get(2))?);
        let z = generate(&args, |own| match own.gauss_next.take() {
            Some(z) => z,
            None => {
                let angle = own.random() * std::f64::consts::TAU;
                let radius = (-2.0 * (1.0 - own.random()).ln()).sqrt();
                own.gauss_next = Some(angle.sin() * radius);
                angle.cos() * radius
            }
        });
        Ok(Value::Float(mu + z * sigma))
    }),
    row("normalvariate", "(self, mu=0.0, sigma=1.0)", "A float with a normal distribution.", |interp, args| {
        let (mu, sigma) = (interp.to_f64(args.get(1))?, interp.to_f64(args.get(2))?);
        Ok(Value::Float(mu + generate(&args, normal) * sigma))
    }),
    row(
        "lognormvariate",
        "(self, mu=0.0, sigma=1.0)",
        "A float whose logarithm has a normal distribution.",
        |interp, args| {
            let (mu, sigma) = (interp.to_f64(args.get(1))?, interp.to_f64(args.get(2))?);
            Ok(Value::Float((mu + generate(&args, normal) * sigma).exp()))
        },
    ),
    row("expovariate", "(self, lambd=1.0)", "A float with an exponential distribution.", |interp, args| {
        let rate = interp.to_f64(args.get(1))?;
        if rate == 0.0 {
            return Err(interp.zero_division_error("float division by zero"));
        }
        Ok(Value::Float(-(1.0 - generate(&args, Twister::random)).ln() / rate))
    }),
    row("getstate", "(self)", "The state, for setstate().", |_, args| {
        let (words, gauss) = generate(&args, |own| (own.words(), own.gauss_next));
        Ok(Value::tuple([
            Value::int(3i64),
            Value::tuple(words.into_iter().map(|word| Value::int(i64::from(word)))),
            gauss.map_or(Value::None, Value::Float),
        ]))
    }),
    row("setstate", "(self, state)", "Goes back to a state.", set_state),
];

struct Random {
    class: Rc<Class>,
    twister: RefCell<Twister>,
}

impl Object for Random {
    fn class(&self, _: &Interp) -> Rc<Class> {
        self.class.clone()
    }
}

/// Runs `body` on the generator that a method was called on.
fn generate<T>(args: &Arguments, body: impl FnOnce(&mut Twister) -> T) -> T {
    match args.get(0).downcast::<Random>() {
        Some(random) => body(&mut random.twister.borrow_mut()),
        None => body(&mut Twister::from_integer(&BigUint::default())),
    }
}

fn unseeded(interp: &Interp) -> Twister {
    let nanoseconds = if interp.is_analysis() { 0.0 } else { interp.host().seconds() * 1e9 };
    Twister::from_integer(&BigUint::from_f64(nanoseconds.abs()).unwrap_or_default())
}

fn seeded(interp: &Interp, value: &Value) -> PyResult<Twister> {
    let number = match value {
        Value::None | Value::Unknown(_) => return Ok(unseeded(interp)),
        Value::Int(_) | Value::Bool(_) => interp.to_int(value)?.to_big().magnitude().clone(),
        Value::Float(_) => BigUint::from(interp.hash(value)?),
        Value::Bytes(bytes) => of_bytes(bytes),
        other => match text(other) {
            Some(text) => of_bytes(text.as_bytes()),
            None => {
                return Err(interp
                    .type_error("The only supported seed types are: None,\nint, float, str, bytes, and bytearray."));
            }
        },
    };
    Ok(Twister::from_integer(&number))
}

/// Texts are seeded with themselves and their SHA-512, as one big-endian number.
fn of_bytes(bytes: &[u8]) -> BigUint {
    let mut all = bytes.to_vec();
    all.extend_from_slice(&sha512::sha512(bytes));
    BigUint::from_bytes_be(&all)
}

fn normal(own: &mut Twister) -> f64 {
    let magic = 4.0 * (-0.5f64).exp() / 2f64.sqrt();
    loop {
        let u1 = own.random();
        let u2 = 1.0 - own.random();
        let z = magic * (u1 - 0.5) / u2;
        if z * z / 4.0 <= -u2.ln() {
            return z;
        }
    }
}

fn between(interp: &Interp, args: &Arguments, start: &BigInt, stop: &BigInt, step: &BigInt) -> PyResult<Value> {
    let width = stop - start;
    if step.is_one() {
        if !width.is_positive() {
            return Err(interp.value_error(format!("empty range for randrange() ({start}, {stop}, {width})")));
        }
        let r = generate(args, |own| own.below(width.magnitude()));
        return Ok(Value::int(start + BigInt::from(r)));
    }
    if step.is_zero() {
        return Err(interp.value_error("zero step for randrange()"));
    }
    let toward: BigInt = if step.is_positive() { &width + step - 1 } else { &width + step + 1 };
    let count = toward.div_floor(step);
    if !count.is_positive() {
        return Err(interp.value_error("empty range for randrange()"));
    }
    let r = generate(args, |own| own.below(count.magnitude()));
    Ok(Value::int(start + step * BigInt::from(r)))
}

fn randrange(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let start = interp.to_int(args.get(1))?.to_big();
    if args.get(2).is_none() {
        if !start.is_positive() {
            return Err(interp.value_error("empty range for randrange()"));
        }
        return between(interp, &args, &BigInt::zero(), &start, &BigInt::one());
    }
    let (stop, step) = (interp.to_int(args.get(2))?.to_big(), interp.to_int(args.get(3))?.to_big());
    between(interp, &args, &start, &stop, &step)
}

fn triangular(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let (mut low, mut high) = (interp.to_f64(args.get(1))?, interp.to_f64(args.get(2))?);
    let mut u = generate(&args, Twister::random);
    let mut c = match args.get(3) {
        Value::None => 0.5,
        _ if low == high => return Ok(Value::Float(low)),
        mode => (interp.to_f64(mode)? - low) / (high - low),
    };
    if u > c {
        (u, c) = (1.0 - u, 1.0 - c);
        (low, high) = (high, low);
    }
    Ok(Value::Float(low + (high - low) * (u * c).sqrt()))
}

fn choices(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let population = interp.collect(args.get(1))?;
    let (weights, cumulative) = (args.get(2), args.get(3));
    let k = usize::try_from(interp.to_i64(args.get(4))?).unwrap_or(0);
    interp.charge_bytes(k as u128 * 16)?;
    let sums: Option<Vec<f64>> = if !cumulative.is_none() {
        if !weights.is_none() {
            return Err(interp.type_error("Cannot specify both weights and cumulative weights"));
        }
        Some(interp.collect(cumulative)?.iter().map(|w| interp.to_f64(w)).collect::<PyResult<_>>()?)
    } else if !weights.is_none() {
        let mut sum = 0.0;
        let weights = interp.collect(weights)?;
        Some(
            weights
                .iter()
                .map(|w| {
                    sum += interp.to_f64(w)?;
                    Ok(sum)
                })
                .collect::<PyResult<_>>()?,
        )
    } else {
        None
    };
    if population.is_empty() {
        return Err(interp.index_error("list index out of range"));
    }
    let Some(sums) = sums else {
        let n = population.len() as f64;
        return Ok(Value::list((0..k).map(|_| {
            let at = (generate(&args, Twister::random) * n).floor() as usize;
            population[at.min(population.len() - 1)].clone()
        })));
    };
    if sums.len() != population.len() {
        return Err(interp.value_error("The number of weights does not match the population"));
    }
    let total = sums[sums.len() - 1];
    if total <= 0.0 {
        return Err(interp.value_error("Total of weights must be greater than zero"));
    }
    if !total.is_finite() {
        return Err(interp.value_error("Total of weights must be finite"));
    }
    Ok(Value::list((0..k).map(|_| {
        let mark = generate(&args, Twister::random) * total;
        let at = sums[..sums.len() - 1].partition_point(|sum| *sum <= mark);
        population[at].clone()
    })))
}

fn sample(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if matches!(args.get(1), Value::Set(_) | Value::FrozenSet(_) | Value::Dict(_)) {
        return Err(interp.type_error("Population must be a sequence.  For dicts or sets, use sorted(d)."));
    }
    let mut population = interp.collect(args.get(1))?;
    if !args.get(3).is_none() {
        let counts = interp.collect(args.get(3))?;
        if counts.len() != population.len() {
            return Err(interp.value_error("The number of counts does not match the population"));
        }
        let mut repeated = Vec::new();
        for (item, count) in population.into_iter().zip(&counts) {
            let count = interp.to_usize(count)?;
            interp.charge_bytes(count as u128 * 16)?;
            repeated.extend(std::iter::repeat_n(item, count));
        }
        population = repeated;
    }
    let n = population.len();
    let k = match usize::try_from(interp.to_i64(args.get(2))?) {
        Ok(k) if k <= n => k,
        _ => return Err(interp.value_error("Sample larger than population or is negative")),
    };
    let mut set_size = 21f64;
    if k > 5 {
        set_size += 4f64.powf(((k as f64 * 3.0).ln() / 4f64.ln()).ceil());
    }
    let mut result = Vec::with_capacity(k);
    if n as f64 <= set_size {
        let mut pool = population;
        for i in 0..k {
            let j = generate(&args, |own| own.index_below(n - i));
            result.push(pool[j].clone());
            pool[j] = pool[n - i - 1].clone();
        }
    } else {
        let mut selected = std::collections::HashSet::new();
        for _ in 0..k {
            let j = loop {
                let j = generate(&args, |own| own.index_below(n));
                if selected.insert(j) {
                    break j;
                }
            };
            result.push(population[j].clone());
        }
    }
    Ok(Value::list(result))
}

fn set_state(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let parts = interp.collect(args.get(1))?;
    let [_, words, gauss] = parts.as_slice() else {
        return Err(interp.value_error("state vector must be a tuple"));
    };
    let words = interp.collect(words)?;
    let words: Vec<u32> =
        words.iter().map(|word| Ok(interp.to_int(word)?.to_big().to_u32().unwrap_or(0))).collect::<PyResult<_>>()?;
    let gauss = if gauss.is_none() { None } else { Some(interp.to_f64(gauss)?) };
    match Twister::restore(&words, gauss) {
        Some(twister) => {
            generate(&args, |own| *own = twister);
            Ok(Value::None)
        }
        None => Err(interp.value_error("state vector is the wrong size")),
    }
}
