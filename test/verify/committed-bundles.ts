// Bundles of runs that a commit was signed into, with what shows what it holds and what it goes on from.
import { utf8Encode } from '#platform';
import { encodeTar, type TreeFile } from '../../src/format/index.ts';
import { ARTIFACTS, type Loose, type Runs } from './bundle-maker.ts';
import { type GitObjects, gitCommit, gitTree } from './git-objects.ts';
import { type BundleCase, failing, made, PASS, STRICT, type Story } from './make-bundles.ts';

/** What `Runs.base` names. */
const BASE = 'a'.repeat(40);
const BESIDES: TreeFile = { path: 'README.md', bytes: utf8Encode('Read me.\n') };
const noted = (code: string): BundleCase['expect'] => ({ ...PASS, codes: [code] });

export interface Committed {
  readonly story: Story;
  readonly show: (loose: Loose) => void;
}

/** A commit of these files, behind `between`, signed into the run behind its end. */
export function committing(
  files: readonly TreeFile[] = [...ARTIFACTS, BESIDES],
  between: readonly GitObjects[] = [],
  parent = between.at(-1)?.name ?? BASE,
): Committed {
  const tree = gitTree(files);
  const commit = gitCommit(tree.name, [parent]);
  return {
    story: {
      after: (runs: Runs) => {
        runs.of('commit', { commit: commit.name, tree: tree.name, parents: [parent] });
        runs.sum();
      },
    },
    show: ({ parts }) => {
      parts.set('artifacts.tar', encodeTar(ARTIFACTS));
      for (const { objects } of [commit, ...between])
        for (const [name, bytes] of objects) parts.set(`commits/${name}`, bytes);
      for (const [name, bytes] of tree.objects) parts.set(`trees/${name}`, bytes);
    },
  };
}

function committed(
  name: string,
  done: string,
  expect: BundleCase['expect'],
  { story, show }: Committed,
  change: (loose: Loose) => void = () => undefined,
): BundleCase {
  const both = (loose: Loose): void => {
    show(loose);
    change(loose);
  };
  return made(name, done, expect, { pack: STRICT, ...story }, { change: both });
}

export function committedBundles(): BundleCase[] {
  const honest = committing();
  const unshown = noted('COMMIT_NOT_SHOWN');
  const wrong = failing('COMMIT_WRONG', 'COMMIT_NOT_SHOWN');
  const [artifact] = ARTIFACTS as [TreeFile];
  const tree = (parts: Loose['parts'], nth: number): string =>
    [...parts.keys()].filter((path) => path.startsWith('trees/'))[nth] ?? '';
  const first = gitCommit(gitTree([BESIDES]).name, [BASE], 'First');
  const root = gitCommit(gitTree([BESIDES]).name, [], 'Root');
  return [
    committed('commit-holds', 'A commit holds what the run made, and goes on from its base.', PASS, honest),
    committed(
      'commit-behind-another',
      'Another commit lies between it and the base.',
      PASS,
      committing(undefined, [first]),
    ),
    committed(
      'commit-of-other-files',
      'The commit has another file of the name that the run made.',
      unshown,
      committing([{ ...artifact, bytes: utf8Encode('export default 1;\n') }]),
    ),
    committed(
      'commit-of-fewer-files',
      'The commit does not have what the run made.',
      unshown,
      committing([BESIDES]),
    ),
    committed(
      'commit-of-more-files',
      'The commit has a file besides, where the pack says that a run makes them.',
      unshown,
      committing([...ARTIFACTS, { path: 'src/deep/b.mjs', bytes: utf8Encode('evil();\n') }]),
    ),
    committed(
      'commit-of-another-history',
      'The commit does not go on from the base.',
      unshown,
      committing(undefined, [root]),
    ),
    committed(
      'commit-of-unshown-parents',
      'The commits between it and the base are not shown.',
      unshown,
      committing(undefined, [], 'c'.repeat(40)),
    ),
    committed('commit-without-artifacts', 'What the run made is not shown.', unshown, honest, ({ parts }) => {
      parts.delete('artifacts.tar');
    }),
    committed('commit-without-a-tree', 'A tree of the commit is not shown.', unshown, honest, ({ parts }) => {
      parts.delete(tree(parts, 0));
    }),
    committed('tree-changed', 'A tree is not the one of its name.', wrong, honest, ({ parts }) => {
      parts.set(tree(parts, 0), gitTree([BESIDES]).objects.values().next().value ?? new Uint8Array(0));
    }),
    committed(
      'tree-of-no-commit',
      'A tree is there that no commit leads to.',
      failing('COMMIT_WRONG'),
      honest,
      ({ parts }) => {
        const { name, objects } = gitTree([{ path: 'x', bytes: utf8Encode('x') }]);
        parts.set(`trees/${name}`, objects.get(name) ?? new Uint8Array(0));
      },
    ),
    committed(
      'commit-of-no-run',
      'A commit is there that the run’s does not lead to.',
      failing('COMMIT_WRONG'),
      honest,
      ({ parts }) => {
        parts.set(`commits/${root.name}`, root.objects.get(root.name) ?? new Uint8Array(0));
      },
    ),
  ];
}
