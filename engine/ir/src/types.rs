//! Types of IR values: tiles (shape and dtype) and Refs (a tile in a memory space that can be read and written).

use pallas_tensor::{DType, Shape};
use smallvec::SmallVec;
use std::fmt;

/// A tile's type, as in `f32[8,128]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Element type.
    pub dtype: DType,
    /// Extent of each dimension.
    pub shape: Shape,
    /// Whether the dtype came from a Python scalar and yields in promotion (JAX's weak types).
    pub weak: bool,
}

/// A Ref's type, as in `Ref<vmem>{f32[8,128]}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RefType {
    /// Element type.
    pub dtype: DType,
    /// Extent of each dimension.
    pub shape: Shape,
    /// Where it lives.
    pub space: MemorySpace,
    /// Dimensions whose extent in `shape` is only the most that there can be: how long they are, the kernel computes.
    /// Only views have such dimensions, and only copies take them.
    pub bounded: SmallVec<[usize; 2]>,
    /// What the barriers that live there count; other memory has none.
    pub barrier: Option<BarrierType>,
    /// How what is allocated in a GPU's shared memory is laid out, where the program says; parts of it do not say it again.
    /// It changes no value.
    pub layout: SmallVec<[Transform; 2]>,
    /// Whether it lies where other allocations of its scope lie, too.
    pub overlay: Overlay,
}

/// A step on the way from an array to how it lies in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Transform {
    /// The last dimensions are cut into tiles, one after the other.
    Tiled(SmallVec<[usize; 2]>),
    /// Within so many bytes of a row, parts are exchanged.
    Swizzled(usize),
}

/// Allocations that lie in the same memory, one group at a time (`plgpu.RefUnion`). Each has memory of its own here; that
/// they have it in common matters for how much of it there must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overlay {
    /// It has its memory for itself.
    #[default]
    None,
    /// It belongs to the largest group.
    Largest,
    /// It belongs to another one.
    Beside,
}

impl Overlay {
    /// As printed in types; nothing for memory of its own.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Overlay::None => None,
            Overlay::Largest => Some("union"),
            Overlay::Beside => Some("beside"),
        }
    }
}

/// What barriers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BarrierType {
    /// How many arrivals complete a phase; of barriers of a cluster, from each block.
    pub arrivals: u32,
    /// Whether a completed phase orders the products of tensor cores, too.
    pub tensor_core: bool,
    /// Of barriers of a cluster: sets of axes of the grid, one bit per axis. Who arrives, arrives in all blocks that lie
    /// along one of the sets. 0 where there are no more sets.
    pub across: [u16; BarrierType::SETS],
    /// Whether who arrives does so only in the first of those blocks, which has as many arrivals to count.
    pub led: bool,
}

impl BarrierType {
    /// The most sets of axes that a barrier of a cluster has: clusters have at most three axes.
    pub const SETS: usize = 3;

    /// The axes of the grid in a set.
    pub fn axes(set: u16) -> impl Iterator<Item = usize> {
        (0..u16::BITS as usize).filter(move |axis| set >> axis & 1 == 1)
    }
}

/// The type of an IR value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A value.
    Tensor(TensorType),
    /// A place.
    Ref(RefType),
}

/// Where a Ref lives. What `pallas_call` puts there without being asked is `Default`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MemorySpace {
    /// The target's own choice for blocks: VMEM on TPU, registers or shared memory on GPU.
    #[default]
    Default,
    /// `pl.ANY`: left where it is, no block copies.
    Any,
    /// Main memory of the device.
    Hbm,
    /// TPU vector memory.
    Vmem,
    /// TPU scalar memory; GPU shared memory is `Shared`.
    Smem,
    /// GPU global memory.
    Gmem,
    /// GPU shared memory.
    Shared,
    /// Regular semaphores: they count signals. Elements are `i32`, as in the other semaphore spaces.
    Semaphore,
    /// Semaphores of copies: they count bytes that have arrived.
    DmaSemaphore,
    /// The barrier semaphore that all devices share.
    BarrierSemaphore,
    /// TPU vector memory that several cores share.
    VmemShared,
    /// TPU common memory.
    Cmem,
    /// Memory of the host.
    Host,
    /// GPU tensor memory, which tensor cores accumulate in.
    Tmem,
    /// Registers of a warpgroup: accumulators.
    Registers,
    /// Barriers in GPU shared memory: they count arrivals and know their phase.
    Barrier,
}

impl MemorySpace {
    /// As printed in types.
    pub fn name(self) -> &'static str {
        match self {
            MemorySpace::Default => "default",
            MemorySpace::Any => "any",
            MemorySpace::Hbm => "hbm",
            MemorySpace::Vmem => "vmem",
            MemorySpace::Smem => "smem",
            MemorySpace::Gmem => "gmem",
            MemorySpace::Shared => "shared",
            MemorySpace::Semaphore => "semaphore",
            MemorySpace::DmaSemaphore => "dma_semaphore",
            MemorySpace::BarrierSemaphore => "barrier_semaphore",
            MemorySpace::VmemShared => "vmem_shared",
            MemorySpace::Cmem => "cmem",
            MemorySpace::Host => "host",
            MemorySpace::Tmem => "tmem",
            MemorySpace::Registers => "registers",
            MemorySpace::Barrier => "barrier",
        }
    }

    /// Whether semaphores of some kind live there.
    pub fn is_semaphore(self) -> bool {
        matches!(self, MemorySpace::Semaphore | MemorySpace::DmaSemaphore | MemorySpace::BarrierSemaphore)
    }

    /// Every space.
    pub const ALL: [MemorySpace; 16] = [
        MemorySpace::Default,
        MemorySpace::Any,
        MemorySpace::Hbm,
        MemorySpace::Vmem,
        MemorySpace::Smem,
        MemorySpace::Gmem,
        MemorySpace::Shared,
        MemorySpace::Semaphore,
        MemorySpace::DmaSemaphore,
        MemorySpace::BarrierSemaphore,
        MemorySpace::VmemShared,
        MemorySpace::Cmem,
        MemorySpace::Host,
        MemorySpace::Tmem,
        MemorySpace::Registers,
        MemorySpace::Barrier,
    ];
}

impl TensorType {
    /// A type without a weak dtype.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Self {
        TensorType { dtype, shape: shape.into(), weak: false }
    }

    /// A scalar type.
    pub fn scalar(dtype: DType) -> Self {
        TensorType { dtype, shape: Shape::default(), weak: false }
    }

    /// The same shape with another dtype, not weak.
    pub fn with_dtype(&self, dtype: DType) -> Self {
        TensorType { dtype, shape: self.shape.clone(), weak: false }
    }

    /// Bytes of one value, sub-byte elements packed as the interpreter stores them (one byte each).
    pub fn bytes(&self) -> u128 {
        self.shape.iter().fold(self.dtype.size_bytes() as u128, |bytes, &d| bytes.saturating_mul(d as u128))
    }
}

impl RefType {
    /// A Ref whose extents are all known.
    pub fn new(dtype: DType, shape: impl Into<Shape>, space: MemorySpace) -> Self {
        let (bounded, layout) = (SmallVec::new(), SmallVec::new());
        RefType { dtype, shape: shape.into(), space, bounded, barrier: None, layout, overlay: Overlay::None }
    }

    /// Barriers.
    pub fn barriers(shape: impl Into<Shape>, barrier: BarrierType) -> Self {
        RefType { barrier: Some(barrier), ..RefType::new(DType::I32, shape, MemorySpace::Barrier) }
    }

    /// Its extents as messages show them: `(<=16, 128)` where 16 is only a bound.
    pub fn extents(&self) -> String {
        let extents = self.shape.iter().enumerate().map(|(axis, extent)| match self.bounded.contains(&axis) {
            true => format!("<={extent}"),
            false => extent.to_string(),
        });
        let extents: Vec<String> = extents.collect();
        format!("({}{})", extents.join(", "), if extents.len() == 1 { "," } else { "" })
    }

    /// Whether two Refs can have one shape: what is known of both extents agrees.
    pub fn may_have_shape_of(&self, other: &RefType) -> bool {
        let known = |axis: usize| !self.bounded.contains(&axis) && !other.bounded.contains(&axis);
        self.shape.rank() == other.shape.rank()
            && self.shape.iter().zip(&other.shape).enumerate().all(|(axis, (one, two))| one == two || !known(axis))
    }
}

impl Type {
    /// The tile type, if it is one.
    pub fn tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(ty) => Some(ty),
            Type::Ref(_) => None,
        }
    }

    /// The Ref type, if it is one.
    pub fn as_ref_type(&self) -> Option<&RefType> {
        match self {
            Type::Ref(ty) => Some(ty),
            Type::Tensor(_) => None,
        }
    }

    /// Shape of the value or place.
    pub fn shape(&self) -> &Shape {
        match self {
            Type::Tensor(ty) => &ty.shape,
            Type::Ref(ty) => &ty.shape,
        }
    }

    /// Element type of the value or place.
    pub fn dtype(&self) -> DType {
        match self {
            Type::Tensor(ty) => ty.dtype,
            Type::Ref(ty) => ty.dtype,
        }
    }
}

impl From<TensorType> for Type {
    fn from(ty: TensorType) -> Self {
        Type::Tensor(ty)
    }
}

impl From<RefType> for Type {
    fn from(ty: RefType) -> Self {
        Type::Ref(ty)
    }
}

fn write_shape(f: &mut fmt::Formatter<'_>, dtype: DType, shape: &Shape, bounded: &[usize]) -> fmt::Result {
    write!(f, "{}[", dtype.short_name())?;
    for (i, d) in shape.iter().enumerate() {
        if i > 0 {
            f.write_str(",")?;
        }
        if bounded.contains(&i) {
            f.write_str("<=")?;
        }
        write!(f, "{d}")?;
    }
    f.write_str("]")
}

/// `f32[8,128]`, with `*` after a weak type's dtype bracket as in `f32[]*`.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_shape(f, self.dtype, &self.shape, &[])?;
        if self.weak { f.write_str("*") } else { Ok(()) }
    }
}

/// `ref<f32[8,128]>`, or `ref<f32[8,128], vmem>` outside the default space; `<=8` where 8 is only a bound.
impl fmt::Display for RefType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ref<")?;
        write_shape(f, self.dtype, &self.shape, &self.bounded)?;
        if self.space != MemorySpace::Default {
            write!(f, ", {}", self.space.name())?;
        }
        if let Some(barrier) = &self.barrier {
            write!(f, "({})", barrier)?;
        }
        if !self.layout.is_empty() {
            let steps: Vec<String> = self.layout.iter().map(Transform::to_string).collect();
            write!(f, "({})", steps.join(", "))?;
        }
        if let Some(word) = self.overlay.word() {
            write!(f, ", {word}")?;
        }
        f.write_str(">")
    }
}

/// `tiled [8, 64]`, `swizzled 128`.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transform::Tiled(tiles) => write!(f, "tiled {:?}", &tiles[..]),
            Transform::Swizzled(bytes) => write!(f, "swizzled {bytes}"),
        }
    }
}

/// `2`, `1, tensor_core, across [1, 2], led`.
impl fmt::Display for BarrierType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.arrivals)?;
        if self.tensor_core {
            f.write_str(", tensor_core")?;
        }
        for &set in self.across.iter().filter(|&&set| set != 0) {
            let axes: Vec<String> = BarrierType::axes(set).map(|axis| axis.to_string()).collect();
            write!(f, ", across [{}]", axes.join(", "))?;
        }
        if self.led {
            f.write_str(", led")?;
        }
        Ok(())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tensor(ty) => ty.fmt(f),
            Type::Ref(ty) => ty.fmt(f),
        }
    }
}
