//! How fast operations go over elements, beside how fast this machine copies and multiplies in the same run: `cargo bench -p
//! pallas-tensor --bench ops [NAMES]`. One row an operation, as Markdown: the median of several rounds, in which all take
//! turns, so that a machine that slows down slows all of them down. `isa=avx2` among the names computes with that instruction set, and
//! `loops` without machine code of chains.
//!
//! Without a harness: a row is a ratio of two medians of the same rounds, which no harness of single measurements gives.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use pallas_tensor::ops::fused::{Arg, Chain, ChainBuilder, Code, Compilation, Lanes, Place, Target};
use pallas_tensor::ops::{BinaryOp, DotDimensions, Matrix, MultiplyAdd, ReduceOp, UnaryOp, matrix_product_onto};
use pallas_tensor::threads::alone;
use pallas_tensor::{Array, DType, Isa, Scalar, Shape, deferring, ops, random};
use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

/// Elements of the arrays that do not fit any cache, and of a tile that fits the second one.
const LARGE: usize = 1 << 24;
const TILE: usize = 1 << 16;
const ROUNDS: usize = 7;

struct Row {
    name: String,
    /// Bytes that go to and from memory, or multiplications and additions.
    work: Work,
    run: Box<dyn Fn()>,
    times: Vec<f64>,
}

enum Work {
    Bytes(usize),
    Operations(usize),
}

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    // `isa=avx2` and `loops` compute with less than this processor has.
    let isa = Isa::all().find(|isa| names.contains(&format!("isa={isa:?}").to_lowercase()));
    isa.into_iter().for_each(Isa::take);
    if names.iter().any(|name| name == "loops") {
        Compilation::Never.set();
    }
    names.retain(|name| !name.starts_with("isa=") && name != "loops");
    let mut rows = rows();
    rows.retain(|row| names.is_empty() || row.name.starts_with("copy,") || names.iter().any(|n| row.name.contains(n)));
    for round in 0..=ROUNDS {
        for row in &mut rows {
            let repeats = match row.work {
                Work::Bytes(bytes) => (1 << 25) / bytes.max(1),
                Work::Operations(operations) => (1 << 25) / operations.max(1),
            };
            let repeats = repeats.clamp(1, 1000);
            let start = Instant::now();
            (0..repeats).for_each(|_| (row.run)());
            // The first round only warms up.
            if round > 0 {
                row.times.push(start.elapsed().as_secs_f64() / repeats as f64);
            }
        }
    }
    let rate = |row: &mut Row| {
        row.times.sort_by(f64::total_cmp);
        let seconds = row.times[row.times.len() / 2];
        match row.work {
            Work::Bytes(work) | Work::Operations(work) => (seconds, work as f64 / seconds / 1e9),
        }
    };
    let copy =
        |rows: &mut Vec<Row>, name: &str| rows.iter_mut().find(|row| row.name == name).map_or(1.0, |row| rate(row).1);
    let (from_memory, in_cache) = (copy(&mut rows, "copy, 16M float32"), copy(&mut rows, "copy, tile"));
    println!("| operation | microseconds | GB/s or GFLOP/s | of copying |\n|---|--:|--:|--:|");
    for row in &mut rows {
        let (seconds, rate) = rate(row);
        let share = match row.work {
            Work::Bytes(_) if row.name.ends_with("tile") => format!("{:.0} %", 100.0 * rate / in_cache),
            Work::Bytes(_) => format!("{:.0} %", 100.0 * rate / from_memory),
            Work::Operations(_) => String::new(),
        };
        println!("| {} | {:.1} | {rate:.1} | {share} |", row.name, 1e6 * seconds);
    }
}

fn values(shape: &[usize], dtype: DType) -> Array {
    let size: usize = shape.iter().product();
    let elements: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
    let array = Array::from_f32s(shape, &elements).expect("as many");
    ops::convert(&array, dtype).expect("numbers")
}

/// The numbers in [`gelu_of`].
const GELU: [f64; 4] = [0.044_715, 0.797_884_56, 1.0, 0.5];

fn gelu_of(size: usize) -> Chain {
    let shape = Shape::from([size]);
    let mut chain = ChainBuilder::new(shape.clone());
    let x = chain.read(DType::F32, shape, Place::same(1)).expect("floats");
    let [cubic, inner, one, half] =
        [(); 4].map(|()| chain.read(DType::F32, Shape::scalar(), Place::one(1, 0)).expect("floats"));
    let mut step = |code, args: &[Arg]| chain.step(code, args, DType::F32).expect("floats");
    let times = Code::Binary(BinaryOp::Mul);
    let squared = step(times, &[cubic, x]);
    let squared = step(times, &[squared, x]);
    let sum = step(Code::MultiplyAdd { form: MultiplyAdd::Add, divides: false }, &[squared, x, x]);
    let sum = step(times, &[inner, sum]);
    let tanh = step(Code::Unary(UnaryOp::Tanh), &[sum]);
    let tanh = step(Code::Binary(BinaryOp::Add), &[one, tanh]);
    let halved = step(times, &[half, x]);
    step(times, &[halved, tanh]);
    chain.finish().expect("short")
}

/// A chain with one operand for all and others as they come, over tiles that stay where they are: what a kernel computes where memory
/// takes no time, on one core.
fn gelu() -> Box<dyn Fn()> {
    let chain = gelu_of(TILE);
    let numbers = GELU.map(|value| Array::scalar(DType::F32, Scalar::Float(value)));
    let x = values(&[TILE], DType::F32);
    let work = RefCell::new((x.apart(), Lanes::default()));
    Box::new(move || {
        let (out, lanes) = &mut *work.borrow_mut();
        let arrays = [&x, &numbers[0], &numbers[1], &numbers[2], &numbers[3]];
        let views: Vec<_> =
            arrays.iter().enumerate().map(|(read, array)| chain.view_of(read, array.buffer())).collect();
        chain.run(&views, &mut Target::whole(out), lanes);
    })
}

/// How long it takes until a new chain has computed something with machine code, or with loops.
fn gelu_made(compilation: Compilation) -> Box<dyn Fn()> {
    let numbers = GELU.map(|value| Array::scalar(DType::F32, Scalar::Float(value)));
    let x = values(&[64], DType::F32);
    let work = RefCell::new((x.apart(), Lanes::default()));
    Box::new(move || {
        let (out, lanes) = &mut *work.borrow_mut();
        let chain = gelu_of(64);
        let arrays = [&x, &numbers[0], &numbers[1], &numbers[2], &numbers[3]];
        let views: Vec<_> =
            arrays.iter().enumerate().map(|(read, array)| chain.view_of(read, array.buffer())).collect();
        let before = compilation.set();
        chain.run(&views, &mut Target::whole(out), lanes);
        before.set();
    })
}

/// See [`gelu`].
fn softmax() -> Box<dyn Fn()> {
    const LENGTH: usize = 4096;
    let shape = Shape::from([TILE / LENGTH, LENGTH]);
    let rows = |chain: &mut ChainBuilder| {
        let place = Place { dims: [Some((0, 1)), None].into_iter().collect(), starts: [0].into_iter().collect() };
        chain.read(DType::F32, Shape::from([TILE / LENGTH]), place).expect("floats")
    };
    let start = |shape: &Shape| {
        let mut chain = ChainBuilder::new(shape.clone());
        let x = chain.read(DType::F32, shape.clone(), Place::same(2)).expect("floats");
        (chain, x)
    };
    let most = start(&shape).0.finish().expect("short");
    let (mut powers, x) = start(&shape);
    let greatest = rows(&mut powers);
    let centred = powers.step(Code::Binary(BinaryOp::Sub), &[x, greatest], DType::F32).expect("floats");
    powers.step(Code::Unary(UnaryOp::Exp), &[centred], DType::F32).expect("floats");
    let powers = powers.finish().expect("short");
    let (mut parts, x) = start(&shape);
    let sum = rows(&mut parts);
    parts.step(Code::ByReciprocal, &[x, sum], DType::F32).expect("floats");
    let parts = parts.finish().expect("short");
    let x = values(&shape, DType::F32);
    let of_rows = values(&[TILE / LENGTH], DType::F32);
    let work = RefCell::new((x.apart(), x.apart(), of_rows.apart(), of_rows.apart(), Lanes::default()));
    Box::new(move || {
        let (out, kept, greatest, sums, lanes) = &mut *work.borrow_mut();
        if let Some(result) = greatest.elements_mut::<f32>() {
            most.reduce(ReduceOp::Max, [LENGTH, 1], &[most.view_of(0, x.buffer())], None, result, lanes);
        }
        let views = [powers.view_of(0, x.buffer()), powers.view_of(1, greatest.buffer())];
        if let (Some(kept), Some(sums)) = (kept.elements_mut::<f32>(), sums.elements_mut::<f32>()) {
            powers.reduce(ReduceOp::Sum, [LENGTH, 1], &views, Some(kept), sums, lanes);
        }
        let views = [parts.view_of(0, kept.buffer()), parts.view_of(1, sums.buffer())];
        parts.run(&views, &mut Target::whole(out), lanes);
    })
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name: String, work: Work, run: Box<dyn Fn()>| rows.push(Row { name, work, run, times: Vec::new() });
    let (x, y) = (values(&[LARGE], DType::F32), values(&[LARGE], DType::F32));
    let tile = values(&[TILE], DType::F32);
    let bytes = |arrays: usize, size: usize| Work::Bytes(arrays * size * size_of::<f32>());
    let source: Vec<f32> = vec![1.0; LARGE];
    let target = RefCell::new(vec![0.0f32; LARGE]);
    add(
        "copy, 16M float32".to_string(),
        bytes(2, LARGE),
        Box::new(move || black_box(&mut *target.borrow_mut()).copy_from_slice(black_box(&source))),
    );
    let source: Vec<f32> = vec![1.0; TILE];
    let target = RefCell::new(vec![0.0f32; TILE]);
    add(
        "copy, tile".to_string(),
        bytes(2, TILE),
        Box::new(move || black_box(&mut *target.borrow_mut()).copy_from_slice(black_box(&source))),
    );
    for op in [UnaryOp::Neg, UnaryOp::Exp, UnaryOp::Log, UnaryOp::Tanh, UnaryOp::Erf, UnaryOp::Sin, UnaryOp::Rsqrt] {
        let array = tile.clone();
        let run = move || drop(black_box(ops::unary(op, array.clone())));
        add(format!("{}, tile", op.name()), bytes(2, TILE), Box::new(run));
    }
    for op in [BinaryOp::Add, BinaryOp::Div, BinaryOp::Rem, BinaryOp::Pow] {
        let (a, b) = (tile.clone(), tile.clone());
        let run = move || drop(black_box(ops::binary(op, a.clone(), b.clone())));
        add(format!("{}, tile", op.name()), bytes(3, TILE), Box::new(run));
    }
    let (a, b) = (x.clone(), y.clone());
    // What host code does: put off, then computed on all cores.
    let run = move || {
        let sum = deferring(|| ops::binary(BinaryOp::Add, a.clone(), b.clone())).expect("floats");
        black_box(sum.buffer());
    };
    add("add, 16M float32".to_string(), bytes(3, LARGE), Box::new(run));
    let a = x.clone();
    let run = move || {
        let chain = deferring(|| {
            let tanh = ops::unary(UnaryOp::Tanh, a.clone())?;
            let product = ops::binary(BinaryOp::Mul, tanh, a.clone())?;
            ops::binary(BinaryOp::Add, product, a.clone())
        });
        black_box(chain.expect("floats").buffer());
    };
    add("x * tanh(x) + x, 16M float32".to_string(), bytes(2, LARGE), Box::new(run));
    add("gelu, tile".to_string(), bytes(2, TILE), gelu());
    add("a chain like gelu, made and run".to_string(), Work::Operations(1 << 16), gelu_made(Compilation::Never));
    add("the same with machine code".to_string(), Work::Operations(1 << 16), gelu_made(Compilation::Always));
    add("softmax of rows of 4096, tile".to_string(), bytes(2, TILE), softmax());
    for dtype in [DType::BF16, DType::I8] {
        let array = tile.clone();
        let run = move || drop(black_box(ops::convert(&array, dtype)));
        add(format!("convert to {}, tile", dtype.name()), bytes(2, TILE), Box::new(run));
    }
    let matrix = values(&[256, 256], DType::F32);
    for axis in 0..2 {
        let array = matrix.clone();
        let run = move || drop(black_box(ops::reduce(ReduceOp::Sum, &array, &[axis])));
        add(format!("sum over axis {axis} of 256 x 256, tile"), bytes(1, TILE), Box::new(run));
    }
    let array = matrix.clone();
    add(
        "transpose of 256 x 256, tile".to_string(),
        bytes(2, TILE),
        Box::new(move || drop(black_box(ops::transpose(&array, &[1, 0])))),
    );
    add(
        "random bits, 16M float32".to_string(),
        bytes(1, LARGE),
        Box::new(|| drop(black_box(random::bits([0, 7], 32, [LARGE])))),
    );
    let shapes = [(4, 4, 4), (16, 16, 16), (64, 64, 64), (128, 64, 128), (256, 256, 256), (1024, 1024, 1024)];
    for (rows, inner, columns) in shapes {
        for (dtype, output) in [(DType::F32, DType::F32), (DType::BF16, DType::F32), (DType::I8, DType::I32)] {
            let (a, b) = (values(&[rows, inner], dtype), values(&[inner, columns], dtype));
            let work = || Work::Operations(2 * rows * inner * columns);
            let name = format!("{} dot, {rows} x {inner} x {columns}", dtype.name());
            let dot = move || drop(black_box(ops::dot_general(&a, &b, &DotDimensions::matrix_product(), output)));
            if rows == 1024 {
                add(format!("{name}, all cores"), work(), Box::new(dot));
            } else {
                add(name, work(), Box::new(move || alone(&dot)));
            }
        }
    }
    // A row of blocks of one matrix times a column of blocks of another, added up where the result lies.
    const BLOCK: usize = 256;
    for dtype in [DType::F32, DType::BF16] {
        let (a, b) = (values(&[1024, 1024], dtype), values(&[1024, 1024], dtype));
        let target = RefCell::new(values(&[BLOCK, BLOCK], DType::F32));
        let run = move || {
            let target = &mut *target.borrow_mut();
            for block in 0..4 {
                let left = Matrix { buffer: a.buffer(), base: block * BLOCK, strides: [1024, 1] };
                let right = Matrix { buffer: b.buffer(), base: block * BLOCK * 1024, strides: [1024, 1] };
                matrix_product_onto(target, left, right, (BLOCK, BLOCK, BLOCK), true).expect("as large");
            }
        };
        let name = format!("{} dot onto a block, 256 x 1024 x 256", dtype.name());
        add(name, Work::Operations(2 * BLOCK * 1024 * BLOCK), Box::new(move || alone(&run)));
    }
    rows
}
