import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Collected, compared, type Event, Reader, rows, shown, speaksOfJax } from '../src/tests';

const one = (name: string, fn: string, classes: string[] = [], line = 3): Collected => ({
  id: ['a/test_x.py', ...classes, name].join('::'),
  file: 'a/test_x.py',
  line,
  classes,
  class_line: classes.length > 0 ? 2 : null,
  function: fn,
  name,
});

test('tests are rows by class, function and parameters', () => {
  const found = rows([one('test_a', 'test_a', [], 1), one('test_b[1]', 'test_b', ['TestC']), one('test_b[2]', 'test_b', ['TestC']), one('test_d0', 'test_d', ['TestC', 'TestIn'])]);
  const outline = (list: typeof found): unknown => list.map((row) => [row.label, row.line, outline(row.rows)]);
  assert.deepEqual(outline(found), [
    ['test_a', 1, []],
    [
      'TestC',
      2,
      [
        ['test_b', 3, [['[1]', 3, []], ['[2]', 3, []]]],
        ['TestIn', 2, [['test_d', 3, [['test_d0', 3, []]]]]],
      ],
    ],
  ]);
  assert.equal(found[1]?.rows[0]?.id, 'a/test_x.py::TestC::test_b');
});

test('events are read however they are cut', () => {
  const seen: Event[] = [];
  const reader = new Reader((event) => seen.push(event));
  const text = '{"event":"started","id":"a"}\nno event\n3\n{"event":"output","stream":"stdout","text":"x\\n"}\n{"event":"sta';
  for (const character of text) reader.push(character);
  assert.deepEqual(seen.map((event) => event.event), ['started', 'output']);
});

test('places in output can be followed', () => {
  assert.equal(shown('  File "a/test_x.py", line 3, in f\n  File "/b.py", line 1\n  --> a.py:1:2\n', '/w'), '  File "/w/a/test_x.py", line 3, in f\r\n  File "/b.py", line 1\r\n  --> /w/a.py:1:2\r\n');
});

test('comparisons have two sides', () => {
  assert.deepEqual(compared('assert 2 == 3'), { actual: '2', expected: '3' });
  assert.equal(compared('ValueError: x'), undefined);
});

test('files of others are left alone', () => {
  assert.ok(speaksOfJax('from jax.experimental import pallas'));
  assert.ok(!speaksOfJax('import ajax'));
});
