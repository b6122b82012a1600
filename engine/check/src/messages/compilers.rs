//! What compilers and devices say behind everything that JAX checks, where no rule of ours looks: a page for each kind of
//! message, so that somebody who has only that knows what it means and what to try. Knows no launch, and finds nothing.

/// A kind of messages, with its page.
pub(super) struct Said {
    /// Pieces of such messages, as in [`super::MESSAGES`].
    pub(super) pieces: &'static [&'static str],
    /// The heading.
    title: &'static str,
    /// Markdown with the sections *What it means* and *What to do*.
    doc: &'static str,
}

impl Said {
    /// The page with its heading, as Markdown.
    pub(super) fn page(&self) -> String {
        format!("# {}\n\n{}\n", self.title, self.doc.trim())
    }
}

/// The first that has a piece of a message counts; what says least stands last.
pub(super) const SAID: &[Said] = &[
    Said {
        pieces: &[
            "cannot statically prove that index in dimension",
            "unprovenmemoryaccessalignment",
            "e2003",
            "failed to prove that a tile index",
        ],
        title: "Mosaic cannot prove that an index is a multiple of the tile (E2003)",
        doc: r#"
## What it means
A TPU keeps the last two dimensions of a Ref in tiles: 8 rows of 128 elements for 32 bits, 16 rows for 16 bits, 32 for 8
bits; of a Ref of one dimension up to 1024 elements are a tile. A load or store that begins at a place which is
computed has to begin at a tile, and the compiler has to see that it does. It looks through products and sums of
constants; `i * 64` along the last dimension is refused as well as an index that comes from data. Places that are known
when the kernel is traced are free.

## What to do
- Have the launch cut the block: a `BlockSpec` whose index map names it, in place of `x_ref[:, pl.ds(i * 128, 128)]`.
- Where the place is a multiple and only the compiler does not see it, say so: `pl.multiple_of(start, 128)`. It is not
  checked: what is no multiple is read from somewhere else.
- Put the dimension that is walked along element by element in front of the last two, or walk along it in whole tiles.
- Load the tile around it, and choose with `jnp.where` and an iota, or turn it with `pltpu.roll`.

`pallas-tui check --target tpu-v5e FILE` reports places along the last dimension that are no multiples of 128 (PL504).
"#,
    },
    Said {
        pieces: &[
            "must be aligned to tiling",
            "slice shape along dimension",
            "slice along dimension",
            "not aligned to tile",
        ],
        title: "Mosaic takes no parts of a tile",
        doc: r#"
## What it means
A copy, or a Ref that is sliced with `.at[...]`, has to take whole tiles along the last two dimensions: 8 rows of 128
elements for 32 bits, 16 rows for 16 bits, 32 rows for 8 bits. The message names the dimension, the tile, and what was
asked for.

## What to do
- Take a multiple of the tile, and leave out afterwards what is too much, with `jnp.where` and an iota.
- Pad the array outside of the kernel, so that what belongs together begins at a tile.
- Put another dimension in front: of `(n, 1, 128)` each `x.at[i]` is whole tiles; of `(n, 128)` a single row is not.
"#,
    },
    Said {
        pieces: &["unsupported shape cast", "shape_cast", "shape cast"],
        title: "Mosaic cannot reshape like this",
        doc: r#"
## What it means
`reshape`, and what is made of it (`ravel`, `x[:, None]`, `jnp.split` of the last dimension, `einsum` over several
dimensions), is refused where it moves elements between the last two dimensions and others. A vector register holds 8
rows of 128 elements; such a reshape would have to move them one by one.

## What to do
- Leave the last dimension alone: `(a, b, 128)` to `(a * b, 128)` is free where `b` is a multiple of 8 (16 for 16 bits).
- Reshape outside of the kernel, where it costs nothing or little, and have blocks come as they are wanted.
- Keep reduced dimensions: `jnp.sum(x, axis=1, keepdims=True)` has the shape `(8, 1)` that meets `x` again; `(8,)` does
  not, and `[:, None]` of it is a reshape.
- Reshape the Ref instead of the value, `x_ref.reshape(...)`, in 32 bits.
- `pltpu.einshape` says a reshape together with a transposition.
"#,
    },
    Said {
        pieces: &[
            "unsupported matmul",
            "unsupported input data type in matrix multiplication",
            "bad lhs type",
            "bad rhs type",
            "unsupported operand shapes or layouts",
            "expected matmul acc",
            "expected 32-bit acc",
            "e2001",
        ],
        title: "The chip has no matrix product of these dtypes or shapes (E2001)",
        doc: r#"
## What it means
What the matrix unit multiplies depends on the generation: `float32` all of them, `bfloat16` from v4 on and before in
part, `int8`, `int4` and `float8` only some. The accumulator has 32 bits everywhere. Dimensions that are far below a
tile are refused by older compilers.

## What to do
- Ask for a 32-bit result: `jnp.dot(x, y, preferred_element_type=jnp.float32)`, of integers `jnp.int32`.
- Convert to `bfloat16`, or to `float32`, right before the product where the chip has nothing narrower.
- Give both factors the same dtype.
- Take blocks of at least 128 along all three dimensions, or pad them.
"#,
    },
    Said {
        pieces: &["target does not support", "unsupported target bitwidth", "failed to legalize operation"],
        title: "The chip does not compute in this dtype",
        doc: r#"
## What it means
Vector units of v5 and before compute in 32 bits: additions, comparisons, maxima and elementary functions of `bfloat16`,
`int8` or `int16` are refused, or turned into 32 bits by newer compilers only. The operation that is named (`arith.mulf`,
`arith.cmpf`, `math.exp`) has the shape and dtype that it was asked for.

## What to do
- Convert what was loaded, and convert back where it is stored: `x = x_ref[...].astype(jnp.float32)`,
  `o_ref[...] = y.astype(o_ref.dtype)`. Memory still has the narrow dtype.
- Compare and mask in 32 bits, too: `jnp.where(mask, x, 0)` of `bfloat16` needs a mask of its own layout.
"#,
    },
    Said {
        pieces: &["last dim size is not 128", "strided load", "strided store", "minormost dimension is squeezed"],
        title: "Mosaic sees a Ref in another shape only where its last dimension is 128",
        doc: r#"
## What it means
Strided reads (`x_ref[pl.ds(0, 8, stride=2)]`) and Refs that are reshaped or seen in another dtype are refused unless the
last dimension of the Ref is one row of a tile, 128 elements, mostly of 32 bits.

## What to do
- Make 128 the last dimension of the array, outside of the kernel, and the rest of it another dimension.
- Keep what is read with a stride in `float32` or `int32`.
- Read whole tiles, and choose from them with `jnp.where` and an iota.
"#,
    },
    Said {
        pieces: &[
            "non-trivial layout",
            "unsupported layout",
            "relayout",
            "retiling",
            "invalid vector register layout",
            "sublane broadcast",
            "lane broadcast",
            "unsupported broadcast",
            "result/input offset mismatch",
            "infer-vector-layout",
            "apply-vector-layout",
        ],
        title: "Mosaic has no way from one layout of registers to another",
        doc: r#"
## What it means
Each value has a layout: which element is in which row and lane of which register. Concatenations at places inside of
a tile, slices that begin there, `jnp.repeat`, transpositions of narrow dtypes, and reductions without `keepdims` ask for
another one, and for some pairs there is no code.

## What to do
- Keep two dimensions: `keepdims=True` in reductions, `(8, 1)` and `(1, 128)` rather than `(8,)` and `(128,)`.
- Cut and join at multiples of 8 and 128 (16 rows for 16 bits); copy through scratch memory where that cannot be:
  `scratch[pl.ds(...), :] = x`, then load it as a whole.
- Convert to 32 bits before rearranging, and back afterwards.
- Rearrange outside of the kernel, or by the index map.
"#,
    },
    Said {
        pieces: &["cannot be automatically partitioned"],
        title: "A Mosaic kernel within `jit` over several devices",
        doc: r#"
## What it means
The arguments are spread over several devices, and XLA would have to cut the kernel for them. It does not look into
kernels of Pallas.

## What to do
- Say what each device computes: `jax.shard_map(f, mesh=mesh, in_specs=..., out_specs=...)` around the function with the
  `pallas_call`; within it arrays have the shape that one device has.
- `check_vma=False` where outputs do not say along which axes they vary, or `vma=` in `ShapeDtypeStruct`.
- Put the arguments on one device where that is what was meant.
"#,
    },
    Said {
        pieces: &["only interpret mode is supported on cpu"],
        title: "A kernel on a machine without an accelerator",
        doc: r#"
## What it means
JAX found no TPU or GPU, and on the CPU it only interprets kernels.

## What to do
- `pl.pallas_call(..., interpret=True)`; kernels of TPUs that copy or signal: `interpret=pltpu.InterpretParams()`.
- For all launches below: `with pltpu.force_tpu_interpret_mode():`.
- `pallas-tui run FILE` interprets them as the file is, and needs no JAX.
- Where there is an accelerator: `jax.devices()` says what JAX sees; `pip install "jax[tpu]"` or `"jax[cuda13]"` is what it
  needs to see it.
"#,
    },
    Said {
        pieces: &[
            "core halted unexpectedly",
            "halted prematurely",
            "on-device check-failure",
            "bounds check failure",
            "static device assignment",
        ],
        title: "The TPU stopped in the middle of a kernel",
        doc: r#"
## What it means
The program compiled, and a check on the device failed: a copy or a subscript outside of its Ref, a semaphore that is not
zero when the kernel ends, a signal to a device that is not there, or `pl.debug_check`.

## What to do
- `pallas-tui check FILE` finds subscripts outside (PL201, PL202), blocks outside (PL120), semaphores that are not zero
  (PL403), and waits that nothing ends (PL401).
- `pallas-tui run --strict FILE` runs it, and finds races (PL410) and memory that nobody has written (PL203).
- Copies across devices need `collective_id` and a barrier before the first of them (PL421, PL422).
"#,
    },
    Said {
        pieces: &[
            "unregistered operation 'tpu",
            "unsupported mosaic version",
            "failed to parse the mosaic",
            "unsupported version",
        ],
        title: "JAX and the TPU's compiler are of different versions",
        doc: r#"
## What it means
JAX writes a program that the TPU's compiler (`libtpu`) does not know yet, or does not know any more.

## What to do
- Install both together: `pip install -U "jax[tpu]"`; `pip list` says which `jax`, `jaxlib` and `libtpu` there are.
- In notebooks restart the runtime afterwards: what was imported stays.
"#,
    },
    Said {
        pieces: &["cuda_error_illegal_address", "illegal memory access"],
        title: "A GPU kernel reached memory that is not its own",
        doc: r#"
## What it means
A load or store beside its array: Triton and Mosaic GPU check nothing. It is reported by whatever waits next, which may be
another kernel, or a `print`.

## What to do
- `pallas-tui check FILE` finds blocks and subscripts outside (PL120, PL201, PL202) and masks that are too wide.
- `pallas-tui run --strict FILE` runs it in interpret mode, and looks at every access.
- `pallas-tui run --device cuda FILE` says which program of which launch left which Ref.
- Give loads a mask where the last block is not full: `plgpu.load(x_ref.at[i], mask=i < n, other=0.0)`.
"#,
    },
    Said {
        pieces: &[
            "mosaic failed to compile",
            "internal tpu kernel compiler error",
            "mlir operation involved",
            "not implemented:",
        ],
        title: "Mosaic refused the kernel behind JAX's own checks",
        doc: r#"
## What it means
JAX has lowered the kernel, and the TPU's compiler cannot do what is asked: mostly a shape or a layout that does not fit
tiles of 8 rows and 128 lanes, or a dtype that the chip does not compute in. `The MLIR operation involved` is what it
stopped at, with its shapes; `at location` names lines of your program, the innermost first.

## What to do
- `pallas-tui check --target tpu-v5e FILE` says what JAX's own lowering refuses: blocks (PL501), memory (PL502), operations
  (PL504).
- Explain the sentence behind `Mosaic failed to compile TPU kernel:`; there are pages for alignment, parts of tiles,
  reshapes, layouts, dtypes and products.
- Take out half of the kernel until it compiles; what is to blame is often a reshape, a slice inside of a tile, a reduction
  without `keepdims`, or arithmetic in `bfloat16`.
- Compute in `float32`, and make the last two dimensions multiples of 8 and 128.
"#,
    },
];
