//! The machines. Rates are of dense matrices, without sparsity, of one device as JAX sees it; for TPUs of one TensorCore.

use super::{Cores, Machine, Number};
use pallas_tensor::DType::{BF16, F8E4M3Fn, F32, F64, I4, I8};
use std::borrow::Cow;

const fn known(value: f64, source: &'static str) -> Number {
    Number { value, source: Cow::Borrowed(source), known: true }
}

/// The source begins with `assumed`.
const fn assumed(value: f64, source: &'static str) -> Number {
    Number { value, source: Cow::Borrowed(source), known: false }
}

const TPU_INFO: &str = "jax/_src/pallas/mosaic/tpu_info.py of JAX 0.10.2, per TensorCore";
const MXU_F32: &str =
    "assumed: one bfloat16 pass of the matrix unit, as at JAX's default precision; `highest` takes six";
const TPU_LATENCY: &str =
    "assumed: no figure is published for a copy between HBM and VMEM; a microsecond is the order of it";
const ICI_LATENCY: &str = "assumed: about a microsecond for each hop to a neighbour; no figure is published";
const ICI: &str =
    "Cloud TPU documentation, bidirectional ICI bandwidth of a chip, by its links and halved for one direction";
const NVLINK_LATENCY: &str =
    "assumed: no figure is published for a copy to another GPU; a microsecond is the order of it";
const NVLINK: &str = "the datasheet's NVLink bandwidth of a GPU, halved for one direction";
const VPU: &str = "8 x 128 lanes, 4 ALUs each (\"How to Scale Your Model\", chapter on TPUs), at the clock at which the \
                   matrix units reach their rate";
const A100: &str = "NVIDIA A100 80GB SXM datasheet";
const H100: &str = "NVIDIA H100 SXM datasheet, halved where it counts sparsity";
const H200: &str = "NVIDIA H200 SXM datasheet, halved where it counts sparsity";
const B200: &str = "NVIDIA HGX B200 datasheet, per GPU, halved where it counts sparsity";
const SHARED: &str = "CUDA C++ Programming Guide, compute capabilities: shared memory per thread block";

/// Every machine that has a model.
pub static MACHINES: &[Machine] = &[
    Machine {
        name: Cow::Borrowed("TPU v5e"),
        key: Cow::Borrowed("v5e"),
        cores: Cores::One,
        latency: assumed(1e-6, TPU_LATENCY),
        bandwidth: known(8.2e11, TPU_INFO),
        matrix: Cow::Borrowed(&[
            (BF16, known(1.97e14, TPU_INFO)),
            (F32, assumed(1.97e14, MXU_F32)),
            (I8, known(3.94e14, TPU_INFO)),
            (I4, known(7.88e14, TPU_INFO)),
        ]),
        vector: known(6.1e12, VPU),
        on_chip: known(134_217_728.0, TPU_INFO),
        link_latency: assumed(1e-6, ICI_LATENCY),
        link_bandwidth: known(5e10, ICI),
        tile: (8, 128),
    },
    Machine {
        name: Cow::Borrowed("TPU v5p"),
        key: Cow::Borrowed("v5p"),
        cores: Cores::One,
        latency: assumed(1e-6, TPU_LATENCY),
        bandwidth: known(1.23e12, TPU_INFO),
        matrix: Cow::Borrowed(&[
            (BF16, known(2.295e14, TPU_INFO)),
            (F32, assumed(2.295e14, MXU_F32)),
            (I8, known(4.59e14, TPU_INFO)),
            (I4, known(9.2e14, TPU_INFO)),
        ]),
        vector: known(7.2e12, VPU),
        on_chip: known(67_108_864.0, TPU_INFO),
        link_latency: assumed(1e-6, ICI_LATENCY),
        link_bandwidth: known(1e11, ICI),
        tile: (8, 128),
    },
    Machine {
        name: Cow::Borrowed("TPU v6e"),
        key: Cow::Borrowed("v6e"),
        cores: Cores::One,
        latency: assumed(1e-6, TPU_LATENCY),
        bandwidth: known(1.64e12, TPU_INFO),
        matrix: Cow::Borrowed(&[
            (BF16, known(9.2e14, TPU_INFO)),
            (F32, assumed(9.2e14, MXU_F32)),
            (I8, known(1.84e15, TPU_INFO)),
            (F8E4M3Fn, known(9.2e14, TPU_INFO)),
            (I4, known(3.68e15, TPU_INFO)),
        ]),
        vector: assumed(7.2e12, "assumed: the vector unit of a v5p TensorCore; none is published"),
        on_chip: known(134_217_728.0, TPU_INFO),
        link_latency: assumed(1e-6, ICI_LATENCY),
        link_bandwidth: known(1e11, ICI),
        tile: (8, 128),
    },
    Machine {
        name: Cow::Borrowed("NVIDIA A100"),
        key: Cow::Borrowed("a100"),
        cores: Cores::Many(108),
        latency: known(
            3.3e-7,
            "466 cycles of a load from global memory (Luo et al., arXiv 2402.13499) at the boost clock of 1.41 GHz",
        ),
        bandwidth: known(2.039e12, A100),
        matrix: Cow::Borrowed(&[
            (BF16, known(3.12e14, A100)),
            (F32, known(1.56e14, "NVIDIA A100 80GB SXM datasheet: TF32, which JAX's default precision allows")),
            (I8, known(6.24e14, A100)),
            (F64, known(1.95e13, A100)),
        ]),
        vector: known(1.95e13, A100),
        on_chip: known(166_912.0, SHARED),
        link_latency: assumed(1e-6, NVLINK_LATENCY),
        link_bandwidth: known(3e11, NVLINK),
        tile: (1, 1),
    },
    Machine {
        name: Cow::Borrowed("NVIDIA H100"),
        key: Cow::Borrowed("h100"),
        cores: Cores::Many(132),
        latency: known(
            2.7e-7,
            "479 cycles of a load from global memory (Luo et al., arXiv 2402.13499) at the boost clock of 1.755 GHz",
        ),
        bandwidth: known(3.35e12, H100),
        matrix: Cow::Borrowed(&[
            (BF16, known(9.894e14, H100)),
            (F32, known(4.947e14, "NVIDIA H100 SXM datasheet: TF32, which JAX's default precision allows")),
            (I8, known(1.9789e15, H100)),
            (F8E4M3Fn, known(1.9789e15, H100)),
            (F64, known(6.69e13, H100)),
        ]),
        vector: known(6.69e13, H100),
        on_chip: known(232_448.0, SHARED),
        link_latency: assumed(1e-6, NVLINK_LATENCY),
        link_bandwidth: known(4.5e11, NVLINK),
        tile: (1, 1),
    },
    Machine {
        name: Cow::Borrowed("NVIDIA H200"),
        key: Cow::Borrowed("h200"),
        cores: Cores::Many(132),
        latency: assumed(2.7e-7, "assumed: as the H100, which has the same chip"),
        bandwidth: known(4.8e12, H200),
        matrix: Cow::Borrowed(&[
            (BF16, known(9.894e14, H200)),
            (F32, known(4.947e14, "NVIDIA H200 SXM datasheet: TF32, which JAX's default precision allows")),
            (I8, known(1.9789e15, H200)),
            (F8E4M3Fn, known(1.9789e15, H200)),
            (F64, known(6.69e13, H200)),
        ]),
        vector: known(6.69e13, H200),
        on_chip: known(232_448.0, SHARED),
        link_latency: assumed(1e-6, NVLINK_LATENCY),
        link_bandwidth: known(4.5e11, NVLINK),
        tile: (1, 1),
    },
    Machine {
        name: Cow::Borrowed("NVIDIA B200"),
        key: Cow::Borrowed("b200"),
        cores: Cores::Many(148),
        latency: assumed(2.7e-7, "assumed: as the H100; no figure is published"),
        bandwidth: known(8e12, B200),
        matrix: Cow::Borrowed(&[
            (BF16, known(2.25e15, B200)),
            (F32, known(1.1e15, "NVIDIA HGX B200 datasheet, per GPU: TF32, which JAX's default precision allows")),
            (I8, known(4.5e15, B200)),
            (F8E4M3Fn, known(4.5e15, B200)),
            (F64, known(3.7e13, B200)),
        ]),
        vector: known(7.5e13, B200),
        on_chip: known(232_448.0, SHARED),
        link_latency: assumed(1e-6, NVLINK_LATENCY),
        link_bandwidth: known(9e11, NVLINK),
        tile: (1, 1),
    },
];
