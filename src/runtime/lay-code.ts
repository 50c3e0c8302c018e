// The kept code of a run as files, so that Node can load it: the agent's modules below `code/`, and beside them the module
// that stands in for counterfoil/runtime.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Hex } from '#platform';
import { type AgentInit, assertPath } from '../format/index.ts';
import type { CodeBundle } from './module-graph.ts';
import type { ReadContent } from './read-run.ts';
import { RunError } from './run-error.ts';

/** The code that the run names, proven to be it. RunError where it is not here. */
export async function readBundle({ code }: AgentInit, read: ReadContent): Promise<CodeBundle> {
  const bundle = await read(code.bundle);
  if (bundle === undefined) throw new RunError('CONTENT_GONE', 'the code of the run is not here.');
  const text = Buffer.from(bundle).toString('utf8');
  if (sha256Hex(text) !== code.root)
    throw new RunError('CODE_CHANGED', 'the code that is kept is not that of the run.');
  return { root: code.root, entry: code.entry, files: code.files, text };
}

/** `define` is the text of the module that stands in for ours. Throws ParseError for a path that leads elsewhere. */
export async function layCode(folder: string, { text }: CodeBundle, define: string): Promise<void> {
  const { files } = JSON.parse(text) as { readonly files: Readonly<Record<string, string>> };
  for (const [path, source] of Object.entries(files)) {
    assertPath(path);
    const file = join(folder, 'code', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, source);
  }
  const own = join(folder, 'node_modules/counterfoil');
  await mkdir(own, { recursive: true });
  await writeFile(
    join(own, 'package.json'),
    '{"name":"counterfoil","type":"module","exports":{"./runtime":"./runtime.mjs"}}',
  );
  await writeFile(join(own, 'runtime.mjs'), define);
}
