// The pieces in scripts that are asked for by name, each in the script of that name, or in cli/: see scripts/command-scripts.mjs.
export interface Pieces {
  readonly gate: typeof import('./gate.ts');
  readonly 'hooks-seen': typeof import('./hooks-seen.ts');
  readonly defence: typeof import('./defence.ts');
  readonly authority: typeof import('./authority.ts');
  readonly project: typeof import('./project.ts');
  readonly main: typeof import('./main.ts');
  readonly 'hook-more': typeof import('./hook-more.ts');
}
