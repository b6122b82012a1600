import assert from 'node:assert/strict';
import { test } from 'node:test';
import { common, environmentOf, expand, find, fits, type Surroundings, type Wanted } from '../src/discovery';

function around(files: string[], more: Partial<Surroundings> = {}): Surroundings {
  return {
    windows: false,
    home: '/home/me',
    folders: ['/work/a', '/work/b'],
    path: ['/usr/bin', ''],
    environments: ['/env', '/work/a/.venv'],
    extension: '/ext',
    exists: (path) => files.includes(path),
    ...more,
  };
}

const wanted: Wanted = { name: 'pallas-lsp', paths: [], fromEnvironment: true, trusted: true };
const everywhere = ['/env/bin/pallas-lsp', '/usr/bin/pallas-lsp', '/ext/server/pallas-lsp', '/home/me/pallas-lsp', '/work/b/pallas-lsp'];

test('what the user names goes first', () => {
  assert.deepEqual(find({ ...wanted, paths: ['~/pallas-lsp'] }, around(everywhere)), { path: '/home/me/pallas-lsp', from: 'setting' });
  const inFolder = find({ ...wanted, paths: ['/no', '${workspaceFolder}/pallas-lsp'] }, around(everywhere));
  assert.deepEqual(inFolder, { path: '/work/b/pallas-lsp', from: 'setting' });
});

test('what the user names and is not there is not passed over', () => {
  const found = find({ ...wanted, paths: ['/no/pallas-lsp'] }, around(everywhere));
  assert.match('reason' in found ? found.reason : '', /settings name \/no\/pallas-lsp/);
});

test('then the environment, then PATH, then the extension', () => {
  assert.deepEqual(find(wanted, around(everywhere)), { path: '/env/bin/pallas-lsp', from: 'environment' });
  assert.deepEqual(find(wanted, around(everywhere.slice(1))), { path: '/usr/bin/pallas-lsp', from: 'PATH' });
  assert.deepEqual(find(wanted, around(everywhere.slice(2))), { path: '/ext/server/pallas-lsp', from: 'extension' });
});

test('useBundled takes the extension alone', () => {
  assert.deepEqual(find({ ...wanted, fromEnvironment: false }, around(everywhere)), { path: '/ext/server/pallas-lsp', from: 'extension' });
  const found = find({ ...wanted, fromEnvironment: false }, around(everywhere.slice(0, 2)));
  assert.match('reason' in found ? found.reason : '', /none comes with this build/);
});

test('a workspace that is not trusted names nothing', () => {
  const untrusted = { ...wanted, trusted: false, paths: ['/work/b/pallas-lsp'] };
  assert.deepEqual(find(untrusted, around(everywhere)), { path: '/ext/server/pallas-lsp', from: 'extension' });
  const found = find(untrusted, around(everywhere.slice(0, 2)));
  assert.match('reason' in found ? found.reason : '', /not trusted/);
});

test('Windows has other names', () => {
  const windows = around(['C:/env/Scripts/pallas-lsp.exe'], { windows: true, environments: ['C:/env'] });
  assert.deepEqual(find(wanted, windows), { path: 'C:/env/Scripts/pallas-lsp.exe', from: 'environment' });
});

test('paths are expanded', () => {
  assert.deepEqual(expand('${workspaceFolder}/x', around([])), ['/work/a/x', '/work/b/x']);
  assert.deepEqual(expand('~/x', around([])), ['/home/me/x']);
  assert.deepEqual(expand('/x~', around([])), ['/x~']);
});

test('environments are found from their interpreters', () => {
  assert.equal(environmentOf('/env/bin/python3.11'), '/env');
  assert.equal(environmentOf('C:\\env\\Scripts\\python.exe'), 'C:\\env');
  assert.equal(environmentOf('C:\\conda\\python.exe'), 'C:\\conda');
  assert.equal(environmentOf('/env'), '/env');
});

test('beside others, what they say is left to them', () => {
  const beside = (extension: string) => extension === 'charliermarsh.ruff';
  assert.equal(common('auto', beside), false);
  assert.equal(common(undefined, () => false), true);
  assert.equal(common('on', beside), true);
  assert.equal(common('off', () => false), false);
});

test('versions go together up to the last dot', () => {
  assert.ok(fits('0.1.7', '0.1.0') && fits(undefined, '0.1.0'));
  assert.ok(!fits('0.2.0', '0.1.0') && !fits('1.1.0', '0.1.0'));
});
