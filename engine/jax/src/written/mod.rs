//! Functions that are written in Python over the public modules, as JAX writes them: compositions in which nothing is to be
//! gained from Rust. Each has a row in Rust (for help, completion and arity errors) that passes its arguments on; the
//! module behind it is made at the first call.

pub mod mosaic_gpu;

use crate::pallas::add_functions;
use pallas_python::CallArgs;
use pallas_python::class::Namespace;
use pallas_python::embedded::{DeferredName, EmbeddedModule};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

macro_rules! module {
    ($name:literal, $file:literal) => {
        EmbeddedModule { name: $name, text: include_str!($file), is_package: false }
    };
}

/// The modules in Python.
pub static MODULES: &[EmbeddedModule] = &[
    module!("jax._src.nn.attention", "attention.py"),
    module!("jax._src.nn.scaled", "scaled.py"),
    module!("jax.nn.initializers", "initializers.py"),
    module!("jax.flatten_util", "flatten_util.py"),
    module!("jax._src.tree_util", "tree_util.py"),
    module!("jax._src.pallas.utils", "pallas_utils.py"),
    module!("jax._src.pallas.mosaic.helpers", "helpers_tpu.py"),
    module!("jax._src.scipy.special", "special.py"),
    module!("jax.ops", "segments.py"),
    module!("jax._src.numpy.more", "more_numpy.py"),
    module!("numpy.lib.npyio", "../numpy/files.py"),
    module!("jax._src.lax.windows", "windows.py"),
    module!("jax._src.lax.ragged", "ragged.py"),
    module!("jax._src.lax.more", "more_lax.py"),
    module!("jax._src.lax.special", "series.py"),
    module!("jax._src.lax.solvers", "solvers.py"),
    module!("jax._src.lax.linalg", "matrices.py"),
    module!("jax.lax.linalg", "lax_linalg.py"),
    module!("jax._src.numpy.linalg", "linalg.py"),
    module!("jax.scipy.linalg", "scipy_linalg.py"),
    module!("jax._src.random.more", "more_random.py"),
    module!("jax._src.random.distributions", "distributions.py"),
    module!("jax._src.pallas.einshape", "einshape.py"),
    module!("jax._src.pallas.compiler_params", "compiler_params.py"),
    module!("jax._src.pallas.tensorcore_mesh", "tensorcore_mesh.py"),
    module!("jax._src.pallas.mosaic.buffered_ref", "buffered_ref.py"),
    module!("jax._src.pallas.mosaic.pipeline", "pipelines.py"),
    module!("jax.experimental.pallas.tpu_sc", "sparse_core.py"),
    module!("jax.experimental.xla_metadata", "xla_metadata.py"),
    module!("jax.extend.backend", "backend.py"),
    module!("jax.profiler", "profiler.py"),
    module!("jax.experimental.multihost_utils", "multihost_utils.py"),
    EmbeddedModule { name: "jax.extend", text: include_str!("extend.py"), is_package: true },
    module!("jax.extend.core", "extend_core.py"),
    EmbeddedModule { name: "jax.interpreters", text: include_str!("interpreters.py"), is_package: true },
    module!("jax.interpreters.batching", "batching.py"),
    module!("jax.interpreters.mlir", "mlir.py"),
    module!("jax._src.stages", "stages.py"),
    module!("jax.stages", "stages_public.py"),
    module!("jax._src.pallas.mosaic.random", "tpu_keys.py"),
    module!("jax._src.pallas.helpers", "ref_helpers.py"),
    module!("jax._src.user_context", "user_context.py"),
    module!("jax._src.lib", "libraries.py"),
    module!("jax._src.export.shape_poly", "export_shapes.py"),
    module!("jax.export", "export.py"),
    module!("jax.experimental.pallas.fuser", "fuser.py"),
    module!("jax._src.checkify", "checkify.py"),
    module!("jax.experimental.checkify", "checkify_public.py"),
];

/// Classes that native modules have from here.
pub static DEFERRED: &[DeferredName] = &[
    DeferredName {
        module: "jax.experimental.pallas.tpu",
        name: "BufferedRef",
        source: "jax._src.pallas.mosaic.buffered_ref",
    },
    DeferredName {
        module: "jax.experimental.pallas.tpu",
        name: "BufferedRefBase",
        source: "jax._src.pallas.mosaic.buffered_ref",
    },
    DeferredName {
        module: "jax.experimental.pallas.tpu",
        name: "TensorCoreMesh",
        source: "jax._src.pallas.tensorcore_mesh",
    },
    DeferredName {
        module: "jax.experimental.pallas",
        name: "CompilerParams",
        source: "jax._src.pallas.compiler_params",
    },
    DeferredName { module: "jax.lax", name: "ConvDimensionNumbers", source: "jax._src.lax.more" },
    DeferredName { module: "jax.lax", name: "DotAlgorithm", source: "jax._src.lax.more" },
    DeferredName { module: "jax.lax", name: "PrecisionLike", source: "jax._src.lax.more" },
    DeferredName { module: "jax.lax", name: "RaggedDotDimensionNumbers", source: "jax._src.lax.ragged" },
];

macro_rules! rows {
    ($vis:vis $table:ident $module:literal: $($name:literal $signature:literal $doc:literal;)*) => {
        $vis static $table: &[NativeDef] = &[$(NativeDef {
            name: $name,
            signature: $signature,
            doc: $doc,
            run: |interp, args| forward(interp, $module, $name, $signature, args),
        }),*];
    };
}

pub(crate) use rows;

/// Calls the function of an embedded module with the arguments of a row.
pub(crate) fn forward(interp: &Interp, module: &str, name: &str, signature: &str, args: Arguments) -> PyResult<Value> {
    let function = interp.get_attr(&interp.import(module)?, name)?;
    let mut call = CallArgs::default();
    let mut keyword_only = false;
    let mut values = args.values().iter();
    for parameter in signature.trim_matches(['(', ')']).split(", ") {
        let parameter = parameter.split('=').next().unwrap_or_default();
        match parameter {
            "" | "/" => {}
            "*" => keyword_only = true,
            parameter => {
                let Some(value) = values.next() else { break };
                match parameter.strip_prefix('*') {
                    Some(_) if !parameter.starts_with("**") => {
                        call.positional.extend(interp.collect(value)?);
                        keyword_only = true;
                    }
                    Some(_) => call.keywords.extend(interp.call_args(&Value::tuple([]), value)?.keywords),
                    None if value.is_unset() => keyword_only = true,
                    None if keyword_only => call.keywords.push((Name::from(parameter), value.clone())),
                    None => call.positional.push(value.clone()),
                }
            }
        }
    }
    interp.call(&function, call)
}

rows! { NN "jax._src.nn.attention":
    "dot_product_attention"
    "(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False, query_seq_lengths=None, key_value_seq_lengths=None, local_window_size=None, implementation=None, return_residual=False)"
    "Attention: softmax of scaled products of queries and keys, applied to values.";
    "scaled_matmul" "(lhs, rhs, lhs_scales, rhs_scales, preferred_element_type=None)"
    "A batched product of matrices whose blocks have scales.";
    "identity" "(x)" "The argument.";
    "log1mexp" "(x)" "`log(1 - exp(-x))`";
    "logmeanexp" "(x, axis=None, where=None, keepdims=False)" "The logarithm of the mean of exponentials.";
    "sparse_plus" "(x)" "Zero below -1, linear above 1, and a parabola between.";
    "sparse_sigmoid" "(x)" "`clip((x + 1) / 2, 0, 1)`";
}

rows! { SCALED "jax._src.nn.scaled":
    "scaled_dot_general"
    "(lhs, rhs, dimension_numbers, preferred_element_type=..., configs=None, implementation=None)"
    "A product of operands that are quantised in blocks.";
    "get_scaled_dot_general_config" "(mode, global_scale=None)" "How an operand of scaled_dot_general is quantised.";
}

rows! { GRADIENTS "jax._src.lax.solvers":
    "custom_gradient" "(fun)" "A function that gives its value with a function from its cotangent to those of its arguments.";
}

rows! { LINEAR "jax._src.lax.solvers":
    "linear_call" "(fun, fun_transpose, residual_args, linear_args)" "A linear function whose transpose the program gives.";
}

rows! { SOLVERS "jax._src.lax.solvers":
    "custom_linear_solve" "(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False)"
    "Solves a linear equation; derivatives follow from the equation.";
    "custom_root" "(f, initial_guess, solve, tangent_solve, has_aux=False)"
    "Finds a root; derivatives follow from the equation.";
}

rows! { SERIES "jax._src.lax.special":
    "bessel_i0e" "(x)" "The Bessel function i0, times `exp(-abs(x))`.";
    "bessel_i1e" "(x)" "The Bessel function i1, times `exp(-abs(x))`.";
    "zeta" "(x, q)" "The Hurwitz zeta function.";
    "polygamma" "(m, x)" "Derivatives of digamma.";
    "igamma" "(a, x)" "The lower incomplete gamma function, divided by gamma.";
    "igammac" "(a, x)" "The upper incomplete gamma function, divided by gamma.";
}

rows! { MORE_LAX "jax._src.lax.more":
    "stack" "(operands, axis=0)" "Joins arrays along a new axis.";
    "unstack" "(x, axis=0)" "The parts along an axis.";
    "broadcast_like" "(arr, like_arr)" "Broadcasts to the shape of another array.";
    "index_take" "(src, idxs, axes)" "What stands at indices along axes.";
    "shape_as_value" "(shape)" "A shape as an array.";
    "stage" "(x, /)" "The operand.";
    "dce_sink" "(val, *, prevent_mlir_dce=False)" "Keeps values from being left out.";
    "composite" "(decomposition, name, version=0)" "A function that compilers know by a name.";
    "platform_dependent" "(*args, default=None, **per_platform)" "Calls the function for the platform.";
    "pswapaxes" "(x, axis_name, axis, *, axis_index_groups=None)" "Exchanges a mapped axis with one of the array.";
    "padtype_to_pads" "(in_shape, window_shape, window_strides, padding)" "Padding of windows, from its name.";
    "conv_dimension_numbers" "(lhs_shape, rhs_shape, dimension_numbers)" "What the dimensions of a convolution are.";
    "conv_transpose"
    "(lhs, rhs, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False, precision=None, preferred_element_type=None, use_consistent_padding=False)"
    "A transposed convolution.";
}

rows! { JAX "jax._src.user_context":
    "make_user_context" "(default_value=None)" "A value that a `with` statement sets; jitted functions are traced again for it.";
}

rows! { SPECIAL "jax._src.scipy.special":
    "xlogy" "(x, y)" "`x * log(y)`, zero where `x` is.";
    "xlog1py" "(x, y)" "`x * log1p(y)`, zero where `x` is.";
    "entr" "(x)" "`-x * log(x)`";
    "rel_entr" "(p, q)" "`p * log(p / q)`";
    "kl_div" "(p, q)" "`p * log(p / q) - p + q`";
    "ndtr" "(x)" "The distribution function of the normal distribution.";
    "ndtri" "(p)" "The inverse of ndtr.";
    "gamma" "(x)" "The gamma function.";
    "gammasgn" "(x)" "The sign of the gamma function.";
    "beta" "(a, b)" "The beta function.";
    "betaln" "(a, b)" "The logarithm of the beta function.";
    "factorial" "(n, exact=False)" "`n!`";
    "comb" "(N, k, exact=False, repetition=False)" "Numbers of combinations.";
    "multigammaln" "(a, d)" "The logarithm of the multivariate gamma function.";
    "poch" "(z, m)" "`gamma(z + m) / gamma(z)`";
    "boxcox" "(x, lmbda)" "The Box-Cox transformation.";
    "boxcox1p" "(x, lmbda)" "The Box-Cox transformation of `1 + x`.";
    "softmax" "(x, /, *, axis=None)" "`exp(x) / sum(exp(x))`";
    "log_softmax" "(x, /, *, axis=None)" "The logarithm of the softmax.";
    "loggamma" "(x)" "The logarithm of the gamma function.";
    "i0" "(x)" "The modified Bessel function of order 0.";
    "i0e" "(x)" "i0, times `exp(-abs(x))`.";
    "i1" "(x)" "The modified Bessel function of order 1.";
    "i1e" "(x)" "i1, times `exp(-abs(x))`.";
    "gammainc" "(a, x)" "The lower incomplete gamma function, divided by gamma.";
    "gammaincc" "(a, x)" "The upper incomplete gamma function, divided by gamma.";
    "zeta" "(x, q=None)" "The Hurwitz zeta function.";
    "polygamma" "(n, x)" "Derivatives of digamma.";
    "log_ndtr" "(x, series_order=3)" "The logarithm of ndtr.";
}

rows! { NUMPY "jax._src.numpy.more":
    "vectorize" "(pyfunc, *, excluded=frozenset(), signature=None)" "A function mapped over broadcast arguments.";
    "put_along_axis" "(arr, indices, values, axis, inplace=True, *, mode=None)" "A copy with values at indices along an axis.";
    "trim_zeros" "(filt, trim='fb')" "Without zeros at the ends.";
    "polyadd" "(a1, a2)" "The sum of polynomials.";
    "polysub" "(a1, a2)" "The difference of polynomials.";
    "polymul" "(a1, a2, *, trim_leading_zeros=False)" "The product of polynomials.";
    "polyder" "(p, m=1)" "The derivative of a polynomial.";
    "polyint" "(p, m=1, k=None)" "The integral of a polynomial.";
    "diag_indices_from" "(arr)" "Indices of the diagonal of an array.";
    "mask_indices" "(n, mask_func, k=0, *, size=None)" "Indices where a mask function leaves elements.";
    "unique_all" "(x, /, *, size=None, fill_value=None)" "Different values, where they are, and how many of each.";
    "unique_counts" "(x, /, *, size=None, fill_value=None)" "Different values, and how many of each.";
    "unique_inverse" "(x, /, *, size=None, fill_value=None)" "Different values, and which of them stands where.";
    "poly" "(seq_of_zeros)" "The polynomial with these zeros.";
    "polydiv" "(u, v, *, trim_leading_zeros=False)" "Quotient and remainder of polynomials.";
    "polyfit" "(x, y, deg, rcond=None, full=False, w=None, cov=False)" "The polynomial that fits points best.";
    "histogramdd" "(sample, bins=10, range=None, weights=None, density=None)" "Counts of points in boxes.";
    "histogram2d" "(x, y, bins=10, range=None, weights=None, density=None)" "Counts of points in rectangles.";
    "i0" "(x)" "The modified Bessel function of order 0.";
    "kaiser" "(M, beta)" "The Kaiser window.";
    "place" "(arr, mask, vals, *, inplace=True)" "A copy with values where a mask is true.";
    "put" "(a, ind, v, mode=None, *, inplace=True)" "A copy with values at flat indices.";
}

rows! { LINALG "jax._src.numpy.more":
    "slogdet" "(a, *, method=None)" "Sign and logarithm of the determinant.";
    "matrix_norm" "(x, /, *, keepdims=False, ord='fro')" "The norm of matrices.";
    "cross" "(x1, x2, /, *, axis=-1)" "The cross product of vectors of three elements.";
    "diagonal" "(x, /, *, offset=0)" "The diagonals of matrices.";
    "trace" "(x, /, *, offset=0, dtype=None)" "The sum of the diagonals of matrices.";
    "matmul" "(x1, x2, /, *, precision=None, preferred_element_type=None)" "Matrix product; batch dimensions broadcast.";
    "vecdot" "(x1, x2, /, *, axis=-1, precision=None, preferred_element_type=None)" "Dot products along an axis.";
    "tensordot" "(x1, x2, /, *, axes=2, precision=None, preferred_element_type=None)" "Product over chosen axes.";
}

rows! { FACTORS "jax._src.numpy.linalg":
    "qr" "(a, mode='reduced')" "The QR factors of a matrix.";
    "eigh" "(a, UPLO=None, symmetrize_input=True)" "Eigenvalues and eigenvectors of a symmetric matrix.";
    "eigvalsh" "(a, UPLO='L', *, symmetrize_input=True)" "Eigenvalues of a symmetric matrix.";
    "svd" "(a, full_matrices=True, compute_uv=True, hermitian=False, subset_by_index=None)" "The singular values of a matrix, and their vectors.";
    "svdvals" "(x, /)" "The singular values of a matrix.";
    "matrix_rank" "(M, rtol=None, *, hermitian=False, tol=None)" "The rank of a matrix.";
    "pinv" "(a, rtol=None, hermitian=False, *, rcond=None)" "The pseudo-inverse of a matrix.";
    "lstsq" "(a, b, rcond=None, *, numpy_resid=False)" "The solution of a linear system by least squares.";
    "cond" "(x, p=None)" "The condition number of a matrix.";
    "tensorinv" "(a, ind=2)" "The inverse of an array for tensordot.";
    "tensorsolve" "(a, b, axes=None)" "The solution of a linear system of arrays.";
}

rows! { LAX "jax._src.lax.windows":
    "broadcast_shapes" "(*shapes)" "The shape that shapes broadcast to.";
    "broadcast_to_rank" "(x, rank)" "Adds leading dimensions of extent 1 up to a rank.";
    "split" "(operand, sizes, axis=0)" "Parts of these sizes.";
    "tile" "(operand, reps)" "Copies beside each other.";
    "approx_max_k"
    "(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1, aggregate_to_topk=True)"
    "The k largest, approximately; here exactly.";
    "approx_min_k"
    "(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1, aggregate_to_topk=True)"
    "The k smallest, approximately; here exactly.";
    "reduce" "(operands, init_values, computation, dimensions, out_sharding=None)" "Folds dimensions with a function.";
    "reduce_window"
    "(operand, init_value, computation, window_dimensions, window_strides, padding, base_dilation=None, window_dilation=None)"
    "Folds windows with a function.";
    "conv_general_dilated"
    "(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None, feature_group_count=1, batch_group_count=1, precision=None, preferred_element_type=None)"
    "A convolution.";
    "conv" "(lhs, rhs, window_strides, padding, precision=None, preferred_element_type=None)" "A convolution.";
    "conv_with_general_padding"
    "(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=None, preferred_element_type=None)"
    "A convolution.";
    "dynamic_update_index_in_dim" "(operand, update, index, axis)" "The operand with one position replaced.";
}

rows! { RAGGED "jax._src.lax.ragged":
    "ragged_dot"
    "(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None, out_sharding=None)"
    "Products of groups of rows with the matrices of their groups.";
    "ragged_dot_general"
    "(lhs, rhs, group_sizes, ragged_dot_dimension_numbers, precision=None, preferred_element_type=None, group_offset=None, out_sharding=None)"
    "Products of groups of a dimension: of rows, of terms, or of a batch.";
}

rows! { RANDOM "jax._src.random.more":
    "rademacher" "(key, shape=(), dtype=int)" "-1 or 1 with equal probability.";
    "laplace" "(key, shape=(), dtype=float)" "Floats with the Laplace distribution.";
    "logistic" "(key, shape=(), dtype=float)" "Floats with the logistic distribution.";
    "cauchy" "(key, shape=(), dtype=float)" "Floats with the Cauchy distribution.";
    "pareto" "(key, b, shape=None, dtype=float)" "Floats with the Pareto distribution.";
    "rayleigh" "(key, scale, shape=None, dtype=float)" "Floats with the Rayleigh distribution.";
    "lognormal" "(key, sigma=1.0, shape=None, dtype=float)" "Floats with the log-normal distribution.";
    "weibull_min" "(key, scale, concentration, shape=(), dtype=float)" "Floats with the Weibull distribution.";
    "maxwell" "(key, shape=(), dtype=float)" "Floats with the Maxwell distribution.";
    "double_sided_maxwell" "(key, loc, scale, shape=(), dtype=float)" "Floats with the double-sided Maxwell distribution.";
    "multivariate_normal" "(key, mean, cov, shape=None, dtype=None, method='cholesky')" "Normal vectors with a covariance.";
}

rows! { ACCEPTED "jax._src.random.distributions":
    "gamma" "(key, a, shape=None, dtype=None)" "Floats with the gamma distribution.";
    "loggamma" "(key, a, shape=None, dtype=None)" "Logarithms of floats with the gamma distribution.";
    "beta" "(key, a, b, shape=None, dtype=None)" "Floats with the beta distribution.";
    "dirichlet" "(key, alpha, shape=None, dtype=None)" "Vectors with the Dirichlet distribution.";
    "t" "(key, df, shape=None, dtype=None)" "Floats with Student's t distribution.";
    "chisquare" "(key, df, shape=None, dtype=None)" "Floats with the chi-square distribution.";
    "f" "(key, dfnum, dfden, shape=None, dtype=None)" "Floats with the F distribution.";
    "generalized_normal" "(key, p, shape=(), dtype=None)" "Floats with the generalized normal distribution.";
    "ball" "(key, d, p=2, shape=(), dtype=None)" "Points in a ball.";
    "poisson" "(key, lam, shape=None, dtype=None)" "Integers with the Poisson distribution.";
    "binomial" "(key, n, p, shape=None, dtype=None)" "Numbers of successes among trials.";
    "multinomial" "(key, n, p, *, shape=None, dtype=None, unroll=1)" "Counts of the outcomes of trials.";
    "geometric" "(key, p, shape=None, dtype=None)" "Numbers of trials until a success.";
    "wald" "(key, mean, shape=None, dtype=None)" "Floats with the Wald distribution.";
    "triangular" "(key, left, mode, right, shape=None, dtype=None)" "Floats with the triangular distribution.";
    "orthogonal" "(key, n, shape=(), dtype=None, m=None)" "Matrices whose columns are orthogonal.";
}

rows! { TPU "jax._src.pallas.einshape":
    "einshape" "(equation, x, assert_is_tile_preserving=False, **sizes)" "Reshapes and transposes by an equation.";
}

rows! { PIPELINES "jax._src.pallas.mosaic.pipeline":
    "emit_pipeline_with_allocations" "(body, *, grid, in_specs=(), out_specs=())"
    "A pipeline, and a function that makes its BufferedRefs.";
}

rows! { KEYS "jax._src.pallas.mosaic.random":
    "to_pallas_key" "(key)" "A key as kernels take it.";
    "stateful_bits" "(*args, **kwargs)" "`jax.random.bits` with the generator of the core.";
    "stateful_uniform" "(*args, **kwargs)" "`jax.random.uniform` with the generator of the core.";
    "stateful_normal" "(*args, **kwargs)" "`jax.random.normal` with the generator of the core.";
    "stateful_bernoulli" "(*args, **kwargs)" "`jax.random.bernoulli` with the generator of the core.";
    "sample_block" "(sampler_fn, global_key, block_size, tile_size, total_size, block_index=None, **kwargs)"
    "The part of a random array that belongs to a block, whatever the size of blocks.";
}

rows! { REFS "jax._src.pallas.helpers":
    "empty_ref_like" "(x)" "A Ref of unspecified values with the shape and dtype of `x`.";
}

rows! { CORES "jax._src.pallas.tensorcore_mesh":
    "create_tensorcore_mesh" "(axis_name, devices=None, num_cores=None)" "The TensorCores of a chip as a mesh.";
    "run_on_first_core" "(core_axis_name)" "Decorates a function that runs at once, on the first core of an axis.";
    "core_barrier" "(sem, *, core_axis_name)" "Waits until all cores of an axis have come here.";
}

/// Adds the functions that a native module has from here.
pub fn extend(module: &'static str, namespace: &mut Namespace) {
    let tables: &[&'static [NativeDef]] = match module {
        "jax" => &[JAX, GRADIENTS],
        "jax.custom_derivatives" => &[GRADIENTS, LINEAR],
        "jax.nn" => &[NN, SCALED],
        "jax.scipy.special" => &[SPECIAL],
        "jax.numpy" => &[NUMPY],
        "jax.numpy.linalg" => &[LINALG, FACTORS],
        "jax.lax" => &[LAX, RAGGED, MORE_LAX, SERIES, SOLVERS],
        "jax.random" => &[RANDOM, ACCEPTED],
        "jax.experimental.pallas" => &[REFS],
        "jax.experimental.pallas.tpu" => &[TPU, CORES, KEYS, PIPELINES],
        "jax.experimental.pallas.mosaic_gpu" => mosaic_gpu::ROWS,
        _ => &[],
    };
    for table in tables {
        add_functions(namespace, module, table);
    }
}
