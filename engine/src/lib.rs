//! The engine behind `pallas-lsp` and `pallas-tui`.
//!
//! [`Analysis`] says what a file does without doing it; [`Run`] does it. Both end in [`Finding`]s and [`Launch`]es, and
//! [`Profile`] makes a report of either.
//! Front ends depend on this crate (and `pallas-ide`) alone.

pub mod accelerator;
mod ahead;
pub mod analysis;
mod bystander;
mod calibrate;
mod capture;
pub mod catalogue;
mod difference;
pub mod environment;
mod evaluator;
mod executor;
pub mod facts;
pub mod files;
mod findings;
mod fixes;
pub mod generated;
mod half_written;
mod hazards;
mod host;
pub mod memory;
mod moved;
mod notebook;
pub mod package;
pub mod parsed;
mod parts;
mod plans;
mod profile;
mod rehearsed;
mod room;
pub mod run;
mod semantics;
pub mod settings;
mod side_effects;
mod stack;
mod statements;
mod suppressions;
mod timings;
pub mod tune;
mod unapplied;
mod uncalled;
mod unchecked;
mod uncompiled;
mod undefined;
mod unkept;
mod watched;

pub use analysis::{Analysis, AnalysisOptions};
pub use calibrate::this_cpu;
pub use capture::{Capture, Store, Tiles};
pub use difference::difference;
pub use environment::Environment;
pub use evaluator::Evaluator;
pub use facts::{Fact, Facts};
pub use files::{Disk, FileSystem, Overlay, path_text};
pub use host::{Cancel, Console};
pub use memory::Memory;
pub use moved::is_moved;
pub use notebook::Notebook;
pub use parsed::ParsedFiles;
pub use profile::Profile;
pub use run::{Run, RunOptions, Schedule};
pub use settings::{Settings, SettingsFile, TargetDevice};
pub use uncalled::Assumed;

pub use pallas_check as check;
pub use pallas_cuda as cuda;
pub use pallas_ir as ir;
pub use pallas_ir::{Certainty, Edit, Finding, Fix, Label, Launch, Operand, Role, Severity};
pub use pallas_pipeline as pipeline;
pub use pallas_profile as report;
pub use pallas_simt as simt;
pub use pallas_syntax as syntax;
pub use pallas_syntax::{FileId, LineColumn, SourceFile, Span};
pub use pallas_tensor as tensor;
pub use pallas_tileir as tileir;
pub use pallas_ttir as ttir;
