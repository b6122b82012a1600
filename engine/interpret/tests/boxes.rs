//! Launches of many shapes on few threads and on many: whatever axes their grids are cut along, outputs are those of one thread.

use pallas_interpret::{Hooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::Array;

struct On(usize);

impl Hooks for On {
    fn threads(&self) -> usize {
        self.0
    }
}

/// Numbers that look irregular, the same in every run.
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// One dimension of the output.
struct Dimension {
    size: usize,
    block: usize,
    /// The axis of the grid that its blocks follow.
    axis: usize,
    is_squeezed: bool,
}

/// A launch that adds blocks of its input up: dimensions in blocks of some size, which axes follow in some order, and an axis that none
/// follows.
fn launch(choices: &mut Choices) -> (String, Vec<usize>) {
    let rank = 2 + choices.below(2);
    let sizes: &[usize] = if rank == 2 { &[300, 700] } else { &[6, 40, 700] };
    let mut axes: Vec<usize> = (0..=rank).collect();
    for place in (1..=rank).rev() {
        axes.swap(place, choices.below(place + 1));
    }
    let sums = axes[rank];
    let mut grid = vec![1 + choices.below(3); rank + 1];
    let dimensions: Vec<Dimension> = (0..rank)
        .map(|place| {
            let size = sizes[place] + choices.below(9);
            let block = choices.of(&[1, 7, 32, 128, size]).min(size).max(size.div_ceil(24));
            let axis = axes[place];
            grid[axis] = size.div_ceil(block);
            Dimension { size, block, axis, is_squeezed: block == 1 && choices.below(2) == 0 }
        })
        .collect();
    let each = |text: &dyn Fn(&Dimension) -> String| -> Vec<String> { dimensions.iter().map(text).collect() };
    let array = each(&|dimension| dimension.size.to_string()).join(",");
    let block = each(&|dimension| match dimension.is_squeezed {
        true => "squeezed".to_string(),
        false => dimension.block.to_string(),
    });
    let kept: Vec<String> = block.iter().filter(|size| *size != "squeezed").cloned().collect();
    let params = (0..=rank).map(|axis| format!("%i{axis}: i32[]")).collect::<Vec<_>>().join(", ");
    let indices = each(&|dimension| format!("%i{}", dimension.axis)).join(", ");
    let all = vec![":"; kept.len()].join(", ");
    let tile = format!("f32[{}]", kept.join(","));
    let x = format!("{},{array}", grid[sums]);
    let text = format!(
        "launch grid={grid:?} {{
          input @x: f32[{x}] block=[squeezed, {block}] map @m({params}) {{ yield %i{sums}, {indices} }}
          output @o: f32[{array}] block=[{block}] map @n({params}) {{ yield {indices} }}
          kernel @k(%x: ref<{tile}>, %o: ref<{tile}>) {{
            %k = program_id axis={sums} : i32[]
            %zero = constant 0 : i32[]
            %first = eq %k, %zero : bool[]
            %v = load %x[{all}] : {tile}
            cond %first {{ }} {{
              store %o[{all}], %v
            }}
            %a = load %o[{all}] : {tile}
            %s = add %a, %v : {tile}
            store %o[{all}], %s
          }}
        }}",
        block = block.join(", "),
    );
    let shape = std::iter::once(grid[sums]).chain(dimensions.iter().map(|dimension| dimension.size)).collect();
    (text, shape)
}

#[test]
fn outputs_do_not_depend_on_how_a_grid_is_cut() {
    let mut choices = Choices(2026);
    for _ in 0..60 {
        let (text, shape) = launch(&mut choices);
        let size: usize = shape.iter().product();
        let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
        let x = Array::from_f32s(&shape[..], &values).expect("as many");
        let launch = parse_launch(&text).unwrap_or_else(|error| panic!("{error:?}: {text}"));
        let expected = run_launch(&launch, vec![x.clone()], &mut On(1)).expect("runs");
        for threads in [2, 5, 16] {
            let found = run_launch(&launch, vec![x.clone()], &mut On(threads)).expect("runs");
            assert!(found[0].same_bits(&expected[0]), "{threads} threads: {text}");
        }
    }
}
