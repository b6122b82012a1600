//! What JAX, and the compilers behind it, print where a rule of ours has something to say: a piece of the message for each,
//! so that somebody who has only that finds the page. Pieces are in lower case, with single spaces, and have nothing in them
//! that is of one program.

use crate::rule::Rule;
use crate::rules::ALL;

/// A piece of a message, and the code of its rule. The first that occurs counts.
const MESSAGES: &[(&str, &str)] = &[
    // Specs, maps and the call.
    ("`in_specs` must be a tuple or a list", "PL103"),
    ("pytree for `in_specs`", "PL103"),
    ("pytree for `out_specs`", "PL103"),
    ("invalid out_shape type", "PL102"),
    ("when `check_vma=true` on `jax.shard_map`", "PL102"),
    ("must have the same number of dimensions as the array shape", "PL104"),
    ("values to match block_shape", "PL107"),
    ("must return integer scalars", "PL108"),
    ("index map function", "PL107"),
    ("should return none. it returns a pytree", "PL110"),
    ("input_output_aliases contains the mapping", "PL111"),
    ("if `grid_spec` is specified, then", "PL112"),
    ("unhashable type: 'dict'", "PL008"),
    ("unexpected keyword argument 'indexing_mode'", "PL008"),
    ("module 'jax.experimental.pallas", "PL008"),
    ("from 'jax.experimental.pallas", "PL008"),
    ("positional arguments but", "PL109"),
    ("pred must be a scalar", "PL115"),
    // Refs and values.
    ("out of bound slice", "PL201"),
    ("out of bound indexer", "PL201"),
    ("invalid shape for `swap`", "PL301"),
    ("invalid dtype for `swap`", "PL302"),
    ("incompatible shapes for broadcasting", "PL303"),
    ("contracting dimensions to have the same shape", "PL303"),
    ("must have equal types", "PL310"),
    ("must have the same pytree structure", "PL310"),
    ("captures constants", "PL305"),
    ("must not capture constants", "PL305"),
    ("tracerboolconversionerror", "PL306"),
    ("attempted boolean conversion of traced array", "PL306"),
    ("tracerintegerconversionerror", "PL307"),
    ("concretizationtypeerror", "PL307"),
    ("__index__() method was called on traced array", "PL307"),
    ("shapes must be 1d sequences of concrete values", "PL307"),
    ("got jittracer(ref<", "PL308"),
    ("'abstractref' object has no attribute", "PL308"),
    ("did you forget to unpack ([...]) the ref", "PL308"),
    ("indexer must have integer or boolean type", "PL309"),
    // Targets.
    ("last two dimensions of your block shape are divisible by 8 and 128", "PL501"),
    ("requires that rank 1 block shapes", "PL501"),
    ("in memory space vmem", "PL502"),
    ("in memory space smem", "PL502"),
    ("exceeded vmem capacity", "PL502"),
    ("exceeds available vmem", "PL502"),
    ("exceeded scoped vmem limit", "PL502"),
    ("scoped allocation with size", "PL502"),
    ("shared memory size limit exceeded", "PL411"),
    ("whose size is a power of 2", "PL503"),
    ("unimplemented primitive in pallas", "PL504"),
    ("cannot store scalars to vmem", "PL504"),
    ("can only load scalars from smem", "PL504"),
    ("can only store scalars to smem", "PL504"),
    ("are only allowed on vmem and smem references", "PL504"),
    ("memory space can only be accessed using async_copy", "PL504"),
    ("cannot do int indexing on tpu", "PL504"),
    ("64-bit types are not supported", "PL504"),
    ("only 32-bit integer iota supported", "PL504"),
    ("is a triton-specific primitive", "PL504"),
    ("a and b must be 2d", "PL504"),
    // What any program may raise.
    ("linearization failed to produce known values", "PL001"),
    ("jax arrays are immutable", "PL001"),
];

/// The rule that a printed message is about.
pub fn rule_of(message: &str) -> Option<&'static Rule> {
    let text = message.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (_, code) = MESSAGES.iter().find(|(piece, _)| text.contains(piece))?;
    ALL.iter().copied().find(|rule| rule.code == *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_as_texts_are_and_names_a_rule() {
        for (number, (piece, code)) in MESSAGES.iter().enumerate() {
            assert_eq!(piece.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" "), *piece);
            assert!(ALL.iter().any(|rule| rule.code == *code), "{code}");
            // A piece behind one that is part of it would never be met.
            assert!(!MESSAGES[..number].iter().any(|(before, _)| piece.contains(before)), "{piece}");
        }
    }

    #[test]
    fn messages_as_they_are_printed_lead_to_a_rule() {
        for (message, code) in [
            (
                "ValueError: The Pallas TPU lowering currently requires that the last two dimensions of your block shape are\n  \
                 divisible by 8 and 128 respectively, or be equal to the respective dimensions of the overall array.",
                "PL501",
            ),
            (
                "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].",
                "PL306",
            ),
            ("ValueError: Cannot store scalars to VMEM", "PL504"),
            ("AttributeError: module 'jax.experimental.pallas.tpu' has no attribute 'TPUCompilerParams'", "PL008"),
            ("ImportError: cannot import name 'gpu' from 'jax.experimental.pallas' (pallas/__init__.py)", "PL008"),
            (
                "XLA:TPU compile permanent error. Ran out of memory in memory space vmem. Used 65.05M of 64.00M vmem.",
                "PL502",
            ),
            (
                "Index map function <lambda> at k.py:5 for x must return 2 values to match block_shape=(8, 128).",
                "PL107",
            ),
        ] {
            assert_eq!(rule_of(message).map(|rule| rule.code), Some(code), "{message}");
        }
        assert_eq!(rule_of("ModuleNotFoundError: No module named 'tensorflow'").map(|rule| rule.code), None);
    }
}
