/** The programs of this workspace: the server, and what runs kernels. */

import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import * as vscode from 'vscode';
import { environmentOf, find, type Found, type Missing, type Surroundings } from './discovery';

function exists(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The Python environment that the user selected: in our settings, else in the Python extension. */
export async function selectedPython(): Promise<string> {
  const set = vscode.workspace.getConfiguration('pallas').get<string>('python', '');
  if (set !== '') return set;
  const python = vscode.extensions.getExtension('ms-python.python');
  if (!python) return '';
  try {
    // What the Python extension offers to others; absent in old versions.
    const api = python.isActive ? python.exports : await python.activate();
    return api?.environments?.getActiveEnvironmentPath?.()?.path ?? '';
  } catch {
    return '';
  }
}

async function surroundings(context: vscode.ExtensionContext): Promise<Surroundings> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file').map((folder) => folder.uri.fsPath);
  const python = await selectedPython();
  const environments = [python === '' ? '' : environmentOf(python), process.env['VIRTUAL_ENV'] ?? '', ...folders.map((folder) => `${folder}/.venv`)];
  return {
    windows: process.platform === 'win32',
    home: homedir(),
    folders,
    path: (process.env['PATH'] ?? '').split(delimiter),
    environments: environments.filter((environment) => environment !== ''),
    extension: context.extensionPath,
    exists,
  };
}

/** The server. */
export async function server(context: vscode.ExtensionContext): Promise<Found | Missing> {
  const settings = vscode.workspace.getConfiguration('pallas');
  const fromEnvironment = settings.get<string>('importStrategy') !== 'useBundled';
  // The extension's own means whatever the path says, so that one setting is a way back from all others.
  const paths = fromEnvironment ? settings.get<string[]>('path', []) : [];
  const wanted = { name: 'pallas-lsp', paths, fromEnvironment, trusted: vscode.workspace.isTrusted };
  return find(wanted, await surroundings(context));
}

/** What runs kernels: set, beside the server, else wherever the server would be looked for. */
export async function runner(context: vscode.ExtensionContext): Promise<Found | Missing> {
  if (!vscode.workspace.isTrusted) return { reason: 'this workspace is not trusted, so nothing in it is run' };
  const settings = vscode.workspace.getConfiguration('pallas');
  const around = await surroundings(context);
  const set = settings.get<string>('tui', '');
  const wanted = { name: 'pallas-tui', paths: [set], fromEnvironment: settings.get<string>('importStrategy') !== 'useBundled', trusted: true };
  if (set === '') {
    const found = await server(context);
    const beside = 'path' in found ? `${dirname(found.path)}/pallas-tui${around.windows ? '.exe' : ''}` : '';
    if ('path' in found && beside !== '' && exists(beside)) return { path: beside, from: found.from };
  }
  return find(wanted, around);
}
