//! Normal variables by the ziggurat method, as numpy's `Generator` draws them (numpy/random/src/distributions).

use super::bits::Bits;
use super::widths::WIDTHS;
use std::sync::LazyLock;

/// Where the tail begins: the right edge of the lowest layer.
const EDGE: f64 = 3.654_152_885_361_009;
const INVERSE_EDGE: f64 = 0.273_661_237_329_758_3;
/// 2**52 and 2**23: the integers that positions within a layer are drawn from.
const WIDE: f64 = 4_503_599_627_370_496.0;
const NARROW: f64 = 8_388_608.0;

/// What a draw compares with, per layer.
struct Layers {
    width: [f64; 256],
    /// Positions below this are surely under the curve.
    inside: [u64; 256],
    height: [f64; 256],
    narrow_width: [f32; 256],
    narrow_inside: [u32; 256],
    narrow_height: [f32; 256],
}

static LAYERS: LazyLock<Layers> = LazyLock::new(|| {
    let width = WIDTHS.map(f64::from_bits);
    let edge: [f64; 256] = width.map(|width| width * WIDE);
    let ratio: [f64; 256] = std::array::from_fn(|at| match at {
        0 => edge[255] / edge[0],
        1 => 0.0,
        at => edge[at - 1] / edge[at],
    });
    let height: [f64; 256] = std::array::from_fn(|at| match at {
        0 => 1.0,
        at => (-0.5 * edge[at] * edge[at]).exp(),
    });
    Layers {
        width,
        inside: ratio.map(|ratio| (ratio * WIDE) as u64),
        height,
        narrow_width: edge.map(|edge| (edge / NARROW) as f32),
        narrow_inside: ratio.map(|ratio| (ratio * NARROW) as u32),
        narrow_height: height.map(|height| height as f32),
    }
});

/// A standard normal.
pub(super) fn normal(bits: &mut Bits) -> f64 {
    let layers = &*LAYERS;
    loop {
        let word = bits.next_u64();
        let layer = (word & 0xff) as usize;
        let position = word >> 9 & 0x000f_ffff_ffff_ffff;
        let x = position as f64 * layers.width[layer];
        let x = if word >> 8 & 1 == 1 { -x } else { x };
        if position < layers.inside[layer] {
            return x;
        }
        if layer == 0 {
            loop {
                let beyond = -INVERSE_EDGE * (-bits.next_f64()).ln_1p();
                let y = -(-bits.next_f64()).ln_1p();
                if y + y > beyond * beyond {
                    return if position >> 8 & 1 == 1 { -(EDGE + beyond) } else { EDGE + beyond };
                }
            }
        }
        let (above, here) = (layers.height[layer - 1], layers.height[layer]);
        if (above - here) * bits.next_f64() + here < (-0.5 * x * x).exp() {
            return x;
        }
    }
}

/// A standard normal of single precision, from half as many bits.
pub(super) fn normal_f32(bits: &mut Bits) -> f32 {
    let layers = &*LAYERS;
    loop {
        let word = bits.next_u32();
        let layer = (word & 0xff) as usize;
        let position = word >> 9;
        let x = position as f32 * layers.narrow_width[layer];
        let x = if word >> 8 & 1 == 1 { -x } else { x };
        if position < layers.narrow_inside[layer] {
            return x;
        }
        if layer == 0 {
            loop {
                let beyond = -(INVERSE_EDGE as f32) * (-bits.next_f32()).ln_1p();
                let y = -(-bits.next_f32()).ln_1p();
                if y + y > beyond * beyond {
                    let x = EDGE as f32 + beyond;
                    return if position >> 8 & 1 == 1 { -x } else { x };
                }
            }
        }
        let (above, here) = (layers.narrow_height[layer - 1], layers.narrow_height[layer]);
        let test = (above - here) * bits.next_f32() + here;
        if f64::from(test) < (-0.5 * f64::from(x) * f64::from(x)).exp() {
            return x;
        }
    }
}
