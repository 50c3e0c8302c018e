// The code of a run behind its patches: the bundle that it began with, and the modules that patches put in place of others.
// A patch names a module by the SHA-256 that it has and the one that it gets, and counts for nothing else.
import { sha256Hex } from '#platform';
import { canonicalize } from '../core/index.ts';
import type { AgentInit, PatchChange } from '../format/index.ts';
import type { PatchEffect } from '../policy/index.ts';
import type { ReadContent } from './read-run.ts';
import { RunError } from './run-error.ts';

/** As the bundle of a run has it. */
export interface KeptCode {
  readonly entry: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The code that the run began with. RunError where it is not here, or not that of the run. */
export async function keptCode({ code }: Pick<AgentInit, 'code'>, read: ReadContent): Promise<KeptCode> {
  const bundle = await read(code.bundle);
  if (bundle === undefined) throw new RunError('CONTENT_GONE', 'the code of the run is missing.');
  const text = Buffer.from(bundle).toString('utf8');
  if (sha256Hex(text) !== code.root)
    throw new RunError('CODE_CHANGED', "the code that was kept is not the run's code.");
  return JSON.parse(text) as KeptCode;
}

export function rootOf({ entry, files }: KeptCode): string {
  return sha256Hex(canonicalize({ entry, files: { ...files } }));
}

/** Behind a patch of a module, or its reversal; any other leaves it as it is. `earlier` are the versions so far. */
export async function codeAfter(
  code: KeptCode,
  { change, undo, id }: Pick<PatchEffect, 'change' | 'undo' | 'id'>,
  read: ReadContent,
  earlier: readonly KeptCode[],
): Promise<KeptCode> {
  if (change.target === 'state') return code;
  const { path } = change;
  const [from, to] = undo ? [change.to.hash, change.from] : [change.from, change.to.hash];
  const now = Object.hasOwn(code.files, path) ? code.files[path] : undefined;
  if (now === undefined || sha256Hex(now) !== from)
    throw new RunError('CODE_CHANGED', `patch ${id.number} is for a different ${path} than the run has.`);
  const text = undo ? textBefore(path, to, earlier) : await moduleText(change, read);
  if (text === undefined || sha256Hex(text) !== to)
    throw new RunError('CONTENT_GONE', `the module of patch ${id.number} is missing.`);
  return { ...code, files: { ...code.files, [path]: text } };
}

/** What a patch puts in a module's place; undefined where it is not here. */
export async function moduleText(
  { to }: Extract<PatchChange, { target: 'module' }>,
  read: ReadContent,
): Promise<string | undefined> {
  const bytes = await read(to);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
}

function textBefore(path: string, hash: string, earlier: readonly KeptCode[]): string | undefined {
  return earlier
    .map(({ files }) => files[path])
    .find((text) => text !== undefined && sha256Hex(text) === hash);
}

/** Every version of the code, oldest first, each with the entry from which on it is in force. */
export async function codeVersions(
  init: AgentInit,
  effects: readonly (PatchEffect & { readonly seq: number })[],
  read: ReadContent,
): Promise<{ readonly seq: number; readonly code: KeptCode }[]> {
  const versions = [{ seq: 0, code: await keptCode(init, read) }];
  for (const effect of effects) {
    const { code } = versions.at(-1) as { code: KeptCode };
    const earlier = versions.map((each) => each.code);
    const after = await codeAfter(code, effect, read, earlier);
    if (after !== code) versions.push({ seq: effect.seq, code: after });
  }
  return versions;
}
