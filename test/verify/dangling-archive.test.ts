// A link by the name of a gzipped segment that leads nowhere: what it leads to can be put there at any time.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLedger } from '../../src/entry/index.ts';
import { locateHere } from '../../src/ledger/index.ts';
import { verifyDirectory } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';

it.each([
  ['beside its segment', '0000000000000001.jsonl.gz', 'ARCHIVE_FOREIGN'],
  ['without a segment', '0000000000000009.jsonl.gz', 'ARCHIVE_UNRECORDED'],
])('a dangling link %s is a finding', async (_, name, code) => {
  const folder = temporary();
  const env = { XDG_STATE_HOME: join(folder, 'state') };
  const located = locateHere(folder, env);
  await (await createLedger(located, { env })).close();
  expect((await verifyDirectory(located.directory)).verdict).toBe('INTACT');
  symlinkSync(join(folder, 'nowhere'), join(located.directory, 'ledger', name));
  const { verdict, facets } = await verifyDirectory(located.directory);
  expect(verdict).toBe('BROKEN');
  expect(facets.integrity.findings.map((found) => [found.code, found.file])).toContainEqual([
    code,
    `ledger/${name}`,
  ]);
});
