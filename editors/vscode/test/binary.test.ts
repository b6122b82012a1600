import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeFor, misfit } from '../src/binary';

function bytes(length: number, ...parts: [number, number[]][]): Uint8Array {
  const made = new Uint8Array(length);
  for (const [at, values] of parts) made.set(values, at);
  return made;
}

const elf = (machine: number[], order = 1) => bytes(64, [0, [0x7f, 0x45, 0x4c, 0x46, 2, order]], [18, machine]);
const pe = (machine: number[]) => bytes(256, [0, [0x4d, 0x5a]], [0x3c, [0x80]], [0x80, [0x50, 0x45, 0, 0, ...machine]]);

test('programs say what they are made for', () => {
  assert.deepEqual(madeFor(elf([62, 0])), { system: 'linux', processor: 'x64' });
  assert.deepEqual(madeFor(elf([183, 0])), { system: 'linux', processor: 'arm64' });
  assert.deepEqual(madeFor(elf([0, 21], 2)), { system: 'linux', processor: 'processor 21' });
  assert.deepEqual(madeFor(pe([0x64, 0x86])), { system: 'win32', processor: 'x64' });
  assert.deepEqual(madeFor(pe([0x64, 0xaa])), { system: 'win32', processor: 'arm64' });
  assert.deepEqual(madeFor(bytes(32, [0, [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]])), { system: 'darwin', processor: 'arm64' });
  assert.deepEqual(madeFor(bytes(32, [0, [0xca, 0xfe, 0xba, 0xbe]])), { system: 'darwin' });
});

test('what is no program that is known is not judged', () => {
  for (const head of [new Uint8Array(), new TextEncoder().encode('#!/bin/sh\nexit 1\n'), bytes(64, [0, [0x4d, 0x5a]], [0x3c, [0xff, 0xff, 0xff, 0x7f]])]) {
    assert.equal(misfit(head, { system: 'linux', processor: 'x64' }), undefined);
  }
});

test('a program for another machine is told apart', () => {
  const here = { system: 'linux', processor: 'x64' };
  assert.equal(misfit(elf([62, 0]), here), undefined);
  assert.equal(misfit(elf([183, 0]), here), 'it is made for Linux on arm64, and this machine is Linux on x64');
  assert.equal(misfit(pe([0x64, 0x86]), here), 'it is made for Windows on x64, and this machine is Linux on x64');
  assert.equal(misfit(bytes(32, [0, [0xca, 0xfe, 0xba, 0xbe]]), here), 'it is made for macOS, and this machine is Linux on x64');
});
