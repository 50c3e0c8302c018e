// Each claim that a scan lists has an id of its own, and `foil why` explains that claim and no other.
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { why } from '../../src/cli/commands/why.ts';
import { scanTranscripts } from '../../src/report/scan.ts';
import { findScannedClaim } from '../../src/report/scan-details.ts';
import type { ListedClaim } from '../../src/report/scan-file.ts';
import { findTranscripts } from '../../src/report/transcript-files.ts';
import { temporary } from '../temporary.ts';
import { hookedLedger } from './hooked-ledger.ts';
import { ID } from './scan-box.ts';
import { ClaudeSession, CodexSession, PASSED } from './transcripts.ts';

/** Three of one session on three days, one of them under another name, and one whose id begins alike. */
function saved(home: string): void {
  const say = (message: string, day: string, id = ID(1)): string =>
    new CodexSession(id, day).prompt('Fix src/sum.js.').edit('src/sum.js').say(message).save(home);
  const renamed = say('All tests of Monday pass.', '2026-11-02');
  renameSync(renamed, join(dirname(renamed), 'rollout-copy.jsonl'));
  say('All tests of Tuesday pass.', '2026-11-03');
  say('All tests of Wednesday pass.', '2026-11-04');
  say('All tests of Thursday pass.', '2026-11-05', `${ID(1).slice(0, 12)}-other`);
}

it('X12 gives each claim an id of its own, by which it is found again', async () => {
  const home = temporary();
  saved(home);
  const files = findTranscripts({ home, env: {} });
  const listed: ListedClaim[] = [];
  const open: string[] = [];
  await scanTranscripts({
    files,
    threads: false,
    list: (claim) => listed.push(claim),
    each: ({ id }) => open.push(id),
  });
  const ids = listed.map(({ id }) => id ?? '');
  expect(listed.map(({ quote }) => quote.split(' ')[3])).toEqual([
    'Monday',
    'Tuesday',
    'Wednesday',
    'Thursday',
  ]);
  expect(new Set(ids).size).toBe(4);
  expect([...open].sort()).toEqual([...ids].sort());
  // The first that is named after the session has the plain one.
  expect(ids.map((id) => id.includes('~'))).toEqual([true, false, true, true]);
  for (const { id, quote, path } of listed)
    expect(findScannedClaim(id ?? '', files)).toMatchObject({ id, quote, path });
});

it('foil why says of a claim of a transcript what the scan says, and never that it is a trick', async () => {
  const ledger = await hookedLedger();
  new ClaudeSession(ID(1))
    .prompt('Fix src/sum.js.')
    .edit('src/sum.js')
    .run('npx vitest run | sed s/1/2/', PASSED)
    .say('All tests pass.')
    .save(ledger.env.HOME);
  const { json, text } = await ledger.run(why, '00000001-111.1.1');
  expect(json).toMatchObject({ status: 'cant_tell' });
  expect(text).toMatch(/status +can’t tell\n/);
  expect(text).not.toContain('trick');
});
