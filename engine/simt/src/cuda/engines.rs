//! Teams, phase barriers and engines in CUDA C++: mbarriers, and copies of boxes (TMA). Every warp of a team arrives once, so that
//! nobody has to wait for the others first, also where the first thread alone has something to tell: a phase is known by its parity, and
//! none ends before every warp has seen that the one before is over. A warp that is on its own arrives for all of its team. Where a block
//! arrives for another one, that one's warps meet when they have waited.

use super::prelude::Helper;
use super::printer::Printer;
use crate::Refusal;
use crate::ir::{Combine, Inst, MemoryId, Op, Share, Space, TensorMap, WARP};

pub(super) static HELPERS: &[Helper] = &[
    Helper {
        name: "at_shared",
        text: "__device__ __forceinline__ unsigned at_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }",
    },
    Helper {
        name: "matrix_at",
        text: "__device__ __forceinline__ unsigned long long matrix_at(const void* p, unsigned panel, unsigned eight, unsigned code) { return (unsigned long long)((at_shared(p) & 0x3ffff) >> 4) | (unsigned long long)(panel >> 4) << 16 | (unsigned long long)(eight >> 4) << 32 | (unsigned long long)code << 62; }",
    },
    Helper {
        name: "factor_at",
        text: "__device__ __forceinline__ unsigned long long factor_at(const void* p, unsigned panel, unsigned eight, unsigned long long code) { return (unsigned long long)((at_shared(p) & 0x3ffff) >> 4) | (unsigned long long)(panel >> 4) << 16 | (unsigned long long)(eight >> 4) << 32 | 1ull << 46 | code << 61; }",
    },
    Helper {
        name: "begin_phases",
        text: "__device__ __forceinline__ void begin_phases(unsigned long long* b, int n, unsigned arrivals) { for (int i = 0; i < n; ++i) asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \"r\"(at_shared(b + i)), \"r\"(arrivals) : \"memory\"); }",
    },
    Helper {
        name: "arrive",
        text: "__device__ __forceinline__ void arrive(unsigned long long* b, unsigned n) { asm volatile(\"mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], %1;\" :: \"r\"(at_shared(b)), \"r\"(n) : \"memory\"); }",
    },
    Helper {
        name: "expect_bytes",
        text: "__device__ __forceinline__ void expect_bytes(unsigned long long* b, unsigned n) { asm volatile(\"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\" :: \"r\"(at_shared(b)), \"r\"(n) : \"memory\"); }",
    },
    Helper {
        name: "is_over",
        text: "__device__ __forceinline__ bool is_over(unsigned long long* b, unsigned parity) { unsigned over; asm volatile(\"{\\n.reg .pred p;\\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\\nselp.b32 %0, 1, 0, p;\\n}\" : \"=r\"(over) : \"r\"(at_shared(b)), \"r\"(parity) : \"memory\"); return over; }",
    },
    Helper {
        name: "await_phase",
        text: "__device__ __forceinline__ void await_phase(unsigned long long* b, unsigned parity) { while (!is_over(b, parity)) { } }",
    },
    Helper {
        name: "first_claimed",
        text: "__device__ __forceinline__ int first_claimed(const void* p, bool* found) { int first; unsigned is; asm volatile(\"{\\n.reg .b128 h;\\n.reg .pred p;\\nld.shared.b128 h, [%2];\\nclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h;\\nselp.u32 %1, 1, 0, p;\\nmov.b32 %0, 0;\\n@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, h;\\n}\" : \"=r\"(first), \"=r\"(is) : \"r\"(at_shared(p)) : \"memory\"); *found = is != 0; return first; }",
    },
    Helper {
        name: "block_at",
        text: "__device__ __forceinline__ unsigned block_at(const void* p, unsigned block) { unsigned there; asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(at_shared(p)), \"r\"(block)); return there; }",
    },
    Helper {
        name: "arrive_at",
        text: "__device__ __forceinline__ void arrive_at(unsigned long long* b, unsigned block, unsigned n) { asm volatile(\"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;\" :: \"r\"(block_at(b, block)), \"r\"(n) : \"memory\"); }",
    },
    Helper {
        name: "is_over_everywhere",
        text: "__device__ __forceinline__ bool is_over_everywhere(unsigned long long* b, unsigned parity) { unsigned over; asm volatile(\"{\\n.reg .pred p;\\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\\nselp.b32 %0, 1, 0, p;\\n}\" : \"=r\"(over) : \"r\"(at_shared(b)), \"r\"(parity) : \"memory\"); return over; }",
    },
    Helper {
        name: "await_everywhere",
        text: "__device__ __forceinline__ void await_everywhere(unsigned long long* b, unsigned parity) { while (!is_over_everywhere(b, parity)) { } }",
    },
    Helper {
        name: "all_of_team",
        text: "__device__ __forceinline__ bool all_of_team(bool x, int team, int threads) { unsigned all; asm volatile(\"{\\n.reg .pred p, q;\\nsetp.ne.u32 p, %1, 0;\\nbar.red.and.pred q, %2, %3, p;\\nselp.u32 %0, 1, 0, q;\\n}\" : \"=r\"(all) : \"r\"((unsigned)x), \"r\"(team + 1), \"r\"(threads) : \"memory\"); return all; }",
    },
];

impl Printer<'_> {
    /// The barrier of a team.
    pub(super) fn barrier(&mut self) {
        // What threads loaded from tensor memory and stored there is ordered by their barriers only if they say so.
        let has_tensor = self.tensor_columns() > 0;
        if has_tensor {
            self.line("asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");");
        }
        self.meet();
        if has_tensor {
            self.line("asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");");
        }
    }

    /// The threads of a team, or those of a warp that is on its own, meet.
    fn meet(&mut self) {
        match self.kernel.teams {
            _ if self.in_warp => self.line("__syncwarp();"),
            1 => self.line("__syncthreads();"),
            _ => {
                let threads = self.kernel.threads;
                self.line(format!("asm volatile(\"bar.sync %0, {threads};\" :: \"r\"(team + 1) : \"memory\");"));
            }
        }
    }

    /// Whether a block of two arrives there for the other one, whose warps have nothing to arrive with. The first one's next product may
    /// follow from what a single thread of the other one does, a copy that the first one counts: so that one goes on only once all warps have
    /// seen the phase. A program whose first block does not hear from the other one between two products is wrong, in JAX as well.
    fn heard_from_the_other_block(&self, phases: MemoryId) -> bool {
        let mut heard = false;
        self.kernel.body.walk(&mut |inst| {
            heard |= matches!(&inst.op, Op::ArriveTensor { phases: other, pair: true } if *other == phases);
        });
        heard
    }

    /// Phase barriers begin, and the parities that a team waits for.
    pub(super) fn begin_phases(&mut self) {
        let warps = self.kernel.threads / WARP;
        let arrays: Vec<(String, usize, u32)> = self
            .kernel
            .memories()
            .filter_map(|(id, memory)| match memory.space {
                Space::Phases { arrivals } => Some((self.name(id), memory.len, arrivals * warps)),
                _ => None,
            })
            .collect();
        if arrays.is_empty() {
            return;
        }
        for (name, ..) in &arrays {
            self.line(format!("unsigned parity_{name} = 0;"));
        }
        self.line("if (threadIdx.x == 0) {");
        for (name, len, arrivals) in &arrays {
            self.line(format!("  begin_phases({name}, {len}, {arrivals});"));
        }
        self.line("  asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");");
        self.line("}");
        match self.kernel.cluster {
            1 => self.line("__syncthreads();"),
            _ => self.cluster_barrier(),
        }
    }

    /// All threads of a cluster meet.
    pub(super) fn cluster_barrier(&mut self) {
        self.line("asm volatile(\"barrier.cluster.arrive.aligned;\\nbarrier.cluster.wait.aligned;\" ::: \"memory\");");
    }

    /// No block of a cluster ends while another one may come to its shared memory.
    pub(super) fn end_cluster(&mut self) {
        if self.kernel.cluster > 1 {
            self.line("__syncwarp();");
            self.cluster_barrier();
        }
    }

    pub(super) fn engine(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let terms: Vec<String> = inst.operands.iter().map(|&value| self.at(value)).collect();
        let warps = self.kernel.threads / WARP;
        match &inst.op {
            Op::Arrive { phases, alone, across } => {
                let place = format!("{} + {}", self.name(*phases), terms[0]);
                let call = match across {
                    true => format!("arrive_at({place}, {}", terms[1]),
                    false => format!("arrive({place}"),
                };
                if self.tensor_columns() > 0 {
                    self.line("asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");");
                }
                if !alone {
                    self.line("__syncwarp();");
                }
                let count = if self.in_warp { warps } else { 1 };
                self.line(format!("if ((t & {}) == 0) {call}, {count});", WARP - 1));
            }
            Op::Claim { memory, phases } => {
                let (to, barrier) = (self.name(*memory), self.name(*phases));
                let all = if self.kernel.cluster > 1 { ".multicast::cluster::all" } else { "" };
                self.line(format!(
                    "if (t == 0) asm volatile(\"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{all}.b128 [%0], \
                     [%1];\" :: \"r\"(at_shared({to} + {})), \"r\"(at_shared({barrier} + {})) : \"memory\");",
                    terms[0], terms[1]
                ));
            }
            Op::Claimed(memory) => {
                let found = inst.results[1];
                self.declare(found)?;
                let first = format!("first_claimed({} + {}, &v{})", self.name(*memory), terms[0], found.0);
                self.define(inst.results[0], &first)?;
            }
            Op::Expect { phases, bytes } => {
                self.line(format!("if (t == 0) expect_bytes({} + {}, {bytes});", self.name(*phases), terms[0]));
            }
            Op::Await { phases } => {
                let name = self.name(*phases);
                let call = if self.kernel.cluster > 1 { "await_everywhere" } else { "await_phase" };
                self.line(format!("{call}({name} + {0}, parity_{name} >> {0} & 1);", terms[0]));
                self.line(format!("parity_{name} ^= 1u << {};", terms[0]));
                if !self.in_warp && self.heard_from_the_other_block(*phases) {
                    self.meet();
                }
                if self.tensor_columns() > 0 {
                    self.line("asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");");
                }
            }
            Op::Arrived { phases } => {
                let name = self.name(*phases);
                let call = if self.kernel.cluster > 1 { "is_over_everywhere" } else { "is_over" };
                let over = format!("{call}({name} + {0}, parity_{name} >> {0} & 1)", terms[0]);
                let team = if self.kernel.teams == 1 { "0" } else { "team" };
                let all = match self.in_warp {
                    true => format!("__all_sync(0xffffffffu, {over})"),
                    false => format!("all_of_team({over}, {team}, {})", self.kernel.threads),
                };
                self.define(inst.results[0], &all)?;
            }
            Op::BringBox { map: number, memory, phases, share } => {
                let (terms, whom) = terms.split_at(terms.len() - usize::from(*share != Share::Own));
                let [begins @ .., at, which] = terms else { return Ok(()) };
                let map = &self.kernel.maps[*number];
                let bytes = map.size() * self.kernel.memory(*memory).dtype.size_bytes();
                let (to, barrier) =
                    (format!("{} + {at}", self.name(*memory)), format!("{} + {which}", self.name(*phases)));
                // Another block's barrier counts only if the copy is one of two blocks.
                let (how, more, place) = match (share, whom) {
                    (Share::All, [mask]) => (
                        ".multicast::cluster",
                        format!(", \"h\"((unsigned short){mask})"),
                        format!("at_shared({barrier})"),
                    ),
                    (Share::Leader, [block]) => {
                        (".cta_group::2", String::new(), format!("block_at({barrier}, {block})"))
                    }
                    _ => ("", String::new(), format!("at_shared({barrier})")),
                };
                let (rank, places, coordinates) = coordinates(map, begins, if more.is_empty() { 3 } else { 4 });
                let mask = if more.is_empty() { "" } else { ", %3" };
                self.line("if (t == 0) {");
                if *share == Share::Own {
                    self.line(format!("  expect_bytes({barrier}, {bytes});"));
                }
                self.line(format!(
                    "  asm volatile(\"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes{how} [%0], [%1, \
                     {{{places}}}], [%2]{mask};\" :: \"r\"(at_shared({to})), \"l\"(&map_{number}), \"r\"({place}){more}{coordinates} : \
                     \"memory\");"
                ));
                self.line("}");
            }
            Op::SendBox { memory, map: number, combine } => {
                let [at, begins @ ..] = terms.as_slice() else { return Ok(()) };
                let map = &self.kernel.maps[*number];
                let from = format!("{} + {at}", self.name(*memory));
                let (rank, places, coordinates) = coordinates(map, begins, 2);
                let (what, how) = match combine {
                    Combine::Exchange => ("cp.async", String::new()),
                    combine => ("cp.reduce.async", format!(".{}", combine.name())),
                };
                self.line(format!(
                    "if (t == 0) asm volatile(\"{what}.bulk.tensor.{rank}d.global.shared::cta{how}.bulk_group [%1, {{{places}}}], [%0];\" :: \
                     \"r\"(at_shared({from})), \"l\"(&map_{number}){coordinates} : \"memory\");"
                ));
            }
            Op::CommitSent => self.line("if (t == 0) asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\");"),
            Op::WaitSent { pending, read } => {
                let read = if *read { ".read" } else { "" };
                self.line(format!(
                    "if (t == 0) asm volatile(\"cp.async.bulk.wait_group{read} {pending};\" ::: \"memory\");"
                ));
            }
            _ => self.publish(),
        }
        Ok(())
    }

    /// Engines see what the thread has written to shared memory.
    pub(super) fn publish(&mut self) {
        self.line("asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");");
    }
}

/// How many dimensions, which operands say where a box begins, and those operands: the last dimension first.
fn coordinates(map: &TensorMap, begins: &[String], first: usize) -> (usize, String, String) {
    let rank = map.boxed.len();
    let places: Vec<String> = (first..first + rank).map(|number| format!("%{number}")).collect();
    let operands: String = begins.iter().rev().map(|begin| format!(", \"r\"({begin})")).collect();
    (rank, places.join(", "), operands)
}
