// Where the parts of tools' cells are: beside the file that this is built into; from the sources, in dist/.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolCells } from '../runtime/index.ts';

let cells: ToolCells | undefined;

/** One for the process: the engine is compiled once. */
export function openToolCells(): ToolCells {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = existsSync(join(here, 'tool-cell.mjs')) ? here : join(here, '../../dist');
  cells ??= new ToolCells({
    thread: join(folder, 'tool-cell.mjs'),
    wasm: join(folder, 'tool-cell.wasm'),
    define: join(folder, 'replay-define.mjs'),
  });
  return cells;
}
