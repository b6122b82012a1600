//! `Generator` and `RandomState` as Python objects: their classes, and which of their methods draws what.

use super::bits::{Bits, Pcg64};
use super::bounded::Method;
use super::draw;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A generator of random numbers: numpy's `Generator`, or the older `RandomState`.
pub(super) struct Sampler {
    /// Where its bits come from.
    pub(super) bits: RefCell<Bits>,
    /// How it bounds integers, which also says which of the two it is.
    pub(super) method: Method,
    /// The words that a `Generator` was seeded with, and how many children it has made.
    seed: Vec<u32>,
    children: Cell<u32>,
}

impl Sampler {
    /// A generator over a source of bits.
    pub(super) fn new(bits: Bits, method: Method) -> Sampler {
        Sampler { bits: RefCell::new(bits), method, seed: Vec::new(), children: Cell::new(0) }
    }

    /// A `Generator` that is seeded with these words.
    pub(super) fn seeded(seed: Vec<u32>) -> Sampler {
        let bits = Bits::Pcg(Pcg64::new(&seed));
        Sampler { seed, ..Sampler::new(bits, Method::Lemire) }
    }
}

/// Distributions that numpy has and this library has not.
const REFUSED: &[&str] = &[
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "pareto",
    "permuted",
    "poisson",
    "power",
    "rayleigh",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_t",
    "triangular",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
];

macro_rules! rows {
    ($($name:literal $signature:literal $doc:literal $run:expr;)*) => {
        &[$(NativeDef { name: $name, signature: $signature, doc: $doc, run: |interp, args| draw::enter(interp, args, $run) }),*]
    };
}

static GENERATOR: NativeClass = NativeClass {
    name: "Generator",
    module: "numpy.random._generator",
    doc: "Draws random numbers from PCG64 bits.",
    methods: rows! {
        "random" "(self, size=None, dtype=None, out=None)" "Uniform in [0, 1)." draw::random;
        "uniform" "(self, low=0.0, high=1.0, size=None)" "Uniform in [low, high)." draw::uniform;
        "standard_normal" "(self, size=None, dtype=None, out=None)" "Standard normals." draw::standard_normal;
        "normal" "(self, loc=0.0, scale=1.0, size=None)" "Normals of a mean and a standard deviation." draw::normal;
        "integers" "(self, low, high=None, size=None, dtype=None, endpoint=False)" "Integers from low to high, excluded." draw::integers;
        "choice" "(self, a, size=None, replace=True, p=None, axis=0, shuffle=True)" "Elements drawn from an array or from arange(a)." draw::choice;
        "permutation" "(self, x, axis=0)" "A shuffled copy, or shuffled arange(x)." draw::permutation;
        "shuffle" "(self, x, axis=0)" "Shuffles along an axis, in place." draw::shuffle;
        "spawn" "(self, n_children)" "Generators that are independent of this one and of each other." spawn;
    },
    properties: &[],
    construct: Some(construct_generator),
    instance_check: None,
};

static RANDOM_STATE: NativeClass = NativeClass {
    name: "RandomState",
    module: "numpy.random.mtrand",
    doc: "Draws random numbers from MT19937 bits.",
    methods: rows! {
        "rand" "(self, *args)" "Uniform in [0, 1), the dimensions given one by one." draw::random;
        "randn" "(self, *args)" "Standard normals, the dimensions given one by one." draw::legacy_normal;
        "random" "(self, size=None)" "Uniform in [0, 1)." draw::random;
        "random_sample" "(self, size=None)" "Uniform in [0, 1)." draw::random;
        "ranf" "(self, size=None)" "Uniform in [0, 1)." draw::random;
        "sample" "(self, size=None)" "Uniform in [0, 1)." draw::random;
        "uniform" "(self, low=0.0, high=1.0, size=None)" "Uniform in [low, high)." draw::uniform;
        "standard_normal" "(self, size=None)" "Standard normals." draw::legacy_normal;
        "normal" "(self, loc=0.0, scale=1.0, size=None)" "Normals of a mean and a standard deviation." draw::normal;
        "randint" "(self, low, high=None, size=None, dtype=None)" "Integers from low to high, excluded." draw::integers;
        "choice" "(self, a, size=None, replace=True, p=None)" "Elements drawn from an array or from arange(a)." draw::choice;
        "permutation" "(self, x)" "A shuffled copy, or shuffled arange(x)." draw::permutation;
        "shuffle" "(self, x)" "Shuffles along the first axis, in place." draw::shuffle;
        "seed" "(self, seed=None)" "Seeds it again." reseed;
    },
    properties: &[],
    construct: Some(construct_random_state),
    instance_check: None,
};

/// `PCG64(seed)`: what `Generator(...)` takes.
static PCG64: NativeClass = NativeClass {
    name: "PCG64",
    module: "numpy.random._pcg64",
    doc: "PCG64 bits, for Generator.",
    methods: &[],
    properties: &[],
    construct: Some(construct_bits),
    instance_check: None,
};

/// The classes of the module.
pub(super) fn classes(interp: &Interp) -> [(&'static str, Rc<Class>); 3] {
    [
        ("Generator", interp.native_class(&GENERATOR)),
        ("RandomState", interp.native_class(&RANDOM_STATE)),
        ("PCG64", interp.native_class(&PCG64)),
    ]
}

/// A seed wrapped by `PCG64(seed)`.
struct BitSource(Vec<u32>);

impl Object for BitSource {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&PCG64)
    }
}

/// The only argument of a constructor: `seed`.
fn seed_of(args: &CallArgs) -> Value {
    let keyword = args.keywords.iter().find(|(name, _)| &**name == "seed").map(|(_, value)| value.clone());
    args.positional.first().cloned().or(keyword).unwrap_or(Value::None)
}

fn construct_bits(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    Ok(Value::object(BitSource(super::seed_words(interp, &seed_of(&args))?)))
}

fn construct_generator(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    match args.positional.first().and_then(|source| source.downcast::<BitSource>()) {
        Some(source) => Ok(Value::object(Sampler::seeded(source.0.clone()))),
        None => Err(interp.type_error("Generator takes a bit generator such as numpy.random.PCG64(seed)")),
    }
}

fn construct_random_state(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let seed = seed_of(&args);
    if seed.is_unknown() {
        return Ok(seed);
    }
    Ok(Value::object(Sampler::new(super::legacy_bits(interp, &seed)?, Method::Masked)))
}

/// `generator.spawn(n)`: a child is seeded with the words of its parent and its number, behind at least four words, so that
/// no seed that a program writes down is a child's.
fn spawn(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let Some(count) = interp.as_index(args.get(1))?.and_then(|count| count.to_i64()) else {
        return Err(interp
            .type_error(format!("'{}' object cannot be interpreted as an integer", interp.type_name(args.get(1)))));
    };
    if count < 0 {
        return Err(interp.value_error("n_children must be non-negative"));
    }
    if count > MOST_CHILDREN {
        return Err(interp.value_error(format!("more than {MOST_CHILDREN} generators are not made at once")));
    }
    let made = (0..count).map(|_| {
        let mut seed = sampler.seed.clone();
        seed.resize(seed.len().max(4), 0);
        seed.push(sampler.children.replace(sampler.children.get() + 1));
        Value::object(Sampler::seeded(seed))
    });
    Ok(Value::list(made))
}

/// How many children a generator makes at once.
const MOST_CHILDREN: i64 = 1 << 16;

fn reseed(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    *sampler.bits.borrow_mut() = super::legacy_bits(interp, args.get(1))?;
    Ok(Value::None)
}

impl Object for Sampler {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.method == Method::Lemire { &GENERATOR } else { &RANDOM_STATE })
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        if REFUSED.contains(&name) {
            let class = self.class(interp);
            return Err(interp.not_implemented_error(format!(
                "numpy.random.{}.{name} is not supported; there are random, uniform, normal, integers, choice, permutation and \
                 shuffle",
                class.name
            )));
        }
        Ok(None)
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(match self.method {
            Method::Lemire => "Generator(PCG64)".to_string(),
            Method::Masked => "RandomState(MT19937)".to_string(),
        }))
    }
}
