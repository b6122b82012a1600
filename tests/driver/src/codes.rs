//! What the driver answers (`CUresult`), by the numbers of the CUDA Driver API.

/// An answer.
pub(crate) type Code = i32;

pub(crate) const SUCCESS: Code = 0;
pub(crate) const INVALID_VALUE: Code = 1;
pub(crate) const OUT_OF_MEMORY: Code = 2;
pub(crate) const NOT_INITIALIZED: Code = 3;
pub(crate) const INVALID_DEVICE: Code = 101;
pub(crate) const INVALID_IMAGE: Code = 200;
pub(crate) const INVALID_CONTEXT: Code = 201;
pub(crate) const NO_BINARY_FOR_GPU: Code = 209;
pub(crate) const INVALID_HANDLE: Code = 400;
pub(crate) const NOT_FOUND: Code = 500;
pub(crate) const NOT_READY: Code = 600;
pub(crate) const ILLEGAL_ADDRESS: Code = 700;
pub(crate) const LAUNCH_OUT_OF_RESOURCES: Code = 701;
pub(crate) const ILLEGAL_INSTRUCTION: Code = 715;
pub(crate) const MISALIGNED_ADDRESS: Code = 716;
pub(crate) const LAUNCH_FAILED: Code = 719;
pub(crate) const NOT_SUPPORTED: Code = 801;
pub(crate) const STREAM_CAPTURE_UNSUPPORTED: Code = 900;
pub(crate) const STREAM_CAPTURE_INVALIDATED: Code = 901;
pub(crate) const STREAM_CAPTURE_UNMATCHED: Code = 903;
pub(crate) const STREAM_CAPTURE_IMPLICIT: Code = 906;
pub(crate) const CAPTURED_EVENT: Code = 907;
pub(crate) const STREAM_CAPTURE_WRONG_THREAD: Code = 908;
pub(crate) const INVALID_CLUSTER_SIZE: Code = 912;
pub(crate) const UNKNOWN: Code = 999;

/// Whether a context in which this has happened fails every call from then on, until the process ends.
pub(crate) fn is_sticky(code: Code) -> bool {
    // ECC, NVLink, contained; illegal address and timeout; assertion; stack, instruction, alignment, address space, pc, launch.
    matches!(code, 214 | 220 | 226 | 700 | 702 | 710 | 714..=719 | 721)
}
