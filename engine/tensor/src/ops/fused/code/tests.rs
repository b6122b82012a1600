//! What machine code of chains gives is what the loops give, to the bit.

use super::super::tests::{Random, chain, in_each_way, same, values, views};
use super::super::{ChainBuilder, Code, Lanes, Place, Target};
use super::Compilation;
#[cfg(target_arch = "aarch64")]
use super::arm::Neon as Machine;
#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2 as Machine;
use super::made::has_code;
use super::translate::translated;
use crate::isa::Isa;
use crate::ops::{self, BinaryOp, UnaryOp};
use crate::{Array, Buffer, DType, Scalar, Shape};
use std::collections::BTreeMap;

const DTYPES: [DType; 8] =
    [DType::F32, DType::F32, DType::F32, DType::BF16, DType::F16, DType::I32, DType::U32, DType::Bool];

#[test]
fn random_chains_give_the_bits_of_their_operations() {
    let mut random = Random(23);
    let mut lanes = Lanes::default();
    let mut compiled: BTreeMap<String, usize> = BTreeMap::new();
    for round in 0..2500 {
        let shapes: [&[usize]; 8] =
            [&[5], &[3000], &[4, 700], &[70, 33], &[3, 5, 49], &[2, 1, 40, 33], &[1, 1], &[6, 2500]];
        let shape = Shape::from(shapes[random.below(shapes.len())]);
        let most = 1 + random.below(8);
        let Some((chain, arrays, expected)) = chain(&mut random, &DTYPES, most, &shape) else { continue };
        if translated::<Machine>(&chain).is_none() {
            continue;
        }
        in_each_way(|isa, compilation| {
            if !has_code(isa) || compilation != Compilation::Always {
                return;
            }
            let mut found = Array::zeros(expected.dtype(), shape.clone()).expect("small");
            chain.run(&views(&chain, &arrays), &mut Target::whole(&mut found), &mut lanes);
            assert!(same(&found, &expected), "round {round}: {chain:?}");
            *compiled.entry(format!("{isa:?}")).or_default() += usize::from(chain.codes.are_made(isa));
        });
    }
    assert_eq!(compiled.len(), Isa::all().filter(|&isa| has_code(isa)).count());
    assert!(compiled.values().all(|&chains| chains > 400), "only {compiled:?} chains were compiled");
}

#[test]
fn chains_that_are_alike_share_their_code_and_others_do_not() {
    let shape = Shape::from([3000]);
    let x = values(DType::F32, &shape, &mut Random(41));
    let sum_of = |op: BinaryOp, other: usize| {
        let mut builder = ChainBuilder::new(shape.clone());
        let args = [(); 2].map(|()| builder.read(DType::F32, shape.clone(), Place::same(1)).expect("all of it"));
        builder.step(Code::Binary(op), &[args[0], args[other]], DType::F32).expect("floats");
        builder.finish().expect("one operation")
    };
    let mut lanes = Lanes::default();
    let chains = [(BinaryOp::Add, 1), (BinaryOp::Add, 1), (BinaryOp::Add, 0), (BinaryOp::Sub, 1)]
        .map(|(op, other)| sum_of(op, other));
    in_each_way(|isa, compilation| {
        if has_code(isa) && compilation == Compilation::Always {
            for chain in &chains {
                let mut found = Array::zeros(DType::F32, shape.clone()).expect("small");
                let views = [chain.view_of(0, x.buffer()), chain.view_of(1, x.buffer())];
                chain.run(&views, &mut Target::whole(&mut found), &mut lanes);
            }
            let [first, alike, operand, operation] = &chains;
            assert!(first.codes.are_made(isa) && first.codes.are_those_of(&alike.codes));
            assert!(!first.codes.are_those_of(&operand.codes) && !first.codes.are_those_of(&operation.codes));
        }
    });
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
            let is_known = translated::<Machine>(&chain).is_some();
            in_each_way(|isa, compilation| {
                let mut found = Array::zeros(expected.dtype(), shape.clone()).expect("small");
                let views = [chain.view_of(0, x.buffer())];
                chain.run(&views, &mut Target::whole(&mut found), &mut lanes);
                assert!(same(&found, &expected), "{op:?} of {dtype}, {isa:?}, {compilation:?}");
                let is_made = has_code(isa) && compilation == Compilation::Always;
                assert!(!is_made || is_known == chain.codes.are_made(isa), "{op:?} of {dtype}, {isa:?}");
            });
            compiled += usize::from(is_known);
        }
    }
    assert!(compiled > 40, "only {compiled} functions have code");
}

#[test]
fn remainders_of_small_quotients_are_exact() {
    let mut random = Random(47);
    let mut lanes = Lanes::default();
    let divisors: [f32; 10] = [5.0, -5.0, 1.0, 0.1, 3.0e7, 1.5e-29, -7.3, 1.0f32.next_down(), 1.0f32.next_up(), 0.337];
    for y in divisors {
        let size = y.abs();
        // Small ones, multiples and their neighbours, and anything up to the largest quotient.
        let mut numbers =
            vec![0.0, f32::from_bits(1), f32::MIN_POSITIVE / 2.0, f32::MIN_POSITIVE, size.next_down(), size];
        for _ in 0..20_000 {
            let most = 1 << (1 + random.below(21));
            let multiple = random.below(most) as f32 * size;
            numbers.extend([multiple, multiple.next_up(), multiple.next_down().max(0.0)]);
            numbers.push(random.below(1 << 24) as f32 / 8.1 * size);
        }
        numbers.retain(|&x| ops::remains_near(f64::from(x), y));
        let shape = Shape::from([numbers.len()]);
        let x = Array::from_f32s(shape.clone(), &numbers).expect("as many");
        let divisor = Array::scalar(DType::F32, Scalar::Float(f64::from(y)));
        let expected =
            Array::from_f32s(shape.clone(), &numbers.iter().map(|x| x % y).collect::<Vec<_>>()).expect("as many");
        let mut builder = ChainBuilder::new(shape.clone());
        let args = [
            builder.read(DType::F32, shape.clone(), Place::same(1)).expect("all of it"),
            builder.read(DType::F32, Shape::scalar(), Place::one(1, 0)).expect("one"),
        ];
        builder.step(Code::NearRemainder, &args, DType::F32).expect("floats");
        let chain = builder.finish().expect("one operation");
        in_each_way(|isa, compilation| {
            let mut found = Array::zeros(DType::F32, shape.clone()).expect("small");
            let views = [chain.view_of(0, x.buffer()), chain.view_of(1, divisor.buffer())];
            chain.run(&views, &mut Target::whole(&mut found), &mut lanes);
            assert!(same(&found, &expected), "by {y}, {isa:?}, {compilation:?}");
            let is_made = has_code(isa) && compilation == Compilation::Always;
            assert!(!is_made || chain.codes.are_made(isa), "by {y}, {isa:?}");
        });
    }
}

#[test]
fn quotients_and_remainders_of_integers_are_exact() {
    let mut random = Random(43);
    let near = |x: u32| [x.wrapping_sub(1), x, x.wrapping_add(1)];
    let powers = (0..32).flat_map(|place| near(1 << place)).chain([0, u32::MAX, 3_000_000_000, 10, 7, 641, 65_537]);
    let mut numbers: Vec<u32> = powers.collect();
    for _ in 0..100 {
        let bits = 1 + random.below(32) as u32;
        let number = (random.below(1 << 16) << 16 | random.below(1 << 16)) as u32;
        numbers.push(number >> (32 - bits));
        numbers.push((number >> (32 - bits)).wrapping_neg());
    }
    // Each by each, and each by multiples of it and what is beside them.
    let mut pairs: Vec<(u32, u32)> = numbers.iter().flat_map(|&x| numbers.iter().map(move |&y| (x, y))).collect();
    for &y in &numbers {
        let times = random.below(1 << 16) as u32 >> random.below(16);
        pairs.extend(near(y.wrapping_mul(times)).map(|x| (x, y)));
    }
    let shape = Shape::from([pairs.len()]);
    let mut lanes = Lanes::default();
    for dtype in [DType::I32, DType::U32] {
        let array = |numbers: Vec<u32>| {
            let buffer = match dtype {
                DType::I32 => Buffer::I32(numbers.into_iter().map(u32::cast_signed).collect()),
                _ => Buffer::U32(numbers),
            };
            Array::new(shape.clone(), buffer).expect("as many")
        };
        let (x, y) =
            (array(pairs.iter().map(|pair| pair.0).collect()), array(pairs.iter().map(|pair| pair.1).collect()));
        for op in [BinaryOp::Div, BinaryOp::Rem] {
            let mut builder = ChainBuilder::new(shape.clone());
            let args = [(); 2].map(|()| builder.read(dtype, shape.clone(), Place::same(1)).expect("all of it"));
            builder.step(Code::Binary(op), &args, dtype).expect("integers");
            let chain = builder.finish().expect("one operation");
            let expected = ops::binary(op, x.clone(), y.clone()).expect("integers");
            in_each_way(|isa, compilation| {
                let mut found = Array::zeros(dtype, shape.clone()).expect("small");
                let views = [chain.view_of(0, x.buffer()), chain.view_of(1, y.buffer())];
                chain.run(&views, &mut Target::whole(&mut found), &mut lanes);
                assert!(same(&found, &expected), "{op:?} of {dtype}, {isa:?}, {compilation:?}");
                let is_made = has_code(isa) && compilation == Compilation::Always;
                assert!(!is_made || chain.codes.are_made(isa), "{op:?} of {dtype}, {isa:?}");
            });
        }
    }
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
            assert!(translated::<Machine>(&chain).is_some(), "{from} to {to}");
            let expected = ops::convert(&x, to).expect("numbers");
            in_each_way(|isa, compilation| {
                let mut found = Array::zeros(to, shape.clone()).expect("small");
                chain.run(&[chain.view_of(0, x.buffer())], &mut Target::whole(&mut found), &mut lanes);
                assert!(same(&found, &expected), "{from} to {to}, {isa:?}, {compilation:?}");
                let is_made = has_code(isa) && compilation == Compilation::Always;
                assert!(!is_made || chain.codes.are_made(isa), "{from} to {to}, {isa:?}");
            });
        }
    }
}

#[test]
fn what_is_written_past_the_caches_goes_where_it_belongs() {
    let mut random = Random(37);
    let mut lanes = Lanes::default();
    // The sum, and its exponential, whose values go side by side.
    let dtypes = [DType::F32, DType::I32, DType::BF16, DType::Bool];
    for (dtype, computes) in dtypes.into_iter().flat_map(|dtype| [(dtype, false), (dtype, true)]) {
        for (rows, columns) in [(1, 3), (1, 15), (1, 16), (1, 77), (3, 700), (5, 64), (40, 33), (1, 5000)] {
            let shape = Shape::from([rows, columns]);
            let x = values(DType::F32, &shape, &mut random);
            let mut builder = ChainBuilder::new(shape.clone());
            let arg = builder.read(DType::F32, shape.clone(), Place::same(2)).expect("all of it");
            let mut sum = builder.step(Code::Binary(BinaryOp::Add), &[arg, arg], DType::F32).expect("floats");
            let mut expected = ops::binary(BinaryOp::Add, x.clone(), x.clone()).expect("floats");
            if computes {
                sum = builder.step(Code::Unary(UnaryOp::Exp), &[sum], DType::F32).expect("floats");
                expected = ops::unary(UnaryOp::Exp, expected).expect("floats");
            }
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
