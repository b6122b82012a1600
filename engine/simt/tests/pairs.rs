//! Products of floats of four bits: what tensor cores are told of them and of their scales, and what is refused, from the case of floats
//! of eight bits.

use pallas_ir::text::parse_launch;
use pallas_simt::{Architecture, Initial, ParamKind, Program, Refusal, compile};
use pallas_tensor::DType;

const CASE: &str = include_str!("cases/teams_scales.ir");

fn compiled(text: &str) -> Result<Program, Refusal> {
    compile(&parse_launch(text).unwrap_or_else(|error| panic!("{error:?}")), Architecture::new(100))
}

/// With a scale that is a power of two for 32 terms, or one with a fraction for 16.
fn four_bits(fine: bool) -> String {
    let text = CASE.replace("f8_e4m3fn", "f4_e2m1fn");
    match fine {
        false => text,
        true => text
            .replace("f8_e8m0fnu", "f8_e4m3fn")
            .replace("[1,1,32,16]", "[1,2,32,16]")
            .replace("[1, 1, 32, 16]", "[1, 2, 32, 16]")
            .replace("f8_e4m3fn[128,4]", "f8_e4m3fn[128,8]"),
    }
}

/// The numbers that calls of a function say of an instruction.
fn said(source: &str, function: &str) -> Vec<u32> {
    let calls = source.lines().map(str::trim_start).filter_map(|line| line.strip_prefix(&format!("{function}(")));
    let number = |call: &str| call.split(", ").find_map(|word| word.strip_suffix('u')?.parse().ok());
    calls.map(|call| number(call).expect("a descriptor")).collect()
}

#[test]
fn two_elements_are_a_byte_from_the_caller_to_the_tensor_cores() {
    let program = compiled(&four_bits(false)).expect("a program");
    for param in &program.params[..2] {
        assert!(matches!(param.kind, ParamKind::Operand { initial: Initial::GivenInPairs, .. }), "{param:?}");
        assert_eq!(param.dtype, DType::U8);
    }
    assert_eq!(program.params[0].len, 128 * 128 / 2);
    let boxes: Vec<_> = program.kernel.maps.iter().map(|map| (map.extents.clone(), map.boxed.clone())).collect();
    assert_eq!(boxes[..2], [(vec![128, 64], vec![128, 64]), (vec![32, 64], vec![32, 64])]);
    assert!(program.kernel.maps[..2].iter().all(|map| map.swizzle == 64));
}

#[test]
fn descriptors_say_which_scales_are_meant() {
    // Both factors are E2M1, 32 columns, 128 rows.
    let both = 1 << 7 | 1 << 10 | 4 << 17 | 1 << 27;
    let program = compiled(&four_bits(false)).expect("a program");
    assert!(program.source.contains("kind::mxf4.block_scale.scale_vec::2X"));
    let powers = both | 1 << 23;
    assert_eq!(said(&program.source, "multiply_tensor_mxf4_scaled"), [powers, powers | 2 << 4 | 2 << 29]);
    let program = compiled(&four_bits(true)).expect("a program");
    assert!(program.source.contains("kind::mxf4nvf4.block_scale.scale_vec::4X"));
    assert_eq!(said(&program.source, "multiply_tensor_mxf4nvf4_scaled"), [both, both]);
}

#[test]
fn what_tensor_cores_do_not_take_is_refused() {
    let powers = four_bits(false);
    let mma = "tcgen05_mma %acc, %x_smem, %0, %1, %done, %xs, %ys barrier=true scaled=true";
    let plain = "tcgen05_mma %acc, %x_smem, %0, %1, %done barrier=true";
    let read = "copy_in %x_gmem, %x_smem, %here\n    %9 = load %x_smem[:, :] : f4_e2m1fn[128,128]";
    let elsewhere = "copy_in %x_gmem, %x_smem, %here\n    %9 = load %x_gmem[:, :] : f4_e2m1fn[128,128]";
    let few = CASE.replace("f8_e4m3fn", "f4_e2m1fn").replace("f8_e8m0fnu", "f8_e4m3fn");
    for (text, why) in [
        (powers.replace(mma, plain), "of float4_e2m1fn takes scales of both factors"),
        (powers.replace("copy_in %x_gmem, %x_smem, %here", read), "and nothing else touches"),
        (powers.replace("copy_in %x_gmem, %x_smem, %here", elsewhere), "that is no box for an engine"),
        (CASE.replace("f8_e8m0fnu", "f8_e4m3fn"), "of float8_e4m3fn takes scales of float8_e8m0fnu"),
        (few, "of 128 terms takes 8 scales for each row"),
    ] {
        let refusal = compiled(&text).expect_err(why);
        assert!(refusal.message.contains(why), "{} is not {why}", refusal.message);
        assert!(refusal.help.is_some());
    }
}
