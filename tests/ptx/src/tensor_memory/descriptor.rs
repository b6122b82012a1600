//! Descriptors of instructions and of factors in shared memory (PTX ISA 9.7.16.4).

use crate::asynchronous::panels::Panel;
use crate::types::Type;

/// What is multiplied (PTX ISA 9.7.16.10.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    /// With a scale for every 32 terms.
    Mxf8f6f4,
    /// Of four bits, with a scale for every 32 terms.
    Mxf4,
    /// Of four bits, with a scale for every 32 or 16 terms.
    Mxf4nvf4,
}

impl Kind {
    pub(crate) fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "kind::f16" => Kind::F16,
            "kind::tf32" => Kind::Tf32,
            "kind::f8f6f4" => Kind::F8f6f4,
            "kind::i8" => Kind::I8,
            "kind::mxf8f6f4" => Kind::Mxf8f6f4,
            "kind::mxf4" => Kind::Mxf4,
            "kind::mxf4nvf4" => Kind::Mxf4nvf4,
            _ => return None,
        })
    }

    /// Whether factors have scales.
    pub(crate) fn scaled(self) -> bool {
        matches!(self, Kind::Mxf8f6f4) || self.four_bits()
    }

    /// Whether factors have four bits, two in a byte.
    pub(crate) fn four_bits(self) -> bool {
        matches!(self, Kind::Mxf4 | Kind::Mxf4nvf4)
    }

    /// How many scales a row of an instruction has, by the words that say it (PTX ISA 9.7.16.10.3); `None` where this kind has no such
    /// number.
    pub(crate) fn vector(self, word: Option<&str>) -> Option<usize> {
        Some(match (self, word) {
            (Kind::Mxf8f6f4, None | Some("scale_vec::1X" | "block32")) => 1,
            (Kind::Mxf4, None | Some("scale_vec::2X" | "block32")) => 2,
            (Kind::Mxf4nvf4, Some("scale_vec::2X" | "block32")) => 2,
            (Kind::Mxf4nvf4, Some("scale_vec::4X" | "block16")) => 4,
            (kind, None) if !kind.scaled() => 0,
            _ => return None,
        })
    }

    /// The type of a factor by its number.
    fn factor(self, number: u32) -> Result<Type, String> {
        let name = match (self, number) {
            (Kind::F16, 0) => "f16",
            (Kind::F16, 1) => "bf16",
            (Kind::Tf32, 2) => "tf32",
            (Kind::F8f6f4 | Kind::Mxf8f6f4, 0) => "e4m3",
            (Kind::F8f6f4 | Kind::Mxf8f6f4, 1) => "e5m2",
            (Kind::Mxf4 | Kind::Mxf4nvf4, 1) => "e2m1",
            (Kind::I8, 0) => "u8",
            (Kind::I8, 1) => "s8",
            _ => return Err(format!("the type {number} of a factor of {self:?}")),
        };
        Type::named(name).ok_or_else(|| name.to_string())
    }
}

/// What a descriptor of an instruction says (PTX ISA 9.7.16.4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Which part of the places of a sparse left factor is its own, if it is sparse.
    pub(crate) selector: Option<usize>,
    pub(crate) saturates: bool,
    pub(crate) sums: Type,
    pub(crate) factors: [Type; 2],
    pub(crate) negates: [bool; 2],
    /// Whether a factor's rows (the right one's columns) follow each other in memory.
    pub(crate) turned: [bool; 2],
    /// Rows and columns of all that is multiplied, in both blocks if there are two.
    pub(crate) extents: [usize; 2],
    /// Which of the four scales in a column is meant, for each factor.
    pub(crate) scales: Option<[usize; 2]>,
    /// Whether scales are floats with a fraction (UE4M3), and not powers of two (UE8M0).
    pub(crate) fractions: bool,
}

impl Said {
    /// Reads a descriptor. `group` is how many blocks multiply, `sparse` whether the instruction is `.sp`, `vector` how many
    /// scales a row of it has.
    ///
    /// # Errors
    /// What has no meaning.
    pub(crate) fn of(kind: Kind, word: u32, group: usize, sparse: bool, vector: usize) -> Result<Said, String> {
        let field = |from: u32, bits: u32| word >> from & ((1 << bits) - 1);
        let bit = |at: u32| word >> at & 1 == 1;
        let scaled = kind.scaled();
        let reserved = match scaled {
            true => bit(3) || bit(6) || field(24, 3) != 0 || bit(31),
            false => bit(6) || bit(23) || bit(29) || field(30, 2) != 0,
        };
        if reserved {
            return Err(format!("the descriptor {word:#x}, in which bits are set that are reserved"));
        }
        if bit(2) != sparse || (!sparse && field(0, 2) != 0) {
            return Err(format!(
                "the descriptor {word:#x} says {} of an instruction that is not",
                if bit(2) { "sparse" } else { "dense" }
            ));
        }
        let factors = [kind.factor(field(7, 3))?, kind.factor(field(10, 3))?];
        if kind == Kind::F16 && factors[0] != factors[1] {
            return Err(format!("factors of {factors:?} in one product"));
        }
        let sums = match (kind, field(4, 2)) {
            _ if scaled => "f32",
            (Kind::F16 | Kind::F8f6f4, 0) => "f16",
            (Kind::F16 | Kind::F8f6f4 | Kind::Tf32, 1) => "f32",
            (Kind::I8, 2) => "s32",
            (_, number) => return Err(format!("sums of type {number} for {kind:?}")),
        };
        let (rows, columns) = match scaled {
            true => (field(27, 2) as usize * 128, field(17, 6) as usize * 8),
            false => (field(24, 5) as usize * 16, field(17, 6) as usize * 8),
        };
        let (negates, turned) = ([bit(13), bit(14)], [bit(15), bit(16)]);
        if kind == Kind::I8 && (negates[0] || negates[1]) || kind != Kind::I8 && !scaled && bit(3) {
            return Err(format!("the descriptor {word:#x} asks {kind:?} for what it does not do"));
        }
        if kind == Kind::Tf32 && (turned[0] || turned[1]) {
            return Err("tf32 factors whose rows follow each other need a swizzle that is not known here".to_string());
        }
        let fractions = scaled && !bit(23);
        if fractions && (kind != Kind::Mxf4nvf4 || vector != 4) {
            return Err(format!("scales of type UE4M3 for {kind:?} with {vector} of them in a row"));
        }
        if kind.four_bits() && (turned[0] || turned[1]) {
            return Err(format!("factors of {kind:?} whose rows follow each other"));
        }
        let scales = scaled.then(|| [field(29, 2) as usize, field(4, 2) as usize]);
        if let Some(first) = scales.into_iter().flatten().find(|first| first % vector.max(1) != 0) {
            return Err(format!("{vector} scales of a row that begin with number {first} of the four in a column"));
        }
        let said = Said {
            selector: sparse.then(|| field(0, 2) as usize),
            saturates: !scaled && bit(3),
            sums: Type::named(sums).ok_or("sums")?,
            factors,
            negates,
            turned,
            extents: [rows, columns],
            scales,
            fractions,
        };
        match said.fits(kind, group) {
            true => Ok(said),
            false => Err(format!("{rows} rows and {columns} columns for {kind:?}, cta_group::{group}")),
        }
    }

    /// Shapes that are supported (PTX ISA 9.7.16.2.1).
    fn fits(&self, kind: Kind, group: usize) -> bool {
        let [rows, columns] = self.extents;
        let step = match (kind, group, rows) {
            (kind, 1, 128) if kind.scaled() => 8,
            (kind, 2, 128 | 256) if kind.scaled() => 16,
            (Kind::I8, 1, 64 | 128) => 16,
            (Kind::I8, 2, 128 | 256) => 32,
            (Kind::F16 | Kind::Tf32 | Kind::F8f6f4, 1, 64) => 8,
            (Kind::F16 | Kind::Tf32 | Kind::F8f6f4, 1, 128) | (Kind::F16 | Kind::Tf32 | Kind::F8f6f4, 2, 128 | 256) => {
                16
            }
            _ => return false,
        };
        let few = kind == Kind::I8 && group == 1 && rows == 64 && matches!(columns, 8 | 24);
        (columns.is_multiple_of(step) || few) && (step.min(8)..=256).contains(&columns)
    }
}

/// A factor in shared memory, or what a copy takes there (PTX ISA 9.7.16.4.1). The layouts are those of `wgmma`.
///
/// # Errors
/// What has no meaning.
pub(crate) fn panel(word: u64) -> Result<Panel, String> {
    let wrong = |why: &str| Err(format!("the descriptor {word:#x}: {why}"));
    if word >> 46 & 7 != 1 {
        return wrong("bits 46 to 48 are not 0b001");
    }
    if word >> 53 & 0xff != 0 || word >> 14 & 3 != 0 || word >> 30 & 3 != 0 {
        return wrong("bits are set that are reserved");
    }
    if word >> 49 & 7 != 0 || word >> 52 & 1 != 0 {
        return wrong("a base offset, or an absolute leading dimension, is not known here");
    }
    let swizzle = match word >> 61 {
        0 => 0,
        2 => 128,
        4 => 64,
        6 => 32,
        _ => return wrong("this swizzle is not known here"),
    };
    Ok(Panel::new(word, swizzle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_says_types_shape_and_ways() {
        // D is f32, A and B bf16, B turned, 64 columns, 128 rows.
        let word = 1 << 4 | 1 << 7 | 1 << 10 | 1 << 16 | 8 << 17 | 8 << 24;
        let said = Said::of(Kind::F16, word, 1, false, 0).expect("a descriptor");
        assert_eq!((said.extents, said.turned, said.selector), ([128, 64], [false, true], None));
        assert_eq!(said.factors, [Type::named("bf16").expect("a type"); 2]);
        for (word, kind, group, sparse) in [
            (word | 1 << 6, Kind::F16, 1, false),
            (word | 1 << 29, Kind::F16, 1, false),
            (word | 1 << 2, Kind::F16, 1, false),
            (word, Kind::F16, 1, true),
            (word ^ 1 << 7, Kind::F16, 1, false),
            (word, Kind::I8, 1, false),
            (word ^ 8 << 24 ^ 16 << 24, Kind::F16, 1, false),
            (word ^ 8 << 17, Kind::F16, 1, false),
            (word ^ 8 << 17 ^ 1 << 17, Kind::F16, 1, false),
        ] {
            assert!(Said::of(kind, word, group, sparse, 0).is_err(), "{word:#x} {kind:?} {group}");
        }
        assert!(Said::of(Kind::F16, word, 2, false, 0).is_ok(), "64 rows in each of two blocks");
    }

    #[test]
    fn a_scaled_descriptor_says_which_scales() {
        let word = 2 << 4 | 1 << 10 | 4 << 17 | 1 << 23 | 1 << 27 | 3 << 29;
        let said = Said::of(Kind::Mxf8f6f4, word, 1, false, 1).expect("a descriptor");
        assert_eq!((said.extents, said.scales), ([128, 32], Some([3, 2])));
        assert!(Said::of(Kind::Mxf8f6f4, word ^ 1 << 23, 1, false, 1).is_err());
    }

    #[test]
    fn factors_of_four_bits_have_two_scales_or_four() {
        // Both factors E2M1, 32 columns, 128 rows, scales that are powers of two, the second half of a column.
        let word = 2 << 4 | 1 << 7 | 1 << 10 | 4 << 17 | 1 << 23 | 1 << 27 | 2 << 29;
        let said = Said::of(Kind::Mxf4, word, 1, false, 2).expect("a descriptor");
        assert_eq!((said.extents, said.scales, said.fractions), ([128, 32], Some([2, 2]), false));
        assert_eq!(said.factors, [Type::named("e2m1").expect("a type"); 2]);
        let fine = word ^ 1 << 23 ^ 2 << 4 ^ 2 << 29;
        assert!(Said::of(Kind::Mxf4nvf4, fine, 1, false, 4).expect("a descriptor").fractions);
        for (word, kind, vector, why) in [
            (word ^ 1 << 23, Kind::Mxf4, 2, "UE4M3"),
            (fine, Kind::Mxf4nvf4, 2, "UE4M3"),
            (word ^ 3 << 29, Kind::Mxf4, 2, "begin with number 1"),
            (word, Kind::Mxf4nvf4, 4, "begin with number 2"),
            (word | 1 << 15, Kind::Mxf4, 2, "whose rows follow each other"),
            (word ^ 1 << 10, Kind::Mxf4, 2, "the type 0"),
            (word | 1 << 24, Kind::Mxf4, 2, "reserved"),
        ] {
            let said = Said::of(kind, word, 1, false, vector).expect_err("a misuse");
            assert!(said.contains(why), "{said} is not {why}");
        }
        assert_eq!(Kind::Mxf4.vector(Some("scale_vec::4X")), None);
        assert_eq!(Kind::Mxf4nvf4.vector(None), None);
        assert_eq!(Kind::Mxf4nvf4.vector(Some("scale_vec::4X")), Some(4));
    }

    #[test]
    fn a_factor_that_says_nothing_known_is_refused() {
        assert!(panel(1 << 46 | 2 << 61).is_ok());
        for word in
            [2 << 61, 1 << 46 | 1 << 61, 1 << 46 | 1 << 49, 1 << 46 | 1 << 52, 1 << 46 | 1 << 53, 1 << 46 | 1 << 14]
        {
            assert!(panel(word).is_err(), "{word:#x}");
        }
    }
}
