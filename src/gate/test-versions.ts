// Tests as a transcript shows them: what their files held before the session first touched them, and what they hold now.
// There is no work tree to look at. Where the host shows the whole file it is kept whole, else the pieces that edits took
// away and put there. What a command did to a file's text is not seen; that it deleted one is.
import type { Json } from '../core/index.ts';
import { isTestFile } from '../ecosystems/index.ts';
import {
  bearsByText,
  bearsOnTests,
  compareTests,
  Readings,
  Subjects,
  type Weakening,
} from '../rules/index.ts';

interface Versions {
  /** Null: there was none. */
  readonly before: string | null;
  /** Null: there is none. */
  readonly now: string | null;
  /** The texts are pieces, not the whole file. */
  readonly partial: boolean;
}

/** Of one session; a longer file says nothing that these do not. */
const MOST_FILES = 200;
const LONGEST_FILE = 512 * 1024;
/** Outside of the project, or named as what is to be thrown away. */
const SCRATCH =
  /^(?:[/~]|[A-Za-z]:)|(?:^|[/_.-])(?:scratch|te?mp|debug|demo|repro|throwaway|playground|try)(?:[/_.-]|$)/i;

export class TestVersions {
  readonly #files = new Map<string, Versions>();
  /** Files that went without anybody having seen them. */
  readonly #deleted = new Set<string>();
  /** Files of code that went. */
  readonly #gone = new Set<string>();
  readonly #subjects = new Subjects();
  #found: readonly Weakening[] | null = [];
  readonly #readings = new Readings();

  /** An edit tool was used on the file. */
  edited(path: string, args: Json, output: Json): void {
    const pieces = piecesOf(path, args);
    this.#isThere(path);
    if (!isTestFile(path)) for (const { before, after } of pieces) this.#subjects.changed(before, after);
    const known = this.#files.get(path);
    const isSilenced = pieces.some(({ after }) => bearsByText(path, after));
    if (!bearsOnTests(path) && known === undefined && !isSilenced) return;
    const whole = isShortened(args, output) ? undefined : wholeOf(path, args, output, pieces);
    if (whole !== undefined)
      this.#keep(path, { ...whole, before: known?.partial === false ? known.before : whole.before });
    else if (known?.partial === false && known.now !== null && known.now !== '') {
      let { before, now } = known;
      for (const piece of pieces) {
        if (now.includes(piece.before)) now = replaced(now, piece.before, piece.after, piece.all);
        else {
          // It is in a part of the file that nobody has seen; of a new file all is the session's own.
          before = before === null ? null : `${before}\n${piece.before}`;
          now = `${now}\n${piece.after}`;
        }
      }
      this.#keep(path, { ...known, before, now });
    } else if (pieces.length > 0) {
      const join = (old: string | null | undefined, texts: readonly string[]): string =>
        [...(old ? [old] : []), ...texts].join('\n');
      this.#keep(path, {
        before: join(
          known?.before,
          pieces.map(({ before }) => before),
        ),
        now: join(
          known?.now,
          pieces.map(({ after }) => after),
        ),
        partial: true,
      });
    }
  }

  /** A command wrote it, with a text that nobody knows. One that was not there before is this session's own. */
  written(path: string): void {
    this.#deleted.delete(path);
    this.#isThere(path);
    if (bearsOnTests(path) && !this.#files.has(path))
      this.#keep(path, { before: null, now: '', partial: false });
  }

  /** Code that was gone is there again. */
  #isThere(path: string): void {
    if (!this.#gone.delete(path)) return;
    this.#subjects.changedFile(path, null, '');
    this.#found = null;
  }

  deleted(path: string): void {
    const known = this.#files.get(path);
    if (!isTestFile(path)) this.#subjects.changedFile(path, known?.now ?? '', null);
    this.#gone.add(path);
    if (known !== undefined) this.#keep(path, { ...known, now: known.partial ? known.now : null });
    if (known === undefined || known.partial) {
      const isTest = isTestFile(path) || /(?:^|\/)(?:tests?|__tests__|specs?)$/.test(path);
      if (isTest && !SCRATCH.test(path)) this.#deleted.add(path);
      this.#found = null;
    }
  }

  moved(from: string, to: string): void {
    this.#subjects.changedFile(to, null, '');
    const known = this.#files.get(from);
    if (known === undefined || !bearsOnTests(to)) return;
    this.#keep(to, { before: null, now: known.now, partial: known.partial });
    this.#keep(from, { ...known, now: null });
  }

  get weakened(): readonly Weakening[] {
    this.#found ??= this.#compare();
    return this.#found;
  }

  #compare(): Weakening[] {
    const before = new Map<string, string | null>();
    const now = new Map<string, string | null>();
    for (const [path, versions] of this.#files) {
      // New, with a text that nobody knows.
      if (versions.before === null && versions.now === '') continue;
      before.set(path, versions.before);
      now.set(path, versions.now);
    }
    const gone = [...this.#deleted].map((path): Weakening => ({ path, what: 'deleted', lines: [] }));
    const found = [...gone, ...compareTests(before, now, this.#readings)];
    return this.#subjects.without(found, (path) => this.#gone.has(path));
  }

  #keep(path: string, versions: Versions): void {
    const size = Math.max(versions.before?.length ?? 0, versions.now?.length ?? 0);
    if (size > LONGEST_FILE || (this.#files.size >= MOST_FILES && !this.#files.has(path))) return;
    this.#files.set(path, versions);
    this.#deleted.delete(path);
    if (versions.now !== null) this.#gone.delete(path);
    this.#found = null;
  }
}

interface Piece {
  readonly before: string;
  readonly after: string;
  readonly all: boolean;
}

/** The texts that an edit replaced, by the names that hosts give them, or in a patch. */
function piecesOf(path: string, args: Json): Piece[] {
  const members = membersOf(args);
  const patch = members.input ?? members.patch ?? members.command;
  if (typeof patch === 'string') return patchPieces(path, patch);
  const edits = Array.isArray(members.edits) ? (members.edits as readonly Json[]) : [args];
  return edits.flatMap((edit) => {
    const { old_string: before, new_string: after, replace_all: all } = membersOf(edit);
    return typeof before === 'string' && typeof after === 'string'
      ? [{ before, after, all: all === true }]
      : [];
  });
}

/** Whoever keeps transcripts may shorten long texts; what is left out of one was not taken out by the edit. */
function isShortened(args: Json, output: Json): boolean {
  const { originalFile, originalFileContents, structuredPatch } = membersOf(output);
  const { content } = membersOf(args);
  const before = originalFile ?? originalFileContents;
  if ([before, content].some((text) => typeof text === 'string' && LEFT_OUT.test(text))) return true;
  if (typeof before !== 'string' || !Array.isArray(structuredPatch)) return false;
  // The host says at which line its record of the change begins: there must be that line.
  const lines = before.split('\n');
  return (structuredPatch as readonly Json[]).some((hunk) => {
    const { oldStart, lines: changed } = membersOf(hunk);
    const first = Array.isArray(changed) ? changed[0] : undefined;
    if (typeof oldStart !== 'number' || typeof first !== 'string' || !/^[ -]/.test(first)) return false;
    return lines[oldStart - 1]?.trim() !== first.slice(1).trim();
  });
}

const LEFT_OUT = /^\W{0,4}\[[^\]\n]{0,40}(?:cut|truncated|omitted|left out|elided)[^\]\n]{0,40}\]\W{0,4}$/m;

/** The file before and after, where the host's record of the edit shows all of it. */
function wholeOf(path: string, args: Json, output: Json, pieces: readonly Piece[]): Versions | undefined {
  const { originalFile, originalFileContents, type } = membersOf(output);
  const { content } = membersOf(args);
  const before = originalFile ?? originalFileContents;
  const [added] = pieces;
  if (added !== undefined && added.before === '' && addsFile(path, args))
    return { before: null, now: added.after, partial: false };
  if (typeof content === 'string') {
    if (typeof before === 'string') return { before, now: content, partial: false };
    return type === 'create' ? { before: null, now: content, partial: false } : undefined;
  }
  if (typeof before !== 'string' || before === '' || pieces.length === 0) return undefined;
  let now = before;
  for (const { before: from, after, all } of pieces) now = replaced(now, from, after, all);
  return { before, now, partial: false };
}

function addsFile(path: string, args: Json): boolean {
  const { input, patch, command } = membersOf(args);
  const text = input ?? patch ?? command;
  if (typeof text !== 'string') return false;
  return [...text.matchAll(/^\*\*\* Add File: (.*)$/gm)].some(([, name = '']) => isNamed(path, name.trim()));
}

function isNamed(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`) || name.endsWith(`/${path}`);
}

function replaced(text: string, from: string, to: string, all: boolean): string {
  if (from === '') return text;
  if (all) return text.split(from).join(to);
  const at = text.indexOf(from);
  return at < 0 ? text : text.slice(0, at) + to + text.slice(at + from.length);
}

/** Of a patch in the `*** Begin Patch` form, what it says of one file. */
function patchPieces(path: string, patch: string): Piece[] {
  const before: string[] = [];
  const after: string[] = [];
  let inside = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('*** ')) {
      const file = /^\*\*\* (?:Update|Add) File: (.*)$/.exec(line)?.[1]?.trim();
      inside = file !== undefined ? isNamed(path, file) : inside;
      if (/^\*\*\* (?:Delete File|End Patch)/.test(line)) inside = false;
    } else if (inside && !line.startsWith('@@')) {
      if (!line.startsWith('+')) before.push(line.slice(1));
      if (!line.startsWith('-')) after.push(line.slice(1));
    }
  }
  return before.length + after.length === 0
    ? []
    : [{ before: before.join('\n'), after: after.join('\n'), all: false }];
}

function membersOf(value: Json): Readonly<Record<string, Json | undefined>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}
