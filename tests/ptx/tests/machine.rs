//! Small kernels, as NVRTC would write them, on the machine.

#![allow(clippy::result_large_err, reason = "a fault has all that there is to say of it")]

use pallas_ptx::{Cause, Fault, Memory, Module, Ran, Start, run};

const HEAD: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

/// Parameters that are addresses.
fn words(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn start(params: &[u8], threads: u32) -> Start<'_> {
    Start { grid: [1; 3], block: [threads, 1, 1], cluster: [1; 3], shared: 0, params, budget: 100_000, slow: None }
}

/// Runs a body whose only parameter is `out`, and gives what 32-bit words it left there.
fn body_with(memory: &mut Memory, declared: &str, body: &str, threads: u32) -> Result<(Vec<u32>, Ran), Fault> {
    let text = format!(
        "{HEAD}{declared}\n.visible .entry k(.param .u64 k_param_0)\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .f32 %f<9>;\n\
         .reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_param_0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n{body}\nst.global.u32 [%rd4], %r0;\nret;\n}}\n"
    );
    let module = Module::parse(&text).expect("PTX");
    let out = memory.alloc(threads as usize * 4, 16);
    let params = words(&[out]);
    let ran = run(&module, "k", &start(&params, threads), memory)?;
    let mut bytes = vec![0; threads as usize * 4];
    memory.read(out, &mut bytes).expect("its own memory");
    Ok((bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(), ran))
}

fn body(body: &str, threads: u32) -> Result<Vec<u32>, Fault> {
    body_with(&mut Memory::new(), "", body, threads).map(|(words, _)| words)
}

#[test]
fn vectors_are_added() {
    let text = format!(
        "{HEAD}
.visible .entry add(
	.param .u64 add_param_0,
	.param .u64 add_param_1,
	.param .u64 add_param_2,
	.param .u32 add_param_3
)
.maxntid 64, 1, 1
{{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<6>;
	.reg .f32 	%f<4>;
	.reg .b64 	%rd<11>;
	.loc	1 2 0

	ld.param.u64 	%rd1, [add_param_0];
	ld.param.u64 	%rd2, [add_param_1];
	ld.param.u64 	%rd3, [add_param_2];
	ld.param.u32 	%r2, [add_param_3];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB0_2;

	cvta.to.global.u64 	%rd4, %rd1;
	mul.wide.s32 	%rd5, %r1, 4;
	add.s64 	%rd6, %rd4, %rd5;
	ld.global.nc.f32 	%f1, [%rd6];
	cvta.to.global.u64 	%rd7, %rd2;
	add.s64 	%rd8, %rd7, %rd5;
	ld.global.nc.f32 	%f2, [%rd8];
	add.f32 	%f3, %f1, %f2;
	cvta.to.global.u64 	%rd9, %rd3;
	add.s64 	%rd10, %rd9, %rd5;
	st.global.f32 	[%rd10], %f3;

$L__BB0_2:
	ret;

}}
	.file	1 \"kernel.cu\"
"
    );
    let module = Module::parse(&text).expect("PTX");
    let entry = module.entry("add").expect("the kernel");
    assert_eq!((entry.params.len(), entry.params[3].offset, entry.max_threads), (4, 24, Some([64, 1, 1])));
    assert_eq!(module.unknown().count(), 0);
    let mut memory = Memory::new();
    let floats = |scale: f32| (0..100).map(|n| n as f32 * scale).flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
    let places = [0; 3].map(|_| memory.alloc(400, 4));
    memory.write(places[0], &floats(1.0)).expect("room");
    memory.write(places[1], &floats(0.5)).expect("room");
    let mut params = words(&places);
    params.extend(100_u32.to_le_bytes());
    let start = Start { grid: [2, 1, 1], ..start(&params, 64) };
    run(&module, "add", &start, &mut memory).expect("it runs");
    let mut sums = vec![0; 400];
    memory.read(places[2], &mut sums).expect("room");
    assert_eq!(sums, floats(1.5));
    // An array that is too short: the access behind its end is seen, with its place.
    memory.free(places[2]);
    let short = memory.alloc(396, 4);
    let mut params = words(&[places[0], places[1], short]);
    params.extend(100_u32.to_le_bytes());
    let fault = run(&module, "add", &Start { params: &params, ..start }, &mut memory).expect_err("outside");
    assert!(matches!(fault.cause, Cause::IllegalAddress { near: Some((_, 396)), .. }), "{fault}");
    assert_eq!(
        (fault.block, fault.thread, fault.source.clone()),
        ([1, 0, 0], [35, 0, 0], Some(("kernel.cu".to_string(), 2)))
    );
    assert!(fault.instruction == "st.global.f32", "{fault}");
}

#[test]
fn threads_that_part_meet_again() {
    // Odd lanes take another way; the sum over the warp needs all of them.
    let text = "and.b32 %r2, %r1, 1;\nsetp.eq.s32 %p1, %r2, 0;\nmov.u32 %r0, %r1;\n@%p1 bra $even;\nmul.lo.s32 %r0, %r0, 100;\n\
                $even:\nshfl.sync.bfly.b32 %r3|%p2, %r0, 1, 31, -1;\nadd.s32 %r0, %r0, %r3;";
    let expected: Vec<u32> = (0..32).map(|lane| (lane & !1) + (lane | 1) * 100).collect();
    assert_eq!(body(text, 32).expect("it runs"), expected);
}

#[test]
fn lanes_that_never_come_are_a_deadlock() {
    let text = "setp.lt.u32 %p1, %r1, 8;\n@%p1 bra $some;\nbra.uni $end;\n$some:\nshfl.sync.idx.b32 %r0, %r1, 0, 31, -1;\n\
                $again: bra $again;\n$end:\nbar.warp.sync -1;";
    let fault = body(text, 32).expect_err("a deadlock");
    assert!(matches!(fault.cause, Cause::Deadlock(_)), "{fault}");
    assert!(fault.to_string().contains("shfl.sync"), "{fault}");
}

#[test]
fn barriers_order_what_warps_do() {
    let shared = ".shared .align 4 .b8 s[512];";
    // Each warp reads what the next one has written.
    let text = "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r1;\nBARRIER\n\
                add.s32 %r5, %r1, 32;\nand.b32 %r5, %r5, 127;\nshl.b32 %r5, %r5, 2;\nadd.s32 %r6, %r2, %r5;\nld.shared.u32 %r0, [%r6];";
    let expected: Vec<u32> = (0..128).map(|thread| (thread + 32) % 128).collect();
    let run = |text: &str| body_with(&mut Memory::new(), shared, text, 128).map(|(words, _)| words).expect("it runs");
    assert_eq!(run(&text.replace("BARRIER", "bar.sync 0;")), expected);
    // Without it what is read is what nobody has written.
    assert_ne!(run(&text.replace("BARRIER", "")), expected);
}

#[test]
fn copies_are_there_once_they_are_waited_for() {
    let shared = ".shared .align 16 .b8 s[128];";
    let text = "st.global.u32 [%rd4], %r1;\nmov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r4, %r2, %r3;\n\
                cp.async.ca.shared.global [%r4], [%rd4], 4;\ncp.async.commit_group;\nWAIT\nld.shared.u32 %r0, [%r4];";
    let run = |text: &str| body_with(&mut Memory::new(), shared, text, 32).map(|(words, _)| words).expect("it runs");
    let expected: Vec<u32> = (0..32).collect();
    assert_eq!(run(&text.replace("WAIT", "cp.async.wait_group 0;")), expected);
    assert_ne!(run(&text.replace("WAIT", "cp.async.wait_group 1;")), expected);
}

#[test]
fn a_loop_without_an_end_uses_up_its_budget() {
    let fault = body("$again:\nbra $again;", 32).expect_err("no end");
    assert_eq!(fault.cause, Cause::Budget);
}

#[test]
fn functions_are_called_with_parameters_in_memory() {
    let function = ".func (.param .b32 func_retval0) twice(.param .b32 twice_param_0)\n{\n.reg .b32 %r<3>;\n\
                    ld.param.u32 %r1, [twice_param_0];\nadd.s32 %r2, %r1, %r1;\nst.param.b32 [func_retval0+0], %r2;\nret;\n}";
    let text = "{\n.param .b32 param0;\nst.param.b32 [param0+0], %r1;\n.param .b32 retval0;\ncall.uni (retval0), twice, (param0);\n\
                ld.param.b32 %r0, [retval0+0];\n}";
    let (words, _) = body_with(&mut Memory::new(), function, text, 32).expect("it runs");
    assert_eq!(words, (0..32).map(|lane| 2 * lane).collect::<Vec<u32>>());
}

#[test]
fn printf_says_what_it_is_given() {
    let declared = ".extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);\n\
                    .global .align 1 .b8 $str[11] = {37, 100, 32, 61, 32, 37, 46, 50, 102, 10};";
    let text = ".local .align 8 .b8 depot[16];\n.reg .f64 %fd<2>;\nsetp.ne.s32 %p1, %r1, 3;\nmov.u32 %r0, 0;\n@%p1 bra $end;\n\
                mov.f64 %fd1, 0d3FF8000000000000;\nmov.u64 %rd5, depot;\ncvta.local.u64 %rd6, %rd5;\nst.local.u32 [%rd5], %r1;\n\
                st.local.f64 [%rd5+8], %fd1;\nmov.u64 %rd7, $str;\ncvta.global.u64 %rd8, %rd7;\n{\n.param .b64 param0;\n\
                st.param.b64 [param0+0], %rd8;\n.param .b64 param1;\nst.param.b64 [param1+0], %rd6;\n.param .b32 retval0;\n\
                call.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r0, [retval0+0];\n}\n$end:";
    let (words, ran) = body_with(&mut Memory::new(), declared, text, 32).expect("it runs");
    assert_eq!((words[3], ran.printed.as_str()), (1, "3 = 1.50\n"));
}

#[test]
fn a_product_of_a_warp_is_that_of_its_fragments() {
    // A is all ones in row 3, B all twos in column 5: one element of D is 16 * 2, and what was in C is kept elsewhere.
    let text = "shr.u32 %r2, %r1, 2;\nsetp.eq.u32 %p1, %r2, 3;\nselp.b32 %r3, 1006648320, 0, %p1;\nsetp.eq.u32 %p2, %r2, 5;\n\
                selp.b32 %r4, 1073758208, 0, %p2;\nmov.u32 %r5, 0;\nmov.f32 %f1, 0f3F000000;\nmov.f32 %f2, 0f3F000000;\n\
                mov.f32 %f3, 0f3F000000;\nmov.f32 %f4, 0f3F000000;\n\
                mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r3, %r5, %r3, %r5}, {%r4, %r4}, {%f1, %f2, %f3, %f4};\n\
                mov.b32 %r0, %f2;";
    let words = body(text, 32).expect("it runs");
    let expected = |lane: u32| if lane == 3 * 4 + 2 { 32.5_f32 } else { 0.5 };
    assert_eq!(words, (0..32).map(|lane| expected(lane).to_bits()).collect::<Vec<u32>>());
}

#[test]
fn matrices_are_loaded_turned_as_they_are_stored() {
    let shared = ".shared .align 16 .b8 s[128];";
    let text = "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 4;\nadd.s32 %r4, %r2, %r3;\nmad.lo.s32 %r5, %r1, 65537, 0;\nbar.warp.sync -1;\n\
                stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r5};\nbar.warp.sync -1;\n\
                ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r0}, [%r4];";
    let (words, _) = body_with(&mut Memory::new(), shared, text, 32).expect("it runs");
    // Both columns of a pair hold the number of the lane that stored them.
    let stored = |row: u32, column: u32| row * 4 + column / 2;
    let expected = |lane: u32| stored(lane % 4 * 2, lane / 4) | stored(lane % 4 * 2 + 1, lane / 4) << 16;
    assert_eq!(words, (0..32).map(expected).collect::<Vec<u32>>());
}

#[test]
fn a_barrier_in_one_way_of_a_branch_is_a_deadlock() {
    let text =
        "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra $first;\n$again:\nbar.sync 1, 64;\nbra.uni $again;\n$first:\nbar.sync 0;";
    let fault = body(text, 64).expect_err("a deadlock");
    assert!(matches!(fault.cause, Cause::Deadlock(_)), "{fault}");
}

/// Two blocks of a cluster: the second one brings what the first one waits for, once it has been told that the barrier is there.
#[test]
fn blocks_of_a_cluster_meet_at_phase_barriers() {
    let text = format!(
        "{HEAD}.shared .align 8 .b8 b[8];\n.shared .align 4 .b8 s[4];
.visible .entry k(.param .u64 k_param_0)
.reqnctapercluster 2, 1, 1
{{
.reg .pred %p<3>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<4>;
ld.param.u64 %rd1, [k_param_0];
mov.u32 %r1, %cluster_ctarank;
mov.u32 %r2, b;
mbarrier.init.shared::cta.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra $waits;
mov.u32 %r3, s;
mapa.shared::cluster.u32 %r4, %r3, 0;
st.shared::cluster.u32 [%r4], 77;
mapa.shared::cluster.u32 %r5, %r2, 0;
ARRIVE
bra.uni $end;
$waits:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r2], 0;
@!%p2 bra $waits;
ld.shared.u32 %r6, [s];
st.global.u32 [%rd1], %r6;
$end:
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
ret;
}}
"
    );
    let arrive = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5], 1;";
    let mut memory = Memory::new();
    let out = memory.alloc(4, 4);
    let params = words(&[out]);
    let start = Start { grid: [2, 1, 1], ..start(&params, 1) };
    let module = Module::parse(&text.replace("ARRIVE", arrive)).expect("PTX");
    assert_eq!(module.entry("k").and_then(|entry| entry.cluster), Some([2, 1, 1]));
    run(&module, "k", &start, &mut memory).expect("it runs");
    let mut bytes = [0; 4];
    memory.read(out, &mut bytes).expect("room");
    assert_eq!(u32::from_le_bytes(bytes), 77);
    // Without the arrival nobody ever goes on.
    let module = Module::parse(&text.replace("ARRIVE", "")).expect("PTX");
    let fault = run(&module, "k", &start, &mut memory).expect_err("a deadlock");
    assert!(matches!(&fault.cause, Cause::Deadlock(what) if what.contains("try_wait")), "{fault}");
}

#[test]
fn a_box_comes_when_its_phase_is_waited_for() {
    let text = format!(
        "{HEAD}.shared .align 128 .b8 s[128];\n.shared .align 8 .b8 b[8];
.visible .entry k(.param .u64 k_param_0, .param .align 64 .b8 k_param_1[128])
{{
.reg .pred %p<3>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<6>;
ld.param.u64 %rd1, [k_param_0];
mov.b64 %rd2, k_param_1;
cvta.param.u64 %rd3, %rd2;
mov.u32 %r1, s;
mov.u32 %r2, b;
mbarrier.init.shared::cta.b64 [%r2], 1;
mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r2], 128;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd3, {{2, -1}}], [%r2];
WAIT
ld.shared.u32 %r5, [s+68];
st.global.u32 [%rd1], %r5;
ret;
}}
"
    );
    let mut memory = Memory::new();
    let array = memory.alloc(32 * 8 * 4, 16);
    let content: Vec<u8> = (0..256_u32).flat_map(u32::to_le_bytes).collect();
    memory.write(array, &content).expect("room");
    let map = pallas_ptx::TensorMap {
        element: 4,
        address: array,
        extents: vec![32, 8],
        strides: vec![4, 128],
        boxed: vec![16, 2],
        steps: vec![1, 1],
        swizzle: 0,
        fills_nan: false,
        dtype: 2,
    };
    let out = memory.alloc(4, 4);
    let mut params = words(&[out]);
    params.resize(64, 0);
    params.extend(map.encode().expect("a description"));
    let mut run = |wait: &str| {
        let module = Module::parse(&text.replace("WAIT", wait)).expect("PTX");
        run(&module, "k", &start(&params, 1), &mut memory).expect("it runs");
        let mut bytes = [0; 4];
        memory.read(out, &mut bytes).expect("room");
        u32::from_le_bytes(bytes)
    };
    // Row -1 is zeros, row 0 begins at column 2.
    assert_eq!(run("$w:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n@!%p1 bra $w;"), 3);
    assert_ne!(run(""), 3);
}
