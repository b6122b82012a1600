//! Kernels written out by hand; the cases against JAX are in `cases/`.

use pallas_interpret::{NoHooks, run_function, run_launch};
use pallas_ir::text::{parse_function, parse_launch};
use pallas_tensor::{Array, DType, Scalar};

#[test]
fn adds_blocks() {
    let launch = parse_launch(
        "launch grid=[3] {
           input @x: f32[10] block=[4] map @index(%i: i32[]) { yield %i }
           output @o: f32[10] block=[4] map @index(%i: i32[]) { yield %i }
           kernel @add(%x_ref: ref<f32[4]>, %o_ref: ref<f32[4]>) {
             %x = load %x_ref[:] : f32[4]
             %one = constant 1.0 : f32[]
             %ones = broadcast_in_dim %one shape=[4] dims=[] : f32[4]
             %y = add %x, %ones : f32[4]
             store %o_ref[:], %y
           }
         }",
    )
    .expect("well written");
    let x: Vec<f32> = (0..10u8).map(f32::from).collect();
    let expected: Vec<f32> = x.iter().map(|x| x + 1.0).collect();
    let outputs = run_launch(&launch, vec![Array::from_f32s([10], &x).expect("ten")], &mut NoHooks).expect("runs");
    assert_eq!(outputs, [Array::from_f32s([10], &expected).expect("ten")]);
}

#[test]
fn transposed_factors_give_the_product_of_the_transposes() {
    let product = |left: &str, right: &str, contracting: &str| {
        format!(
            "func @f(%a: f32[3,2], %b: f32[3,4]) {{
               %s = transpose %a permutation=[1, 0] : f32[2,3]
               %t = transpose %b permutation=[1, 0] : f32[4,3]
               %r = dot_general {left}, {right} contracting={contracting} batch=[[], []] : f32[2,4]
               yield %r
             }}"
        )
    };
    let values = |shape: [usize; 2]| {
        let values: Vec<f32> = (0..shape[0] * shape[1]).map(|i| i as f32 * 0.5 - 2.0).collect();
        Array::from_f32s(shape, &values).expect("as many")
    };
    let run = |text: &str| {
        let function = parse_function(text).expect("well written");
        run_function(&function, vec![values([3, 2]), values([3, 4])], &mut NoHooks).expect("runs")
    };
    let expected = run(&product("%a", "%b", "[[0], [0]]"));
    for (left, right, contracting) in
        [("%s", "%t", "[[1], [1]]"), ("%s", "%b", "[[1], [0]]"), ("%a", "%t", "[[0], [1]]")]
    {
        assert_eq!(run(&product(left, right, contracting)), expected);
    }
}

#[test]
fn a_product_that_is_read_in_the_place_of_its_copy_stays() {
    let function = parse_function(
        "func @f(%a: f32[], %b: f32[], %x: f32[2]) {
           %s = mul %a, %b : f32[]
           %t = broadcast_in_dim %s shape=[2] dims=[] : f32[2]
           %y = add %x, %t : f32[2]
           %z = add %s, %a : f32[]
           yield %y, %z
         }",
    )
    .expect("well written");
    let scalar = |x: f64| Array::scalar(DType::F32, Scalar::Float(x));
    let inputs = vec![scalar(2.0), scalar(3.0), Array::from_f32s([2], &[1.0, 2.0]).expect("two")];
    let outputs = run_function(&function, inputs, &mut NoHooks).expect("runs");
    assert_eq!(outputs, [Array::from_f32s([2], &[7.0, 8.0]).expect("two"), scalar(8.0)]);
}
