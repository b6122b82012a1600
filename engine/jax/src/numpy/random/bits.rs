//! Sources of random bits: PCG64 behind `default_rng`, MT19937 behind `np.random.seed`, and the seeding of both
//! (numpy/random/bit_generator.pyx, src/pcg64, src/mt19937). They give numpy's own streams.

/// A source of random words.
pub(super) enum Bits {
    /// `PCG64`
    Pcg(Pcg64),
    /// `MT19937`
    Mersenne(Box<Mersenne>),
}

impl Bits {
    /// 32 random bits.
    pub(super) fn next_u32(&mut self) -> u32 {
        match self {
            Bits::Pcg(pcg) => pcg.next_u32(),
            Bits::Mersenne(mersenne) => mersenne.next_u32(),
        }
    }

    /// 64 random bits.
    pub(super) fn next_u64(&mut self) -> u64 {
        match self {
            Bits::Pcg(pcg) => pcg.next_u64(),
            Bits::Mersenne(mersenne) => {
                let high = u64::from(mersenne.next_u32());
                high << 32 | u64::from(mersenne.next_u32())
            }
        }
    }

    /// Uniform in [0, 1), 53 bits.
    pub(super) fn next_f64(&mut self) -> f64 {
        match self {
            Bits::Pcg(pcg) => (pcg.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0,
            Bits::Mersenne(mersenne) => {
                let high = f64::from(mersenne.next_u32() >> 5);
                let low = f64::from(mersenne.next_u32() >> 6);
                (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
            }
        }
    }

    /// Uniform in [0, 1), 24 bits.
    pub(super) fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 / 16_777_216.0
    }
}

/// PCG XSL RR 128/64.
pub(super) struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of a word of which the lower half was given out.
    half: Option<u32>,
}

const PCG_MULTIPLIER: u128 = 2_549_297_995_355_413_924 << 64 | 4_865_540_595_714_422_341;

impl Pcg64 {
    /// Seeded as `PCG64(seed)`, the seed in 32-bit words, lowest first.
    pub(super) fn new(seed: &[u32]) -> Pcg64 {
        let words = seed_words(seed);
        let state = u128::from(words[0]) << 64 | u128::from(words[1]);
        let sequence = u128::from(words[2]) << 64 | u128::from(words[3]);
        let mut pcg = Pcg64 { state: 0, increment: sequence << 1 | 1, half: None };
        pcg.step();
        pcg.state = pcg.state.wrapping_add(state);
        pcg.step();
        pcg
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(PCG_MULTIPLIER).wrapping_add(self.increment);
    }

    fn next_u64(&mut self) -> u64 {
        self.step();
        let mixed = (self.state >> 64) as u64 ^ self.state as u64;
        mixed.rotate_right((self.state >> 122) as u32)
    }

    fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let word = self.next_u64();
        self.half = Some((word >> 32) as u32);
        word as u32
    }
}

/// `SeedSequence(seed).generate_state(4, uint64)`
fn seed_words(seed: &[u32]) -> [u64; 4] {
    const SHIFT: u32 = 16;
    let mut constant: u32 = 0x43b0_d7e5;
    let mut hash = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(constant);
        value ^ value >> SHIFT
    };
    let mix = |x: u32, y: u32| {
        let mixed = x.wrapping_mul(0xca01_f9dd).wrapping_sub(y.wrapping_mul(0x4973_f715));
        mixed ^ mixed >> SHIFT
    };
    let mut pool: [u32; 4] = std::array::from_fn(|at| seed.get(at).copied().unwrap_or(0)).map(&mut hash);
    for from in 0..4 {
        for to in (0..4).filter(|&to| to != from) {
            pool[to] = mix(pool[to], hash(pool[from]));
        }
    }
    for &word in seed.iter().skip(4) {
        for entry in &mut pool {
            *entry = mix(*entry, hash(word));
        }
    }
    let mut constant: u32 = 0x8b51_f9dd;
    let state: [u32; 8] = std::array::from_fn(|at| {
        let value = pool[at % 4] ^ constant;
        constant = constant.wrapping_mul(0x58f3_8ded);
        let value = value.wrapping_mul(constant);
        value ^ value >> SHIFT
    });
    std::array::from_fn(|at| u64::from(state[2 * at]) | u64::from(state[2 * at + 1]) << 32)
}

const LENGTH: usize = 624;

/// The Mersenne twister, with the second of every pair of normals that the polar method makes.
pub(super) struct Mersenne {
    state: [u32; LENGTH],
    position: usize,
    /// The normal that is left of a pair.
    pub(super) spare: Option<f64>,
}

impl Mersenne {
    /// Seeded as `RandomState(seed)` by one word.
    pub(super) fn new(seed: u32) -> Mersenne {
        let mut word = seed;
        let state = std::array::from_fn(|at| {
            let current = word;
            word = 1_812_433_253u32.wrapping_mul(word ^ word >> 30).wrapping_add(at as u32 + 1);
            current
        });
        Mersenne { state, position: LENGTH, spare: None }
    }

    /// Seeded as `RandomState([...])`.
    pub(super) fn from_key(key: &[u32]) -> Mersenne {
        let mut twister = Mersenne::new(19_650_218);
        let state = &mut twister.state;
        let (mut i, mut j) = (1, 0);
        for _ in 0..LENGTH.max(key.len()) {
            let mixed = (state[i - 1] ^ state[i - 1] >> 30).wrapping_mul(1_664_525);
            let word = key.get(j).copied().unwrap_or(0);
            state[i] = (state[i] ^ mixed).wrapping_add(word).wrapping_add(j as u32);
            (i, j) = (i + 1, j + 1);
            if i >= LENGTH {
                state[0] = state[LENGTH - 1];
                i = 1;
            }
            if j >= key.len() {
                j = 0;
            }
        }
        for _ in 0..LENGTH - 1 {
            let mixed = (state[i - 1] ^ state[i - 1] >> 30).wrapping_mul(1_566_083_941);
            state[i] = (state[i] ^ mixed).wrapping_sub(i as u32);
            i += 1;
            if i >= LENGTH {
                state[0] = state[LENGTH - 1];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        twister
    }

    fn next_u32(&mut self) -> u32 {
        if self.position >= LENGTH {
            self.refill();
        }
        let word = self.state[self.position];
        self.position += 1;
        let word = word ^ word >> 11;
        let word = word ^ (word << 7 & 0x9d2c_5680);
        let word = word ^ (word << 15 & 0xefc6_0000);
        word ^ word >> 18
    }

    fn refill(&mut self) {
        for at in 0..LENGTH {
            let word = self.state[at] & 0x8000_0000 | self.state[(at + 1) % LENGTH] & 0x7fff_ffff;
            let twist = if word & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[at] = self.state[(at + 397) % LENGTH] ^ word >> 1 ^ twist;
        }
        self.position = 0;
    }

    /// A standard normal by the polar method, as `RandomState.randn` draws it.
    pub(super) fn legacy_normal(bits: &mut Bits) -> f64 {
        if let Bits::Mersenne(mersenne) = bits
            && let Some(spare) = mersenne.spare.take()
        {
            return spare;
        }
        loop {
            let x = 2.0 * bits.next_f64() - 1.0;
            let y = 2.0 * bits.next_f64() - 1.0;
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                if let Bits::Mersenne(mersenne) = bits {
                    mersenne.spare = Some(scale * x);
                }
                return scale * y;
            }
        }
    }
}
