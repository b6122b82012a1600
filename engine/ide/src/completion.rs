//! Completion where only Pallas knows the answer: arguments of Pallas's calls and their values, index maps that fit the grid,
//! axes of the grid, fields of Refs. Everything else is left to other language servers.

use crate::calls::{self, Frame};
use crate::cursor::Cursor;
use crate::imports::Imports;
use crate::launches::tuple;
use pallas_engine::catalogue::Member;
use pallas_engine::{Analysis, Launch, Span};

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What is replaced: the part that is typed already.
    pub replaces: Span,
    /// What is put there.
    pub text: String,
    /// What it is.
    pub kind: CompletionKind,
    /// A few words beside it.
    pub detail: String,
    /// A sentence.
    pub documentation: String,
}

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A keyword argument.
    Keyword,
    /// A value for an argument.
    Value,
    /// A field of a Ref.
    Field,
    /// A function of a module.
    Function,
    /// A class of a module.
    Class,
}

/// What the fields of a Ref are.
const FIELDS: [(&str, &str); 7] = [
    ("shape", "The shape of the block."),
    ("dtype", "The dtype of its elements."),
    ("ndim", "The number of its dimensions."),
    ("size", "The number of its elements."),
    ("at", "A part of it as a Ref of its own: `x_ref.at[0]`."),
    ("reshape", "The same memory in another shape."),
    ("bitcast", "The same bits as another dtype."),
];

/// The proposals at a byte offset, best first.
pub fn completions(analysis: &Analysis, offset: u32) -> Vec<Completion> {
    let Some(cursor) = Cursor::at(analysis, offset) else { return Vec::new() };
    if cursor.open.string.is_some() {
        return cursor.inside_string();
    }
    if let Some(owner) = cursor.owner() {
        return cursor.fields(calls::word_before(owner, owner.len()));
    }
    cursor.arguments()
}

impl<'a> Cursor<'a> {
    fn item(&self, kind: CompletionKind, text: impl Into<String>, detail: impl Into<String>) -> Completion {
        let text = text.into();
        Completion {
            label: text.clone(),
            replaces: self.replaces,
            text,
            kind,
            detail: detail.into(),
            documentation: String::new(),
        }
    }

    /// `x_ref.`, of the parameters of kernels.
    fn fields(&self, name: &str) -> Vec<Completion> {
        let launches = &self.analysis.launches;
        let mut operands = launches.iter().flat_map(|launch| &launch.operands);
        if !operands.any(|operand| *operand.name == *name) && !name.ends_with("_ref") {
            return Vec::new();
        }
        let field = |(field, documentation): &(&str, &str)| Completion {
            documentation: (*documentation).to_string(),
            ..self.item(CompletionKind::Field, *field, "Ref")
        };
        FIELDS.iter().map(field).collect()
    }

    /// `dimension_semantics=("par`
    fn inside_string(&self) -> Vec<Completion> {
        let keyword = self.open.frames.iter().rev().find_map(Frame::keyword);
        if keyword != Some("dimension_semantics") {
            return Vec::new();
        }
        let rows = [("parallel", "its programs may run in any order"), ("arbitrary", "its programs run in order")];
        rows.map(|(value, detail)| self.item(CompletionKind::Value, value, detail)).into()
    }

    fn arguments(&self) -> Vec<Completion> {
        let imports = Imports::new(&self.analysis.module);
        let Some(frame) = self.open.frames.last() else { return Vec::new() };
        let Some(member) = frame.callee.and_then(|callee| imports.member(callee)) else { return Vec::new() };
        let Some(piece) = frame.pieces.last() else { return Vec::new() };
        match frame.keyword() {
            Some(keyword) => {
                let typed = piece.split_once('=').map_or("", |(_, value)| value).trim();
                // Only the beginning of a value is completed.
                if typed.len() > self.replaces.range().len() {
                    return Vec::new();
                }
                self.values(&imports, member, keyword)
            }
            None if piece.trim().len() > self.replaces.range().len() => Vec::new(),
            None => {
                let number = frame.positional().count();
                let mut items = match member.parameters().get(number) {
                    Some(parameter) if !parameter.keyword_only => self.values(&imports, member, &parameter.name),
                    _ => Vec::new(),
                };
                items.extend(self.keywords(member, frame, number));
                items
            }
        }
    }

    fn keywords(&self, member: &Member, frame: &Frame<'_>, positional: usize) -> Vec<Completion> {
        let parameters = member.parameters();
        let free = parameters.iter().enumerate().filter(|(number, parameter)| {
            !parameter.variadic
                && (*number >= positional || parameter.keyword_only)
                && !frame.given().any(|(given, _)| given == parameter.name)
        });
        let keyword = |(_, parameter): (usize, &pallas_engine::catalogue::Parameter)| Completion {
            documentation: member.doc.clone(),
            ..self.item(CompletionKind::Keyword, format!("{}=", parameter.name), parameter.text.clone())
        };
        free.map(keyword).collect()
    }

    /// What an argument can be.
    fn values(&self, imports: &Imports, member: &Member, argument: &str) -> Vec<Completion> {
        let value = |text: String, detail: &str| self.item(CompletionKind::Value, text, detail);
        match (member.name.as_str(), argument) {
            (_, "memory_space") => {
                const TPU: &str = "jax.experimental.pallas.tpu";
                const GPU: &str = "jax.experimental.pallas.mosaic_gpu";
                let spaces = [
                    (TPU, "VMEM", "vector memory of a TPU core"),
                    (TPU, "SMEM", "scalar memory of a TPU core"),
                    (TPU, "HBM", "main memory of a TPU"),
                    (GPU, "GMEM", "main memory of a GPU"),
                    (GPU, "SMEM", "shared memory of a GPU's SM"),
                    (
                        "jax.experimental.pallas",
                        "ANY",
                        "left where it is, usually main memory; the kernel copies it itself",
                    ),
                ];
                let written = |(module, name, detail): (&str, &str, &str)| {
                    imports.written(module, name).map(|text| value(text, detail))
                };
                spaces.into_iter().filter_map(written).collect()
            }
            (_, "index_map") => self.index_maps(),
            (_, "pipeline_mode") => {
                let buffered = imports.written("jax.experimental.pallas", "Buffered");
                let counts = [
                    ("1", "one slot: copies wait for the program"),
                    ("2", "two slots, the default"),
                    ("3", "three slots"),
                ];
                buffered.map_or(Vec::new(), |written| {
                    counts.map(|(count, detail)| value(format!("{written}({count})"), detail)).into()
                })
            }
            ("program_id" | "num_programs", "axis") => self.axes(),
            (_, "dimension_semantics") => {
                let Some(axes) = self.axis_count() else { return Vec::new() };
                let all = |name: &str| tuple(&vec![format!("\"{name}\""); axes]);
                vec![
                    value(all("parallel"), "any order, on all cores"),
                    value(all("arbitrary"), "in order, as if nothing was said"),
                ]
            }
            (_, "compiler_params") => {
                let Some(written) = imports.written("jax.experimental.pallas.tpu", "CompilerParams") else {
                    return Vec::new();
                };
                let semantics = self.axis_count().map(|axes| tuple(&vec!["\"arbitrary\""; axes]));
                semantics.map_or(Vec::new(), |semantics| {
                    vec![value(format!("{written}(dimension_semantics={semantics})"), "one entry for each grid axis")]
                })
            }
            (_, "interpret") => {
                let simulated = imports.written("jax.experimental.pallas.tpu", "InterpretParams");
                let plain = value("True".to_string(), "on the CPU, in JAX's interpret mode");
                let with_memory = "on the CPU, with a TPU's memories, copies and races";
                let simulated = simulated.map(|written| value(format!("{written}()"), with_memory));
                std::iter::once(plain).chain(simulated).collect()
            }
            (_, "scratch_shapes") => self.scratch_shapes(imports),
            (_, "swizzle") => {
                let bytes = [("128", "rows of 128 bytes"), ("64", "rows of 64 bytes"), ("32", "rows of 32 bytes")];
                bytes.map(|(bytes, detail)| value(bytes.to_string(), detail)).into()
            }
            _ => Vec::new(),
        }
    }

    /// A scratch Ref for sums: the block of the output, where it is written, in float32.
    fn scratch_shapes(&self, imports: &Imports) -> Vec<Completion> {
        let written = imports.written("jax.experimental.pallas.tpu", "VMEM");
        let float = imports.written("jax.numpy", "float32");
        let Some((written, float)) = written.zip(float) else { return Vec::new() };
        let pieces = self.open.frames.iter().rev().flat_map(|frame| &frame.pieces);
        let specs = pieces.filter_map(|piece| piece.trim_start().strip_prefix("out_specs=")?.split_once("BlockSpec("));
        let shapes = specs.filter_map(|(_, arguments)| calls::tuple_text(arguments));
        let item = |shape: &str| {
            let text = format!("[{written}({shape}, {float})]");
            self.item(CompletionKind::Value, text, "a block of sums, kept between the programs of a reduction")
        };
        shapes.take(1).map(item).collect()
    }

    /// Index maps with one parameter for each axis of the grid, and one index for each dimension of the block.
    fn index_maps(&self) -> Vec<Completion> {
        let Some(axes) = self.axis_count().filter(|axes| (1..=4).contains(axes)) else { return Vec::new() };
        let frame = self.open.frames.last();
        let shape = frame.and_then(|frame| {
            let named = frame.given().find(|(name, _)| *name == "block_shape").map(|(_, value)| value);
            named.or_else(|| frame.positional().next())
        });
        let rank = shape.and_then(calls::tuple_length).unwrap_or(axes);
        let names = &["i", "j", "k", "l"][..axes];
        let parameters = names.join(", ");
        let mut results: Vec<Vec<&str>> = Vec::new();
        let mut add = |result: Vec<&'static str>| {
            if result.len() == rank && !results.contains(&result) {
                results.push(result);
            }
        };
        let zeros = |count: usize| vec!["0"; count];
        let names: Vec<&'static str> = names.to_vec();
        // The axes in order; one of them along each dimension; none.
        add(names.iter().copied().chain(zeros(rank)).take(rank).collect());
        for name in &names {
            for dimension in 0..rank {
                let mut result = zeros(rank);
                result[dimension] = name;
                add(result);
            }
        }
        add(zeros(rank));
        let item = |result: &Vec<&str>| {
            let text = format!("lambda {parameters}: {}", tuple(result));
            self.item(CompletionKind::Value, text, format!("block index for each of {rank} dimensions"))
        };
        results.iter().take(8).map(item).collect()
    }

    fn axes(&self) -> Vec<Completion> {
        let Some(launch) = self.launch_around() else {
            // `program_id()` is what editors make of an opening parenthesis, and no kernel is launched with it.
            let axis =
                |axis: usize| self.item(CompletionKind::Value, axis.to_string(), format!("axis {axis} of a grid"));
            return (0..self.longest_grid()).map(axis).collect();
        };
        let words = launch.grid_words();
        let axis = |(axis, extent): (usize, &String)| {
            self.item(CompletionKind::Value, axis.to_string(), format!("0..{extent} of grid {}", tuple(&words)))
        };
        words.iter().enumerate().map(axis).collect()
    }

    /// The axes of the largest grid of the file, analysed or written.
    fn longest_grid(&self) -> usize {
        let analysed = self.analysis.launches.iter().map(|launch| launch.grid.len());
        let written = self.analysis.source.text.split("grid=").skip(1).filter_map(calls::tuple_length);
        analysed.chain(written).max().unwrap_or_default()
    }

    /// The launch whose kernel the cursor is in, or a launch that calls into it.
    fn launch_around(&self) -> Option<&'a Launch> {
        let here = self.replaces;
        let place = |span: Span| self.analysis.module.place(span);
        let mut kernel = None;
        crate::walk::functions(&self.analysis.module.body, &mut |def| {
            if place(def.span).touches(here.end)
                && self.analysis.launches.iter().any(|l| l.spans.kernel == Some(def.name_span))
            {
                kernel = Some(def.name_span);
            }
        });
        let mut launches = self.analysis.launches.iter();
        launches.find(|launch| kernel.is_some() && launch.spans.kernel == kernel).map(|launch| &**launch)
    }

    /// Axes of the grid of the `pallas_call` around the cursor: as it is written, else as it was analysed.
    fn axis_count(&self) -> Option<usize> {
        for frame in self.open.frames.iter().rev() {
            // The grid may stand behind the cursor, too.
            let written = frame.pieces.iter().find_map(|piece| {
                let (name, value) = piece.split_once('=')?;
                (name.trim() == "grid").then(|| calls::tuple_length(value)).flatten()
            });
            if written.is_some() {
                return written;
            }
        }
        let is_call = |frame: &Frame<'_>| {
            frame.callee.is_some_and(|callee| callee.ends_with("pallas_call") || callee.ends_with("GridSpec"))
        };
        if self.open.frames.iter().any(is_call) {
            return self.grid_behind();
        }
        // A spec in a variable: its launches know it, if it was whole before.
        let line = self.analysis.source.line_of(self.replaces.start);
        let of_line = |span: Option<Span>| {
            span.is_some_and(|span| self.analysis.source.line_of(self.analysis.module.place(span).start) == line)
        };
        let mut launches = self.analysis.launches.iter();
        let found = launches.find(|launch| launch.operands.iter().any(|operand| of_line(operand.spans.spec)));
        found.map(|launch| launch.grid.len()).or_else(|| {
            // All grids of the file agree: those that were analysed, else those that are written.
            let analysed: Vec<usize> = self.analysis.launches.iter().map(|launch| launch.grid.len()).collect();
            let written = || {
                let grids = self.analysis.source.text.split("grid=").skip(1);
                grids.filter_map(calls::tuple_length).collect()
            };
            let counts: Vec<usize> = if analysed.is_empty() { written() } else { analysed };
            counts.first().copied().filter(|first| counts.iter().all(|count| count == first))
        })
    }

    /// `grid=(...)` behind the cursor, in the same statement.
    fn grid_behind(&self) -> Option<usize> {
        let rest = self.analysis.source.text.get(self.replaces.end as usize..)?;
        let end = rest.find("\n\n").unwrap_or(rest.len());
        let (_, grid) = rest[..end].split_once("grid=")?;
        calls::tuple_length(grid)
    }
}
