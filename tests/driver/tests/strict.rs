//! That the driver is as strict as the CUDA Driver API says, so that what passes over it says something.

#![allow(unsafe_code, reason = "it is called as a C library is")]

use pallas_driver as _;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

#[allow(non_snake_case, reason = "the driver's names")]
unsafe extern "C" {
    fn cuInit(flags: u32) -> i32;
    fn cuDeviceGetCount(count: *mut i32) -> i32;
    fn cuDevicePrimaryCtxRetain(context: *mut usize, device: i32) -> i32;
    fn cuDevicePrimaryCtxRelease_v2(device: i32) -> i32;
    fn cuCtxSetCurrent(context: usize) -> i32;
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> i32;
    fn cuMemFree_v2(address: u64) -> i32;
    fn cuMemcpyHtoD_v2(to: u64, from: *const u8, bytes: usize) -> i32;
    fn cuMemcpyDtoH_v2(to: *mut u8, from: u64, bytes: usize) -> i32;
    fn cuModuleLoadData(module: *mut usize, image: *const u8) -> i32;
    fn cuModuleUnload(module: usize) -> i32;
    fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> i32;
    fn cuFuncSetAttribute(function: usize, attribute: i32, value: i32) -> i32;
    fn cuStreamCreate(stream: *mut usize, flags: u32) -> i32;
    fn cuEventCreate(event: *mut usize, flags: u32) -> i32;
    fn cuEventRecord(event: usize, stream: usize) -> i32;
    fn cuEventQuery(event: usize) -> i32;
    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: usize, end: usize) -> i32;
    fn cuStreamBeginCapture_v2(stream: usize, mode: u32) -> i32;
    fn cuStreamEndCapture(stream: usize, graph: *mut usize) -> i32;
    fn cuGraphInstantiateWithFlags(executable: *mut usize, graph: usize, flags: u64) -> i32;
    fn cuGraphLaunch(executable: usize, stream: usize) -> i32;
    fn cuGraphDestroy(graph: usize) -> i32;
    fn cuLaunchKernel(
        function: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: usize,
        params: *const *const c_void,
        extra: *const *const c_void,
    ) -> i32;
    fn cuTensorMapEncodeTiled(
        map: *mut Map,
        element: u32,
        rank: u32,
        address: u64,
        extents: *const u64,
        strides: *const u64,
        boxed: *const u32,
        steps: *const u32,
        interleave: u32,
        swizzle: u32,
        promotion: u32,
        fill: u32,
    ) -> i32;
}

#[repr(C, align(64))]
struct Map([u8; 128]);

/// Adds one to a word, with 64 threads at most of which each adds.
const ADDS: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 p)
.maxntid 64, 1, 1
{
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  atom.global.add.u32 %r1, [%rd2], 1;
  ret;
}
";

/// An image as NVRTC's look-alike makes it, of machine code without anything in it.
fn image(ptx: &str) -> Vec<u8> {
    let mut image = vec![0_u8; 64];
    image[..4].copy_from_slice(b"\x7fELF");
    image[32] = 64;
    image[40] = 64;
    image.extend(b"PTX OF THE CUBIN");
    image.extend((ptx.len() as u64).to_le_bytes());
    image.extend(ptx.as_bytes());
    image
}

/// Calls something that gives a handle; the answer must be 0.
fn made<T: Default>(call: impl FnOnce(*mut T) -> i32) -> T {
    let mut value = T::default();
    assert_eq!(call(&mut value), 0);
    value
}

/// Launches with a pointer as the one parameter.
fn launch(function: usize, grid: u32, threads: u32, shared: u32, stream: usize, address: u64) -> i32 {
    let params = [(&raw const address).cast::<c_void>()];
    // SAFETY: the kernel has one parameter of eight bytes.
    unsafe { cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, shared, stream, params.as_ptr(), null()) }
}

/// A box of a matrix of 4-byte numbers.
fn boxed(address: u64, stride: u64, columns: u32, swizzle: u32) -> i32 {
    let mut map = Map([0; 128]);
    let (extents, strides, boxed, steps) = ([64, 64], [stride], [columns, 8], [1, 1]);
    // SAFETY: the lists are of the rank, and the description is aligned.
    let code = unsafe {
        cuTensorMapEncodeTiled(
            &mut map,
            7,
            2,
            address,
            extents.as_ptr(),
            strides.as_ptr(),
            boxed.as_ptr(),
            steps.as_ptr(),
            0,
            swizzle,
            2,
            0,
        )
    };
    assert_eq!(code == 0, map.0 != [0; 128]);
    code
}

/// One story: what it knows is the process's, and the end of it is a context that a kernel has ruined.
#[test]
fn what_the_documents_call_an_error_is_one() {
    // SAFETY: places are live, and what is wrong in a call is what the driver has to see before it uses it.
    unsafe {
        let (mut number, mut address) = (0, 0);
        assert_eq!(cuDeviceGetCount(&mut number), 3, "before it was started");
        assert_eq!((cuInit(1), cuInit(0)), (1, 0), "there are no flags");
        assert_eq!(cuMemAlloc_v2(&mut address, 4), 201, "no context is current");
        assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 201, "which nobody has retained");
        let context = made(|place| cuDevicePrimaryCtxRetain(place, 0));
        assert_eq!((cuCtxSetCurrent(context + 1), cuCtxSetCurrent(context)), (201, 0));
        let elsewhere = std::thread::spawn(|| cuMemAlloc_v2(&mut 0, 4)).join();
        assert_eq!(elsewhere.expect("it ends"), 201, "current to this thread alone");

        assert_eq!(cuMemAlloc_v2(&mut address, 0), 1);
        assert_eq!(cuMemAlloc_v2(&mut address, 1 << 40), 2);
        let word = made(|place| cuMemAlloc_v2(place, 4));
        assert_eq!((cuMemcpyHtoD_v2(word, [0; 8].as_ptr(), 8), cuMemcpyHtoD_v2(word, [0; 4].as_ptr(), 4)), (1, 0));
        assert_eq!(cuMemFree_v2(word + 1), 1, "not where it begins");

        let mut module = 0;
        assert_eq!(cuModuleLoadData(&mut module, c"no ELF file".as_ptr().cast()), 200);
        assert_eq!(cuModuleLoadData(&mut module, image(&ADDS.replace("sm_90", "sm_80")).as_ptr()), 209);
        let module = made(|place| cuModuleLoadData(place, image(ADDS).as_ptr()));
        let name = |name: &'static CStr| name.as_ptr();
        assert_eq!(cuModuleGetFunction(&mut 0, module, name(c"sub")), 500);
        let add = made(|place| cuModuleGetFunction(place, module, name(c"add")));
        let stream = made(|place| cuStreamCreate(place, 0));
        let (begin, end) = (made(|place| cuEventCreate(place, 0)), made(|place| cuEventCreate(place, 0)));

        assert_eq!(launch(module, 1, 32, 0, stream, word), 400, "a handle of something else");
        assert_eq!(launch(add, 1, 32, 0, add, word), 400);
        assert_eq!([launch(add, 0, 32, 0, stream, word), launch(add, 1, 65, 0, stream, word)], [1, 1]);
        assert_eq!(launch(add, 1, 32, 49_153, stream, word), 1, "more than a function may have unasked");
        assert_eq!([cuFuncSetAttribute(add, 8, 228 << 10), cuFuncSetAttribute(add, 8, 49_153)], [1, 0]);

        assert_eq!(cuEventElapsedTime_v2(&mut 0.0, begin, end), 400, "never recorded");
        assert_eq!(cuEventRecord(begin, stream), 0);
        assert_eq!(launch(add, 2, 32, 49_153, stream, word), 0);
        assert_eq!(cuEventRecord(end, stream), 0);
        assert_eq!(cuEventElapsedTime_v2(&mut 0.0, begin, end), 600, "nobody has waited");
        assert_eq!([cuEventQuery(end), cuEventQuery(end), cuEventQuery(begin)], [600, 0, 0]);
        let mut milliseconds = 0.0;
        assert_eq!(cuEventElapsedTime_v2(&mut milliseconds, begin, end), 0);
        assert!(milliseconds > 0.0, "{milliseconds}");

        assert_eq!(cuStreamBeginCapture_v2(0, 1), 900, "the legacy stream");
        assert_eq!([cuStreamBeginCapture_v2(stream, 1), cuStreamBeginCapture_v2(stream, 1)], [0, 401]);
        assert_eq!(cuMemAlloc_v2(&mut address, 4), 900, "what cannot be recorded");
        let mut graph = 1;
        assert_eq!((cuStreamEndCapture(stream, &mut graph), graph), (901, 0), "and has spoilt the capture");
        assert_eq!(cuStreamBeginCapture_v2(stream, 1), 0);
        assert_eq!(cuMemcpyDtoH_v2([0; 4].as_mut_ptr(), word, 4), 906, "it waits for the stream that captures");
        assert_eq!(cuStreamEndCapture(stream, &mut graph), 901);
        assert_eq!(cuStreamBeginCapture_v2(stream, 1), 0);
        assert_eq!([launch(add, 1, 32, 0, stream, word), launch(add, 1, 32, 0, stream, word)], [0, 0]);
        let graph = made(|place| cuStreamEndCapture(stream, place));
        let twice = made(|place| cuGraphInstantiateWithFlags(place, graph, 0));
        assert_eq!([cuGraphDestroy(graph), cuGraphDestroy(graph)], [0, 1]);
        assert_eq!([cuGraphLaunch(graph, stream), cuGraphLaunch(twice, stream)], [1, 0]);
        let mut sum = [0; 4];
        assert_eq!(cuMemcpyDtoH_v2(sum.as_mut_ptr(), word, 4), 0);
        assert_eq!(u32::from_le_bytes(sum), 64 + 2 * 32, "recorded launches run when the graph does, others at once");

        let good = boxed(1 << 20, 256, 32, 0);
        let wrong = [
            boxed((1 << 20) + 8, 256, 32, 0),
            boxed(1 << 20, 264, 32, 0),
            boxed(1 << 20, 240, 32, 0),
            boxed(1 << 20, 1 << 40, 32, 0),
            boxed(1 << 20, 256, 257, 0),
            boxed(1 << 20, 256, 2, 0),
            boxed(1 << 20, 256, 32, 2),
        ];
        assert_eq!((good, boxed(1 << 20, 256, 32, 3), wrong), (0, 0, [1; 7]));

        assert_eq!([cuMemFree_v2(word), cuMemFree_v2(word)], [0, 1], "given back twice");
        assert_eq!(launch(add, 1, 1, 0, stream, word), 0, "a launch says nothing of what it will do");
        assert_eq!(cuEventRecord(end, stream), 0);
        assert_eq!([cuEventQuery(end), cuEventQuery(end), cuEventQuery(end)], [600, 700, 700]);
        assert_eq!([cuMemAlloc_v2(&mut address, 4), cuModuleUnload(module)], [700, 700], "nothing helps any more");
        assert_eq!(cuDevicePrimaryCtxRetain(&mut 0, 0), 700);
    }
}
