/** The commands of the palette, of menus and of lenses. */

import * as vscode from 'vscode';
import { notebookOf } from './cells';
import type { Documents } from './documents';
import type { Panels } from './panel';
import type { Recent } from './recent';
import type { Session } from './session';
import * as tasks from './tasks';
import type { Tests } from './testing';

/** What commands need. */
export interface Needs {
  context: vscode.ExtensionContext;
  session: Session;
  documents: Documents;
  panels: Panels;
  recent: Recent;
  tests: Tests;
  log: vscode.LogOutputChannel;
  trace: vscode.LogOutputChannel;
}

/** The URI in a command's first argument: one itself, or a lens's table. */
export function uriOf(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  const text = typeof argument === 'string' ? argument : (argument as { uri?: unknown } | undefined)?.uri;
  return typeof text === 'string' ? vscode.Uri.parse(text) : undefined;
}

/** Says that there is no file to do something with, with a way on. */
function openFirst(): void {
  void vscode.window.showErrorMessage('Pallas: open a Python file first.', 'Open Sample Kernel').then((chosen) => {
    if (chosen) void vscode.commands.executeCommand('pallas.openSample');
  });
}

/** The file that a command is about, saved; `undefined` if there is none, which is said. */
async function fileOf(needs: Needs, argument: unknown): Promise<vscode.Uri | undefined> {
  const wanted = uriOf(argument) ?? needs.recent.uri();
  if (!wanted) {
    openFirst();
    return undefined;
  }
  // A cell is run with its notebook.
  const notebook = notebookOf(wanted);
  const document = notebook ?? vscode.workspace.textDocuments.find((open) => open.uri.toString() === wanted.toString());
  const uri = notebook?.uri ?? wanted;
  if (document?.isUntitled || uri.scheme !== 'file') {
    const where = document?.isUntitled ? 'this is not a file on a disk yet' : `${uri.path.replace(/^.*\//, '')} is on no disk (it is a \`${uri.scheme}:\` file)`;
    const chosen = await vscode.window.showErrorMessage(`Pallas: ${where}; only files on a disk are run.`, 'Save As...');
    if (chosen) await vscode.commands.executeCommand('workbench.action.files.saveAs');
    return undefined;
  }
  if (document?.isDirty && !(await document.save())) {
    void vscode.window.showErrorMessage(`Pallas: ${uri.fsPath} could not be saved, so it was not run.`);
    return undefined;
  }
  return uri;
}

interface Outcome {
  exit: number | null;
  cancelled: boolean;
  stdout: string;
  stderr: string;
  report: unknown;
}

async function profile(needs: Needs, argument: unknown): Promise<void> {
  const uri = await fileOf(needs, argument);
  if (!uri) return;
  const name = uri.path.replace(/^.*\//, '');
  const outcome = await needs.session.execute<Outcome>('pallas.profile', { uri: uri.toString() }, `Profiling ${name}`);
  if (!outcome || outcome.cancelled) return;
  const report = outcome.report as { launches?: unknown[] } | null;
  if (report?.launches?.length) {
    needs.panels.show(report, uri.fsPath);
  }
  if (outcome.exit !== 0) {
    needs.log.error(`profiling ${uri.fsPath} ended with status ${outcome.exit}\n${outcome.stderr}`);
    const last = outcome.stderr.trim().split('\n').at(-1) ?? '';
    void needs.session.offer(`Pallas: ${name}: ${last || `it ended with status ${outcome.exit}`}`, 'Show Logs');
  } else if (!report?.launches?.length) {
    void needs.session.offer(`Pallas: ${name} ran, and launched no kernel, so there is nothing to show. Does something call the function that has the \`pallas_call\`?`, 'Run in Terminal');
  }
}

/** Runs tests: what a lens names, else all of the file. */
async function test(needs: Needs, argument: unknown, isStrict: boolean): Promise<void> {
  const uri = await fileOf(needs, argument);
  if (!uri) return;
  const lens = argument instanceof vscode.Uri ? undefined : (argument as { test?: string; strict?: boolean } | undefined);
  await needs.tests.runHere(uri, lens?.test, lens?.strict ?? isStrict);
}

const ANOTHER = 'Another rule...';

/** The rule of a finding. */
function codeOf(diagnostic: vscode.Diagnostic): string {
  const value = diagnostic.code;
  return typeof value === 'object' ? String(value.value) : String(value ?? '');
}

async function explain(needs: Needs, argument: unknown): Promise<void> {
  let code = typeof argument === 'string' ? argument : (argument as { code?: string } | undefined)?.code;
  const editor = code ? undefined : await needs.recent.editor();
  if (editor) {
    const here = vscode.languages.getDiagnostics(editor.document.uri).filter((diagnostic) => diagnostic.source === 'pallas');
    const at = editor.selection.active;
    const touched = here.find((diagnostic) => diagnostic.range.contains(at)) ?? here.find((diagnostic) => diagnostic.range.start.line === at.line);
    if (touched) {
      code = codeOf(touched);
    } else if (here.length > 0) {
      const rules = new Map(here.map((diagnostic) => [codeOf(diagnostic), diagnostic]));
      const rows = [...rules].map(([label, { message, range }]) => ({ label, description: `line ${range.start.line + 1}`, detail: message.split('\n')[0] ?? '' }));
      const chosen = await vscode.window.showQuickPick([...rows, { label: ANOTHER, description: '', detail: '' }], { title: 'Explain which finding of this file?', matchOnDetail: true });
      if (!chosen) return;
      if (chosen.label !== ANOTHER) code = chosen.label;
    }
  }
  code ??= await vscode.window.showInputBox({ title: 'Explain a rule of Pallas', placeHolder: 'PL106 or index-map-arity' });
  if (!code) return;
  const page = await needs.session.execute<{ text: string }>('pallas.explain', { code });
  if (page) await needs.documents.preview(`${code}.md`, page.text);
}

/** Asks the server for another form of the launch at the cursor, and shows it. */
async function form(needs: Needs, command: string, ending: string, more: Record<string, string> = {}, language?: string): Promise<void> {
  const editor = await needs.recent.editor();
  if (editor?.document.languageId !== 'python') {
    openFirst();
    return;
  }
  const { line, character } = editor.selection.active;
  const argument = { uri: editor.document.uri.toString(), position: { line, character }, ...more };
  const shown = await needs.session.execute<{ text: string; uri?: string }>(command, argument);
  if (!shown || (shown.uri && (await needs.documents.follow(shown.uri, language)))) return;
  await needs.documents.show(`${editor.document.uri.path.replace(/^.*\//, '')}.${ending}`, shown.text, language);
}

async function generatedCode(needs: Needs, argument: unknown): Promise<void> {
  const forms = [
    { label: 'CUDA C++', detail: 'what NVRTC compiles, with the Pallas line of each part', form: 'cuda', language: 'cpp' },
    { label: 'SIMT IR', detail: 'what each thread of a GPU does', form: 'simt' },
    { label: 'Triton IR', detail: 'what Triton compiles', form: 'ttir' },
    { label: 'CUDA Tile IR', detail: 'what the tile compiler of NVIDIA takes', form: 'tileir' },
  ];
  const asked = (argument as { form?: string } | undefined)?.form;
  const chosen = forms.find((one) => one.form === asked) ?? (await vscode.window.showQuickPick(forms, { title: 'Show generated code as' }));
  if (chosen) await form(needs, 'pallas.generatedCode', chosen.form, { form: chosen.form }, chosen.language);
}

async function openProfile(needs: Needs): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({ title: 'Open a profile report', filters: { 'Profile reports': ['json'] } });
  const uri = chosen?.[0];
  if (!uri) return;
  try {
    const report = JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
    if (report?.version !== 1 || !Array.isArray(report.launches)) throw new Error('it is no profile report of version 1');
    if (report.launches.length === 0) throw new Error('the program that it is of launched no kernel, so there is nothing to show');
    needs.panels.show(report, report.program?.path ?? uri.fsPath);
  } catch (error) {
    void vscode.window.showErrorMessage(`Pallas: ${uri.fsPath}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function openSample(needs: Needs): Promise<void> {
  const source = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(needs.context.extensionUri, 'media', 'sample.py'));
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? needs.context.globalStorageUri;
  const target = vscode.Uri.joinPath(folder, 'pallas_sample.py');
  try {
    await vscode.workspace.fs.stat(target);
  } catch {
    await vscode.workspace.fs.createDirectory(folder);
    await vscode.workspace.fs.writeFile(target, source);
  }
  // Beside the walkthrough, whose next steps are about it.
  await vscode.window.showTextDocument(target, { viewColumn: vscode.window.activeTextEditor ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside });
}

/** The commands by name. */
export function table(needs: Needs): Record<string, (argument?: unknown) => unknown> {
  const terminal = (command: 'run' | 'profile' | 'watch') => async (argument?: unknown) => {
    const uri = await fileOf(needs, argument);
    if (uri) await tasks.execute(needs.context, command, uri.fsPath);
  };
  return {
    'pallas.runFile': terminal('run'),
    'pallas.profileFile': (argument) => profile(needs, argument),
    'pallas.testFile': (argument) => test(needs, argument, false),
    'pallas.testFileStrict': (argument) => test(needs, argument, true),
    'pallas.watchFile': terminal('watch'),
    'pallas.profileInTerminal': terminal('profile'),
    'pallas.openProfile': () => openProfile(needs),
    'pallas.showKernelIr': () => form(needs, 'pallas.kernelIr', 'ir'),
    'pallas.showGeneratedCode': (argument) => generatedCode(needs, argument),
    'pallas.explainFinding': (argument) => explain(needs, argument),
    'pallas.restartServer': () => needs.session.restart(),
    'pallas.showLogs': () => needs.log.show(),
    'pallas.showServerTrace': () => needs.trace.show(),
    'pallas.openSample': () => openSample(needs),
    'pallas.printDebugInformation': async () => {
      const server = await needs.session.execute<{ text: string }>('pallas.debugInformation', undefined);
      const about = `extension ${needs.context.extension.packageJSON.version}, ${vscode.env.appName} ${vscode.version}\nserver: ${needs.session.description}\n`;
      await needs.documents.show('debug-information.txt', `${about}\n${server?.text ?? ''}`);
    },
  };
}

/** What lenses and code actions of the server mean in this editor. */
export function intercept(commands: Record<string, (argument?: unknown) => unknown>, command: string, args: unknown[]): Promise<unknown> | undefined {
  const ours: Record<string, string> = {
    'pallas.run': 'pallas.runFile',
    'pallas.profile': 'pallas.profileFile',
    'pallas.test': 'pallas.testFile',
    'pallas.explain': 'pallas.explainFinding',
  };
  const name = ours[command];
  const found = name ? commands[name] : undefined;
  return found ? Promise.resolve(found(args[0])) : undefined;
}
