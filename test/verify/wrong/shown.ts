// Content, artifacts and commits that are shown.
import { sha256Hex, utf8Encode } from '#platform';
import { encodeTar } from '../../../src/format/index.ts';
import { ARTIFACTS, type Loose, looseBundle, type Runs } from '../bundle-maker.ts';
import { type BundleCase, failing, made } from '../make-bundles.ts';
import { DEEP, edit } from './edits.ts';

/** Content and commits that are shown. */
export function shown(): BundleCase[] {
  const wrong = (name: string, done: string, change: (loose: Loose, runs: Runs) => void): BundleCase =>
    made(`content-${name}`, done, failing('CONTENT_WRONG'), {}, { disclose: 'all', change });
  const first = ({ parts }: Loose): string =>
    [...parts.keys()].find((path) => path.startsWith('content/')) ?? '';
  const commit = {
    after: (runs: Runs): void => {
      runs.commit();
      runs.sum();
    },
  };
  const uncommitted = (
    name: string,
    done: string,
    change: (loose: Loose) => void,
    ...more: string[]
  ): BundleCase => made(`commit-${name}`, done, failing('COMMIT_WRONG', ...more), commit, { change });
  const object = ({ parts }: Loose): string =>
    [...parts.keys()].find((path) => path.startsWith('commits/')) ?? '';
  return [
    wrong(
      'changed',
      'Content is not what its name commits to.',
      (loose) => void loose.parts.set(first(loose), utf8Encode('better')),
    ),
    wrong(
      'without-its-key',
      'The key of content is missing.',
      edit('content-keys.json', (keys) => keys.replace(/"[^"]*":"[^"]*",/, '')),
    ),
    wrong('without-keys', 'There are no keys.', ({ parts }) => void parts.delete('content-keys.json')),
    wrong(
      'under-another-key',
      'The key of content is another one.',
      edit('content-keys.json', (keys) => keys.replace(/:"[0-9a-f]{64}"/, `:"${'0'.repeat(64)}"`)),
    ),
    wrong(
      'keys-not-canonical',
      'content-keys.json has a space in it.',
      edit('content-keys.json', (keys) => keys.replace(',', ', ')),
    ),
    wrong(
      'keys-nested',
      'content-keys.json is nested a thousand deep.',
      edit('content-keys.json', () => DEEP),
    ),
    wrong(
      'key-of-no-form',
      'A key is a number.',
      edit('content-keys.json', (keys) => keys.replace('{', '{"a":1,')),
    ),
    wrong(
      'key-of-nothing',
      'There is a key for content that is not shown.',
      (loose) => void loose.parts.delete(first(loose)),
    ),
    wrong('of-no-entry', 'Content is shown that no entry names.', ({ parts }) => {
      const bytes = utf8Encode('The agent was right.');
      parts.set(`content/sha256-${sha256Hex(bytes)}`, bytes);
    }),
    wrong('of-another-run', 'Content of the other run is shown.', (loose, runs) => {
      const { parts } = looseBundle(runs, {
        run: runs.entries()[2]?.entry.session_id ?? '',
        disclose: 'all',
      });
      for (const [path, bytes] of parts) if (path.startsWith('content')) loose.parts.set(path, bytes);
    }),
    wrong(
      'of-no-name',
      'Content has a name of no form.',
      ({ parts }) => void parts.set('content/prompt.txt', utf8Encode('x')),
    ),
    made(
      'content-under-the-salt',
      'Content under the older algorithm is shown with the salt, which opens all of it.',
      failing('CONTENT_WRONG'),
      {
        tell: (runs) => {
          runs.of('tool.call', { tool: 'Bash', args: runs.content('ls') });
        },
      },
      {
        change: ({ parts }, runs) => {
          const [, name = ''] = /"hmac-sha256:([0-9a-f]{64})"/.exec(runs.lines.join('\n')) ?? [];
          parts.set(`content/hmac-sha256-${name}`, utf8Encode('ls'));
          parts.set('content-keys.json', utf8Encode(`{"hmac-sha256:${name}":"${'5a'.repeat(32)}"}`));
        },
      },
    ),
    made(
      'artifacts-changed',
      'What the run made is shown, and is something else.',
      failing('ARTIFACTS_WRONG'),
      {},
      {
        change: ({ parts }) => void parts.set('artifacts.tar', encodeTar([])),
      },
    ),
    made(
      'artifacts-malformed',
      'The archive of what the run made is a text.',
      failing('ARTIFACTS_WRONG'),
      {},
      {
        change: ({ parts }) => void parts.set('artifacts.tar', utf8Encode('x')),
      },
    ),
    made(
      'artifacts-of-no-entry',
      'Something is shown as made by the run, and no entry says what it made.',
      failing('ARTIFACTS_WRONG'),
      { close: (runs) => void runs.end() },
      {
        change: ({ parts }) => void parts.set('artifacts.tar', encodeTar(ARTIFACTS)),
      },
    ),
    uncommitted(
      'left-out',
      'The object of the commit is not there.',
      (loose) => void loose.parts.delete(object(loose)),
    ),
    uncommitted(
      'changed',
      'The object is not the one of its name.',
      (loose) => void loose.parts.set(object(loose), utf8Encode('tree x\n')),
    ),
    uncommitted(
      'of-no-entry',
      'An object is there that no entry names.',
      ({ parts }) => void parts.set(`commits/${'a'.repeat(40)}`, utf8Encode('x')),
      'COMMIT_NOT_SHOWN',
    ),
    made(
      'commit-with-another-tree',
      'The entry names another tree than the object.',
      failing('COMMIT_WRONG'),
      {
        after: (runs) => {
          runs.commit({ tree: 'c'.repeat(64) });
          runs.sum();
        },
      },
    ),
    made(
      'commit-with-other-parents',
      'The entry names other parents than the object.',
      failing('COMMIT_WRONG'),
      {
        after: (runs) => {
          runs.commit({ parents: [] });
          runs.sum();
        },
      },
    ),
    made('commit-malformed', 'The entry has one member more.', failing('COMMIT_WRONG'), {
      after: (runs) => {
        runs.commit({ author: 'me' });
        runs.sum();
      },
    }),
  ];
}
