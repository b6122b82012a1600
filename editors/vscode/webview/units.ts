/** Numbers with units, three digits each. */

function digits(value: number): string {
  return Number(value.toPrecision(3)).toString();
}

function prefixed(value: number, steps: [number, string][]): string {
  for (const [size, unit] of steps) {
    if (Math.abs(value) >= size) return `${digits(value / size)} ${unit}`;
  }
  const last = steps.at(-1) ?? [1, ''];
  return `${digits(value / last[0])} ${last[1]}`;
}

/** Nanoseconds. */
export function time(value: number): string {
  if (value === 0) return '0 s';
  return prefixed(value, [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns'], [1e-3, 'ps']]);
}

/** Bytes. */
export function bytes(value: number): string {
  return prefixed(value, [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']]);
}

/** Floating-point operations. */
export function flops(value: number): string {
  return prefixed(value, [[1e12, 'TFLOP'], [1e9, 'GFLOP'], [1e6, 'MFLOP'], [1e3, 'kFLOP'], [1, 'FLOP']]);
}

/** A share of a whole. */
export function share(part: number, whole: number): string {
  return whole > 0 ? `${digits((100 * part) / whole)} %` : '';
}
