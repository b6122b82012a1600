//! What JAX, and the compilers behind it, print where a rule of ours has something to say: a piece of the message for each,
//! so that somebody who has only that finds the page. Pieces are in lower case, with single spaces, and have nothing in them
//! that is of one program. What compilers refuse where no rule looks has pages of its own.

mod compilers;

use crate::rule::Rule;
use crate::rules::ALL;
use compilers::SAID;

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
    ("<lambda>() takes", "PL106"),
    ("<lambda>() missing", "PL106"),
    ("positional arguments but", "PL109"),
    ("required positional argument: '", "PL109"),
    ("required keyword-only argument", "PL109"),
    ("grid must be a tuple of integers", "PL101"),
    ("'int' object is not iterable", "PL104"),
    ("'function' object is not iterable", "PL008"),
    ("length of grid does not match length of dimension semantics", "PL131"),
    ("collective_id has to be", "PL422"),
    ("pred must be a scalar", "PL115"),
    // Refs and values.
    ("out of bound slice", "PL201"),
    ("out of bound indexer", "PL201"),
    ("out-of-bounds read of", "PL202"),
    ("out-of-bounds write of", "PL202"),
    ("invalid shape for `swap`", "PL301"),
    ("invalid dtype for `swap`", "PL302"),
    ("incompatible shapes for broadcasting", "PL303"),
    ("incompatible shapes for matrix multiplication", "PL303"),
    ("contracting dimensions to have the same shape", "PL303"),
    ("must have equal types", "PL310"),
    ("must have the same pytree structure", "PL310"),
    ("captures constants", "PL305"),
    ("must not capture constants", "PL305"),
    ("tracerboolconversionerror", "PL306"),
    ("attempted boolean conversion of traced array", "PL306"),
    ("tracerintegerconversionerror", "PL307"),
    ("concretizationtypeerror", "PL307"),
    ("nonconcretebooleanindexerror", "PL307"),
    ("boolean indices must be concrete", "PL307"),
    ("tracerarrayconversionerror", "PL308"),
    ("__index__() method was called on traced array", "PL307"),
    ("shapes must be 1d sequences of concrete values", "PL307"),
    ("got jittracer(ref<", "PL308"),
    ("'abstractref' object has no attribute", "PL308"),
    ("did you forget to unpack ([...]) the ref", "PL308"),
    ("cannot be referenced directly", "PL340"),
    ("source/destination/semaphore arguments must be refs", "PL340"),
    ("must be a smem reference", "PL340"),
    ("`indices` must not be longer than `shape`", "PL309"),
    ("is out of bounds for grid", "PL114"),
    ("dma_wait requires a dma semaphore", "PL320"),
    ("non-()-shaped semaphore", "PL320"),
    ("indexer must have integer or boolean type", "PL309"),
    // Targets.
    ("last two dimensions of your block shape are divisible by 8 and 128", "PL501"),
    ("requires that rank 1 block shapes", "PL501"),
    ("not divisible by tiling evenly", "PL501"),
    ("misalignedblockandtiling", "PL501"),
    ("e2002", "PL501"),
    ("in memory space vmem", "PL502"),
    ("in memory space smem", "PL502"),
    ("exceeded vmem capacity", "PL502"),
    ("exceeds available vmem", "PL502"),
    ("exceeded scoped vmem limit", "PL502"),
    ("scoped allocation with size", "PL502"),
    ("would exceed memory (size", "PL502"),
    ("space=vmem", "PL502"),
    ("shared memory size limit exceeded", "PL411"),
    ("out of resource: shared memory", "PL411"),
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
    let text = plain(message);
    let (_, code) = MESSAGES.iter().find(|(piece, _)| text.contains(piece))?;
    ALL.iter().copied().find(|rule| rule.code == *code)
}

/// The page about a printed message: that of a rule, or else one about what a compiler or a device says.
pub fn page_of(message: &str) -> Option<String> {
    let text = plain(message);
    let said = || SAID.iter().find(|said| said.pieces.iter().any(|piece| text.contains(piece)));
    rule_of(message).map(Rule::page).or_else(|| said().map(compilers::Said::page))
}

/// A message as pieces are written.
fn plain(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_as_texts_are_and_names_a_rule() {
        for (_, code) in MESSAGES {
            assert!(ALL.iter().any(|rule| rule.code == *code), "{code}");
        }
        let said = SAID.iter().flat_map(|said| said.pieces.iter().copied());
        let pieces: Vec<&str> = MESSAGES.iter().map(|(piece, _)| *piece).chain(said).collect();
        for (number, piece) in pieces.iter().enumerate() {
            assert_eq!(plain(piece), *piece);
            // A piece behind one that is part of it would never be met.
            assert!(!pieces[..number].iter().any(|before| piece.contains(before)), "{piece}");
        }
    }

    #[test]
    fn what_compilers_say_leads_to_a_page_with_what_to_do() {
        for (message, title) in [
            (
                "INTERNAL: Mosaic failed to compile TPU kernel: cannot statically prove that index in dimension 1 is a\n multiple of 128",
                "multiple of the tile",
            ),
            (
                "JaxRuntimeError: INTERNAL: E2003: CompileTimeMosaicUnprovenMemoryAccessAlignment:",
                "multiple of the tile",
            ),
            ("Slice shape along dimension 1 must be aligned to tiling (128), but is 64", "parts of a tile"),
            ("INTERNAL: Mosaic failed to compile TPU kernel: unsupported shape cast", "reshape like this"),
            (
                "Mosaic failed to compile TPU kernel: Unsupported matmul RHS type on target: 'vector<8x128xi8>'",
                "dtypes or shapes",
            ),
            ("Mosaic failed to compile TPU kernel: Target does not support this comparison", "compute in this dtype"),
            (
                "INTERNAL: Mosaic failed to compile TPU kernel: Not implemented: Non-trivial layouts unsupported",
                "layout of registers",
            ),
            ("Mosaic failed to compile TPU kernel: Not implemented: something new", "behind JAX's own checks"),
            (
                "NotImplementedError: Mosaic kernels cannot be automatically partitioned. Please wrap the call in a shard_map.",
                "several devices",
            ),
            ("ValueError: Only interpret mode is supported on CPU backend.", "without an accelerator"),
        ] {
            let page = page_of(message).unwrap_or_default();
            let heading = page.lines().next().unwrap_or_default();
            assert!(heading.contains(title), "{message}: {heading}");
        }
        for said in SAID {
            let page = said.page();
            assert!(page.contains("## What it means") && page.contains("## What to do"), "{page}");
            let codes =
                page.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with("PL") && word.len() == 5);
            for code in codes {
                assert!(ALL.iter().any(|rule| rule.code == code), "{code}");
            }
        }
        assert_eq!(page_of("ModuleNotFoundError: No module named 'tensorflow'"), None);
        // A rule that finds it says more.
        assert!(
            page_of("Failed to set window params for input 0: its block shape is not divisible by tiling evenly")
                .is_some_and(|page| page.starts_with("# PL501"))
        );
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
