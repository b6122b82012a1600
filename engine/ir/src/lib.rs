//! The kernel IR: typed tile ops, Refs and regions; its text form and verifier; launches and findings.
//! Knows no Python and runs no kernels.

pub mod attribute;
pub mod block_map;
pub mod builder;
pub mod finding;
pub mod function;
pub mod interpretation;
pub mod interval;
pub mod known;
pub mod launch;
pub mod op;
pub mod ops;
mod outline;
pub mod pipeline;
mod print_fields;
pub mod same;
pub mod text;
pub mod types;
pub mod verify;
pub mod written;

pub use attribute::{Attribute, Attributes, DimIndex, IndexOperand, IndexPattern, Position};
pub use block_map::{BlockMap, IndexForm, Visits, axis_name};
pub use builder::Builder;
pub use finding::{Certainty, Edit, Finding, Fix, Label, Severity};
pub use function::{Function, Location, LocationId, OpData, OpId, RegionData, RegionId, ValueData, ValueId};
pub use interpretation::{DeviceOptions, Interpretation};
pub use interval::Interval;
pub use known::{Known, Scalars};
pub use launch::{AxisSemantics, BlockDim, Launch, Meeting, Operand, Role, Target};
pub use op::{AgentOp, ControlOp, CopyOp, EvalError, InferError, Op, OpDef, OpKind, SemaphoreOp};
pub use pipeline::{Pipeline, PipelineOperand, Staged, StagedOperand, Window};
pub use print_fields::print_fields;
pub use types::{BarrierType, MemorySpace, Overlay, RefType, TensorType, Transform, Type};
pub use verify::{Problem, verify_function, verify_launch};
pub use written::{Carried, Manner, Written};
