/** The profile report, version 1, as far as the panel reads it. The schema is `engine/profile/schema/profile-v1.json`. */

export interface Place {
  file: number;
  start: number;
  end: number;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

export type Stage = 'copy_in' | 'compute' | 'copy_out' | 'wait';

export interface Event {
  program: number;
  stage: Stage;
  operand: number | null;
  slot: number;
  lane: number;
  start: number;
  end: number;
  bytes: number;
  flops: number;
  place: Place | null;
}

export type BlockDim = { kind: 'blocked'; size: number } | { kind: 'squeezed' } | { kind: 'element'; size: number; low: number; high: number };

export type IndexForm = { kind: 'affine'; constant: number; coefficients: number[] } | { kind: 'general' } | { kind: 'data' };

export interface Operand {
  name: string;
  role: 'prefetch' | 'input' | 'output';
  dtype: string;
  shape: number[];
  block: BlockDim[];
  space: string;
  formula: string;
  map: IndexForm[];
  spec: Place | null;
  index_map: Place | null;
  parameter: Place | null;
}

export interface Measured {
  device: string;
  runs: number;
  programs: number;
  time: number;
  copy_in: number;
  compute: number;
  copy_out: number;
  operands: { operand: number; stage: Stage; time: number; copies: number; bytes: number }[];
  lines: { place: Place; time: number }[];
  line_programs: number;
  bins: { programs: number; start: number[]; copy_in: number[]; compute: number[]; copy_out: number[]; longest: number[] };
  events: Event[];
  blocks: number[][][];
}

export interface Modelled {
  time: number;
  compute: number;
  fill: number;
  drain: number;
  stalls: number;
  utilisation: number;
  flops: number;
  bytes: number;
  intensity: number | null;
  peak: number;
  bound: 'compute' | 'bandwidth' | 'latency';
  lines: { place: Place; flops: number }[];
  on_chip: number;
  fits: boolean;
  schedule: { streams: { operand: number; slots: number; copies: number; block_bytes: number }[] };
  advice: {
    slots: { slots: number; time: number; on_chip: number; fits: boolean }[];
    best_slots: number | null;
    blocks: { grid: number[]; blocks: number[][]; time: number; bytes: number; on_chip: number; bound: string }[];
  };
  events: Event[];
  complete: boolean;
  lanes?: Lanes;
}

/** What threads, cores and engines do at the same time. */
export interface Lanes {
  lanes: { name: string; kind: string }[];
  events: LaneEvent[];
  time: number;
  complete: boolean;
}

export interface LaneEvent {
  lane: number;
  stage: string;
  /** For whom, by position in `lanes`; reports from before do not say it, nor any of the next. */
  agent?: number;
  name: string;
  buffer?: string;
  slot?: number | null;
  phase?: number | null;
  ended_by?: { lane: number; event: number | null } | null;
  start: number;
  end: number;
  bytes: number;
  place: Place | null;
}

export interface Launch {
  kernel: string;
  /** What it is modelled on, and why; older reports have one machine for all. */
  machine?: { name: string; key: string; named: boolean; why: string };
  call: Place | null;
  definition: Place | null;
  grid: number[];
  programs: number;
  operands: Operand[];
  findings: number[];
  marks: { ids: number[]; finding: number }[];
  modelled: Modelled;
  measured: Measured | null;
}

export interface Finding {
  code: string;
  severity: 'error' | 'warning' | 'info';
  certainty: string;
  message: string;
  place: Place | null;
  evidence: string | null;
  help: string | null;
}

export interface Report {
  version: number;
  program: { path: string; exit: number | null };
  sources: { file: number; path: string; text: string }[];
  machine: { name: string; key: string };
  launches: Launch[];
  findings: Finding[];
}
