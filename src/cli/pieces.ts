// Scripts in cli/, and the gate's, have pieces by their names: see scripts/command-scripts.mjs.
export interface Pieces {
  readonly gate: typeof import('./gate.ts');
  readonly main: typeof import('./main.ts');
  readonly 'hook-more': typeof import('./hook-more.ts');
}
