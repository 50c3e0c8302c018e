// What the cell of a tool is given: the module that exports the tool and what that imports, as the run's bundle has them.
// Functions are never turned into text. Nothing of Node and no package is in a cell, so a module that asks for one is refused
// before the run begins.
import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init, parse } from 'es-module-lexer';
import type { RunToolFact } from '../format/index.ts';
import { type CellCode, OWN_MODULE, resolveInCell } from './cell-form.ts';
import type { Tool } from './define.ts';
import type { CodeBundle } from './module-graph.ts';
import type { KeptCode } from './patched-code.ts';
import { RunError } from './run-error.ts';
import { declaredNeeds } from './tool-needs.ts';

/** The tools as `AgentInit` has them. RunError for a cell whose module is not of the agent's code. */
export function toolFacts(tools: readonly Tool[], code: Pick<CodeBundle, 'folder'>): RunToolFact[] {
  return tools.map((tool) => {
    const { name, pure, idempotent, limits, cell } = tool;
    const { fuel, memoryBytes } = limits;
    return {
      name,
      pure,
      idempotent,
      limits,
      required: declaredNeeds(tool),
      cell: cell === null ? null : { module: moduleOf(name, cell, code), fuel, memoryBytes },
    };
  });
}

function moduleOf(tool: string, cell: string, { folder }: Pick<CodeBundle, 'folder'>): string {
  try {
    return relative(folder, realpathSync(fileURLToPath(cell)))
      .split(sep)
      .join('/');
  } catch (error) {
    throw new RunError('NOT_A_MODULE', `the module of the tool ${tool} doesn't exist.`, { cause: error });
  }
}

/** The code of each tool that runs in a cell. RunError for what a cell can't run. */
export async function cellCodes(
  tools: readonly RunToolFact[],
  { files }: Pick<KeptCode, 'files'>,
): Promise<ReadonlyMap<string, CellCode>> {
  const codes = new Map<string, CellCode>();
  if (tools.every(({ cell }) => cell === null)) return codes;
  await init;
  for (const { name, cell } of tools)
    if (cell !== null) codes.set(name, { ...cell, files: reached(cell.module, files, name) });
  return codes;
}

function reached(
  module: string,
  files: Readonly<Record<string, string>>,
  tool: string,
): Record<string, string> {
  const found: Record<string, string> = {};
  const waiting = [module];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (Object.hasOwn(found, path)) continue;
    const text = Object.hasOwn(files, path) ? files[path] : undefined;
    if (text === undefined)
      throw new RunError(
        'NOT_A_MODULE',
        `the agent doesn't import ${path}, which the cell of the tool ${tool} needs.`,
      );
    found[path] = text;
    for (const { n: name = '', d: at } of parse(text, path)[0]) {
      if (at === -2 || name === OWN_MODULE) continue;
      const to = resolveInCell(path, name);
      if (to === null)
        throw new RunError(
          'NOT_A_MODULE',
          `${path} imports ${name}, which a cell doesn't have. Import only files, by relative paths.`,
        );
      waiting.push(to);
    }
  }
  return found;
}
