//! Kernels written out by hand; the cases against JAX are in `cases/`.

use pallas_interpret::{NoHooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::Array;

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
