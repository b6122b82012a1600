/** What is looked at, and what can be done about it. */

import type { Launch, Place, Report } from './report';

export interface State {
  report: Report;
  /** The file that was profiled, as the editor names it. */
  file: string;
  launch: number;
  program: number;
  operand: number;
  /** Whose events the pipeline shows. */
  source: 'modelled' | 'measured';
  /** The window of time that the pipeline shows, in shares of all. */
  from: number;
  to: number;
  /** The line of the editor's cursor. */
  cursor: number | undefined;
}

export interface Actions {
  /** Changes what is looked at, and draws again. What had the keyboard keeps it. */
  look(change: Partial<State>): void;
  /** Goes to the source. */
  reveal(place: Place | null, keepFocus?: boolean): void;
  explain(code: string): void;
  again(): void;
}

export function launchOf(state: State): Launch {
  const launch = state.report.launches[state.launch];
  if (!launch) throw new Error(`the report has no launch ${state.launch}`);
  return launch;
}
