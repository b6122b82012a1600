//! Launches that multiply two matrices, for every dtype that tensor cores take and every way the factors may lie.

use pallas_ir::Launch;
use pallas_ir::text::parse_launch;
use pallas_tensor::{Array, DType, Scalar};

/// Dtypes of factors, of the result, and what precision is asked for.
pub const DTYPES: [(DType, DType, Option<&str>); 8] = [
    (DType::BF16, DType::F32, None),
    (DType::F16, DType::F32, None),
    (DType::F8E4M3Fn, DType::F32, None),
    (DType::F8E5M2, DType::F32, None),
    (DType::I8, DType::I32, None),
    (DType::U8, DType::I32, None),
    (DType::F32, DType::F32, Some("TF32_TF32_F32")),
    (DType::F32, DType::F32, None),
];

/// Rows, columns, terms: powers of two, none, more rows than columns, more terms than are unrolled; rows and columns of several
/// warpgroups.
pub const EXTENTS: [[usize; 3]; 6] =
    [[32, 32, 64], [48, 24, 80], [128, 16, 32], [16, 32, 1024], [64, 128, 64], [256, 32, 32]];

/// A product in one program. `terms_last`: whether the terms are the last axis of each factor.
///
/// # Panics
/// If the text is none.
pub fn launch(
    (factors, result, precision): (DType, DType, Option<&str>),
    [m, n, k]: [usize; 3],
    terms_last: [bool; 2],
) -> Launch {
    let shape = |free: usize, last: bool| if last { [free, k] } else { [k, free] };
    let ([x0, x1], [y0, y1]) = (shape(m, terms_last[0]), shape(n, terms_last[1]));
    let (factor, sum) = (factors.short_name(), result.short_name());
    let axes = terms_last.map(usize::from);
    let precision = precision.map_or_else(String::new, |precision| format!(" precision=\"{precision}\""));
    let text = format!(
        "launch grid=[1] {{
  input @x_ref: {factor}[{x0},{x1}] block=[{x0}, {x1}] map @x(%i: i32[]) {{ yield %i, %i }}
  input @y_ref: {factor}[{y0},{y1}] block=[{y0}, {y1}] map @y(%i: i32[]) {{ yield %i, %i }}
  output @o_ref: {sum}[{m},{n}] block=[{m}, {n}] map @o(%i: i32[]) {{ yield %i, %i }}
  kernel @product(%x_ref: ref<{factor}[{x0},{x1}]>, %y_ref: ref<{factor}[{y0},{y1}]>, %o_ref: ref<{sum}[{m},{n}]>) {{
    %0 = load %x_ref[:, :] : {factor}[{x0},{x1}]
    %1 = load %y_ref[:, :] : {factor}[{y0},{y1}]
    %2 = dot_general %0, %1 contracting=[[{}], [{}]] batch=[[], []] dtype={sum}{precision} : {sum}[{m},{n}]
    store %o_ref[:, :], %2
  }}
}}
",
        axes[0], axes[1]
    );
    parse_launch(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Small whole numbers, so that every sum is exact.
///
/// # Panics
/// If there is no array of them.
pub fn inputs(launch: &Launch) -> Vec<Array> {
    let factor = |dtype: DType, number: usize| match dtype {
        DType::U8 => Scalar::Int((number * 7 % 4) as i128),
        dtype if dtype.is_integer() => Scalar::Int((number * 7 % 5) as i128 - 2),
        _ => Scalar::Float((number * 7 % 5) as f64 - 2.0),
    };
    let operands = launch.operands.iter().take(2).map(|operand| {
        let dtype = operand.array.dtype;
        let numbers: Vec<Scalar> = (0..operand.array.shape.size()).map(|number| factor(dtype, number)).collect();
        Array::from_scalars(dtype, operand.array.shape.clone(), &numbers).expect("an array of the operand's type")
    });
    operands.collect()
}
