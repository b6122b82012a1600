/** The session with the server: starts it, keeps it, starts it again, and says what is wrong with it. */

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type ExecuteCommandSignature,
  LanguageClient,
  type LanguageClientOptions,
  State,
  type ServerOptions,
} from 'vscode-languageclient/node';
import { common, fits, type Found } from './discovery';
import { onNoDisk } from './documents';
import * as programs from './programs';
import type { Status } from './status';
import { failure } from './trial';

/** Ends within this time count as one row. */
const ROW = 180_000;
/** More ends in a row than this, and the server is not started again by itself. */
const MOST = 4;

/** Why a server is refused that ends at once. */
const EARLY = 'it ended while it was starting; is it a `pallas-lsp`?';

/** Commands of the server that the editor carries out its own way. */
export type Intercept = (command: string, args: unknown[]) => Promise<unknown> | undefined;

/** How far a server has come. */
interface Life {
  /** Whether it has answered to the first request ever. */
  begun: boolean;
  /** Says that it ended before. */
  ended: () => void;
}

/** The client, without messages of its own about a server that does not run: this session says those, with ways on. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, show?: boolean | 'force'): void {
    super.error(message, data, this.state === State.Running ? show : false);
  }
}

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private ends: number[] = [];
  private queue: Promise<void> = Promise.resolve();
  private wasNeeded = false;
  /** What the server that runs is. */
  description = 'not started';

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly trace: vscode.LogOutputChannel,
    private readonly status: Status,
    private readonly intercept: Intercept,
  ) {}

  /** The client, while the server runs. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** Starts the server, unless that was done before. */
  need(): Promise<void> {
    return this.wasNeeded ? this.queue : this.start();
  }

  /** Starts the server again, if anything has needed it: what it is, or may do, has changed. */
  async renew(): Promise<void> {
    if (this.wasNeeded) await this.restart();
  }

  /** Starts the server; one that runs is ended. One after the other. */
  private start(): Promise<void> {
    this.wasNeeded = true;
    this.queue = this.queue.then(() => this.startNow()).catch((error) => this.log.error(String(error)));
    return this.queue;
  }

  private async startNow(): Promise<void> {
    await this.end();
    this.status.starting();
    const found = await programs.server(this.context);
    if (!('path' in found)) {
      this.description = `not started: ${found.reason}`;
      this.log.error(found.reason);
      this.status.failed(found.reason);
      void this.offer(`Pallas: ${found.reason}.`, 'Open Settings', 'How to Install', 'Retry');
      return;
    }
    this.log.info(`starting ${found.path} (${found.from})`);
    const trouble = await failure(found.path);
    if (trouble) {
      this.refuse(found, trouble);
      return;
    }
    const serverOptions: ServerOptions = { command: found.path, args: ['--stdio'] };
    const life: Life = { begun: false, ended: () => {} };
    const client = new Client('pallas', 'Pallas', serverOptions, await this.options(life));
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { ...capabilities.experimental, pallas: { presentsResults: true, hoversDiagnostics: true } };
      },
      initialize: () => {},
      getState: () => ({ kind: 'static' }),
      clear: () => {},
    });
    this.client = client;
    try {
      // The client waits for ever for a server that ends before it has answered.
      await Promise.race([client.start(), new Promise<never>((_resolve, reject) => (life.ended = () => reject(new Error(EARLY))))]);
      life.begun = true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.refuse(found, /EPIPE|destroyed|disposed/.test(message) ? EARLY : message);
      return;
    }
    const version = client.initializeResult?.serverInfo?.version;
    this.description = `pallas-lsp ${version ?? '(no version)'}, ${found.path} (${found.from})`;
    this.log.info(this.description);
    const ours = String(this.context.extension.packageJSON.version);
    if (fits(version, ours)) {
      this.status.running(version ?? '', found.path);
    } else {
      const problem = `the server is version ${version}, the extension is made for ${ours}`;
      this.status.doubtful(problem);
      void this.offer(`Pallas: ${problem}; some of it may not work.`, ...this.bundled(found), 'Open Settings');
    }
  }

  /** The way on that leads to the server that comes with the extension, if it is not the one that fails. */
  private bundled(found: Found): string[] {
    return found.from !== 'extension' && existsSync(`${this.context.extensionPath}/server`) ? ['Use Bundled Server'] : [];
  }

  /** Says why a server that is there is not used. */
  private refuse(found: Found, why: string): void {
    const reason = `${found.path} does not start: ${why}`;
    this.description = reason;
    this.log.error(reason);
    this.status.failed(reason);
    void this.offer(`Pallas: ${reason}${/[.?!]$/.test(reason) ? '' : '.'}`, ...this.bundled(found), 'Show Logs', 'How to Install', 'Open Settings', 'Retry');
  }

  private async options(life: Life): Promise<LanguageClientOptions> {
    const initial = await this.settings(vscode.workspace.getConfiguration().get('pallas'));
    return {
      documentSelector: [
        { scheme: 'file', language: 'python' },
        { scheme: 'untitled', language: 'python' },
        // Cells of notebooks, which the server knows as one document.
        { notebook: '*', language: 'python' },
        ...onNoDisk(),
        { scheme: 'file', pattern: '**/{pallas,pyproject}.toml' },
      ],
      initializationOptions: initial,
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      // Findings come with the document; those of closed files with the workspace.
      diagnosticPullOptions: { onChange: true, onTabs: false },
      markdown: { isTrusted: false, supportHtml: false },
      // It is said once, by whoever started it.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (error) => {
          this.log.error(`the talk with the server failed: ${error.message}`);
          return { action: ErrorAction.Continue, handled: true };
        },
        closed: () => this.closed(life),
      },
      middleware: {
        executeCommand: (command: string, args: unknown[], next: ExecuteCommandSignature) => this.intercept(command, args) ?? next(command, args),
        workspace: {
          configuration: async (params, token, next) => {
            const values = await next(params, token);
            if (!Array.isArray(values)) return values;
            return Promise.all(values.map((value, index) => (params.items[index]?.section === 'pallas' ? this.settings(value) : value)));
          },
        },
        provideCodeLenses: async (document, token, next) => {
          const lenses = await next(document, token);
          if (document === vscode.window.activeTextEditor?.document) {
            // Lenses of tests name one; those of launches do not.
            const ofTest = (lens: vscode.CodeLens) => (lens.command?.arguments?.[0] as { test?: unknown } | undefined)?.test !== undefined;
            void vscode.commands.executeCommand('setContext', 'pallas.hasLaunches', (lenses ?? []).some((lens) => !ofTest(lens)));
            void vscode.commands.executeCommand('setContext', 'pallas.hasTests', (lenses ?? []).some(ofTest));
          }
          return lenses;
        },
      },
    };
  }

  /** The user's settings as the server takes them. */
  private async settings(value: unknown): Promise<Record<string, unknown>> {
    const { path: _path, trace: _trace, importStrategy: _strategy, ...settings } = (value ?? {}) as Record<string, unknown>;
    const runner = await programs.runner(this.context);
    const diagnostics = settings['diagnostics'] as Record<string, unknown> | undefined;
    return {
      ...settings,
      diagnostics: { ...diagnostics, common: common(diagnostics?.['common'], (id) => vscode.extensions.getExtension(id) !== undefined) },
      python: await programs.selectedPython(),
      tui: 'path' in runner ? runner.path : '',
      trusted: vscode.workspace.isTrusted,
    };
  }

  private closed(life: Life) {
    if (!life.begun) {
      life.ended();
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    const now = Date.now();
    this.ends = [...this.ends.filter((end) => now - end < ROW), now];
    if (this.ends.length <= MOST) {
      this.log.warn('the server ended without being asked, and is started again');
      this.status.starting();
      return { action: CloseAction.Restart, handled: true };
    }
    const reason = `the server ended ${this.ends.length} times in three minutes`;
    this.description = reason;
    this.log.error(reason);
    this.status.failed(reason);
    void this.offer(`Pallas: ${reason}. Nothing of yours is lost.`, 'Restart Server', 'Show Logs');
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  /** Says something with ways on. */
  async offer(message: string, ...ways: string[]): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(message, ...ways);
    const commands: Record<string, () => Thenable<unknown>> = {
      'Open Settings': () => vscode.commands.executeCommand('workbench.action.openSettings', 'pallas.path'),
      'Show Logs': () => vscode.commands.executeCommand('pallas.showLogs'),
      'How to Install': () => vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(this.context.extensionUri, 'media', 'install.md')),
      'Run in Terminal': () => vscode.commands.executeCommand('pallas.runFile'),
      Retry: () => vscode.commands.executeCommand('pallas.restartServer'),
      'Restart Server': () => vscode.commands.executeCommand('pallas.restartServer'),
      'Use Bundled Server': async () => {
        await vscode.workspace.getConfiguration('pallas').update('importStrategy', 'useBundled', vscode.ConfigurationTarget.Global);
      },
    };
    if (chosen) await commands[chosen]?.();
  }

  /** Has the server carry out one of its commands. Shows what is wrong, and gives `undefined` then. */
  async execute<T>(command: string, argument: unknown, title?: string): Promise<T | undefined> {
    await this.need();
    const client = this.running;
    if (!client) {
      void this.offer(`Pallas: the server does not run (${this.description}).`, 'Restart Server', 'Show Logs');
      return undefined;
    }
    const ask = async (token?: vscode.CancellationToken): Promise<T | undefined> => {
      try {
        const params = { command, arguments: argument === undefined ? [] : [argument] };
        // A token that is not there must not be passed on: it would count as a second parameter.
        return await (token ? client.sendRequest<T>('workspace/executeCommand', params, token) : client.sendRequest<T>('workspace/executeCommand', params));
      } catch (error) {
        if (token?.isCancellationRequested) return undefined;
        void this.offer(`Pallas: ${error instanceof Error ? error.message : String(error)}`, 'Show Logs');
        return undefined;
      }
    };
    if (title === undefined) return ask();
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, (_progress, token) => ask(token));
  }

  /** Starts the server again, as if it had never ended. */
  restart(): Promise<void> {
    this.ends = [];
    return this.start();
  }

  /** Has the server ask for the settings again. */
  async tellSettings(): Promise<void> {
    await this.running?.sendNotification('workspace/didChangeConfiguration', { settings: null });
  }

  /** Ends the server. */
  async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (!client) return;
    try {
      if (client.needsStop()) await client.stop();
      await client.dispose();
    } catch (error) {
      // A server that is gone cannot be ended in an orderly way.
      this.log.debug(String(error));
    }
  }

  dispose(): void {
    void this.end();
  }
}
