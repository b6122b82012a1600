/** What the extension and the panel tell each other. */

import type { Report } from './report';

export type ToPanel =
  | { type: 'report'; report: Report; file: string }
  | { type: 'empty'; file: string }
  /** The cursor of an editor; lines from 1. */
  | { type: 'cursor'; file: string; line: number };

export type FromPanel =
  | { type: 'ready' }
  | { type: 'reveal'; path: string; line: number; column: number; endLine: number; endColumn: number; keepFocus: boolean }
  | { type: 'explain'; code: string }
  | { type: 'again' };
