//! Of which products each row of the result stays in one warp, decided once for a whole kernel.
//!
//! What a warp has of a result is best square, since it then reads least of the factors. Attention wants something else: rows are
//! folded (maxima, sums) and multiplied again, in every round of a loop. A warp that has whole rows folds them with shuffles and
//! has them as the next product takes its left factor; otherwise both go through shared memory, with a barrier each. All products
//! of as many rows go along, as the sums of the last one are scaled row by row.

use super::anchors::Classes;
use super::dot::Plain;
use super::mma;
use crate::layout::log2;
use pallas_ir::{Function, OpData, ValueId};

/// The fewest rows, as a power of two, for which it pays to have no more warps than rows keep busy.
const FEW: usize = 6;

/// Numbers of rows, as powers of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WholeRows(u32);

impl WholeRows {
    pub(crate) fn of(function: &Function) -> WholeRows {
        let mut classes = Classes::of(function);
        let wanted: Vec<ValueId> = function.ops.iter().filter_map(|op| row_by_row(function, op)).collect();
        let wanted: Vec<usize> = wanted.into_iter().map(|value| classes.find(value)).collect();
        let mut rows = 0;
        for op in &function.ops {
            if let Some(plain) = Plain::of(function, op).filter(mma::fits)
                && wanted.contains(&classes.find(op.results[0]))
            {
                rows |= 1 << log2(plain.extents[0]);
            }
        }
        WholeRows(rows)
    }

    /// Whether a product of so many rows is one of them.
    pub(crate) fn has(self, rows: usize) -> bool {
        self.0 >> log2(rows) & 1 == 1
    }

    /// As many threads as all of these rows keep busy, as a power of two; `None` where that are too few to load anything.
    pub(crate) fn threads(self) -> Option<usize> {
        let fewest = self.0.trailing_zeros() as usize;
        (self.0 != 0 && fewest >= FEW).then(|| fewest - log2(mma::ROWS) + mma::LANE_BITS)
    }
}

/// The matrix that an op takes row by row.
fn row_by_row(function: &Function, op: &OpData) -> Option<ValueId> {
    if op.op.name.starts_with("reduce_") && op.attributes.ints("axes").is_some_and(|axes| axes == [1]) {
        return op.operands.first().copied().filter(|&value| function.ty(value).shape().len() == 2);
    }
    let plain = Plain::of(function, op)?;
    (plain.terms_last[0] && mma::fits(&plain)).then_some(plain.left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_ir::text::parse_launch;

    /// A product of 64 rows, and what is done to it.
    fn rows(done: &str) -> WholeRows {
        let text = format!(
            "launch grid=[1] {{\n  input @x_ref: bf16[64,64] block=[64, 64] map @x(%i: i32[]) {{ yield %i, %i }}\n  \
             output @o_ref: f32[64] block=[64] map @o(%i: i32[]) {{ yield %i }}\n  \
             kernel @k(%x_ref: ref<bf16[64,64]>, %o_ref: ref<f32[64]>) {{\n    %x = load %x_ref[:, :] : bf16[64,64]\n    \
             %s = dot_general %x, %x contracting=[[1], [1]] batch=[[], []] dtype=f32 : f32[64,64]\n    {done}\n  }}\n}}\n"
        );
        WholeRows::of(&parse_launch(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).kernel)
    }

    #[test]
    fn rows_that_are_folded_stay_whole_and_others_do_not() {
        let folded = rows("%e = exp %s : f32[64,64]\n    %m = reduce_max %e axes=[1] : f32[64]");
        assert!(folded.has(64) && !folded.has(128));
        assert_eq!(folded.threads(), Some(7), "four warps of 16 rows");
        let columns = rows("%m = reduce_max %s axes=[0] : f32[64]");
        assert_eq!((columns, columns.threads()), (WholeRows(0), None));
    }

    #[test]
    fn so_do_rows_of_the_left_factor_of_another_product() {
        let product = |left: &str, right: &str| {
            format!(
                "%p = convert_element_type %s dtype=bf16 weak=false : bf16[64,64]\n    %o = dot_general {left}, {right} \
                 contracting=[[1], [0]] batch=[[], []] dtype=f32 : f32[64,64]"
            )
        };
        assert!(rows(&product("%p", "%x")).has(64));
        assert_eq!(rows(&product("%x", "%p")), WholeRows(0));
    }
}
