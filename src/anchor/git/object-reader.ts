// Reads objects of a repository through git, which alone knows all the forms in which it may have packed them. The
// repository may be a stranger's: its settings are not read, for git is given a directory of our own that has nothing
// in it but the way to its objects. Every object is hashed here: one that is not what it is called is not given out.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitObject } from '../../format/index.ts';
import { callGit, gitProgram } from './git-process.ts';
import { isGitId } from './repository.ts';

export interface ReadObject {
  readonly type: string;
  readonly bytes: Buffer;
}

const HEADER = /^([0-9a-f]{40}) (commit|tree|blob|tag) ([0-9]{1,15})$/;
const NEWLINE = 0x0a;
/** Nothing of the story is longer. */
const LONGEST_HEADER = 100;

export class ObjectReader {
  readonly #git: string;
  readonly #own: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #deadline: number;
  #bytesLeft: number;

  /** Throws GitFailure where there is no git. */
  constructor(
    ledger: string,
    objects: string,
    limits: { readonly bytes: number; readonly timeoutMs: number },
  ) {
    this.#git = gitProgram(ledger);
    this.#own = mkdtempSync(join(tmpdir(), 'foil-git-'));
    for (const name of ['refs', 'objects']) mkdirSync(join(this.#own, name));
    writeFileSync(join(this.#own, 'HEAD'), 'ref: refs/heads/none\n');
    this.#env = {
      GIT_DIR: this.#own,
      GIT_OBJECT_DIRECTORY: objects,
      // Missing objects are missing: they are not fetched from anywhere.
      GIT_ALLOW_PROTOCOL: 'none',
    };
    this.#deadline = performance.now() + limits.timeoutMs;
    this.#bytesLeft = limits.bytes;
  }

  /** The commits that lead to these, as far as git finds them, and not more than `most`. */
  async commitsTo(ids: readonly string[], most: number): Promise<string[]> {
    const args = ['-c', 'core.commitGraph=false', 'rev-list', `--max-count=${most}`, '--stdin'];
    const { out } = await this.#call(args, lines(ids));
    return out.toString('latin1').split('\n').filter(isGitId);
  }

  /** Those that are there and what they are called. Throws GitFailure where it takes too long or is too much. */
  async read(ids: readonly string[]): Promise<Map<string, ReadObject>> {
    const found = new Map<string, ReadObject>();
    if (ids.length === 0) return found;
    const { out } = await this.#call(['cat-file', '--batch', '--buffer'], lines(ids));
    for (let at = 0; at < out.length; ) {
      const end = out.indexOf(NEWLINE, at);
      if (end < 0) break;
      const [, id = '', type = '', size = ''] =
        HEADER.exec(out.toString('latin1', at, Math.min(end, at + LONGEST_HEADER))) ?? [];
      at = end + 1;
      if (id === '') continue; // missing
      const bytes = out.subarray(at, at + Number(size));
      at += Number(size) + 1;
      if (type !== 'tag' && gitObject(type as 'blob', bytes).id === id) found.set(id, { type, bytes });
    }
    return found;
  }

  close(): void {
    rmSync(this.#own, { recursive: true, force: true });
  }

  async #call(args: readonly string[], input: string): ReturnType<typeof callGit> {
    const timeoutMs = Math.max(1, this.#deadline - performance.now());
    const answer = await callGit(this.#git, {
      args,
      input,
      env: this.#env,
      timeoutMs,
      maxBytes: this.#bytesLeft,
    });
    this.#bytesLeft -= answer.out.length;
    return answer;
  }
}

function lines(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join('');
}
