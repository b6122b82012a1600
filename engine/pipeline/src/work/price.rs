//! What one op costs, by its name: a table. An op that is not in it is not priced, and a test sees to it that all are.

use super::Unit;
use pallas_ir::function::{Function, OpData};
use pallas_ir::{Type, ops};
use pallas_tensor::DType;

/// What an op costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// Nothing: data is moved or named, not computed.
    Free,
    /// One operation of the unit per element of the result; on integers and bools none that counts as FLOPs.
    Each(Unit),
    /// One addition (or the like) per element that goes away.
    Reduction,
    /// One operation per element.
    Scan,
    /// Two operations per pair of elements that are multiplied.
    Product,
    /// The same into an accumulator that is the first operand; by two blocks at once, if they multiply together.
    Accumulation,
    /// `n log2(n)` comparisons per row.
    Sort,
    /// Regions, which are counted by themselves.
    Regions,
    /// More than can be said here.
    Unpriced,
}

/// The names with their prices. Elementwise ops that are not named cost one vector operation per element.
const PRICES: &[(&[&str], Price)] = &[
    (
        &[
            "constant",
            "iota",
            "broadcast_in_dim",
            "reshape",
            "transpose",
            "squeeze",
            "rev",
            "concatenate",
            "slice",
            "dynamic_slice",
            "dynamic_update_slice",
            "pad",
            "gather",
            "bitcast_convert_type",
            "stop_gradient",
            "load",
            "store",
            "swap",
            "view",
            "reinterpret",
            "program_id",
            "num_programs",
            "debug_print",
            "copy_start",
            "copy_wait",
            "semaphore_signal",
            "semaphore_wait",
            "semaphore_read",
            "barrier_semaphore",
            "pvary",
            "axis_index",
            "random_wrap",
            "barrier_arrive",
            "barrier_wait",
            "barrier_test",
            "copy_in",
            "copy_out",
            "copy_commit",
            "copy_drain",
            "prefetch",
            "store_across",
            "wgmma_wait",
            "tcgen05_commit",
            "copy_to_tmem",
            "reach",
            "store_everywhere",
            "load_everywhere",
            "signal_everywhere",
            "global_semaphore",
            "cluster_cancel",
            "cluster_cancel_result",
            "fence",
            "random_unwrap",
        ],
        Price::Free,
    ),
    (
        &[
            "exp", "exp2", "expm1", "log", "log1p", "sqrt", "rsqrt", "cbrt", "sin", "cos", "tan", "asin", "acos",
            "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "logistic", "erf", "erfc", "erf_inv",
            "lgamma", "digamma", "pow",
        ],
        Price::Each(Unit::Transcendental),
    ),
    (&["integer_pow", "atomic", "scatter"], Price::Each(Unit::Vector)),
    (&["select_n", "clamp", "convert_element_type", "reduce_precision", "is_finite"], Price::Each(Unit::Other)),
    (
        &[
            "reduce_sum",
            "reduce_prod",
            "reduce_max",
            "reduce_min",
            "reduce_and",
            "reduce_or",
            "reduce_xor",
            "argmax",
            "argmin",
        ],
        Price::Reduction,
    ),
    (&["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"], Price::Scan),
    (&["dot_general"], Price::Product),
    (&["wgmma", "tcgen05_mma"], Price::Accumulation),
    (&["sort", "top_k"], Price::Sort),
    (&["for", "while", "cond", "scoped", "call", "pipeline"], Price::Regions),
    (
        &[
            "random_bits",
            "random_split",
            "random_fold_in",
            "random_seed",
            "threefry2x32",
            "launch",
            "psum",
            "psum_invariant",
            "pmax",
            "pmin",
            "ppermute",
            "all_gather",
            "reduce_scatter",
            "all_to_all",
            "foreign",
        ],
        Price::Unpriced,
    ),
];

/// The price of an op.
pub fn price(op: pallas_ir::Op) -> Price {
    if let Some((_, price)) = PRICES.iter().find(|(names, _)| names.contains(&op.name)) {
        return *price;
    }
    if ops::is_elementwise_binary(op) || ops::is_elementwise_unary(op) {
        return Price::Each(Unit::Vector);
    }
    Price::Unpriced
}

/// Operations of an op in place: unit, dtype, count. `None` where it is not priced.
pub fn operations(function: &Function, op: &OpData) -> Option<(Unit, DType, u128)> {
    let operand = |at: usize| op.operands.get(at).map(|&value| function.ty(value));
    let result = op.results.first().map(|&value| function.ty(value));
    let size = |ty: Option<&Type>| ty.map_or(0, elements);
    let on_floats = |unit: Unit, dtype: DType| if dtype.is_float() { unit } else { Unit::Other };
    let of_operand = operand(0).map_or(DType::F32, |ty| ty.dtype());
    Some(match price(op.op) {
        Price::Free | Price::Regions => (Unit::Other, DType::I32, 0),
        Price::Each(unit) => {
            // Comparisons give bools; stores through atomics may give nothing that is used.
            let ty = result.or(operand(1)).or(operand(0));
            let dtype = ty.map_or(DType::F32, |ty| ty.dtype());
            (on_floats(unit, dtype), dtype, size(ty))
        }
        Price::Reduction => {
            (on_floats(Unit::Vector, of_operand), of_operand, size(operand(0)).saturating_sub(size(result)))
        }
        Price::Scan => (on_floats(Unit::Vector, of_operand), of_operand, size(operand(0))),
        Price::Product => {
            let contracted = op
                .attributes
                .int_lists("contracting")
                .and_then(|lists| lists.first())
                .map_or(1, |axes| axes.iter().map(|&axis| extent(operand(0), axis)).product::<u128>());
            (Unit::Matrix, of_operand, size(result).saturating_mul(contracted).saturating_mul(2))
        }
        Price::Accumulation => {
            let (factor, contracted) = (operand(1).map_or(of_operand, |ty| ty.dtype()), extent(operand(2), 0));
            let blocks = 1 + u128::from(op.attributes.int("axis").is_some());
            let products = size(operand(0)).saturating_mul(contracted).saturating_mul(blocks);
            (Unit::Matrix, factor, products.saturating_mul(2))
        }
        Price::Sort => {
            let all = size(operand(0));
            let row = operand(0).and_then(|ty| ty.shape().last().copied()).unwrap_or(1).max(2);
            (Unit::Other, of_operand, all.saturating_mul(u128::from(row.next_power_of_two().trailing_zeros())))
        }
        Price::Unpriced => return None,
    })
}

fn extent(ty: Option<&Type>, axis: i64) -> u128 {
    let axis = usize::try_from(axis).ok();
    ty.zip(axis).and_then(|(ty, axis)| ty.shape().get(axis).copied()).unwrap_or(1) as u128
}

fn elements(ty: &Type) -> u128 {
    ty.shape().iter().fold(1u128, |n, &extent| n.saturating_mul(extent as u128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_into_accumulators_count_twice_their_pairs() {
        let text =
            "func @kernel(%acc: ref<f32[64,8], registers>, %a: ref<f16[64,16], shared>, %b: ref<f16[16,8], shared>) {
  wgmma %acc, %a, %b
}";
        let function = pallas_ir::text::parse_function(text).expect("a function");
        let found = operations(&function, &function.ops[0]);
        assert_eq!(found, Some((Unit::Matrix, DType::F16, 2 * 64 * 8 * 16)));
    }

    #[test]
    fn every_op_has_a_price() {
        let named = |name: &str| PRICES.iter().any(|(names, _)| names.contains(&name));
        for &def in ops::ALL.iter() {
            let op = pallas_ir::Op(def);
            let known = named(def.name) || ops::is_elementwise_binary(op) || ops::is_elementwise_unary(op);
            assert!(known, "{} has no price: add it to the table", def.name);
        }
        for name in PRICES.iter().flat_map(|(names, _)| names.iter()) {
            assert!(ops::find(name).is_some(), "the table prices {name}, which is no op");
        }
    }
}
