/** What the server is doing, in the status item of the language. */

import * as vscode from 'vscode';

export class Status implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;

  constructor() {
    this.item = vscode.languages.createLanguageStatusItem('pallas.server', { language: 'python' });
    this.item.name = 'Pallas';
    this.item.command = { command: 'pallas.showLogs', title: 'Show Logs' };
  }

  private set(text: string, detail: string, severity: vscode.LanguageStatusSeverity, busy: boolean): void {
    this.item.text = text;
    this.item.detail = detail;
    this.item.severity = severity;
    this.item.busy = busy;
  }

  starting(): void {
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
  }
}
