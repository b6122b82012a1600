//! The dtype of mixed operands: JAX's lattice with weak types, and numpy's table.
//!
//! Only dtypes: converting the operands is the caller's.

use crate::dtype::{DType, Kind};

/// A point of JAX's lattice: a dtype, or the weak type of Python's `int` or `float`.
type Node = usize;

/// The first nodes are the dtypes by their number.
const WEAK_INT: Node = DType::F4E2M1Fn as usize + 1;
const WEAK_FLOAT: Node = WEAK_INT + 1;
const NODES: usize = WEAK_INT + 2;

const fn node(dtype: DType) -> Node {
    dtype as usize
}

/// What lies directly above each node (`_type_promotion_lattice` in jax/_src/dtypes.py, without
/// the complex types).
const EDGES: &[(Node, &[Node])] = &[
    (node(DType::Bool), &[WEAK_INT]),
    (WEAK_INT, &[node(DType::U8), node(DType::U4), node(DType::U2), node(DType::I8), node(DType::I4), node(DType::I2)]),
    (node(DType::U8), &[node(DType::I16), node(DType::U16)]),
    (node(DType::U16), &[node(DType::I32), node(DType::U32)]),
    (node(DType::U64), &[WEAK_FLOAT]),
    (node(DType::I8), &[node(DType::I16)]),
    (node(DType::I16), &[node(DType::I32)]),
    (node(DType::I32), &[node(DType::I64)]),
    (node(DType::I64), &[WEAK_FLOAT]),
    (
        WEAK_FLOAT,
        &[
            node(DType::F8E4M3Fn),
            node(DType::F8E5M2),
            node(DType::F8E4M3B11Fnuz),
            node(DType::F8E4M3Fnuz),
            node(DType::F8E5M2Fnuz),
            node(DType::F8E3M4),
            node(DType::F8E4M3),
            node(DType::F8E8M0Fnu),
            node(DType::F4E2M1Fn),
            node(DType::BF16),
            node(DType::F16),
        ],
    ),
    (node(DType::BF16), &[node(DType::F32)]),
    (node(DType::F16), &[node(DType::F32)]),
    (node(DType::F32), &[node(DType::F64)]),
];

/// Without 64-bit types `uint32` meets `int32` there, rather than at `int64`.
const UINT32_EDGES: [[Node; 2]; 2] = [[node(DType::I32), node(DType::U64)], [node(DType::I64), node(DType::U64)]];

/// Every node's upper bounds, itself among them, as sets of bits.
const fn upper_bounds(x64: bool) -> [u32; NODES] {
    let mut bounds = [0; NODES];
    let mut index = 0;
    while index < NODES {
        bounds[index] = 1 << index;
        index += 1;
    }
    // As many rounds as there are nodes reach the end of every path.
    let mut round = 0;
    while round < NODES {
        let mut edge = 0;
        while edge < EDGES.len() {
            let (from, above) = EDGES[edge];
            let mut index = 0;
            while index < above.len() {
                bounds[from] |= bounds[above[index]];
                index += 1;
            }
            edge += 1;
        }
        let [first, second] = UINT32_EDGES[x64 as usize];
        bounds[node(DType::U32)] |= bounds[first] | bounds[second];
        round += 1;
    }
    bounds
}

const BOUNDS: [[u32; NODES]; 2] = [upper_bounds(false), upper_bounds(true)];

/// The least of the common upper bounds, if there is one.
fn least_upper_bound(nodes: &[Node], x64: bool) -> Option<Node> {
    let bounds = &BOUNDS[usize::from(x64)];
    let common = nodes.iter().fold(u32::MAX, |common, &node| common & bounds[node]);
    (0..NODES).find(|&node| common & 1 << node != 0 && common & !bounds[node] == 0)
}

fn weak_node(dtype: DType) -> Option<Node> {
    match dtype.kind() {
        Kind::Bool => Some(node(DType::Bool)),
        Kind::Signed | Kind::Unsigned => Some(WEAK_INT),
        Kind::Float => Some(WEAK_FLOAT),
        Kind::Key => None,
    }
}

/// The dtype and weak flag of an operation on operands of these dtypes and weak flags, as
/// `jax.numpy` has it; `None` where JAX raises `TypePromotionError`, and for no operands.
///
/// Python scalars are weak: `int` is a weak `int32` (`int64` with `x64`), `float` a weak
/// `float32`; `bool` is never weak.
pub fn promote(operands: &[(DType, bool)], x64: bool) -> Option<(DType, bool)> {
    let (&(first, first_weak), others) = operands.split_first()?;
    if others.is_empty() {
        return Some((first, first_weak && first != DType::Bool));
    }
    let all_weak = operands.iter().all(|(_, weak)| *weak);
    if !all_weak && others.iter().all(|(dtype, _)| *dtype == first) {
        return Some((first, false));
    }
    if operands.iter().any(|(dtype, _)| *dtype == DType::Key) {
        return None;
    }
    // Of weak operands only, the strong counterparts are compared, and the result is weak.
    let nodes =
        operands.iter().map(|&(dtype, weak)| if weak && !all_weak { weak_node(dtype) } else { Some(node(dtype)) });
    let nodes: Vec<Node> = nodes.collect::<Option<_>>()?;
    let (dtype, weak) = match least_upper_bound(&nodes, x64)? {
        WEAK_INT => (canonicalize(DType::I64, x64), true),
        WEAK_FLOAT => (canonicalize(DType::F64, x64), true),
        bound => (DType::all().find(|&dtype| node(dtype) == bound)?, all_weak),
    };
    Some((dtype, weak && dtype != DType::Bool))
}

/// As [`promote`] under `jax_numpy_dtype_promotion='strict'`: only Python scalars are promoted, and not from `float` to
/// integers.
pub fn promote_strictly(operands: &[(DType, bool)], x64: bool) -> Option<(DType, bool)> {
    let mut strong = operands.iter().filter(|(_, weak)| !weak).map(|(dtype, _)| *dtype);
    let Some(dtype) = strong.next() else {
        return promote(operands, x64);
    };
    let same = strong.all(|other| other == dtype);
    let fits = |&(scalar, weak): &(DType, bool)| {
        !weak || scalar == dtype || dtype.is_float() || (dtype.kind() != Kind::Bool && !scalar.is_float())
    };
    (same && operands.iter().all(fits)).then_some((dtype, operands.iter().all(|(_, weak)| *weak)))
}

/// The dtype that JAX uses for a requested one: 64-bit types become 32-bit ones without `x64`.
pub fn canonicalize(dtype: DType, x64: bool) -> DType {
    match dtype {
        _ if x64 => dtype,
        DType::I64 => DType::I32,
        DType::U64 => DType::U32,
        DType::F64 => DType::F32,
        dtype => dtype,
    }
}

/// `np.promote_types` of every pair, rows and columns by the number of the dtype, entries its
/// letter (`a` is `bool`), `.` where numpy raises. Printed by tests/goldens/promotion.py: the
/// entries of the ml_dtypes follow no rule.
#[rustfmt::skip]
const NUMPY: [&str; 20] = [
    "abcdefghijklmnopqrst", // bool
    "bbcdef.....l.nop.rst", // int4
    "cccdefcdeftlmnopqrst", // int8
    "ddddefddeft.s....sst", // int16
    "eeeeefeeeft.t....ttt", // int32
    "fffffffffft.t....ttt", // int64
    "g.cdefghijkl.nop.rst", // uint4
    "h.ddefhhijklmnopqrst", // uint8
    "i.eeefiiijk.s....sst", // uint16
    "j.ffffjjjjk.t....ttt", // uint32
    "k.ttttkkkkk.t....ttt", // uint64
    "lll...ll...l.nll..st", // float8_e4m3fn
    "m.mstt.mstt.m....sst", // float8_e5m2
    "nnn...nn...n.nnn..st", // float8_e4m3b11fnuz
    "ooo...oo...l.noo..st", // float8_e4m3fnuz
    "ppp...pp...l.nop..st", // float8_e5m2fnuz
    "q.q....q........q.st", // bfloat16
    "rrrsttrrstt.s....rst", // float16
    "ssssttsssttsssssssst", // float32
    "tttttttttttttttttttt", // float64
];

/// `np.result_type` of each dtype with a Python `bool`, `int` and `float`.
#[rustfmt::skip]
const NUMPY_PYTHON: [&str; 20] = [
    "aft", // bool
    "bcr", // int4
    "cct", // int8
    "ddt", // int16
    "eet", // int32
    "fft", // int64
    "ghr", // uint4
    "hht", // uint8
    "iit", // uint16
    "jjt", // uint32
    "kkt", // uint64
    "llt", // float8_e4m3fn
    "mms", // float8_e5m2
    "nnt", // float8_e4m3b11fnuz
    "oot", // float8_e4m3fnuz
    "ppt", // float8_e5m2fnuz
    "qqt", // bfloat16
    "rrr", // float16
    "sss", // float32
    "ttt", // float64
];

/// `np.can_cast` from rows to columns: `s` safely, `k` within the same kind, `.` neither.
#[rustfmt::skip]
const NUMPY_CAST: [&str; 20] = [
    "ssssssssssssssssssss", // bool
    ".sssss.....s.sssksss", // int4
    ".kssssk....sssssssss", // int8
    ".kksssk....kkkkkkkss", // int16
    ".kkkssk....kkkkkkkks", // int32
    ".kkkksk....kkkkkkkks", // int64
    "..ssssssssss.sssksss", // uint4
    ".kksssksssssssssssss", // uint8
    ".kkksskkssskkkkkkkss", // uint16
    ".kkkkskkksskkkkkkkks", // uint32
    ".kkkkkkkkkskkkkkkkks", // uint64
    ".s....s....s.sssk.ss", // float8_e4m3fn
    ".k....k....kskkkkkss", // float8_e5m2
    ".s....s....s.sssk.ss", // float8_e4m3b11fnuz
    ".s....s....s.sssk.ss", // float8_e4m3fnuz
    ".s....s....s.sssk.ss", // float8_e5m2fnuz
    ".k....k....k.kkks.ss", // bfloat16
    ".k....k....kkkkkksss", // float16
    ".k....k....kkkkkkkss", // float32
    ".k....k....kkkkkkkks", // float64
];

fn entry(table: &[&str], row: usize, column: usize) -> Option<u8> {
    table.get(row)?.as_bytes().get(column).copied()
}

fn from_letter(letter: u8) -> Option<DType> {
    let number = letter.checked_sub(b'a')?;
    DType::all().nth(number.into()).filter(|&dtype| dtype != DType::Key)
}

/// Integers of 2 bits are promoted with other dtypes as those of 4 bits are.
fn beside_others(dtype: DType) -> DType {
    match dtype {
        DType::I2 => DType::I4,
        DType::U2 => DType::U4,
        dtype => dtype,
    }
}

/// The dtype that numpy gives an operation on operands, Python scalars marked: `bool`, `int64` and
/// `float64` with the mark stand for Python's `bool`, `int` and `float` (NEP 50).
///
/// `None` where numpy raises, and for no operands.
pub fn numpy_promote(operands: &[(DType, bool)]) -> Option<DType> {
    let arrays = operands.iter().filter(|(_, python)| !python);
    let mut arrays = arrays.map(|(dtype, _)| *dtype);
    let python = operands.iter().filter(|(_, python)| *python);
    let python = python.filter_map(|(dtype, _)| match dtype.kind() {
        Kind::Bool => Some((0, DType::Bool)),
        Kind::Signed | Kind::Unsigned => Some((1, DType::I64)),
        Kind::Float => Some((2, DType::F64)),
        Kind::Key => None,
    });
    let python = python.max();
    let Some(first) = arrays.next() else {
        return python.map(|(_, dtype)| dtype);
    };
    let promoted = arrays.try_fold(first, |left, right| {
        if left == right {
            return Some(left);
        }
        from_letter(entry(&NUMPY, beside_others(left) as usize, beside_others(right) as usize)?)
    })?;
    match python {
        // Beside `float`, integers of 2 bits become what those of 4 bits do.
        Some((2, _)) if matches!(promoted, DType::I2 | DType::U2) => {
            from_letter(entry(&NUMPY_PYTHON, beside_others(promoted) as usize, 2)?)
        }
        Some((column, _)) => match entry(&NUMPY_PYTHON, promoted as usize, column) {
            Some(letter) => from_letter(letter),
            // The dtypes beyond the table keep themselves beside Python's numbers.
            None => Some(promoted),
        },
        None => Some(promoted),
    }
}

/// How strict [`can_cast`] is; numpy's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Casting {
    /// Nothing may change but byte order.
    Equiv,
    /// No value may be lost.
    Safe,
    /// Also to a smaller size of the same kind: what `a += b` allows.
    SameKind,
    /// Anything.
    Unsafe,
}

/// `np.can_cast(from, to, casting)`.
pub fn can_cast(from: DType, to: DType, casting: Casting) -> bool {
    let found = entry(&NUMPY_CAST, from as usize, to as usize);
    match casting {
        Casting::Unsafe => true,
        _ if from == to => true,
        Casting::Equiv => false,
        Casting::Safe => found == Some(b's'),
        Casting::SameKind => matches!(found, Some(b's' | b'k')),
    }
}
