// Bundles the extension and the profile panel; with --tests, the unit tests.
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';

const common = { bundle: true, minify: !process.argv.includes('--debug'), sourcemap: false, logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...common, minify: false, entryPoints: tests, outdir: 'dist/test', platform: 'node', format: 'cjs', external: ['vscode'] });
} else {
  await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'] });
  await build({ ...common, entryPoints: ['webview/main.ts'], outfile: 'dist/profile.js', platform: 'browser', format: 'iife', target: 'es2022' });
}
