// What a host's own tools do: run a command, or touch a file and which members then hold its content, so that the
// recorder keeps path, hash and length instead (K4). A table an adapter hands in names the members; beyond it, whatever
// repeats the written text is hidden too. A tool that is in no table is kept as it is.
import type { Json } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import type { FileTouched, HostCall } from '../../record/index.ts';
import { member } from './members.ts';

export type ToolShape =
  /** `startsUntold`: the model names a folder to start it in, and the host leaves that out. */
  | { readonly does: 'shell'; readonly background?: string; readonly startsUntold?: true }
  /** Looks for something in the world or in the files: the member that says what. */
  | { readonly does: 'fetch' | 'search'; readonly what: readonly string[] }
  /** Somebody else's work, which may go on after the call. */
  | { readonly does: 'delegate'; readonly background: string }
  | {
      readonly does: 'write' | 'edit' | 'delete' | 'read';
      readonly path: readonly string[];
      readonly args?: readonly string[];
      readonly output?: readonly string[];
    }
  /** Several files in one text, as `apply_patch` takes it, and perhaps one that is named beside it. */
  | {
      readonly does: 'patch';
      readonly path?: readonly string[];
      readonly args: readonly string[];
      readonly output?: readonly string[];
    };

const PATCH_OPS: Readonly<Record<string, FileTouched['op']>> = {
  'Add File': 'write',
  'Update File': 'edit',
  'Delete File': 'delete',
  'Move to': 'write',
};
/** Codex reads over blanks before a head and wants one behind its colon; OpenCode takes any there, or none. */
const PATCH_HEAD = /^[\s\p{C}]*\*\*\* ((?:Add|Update|Delete) File|Move to):(.*)$/su;
const LIKE_HEAD =
  /^\*\*\*(?! (?:(?:Begin|End) Patch|End of File|Environment ID:))|^[\s\p{C}]*\*\*\*\s*(?:add|create|update|delete|remove|move|rename)\b/iu;
/** Hosts take such a name for different files. */
const ODD_NAME = /^(?: \s|[^\S ]|\s*$)|\p{C}/u;

/** Of a written text its beginning is looked for, and of many texts the first: a hostile input must not cost minutes. */
const NEEDLE_LENGTH = 200;
const MAX_NEEDLES = 32;

export interface Shaped {
  readonly args: Json;
  readonly output: Json;
  readonly shell?: true;
  readonly startsUntold?: true;
  readonly background?: true;
  readonly sought?: NonNullable<HostCall['sought']>;
  readonly files?: readonly FileTouched[];
}

/** `failed`: the output is an error message, worth keeping unless it quotes what was written. */
export function shapeOf(
  shape: ToolShape | undefined,
  args: Json,
  output: Json = null,
  failed = false,
): Shaped {
  if (shape === undefined) return { args, output };
  if (shape.does === 'shell' || shape.does === 'delegate') {
    const goesOn = shape.background !== undefined && member(args, shape.background) === true;
    return {
      args,
      output,
      ...(shape.does === 'shell' ? { shell: true } : {}),
      ...(shape.does === 'shell' && shape.startsUntold === true ? { startsUntold: true } : {}),
      ...(goesOn ? { background: true } : {}),
    };
  }
  if ('what' in shape) {
    const target = textOf(args, shape.what);
    return target === '' ? { args, output } : { args, output, sought: { capability: shape.does, target } };
  }
  if (shape.does === 'read' || shape.does === 'delete') {
    const members = { argMembers: present(args, shape.args), outputMembers: [] };
    return { args, output, files: namedFiles(args, shape.path, shape.does, members) };
  }
  // A bare text has no member to name, so it is given one.
  const named = typeof args === 'string' ? { text: args } : args;
  const argMembers = present(named, typeof args === 'string' ? ['text'] : shape.args);
  const written = argMembers.flatMap((name) => textsIn(member(named, name)));
  const bare = typeof output === 'string' && (!failed || quotes(output, written));
  const kept = bare ? { text: output } : output;
  const outputMembers = bare ? ['text'] : hidden(kept, shape.output ?? [], written);
  const members = { argMembers, outputMembers };
  if (shape.does !== 'patch')
    return { args: named, output: kept, files: namedFiles(args, shape.path, shape.does, members) };
  const patched = patchedFiles(written.join('\n')).map((file) => ({ ...file, ...members }));
  const beside = shape.path === undefined ? [] : namedFiles(args, shape.path, 'edit', members);
  return { args: named, output: kept, files: [...beside, ...patched] };
}

/**
 * The files that a patch in the `*** Begin Patch` form touches. One without a name stands for any file: it is there if the patch is
 * in another form, or has a line that a host might take for the head of another file.
 */
export function patchedFiles(patch: string): Pick<FileTouched, 'path' | 'op'>[] {
  const files: Pick<FileTouched, 'path' | 'op'>[] = [];
  let isClear = true;
  for (const line of patch.split(/\r?\n/)) {
    const [, head = '', name = ''] = PATCH_HEAD.exec(line) ?? [];
    const op = PATCH_OPS[head];
    if (op !== undefined) files.push({ path: name.trim(), op });
    isClear &&= op === undefined ? !LIKE_HEAD.test(line) : !ODD_NAME.test(name);
  }
  return isClear && files.length > 0 ? files : [...files, { path: '', op: 'edit' }];
}

/** Which of several members counts, only the host knows. Without one, it is a file without a name. */
function namedFiles(
  args: Json,
  names: readonly string[],
  op: FileTouched['op'],
  members: Pick<FileTouched, 'argMembers' | 'outputMembers'>,
): FileTouched[] {
  const values = names.map((name) => member(args, name) ?? null).filter((value) => value !== null);
  const paths = new Set(values.map((value) => (typeof value === 'string' ? value : '')));
  return [...(paths.size === 0 ? [''] : paths)].map((path) => ({ path, op, ...members }));
}

function textOf(args: Json, names: readonly string[]): string {
  return names.map((name) => member(args, name)).find((value) => typeof value === 'string') ?? '';
}

function present(value: Json, names: readonly string[] = []): string[] {
  return names.filter((name) => member(value, name) !== undefined);
}

function hidden(output: Json, names: readonly string[], written: readonly string[]): string[] {
  if (!isObject(output)) return [];
  const isHidden = ([name, value]: [string, Json]) =>
    names.includes(name) || textsIn(value).some((text) => quotes(text, written));
  return Object.entries(output)
    .filter(isHidden)
    .map(([name]) => name);
}

/** Short words are in every message: from eight characters on it is a quotation. */
function quotes(text: string, written: readonly string[]): boolean {
  if (written.length > MAX_NEEDLES) return true;
  return written.some((each) => {
    const needle = each.trim().slice(0, NEEDLE_LENGTH);
    return needle.length >= 8 && text.includes(needle);
  });
}

/** Without recursion: how deep the input goes is in the sender's hands. */
function textsIn(value: Json | undefined): string[] {
  const texts: string[] = [];
  const open: (Json | undefined)[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null)
      for (const each of Object.values(next)) open.push(each);
  }
  return texts.reverse();
}
