/** Tasks: the programs of the workbench in terminals, with a problem matcher. */

import { dirname } from 'node:path';
import * as vscode from 'vscode';
import * as programs from './programs';

interface Definition extends vscode.TaskDefinition {
  command: 'run' | 'check' | 'profile' | 'watch';
  file?: string;
  args?: string[];
}

const TITLES = { run: 'Run', check: 'Check', profile: 'Profile', watch: 'Watch' } as const;

/** The command line of a task, after the program. */
export function argumentsOf(definition: Definition, file: string, python: string): string[] {
  const environment = python === '' ? [] : ['--python', python];
  const command = definition.command === 'watch' ? [] : [definition.command];
  const own = definition.args ?? [];
  return [...command, ...environment, file, ...(definition.command === 'watch' && own.length > 0 ? ['--', ...own] : own)];
}

async function task(context: vscode.ExtensionContext, definition: Definition, file: string): Promise<vscode.Task | string> {
  const program = await programs.runner(context);
  if (!('path' in program)) return program.reason;
  const line = argumentsOf(definition, file, vscode.workspace.getConfiguration('pallas').get<string>('python', ''));
  const execution = new vscode.ProcessExecution(program.path, line, { cwd: dirname(file) });
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file)) ?? vscode.TaskScope.Workspace;
  const name = `${TITLES[definition.command]} ${file.replace(/^.*[\\/]/, '')}`;
  const made = new vscode.Task(definition, folder, name, 'pallas', execution, definition.command === 'watch' ? [] : ['$pallas']);
  made.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    panel: vscode.TaskPanelKind.Dedicated,
    clear: true,
    focus: definition.command === 'watch',
    showReuseMessage: false,
  };
  return made;
}

/** Does something with a file in a terminal. */
export async function execute(context: vscode.ExtensionContext, command: Definition['command'], file: string): Promise<void> {
  const made = await task(context, { type: 'pallas', command, file }, file);
  if (typeof made === 'string') {
    void vscode.window.showErrorMessage(`Pallas: ${made}.`, 'Open Settings').then((chosen) => {
      if (chosen) void vscode.commands.executeCommand('workbench.action.openSettings', 'pallas.tui');
    });
    return;
  }
  await vscode.tasks.executeTask(made);
}

/** Offers tasks for the file in the active editor, and completes those of `tasks.json`. */
export function provider(context: vscode.ExtensionContext): vscode.TaskProvider {
  const active = () => {
    const document = vscode.window.activeTextEditor?.document;
    return document?.languageId === 'python' && document.uri.scheme === 'file' ? document.uri.fsPath : undefined;
  };
  const absolute = (file: string, scope: vscode.Task['scope']) => {
    const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
    return folder ? vscode.Uri.joinPath(folder.uri, file).fsPath : file;
  };
  return {
    async provideTasks() {
      const file = active();
      if (!file) return [];
      const made = await Promise.all((['run', 'check', 'profile'] as const).map((command) => task(context, { type: 'pallas', command, file }, file)));
      return made.filter((one): one is vscode.Task => typeof one !== 'string');
    },
    async resolveTask(given) {
      const definition = given.definition as Definition;
      const named = definition.file;
      const file = named === undefined ? active() : /^([\\/]|[a-zA-Z]:)/.test(named) ? named : absolute(named, given.scope);
      if (!file) return undefined;
      const made = await task(context, definition, file);
      if (typeof made === 'string') return undefined;
      // The definition has to be the very one that was asked for.
      const execution = made.execution as vscode.ProcessExecution;
      return new vscode.Task(definition, given.scope ?? vscode.TaskScope.Workspace, given.name, 'pallas', execution, ['$pallas']);
    },
  };
}
