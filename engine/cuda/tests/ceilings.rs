//! What a device reaches at most, on one that is made up: which kernels are asked for, with what, and what is made of their times.

use pallas_cuda::{
    BufferId, Call, Compile, CompileError, Compiled, Compiler, Device, DeviceInfo, Failure, FunctionId, GraphId, Nvrtc,
    Places, Request, ceilings, find, peaks::instruction,
};
use pallas_tensor::DType;
use std::cell::RefCell;

/// A device all of whose kernels take 2 ms.
struct Made {
    info: DeviceInfo,
    /// Bytes of shared memory that functions were loaded with, and with which they were started.
    loaded: Vec<usize>,
    started: Vec<(usize, u32, usize)>,
}

impl Made {
    fn new(capability: (u32, u32)) -> Made {
        let (name, memory) = ("made up".to_string(), 1 << 30);
        let info = DeviceInfo { name, capability, memory, multiprocessors: 100, shared_per_block: 227 << 10 };
        Made { info, loaded: Vec::new(), started: Vec::new() }
    }
}

impl Device for Made {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn load(&mut self, _: &[u8], _: &str, shared: usize) -> Result<FunctionId, Failure> {
        self.loaded.push(shared);
        Ok(FunctionId(self.loaded.len() - 1))
    }

    fn allocate(&mut self, bytes: usize) -> Result<BufferId, Failure> {
        Ok(BufferId(bytes as u64))
    }

    fn free(&mut self, _: BufferId) {}

    fn write(&mut self, _: BufferId, _: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    fn read(&mut self, _: BufferId, _: &mut [u8]) -> Result<(), Failure> {
        Ok(())
    }

    fn start(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        assert_eq!(call.shared, self.loaded[call.function.0], "it has what it was promised");
        self.started.push((call.blocks, call.threads, call.shared));
        Ok(())
    }

    fn record(&mut self, _: &Call<'_>, _: usize) -> Result<GraphId, Failure> {
        Ok(GraphId(0))
    }

    fn replay(&mut self, _: GraphId) -> Result<(), Failure> {
        Ok(())
    }

    fn forget(&mut self, _: GraphId) {}

    fn resident(&mut self, _: FunctionId, _: u32, _: usize) -> Result<u32, Failure> {
        Ok(1)
    }

    fn has_ended(&mut self) -> Result<bool, Failure> {
        Ok(true)
    }

    fn microseconds(&mut self) -> Result<f64, Failure> {
        Ok(2000.0)
    }

    fn rest(&mut self) -> u64 {
        1
    }
}

/// A compiler that remembers what it was given.
#[derive(Default)]
struct Reader(RefCell<Vec<(String, String)>>);

impl Compile for Reader {
    fn compile(&self, request: &Request<'_>) -> Result<Compiled, CompileError> {
        self.0.borrow_mut().push((request.architecture.to_string(), request.source.to_string()));
        Ok(Compiled { cubin: b"code".to_vec(), ptx: None, log: String::new(), resources: None, cached: false })
    }
}

/// What is compiled for a device, with the architecture that it is compiled for.
fn sources(capability: (u32, u32)) -> Vec<(String, String)> {
    let compiler = Reader::default();
    ceilings(&mut Made::new(capability), &compiler, &|_| {}).expect("numbers");
    compiler.0.into_inner()
}

#[test]
fn on_hopper_products_are_those_of_warpgroups() {
    let (mut device, compiler) = (Made::new((9, 0)), Reader::default());
    let said = RefCell::new(Vec::new());
    let found = ceilings(&mut device, &compiler, &|what| said.borrow_mut().push(what.to_string())).expect("numbers");
    let sources = compiler.0.into_inner();
    assert!(sources.iter().all(|(architecture, _)| architecture == "sm_90a"));
    let wide = sources.iter().filter(|(_, source)| source.contains("wgmma.mma_async.sync.aligned.m64n256k"));
    assert_eq!((wide.count(), found.matrix.len()), (5, 5));
    assert!(sources.iter().all(|(_, source)| !source.contains("mma.sync.aligned.m16")));
    assert_eq!(said.into_inner(), ["copy", "bf16", "f16", "f32", "f8_e4m3fn", "i8", "fma"]);
    // Two warpgroups of 64 rows, 256 columns, all four times 32 bytes of terms, 512 rounds; eight blocks for each multiprocessor.
    let operations = 2.0 * 64.0 * 256.0 * 64.0 * 2.0 * 512.0 * 800.0;
    assert_eq!(found.matrix_of(DType::BF16), Some(operations / 2e-3));
    assert_eq!(found.matrix_of(DType::I8), Some(2.0 * operations / 2e-3));
    assert_eq!(found.matrix_of(DType::F32), Some(operations / 2.0 / 2e-3));
    // Both factors are in shared memory.
    assert!(device.started.contains(&(800, 256, (256 + 2 * 64) * 128)), "{:?}", device.started);
}

#[test]
fn on_blackwell_for_data_centres_they_are_those_of_two_blocks() {
    for (capability, integers) in [((10, 0), "tcgen05"), ((10, 3), "mma.sync")] {
        let (mut device, compiler) = (Made::new(capability), Reader::default());
        let found = ceilings(&mut device, &compiler, &|_| {}).expect("numbers");
        let sources = compiler.0.into_inner();
        let both = sources.iter().filter(|(_, source)| source.contains("tcgen05.mma.cta_group::2.kind::"));
        assert_eq!((both.count(), found.matrix.len()), (if integers == "tcgen05" { 5 } else { 4 }, 5));
        let architecture = device.info.architecture();
        assert_eq!(instruction(architecture, DType::F16), "tcgen05");
        assert_eq!(instruction(architecture, DType::I8), integers);
        // 128 rows of a block, 256 columns, all four times 32 bytes of terms, 512 rounds; eight blocks for each multiprocessor.
        let operations = 2.0 * 128.0 * 256.0 * 64.0 * 512.0 * 800.0;
        assert_eq!(found.matrix_of(DType::BF16), Some(operations / 2e-3));
        assert_eq!(found.matrix_of(DType::F8E4M3Fn), Some(2.0 * operations / 2e-3));
        assert_eq!(found.matrix_of(DType::F32), Some(operations / 2.0 / 2e-3));
        // Two blocks have room in a multiprocessor, and a third one has none.
        let shared = device.started.iter().map(|(.., shared)| *shared + (1 << 10)).max().expect("launches");
        assert!(2 * shared <= 228 << 10 && 3 * shared > 228 << 10, "{shared}");
    }
}

#[test]
fn elsewhere_they_are_those_of_warps() {
    for (capability, dtypes) in [((8, 0), 4), ((8, 9), 5), ((12, 0), 5)] {
        let (mut device, compiler) = (Made::new(capability), Reader::default());
        let found = ceilings(&mut device, &compiler, &|_| {}).expect("numbers");
        let sources = compiler.0.into_inner();
        let by_warps = |source: &str| !source.contains("wgmma") && !source.contains("tcgen05");
        assert!(sources.iter().all(|(_, source)| by_warps(source)), "{capability:?}");
        assert_eq!(found.matrix.len(), dtypes, "{capability:?}");
        // m16n8k16 by eight warps, eight sums of 2048 rounds each.
        let operations = 2.0 * 16.0 * 8.0 * 16.0 * 8.0 * 8.0 * 2048.0 * 800.0;
        assert_eq!(found.matrix_of(DType::BF16), Some(operations / 2e-3), "{capability:?}");
        assert!(device.started.iter().all(|(.., shared)| *shared == 0));
    }
}

/// The sources, for whoever has a compiler: none spills, and no product waits for each.
#[test]
fn sources_are_accepted_by_nvrtc_where_it_is() {
    let places = Places::named_by(|name| std::env::var_os(name));
    let Ok(nvrtc) = Nvrtc::load(find(&places).nvrtc.as_deref()) else { return };
    let compiler = Compiler::new(nvrtc, None);
    for capability in [(8, 0), (8, 9), (9, 0), (10, 0), (10, 3), (11, 0), (12, 0)] {
        for (architecture, source) in sources(capability) {
            let compiled = compiler.compile(&Request { source: &source, architecture: &architecture, lines: &[] });
            let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{source}"));
            assert!(compiled.resources.is_some_and(|used| !used.spills()), "{architecture}: {source}");
            assert!(!compiled.log.contains("serialized"), "{architecture}: {}\n{source}", compiled.log);
        }
    }
}
