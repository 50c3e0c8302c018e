// Cells of what was built, and the code of a tool in one.

import { openToolCells } from '../../src/entry/tool-cells.ts';
import type { RunCellFact } from '../../src/format/index.ts';
import type { CellCode } from '../../src/runtime/index.ts';

export const LIMITS = { ms: 20_000, outputBytes: 1000 };

/** A module whose tool `t` has this function. */
export function codeOf(run: string, more: Partial<CellCode> = {}): CellCode {
  const text = `import { defineTool } from 'counterfoil/runtime';\nexport default defineTool({ name: 't', cell: import.meta.url, run: ${run} });`;
  const fact: RunCellFact = { module: 'a/t.mjs', fuel: 1_000_000, memoryBytes: 16 * 1024 * 1024 };
  return { ...fact, ...more, files: { 'a/t.mjs': text, ...more.files } };
}

export const inCell = (
  run: string,
  input: unknown = null,
  more: Partial<CellCode> = {},
  limits: Partial<typeof LIMITS> = {},
) => openToolCells().run(codeOf(run, more), 't', input, { ...LIMITS, ...limits });
