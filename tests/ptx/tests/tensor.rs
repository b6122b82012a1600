//! Tensor memory and products into it, as small kernels: what they come to, and what becomes of them without one of their waits or fences.

#![allow(clippy::result_large_err, reason = "a fault has all that there is to say of it")]

use pallas_ptx::{Fault, Memory, Module, Start, run};

/// Runs a kernel of so many threads on clusters of so many blocks, `blocks` in all; what each thread has left in `%r0`.
fn run_kernel(declared: &str, body: &str, threads: u32, [blocks, cluster]: [u32; 2]) -> Result<Vec<u32>, Fault> {
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n{declared}\n.visible .entry k(.param .u64 k_param_0)\n\
         .reqnctapercluster {cluster}, 1, 1\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<60>;\n.reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nmov.u32 %r0, 0;\n{body}\n\
         mov.u32 %r50, %ctaid.x;\nmad.lo.u32 %r50, %r50, {threads}, %r1;\nmul.wide.u32 %rd2, %r50, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
         st.global.u32 [%rd3], %r0;\nret;\n}}\n"
    );
    let module = Module::parse(&text).expect("PTX");
    assert_eq!(module.unknown().collect::<Vec<_>>(), []);
    let mut memory = Memory::new();
    let count = (threads * blocks) as usize;
    let out = memory.alloc(count * 4, 16);
    let params = out.to_le_bytes();
    let start = Start {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        cluster: [1; 3],
        shared: 0,
        params: &params,
        budget: 1_000_000,
        slow: None,
    };
    run(&module, "k", &start, &mut memory)?;
    let mut bytes = vec![0; count * 4];
    memory.read(out, &mut bytes).expect("its own memory");
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// The fault of a kernel says this.
fn fails(ran: Result<Vec<u32>, Fault>, what: &str) {
    let fault = ran.expect_err(what);
    assert!(fault.to_string().contains(what), "{fault}");
}

const SLOT: &str = ".shared .align 4 .b8 slot[4];";

/// The first warp asks for columns; `%r10` is where they begin.
fn asked(columns: usize, group: usize) -> String {
    let sync = match group {
        1 => "bar.sync 0;",
        _ => "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
    };
    format!(
        "mov.u32 %r11, slot;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra $asked;\n\
         tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [%r11], {columns};\n\
         tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;\n$asked:\n\
         tcgen05.fence::before_thread_sync;\n{sync}\ntcgen05.fence::after_thread_sync;\nld.shared.u32 %r10, [%r11];\n\
         shl.b32 %r12, %r2, 21;\nand.b32 %r12, %r12, 6291456;\nadd.s32 %r12, %r12, %r10;\n"
    )
}

fn given_back(columns: usize, group: usize) -> String {
    format!(
        "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n@%p1 bra $end;\n\
         tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %r10, {columns};\n$end:\n"
    )
}

/// Each thread stores two numbers and loads the second one.
fn moved() -> String {
    asked(32, 1)
        + "add.s32 %r3, %r1, 1000;\ntcgen05.st.sync.aligned.32x32b.x2.b32 [%r12], {%r1, %r3};\ntcgen05.wait::st.sync.aligned;\n\
           tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r12+1];\ntcgen05.wait::ld.sync.aligned;\nmov.b32 %r0, %r4;\n"
        + &given_back(32, 1)
}

fn run_moved(text: &str) -> Result<Vec<u32>, Fault> {
    run_kernel(SLOT, text, 128, [1, 1])
}

#[test]
fn threads_load_what_they_have_stored() {
    assert_eq!(run_moved(&moved()).expect("it runs"), (1000..1128).collect::<Vec<u32>>());
}

#[test]
fn a_load_is_used_only_once_it_is_waited_for() {
    fails(run_moved(&moved().replace("tcgen05.wait::ld.sync.aligned;\n", "")), "before tcgen05.wait::ld");
}

#[test]
fn a_store_is_seen_only_once_it_is_waited_for() {
    fails(
        run_moved(&moved().replace("tcgen05.wait::st.sync.aligned;\n", "")),
        "nobody has waited for (tcgen05.wait::st)",
    );
}

#[test]
fn a_warp_reaches_its_quarter_of_the_lanes() {
    fails(
        run_moved(&moved().replace("[%r12], {%r1, %r3}", "[%r10], {%r1, %r3}")),
        "lanes from 0 on of tensor memory: warp 3 reaches 96 to 127",
    );
}

#[test]
fn columns_are_asked_for_in_powers_of_two() {
    let text = moved();
    fails(run_moved(&text.replace("[%r11], 32", "[%r11], 48")), "a power of two from 32 to 512");
    fails(run_moved(&text.replace("[%r11], 32", "[%r11], 16")), "a power of two from 32 to 512");
}

#[test]
fn columns_are_had_before_they_are_used() {
    let text = moved();
    fails(run_moved(&text.replace("[%r12+1]", "[%r12+32]")), "columns 512..513");
    fails(run_moved(&text.replace("[%r12+1]", "[%r12+-1]")), "which the block (rank 0) has not");
    let asks = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 32;\n";
    let none = text.replace(asks, "st.shared.u32 [%r11], 0;\n");
    fails(run_moved(&none), "which the block (rank 0) has not: it has []");
}

#[test]
fn columns_are_given_back_by_the_end() {
    let text = moved();
    let back = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 32;\n";
    fails(run_moved(&text.replace(back, "")), "32 columns of tensor memory that nobody has given back");
    fails(run_moved(&text.replace(back, &back.replace("32;", "64;"))), "that were not given so");
    fails(run_moved(&text.replace(back, &back.replace("group::1", "group::2"))), "in a kernel that has cta_group::1");
}

#[test]
fn a_block_asks_for_no_more_after_it_said_so() {
    let text = moved();
    let line = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n";
    let again = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 32;\n";
    fails(run_moved(&text.replace(line, &format!("{line}{again}"))), "after tcgen05.relinquish_alloc_permit");
}

/// Warps of the second warpgroup load what those of the first one have stored.
fn passed() -> String {
    asked(32, 1)
        + "setp.gt.u32 %p2, %r2, 3;\n@%p2 bra $stored;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r12], {%r1};\n\
           tcgen05.wait::st.sync.aligned;\n$stored:\nBEFORE\nbar.sync 0;\nAFTER\nsetp.lt.u32 %p3, %r2, 4;\n@%p3 bra $loaded;\n\
           tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r12];\ntcgen05.wait::ld.sync.aligned;\nmov.b32 %r0, %r4;\n$loaded:\n"
        + &given_back(32, 1)
}

#[test]
fn other_warps_see_what_was_stored_between_fences() {
    let (before, after) = ("tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;");
    let run = |before: &str, after: &str| {
        run_kernel(SLOT, &passed().replace("BEFORE", before).replace("AFTER", after), 256, [1, 1])
    };
    let expected: Vec<u32> = (0..256).map(|thread: u32| thread.saturating_sub(128)).collect();
    assert_eq!(run(before, after).expect("it runs"), expected);
    fails(run("", after), "tcgen05.fence::before_thread_sync there, a barrier");
    fails(run(before, ""), "tcgen05.fence::before_thread_sync there, a barrier");
}

const FACTORS: &str = ".shared .align 4 .b8 slot[4];\n.shared .align 8 .b8 done[8];\n.shared .align 1024 .b8 a[4096];\n\
                       .shared .align 1024 .b8 b[1024];";

/// `factor_at`: no swizzle, pieces of 16 bytes 128 apart along the terms, eights of rows 256 apart.
fn descriptor(to: &str, of: &str) -> String {
    let layout = (128_u64 >> 4) << 16 | (256_u64 >> 4) << 32 | 1 << 46;
    format!("mov.u32 %r20, {of};\nshr.u32 %r20, %r20, 4;\ncvt.u64.u32 {to}, %r20;\nor.b64 {to}, {to}, {layout};\n")
}

/// A left factor of 128 rows and 16 terms of f16, each element of row `n` being `n`; a right one of ones with 32 columns.
fn factors() -> String {
    // A row has two pieces of 16 bytes; `%r31` is where it begins in its factor.
    "shr.u32 %r30, %r1, 3;\nshl.b32 %r31, %r30, 8;\nand.b32 %r32, %r1, 7;\nshl.b32 %r32, %r32, 4;\nadd.s32 %r31, %r31, %r32;\n\
     cvt.rn.f16.u32 %h1, %r1;\nmov.b32 %r33, {%h1, %h1};\nmov.u32 %r34, a;\nadd.s32 %r34, %r34, %r31;\n\
     st.shared.v4.u32 [%r34], {%r33, %r33, %r33, %r33};\nst.shared.v4.u32 [%r34+128], {%r33, %r33, %r33, %r33};\n\
     setp.gt.u32 %p4, %r1, 31;\nmov.u32 %r35, 1006648320;\nmov.u32 %r36, b;\nadd.s32 %r36, %r36, %r31;\n\
     @!%p4 st.shared.v4.u32 [%r36], {%r35, %r35, %r35, %r35};\n@!%p4 st.shared.v4.u32 [%r36+128], {%r35, %r35, %r35, %r35};\n\
     mov.u32 %r40, done;\nsetp.ne.u32 %p5, %r1, 0;\n@!%p5 mbarrier.init.shared::cta.b64 [%r40], 1;\n\
     fence.proxy.async.shared::cta;\nbar.sync 0;\n"
        .to_string()
}

/// One product, and what each thread's lane has in the third column, as an integer.
fn multiplied() -> String {
    let said: u32 = 1 << 4 | 4 << 17 | 8 << 24;
    String::from(".reg .b16 %h<9>;\n.reg .f32 %f<9>;\n")
        + &asked(32, 1)
        + &factors()
        + &descriptor("%rd10", "a")
        + &descriptor("%rd11", "b")
        + &format!("mov.u32 %r41, {said};\nsetp.ne.u32 %p6, %r1, %r1;\n@%p5 bra $started;\n")
        + "tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd10, %rd11, %r41, %p6;\n\
           tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r40];\n$started:\n\
           $wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [%r40], 0;\n@!%p7 bra $wait;\n\
           tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r42}, [%r12+2];\n\
           tcgen05.wait::ld.sync.aligned;\nmov.b32 %f1, %r42;\ncvt.rzi.u32.f32 %r0, %f1;\n"
        + &given_back(32, 1)
}

fn run_multiplied(text: &str) -> Result<Vec<u32>, Fault> {
    run_kernel(FACTORS, text, 128, [1, 1])
}

const MULTIPLIES: &str = "tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd10, %rd11, %r41, %p6;\n";
const WAITS: &str = "$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [%r40], 0;\n@!%p7 bra $wait;\n";
const COMMITS: &str = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r40];\n";

#[test]
fn a_product_is_there_once_its_commit_is_waited_for() {
    let expected: Vec<u32> = (0..128).map(|row| 16 * row).collect();
    assert_eq!(run_multiplied(&multiplied()).expect("it runs"), expected);
    // A barrier of the block says that the product was started, not that it is done.
    fails(run_multiplied(&multiplied().replace(WAITS, "bar.sync 0;\n")), "the barrier of a tcgen05.commit says so");
    fails(
        run_multiplied(&multiplied().replace(&format!("{WAITS}tcgen05.fence::after_thread_sync;"), WAITS)),
        "no tcgen05.fence::after_thread_sync followed",
    );
}

/// A product of ones of four bits, 64 of a row, with these scales of each row of the left and of the right factor.
fn of_four_bits(kind: &str, scales: [u32; 2], more: u32) -> String {
    let said: u32 = 1 << 7 | 1 << 10 | 4 << 17 | 1 << 27 | more;
    let stores: String = (0..5)
        .map(|column| {
            let word = scales[column / 4];
            format!("mov.u32 %r43, {word};\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r12+{}], {{%r43}};\n", 32 + column)
        })
        .collect();
    multiplied()
        .replace(&asked(32, 1), &asked(64, 1))
        .replace(&given_back(32, 1), &given_back(64, 1))
        .replace("mov.b32 %r33, {%h1, %h1};", "mov.u32 %r33, 572662306;")
        .replace("mov.u32 %r35, 1006648320;", "mov.u32 %r35, 572662306;")
        .replace(&format!("mov.u32 %r41, {};", 1 << 4 | 4 << 17 | 8 << 24), &format!("mov.u32 %r41, {said};"))
        .replace(
            "@%p5 bra $started;\n",
            &format!(
                "{stores}tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n\
             tcgen05.fence::after_thread_sync;\nadd.s32 %r44, %r10, 32;\nadd.s32 %r45, %r10, 36;\n@%p5 bra $started;\n"
            ),
        )
        .replace(
            MULTIPLIES,
            &format!("tcgen05.mma.cta_group::1.kind::{kind} [%r10], %rd10, %rd11, %r41, [%r44], [%r45], %p6;\n"),
        )
}

#[test]
fn each_part_of_a_row_of_four_bits_has_its_scale() {
    const POWERS: u32 = 1 << 23;
    let all = |text: String| run_multiplied(&text).expect("it runs");
    // 1 and 2 for 32 terms each; the upper half of the column says 4 and 8.
    let powers = [0x8281_807f, 0x7f7f_7f7f];
    let two = "mxf4.block_scale.scale_vec::2X";
    assert_eq!(all(of_four_bits(two, powers, POWERS)), [96; 128]);
    assert_eq!(all(of_four_bits(two, powers, POWERS | 2 << 29)), [384; 128]);
    assert_eq!(all(of_four_bits(&two.replace("mxf4.", "mxf4nvf4."), powers, POWERS)), [96; 128]);
    // 1, 2, 3 and 4 for 16 terms each, times 1, 1, 1 and 1.5.
    let fractions = [0x4844_4038, 0x3c38_3838];
    let four = "mxf4nvf4.block_scale.scale_vec::4X";
    assert_eq!(all(of_four_bits(four, fractions, 0)), [16 * (1 + 2 + 3 + 6); 128]);
    fails(run_multiplied(&of_four_bits(four, [0x4844_40b8, 0x3838_3838], 0)), "UE4M3 with a sign: 0xb8, of row 0");
    fails(run_multiplied(&of_four_bits(two, powers, 0)), "scales of type UE4M3 for Mxf4 with 2 of them in a row");
    fails(run_multiplied(&of_four_bits(two, powers, POWERS | 1 << 29)), "begin with number 1 of the four in a column");
    fails(run_multiplied(&of_four_bits(two, powers, POWERS | 1 << 16)), "factors of Mxf4 whose rows follow each other");
}

#[test]
fn a_second_product_adds_up() {
    let again = MULTIPLIES.replace("%p6", "%p8");
    let text = multiplied().replace(MULTIPLIES, &format!("setp.eq.u32 %p8, %r1, %r1;\n{MULTIPLIES}{again}"));
    let expected: Vec<u32> = (0..128).map(|row| 32 * row).collect();
    assert_eq!(run_multiplied(&text).expect("it runs"), expected);
}

#[test]
fn a_product_without_a_commit_is_never_done() {
    fails(run_multiplied(&multiplied().replace(COMMITS, "")), "try_wait");
    // A commit of another thread says nothing of it.
    let other = "$started:\nsetp.eq.u32 %p8, %r1, 1;\n@%p8 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r40];\n";
    let text = multiplied().replace(COMMITS, "").replace("$started:\n", other);
    fails(run_multiplied(&text), "the barrier of a tcgen05.commit says so");
}

#[test]
fn factors_stay_until_the_product_is_done() {
    let text = multiplied().replace(COMMITS, &format!("{COMMITS}st.shared.u32 [%r34], 1;\n"));
    fails(run_multiplied(&text), "on its way may still read");
}

#[test]
fn a_descriptor_has_to_be_one() {
    fails(run_multiplied(&multiplied().replace("%rd10, %rd11, %r41", "%rd10, %rd11, %r1")), "0 rows and 0 columns");
    let text = multiplied()
        .replace(&format!("or.b64 %rd10, %rd10, {}", (1_u64 << 46) + (16 << 32) + (8 << 16)), "or.b64 %rd10, %rd10, 1");
    fails(run_multiplied(&text), "bits 46 to 48");
}

#[test]
fn columns_that_a_product_needs_are_not_given_back() {
    let early = format!("{MULTIPLIES}bra $started;\n");
    let loads = "tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r42}, [%r12+2];\ntcgen05.wait::ld.sync.aligned;\n";
    let text = multiplied().replace(MULTIPLIES, &early).replace(WAITS, "").replace(loads, "");
    fails(run_multiplied(&text), "given back that a product or a copy on its way needs");
}

#[test]
fn descriptors_say_signs_and_types() {
    let said = |bits: u32| format!("mov.u32 %r41, {}", (1 << 4 | 4 << 17 | 8 << 24) ^ bits);
    let with = |bits: u32| multiplied().replace(&said(0), &said(bits)).replace("cvt.rzi.u32.f32", "cvt.rzi.s32.f32");
    let rows = |of: fn(u32) -> u32| (0..128).map(of).collect::<Vec<u32>>();
    assert_eq!(run_multiplied(&with(1 << 13)).expect("it runs"), rows(|row| (16 * row).wrapping_neg()));
    assert_eq!(run_multiplied(&with(3 << 13)).expect("it runs"), rows(|row| 16 * row));
    // Sums of f16 have the lower half of their cells.
    let halves = with(1 << 4).replace(
        "mov.b32 %f1, %r42;\ncvt.rzi.s32.f32 %r0, %f1;",
        "mov.b32 {%h5, %h6}, %r42;\ncvt.rzi.u32.f16 %r0, %h5;",
    );
    assert_eq!(run_multiplied(&halves).expect("it runs"), rows(|row| 16 * row));
    // Eight terms of four bytes.
    let floats = with(2 << 7 | 2 << 10)
        .replace("kind::f16", "kind::tf32")
        .replace("cvt.rn.f16.u32 %h1, %r1;\nmov.b32 %r33, {%h1, %h1};", "cvt.rn.f32.u32 %f3, %r1;\nmov.b32 %r33, %f3;")
        .replace("1006648320", &1.0_f32.to_bits().to_string());
    assert_eq!(run_multiplied(&floats).expect("it runs"), rows(|row| 8 * row));
    // Bytes, of which each fourth is twice the row: with a sign or without.
    let bytes = |bits: u32| {
        with(3 << 4 | bits)
            .replace("kind::f16", "kind::i8")
            .replace("cvt.rn.f16.u32 %h1, %r1;\nmov.b32 %r33, {%h1, %h1};", "shl.b32 %r33, %r1, 1;")
            .replace("1006648320", "1")
            .replace("mov.b32 %f1, %r42;\ncvt.rzi.s32.f32 %r0, %f1;", "mov.b32 %r0, %r42;")
    };
    assert_eq!(run_multiplied(&bytes(0)).expect("it runs"), rows(|row| 16 * row));
    let signed = rows(|row| (i32::from((2 * row) as u8 as i8) * 8) as u32);
    assert_eq!(run_multiplied(&bytes(1 << 7)).expect("it runs"), signed);
}

#[test]
fn products_on_their_way_do_not_meet() {
    // The sums of one are the left factor of the other; the sums of one of 64 rows lie where those of 128 do.
    let left = MULTIPLIES.replace("[%r10], %rd10", "[%r10+32], [%r10]");
    let text = multiplied().replace("%r11], 32;", "%r11], 64;").replace("%r10, 32;", "%r10, 64;");
    fails(
        run_multiplied(&text.replace(MULTIPLIES, &format!("{MULTIPLIES}{left}"))),
        "what another product on its way writes",
    );
    let said: u32 = 1 << 4 | 4 << 17 | 4 << 24;
    let half = format!("mov.u32 %r41, {said};\n{MULTIPLIES}");
    fails(
        run_multiplied(&multiplied().replace(MULTIPLIES, &format!("{MULTIPLIES}{half}"))),
        "another product of another shape",
    );
    let copy = "tcgen05.cp.cta_group::1.128x128b [%r10], %rd10;\n";
    fails(
        run_multiplied(&multiplied().replace(MULTIPLIES, &format!("{MULTIPLIES}{copy}"))),
        "where a product on its way writes",
    );
    fails(
        run_multiplied(&multiplied().replace(MULTIPLIES, &format!("{copy}{copy}{MULTIPLIES}"))),
        "where another copy on its way writes",
    );
}

#[test]
fn a_product_finds_what_was_stored_and_waited_for() {
    // Sums that begin with what each thread has stored.
    let stored = |wait: &str, before: &str| {
        let stores = format!(
            "cvt.rn.f32.u32 %f2, %r1;\nmov.b32 %r43, %f2;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r12+2], {{%r43}};\n{wait}\n{before}\n\
             bar.sync 0;\ntcgen05.fence::after_thread_sync;\nsetp.eq.u32 %p6, %r1, %r1;\n@%p5 bra $started;\n"
        );
        run_multiplied(&multiplied().replace("setp.ne.u32 %p6, %r1, %r1;\n@%p5 bra $started;\n", &stores))
    };
    let (wait, before) = ("tcgen05.wait::st.sync.aligned;", "tcgen05.fence::before_thread_sync;");
    assert_eq!(stored(wait, before).expect("it runs"), (0..128).map(|row| 17 * row).collect::<Vec<u32>>());
    fails(stored("", before), "(tcgen05.wait::st)");
    fails(stored(wait, ""), "tcgen05.fence::before_thread_sync there");
}

/// Two blocks, 64 rows each: each block's factors have half of the rows and half of the columns.
#[test]
fn two_blocks_multiply_together() {
    let said: u32 = 1 << 4 | 8 << 17 | 8 << 24;
    let text = multiplied()
        .replace("cta_group::1", "cta_group::2")
        .replace(&format!("mov.u32 %r41, {}", 1 << 4 | 4 << 17 | 8 << 24), &format!("mov.u32 %r41, {said}"))
        .replace(
            "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n",
            &format!("tcgen05.fence::before_thread_sync;\n{MEET}"),
        )
        .replace("fence.proxy.async.shared::cta;\nbar.sync 0;\n", &format!("fence.proxy.async.shared::cta;\n{MEET}"))
        .replace(
            "@%p5 bra $started;",
            "mov.u32 %r44, %cluster_ctarank;\nsetp.ne.u32 %p7, %r44, 0;\nor.pred %p7, %p7, %p5;\n@%p7 bra $started;",
        )
        .replace("shared::cluster.b64 [%r40]", "shared::cluster.multicast::cluster.b64 [%r40], %h4")
        .replace("mov.u32 %r40, done;", "mov.u32 %r40, done;\nmov.u16 %h4, 3;");
    let found = run_kernel(FACTORS, &text, 128, [2, 2]).expect("it runs");
    // Rows are those of the lane, and of the lane 64 before: there the other half of the columns lies.
    assert_eq!(found, (0..256).map(|thread| 16 * (thread % 64)).collect::<Vec<u32>>());
    let alone = text.replace(".multicast::cluster.b64 [%r40], %h4", ".b64 [%r40]");
    fails(run_kernel(FACTORS, &alone, 128, [2, 2]), "wait in vain");
    fails(run_kernel(FACTORS, &text.replace(MEET, "bar.sync 0;\n"), 128, [1, 1]), "that has no other one");
}

const MEET: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

/// 32 rows of 16 bytes, each four words with the row's number and a letter, four times over.
#[test]
fn a_copy_is_done_four_times_over() {
    let text = String::from(".reg .b16 %h<9>;\n")
        + &asked(32, 1)
        + "shl.b32 %r30, %r1, 4;\nmov.u32 %r31, a;\nadd.s32 %r31, %r31, %r30;\nadd.s32 %r32, %r1, 100;\nadd.s32 %r33, %r1, 200;\n\
           st.shared.v4.u32 [%r31], {%r1, %r32, %r33, %r1};\nmov.u32 %r40, done;\nsetp.ne.u32 %p5, %r1, 0;\n\
           @!%p5 mbarrier.init.shared::cta.b64 [%r40], 1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
        + &descriptor("%rd10", "a")
            .replace(&((16_u64 << 32) + (8 << 16) + (1 << 46)).to_string(), &((8_u64 << 32) + (1 << 46)).to_string())
        + "@%p5 bra $started;\ntcgen05.cp.cta_group::1.32x128b.warpx4 [%r10+4], %rd10;\n"
        + COMMITS
        + "$started:\n"
        + WAITS
        + "tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x4.b32 {%r42, %r43, %r44, %r45}, [%r12+4];\n\
           tcgen05.wait::ld.sync.aligned;\nmov.b32 %r0, %r44;\n"
        + &given_back(32, 1);
    let expected: Vec<u32> = (0..128).map(|thread| 200 + thread % 32).collect();
    assert_eq!(run_multiplied(&text).expect("it runs"), expected);
}

/// Blocks that have begun take over those that have not: all numbers are there once.
#[test]
fn blocks_take_over_those_that_have_not_begun() {
    let declared = ".shared .align 8 .b8 told[8];\n.shared .align 16 .b8 answer[16];";
    // One block does the work of all: it notes how many it took, and the sum of their numbers.
    let text = "mov.u32 %r10, told;\nmov.u32 %r11, answer;\nmov.u32 %r12, 0;\n.reg .b128 %h<3>;\n\
                mbarrier.init.shared::cta.b64 [%r10], 1;\n$again:\n\
                mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r10], 16;\n\
                clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r11], [%r10];\n\
                $wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r10], %r12;\n@!%p1 bra $wait;\nxor.b32 %r12, %r12, 1;\n\
                ld.shared.b128 %h2, [%r11];\nclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %h2;\n@!%p2 bra $none;\n\
                clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r13, %h2;\nadd.s32 %r0, %r0, %r13;\nbra $again;\n$none:\n";
    let taken = run_kernel(declared, text, 1, [9, 1]).expect("it runs");
    assert_eq!(taken[0], (1..9).sum::<u32>());
    let once_more = text.replace(
        "$none:\n",
        "$none:\nclusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r11], [%r10];\n",
    );
    fails(run_kernel(declared, &once_more, 1, [9, 1]), "said that nothing is left");
}
