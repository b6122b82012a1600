//! Blocks that go through a grid in bands: every program runs once, and the host knows which block ran it. What kernels note and tell
//! names the right programs, and so do races.

use pallas_ir::text::parse_launch;
use pallas_ir::{AxisSemantics, Launch, Role};
use pallas_simt::lower::grid::plan;
use pallas_simt::marks::{TimedStage, read};
use pallas_simt::sim::{Kind, run};
use pallas_simt::{Architecture, Options, Program, compile_with};
use pallas_tensor::{Array, Scalar};

const FUEL: u64 = 4_000_000;

/// A product of `[8 * rows, 8] x [8, 8 * columns]`, in each of so many batches if there are any; `shift` moves the rows that are read.
fn product(batches: Option<usize>, rows: usize, columns: usize, shift: &str) -> Launch {
    product_to(batches, rows, columns, shift, "%row = add %i, %none : i32[] %column = add %j, %none : i32[]")
}

/// The same, where `to` says which block a program stores: in `%row` and `%column`.
fn product_to(batches: Option<usize>, rows: usize, columns: usize, shift: &str, to: &str) -> Launch {
    let (grid, ids, batch) = match batches {
        None => (format!("[{rows}, {columns}]"), "%i: i32[], %j: i32[]", None),
        Some(count) => (format!("[{count}, {rows}, {columns}]"), "%b: i32[], %i: i32[], %j: i32[]", Some(count)),
    };
    let shape = |a: usize, b: usize| batch.map_or(format!("{a},{b}"), |count| format!("{count},{a},{b}"));
    let block = if batch.is_some() { "[squeezed, 8, 8]" } else { "[8, 8]" };
    let yields = |a: &str, b: &str| if batch.is_some() { format!("%b, {a}, {b}") } else { format!("{a}, {b}") };
    let axis = usize::from(batch.is_some());
    let text = format!(
        "launch grid={grid} {{
  input @x_ref: f32[{}] block={block} map @x({ids}) {{ %0 = constant 0 : i32[] yield {} }}
  input @y_ref: f32[{}] block={block} map @y({ids}) {{ %0 = constant 0 : i32[] yield {} }}
  output @o_ref: f32[{}] block={block} map @o({ids}) {{ %none = constant 0 : i32[] {to} yield {} }}
  kernel @product(%x_ref: ref<f32[8,8]>, %y_ref: ref<f32[8,8]>, %o_ref: ref<f32[8,8]>) {{
    %i = program_id axis={axis} : i32[]
    %j = program_id axis={} : i32[]
    {shift}
    %0 = load %x_ref[ds(%first, 8), :] : f32[8,8]
    %1 = load %y_ref[:, :] : f32[8,8]
    %2 = dot_general %0, %1 contracting=[[1], [0]] batch=[[], []] dtype=f32 : f32[8,8]
    store %o_ref[:, :], %2
  }}
}}
",
        shape(8 * rows, 8),
        yields("%i", "%0"),
        shape(8, 8 * columns),
        yields("%0", "%j"),
        shape(8 * rows, 8 * columns),
        yields("%row", "%column"),
        axis + 1,
    );
    parse_launch(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

const NO_SHIFT: &str = "%first = constant 0 : i32[]";

fn inputs(launch: &Launch) -> Vec<Array> {
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    let array = |operand: &pallas_ir::Operand| {
        let numbers: Vec<Scalar> =
            (0..operand.array.shape.size()).map(|n| Scalar::Float((n * 7 % 11) as f64 - 5.0)).collect();
        Array::from_scalars(operand.array.dtype, operand.array.shape.clone(), &numbers).expect("an array")
    };
    inputs.map(array).collect()
}

fn program(launch: &Launch, options: Options) -> Program {
    compile_with(launch, options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_program_of_a_product_runs_in_the_block_that_the_host_thinks() {
    let hopper = Options::new(Architecture::HOPPER);
    for (batches, rows, columns) in [(None, 16, 32), (None, 11, 33), (Some(2), 12, 32), (None, 3, 128)] {
        let launch = product(batches, rows, columns, NO_SHIFT);
        let plan = plan(&launch);
        let bands = plan.bands.expect("bands");
        assert_eq!(bands.height, rows.min(8));
        let inputs = inputs(&launch);
        let (found, report) = run(&program(&launch, hopper), &inputs, FUEL).expect("it runs");
        assert!(report.is_clean(), "{:?}", report.complaints);
        let number = |array: &Array, at: usize| array.get(at).and_then(|number| number.as_f64()).expect("a number");
        for batch in 0..batches.unwrap_or(1) {
            for (row, column) in (0..8 * rows).flat_map(|row| (0..8 * columns).map(move |column| (row, column))) {
                let terms = (0..8).map(|term| {
                    number(&inputs[0], (batch * 8 * rows + row) * 8 + term)
                        * number(&inputs[1], (batch * 8 + term) * 8 * columns + column)
                });
                let at = (batch * 8 * rows + row) * 8 * columns + column;
                assert_eq!(number(&found[0], at), terms.sum::<f64>(), "{rows} x {columns}: {batch} {row} {column}");
            }
        }
        // What each block notes is what the host says of it.
        let timed = program(&launch, Options { timed: true, ..hopper });
        let (_, report) = run(&timed, &inputs, FUEL).expect("it runs");
        let times = read(&timed.kernel, &report.notes);
        let mut programs: Vec<usize> = Vec::new();
        for event in times.events.iter().filter(|event| event.stage == TimedStage::CopyOut) {
            let ids: Vec<usize> =
                plan.ids_of(&launch.grid, event.block).into_iter().map(|id| id.expect("known")).collect();
            assert_eq!(launch.program(event.program), ids, "block {}", event.block);
            programs.push(event.program);
        }
        programs.sort_unstable();
        assert!(programs.into_iter().eq(0..launch.programs()), "every program stores once");
    }
}

#[test]
fn a_check_names_the_program_and_not_the_block() {
    // Program (9, 20) alone reads a row further on than there is.
    let shift = "%a = constant 9 : i32[]
    %b = constant 20 : i32[]
    %one = eq %i, %a : bool[]
    %other = eq %j, %b : bool[]
    %both = and %one, %other : bool[]
    %first = convert_element_type %both dtype=i32 weak=false : i32[]";
    let launch = product(None, 11, 33, shift);
    let options = Options { checked: true, ..Options::new(Architecture::HOPPER) };
    let (_, report) = run(&program(&launch, options), &inputs(&launch), FUEL).expect("it runs");
    let outside: Vec<_> = report.complaints.iter().filter(|one| one.kind == Kind::Outside).collect();
    assert!(!outside.is_empty() && outside.len() == report.complaints.len(), "{:?}", report.complaints);
    let blocks = plan(&launch);
    for complaint in outside {
        assert_eq!(complaint.element, 9 * 33 + 20, "the program's number");
        assert_eq!(blocks.ids_of(&launch.grid, complaint.block), [Some(9), Some(20)]);
        assert_ne!(complaint.block, 9 * 33 + 20, "which the block's is not");
    }
}

/// A program stores the block of the one before it along an axis.
fn stores_before([row, column]: [usize; 2], axis: usize) -> String {
    let back = |own: usize| if own == axis { "%one" } else { "%none" };
    format!(
        "%a = constant {row} : i32[] %b = constant {column} : i32[]
    %c = eq %i, %a : bool[] %d = eq %j, %b : bool[] %e = and %c, %d : bool[]
    %one = convert_element_type %e dtype=i32 weak=false : i32[]
    %row = sub %i, {} : i32[] %column = sub %j, {} : i32[]",
        back(0),
        back(1)
    )
}

/// Programs of one band, and those at the end of one and the beginning of the next: who meets whom, and where.
#[test]
fn a_race_names_both_programs_and_not_the_blocks() {
    let parallel = |launch: Launch| Launch { semantics: vec![AxisSemantics::Parallel; 2], ..launch };
    let (rows, columns) = (11, 33);
    for (late, axis) in [([9, 20], 1), ([8, 20], 0), ([7, 32], 0), ([10, 1], 1)] {
        let mut early = late;
        early[axis] -= 1;
        let launch = parallel(product_to(None, rows, columns, NO_SHIFT, &stores_before(late, axis)));
        let plan = plan(&launch);
        assert_eq!(plan.bands.map(|bands| bands.height), Some(8));
        let options = Options { checked: true, ..Options::new(Architecture::HOPPER) };
        let (_, report) = run(&program(&launch, options), &inputs(&launch), FUEL).expect("it runs");
        assert_eq!([report.count(Kind::ProgramRace), report.count(Kind::BlockRace)], [64, 64], "{late:?}");
        let number = |[row, column]: [usize; 2]| row * columns + column;
        let (mut told, mut seen) = (0, 0);
        for complaint in &report.complaints {
            let ids = |block: usize| plan.ids_of(&launch.grid, block);
            let mut both = [early, late].map(|ids| ids.map(Some).to_vec());
            if let Some(met) = complaint.met {
                let mut programs = [usize::try_from(complaint.element).expect("a number"), met.program];
                assert_eq!(ids(complaint.block), launch.program(programs[0]).into_iter().map(Some).collect::<Vec<_>>());
                programs.sort_unstable();
                assert_eq!(programs, [number(early), number(late)], "programs by number");
                // The block that both store.
                let (operand, element) = met.element;
                let place = [element / (8 * columns) / 8, element % (8 * columns) / 8];
                assert_eq!((operand, place), (2, early));
                told += 1;
            } else {
                let mut blocks = [complaint.block, complaint.other.expect("the other block")].map(ids);
                blocks.sort();
                both.sort();
                assert_eq!(blocks, both, "blocks by the programs that they run");
                seen += 1;
            }
        }
        assert!(told > 0 && seen > 0 && report.complaints.len() == told + seen, "{:?}", report.complaints);
    }
    // Each its own block: nothing to tell.
    let launch = parallel(product(None, rows, columns, NO_SHIFT));
    for checked in [true, false] {
        let options = Options { checked, ..Options::new(Architecture::HOPPER) };
        let (_, report) = run(&program(&launch, options), &inputs(&launch), FUEL).expect("it runs");
        assert!(report.is_clean(), "{:?}", report.complaints);
    }
}

#[test]
fn bands_are_for_products_of_many_blocks() {
    for (rows, columns) in [(16, 8), (16, 16), (1, 64), (64, 1)] {
        assert_eq!(plan(&product(None, rows, columns, NO_SHIFT)).bands, None, "{rows} x {columns}");
    }
    // Columns that are wider than rows are high: fewer rows are enough.
    let mut wide = product(None, 16, 64, NO_SHIFT);
    wide.operands[1].array.dtype = pallas_tensor::DType::BF16;
    assert_eq!(plan(&wide).bands.map(|bands| bands.height), Some(8));
    wide.operands[0].array.dtype = pallas_tensor::DType::F64;
    assert_eq!(plan(&wide).bands.map(|bands| bands.height), Some(4));
}
