// The vectors of the git story: how they are read, told again, and made (`makeGitVectors`, when the format changes).
import { utf8Decode, utf8Encode } from '#platform';
import { encodeGitCommit, type GitEnd, GitIds, GitStory, parseEntry } from '../../src/format/index.ts';
import { memoryLedger } from '../anchor/git/memory.ts';
import { Sessions } from '../anchor/git/sessions.ts';

export interface Told {
  readonly commits: readonly {
    readonly seq: number;
    readonly ref: string;
    readonly archive: string | null;
    readonly files: Readonly<Record<string, string>>;
    readonly tree: string;
    readonly commit: string;
    readonly id: string;
  }[];
  readonly refs: Readonly<Record<string, string>>;
}

export interface GitVector extends Told {
  readonly name: string;
  readonly end: GitEnd;
  readonly entries: readonly string[];
}

export function tell(end: GitEnd, entries: readonly string[]): Told {
  const story = new GitStory(end);
  const ids = new GitIds();
  const byIndex: string[] = [];
  const refs: Record<string, string> = {};
  const commits = entries.flatMap((line) =>
    story.add(parseEntry(utf8Encode(line))).map((commit) => {
      const { seq, ref, archive, files, parents } = commit;
      const { id, tree } = ids.add(commit);
      byIndex.push(id);
      refs[ref] = id;
      if (archive !== null) refs[archive] = id;
      const before = parents.map((index) => byIndex[index] ?? '');
      return { seq, ref, archive, files, tree, commit: encodeGitCommit(commit, tree, before), id };
    }),
  );
  return { commits, refs };
}

export async function makeGitVectors(): Promise<GitVector[]> {
  const sessions = new Sessions(await memoryLedger());
  const first = await sessions.begin(930_226);
  await sessions.interact(first, 'what is here?', 'a parser');
  const second = await sessions.begin(930_233);
  await sessions.interact(second, null, 'nobody asked');
  await sessions.interact(first, 'does it pass?', 'it does');
  await sessions.end(first, 930_230);
  const alone = await sessions.begin(null);
  await sessions.end(alone, null);
  await sessions.cut(second);
  const entries: string[] = [];
  const { seq } = await sessions.store.head();
  for await (const piece of sessions.store.read(1, seq))
    entries.push(...utf8Decode(piece).trimEnd().split('\n'));
  return (['merge', 'archive'] as const).map((end) => {
    const name = `two sessions on branch-4 at once, one without a block, ${end === 'merge' ? 'merged' : 'archived'}`;
    return { name, end, entries, ...tell(end, entries) };
  });
}
