import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { contributes } = manifest;
const commands = readFileSync('src/commands.ts', 'utf8').split('export function intercept')[0] ?? '';
const registered = new Set([...commands.matchAll(/^ {4}'(pallas\.\w+)':/gm)].map((match) => match[1]));
const declared: string[] = contributes.commands.map((command: { command: string }) => command.command);

test('every command of the manifest is registered', () => {
  assert.ok(registered.size > 5);
  for (const command of declared) assert.ok(registered.has(command), command);
});

test('menus and walkthroughs name commands that are there', () => {
  for (const [menu, items] of Object.entries(contributes.menus)) {
    for (const item of items as { command: string }[]) assert.ok(declared.includes(item.command), `${menu}: ${item.command}`);
  }
  for (const step of contributes.walkthroughs[0].steps) {
    // One that is not declared does not start the extension, so its link does nothing until a Python file is open.
    for (const [, command] of step.description.matchAll(/\(command:([\w.]+)\)/g)) assert.ok(declared.includes(command), `${step.id}: ${command}`);
    assert.ok(existsSync(step.media.markdown), step.media.markdown);
  }
});

test('no command of the extension has the name of one of the server', () => {
  // The client registers the server's commands under their own names; the same name twice keeps the server from starting.
  const server = readFileSync('../../lsp/src/commands.rs', 'utf8').match(/NAMES: \[&str; \d+\] =\s*\[([^\]]*)\]/)?.[1] ?? '';
  const names = [...server.matchAll(/"([\w.]+)"/g)].map((match) => match[1]);
  assert.ok(names.includes('pallas.run'));
  for (const name of names) assert.ok(!registered.has(name), name);
});

test('every setting of the server is a setting of the extension', () => {
  const source = readFileSync('../../lsp/src/settings.rs', 'utf8');
  const { properties } = contributes.configuration;
  for (const key of ['target', 'python', 'tui', 'select', 'ignore', 'severity', 'inlayHints.refs', 'inlayHints.values', 'inlayHints.launches', 'codeLens.run', 'codeLens.tests', 'codeLens.grid', 'diagnostics.enable', 'diagnostics.common', 'diagnostics.mode']) {
    assert.ok(properties[`pallas.${key}`], key);
    for (const part of key.split('.')) assert.ok(source.includes(`"${part}"`), `the server does not know ${key}`);
  }
  for (const [name, property] of Object.entries(properties) as [string, Record<string, string>][]) {
    assert.ok(property['description'] || property['markdownDescription'], `${name} has no description`);
    assert.ok(property['scope'], `${name} has no scope`);
  }
});

test('what a workspace could misuse is restricted', () => {
  for (const key of manifest.capabilities.untrustedWorkspaces.restrictedConfigurations) assert.ok(contributes.configuration.properties[key], key);
});

test('the problem matcher reads what the programs print', () => {
  const [first, second] = contributes.problemMatchers[0].pattern;
  assert.deepEqual('error[PL106]: this index map is called with 2 program ids'.match(first.regexp)?.slice(1), ['error', 'PL106', 'this index map is called with 2 program ids']);
  assert.deepEqual('  --> kernels/scale.py:17:40'.match(second.regexp)?.slice(1), ['kernels/scale.py', '17', '40']);
});

test('the extension has the version of the workspace', () => {
  const cargo = readFileSync('../../Cargo.toml', 'utf8');
  assert.equal(/\[workspace\.package\][^[]*?\nversion = "([^"]+)"/.exec(cargo)?.[1], manifest.version);
});
