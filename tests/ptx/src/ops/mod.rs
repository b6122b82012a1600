//! Instructions that compute one result of each lane's operands, as a table by name: the family of each stands beside it.

mod bits;
mod compare;
mod convert;
mod float;
mod integer;
pub(crate) mod products;

pub(crate) use integer::combined;

use crate::inst::Map;
use crate::types::Type;

/// An instruction's name, cut at its dots.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    pub(crate) stem: &'a str,
    pub(crate) modifiers: Vec<&'a str>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(name: &'a str) -> Words<'a> {
        let mut words = name.split('.');
        Words { stem: words.next().unwrap_or_default(), modifiers: words.collect() }
    }

    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The types, in order.
    pub(crate) fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.modifiers.iter().filter_map(|word| Type::named(word))
    }

    /// The last type.
    pub(crate) fn ty(&self) -> Option<Type> {
        self.types().last()
    }
}

/// What makes an instruction's computation of its modifiers, `None` where one is not known here. Immediate operands are given where they
/// are constants.
type Make = fn(&Words<'_>, &[Option<u64>]) -> Option<Map>;

const TABLE: &[(&[&str], Make)] = &[
    (&["add", "sub", "mul", "mad", "fma", "div", "min", "max", "neg", "abs"], arithmetic),
    (&["rem", "mul24", "mad24", "sad", "dp4a"], integer::make),
    (&["rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "copysign", "testp"], float::make),
    (&["and", "or", "xor", "not", "cnot", "shl", "shr", "shf", "lop3", "prmt"], bits::make),
    (&["bfe", "bfi", "bfind", "brev", "clz", "popc", "szext", "bmsk"], bits::make),
    (&["setp", "set", "selp", "slct"], compare::make),
    (&["cvt", "mov"], convert::make),
];

/// The computation of an instruction; `None` if none is known of this name with these modifiers.
pub(crate) fn make(words: &Words<'_>, known: &[Option<u64>]) -> Option<Map> {
    let (_, make) = TABLE.iter().find(|(names, _)| names.contains(&words.stem))?;
    make(words, known)
}

fn arithmetic(words: &Words<'_>, known: &[Option<u64>]) -> Option<Map> {
    if words.has("cc") {
        return None;
    }
    match words.ty()?.integer() {
        true => integer::make(words, known),
        false => float::make(words, known),
    }
}

/// A function of up to four operands, for all lanes.
pub(crate) fn map(f: impl Fn(u64, u64, u64, u64) -> u64 + Send + Sync + 'static) -> Option<Map> {
    Some(Box::new(move |to, [a, b, c, d]| {
        for lane in 0..32 {
            to[lane] = f(a[lane], b[lane], c[lane], d[lane]);
        }
    }))
}

/// The same for each part of what is packed.
pub(crate) fn parts(ty: Type, f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Option<Map> {
    let (bits, packed) = (ty.part().bits, ty.packed);
    map(move |a, b, c, _| {
        let part = |x: u64, number: u32| crate::types::low(x >> (number * bits), bits);
        (0..packed).map(|n| crate::types::low(f(part(a, n), part(b, n), part(c, n)), bits) << (n * bits)).sum()
    })
}
