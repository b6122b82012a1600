/** Tries a program out before a session is begun with it, so that what is wrong with it can be said in a sentence. */

import { execFile } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { HEAD, misfit } from './binary';

/** A program that says nothing for so long is left to the session. */
const PATIENCE = 10_000;

function headOf(path: string): Uint8Array {
  const head = Buffer.alloc(HEAD);
  try {
    const file = openSync(path, 'r');
    try {
      return head.subarray(0, readSync(file, head, 0, HEAD, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return new Uint8Array();
  }
}

/** Why a program that is there does not start; `undefined` if it says its version, or nothing bad at least. */
export function failure(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(path, ['--version'], { timeout: PATIENCE, windowsHide: true }, (error, _out, errors) => {
      if (!error || (error.killed && error.signal === 'SIGTERM')) return resolve(undefined);
      // A shell may have taken another machine's program for a script, and says something about that.
      const other = misfit(headOf(path), { system: process.platform, processor: process.arch });
      if (other) return resolve(other);
      if (error.code === 'ENOENT') return resolve('the system has no loader for it: it is made for another Linux (with glibc or with musl), or what its first line names is missing');
      if (typeof error.code === 'string') return resolve(`the system refuses it (${error.code})`);
      const said = errors.trim().split('\n').at(-1) ?? '';
      const end = error.signal ? `it was ended by ${error.signal}` : `it ended with status ${error.code}`;
      resolve(said === '' ? end : `${end}: ${said}`);
    });
    child.stdin?.end();
  });
}
