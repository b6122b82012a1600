//! What machine code of chains gives is what the loops give, to the bit.

use super::super::tests::{Random, chain, in_each_way, same, values, views};
use super::super::{ChainBuilder, Code, Lanes, Place, Target};
use super::Compilation;
use super::translate::translated;
use crate::isa::{Isa, asked_for};
use crate::ops::{self, BinaryOp, UnaryOp};
use crate::{Array, DType, Scalar, Shape};

const DTYPES: [DType; 8] =
    [DType::F32, DType::F32, DType::F32, DType::BF16, DType::F16, DType::I32, DType::U32, DType::Bool];

/// Whether code is made here at all.
fn is_made() -> bool {
    asked_for::all().any(|isa| isa == Isa::Avx512)
}

#[test]
fn random_chains_give_the_bits_of_their_operations() {
    let mut random = Random(23);
    let mut lanes = Lanes::default();
    let mut compiled = 0;
    for round in 0..2500 {
        let shapes: [&[usize]; 8] =
            [&[5], &[3000], &[4, 700], &[70, 33], &[3, 5, 49], &[2, 1, 40, 33], &[1, 1], &[6, 2500]];
        let shape = Shape::from(shapes[random.below(shapes.len())]);
        let most = 1 + random.below(8);
        let Some((chain, arrays, expected)) = chain(&mut random, &DTYPES, most, &shape) else { continue };
        if translated(&chain).is_none() {
            continue;
        }
        in_each_way(|isa, compilation| {
            if isa != Isa::Avx512 || compilation != Compilation::Always {
                return;
            }
            let mut found = Array::zeros(expected.dtype(), shape.clone()).expect("small");
            chain.run(&views(&chain, &arrays), &mut Target::whole(&mut found), &mut lanes);
            assert!(same(&found, &expected), "round {round}: {chain:?}");
            compiled += usize::from(chain.codes.are_made());
        });
    }
    assert!(compiled > 400 || !is_made(), "only {compiled} chains were compiled");
}

/// Numbers that decide something: all exponents with few digits and many, and what is no number.
fn every_kind() -> Vec<f32> {
    let digits = [0, 1, 2, 0x7f_ffff, 0x40_0000, 0x35_04f3, 0x12_3457, 0x55_5555];
    let signs = [0u32, 1 << 31];
    let bits = (0..256u32).flat_map(|exponent| {
        digits.iter().flat_map(move |digits| signs.map(|sign| f32::from_bits(sign | exponent << 23 | digits)))
    });
    let mut random = Random(29);
    let near = (0..60_000).map(|_| random.below(1 << 24) as f32 / (1 << 17) as f32 - 64.0).collect::<Vec<_>>();
    bits.chain(near).collect()
}

#[test]
fn every_function_gives_the_bits_of_its_loop() {
    let numbers = every_kind();
    let shape = Shape::from([numbers.len()]);
    let mut lanes = Lanes::default();
    let mut compiled = 0;
    for dtype in [DType::F32, DType::BF16, DType::F16, DType::I32, DType::U32, DType::Bool] {
        let x = ops::convert(&Array::from_f32s(shape.clone(), &numbers).expect("as many"), dtype).expect("numbers");
        for op in UnaryOp::all() {
            let mut builder = ChainBuilder::new(shape.clone());
            let arg = builder.read(dtype, shape.clone(), Place::same(1)).expect("all of it");
            if builder.step(Code::Unary(op), &[arg], op.result_dtype(dtype)).is_err() {
                continue;
            }
            let chain = builder.finish().expect("one operation");
            let expected = ops::unary(op, x.clone()).expect("the chain takes it");
            in_each_way(|isa, compilation| {
                let mut found = Array::zeros(expected.dtype(), shape.clone()).expect("small");
                let views = [chain.view_of(0, x.buffer())];
                chain.run(&views, &mut Target::whole(&mut found), &mut lanes);
                assert!(same(&found, &expected), "{op:?} of {dtype}, {isa:?}, {compilation:?}");
            });
            compiled += usize::from(translated(&chain).is_some());
        }
    }
    assert!(compiled > 40, "only {compiled} functions have code");
}

#[test]
fn conversions_give_the_bits_of_their_loops() {
    let numbers = every_kind();
    let shape = Shape::from([numbers.len()]);
    let mut lanes = Lanes::default();
    for from in DTYPES {
        let x = match from {
            DType::I32 | DType::U32 => values(from, &shape, &mut Random(31)),
            _ => ops::convert(&Array::from_f32s(shape.clone(), &numbers).expect("as many"), from).expect("numbers"),
        };
        for to in DTYPES.into_iter().filter(|&to| to != from) {
            let mut builder = ChainBuilder::new(shape.clone());
            let arg = builder.read(from, shape.clone(), Place::same(1)).expect("all of it");
            builder.step(Code::Convert, &[arg], to).expect("both are known");
            let chain = builder.finish().expect("one operation");
            assert!(translated(&chain).is_some(), "{from} to {to}");
            let expected = ops::convert(&x, to).expect("numbers");
            in_each_way(|isa, compilation| {
                let mut found = Array::zeros(to, shape.clone()).expect("small");
                chain.run(&[chain.view_of(0, x.buffer())], &mut Target::whole(&mut found), &mut lanes);
                assert!(same(&found, &expected), "{from} to {to}, {isa:?}, {compilation:?}");
            });
        }
    }
}

#[test]
fn what_is_written_past_the_caches_goes_where_it_belongs() {
    let mut random = Random(37);
    let mut lanes = Lanes::default();
    for dtype in [DType::F32, DType::I32, DType::BF16, DType::Bool] {
        for (rows, columns) in [(1, 3), (1, 15), (1, 16), (1, 77), (3, 700), (5, 64), (40, 33), (1, 5000)] {
            let shape = Shape::from([rows, columns]);
            let x = values(DType::F32, &shape, &mut random);
            let mut builder = ChainBuilder::new(shape.clone());
            let arg = builder.read(DType::F32, shape.clone(), Place::same(2)).expect("all of it");
            let sum = builder.step(Code::Binary(BinaryOp::Add), &[arg, arg], DType::F32).expect("floats");
            let mut expected = ops::binary(BinaryOp::Add, x.clone(), x.clone()).expect("floats");
            if dtype != DType::F32 {
                builder.step(Code::Convert, &[sum], dtype).expect("numbers");
                expected = ops::convert(&expected, dtype).expect("numbers");
            }
            let chain = builder.finish().expect("not empty");
            for base in [0, 1, 9, 16, 31] {
                in_each_way(|isa, compilation| {
                    // Rows begin where lines do, and elsewhere.
                    for width in [columns + 3, columns.next_multiple_of(16)] {
                        let around = Shape::from([rows * width + base]);
                        let mut found = Array::zeros(dtype, around.clone()).expect("small");
                        let strides = [width as isize, 1];
                        let mut target = Target::inside(&mut found, base, strides.as_slice());
                        target.streams = true;
                        chain.run(&[chain.view_of(0, x.buffer())], &mut target, &mut lanes);
                        let inside = found.gathered(base, &shape, &strides).expect("inside");
                        assert!(same(&inside, &expected), "{dtype}, {shape} at {base}, {isa:?}, {compilation:?}");
                        // Nothing beside it was written.
                        let count = |array: &Array| array.iter_scalars().filter(|x| *x != Scalar::zero(dtype)).count();
                        assert_eq!(count(&found), count(&expected), "{dtype}, {shape} at {base}");
                    }
                });
            }
        }
    }
}
