//! SHA-512 (FIPS 180-4), which `random.seed` takes of texts. The round constants are the fractional bits of the cube
//! roots of the first 80 primes, the initial state those of the square roots of the first 8; both are computed.

use num_bigint::BigUint;

fn primes() -> impl Iterator<Item = u64> {
    (2u64..).filter(|n| (2..).take_while(|d| d * d <= *n).all(|d| n % d != 0))
}

/// The first 64 fractional bits of the `degree`-th root of `n`.
fn fraction(n: u64, degree: u32) -> u64 {
    let scaled = BigUint::from(n) << (64 * degree);
    let root = scaled.nth_root(degree);
    root.iter_u64_digits().next().unwrap_or(0)
}

/// The digest of `message`.
pub(super) fn sha512(message: &[u8]) -> [u8; 64] {
    let constants: Vec<u64> = primes().take(80).map(|prime| fraction(prime, 3)).collect();
    let mut state: Vec<u64> = primes().take(8).map(|prime| fraction(prime, 2)).collect();
    let mut data = message.to_vec();
    data.push(0x80);
    while data.len() % 128 != 112 {
        data.push(0);
    }
    data.extend_from_slice(&(message.len() as u128 * 8).to_be_bytes());
    for block in data.chunks_exact(128) {
        let mut w = [0u64; 80];
        for (word, bytes) in w.iter_mut().zip(block.as_chunks::<8>().0) {
            *word = u64::from_be_bytes(*bytes);
        }
        for t in 16..80 {
            let s0 = w[t - 15].rotate_right(1) ^ w[t - 15].rotate_right(8) ^ (w[t - 15] >> 7);
            let s1 = w[t - 2].rotate_right(19) ^ w[t - 2].rotate_right(61) ^ (w[t - 2] >> 6);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let mut v = [0u64; 8];
        v.copy_from_slice(&state);
        for t in 0..80 {
            let [a, b, c, d, e, f, g, h] = v;
            let s1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(constants[t]).wrapping_add(w[t]);
            let s0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            v = [t1.wrapping_add(s0.wrapping_add(majority)), a, b, c, d.wrapping_add(t1), e, f, g];
        }
        for (sum, value) in state.iter_mut().zip(v) {
            *sum = sum.wrapping_add(value);
        }
    }
    let mut digest = [0u8; 64];
    for (bytes, word) in digest.chunks_exact_mut(8).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::sha512;

    /// From FIPS 180-4's examples: `hashlib.sha512(b"abc").hexdigest()`.
    #[test]
    fn digest_of_abc() {
        let text: String = sha512(b"abc").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            text,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
    }
}
