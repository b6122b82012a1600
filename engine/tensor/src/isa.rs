//! Loops compiled for several instruction sets, of which the best that the processor has is taken when they run.
//!
//! Results are the same to the bit with each: what differs is how many elements go through at once, and whether a fused
//! multiply-add is an instruction or computed in `f64` ([`Fma`]). Nothing here computes anything itself.

use crate::math;

/// How `a * b + c` is computed with one rounding.
pub(crate) trait Fma: Copy + 'static {
    /// `a * b + c`
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

/// With ordinary instructions: for processors that are not known to have the instruction.
#[derive(Clone, Copy)]
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

/// The instruction sets that loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// What every processor of the architecture has.
    Baseline,
    /// Eight `f32` at once, and fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Sixteen.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The best instruction set of this processor, or the one that a test asks for.
#[inline]
pub(crate) fn isa() -> Isa {
    #[cfg(test)]
    if let Some(isa) = asked_for::now() {
        return isa;
    }
    best()
}

/// The best instruction set of this processor. The standard library remembers what it has found out.
#[inline]
fn best() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") && has!("fma") {
            return Isa::Avx512;
        }
        if has!("avx2") && has!("fma") {
            return Isa::Avx2;
        }
    }
    Isa::Baseline
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
            #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
            match $crate::isa::isa() {
                #[cfg(target_arch = "x86_64")]
                $crate::isa::Isa::Avx512 => unsafe { avx512($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::isa::Isa::Avx2 => unsafe { avx2($($arg),*) },
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
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    /// From the least to the best.
    const ALL: &[Isa] = &[
        Isa::Baseline,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512,
    ];

    /// The place of the one that is asked for, and one; 0 where none is. For all threads, as operations start some. Tests beside
    /// it run with it too: that gives the same bits, which is what this is for.
    static NOW: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn now() -> Option<Isa> {
        ALL.get(NOW.load(Ordering::Relaxed).wrapping_sub(1)).copied()
    }

    /// Those that this processor has.
    pub(crate) fn all() -> impl Iterator<Item = Isa> {
        // Each has what those before it have.
        let most = ALL.iter().position(|&isa| isa == best()).unwrap_or(0);
        ALL[..=most].iter().copied()
    }

    /// Asks for none again, also where a test panics.
    struct Done;

    impl Drop for Done {
        fn drop(&mut self) {
            NOW.store(0, Ordering::Relaxed);
        }
    }

    /// What something gives with each instruction set that this processor has.
    pub(crate) fn with_each<R>(mut run: impl FnMut(Isa) -> R) -> Vec<R> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let _done = Done;
        let run = |(place, isa)| {
            NOW.store(place + 1, Ordering::Relaxed);
            run(isa)
        };
        all().enumerate().map(run).collect()
    }
}
