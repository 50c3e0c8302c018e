// Whatever happens in between, the repository ends up as the entries say, and no other way.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { catchUp, gitDirectory } from '../../../src/anchor/git/index.ts';
import { GitIds, GitStory } from '../../../src/format/index.ts';
import { readEntries } from '../../read-log.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { memoryLedger } from './memory.ts';
import { expectSound, git } from './repository.ts';
import { Sessions } from './sessions.ts';

type Step =
  | { readonly do: 'begin'; readonly height: number | null }
  | { readonly do: 'interact' | 'end' | 'cut'; readonly which: number }
  | { readonly do: 'catch up' | 'forget' | 'lose the repository' }
  | { readonly do: 'catch up while locked' | 'lose a ref'; readonly ref: string }
  | { readonly do: 'fail to read'; readonly after: number };

const REFS = ['refs/heads/main', 'refs/heads/branch-0', 'refs/heads/branch-1', 'refs/heads/branch-2'];
const ref = fc.constantFrom(...REFS);
const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('begin' as const), height: fc.constantFrom(null, 0, 1) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('interact' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('end' as const, 'end' as const, 'cut' as const), which }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('catch up' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('catch up while locked' as const), ref }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose a ref' as const), ref }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose the repository' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('fail to read' as const), after: fc.nat({ max: 20 }) }),
  },
);

it.each(['merge', 'archive'] as const)(
  'G6e, G7b the same entries give the same repository: %s',
  async (end) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const directory = temporary(fastDirectory);
        const store = await memoryLedger();
        const sessions = new Sessions(store);
        const begun: string[] = [];
        const dir = gitDirectory(directory);
        const lock = (): (() => void) => () => undefined;
        const run = (): Promise<unknown> => catchUp({ directory, store, lock, end });
        for (const each of steps) {
          const session = 'which' in each ? begun[each.which] : undefined;
          if (each.do === 'begin') begun.push(await sessions.begin(each.height));
          else if (each.do === 'catch up') await run();
          else if (each.do === 'forget') rmSync(join(dir, 'foil.json'), { force: true });
          else if (each.do === 'lose the repository') rmSync(dir, { recursive: true, force: true });
          else if (each.do === 'lose a ref') rmSync(join(dir, each.ref), { force: true });
          else if (each.do === 'catch up while locked') {
            await run();
            if (begun[0] !== undefined) await sessions.interact(begun[0]);
            const path = join(dir, `${each.ref}.lock`);
            writeFileSync(path, '');
            await run();
            rmSync(path);
          } else if (each.do === 'fail to read') {
            const read = async function* (from: number, to: number): AsyncGenerator<Uint8Array> {
              if (to > each.after) throw new Error('the disk is gone');
              yield* store.read(from, to);
            };
            await catchUp({ directory, store: { head: () => store.head(), read }, lock, end });
          } else if (session !== undefined) {
            if (each.do === 'interact') await sessions.interact(session);
            else if (each.do === 'end') await sessions.end(session, 1);
            else if (each.do === 'cut') await sessions.cut(session);
          }
        }
        expect(await run()).toMatchObject({ position: (await store.head()).seq });
        const story = new GitStory(end);
        const ids = new GitIds();
        const expected = new Map<string, string>();
        for (const entry of await readEntries(store)) {
          for (const commit of story.add(entry)) {
            const { id } = ids.add(commit);
            expected.set(commit.ref, id);
            if (commit.archive !== null) expected.set(commit.archive, id);
          }
        }
        const refs = git(dir, 'for-each-ref', '--format=%(refname) %(objectname)');
        expect(refs).toBe(
          [...expected]
            .map((pair) => pair.join(' '))
            .sort()
            .join('\n'),
        );
        expectSound(dir);
      }),
      { numRuns: 40 },
    );
  },
);
