//! Chains give the bits of their operations one by one, wherever their operands lie.

use super::Compilation;
use super::{Arg, Chain, ChainBuilder, Code, Lanes, Place, Target, View};
use crate::isa::{Isa, asked_for};
use crate::ops::{self, BinaryOp, CompareOp, MultiplyAdd, ReduceOp, UnaryOp};
use crate::{Array, Buffer, DType, Scalar, Shape};

/// A generator of small numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

pub(super) fn values(dtype: DType, shape: &Shape, random: &mut Random) -> Array {
    let special = [0.0, -0.0, 1e-40, -1e-39, f64::INFINITY, -f64::INFINITY, 1e30, f64::NAN, 3e-5, 65000.0];
    let value = |random: &mut Random| match dtype {
        DType::Bool => Scalar::Bool(random.below(2) == 1),
        dtype if dtype.is_float() => match random.below(12) {
            0 => Scalar::Float(random.pick(&special)),
            _ => Scalar::Float(random.below(4000) as f64 / 500.0 - 4.0),
        },
        _ => Scalar::Int(random.below(256) as i128 - 100),
    };
    let values: Vec<Scalar> = (0..shape.size()).map(|_| value(random)).collect();
    Array::from_scalars(dtype, shape.clone(), &values).expect("as many")
}

/// Something to read: an array, which part of it, and that part as an array of its own.
pub(super) fn source(dtype: DType, shape: &Shape, random: &mut Random) -> (Array, Place, Array) {
    let rank = shape.rank();
    let mut place = Place { dims: Default::default(), starts: Default::default() };
    let mut sizes = Shape::default();
    let kind = random.below(5);
    for (axis, &size) in shape.iter().enumerate() {
        let stretched = match kind {
            0 | 1 => false,
            2 => axis + 1 < rank,
            3 => axis + 1 == rank,
            _ => random.below(2) == 0,
        };
        if stretched {
            place.dims.push(None);
            continue;
        }
        let (start, step) = if kind == 0 { (0, 1) } else { (random.below(3), 1 + random.below(4) / 3) };
        place.dims.push(Some((sizes.rank(), step)));
        place.starts.push(start);
        sizes.push(start + (size - 1) * step + 1 + random.below(2) * kind.min(1));
    }
    let array = values(dtype, &sizes, random);
    let strides: Vec<isize> = sizes.strides().iter().map(|&stride| stride as isize).collect();
    let (base, strides) = place.locate(0, &strides);
    let part = array.gathered(base, shape, &strides).expect("inside");
    (array, place, part)
}

/// Whether two arrays have the same bits; any NaN is as good as another.
pub(super) fn same(left: &Array, right: &Array) -> bool {
    let text = |array: &Array| -> Vec<String> {
        array
            .iter_scalars()
            .map(|scalar| match scalar {
                Scalar::Float(x) if x.is_nan() => "nan".to_string(),
                Scalar::Float(x) => x.to_bits().to_string(),
                other => format!("{other:?}"),
            })
            .collect()
    };
    left.dtype() == right.dtype() && left.shape() == right.shape() && text(left) == text(right)
}

/// Has something done with each instruction set and its loops, and where there is machine code of chains with that.
pub(super) fn in_each_way(mut run: impl FnMut(Isa, Compilation)) {
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            Compilation::WherePaid.set();
        }
    }
    let _done = Done;
    asked_for::with_each(|isa| {
        for compilation in [Compilation::Never, Compilation::Always] {
            compilation.set();
            run(isa, compilation);
        }
    });
}

const DTYPES: [DType; 9] =
    [DType::F32, DType::F32, DType::BF16, DType::F16, DType::I32, DType::U8, DType::I64, DType::Bool, DType::F64];

/// One operation of operands that are there, in a chain and by itself.
pub(super) fn operation(
    random: &mut Random,
    dtypes: &[DType],
    builder: &mut ChainBuilder,
    known: &[(Arg, Array)],
) -> Option<(Arg, Array)> {
    let (arg, x) = &known[random.below(known.len())];
    let dtype = x.dtype();
    let alike: Vec<&(Arg, Array)> = known.iter().filter(|other| other.1.dtype() == dtype).collect();
    let (other, y) = alike[random.below(alike.len())];
    let (third, z) = alike[random.below(alike.len())];
    match random.below(9) {
        0 | 1 => {
            let op = random.pick(&UnaryOp::all().collect::<Vec<_>>());
            let result = op.result_dtype(dtype);
            let found = builder.step(Code::Unary(op), &[*arg], result).ok()?;
            Some((found, ops::unary(op, x.clone()).expect("the chain takes it")))
        }
        2..=4 => {
            let op = random.pick(&BinaryOp::all().collect::<Vec<_>>());
            let found = builder.step(Code::Binary(op), &[*arg, *other], dtype).ok()?;
            Some((found, ops::binary(op, x.clone(), y.clone()).expect("the chain takes it")))
        }
        5 => {
            let op = random.pick(&CompareOp::all().collect::<Vec<_>>());
            let found = builder.step(Code::Compare(op), &[*arg, *other], DType::Bool).ok()?;
            Some((found, ops::compare(op, x, y).expect("the chain takes it")))
        }
        6 => {
            let (which, condition) = known.iter().find(|known| known.1.dtype() == DType::Bool)?;
            let found = builder.step(Code::Select, &[*which, *arg, *other], dtype).ok()?;
            Some((found, ops::select_n(condition, &[x, y]).expect("the chain takes it")))
        }
        // (Which NaN comes out is nobody's business, so no bits of floats.)
        7 if dtype.is_integer() && random.below(3) == 0 => {
            let to = random.pick(dtypes);
            let found = builder.step(Code::Bits, &[*arg], to).ok()?;
            Some((found, ops::bitcast_convert(x, to).expect("the chain takes it")))
        }
        7 => {
            let to = random.pick(dtypes);
            let found = builder.step(Code::Convert, &[*arg], to).ok()?;
            Some((found, ops::convert(x, to).expect("numbers")))
        }
        _ if dtype == DType::F32 => {
            let form = random.pick(&[MultiplyAdd::Add, MultiplyAdd::SubtractAddend, MultiplyAdd::SubtractProduct]);
            let divides = random.below(2) == 0;
            if random.below(3) == 0 {
                let found = builder.step(Code::ByReciprocal, &[*arg, *other], dtype).ok()?;
                return Some((found, ops::multiply_by_reciprocal(x.clone(), y.clone()).expect("floats")));
            }
            let code = Code::MultiplyAdd { form, divides };
            let found = builder.step(code, &[*arg, *other, *third], dtype).ok()?;
            let result = ops::multiply_add(x.clone(), y.clone(), z.clone(), form, divides);
            Some((found, result.expect("floats")))
        }
        _ => {
            let exponent = random.below(6) as i32 - if dtype.is_float() { 2 } else { 0 };
            let found = builder.step(Code::IntegerPow(exponent), &[*arg], dtype).ok()?;
            Some((found, ops::integer_pow(x.clone(), exponent).expect("the chain takes it")))
        }
    }
}

/// A chain with what it reads and what it gives.
pub(super) fn chain(
    random: &mut Random,
    dtypes: &[DType],
    most: usize,
    shape: &Shape,
) -> Option<(Chain, Vec<Array>, Array)> {
    let mut builder = ChainBuilder::new(shape.clone());
    let (mut known, mut arrays) = (Vec::new(), Vec::new());
    for _ in 0..1 + random.below(4) {
        let dtype = random.pick(dtypes);
        let (array, place, part) = source(dtype, shape, random);
        known.push((builder.read(dtype, array.shape().clone(), place).expect("inside"), part));
        arrays.push(array);
    }
    let mut last = None;
    for _ in 0..most {
        if let Some((arg, result)) = operation(random, dtypes, &mut builder, &known) {
            known.push((arg, result.clone()));
            last = Some(result);
        }
    }
    Some((builder.finish().expect("not empty"), arrays, last?))
}

pub(super) fn views<'a>(chain: &'a Chain, arrays: &'a [Array]) -> Vec<View<'a>> {
    let of = |(number, array): (usize, &'a Array)| chain.view_of(number, array.buffer());
    arrays.iter().enumerate().map(of).collect()
}

#[test]
fn chains_give_the_bits_of_their_operations_one_by_one() {
    let mut random = Random(3);
    let mut lanes = Lanes::default();
    for round in 0..2000 {
        let shapes: [&[usize]; 9] =
            [&[5], &[3000], &[4, 700], &[700, 4], &[3, 5, 9], &[2, 1, 40, 33], &[1030, 2], &[1, 1], &[6, 2500]];
        let shape = Shape::from(shapes[random.below(shapes.len())]);
        let Some((chain, arrays, expected)) = chain(&mut random, &DTYPES, 12, &shape) else { continue };
        in_each_way(|isa, compilation| {
            let mut found = Array::zeros(expected.dtype(), shape.clone()).expect("small");
            chain.run(&views(&chain, &arrays), &mut Target::whole(&mut found), &mut lanes);
            assert!(same(&found, &expected), "round {round}, {isa:?}, {compilation:?}: {chain:?}");
        });
        // In the middle of a larger array, every other column.
        let (rank, mut sizes) = (shape.rank(), shape.clone());
        sizes.iter_mut().for_each(|size| *size = *size * 2 + 1);
        let mut around = Array::zeros(expected.dtype(), sizes.clone()).expect("small");
        let mut strides: Vec<isize> = sizes.strides().iter().map(|&stride| stride as isize).collect();
        let base: isize = strides.iter().sum();
        strides[rank - 1] *= 2;
        let mut target = Target::inside(&mut around, base as usize, strides.as_slice());
        chain.run(&views(&chain, &arrays), &mut target, &mut lanes);
        let inside = around.gathered(base as usize, &shape, &strides).expect("inside");
        assert!(same(&inside, &expected), "round {round}, apart: {chain:?}");
    }
}

#[test]
fn rows_are_reduced_as_they_are_computed() {
    let mut random = Random(5);
    let mut lanes = Lanes::default();
    for round in 0..200 {
        let (rows, length) = (random.pick(&[1, 3, 8, 70]), random.pick(&[2, 31, 32, 64, 100, 4096, 9000]));
        // Others may come behind those that are reduced.
        let inner = if length <= 100 { random.pick(&[1, 1, 5, 64]) } else { 1 };
        let shape = match inner {
            1 => Shape::from([rows, length]),
            _ => Shape::from([rows, length, inner]),
        };
        let one = |random: &mut Random| {
            let mut builder = ChainBuilder::new(shape.clone());
            let (array, place, part) = source(DType::F32, &shape, random);
            let arg = builder.read(DType::F32, array.shape().clone(), place).expect("inside");
            let mut expected = part;
            if random.below(2) == 0 {
                builder.step(Code::Unary(UnaryOp::Exp), &[arg], DType::F32).expect("floats");
                expected = ops::unary(UnaryOp::Exp, expected).expect("floats");
            }
            (builder.finish().expect("not empty"), vec![array], expected)
        };
        // One operation, none, or whatever gives floats.
        let any = if round % 2 == 0 && rows < 70 { chain(&mut random, &DTYPES[..6], 6, &shape) } else { None };
        let any = any.filter(|(chain, ..)| chain.dtype() == DType::F32);
        let (chain, arrays, expected) = any.unwrap_or_else(|| one(&mut random));
        let op = random.pick(&[ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min]);
        let sums = ops::reduce(op, &expected, &[1]).expect("floats");
        let mut found = vec![0.0; rows * inner];
        let mut kept = vec![0.0; shape.size()];
        let keep = random.below(2) == 0;
        let views = views(&chain, &arrays);
        in_each_way(|isa, compilation| {
            chain.reduce(op, [length, inner], &views, keep.then_some(&mut kept[..]), &mut found, &mut lanes);
            let found = Array::new(sums.shape().clone(), Buffer::F32(found.clone())).expect("as many");
            assert!(same(&found, &sums), "round {round}, {isa:?}, {compilation:?}: {op:?} of {shape}");
            if keep {
                let kept = Array::new(shape.clone(), Buffer::F32(kept.clone())).expect("as many");
                assert!(same(&kept, &expected), "round {round}, {isa:?}, {compilation:?}");
            }
        });
    }
}

/// Numbers around the limits from which on operations need not flush, which cancel often.
fn small(size: usize, random: &mut Random) -> Array {
    let exponent = random.pick(&[-103, -40, -30, -24, -18, -63, 0]) - random.below(6) as i32 / 5;
    let digits = [0, 1, 2, 0x7f_ffff, 0x7f_fffe, 0x40_0000, 0x12_3457];
    let value = |random: &mut Random| match random.below(8) {
        0 => random.pick(&[0.0, -0.0]),
        _ => {
            let exponent = (exponent + 127 + random.below(3) as i32).cast_unsigned();
            f32::from_bits((random.below(2) as u32) << 31 | exponent << 23 | random.pick(&digits))
        }
    };
    let values: Vec<f32> = (0..size).map(|_| value(random)).collect();
    Array::from_f32s([size], &values).expect("as many")
}

#[test]
fn what_is_not_flushed_is_what_cannot_be_subnormal() {
    const SIZE: usize = 2100;
    let mut random = Random(11);
    let mut lanes = Lanes::default();
    let shape = Shape::from([SIZE]);
    let mut spared = 0;
    for round in 0..600 {
        let mut builder = ChainBuilder::new(shape.clone());
        let (mut known, mut arrays) = (Vec::new(), Vec::new());
        for _ in 0..1 + random.below(2) {
            let array = small(SIZE, &mut random);
            known.push((builder.read(DType::F32, shape.clone(), Place::same(1)).expect("floats"), array.clone()));
            arrays.push(array);
        }
        for _ in 0..random.below(3) {
            let value = random.pick(&[0.0, 0.5, -1.0, 0.044_715, 1e-18, 1e-30, 3e8, f64::INFINITY, 1e-40]);
            let array = Array::scalar(DType::F32, Scalar::Float(value));
            let all = Array::full(DType::F32, shape.clone(), Scalar::Float(value)).expect("small");
            known.push((builder.read(DType::F32, Shape::scalar(), Place::one(1, 0)).expect("floats"), all));
            arrays.push(array);
        }
        for _ in 0..2 + random.below(6) {
            let mut pick = || known[known.len().saturating_sub(1 + random.below(4))].clone();
            let [(a, x), (b, y), (c, z)] = [pick(), pick(), pick()];
            let (code, args, result) = match random.below(10) {
                0..=5 => {
                    let op = random.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Sub, BinaryOp::Max]);
                    (Code::Binary(op), vec![a, b], ops::binary(op, x, y))
                }
                6..=7 => {
                    let form =
                        random.pick(&[MultiplyAdd::Add, MultiplyAdd::SubtractAddend, MultiplyAdd::SubtractProduct]);
                    let code = Code::MultiplyAdd { form, divides: false };
                    (code, vec![a, b, c], ops::multiply_add(x, y, z, form, false))
                }
                _ => {
                    let op = random.pick(&[UnaryOp::Tanh, UnaryOp::Neg, UnaryOp::Square, UnaryOp::Exp]);
                    (Code::Unary(op), vec![a], ops::unary(op, x))
                }
            };
            known.push((builder.step(code, &args, DType::F32).expect("floats"), result.expect("floats")));
        }
        let (_, expected) = known.pop().expect("some");
        let chain = builder.finish().expect("not empty");
        let scalar = |read: usize| arrays[read].elements::<f32>().and_then(|elements| elements.first().copied());
        spared += usize::from(super::calm::Calm::new(&chain, scalar).is_some());
        in_each_way(|isa, compilation| {
            let mut found = Array::zeros(DType::F32, shape.clone()).expect("small");
            chain.run(&views(&chain, &arrays), &mut Target::whole(&mut found), &mut lanes);
            assert!(same(&found, &expected), "round {round}, {isa:?}, {compilation:?}: {chain:?}");
        });
    }
    assert!(spared > 200, "only {spared} chains had something to spare");
}

#[test]
fn what_a_mask_compares_is_computed_once_for_rows_and_columns() {
    let mut random = Random(17);
    let mut lanes = Lanes::default();
    for round in 0..300 {
        let shapes: [&[usize]; 7] = [&[5, 300], &[40, 128], &[3, 2000], &[16, 33], &[1, 50], &[700, 2], &[2, 9, 64]];
        let shape = Shape::from(random.pick(&shapes));
        let rank = shape.rank();
        let mut builder = ChainBuilder::new(shape.clone());
        let mut arrays = Vec::new();
        let dtype = random.pick(&[DType::I32, DType::I32, DType::F32, DType::I8]);
        // Something to compare: the positions along a dimension, one number for all, or numbers for each.
        let mut read = |random: &mut Random, dtype: DType, kind: usize| {
            let along = match kind {
                0 => Some(rank - 1),
                1 => Some(rank - 2),
                _ => None,
            };
            let (sizes, mut place) = match (kind, along) {
                (_, Some(axis)) => (Shape::from([shape[axis]]), Place::one(rank, 1)),
                (2, None) => (Shape::from([1]), Place::one(rank, 1)),
                _ => (shape.clone(), Place::same(rank)),
            };
            if let Some(axis) = along {
                place.dims[axis] = Some((0, 1));
            }
            let array = values(dtype, &sizes, random);
            let strides: Vec<isize> = sizes.strides().iter().map(|&stride| stride as isize).collect();
            let (base, strides) = place.locate(0, &strides);
            let part = array.gathered(base, &shape, &strides).expect("inside");
            let arg = builder.read(dtype, sizes, place).expect("inside");
            arrays.push(array);
            (arg, part)
        };
        let [mut x, y, z] = [(); 3].map(|()| {
            let kind = random.below(3);
            read(&mut random, dtype, kind)
        });
        let [no, yes] = [(); 2].map(|()| {
            let kind = 1 + random.below(3);
            read(&mut random, DType::F32, kind)
        });
        let full = read(&mut random, DType::F32, 3);
        for other in [&y, &z] {
            let sum = builder.step(Code::Binary(BinaryOp::Add), &[x.0, other.0], dtype).expect("numbers");
            x = (sum, ops::binary(BinaryOp::Add, x.1, other.1.clone()).expect("numbers"));
        }
        let op = random.pick(&CompareOp::all().collect::<Vec<_>>());
        let holds = builder.step(Code::Compare(op), &[x.0, y.0], DType::Bool).expect("numbers");
        let expected = ops::compare(op, &x.1, &y.1).expect("numbers");
        let chosen = builder.step(Code::Select, &[holds, no.0, yes.0], DType::F32).expect("floats");
        let expected = ops::select_n(&expected, &[&no.1, &yes.1]).expect("floats");
        builder.step(Code::Binary(BinaryOp::Max), &[chosen, full.0], DType::F32).expect("floats");
        let expected = ops::binary(BinaryOp::Max, expected, full.1.clone()).expect("floats");
        let chain = builder.finish().expect("not empty");
        let becomes = chain.steps.iter().any(|step| matches!(step.code, Code::Choose { .. }));
        assert_eq!(becomes, dtype != DType::I8, "round {round}");
        in_each_way(|isa, compilation| {
            let mut found = Array::zeros(DType::F32, shape.clone()).expect("small");
            chain.run(&views(&chain, &arrays), &mut Target::whole(&mut found), &mut lanes);
            assert!(same(&found, &expected), "round {round}, {isa:?}, {compilation:?}: {chain:?}");
        });
    }
}
