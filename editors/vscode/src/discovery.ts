/** Where programs are: what may be started, in which order. Knows no editor and no disk; both are asked. */

/** What is to be found. */
export interface Wanted {
  /** The program's name, without `.exe`. */
  name: string;
  /** Paths that the user set, in order. */
  paths: string[];
  /** Whether programs of the environment go before the one of the extension. */
  fromEnvironment: boolean;
  /** Whether the workspace is trusted; otherwise only the extension's own program is started. */
  trusted: boolean;
}

/** What is around. */
export interface Surroundings {
  windows: boolean;
  home: string;
  /** Folders of the workspace. */
  folders: string[];
  /** `PATH`, cut into folders. */
  path: string[];
  /** Python environments, the most particular first. */
  environments: string[];
  /** The folder of the extension. */
  extension: string;
  /** Whether a file is there that can be started. */
  exists(path: string): boolean;
}

/** A program that was found, and why it was taken. */
export interface Found {
  path: string;
  from: 'setting' | 'environment' | 'PATH' | 'extension';
}

/** Nothing was found: a sentence that says where it was looked for. */
export interface Missing {
  reason: string;
}

function join(...parts: string[]): string {
  return parts.map((part) => part.replace(/[\\/]+$/, '')).join('/');
}

/** Replaces `~` and `${workspaceFolder}`; gives one path for each folder that a path may mean. */
export function expand(path: string, around: Surroundings): string[] {
  const home = path === '~' || path.startsWith('~/') ? join(around.home, path.slice(2)) : path;
  if (!home.includes('${workspaceFolder}')) return [home];
  return around.folders.map((folder) => home.split('${workspaceFolder}').join(folder));
}

/** Finds a program. */
export function find(wanted: Wanted, around: Surroundings): Found | Missing {
  const file = around.windows ? `${wanted.name}.exe` : wanted.name;
  const bundled = join(around.extension, 'server', file);
  const isBundled = around.exists(bundled);
  if (!wanted.trusted) {
    if (isBundled) return { path: bundled, from: 'extension' };
    return { reason: `this workspace is not trusted, so only a ${wanted.name} that comes with the extension may be started, and this build has none` };
  }
  const named = wanted.paths.filter((path) => path !== '').flatMap((path) => expand(path, around));
  for (const path of named) if (around.exists(path)) return { path, from: 'setting' };
  if (named.length > 0) {
    return { reason: `the settings name ${named.join(', ')}, and nothing there can be started` };
  }
  if (wanted.fromEnvironment) {
    const bin = around.windows ? 'Scripts' : 'bin';
    for (const environment of around.environments) {
      const path = join(environment, bin, file);
      if (around.exists(path)) return { path, from: 'environment' };
    }
    for (const folder of around.path) {
      const path = join(folder, file);
      if (folder !== '' && around.exists(path)) return { path, from: 'PATH' };
    }
  }
  if (isBundled) return { path: bundled, from: 'extension' };
  const where = wanted.fromEnvironment ? 'is neither in the Python environment nor on PATH, and' : 'is to come with the extension, but';
  return { reason: `${wanted.name} ${where} none comes with this build of the extension` };
}

/** Extensions that say what every language server for Python says. */
export const NEIGHBOURS = [
  'ms-python.vscode-pylance',
  'ms-pyright.pyright',
  'detachhead.basedpyright',
  'charliermarsh.ruff',
  'astral-sh.ty',
  'meta.pyrefly',
];

/** Whether findings are shown that neighbours have, too. */
export function common(setting: unknown, isThere: (extension: string) => boolean): boolean {
  return setting === 'on' || (setting !== 'off' && !NEIGHBOURS.some(isThere));
}

/** The folder of a Python environment, from its interpreter or itself. */
export function environmentOf(path: string): string {
  return path.replace(/[\\/](bin|Scripts)[\\/]python[^\\/]*$/i, '').replace(/[\\/]python[^\\/]*\.exe$/i, '');
}

/** Whether a server's version goes with the extension's: what stands before the last dot is the same. */
export function fits(server: string | undefined, extension: string): boolean {
  const minor = (version: string) => /^(\d+\.\d+)/.exec(version)?.[1];
  return server === undefined || minor(server) === minor(extension);
}
