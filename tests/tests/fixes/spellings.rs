//! Names and words that are others today, or were never any.

use super::{COPY, PRELUDE, analyse, check, check_none};

#[test]
fn new_arrays_get_the_name_of_the_old_one() {
    let update = "x.at[0].set(2.0)\n";
    check("PL315", &format!("x = jnp.ones((8,))\n{update}"), &format!("x = jnp.ones((8,))\nx = {update}"));
    // An assignment in a function would make a name of its own.
    check_none("PL315", &format!("x = jnp.ones((8,))\ndef change():\n  {update}change()\n"));
}

#[test]
fn old_spellings_become_new_ones() {
    let spec = |spec: &str| {
        format!(
            "{COPY}x = jnp.ones((32,))\npl.pallas_call(kernel, grid=(4,), out_shape=x, in_specs=[{spec}], out_specs=pl.BlockSpec((8,), lambda i: i))(x)\n"
        )
    };
    check("PL008", &spec("pl.BlockSpec(lambda i: (i,), (8,))"), &spec("pl.BlockSpec((8,), lambda i: (i,))"));
    let named = |spec: &str| format!("\ndef rows(i):\n  return (i,)\n\n{}", spec);
    check(
        "PL008",
        &named(&spec("pl.BlockSpec(rows, (8,), memory_space=pltpu.VMEM)")),
        &named(&spec("pl.BlockSpec((8,), rows, memory_space=pltpu.VMEM)")),
    );
    check(
        "PL008",
        "params = pltpu.TPUCompilerParams()\nspace = pltpu.ANY\n",
        "params = pltpu.CompilerParams()\nspace = pl.ANY\n",
    );
    let call = |params: &str| {
        format!("{COPY}x = jnp.ones((32,))\npl.pallas_call(kernel, out_shape=x, compiler_params={params})(x)\n")
    };
    let object = call("pltpu.CompilerParams(vmem_limit_bytes=2**20)");
    check("PL008", &call("dict(mosaic=dict(vmem_limit_bytes=2**20))"), &object);
    check("PL008", &call("{'mosaic': {'vmem_limit_bytes': 2**20}}"), &object);
    check_none("PL008", &call("dict(triton=dict(num_warps=4))"));
    // A mask has no place in a subscript.
    check_none(
        "PL008",
        "def kernel(x_ref, m_ref, o_ref):\n  o_ref[...] = pl.load(x_ref, (slice(None),), mask=m_ref[...])\n",
    );
    check(
        "PL008",
        "def kernel(x_ref, o_ref):\n  pl.store(o_ref, (0, slice(None)), pl.load(x_ref, (pl.ds(0, 8), slice(None)))[0])\n",
        "def kernel(x_ref, o_ref):\n  o_ref[0, :] = x_ref[pl.ds(0, 8), :][0]\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas import gpu as plgpu\nparams = plgpu.CompilerParams()\n",
        "from jax.experimental.pallas import triton as plgpu\nparams = plgpu.CompilerParams()\n",
    );
    check(
        "PL008",
        "import jax.experimental.pallas.gpu as gpu\nparams = gpu.CompilerParams()\n",
        "import jax.experimental.pallas.triton as gpu\nparams = gpu.CompilerParams()\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas.gpu import TritonCompilerParams\nparams = TritonCompilerParams()\n",
        "from jax.experimental.pallas.triton import CompilerParams as TritonCompilerParams\nparams = TritonCompilerParams()\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas.tpu import TPUCompilerParams as Params, VMEM\nparams = Params()\n",
        "from jax.experimental.pallas.tpu import CompilerParams as Params, VMEM\nparams = Params()\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas import mosaic_gpu as plgpu\nmesh = plgpu.GPUMesh\n",
        "from jax.experimental.pallas import mosaic_gpu as plgpu\nmesh = plgpu.Mesh\n",
    );
    // Who asks which of them there is knows that they moved.
    let asks = "params = pltpu.TPUCompilerParams() if hasattr(pltpu, 'TPUCompilerParams') else None\n";
    assert!(analyse(&format!("{PRELUDE}{asks}")).findings.iter().all(|f| f.code != "PL008"));
}

#[test]
fn what_a_compiler_takes_goes_into_its_parameters() {
    let call = |params: &str| {
        format!("{COPY}x = jnp.ones(8)\npl.pallas_call(kernel, out_shape=x, {params}, interpret=True)(x)\n")
    };
    let text = format!("{PRELUDE}{}", call("num_warps=4, num_stages=2"));
    let before = analyse(&text);
    let fix = before.findings.iter().find(|f| f.code == "PL001").and_then(|f| f.fix.clone()).expect("a fix");
    let mended = fix.apply(before.source.id, &text);
    let import = "from jax.experimental.pallas import triton as plgpu\n";
    let after = call("compiler_params=plgpu.CompilerParams(num_warps=4, num_stages=2)");
    assert_eq!(mended, format!("{PRELUDE}{import}{after}"));
    assert!(analyse(&mended).findings.is_empty());
    check_none("PL001", &call("num_warps=4, compiler_params=None"));
}

#[test]
fn words_that_no_compiler_knows_are_those_that_it_does() {
    let call = |word: &str| {
        format!(
            "{COPY}x = jnp.ones((32, 128))
spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
params = pltpu.CompilerParams(dimension_semantics=(\"{word}\",))
pl.pallas_call(kernel, grid=(4,), out_shape=x, in_specs=[spec], out_specs=spec, compiler_params=params)(x)
"
        )
    };
    check("PL131", &call("sequential"), &call("arbitrary"));
    check("PL131", &call("Parallel"), &call("parallel"));
}

#[test]
fn a_comment_that_keeps_nothing_back_is_removed() {
    check("PL006", "x = 1  # pallas: ignore[PL203]\n", "x = 1\n");
}
