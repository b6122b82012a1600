//! Loops compiled for several instruction sets, of which the best that the processor has is taken when they run.
//!
//! Results are the same to the bit with each: what differs is how many elements go through at once, and whether a fused
//! multiply-add is an instruction or computed in `f64` ([`Fma`]). Nothing here computes anything itself.

use crate::math;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How `a * b + c` is computed with one rounding.
pub(crate) trait Fma: Copy + 'static {
    /// `a * b + c`
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

/// With ordinary instructions: for processors that are not known to have the instruction.
#[derive(Clone, Copy)]
#[cfg_attr(all(target_arch = "aarch64", not(test)), expect(dead_code, reason = "all of them have the instruction"))]
pub(crate) struct Emulated;

/// With the instruction. Only functions that are compiled for processors that have it use this; elsewhere it would be a
/// call into the C library for every element.
#[derive(Clone, Copy)]
pub(crate) struct Hardware;

impl Fma for Emulated {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        math::fma(a, b, c)
    }
}

impl Fma for Hardware {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// The instruction sets that loops and machine code of chains are made for, from the least to the best: each has what those before it
/// have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// What every processor of the architecture has.
    Baseline,
    /// Eight `f32` at once, fused multiply-add, and conversions of `float16`.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Sixteen.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

const ALL: &[Isa] = &[
    Isa::Baseline,
    #[cfg(target_arch = "x86_64")]
    Isa::Avx2,
    #[cfg(target_arch = "x86_64")]
    Isa::Avx512,
];

/// The place in [`ALL`] of what is computed with, and one; 0 where nobody has asked yet.
static NOW: AtomicUsize = AtomicUsize::new(0);

impl Isa {
    /// Whether there are thirty-two vector registers of 64 bytes.
    pub(crate) fn has_many_registers(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self == Isa::Avx512 {
            return true;
        }
        false
    }

    /// Those that this processor has.
    pub fn all() -> impl Iterator<Item = Isa> {
        let best = best();
        ALL.iter().copied().filter(move |&isa| isa <= best)
    }

    /// Has everything be computed with an instruction set from now on, in all threads, or with the best that there is, if
    /// this processor does not have it. Results are the same to the bit.
    pub fn take(self) {
        let isa = self.min(best());
        let place = ALL.iter().position(|&other| other == isa).unwrap_or(0);
        NOW.store(place + 1, Ordering::Relaxed);
    }
}

/// What is computed with: the best instruction set of this processor, or the one that somebody has taken.
#[inline]
pub(crate) fn isa() -> Isa {
    match ALL.get(NOW.load(Ordering::Relaxed).wrapping_sub(1)) {
        Some(&isa) => isa,
        None => {
            let best = best();
            best.take();
            best
        }
    }
}

/// The best instruction set of this processor.
fn best() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let has_avx2 = has!("avx2") && has!("fma") && has!("f16c");
        if has_avx2 && has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") && has!("bmi2") {
            return Isa::Avx512;
        }
        if has_avx2 {
            return Isa::Avx2;
        }
    }
    Isa::Baseline
}

/// Whether an instruction for pairs of `bfloat16` is computed with, beside AVX-512.
#[cfg(target_arch = "x86_64")]
pub(crate) fn multiplies_pairs() -> bool {
    isa() == Isa::Avx512 && std::arch::is_x86_feature_detected!("avx512bf16")
}

/// Whether that instruction takes less time than the two multiply-adds that it stands for: on processors of AMD it takes as long as one, on those
/// of Intel as long as four (Emerald Rapids: 0.75 nanoseconds, and 0.18 a multiply-add).
#[cfg(target_arch = "x86_64")]
pub(crate) fn pairs_pay() -> bool {
    is_amd()
}

/// Whether what is asked for into the second cache is there when it is read. On processors of AMD it mostly is not (Zen 4 and 5: a program
/// that does nothing else finds it there, one that computes and writes beside it waits as if nobody had asked).
#[cfg(target_arch = "x86_64")]
pub(crate) fn brings_to_the_second_cache() -> bool {
    !is_amd()
}

#[cfg(target_arch = "x86_64")]
fn is_amd() -> bool {
    // Only theirs have this.
    std::arch::is_x86_feature_detected!("sse4a")
}

/// How many lines of the innermost cache may have addresses that are a page apart.
#[cfg(target_arch = "x86_64")]
pub(crate) fn ways() -> usize {
    use std::arch::x86_64::__cpuid_count as leaf;
    static WAYS: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *WAYS.get_or_init(|| {
        // The same register under two numbers. The first part is the innermost cache for data.
        let (least, number) = if is_amd() { (0x8000_0000, 0x8000_001d) } else { (0, 4) };
        match leaf(least, 0).eax >= number {
            true => (leaf(number, 0).ebx >> 22) as usize + 1,
            false => 0,
        }
    })
}

/// What [`Fma`] is at the baseline: 64-bit Arm always has the instruction.
#[cfg(target_arch = "aarch64")]
pub(crate) type BaselineFma = Hardware;
/// What [`Fma`] is at the baseline: 64-bit Arm always has the instruction.
#[cfg(not(target_arch = "aarch64"))]
pub(crate) type BaselineFma = Emulated;

/// Defines a function whose body is compiled once for each instruction set. The first type parameter is the [`Fma`] to
/// compute with; others follow with their bounds.
macro_rules! for_each_isa {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident<$fma:ident $(, $t:ident: $bound:ident)*>($($arg:ident: $ty:ty),* $(,)?) $(-> $result:ty)?
        $body:block
    )*) => { $(
        $(#[$meta])*
        $vis fn $name<$($t: $bound),*>($($arg: $ty),*) $(-> $result)? {
            #[inline(always)]
            #[allow(clippy::extra_unused_type_parameters, reason = "not every loop multiplies and adds")]
            fn body<$fma: $crate::isa::Fma $(, $t: $bound)*>($($arg: $ty),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2")]
            fn avx512<$($t: $bound),*>($($arg: $ty),*) $(-> $result)? {
                body::<$crate::isa::Hardware $(, $t)*>($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<$($t: $bound),*>($($arg: $ty),*) $(-> $result)? {
                body::<$crate::isa::Hardware $(, $t)*>($($arg),*)
            }

            // The processor was just asked whether it has what the function is compiled for, which is all that such a
            // call asks for.
            #[cfg_attr(
                target_arch = "x86_64",
                expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")
            )]
            match $crate::isa::isa() {
                #[cfg(target_arch = "x86_64")]
                $crate::isa::Isa::Avx512 => unsafe { avx512::<$($t),*>($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::isa::Isa::Avx2 => unsafe { avx2::<$($t),*>($($arg),*) },
                $crate::isa::Isa::Baseline => body::<$crate::isa::BaselineFma $(, $t)*>($($arg),*),
            }
        }
    )* };
}
pub(crate) use for_each_isa;

/// Tests run with each instruction set that the processor has, not only with the best one.
#[cfg(test)]
pub(crate) mod asked_for {
    use super::{Isa, best};
    use std::sync::{Mutex, PoisonError};

    /// Takes the best again, also where a test panics.
    struct Done;

    impl Drop for Done {
        fn drop(&mut self) {
            best().take();
        }
    }

    /// What something gives with each instruction set that this processor has. Tests beside it run with it too: that gives the same
    /// bits, which is what this is for.
    pub(crate) fn with_each<R>(mut run: impl FnMut(Isa) -> R) -> Vec<R> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let _done = Done;
        let run = |isa: Isa| {
            isa.take();
            run(isa)
        };
        Isa::all().map(run).collect()
    }
}
