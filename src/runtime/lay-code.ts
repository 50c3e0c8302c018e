// The code of a run as files for a sandbox: what was in force where a replay begins, and behind each patch of a module.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../core/index.ts';
import { type AgentInit, assertPath } from '../format/index.ts';
import { cellCodes } from './cell-code.ts';
import { codeVersions, type KeptCode } from './patched-code.ts';
import { type CellTools, toolsFile } from './replay-form.ts';
import { type PlacedEffect, type RunPatches, readPatches } from './run-patches.ts';
import type { RunSource } from './run-steps.ts';

export interface CodeSource extends Pick<RunSource, 'log' | 'run' | 'read'> {
  /** Whether tools run again. */
  readonly execute?: boolean | undefined;
}

/** The patches of the run, read when the first is met, and the code behind each of them. */
export class LaidCode {
  readonly #folder: string;
  readonly #parts: CodeSource;
  readonly #start: { readonly init: AgentInit; readonly seq: number };
  #read: Promise<RunPatches> | undefined;
  #versions: readonly { readonly seq: number; readonly code: KeptCode }[] = [];

  constructor(folder: string, parts: CodeSource, start: { readonly init: AgentInit; readonly seq: number }) {
    this.#folder = folder;
    this.#parts = parts;
    this.#start = start;
  }

  /** The code that the run began with, once the first is laid. */
  get began(): KeptCode {
    return this.#versions[0]?.code ?? { entry: '', files: {} };
  }

  /** The code that is in force where the replay begins. */
  async layFirst(snapshot: JsonObject | null): Promise<void> {
    const { init, seq } = this.#start;
    const applied = snapshot?.applied_patches;
    const isPatched = Array.isArray(applied) && applied.length > 0;
    if (isPatched) await this.#patches();
    else this.#versions = await codeVersions(init, [], this.#parts.read);
    const first = this.#versions.findLast((version) => version.seq <= seq);
    if (first !== undefined) await this.#lay('code', first.code);
  }

  /** What stands at this entry, and the folder of the code behind it. Null for a step that did nothing to the run. */
  async at(seq: number): Promise<{ effect: PlacedEffect; code: string | null } | null> {
    const effect = (await this.#patches()).effects.get(seq);
    if (effect === undefined) return null;
    const version = this.#versions.find((each) => each.seq === seq);
    if (version === undefined) return { effect, code: null };
    const code = `code-${seq}`;
    await this.#lay(code, version.code);
    return { effect, code };
  }

  async #lay(name: string, code: KeptCode): Promise<void> {
    await layCode(join(this.#folder, name), code);
    if (this.#parts.execute !== true) return;
    const { tools } = this.#start.init;
    const codes = await cellCodes(tools, code);
    const inCells: Record<string, CellTools[string]> = {};
    for (const { name, limits } of tools) {
      const code = codes.get(name);
      if (code !== undefined) inCells[name] = { code, limits };
    }
    await writeFile(join(this.#folder, toolsFile(name)), JSON.stringify(inCells));
  }

  #patches(): Promise<RunPatches> {
    this.#read ??= this.#readAll();
    return this.#read;
  }

  async #readAll(): Promise<RunPatches> {
    const { log, run, read } = this.#parts;
    const patches = await readPatches(log, run, (await log.head()).seq);
    this.#versions = await codeVersions(this.#start.init, [...patches.effects.values()], read);
    return patches;
  }
}

/** What stands in for counterfoil/runtime. */
export async function layDefine(folder: string, define: string): Promise<void> {
  const own = join(folder, 'node_modules/counterfoil');
  await mkdir(own, { recursive: true });
  await writeFile(
    join(own, 'package.json'),
    '{"name":"counterfoil","type":"module","exports":{"./runtime":"./runtime.mjs"}}',
  );
  await writeFile(join(own, 'runtime.mjs'), define);
}

export async function layCode(folder: string, { files }: Pick<KeptCode, 'files'>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    assertPath(path);
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
