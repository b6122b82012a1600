/** What a program's first bytes say it is made for. Knows formats of files, and reads none. */

/** A system and a processor, in Node's words. */
export interface Machine {
  system: string;
  /** Absent where one file is for several. */
  processor?: string;
}

/** So many bytes are enough. */
export const HEAD = 4096;

const SYSTEMS: Record<string, string> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };

const ELF: Record<number, string> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64' };
const PE: Record<number, string> = { 0x14c: 'ia32', 0x8664: 'x64', 0xaa64: 'arm64' };
const MACH: Record<number, string> = { 0x01000007: 'x64', 0x0100000c: 'arm64' };

/** What a program is made for; `undefined` for what is no program that is known, a script for example. */
export function madeFor(head: Uint8Array): Machine | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const named = (system: string, table: Record<number, string>, code: number) => ({ system, processor: table[code] ?? `processor ${code}` });
  if (head.length >= 20 && view.getUint32(0) === 0x7f454c46) return named('linux', ELF, view.getUint16(18, head[5] === 1));
  if (head.length >= 8 && view.getUint32(0, true) === 0xfeedfacf) return named('darwin', MACH, view.getUint32(4, true));
  if (head.length >= 8 && view.getUint32(0) === 0xcafebabe) return { system: 'darwin' };
  if (head.length >= 64 && view.getUint16(0) === 0x4d5a) {
    const at = view.getUint32(0x3c, true);
    if (at + 6 <= head.length && view.getUint32(at) === 0x50450000) return named('win32', PE, view.getUint16(at + 4, true));
  }
  return undefined;
}

/** As people say it. */
export function say(machine: Machine): string {
  const system = SYSTEMS[machine.system] ?? machine.system;
  return machine.processor ? `${system} on ${machine.processor}` : system;
}

/** Why a program that does not start is none for this machine; `undefined` if it is one, as far as can be seen. */
export function misfit(head: Uint8Array, here: Required<Machine>): string | undefined {
  const made = madeFor(head);
  if (!made || (made.system === here.system && (made.processor ?? here.processor) === here.processor)) return undefined;
  return `it is made for ${say(made)}, and this machine is ${say(here)}`;
}
