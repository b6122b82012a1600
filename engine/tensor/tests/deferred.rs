//! Expressions whose results are computed late have the digits of those that are computed at once, whoever looks at what, and when.

use pallas_tensor::ops::{self, BinaryOp, CompareOp, UnaryOp};
use pallas_tensor::{Array, Buffer, DType, Scalar, Shape, deferring};

/// Draws numbers (xorshift64), so that failures repeat.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Extents that are put off: one that chunks divide, and some that leave rests.
const SHAPES: [&[usize]; 4] = [&[1 << 16], &[33_333], &[181, 257], &[3, 101, 149]];
const DTYPES: [DType; 4] = [DType::F32, DType::BF16, DType::I32, DType::U8];

fn leaf(draw: &mut Draw, shape: &Shape) -> Array {
    let values = (0..shape.size()).map(|_| draw.below(2000) as f32 / 64.0 - 15.0).collect();
    let array = Array::new(shape.clone(), Buffer::F32(values)).expect("fits");
    ops::convert(&array, draw.of(&DTYPES)).expect("numbers")
}

/// One more array from those that are there. Whatever is drawn is accepted.
fn step(draw: &mut Draw, arrays: &[Array]) -> Array {
    let x = arrays[draw.below(arrays.len())].clone();
    let y = ops::convert(&arrays[draw.below(arrays.len())], x.dtype()).expect("numbers");
    let result = match draw.below(7) {
        0 => ops::binary(draw.of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Max]), x, y),
        1 if x.dtype() == DType::F32 => ops::unary(draw.of(&[UnaryOp::Exp, UnaryOp::Tanh, UnaryOp::Erf]), x),
        1 => ops::unary(UnaryOp::Sign, x),
        2 => ops::convert(&x, draw.of(&DTYPES)),
        3 => {
            let condition = ops::compare(CompareOp::Lt, &x, &y).expect("numbers");
            ops::select(&condition, &y, &x)
        }
        4 => {
            let one = Array::scalar(x.dtype(), Scalar::Float(0.75));
            ops::binary(BinaryOp::Add, x, one)
        }
        5 if x.dtype() == DType::F32 => ops::bitcast_convert(&x, DType::I32),
        5 => ops::integer_pow(x, 2),
        _ => {
            // Written in place: whoever shares the elements keeps what they were.
            let mut changed = x;
            if let Buffer::F32(elements) = changed.make_mut() {
                elements[7] = 3.5;
            }
            Ok(changed)
        }
    };
    result.expect("accepted")
}

#[test]
fn expressions_computed_late_have_the_same_bits() {
    for seed in 1..=120u64 {
        let mut draw = Draw(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let shape = Shape::from(draw.of(&SHAPES));
        let mut at_once: Vec<Array> = (0..3).map(|_| leaf(&mut draw, &shape)).collect();
        let mut late = at_once.clone();
        for _ in 0..draw.below(40) + 3 {
            let mut again = Draw(draw.0);
            at_once.push(step(&mut draw, &at_once));
            let more = deferring(|| step(&mut again, &late));
            late.push(more);
            // Some are looked at in between, some are forgotten before anybody did.
            if draw.below(5) == 0 {
                let at = draw.below(late.len());
                assert!(late[at].same_bits(&at_once[at]), "seed {seed}, array {at}");
            }
            if draw.below(4) == 0 {
                let at = draw.below(late.len());
                late.swap_remove(at);
                at_once.swap_remove(at);
            }
        }
        for (at, (late, at_once)) in late.iter().zip(&at_once).enumerate() {
            assert_eq!((late.dtype(), late.shape()), (at_once.dtype(), at_once.shape()), "seed {seed}, array {at}");
            assert!(late.same_bits(at_once), "seed {seed}, array {at}");
        }
    }
}
