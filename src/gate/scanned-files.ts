// The files of a session as its transcript shows them: what it wrote, made, deleted and could not write, and what became
// of its tests.
import type { Json } from '../core/index.ts';
import { isCode, isDocument, isLeftBehind } from '../ecosystems/index.ts';
import type { Check } from '../format/index.ts';
import { type HostEvent, pathsOf } from '../record/index.ts';
import type { Change } from '../rules/index.ts';
import { loadedIn, type Written } from '../shell/index.ts';
import { LONGEST_COMMAND, MOVES_TREE } from './scan-commands.ts';
import { isElsewhere, isTemporary } from './scan-paths.ts';
import { TestVersions } from './test-versions.ts';

const HERE_TEXT = /<<-?\s*['"]?(\w{1,40})['"]?[^\n]*\n[\s\S]*?\n\s*\1(?=\s|$)/g;
const PUTS_BACK = /\bgit (?:-[cC] \S+ )*(?:checkout (?:HEAD )?-- |restore (?!.*(?:\s-s|--source)))/;
const STASHES = /\bgit (?:-[cC] \S+ )*stash(?! (?:pop|apply|list|show|drop|clear|branch)\b)/;
const TAKES_BACK = /\bgit (?:-[cC] \S+ )*stash (?:pop|apply)\b/;
/** It visits other commits and returns to the branch. */
const GOES_AND_COMES =
  /\bgit (?:checkout|switch) (?!.* -- )[\s\S]*\bgit (?:checkout|switch) (?:-q )?(?:-|main|master)(?=\s*(?:$|[;&|\n]|2?>))/;
/** Tools of others that write files, by their names. */
const WRITING_TOOL =
  /^mcp__.*(?:^|_)(?:write|edit|create|replace|insert|patch|delete|move|rename)(?:_|$)(?!.*(?:issue|comment|branch|pull|memor|thought|page|task|note|event))/i;

const LINKS = /(?:^|[\n;&|(]\s*)(?:sudo )?ln\s/;
/** No file has such a name but a script or `Makefile`. */
const FOLDER = /^(?!(?:.*\/)?(?:bin|scripts?)\/)(?:.*\/)?[\w@-]+(?:\.(?:bak|old|orig))?$/;

/** Is told each change; `isNew` where the file was not touched before. */
export type Told = (change: Pick<Change, 'path' | 'op' | 'by'>, isNew: boolean) => void;

export class ScannedFiles {
  /** Stands for the state of the code: another number with every change. */
  tree = 0;
  readonly tests = new TestVersions();
  /** Files that the session itself made. */
  readonly made = new Set<string>();
  readonly touched = new Set<string>();
  /** Files that a tool tried to write, and could not. */
  readonly refused = new Set<string>();
  /** Of files that were written whole. */
  readonly #texts = new Map<string, string>();
  /** Files and folders that it deleted, and that nobody has made again. */
  readonly #gone = new Set<string>();
  readonly #told: Told;

  #newest = 0;
  /** The state that was put aside, and the one in its place. */
  #away: { readonly was: number; readonly now: number } | null = null;

  constructor(told: Told) {
    this.#told = told;
  }

  change(): void {
    this.tree = ++this.#newest;
  }

  /** A script of the session shows what it loads; one whose text the transcript does not have may load anything. */
  withLoaded(check: Check): Check {
    const [script] = check.targets;
    if (check.kind !== 'run' || script === undefined || !this.touched.has(script)) return check;
    const text = this.#texts.get(script);
    return {
      ...check,
      targets: [...check.targets, ...(text === undefined ? ['.'] : loadedIn(text, check.runner))],
    };
  }

  /** What a command wrote by its own words. What it wrote to a place without a name may lie anywhere, but for git's. */
  wrote(written: readonly Written[], command: string | null): void {
    for (const { path, op, to } of written) {
      if (path === '') {
        const line = (command ?? '').replace(HERE_TEXT, '\n');
        if (MOVES_TREE.test(line)) this.#moved(line);
      } else {
        // What git puts back, and the session had not changed, was no work of the session's.
        if (PUTS_BACK.test(command ?? '') && !this.touched.has(path)) continue;
        this.#changed(path, op, 'command', LINKS.test(command ?? '') || path.startsWith('/'));
        if (to !== undefined) {
          this.tests.moved(path, to);
          for (const below of this.#below(path)) this.touched.add(`${to}${below.slice(path.length)}`);
        } else if (op === 'delete') this.tests.deleted(path);
        else if (op === 'write') this.tests.written(path);
      }
    }
  }

  edited(
    event: HostEvent & { readonly type: 'tool.result' },
    files: readonly { readonly path: string; readonly op: Change['op'] | 'read' }[],
    root: string | null,
  ): void {
    for (const { path, op } of files) {
      if (op === 'read') continue;
      this.#changed(path, op, 'tool');
      const text = (event.args as { readonly content?: Json } | null)?.content;
      if (typeof text === 'string') this.#texts.set(path, text.slice(0, LONGEST_COMMAND));
      else this.#texts.delete(path);
      if (op === 'delete') this.tests.deleted(path);
      else this.tests.edited(path, event.args, event.output);
    }
    if (files.length === 0 && WRITING_TOOL.test(event.tool))
      for (const path of pathsOf(event.args, event.cwd, root)) this.#changed(path, 'edit', 'tool');
  }

  #below(folder: string): readonly string[] {
    return [...this.touched].filter((path) => path.startsWith(`${folder}/`));
  }

  /** Git brought the tree to another state, or back to an earlier one. */
  #moved(line: string): void {
    const [isAway, isBack] = [STASHES.test(line), TAKES_BACK.test(line)];
    if ((isAway && isBack) || GOES_AND_COMES.test(line)) return;
    if (isBack && this.#away?.now === this.tree) this.tree = this.#away.was;
    else {
      const was = this.tree;
      this.change();
      this.#away = isAway ? { was, now: this.tree } : null;
    }
  }

  /** `isApart`: it is a link, or lies elsewhere, so that it may be a folder as well. */
  #changed(given: string, op: Change['op'], by: Change['by'], isApart = false): void {
    const path = given.replace(/(?<=.)\/$/, '');
    if (path === '') return;
    if (isTemporary(path)) {
      this.touched.add(path);
      return;
    }
    // What is gone already can't go: `git rm` after `rm` only tells git.
    if (op === 'delete' && this.#gone.has(path)) return;
    if (op === 'delete') this.#gone.add(path);
    else for (const gone of this.#gone) if (`${path}/`.startsWith(`${gone}/`)) this.#gone.delete(gone);
    // A folder that is deleted is what it holds.
    if (by === 'command' && (!isCode(`${path}/x`) || isLeftBehind(path))) return;
    const below = by === 'command' ? this.#below(path) : [];
    const isUnknown = below.length === 0 && by === 'command' && FOLDER.test(path) && isApart;
    if (isUnknown || (below.length > 0 && below.every(isDocument))) {
      this.touched.add(path);
      return;
    }
    // No check of the project reads the user's own settings.
    if (isCode(path) && !isElsewhere(path)) this.change();
    const isNew = !this.touched.has(path);
    if (isNew && op === 'write') this.made.add(path);
    this.touched.add(path);
    this.#told({ path, op, by }, isNew);
  }
}
