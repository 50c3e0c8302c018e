// An act that a message tells of.
import type { ActName } from './named-acts.ts';

export interface ToldAct {
  /** What was done; a command line that is told as run; or what kept its author from it. */
  readonly what:
    | ActName
    | 'runs'
    | 'checker'
    | 'line'
    | 'hindrance'
    | 'obstacle'
    | 'old failure'
    | 'rerun'
    | 'document'
    | 'answer'
    | 'changed file'
    | 'made file'
    | 'stated file'
    | 'value'
    | 'same tests'
    | 'named file'
    | 'look'
    | 'clean checker'
    | 'clean tree'
    | 'failure';
  readonly quote: string;
  /** The command line, the program that is said to be missing, or the file that is said to be made. */
  readonly line?: string;
}
