import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { failure } from '../src/trial';

const folder = mkdtempSync(join(tmpdir(), 'pallas-trial-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o755 });
  return path;
}

const skip = process.platform === 'win32' ? 'its programs are no scripts' : false;

test('a program that answers is not refused', { skip }, async () => {
  assert.equal(await failure(program('good', '#!/bin/sh\necho pallas-lsp 0.1.0\n')), undefined);
});

test('what a program says last is why', { skip }, async () => {
  const path = program('old', '#!/bin/sh\necho "old: version GLIBC_2.99 not found" >&2\nexit 1\n');
  assert.equal(await failure(path), 'it ended with status 1: old: version GLIBC_2.99 not found');
});

test('a program that the system has no loader for is told apart from one that is not there', { skip }, async () => {
  assert.match((await failure(program('musl', '#!/nowhere/ld-musl.so\n'))) ?? '', /^the system has no loader for it/);
});

test("another machine's program is told apart, though a shell may try it as a script", { skip }, async () => {
  const head = new Uint8Array(4096);
  // The processor of mainframes: nobody's machine.
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, 2], 0);
  head.set([0, 22], 18);
  assert.match((await failure(program('s390x', head))) ?? '', /^it is made for Linux on processor 22, and this machine is /);
});
