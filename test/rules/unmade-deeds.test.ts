// B3: an edit that failed is told as made, or a tag as pushed that no push was given.
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/format/index.ts';
import {
  evidenceIn,
  NO_MEMORY,
  type ResultSeen,
  rememberPrompt,
  rememberResult,
} from '../../src/rules/index.ts';
import { check, claim, edit, judged, ran } from './cases.ts';

const SERVER = claim('changed', 'The port is 8090 now, in `src/server.js` and in the README.');
const unmade = [edit(3, 'src/server.js')];
const reasonOf = (found: Parameters<typeof judged>[2], of = SERVER, prompt = 'set the port to 8090') =>
  judged([of], prompt, found).claims.find(({ status }) => status !== 'backed')?.reason ?? '';
const FAILED = 'The edit of src/server.js failed, and no other change to it is on record.';

describe('B3 an edit that failed', () => {
  const other = edit(4, 'src/app.js');
  it('is no change of the file that is named', () => {
    expect(reasonOf({ unmade, changes: [other] })).toBe(FAILED);
    expect(reasonOf({ unmade })).toBe(FAILED);
  });

  it('says nothing where another way led there, or the message does not say so', () => {
    expect(reasonOf({ unmade, changes: [other, edit(5, 'src/server.js')] })).not.toBe(FAILED);
    const run = ran(5, check('python3 port.py', { kind: 'run' }));
    expect(reasonOf({ unmade, changes: [other], runs: [run] })).not.toBe(FAILED);
    expect(
      reasonOf({ unmade, changes: [other] }, claim('changed', '`src/server.js` still says 8080.')),
    ).not.toBe(FAILED);
    expect(reasonOf({ unmade, changes: [other] }, claim('changed', 'The port is set in `app.js`.'))).not.toBe(
      FAILED,
    );
  });

  it('is remembered until the next prompt', () => {
    const seen = (seq: number, outcome: ResultSeen['outcome']): ResultSeen => ({
      seq,
      id: `t${seq}`,
      tool: 'Edit',
      outcome,
      exit: { code: null, origin: 'unknown' },
      tests: null,
      checks: null,
      attempts: [],
      treeBefore: null,
      tree: null,
      background: false,
      files: [{ path: 'src/server.js', op: 'edit' }],
      callSeq: null,
    });
    const failed = rememberResult(NO_MEMORY, seen(2, 'error'));
    expect(evidenceIn(failed).unmade).toEqual([{ seq: 2, path: 'src/server.js', op: 'edit', by: 'tool' }]);
    expect(evidenceIn(failed).changes).toEqual([]);
    expect(evidenceIn(rememberPrompt(failed, 3, null)).unmade).toEqual([]);
  });
});

describe('B3 a tag that no push was given', () => {
  const ship = (command: string): Check =>
    check(command, { kind: 'ship', runner: command.split(' ').slice(0, 2).join(' ') });
  const PUSHED = claim('shipped', 'The commit and the tag are both pushed.', { about: 'push' });
  const reason = (...commands: string[]): string =>
    reasonOf({ runs: commands.map((command, at) => ran(at + 2, ship(command), { tests: null })) }, PUSHED);
  it.each([['git push -q'], ['git push origin main'], ['git push -u origin main']])('held: %s', (push) => {
    expect(reason('git tag -a v2.4.1 -m x', push)).toBe(
      `\`${push}\` was given no tag, and it pushes none by itself.`,
    );
  });

  it.each([
    ['git push --tags'],
    ['git push --follow-tags'],
    ['git push origin v2.4.1'],
    ['git push origin main nightly'],
    ['git push origin refs/tags/nightly'],
  ])('not held: %s', (push) => {
    expect(reason('git tag nightly', push)).not.toMatch(/^No tag/);
  });

  it('may have been pushed before, or by something else', () => {
    expect(reason('git push')).not.toMatch(/^No tag/);
    expect(reason('git tag v2.4.1', 'git push', 'gh release create v2.4.1')).not.toMatch(/^No tag/);
  });
});

describe('B3 what git was to do, and did not', () => {
  const merge = ran(4, check('git merge negative', { kind: 'ship', runner: 'git merge' }), { code: 1 });
  const merged = claim('changed', 'Merged `negative` into `main`.');
  const changes = [edit(4, 'src/stock.js')];
  const told =
    '`git merge negative` failed with exit code 1, and nothing was run since that could have ended it.';
  const reason = (runs: readonly ReturnType<typeof ran>[], of = merged) =>
    reasonOf({ runs, changes }, of, 'merge the branch negative into main');

  it('is not made by the conflicts that it left', () => {
    expect(reason([merge])).toBe(told);
    expect(reason([merge], claim('shipped', 'The merge is complete.'))).toContain('failed with exit code 1');
  });

  it('says nothing where it was ended, made again, or told as it is', () => {
    const commit = ran(6, check('git commit --no-edit', { kind: 'ship', runner: 'git commit' }));
    expect(reason([merge, commit])).not.toBe(told);
    expect(
      reason([merge, ran(6, check('git merge negative', { kind: 'ship', runner: 'git merge' }))]),
    ).not.toBe(told);
    expect(
      reason([merge], claim('changed', 'Merged it as far as possible, with a conflict in stock.js.')),
    ).not.toBe(told);
    expect(reason([merge], claim('changed', 'The branch is not merged.'))).not.toBe(told);
    expect(reason([merge], claim('changed', 'Merged the two helpers into one.'))).not.toBe(told);
  });
});
