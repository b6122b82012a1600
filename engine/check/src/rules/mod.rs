//! The catalogue: one rule, one file, named as the rule. A new rule is a file here, a `mod` line and a line in [`ALL`].

mod analysis_out_of_memory;
mod analysis_out_of_steps;
mod bad_alias;
mod bad_copy;
mod bad_memory_space;
mod bad_ref_index;
mod bad_semaphore;
mod barrier_out_of_step;
mod block_dim_not_positive;
mod block_out_of_bounds;
mod block_rank_mismatch;
mod blocks_do_not_match;
mod captured_constant;
mod collective_id;
mod collective_mismatch;
mod copy_never_awaited;
mod data_race;
mod debug_print_form;
mod device_outside_mesh;
mod dimension_semantics;
mod dtype_mismatch;
mod dynamic_ref_index_out_of_bounds;
mod empty_grid;
mod gpu_copy_shape;
mod gpu_memory_budget;
mod gpu_memory_layout;
mod gpu_product_shape;
mod gpu_read_before_write;
mod grid_axis_out_of_range;
mod grid_spec_and_grid;
mod import_not_found;
mod index_map_arity;
mod index_map_not_integer;
mod index_map_result_count;
mod index_overflow;
mod input_partly_read;
mod internal_error;
mod invalid_grid;
mod invalid_out_shape;
mod invalid_settings;
mod kernel_arity;
mod kernel_returns_value;
mod launch_not_checked;
mod loop_carry_mismatch;
mod mask_shape_mismatch;
mod memory_budget;
mod moved_api;
mod name_not_provided;
mod narrow_accumulation;
mod op_not_lowered;
mod operand_never_read;
mod operands_exchanged;
mod output_never_written;
mod output_not_covered;
mod output_partly_unwritten;
mod output_revisited;
mod padding_reaches_output;
mod parallel_axis_shares_memory;
mod partial_result_overwritten;
mod predicate_not_scalar;
mod program_id_outside_kernel;
mod program_without_effect;
mod python_if_on_traced_value;
mod python_int_of_traced_value;
mod random_numbers_without_seed;
mod read_before_write;
mod ref_index_out_of_bounds;
mod ref_used_as_array;
mod remote_write_without_barrier;
mod result_not_kept;
mod same_random_numbers;
mod semaphore_not_drained;
mod semaphore_of_two_copies;
mod shape_mismatch;
mod side_effect_in_kernel;
mod slot_overwritten;
mod spec_count_mismatch;
mod store_dtype_mismatch;
mod store_shape_mismatch;
mod syntax_error;
mod tpu_block_shape;
mod triton_limits;
mod uncaught_exception;
mod unknown_attribute;
mod unused_suppression;
mod wait_never_satisfied;
mod when_without_function;
mod write_not_committed;

use crate::rule::Rule;
pub(crate) use barrier_out_of_step::HELP as BARRIER_HELP;
pub(crate) use barrier_out_of_step::RULE as BARRIER_OUT_OF_STEP;
pub(crate) use block_out_of_bounds::RULE as BLOCK_OUT_OF_BOUNDS;
pub(crate) use collective_mismatch::{ABSENT_HELP, MISSING_HELP, RULE as COLLECTIVE_MISMATCH};
pub use copy_never_awaited::RULE as COPY_NEVER_AWAITED;
pub use data_race::RULE as DATA_RACE;
pub use dynamic_ref_index_out_of_bounds::left as access_out_of_bounds;
pub use dynamic_ref_index_out_of_bounds::left_on_device as access_out_of_bounds_on_device;
pub use gpu_read_before_write::RULE as GPU_READ_BEFORE_WRITE;
pub use output_partly_unwritten::RULE as OUTPUT_PARTLY_UNWRITTEN;
pub use padding_reaches_output::{MASK_WHERE_READ, OTHER_FOR_LANES, RULE as PADDING_REACHES_OUTPUT};
use pallas_ir::{Launch, Operand, Role};
pub use read_before_write::RULE as READ_BEFORE_WRITE;
pub use remote_write_without_barrier::{HELP as MEETING_HELP, RULE as REMOTE_WRITE_WITHOUT_BARRIER};
pub(crate) use semaphore_not_drained::RULE as SEMAPHORE_NOT_DRAINED;
pub use slot_overwritten::RULE as SLOT_OVERWRITTEN;
pub(crate) use wait_never_satisfied::RULE as WAIT_NEVER_SATISFIED;
pub use write_not_committed::RULE as WRITE_NOT_COMMITTED;

/// Every rule, by code.
pub static ALL: &[&Rule] = &[
    &syntax_error::RULE,
    &uncaught_exception::RULE,
    &import_not_found::RULE,
    &analysis_out_of_steps::RULE,
    &analysis_out_of_memory::RULE,
    &name_not_provided::RULE,
    &unused_suppression::RULE,
    &invalid_settings::RULE,
    &moved_api::RULE,
    &internal_error::RULE,
    &launch_not_checked::RULE,
    &invalid_grid::RULE,
    &invalid_out_shape::RULE,
    &spec_count_mismatch::RULE,
    &block_rank_mismatch::RULE,
    &block_dim_not_positive::RULE,
    &index_map_arity::RULE,
    &index_map_result_count::RULE,
    &index_map_not_integer::RULE,
    &kernel_arity::RULE,
    &kernel_returns_value::RULE,
    &bad_alias::RULE,
    &grid_spec_and_grid::RULE,
    &program_id_outside_kernel::RULE,
    &grid_axis_out_of_range::RULE,
    &predicate_not_scalar::RULE,
    &block_out_of_bounds::RULE,
    &output_not_covered::RULE,
    &output_never_written::RULE,
    &empty_grid::RULE,
    &output_revisited::RULE,
    &parallel_axis_shares_memory::RULE,
    &blocks_do_not_match::RULE,
    &input_partly_read::RULE,
    &output_partly_unwritten::RULE,
    &program_without_effect::RULE,
    &operand_never_read::RULE,
    &dimension_semantics::RULE,
    &partial_result_overwritten::RULE,
    &operands_exchanged::RULE,
    &ref_index_out_of_bounds::RULE,
    &dynamic_ref_index_out_of_bounds::RULE,
    &read_before_write::RULE,
    &padding_reaches_output::RULE,
    &narrow_accumulation::RULE,
    &index_overflow::RULE,
    &same_random_numbers::RULE,
    &random_numbers_without_seed::RULE,
    &store_shape_mismatch::RULE,
    &store_dtype_mismatch::RULE,
    &shape_mismatch::RULE,
    &dtype_mismatch::RULE,
    &captured_constant::RULE,
    &python_if_on_traced_value::RULE,
    &python_int_of_traced_value::RULE,
    &ref_used_as_array::RULE,
    &bad_ref_index::RULE,
    &loop_carry_mismatch::RULE,
    &mask_shape_mismatch::RULE,
    &unknown_attribute::RULE,
    &side_effect_in_kernel::RULE,
    &when_without_function::RULE,
    &result_not_kept::RULE,
    &bad_semaphore::RULE,
    &bad_copy::RULE,
    &bad_memory_space::RULE,
    &wait_never_satisfied::RULE,
    &copy_never_awaited::RULE,
    &semaphore_not_drained::RULE,
    &data_race::RULE,
    &gpu_memory_budget::RULE,
    &gpu_read_before_write::RULE,
    &write_not_committed::RULE,
    &barrier_out_of_step::RULE,
    &slot_overwritten::RULE,
    &remote_write_without_barrier::RULE,
    &collective_id::RULE,
    &collective_mismatch::RULE,
    &device_outside_mesh::RULE,
    &semaphore_of_two_copies::RULE,
    &tpu_block_shape::RULE,
    &memory_budget::RULE,
    &triton_limits::RULE,
    &op_not_lowered::RULE,
    &debug_print_form::RULE,
    &gpu_copy_shape::RULE,
    &gpu_memory_layout::RULE,
    &gpu_product_shape::RULE,
];

/// The outputs of a launch, each with whether it shares its memory with an input.
fn outputs(launch: &Launch) -> impl Iterator<Item = (&Operand, bool)> {
    launch.with_role(Role::Output).enumerate().map(|(number, (_, operand))| {
        let aliased = launch.aliases.iter().any(|&(_, output)| output == number);
        (operand, aliased)
    })
}
