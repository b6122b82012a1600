//! The Mersenne Twister MT19937, seeded as CPython seeds it (Modules/_randommodule.c).

use num_bigint::BigUint;

const N: usize = 624;
const M: usize = 397;

/// The state of one generator.
#[derive(Clone)]
pub(super) struct Twister {
    state: [u32; N],
    index: usize,
    /// The second value that `gauss` made, for its next call.
    pub(super) gauss_next: Option<f64>,
}

impl Twister {
    /// `seed(n)` for an integer.
    pub(super) fn from_integer(seed: &BigUint) -> Twister {
        let mut words = seed.to_u32_digits();
        if words.is_empty() {
            words.push(0);
        }
        Twister::from_words(&words)
    }

    fn from_words(key: &[u32]) -> Twister {
        let mut state = [0u32; N];
        state[0] = 19_650_218;
        for i in 1..N {
            let previous = state[i - 1];
            state[i] = 1_812_433_253u32.wrapping_mul(previous ^ (previous >> 30)).wrapping_add(i as u32);
        }
        let (mut i, mut j) = (1, 0);
        for _ in 0..N.max(key.len()) {
            let previous = state[i - 1];
            state[i] = (state[i] ^ (previous ^ (previous >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            i += 1;
            j += 1;
            if i >= N {
                state[0] = state[N - 1];
                i = 1;
            }
            if j >= key.len() {
                j = 0;
            }
        }
        for _ in 0..N - 1 {
            let previous = state[i - 1];
            state[i] = (state[i] ^ (previous ^ (previous >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
            i += 1;
            if i >= N {
                state[0] = state[N - 1];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        Twister { state, index: N, gauss_next: None }
    }

    /// 32 random bits.
    pub(super) fn next(&mut self) -> u32 {
        if self.index >= N {
            for k in 0..N {
                let y = (self.state[k] & 0x8000_0000) | (self.state[(k + 1) % N] & 0x7fff_ffff);
                let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[k] = self.state[(k + M) % N] ^ (y >> 1) ^ twist;
            }
            self.index = 0;
        }
        let mut y = self.state[self.index];
        self.index += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// A float in 0..1 with 53 random bits.
    pub(super) fn random(&mut self) -> f64 {
        let (a, b) = (self.next() >> 5, self.next() >> 6);
        (f64::from(a) * 67_108_864.0 + f64::from(b)) * (1.0 / 9_007_199_254_740_992.0)
    }

    /// `getrandbits(k)`
    pub(super) fn bits(&mut self, k: u64) -> BigUint {
        if k <= 32 {
            return BigUint::from(if k == 0 { 0 } else { self.next() >> (32 - k) });
        }
        let mut left = k;
        let mut words = Vec::new();
        while left > 0 {
            let word = self.next();
            words.push(if left < 32 { word >> (32 - left) } else { word });
            left = left.saturating_sub(32);
        }
        BigUint::new(words)
    }

    /// An integer in `0..n`.
    pub(super) fn below(&mut self, n: &BigUint) -> BigUint {
        let k = n.bits();
        if k == 0 {
            return BigUint::default();
        }
        loop {
            let r = self.bits(k);
            if r < *n {
                return r;
            }
        }
    }

    /// An index below `n`, which is not zero.
    pub(super) fn index_below(&mut self, n: usize) -> usize {
        let k = usize::BITS - n.leading_zeros();
        loop {
            let r = if k <= 32 {
                (self.next() >> (32 - k)) as usize
            } else {
                self.bits(k.into()).iter_u64_digits().next().unwrap_or(0) as usize
            };
            if r < n {
                return r;
            }
        }
    }

    /// The state as `getstate()` shows it: 624 words and the position.
    pub(super) fn words(&self) -> Vec<u32> {
        self.state.iter().copied().chain(std::iter::once(self.index as u32)).collect()
    }

    /// From what [`Twister::words`] gave; `None` where it is no such state.
    pub(super) fn restore(words: &[u32], gauss_next: Option<f64>) -> Option<Twister> {
        let (index, state) = words.split_last()?;
        let state: [u32; N] = state.try_into().ok()?;
        Some(Twister { state, index: (*index as usize).min(N), gauss_next })
    }
}
