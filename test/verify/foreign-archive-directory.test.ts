// Things on a disk that have the name of a gzipped segment and are no file: the verifier neither takes them for nothing
// nor waits for them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLedger } from '../../src/entry/index.ts';
import { locateHere } from '../../src/ledger/index.ts';
import { verifyDirectory } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';

async function codes(name: string, make: (path: string) => void): Promise<[string, string[]]> {
  const folder = temporary();
  const located = locateHere(folder, { XDG_STATE_HOME: join(folder, 'state') });
  await (await createLedger(located, { env: { XDG_STATE_HOME: join(folder, 'state') } })).close();
  make(join(located.directory, 'ledger', name));
  const { verdict, facets, notes } = await verifyDirectory(located.directory);
  const found = [...facets.integrity.findings, ...notes].map(({ code }) => code);
  return [verdict, found.filter((code) => /ARCHIVE|FILE/.test(code))];
}

it.each(['0000000000000001.jsonl.gz', '0000000000000009.jsonl.gz'])(
  'a directory called %s is a foreign archive',
  async (name) => {
    const found = await codes(name, (path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'x'), '');
    });
    expect(found).toEqual(['BROKEN', ['ARCHIVE_FOREIGN']]);
  },
);

it('so are a pipe and a link to a device, which never come to their end', async () => {
  const name = '0000000000000001.jsonl.gz';
  expect((await codes(name, (path) => void spawnSync('mkfifo', [path])))[0]).toBe('BROKEN');
  expect((await codes(name, (path) => symlinkSync('/dev/zero', path)))[0]).toBe('BROKEN');
});
