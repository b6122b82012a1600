/** The extension: puts the parts together. */

import * as vscode from 'vscode';
import { intercept, table, type Needs } from './commands';
import { Documents } from './documents';
import { Panels } from './panel';
import { Recent } from './recent';
import { Session } from './session';
import { Status } from './status';
import * as tasks from './tasks';
import { Tests } from './testing';

let session: Session | undefined;

/** Settings that say which programs are started. */
const PROGRAMS = ['pallas.path', 'pallas.tui', 'pallas.importStrategy'];

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Pallas', { log: true });
  const trace = vscode.window.createOutputChannel('Pallas Server Trace', { log: true });
  const status = new Status();
  const documents = new Documents();
  const panels = new Panels(context);
  const recent = new Recent();
  const tests = new Tests(context, log);
  const commands: Record<string, (argument?: unknown) => unknown> = {};
  session = new Session(context, log, trace, status, (command, args) => intercept(commands, command, args));
  const needs: Needs = { context, session, documents, panels, recent, tests, log, trace };
  Object.assign(commands, table(needs));
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  const started = session;
  context.subscriptions.push(
    log,
    trace,
    status,
    documents,
    panels,
    recent,
    tests,
    session,
    vscode.tasks.registerTaskProvider('pallas', tasks.provider(context)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void started.renew()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (PROGRAMS.some((name) => change.affectsConfiguration(name))) void started.renew();
    }),
    // Which files are on no disk is known from the folders.
    vscode.workspace.onDidChangeWorkspaceFolders(({ added }) => {
      if (added.some((folder) => folder.uri.scheme !== 'file')) void started.renew();
    }),
    // Neighbours come and go.
    vscode.extensions.onDidChange(() => void started.tellSettings()),
    vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (editor?.document.languageId === 'python') return;
      for (const key of ['pallas.hasLaunches', 'pallas.hasTests']) void vscode.commands.executeCommand('setContext', key, false);
    }),
  );
  // A folder with tests fills the Testing view; a server is for Python that is open, or for whoever asks it something.
  const isPython = (document: vscode.TextDocument) => document.languageId === 'python';
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (isPython(document)) void started.need();
    }),
  );
  if (vscode.workspace.textDocuments.some(isPython)) await started.need();
}

export function deactivate(): Promise<void> | undefined {
  return session?.end();
}
