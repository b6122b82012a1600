/** What the server is doing, in the status item of the language. */

import * as vscode from 'vscode';
import { onNoDisk } from './documents';

export class Status implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;
  private readonly alone: vscode.LanguageStatusItem;

  constructor() {
    this.item = vscode.languages.createLanguageStatusItem('pallas.server', { language: 'python' });
    this.item.name = 'Pallas';
    this.item.command = { command: 'pallas.showLogs', title: 'Show Logs' };
    this.alone = vscode.languages.createLanguageStatusItem('pallas.alone', onNoDisk());
    this.alone.name = 'Pallas: no disk';
    this.alone.text = 'Pallas: this file alone';
    this.alone.detail = 'it is on no disk: what it imports from the workspace is not seen, and it is not run';
    this.alone.command = { command: 'workbench.action.files.saveAs', title: 'Save As...' };
  }

  private set(text: string, detail: string, severity: vscode.LanguageStatusSeverity, busy: boolean): void {
    this.item.text = text;
    this.item.detail = detail;
    this.item.severity = severity;
    this.item.busy = busy;
  }

  starting(): void {
    this.alone.selector = onNoDisk();
    this.set('Pallas', 'the server is starting', vscode.LanguageStatusSeverity.Information, true);
  }

  running(version: string, path: string): void {
    const limits = vscode.workspace.isTrusted ? '' : ', nothing is run: the workspace is not trusted';
    this.set(`Pallas ${version}`, `${path}${limits}`, vscode.LanguageStatusSeverity.Information, false);
    this.item.command = { command: 'pallas.showLogs', title: 'Show Logs' };
  }

  doubtful(problem: string): void {
    this.set('Pallas', problem, vscode.LanguageStatusSeverity.Warning, false);
  }

  failed(reason: string): void {
    this.set('Pallas', reason, vscode.LanguageStatusSeverity.Error, false);
    this.item.command = { command: 'pallas.restartServer', title: 'Restart Server' };
  }

  dispose(): void {
    this.item.dispose();
    this.alone.dispose();
  }
}
