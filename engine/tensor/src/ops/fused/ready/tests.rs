//! Chains that are ready beside the same chains as they run otherwise, to the bit.

use super::super::tests::in_each_way;
use super::*;
use crate::ops::binary::BinaryOp;
use crate::ops::fused::{ChainBuilder, Code, Place};
use crate::ops::number::Float;
use crate::ops::unary::UnaryOp;
use crate::shape::Shape;

/// `exp(x * y)` of blocks of (8, 16, 64), where `y` is one row for sixteen.
fn chain() -> Arc<Chain> {
    let shape = Shape::from([8, 16, 64]);
    let mut builder = ChainBuilder::new(shape.clone());
    let x = builder.read(DType::F32, shape, Place::same(3)).expect("all of it");
    let place =
        Place { dims: [Some((0, 1)), None, Some((1, 1))].into_iter().collect(), starts: SmallVec::from_elem(0, 2) };
    let y = builder.read(DType::F32, Shape::from([8, 64]), place).expect("rows");
    let product = builder.step(Code::Binary(BinaryOp::Mul), &[x, y], DType::F32).expect("floats");
    builder.step(Code::Unary(UnaryOp::Exp), &[product], DType::F32).expect("floats");
    Arc::new(builder.finish().expect("two operations"))
}

fn floats(count: usize, step: f32) -> Buffer {
    Buffer::F32((0..count).map(|i| i as f32 * step % 3.0 - 1.5).collect())
}

#[test]
fn a_chain_that_is_ready_computes_what_it_computes_otherwise_before_there_is_code_and_after() {
    let (chain, mut lanes) = (chain(), Lanes::default());
    let (x, y) = (floats(3 * 8 * 16 * 64, 0.37), floats(8 * 64, 0.11));
    let even: &[isize] = &[1024, 64, 1];
    let ready = Ready::new(&chain, &[even, &[64, 1]], even).expect("small");
    for run in 0..40 {
        // Another block each time.
        let base = run % 3 * 8192;
        let reads = [(&x, base), (&y, 0)].map(|(buffer, base)| Start { buffer, base, next: None });
        let (mut found, mut expected) = (floats(8192, 0.0), floats(8192, 0.0));
        ready.run(|read| reads[read], &mut found, 0, &mut lanes);
        let views = [chain.view_at(0, &x, base, even), chain.view_of(1, &y)];
        let strides = Cow::Borrowed(even);
        let mut target = Target { elements: expected.as_mut(), base: 0, strides, streams: false };
        chain.run(&views, &mut target, &mut lanes);
        assert_eq!(found, expected);
        for (sizes, keeps) in [([64, 1], false), ([16, 64], true), ([16, 64], false)] {
            let reduction = Reduction { op: ReduceOp::Sum, sizes, keeps };
            let ready = Ready::reducing(&chain, &[even, &[64, 1]], reduction).expect("small");
            let (mut sums, mut others) = (floats(8192 / sizes[0], 0.0), floats(8192 / sizes[0], 0.0));
            let mut rows = keeps.then(|| floats(8192, 0.0));
            ready.reduce(reduction, |read| reads[read], rows.as_mut(), &mut sums, &mut lanes);
            let result = f32::slice_mut(&mut others).expect("floats");
            chain.reduce(ReduceOp::Sum, sizes, &views, None, result, &mut lanes);
            assert_eq!(sums, others);
            assert!(rows.is_none_or(|rows| rows == expected));
        }
    }
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
    assert!(ready.code.get().is_some() || crate::isa::isa() == crate::isa::Isa::Baseline);
}

/// Planes with a row of their own for all of theirs, so that they are pieces; with as many operands as have to wait in memory, too.
#[test]
fn pieces_that_are_alike_go_through_together_as_one_after_the_other() {
    for (sizes, others) in [([5, 7, 19], 1), ([3, 4, 64], 2), ([4, 9, 33], 9), ([6, 2, 200], 4)] {
        let shape = Shape::from(sizes);
        let mut builder = ChainBuilder::new(shape.clone());
        let dims = [Some((0, 1)), None, Some((1, 1))].into_iter().collect();
        let place = Place { dims, starts: SmallVec::from_elem(0, 2) };
        let mut sum = builder.read(DType::F32, Shape::from([sizes[0], sizes[2]]), place).expect("rows");
        for _ in 0..others {
            let x = builder.read(DType::F32, shape.clone(), Place::same(3)).expect("all of it");
            sum = builder.step(Code::Binary(BinaryOp::Mul), &[sum, x], DType::F32).expect("floats");
            sum = builder.step(Code::Binary(BinaryOp::Add), &[sum, x], DType::F32).expect("floats");
        }
        let chain = Arc::new(builder.finish().expect("operations"));
        let even = [(sizes[1] * sizes[2]) as isize, sizes[2] as isize, 1];
        let rows: &[isize] = &[sizes[2] as isize, 1];
        let strides: Vec<&[isize]> = std::iter::once(rows).chain((0..others).map(|_| &even[..])).collect();
        let buffers: Vec<Buffer> = (0..=others).map(|i| floats(shape.size(), 0.37 + i as f32 * 0.11)).collect();
        let views: Vec<View<'_>> = buffers.iter().enumerate().map(|(i, x)| chain.view_of(i, x)).collect();
        let mut expected = floats(shape.size(), 0.0);
        let to = Cow::Borrowed(&even[..]);
        let mut target = Target { elements: expected.as_mut(), base: 0, strides: to, streams: false };
        chain.run(&views, &mut target, &mut Lanes::default());
        in_each_way(|isa, compilation| {
            let ready = Ready::new(&chain, &strides, &even).expect("small");
            assert!(
                matches!(&ready.groups[..], [group] if group.pieces.len() == sizes[0] && group.distances.is_some())
            );
            let mut found = floats(shape.size() + 5, 0.0);
            let start = |read: usize| Start { buffer: &buffers[read], base: 0, next: None };
            ready.run(start, &mut found, 5, &mut Lanes::default());
            let [found, expected] = [&found, &expected].map(|x| f32::slice(x).expect("floats"));
            assert_eq!(found[5..], *expected, "{sizes:?}, {isa:?}, {compilation:?}");
            assert_eq!(found[..5], [-1.5; 5]);
        });
    }
}

/// Rows under a factor of their own, added up: columns that are whole registers, and others; numbers that count as zero among
/// them, which meet in sums that do.
#[test]
fn rows_that_code_adds_up_are_those_that_were_added_one_by_one() {
    let value = |i: usize| match i % 17 {
        3 => 3e-39,
        5 => -1.5e-38,
        7 => 1.2e-38,
        11 => -0.0,
        _ => (i * 37 % 101) as f32 * 0.31 - 15.5,
    };
    in_each_way(|_, _| {
        for [outer, length, inner] in [[1, 2, 16], [3, 5, 33], [2, 32, 100], [8, 16, 64], [1, 31, 130], [5, 9, 19]] {
            let shape = Shape::from([outer, length, inner]);
            let mut builder = ChainBuilder::new(shape.clone());
            let x = builder.read(DType::F32, shape.clone(), Place::same(3)).expect("all of it");
            let dims = [Some((0, 1)), Some((1, 1)), None].into_iter().collect();
            let place = Place { dims, starts: SmallVec::from_elem(0, 2) };
            let y = builder.read(DType::F32, Shape::from([outer, length]), place).expect("one for a row");
            let product = builder.step(Code::Binary(BinaryOp::Mul), &[x, y], DType::F32).expect("floats");
            builder.step(Code::Binary(BinaryOp::Add), &[product, y], DType::F32).expect("floats");
            let chain = Arc::new(builder.finish().expect("two operations"));
            let (x, y) = (Buffer::F32((0..shape.size()).map(value).collect()), floats(outer * length, 0.37));
            let reduction = Reduction { op: ReduceOp::Sum, sizes: [length, inner], keeps: false };
            let strides: [&[isize]; 2] = [&[(length * inner) as isize, inner as isize, 1], &[length as isize, 1]];
            let ready = Ready::reducing(&chain, &strides, reduction).expect("small");
            assert!(ready.adds);
            let reads = [&x, &y].map(|buffer| Start { buffer, base: 0, next: None });
            let (mut found, mut expected) = (floats(outer * inner, 0.0), vec![0.0; outer * inner]);
            let mut lanes = Lanes::default();
            ready.reduce(reduction, |read| reads[read], None, &mut found, &mut lanes);
            let views = [chain.view_of(0, &x), chain.view_of(1, &y)];
            let mut rows = Buffer::F32(vec![0.0; shape.size()]);
            let strides = Cow::Borrowed(strides[0]);
            chain.run(&views, &mut Target { elements: rows.as_mut(), base: 0, strides, streams: false }, &mut lanes);
            let rows = f32::slice(&rows).expect("floats");
            for (sums, rows) in expected.chunks_mut(inner).zip(rows.chunks(length * inner)) {
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum = rows.iter().skip(column).step_by(inner).fold(0.0f32, |sum, &x| sum.plus(x));
                }
            }
            let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(
                bits(f32::slice(&found).expect("floats")),
                bits(&expected),
                "{outer} of {length} rows of {inner}"
            );
        }
    });
}
