// The example of docs/library.md runs as it stands, against the built package.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { verifyDirectory } from '../../src/entry/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { readEntries } from '../read-log.ts';
import { temporary } from '../temporary.ts';
import { kinds } from './recording.ts';

const root = join(import.meta.dirname, '../..');

/** The block of the page that opens a recorder. */
function exampleOf(page: string): string {
  const blocks = page.split('```js\n').slice(1);
  const example = blocks
    .map((block) => block.slice(0, block.indexOf('```')))
    .find((block) => block.includes('openRecorder'));
  if (example === undefined) throw new Error('docs/library.md has no such example');
  return example;
}

it('the example records a session that verifies', async () => {
  const place = temporary();
  const work = join(place, 'work');
  mkdirSync(join(work, 'node_modules'), { recursive: true });
  mkdirSync(join(work, '.git'));
  symlinkSync(root, join(work, 'node_modules/counterfoil'));
  writeFileSync(join(work, 'example.mjs'), exampleOf(readFileSync(join(root, 'docs/library.md'), 'utf8')));
  const directory = join(place, 'ledger');
  await promisify(execFile)(process.execPath, ['example.mjs'], {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: place, FOIL_LEDGER: directory, XDG_CONFIG_HOME: place },
  });
  const store = openFileStore(directory);
  const entries = await readEntries(store);
  await store.close();
  expect(kinds(entries)).toEqual([
    'ledger.open',
    'session.start',
    'prompt',
    'tool.call',
    'tool.result',
    'response',
    'session.end',
  ]);
  const report = await verifyDirectory(directory);
  expect(report.verdict).toBe('INTACT');
});

it('spec/recording.md names every member of what a program records', async () => {
  const page = readFileSync(join(root, 'spec/recording.md'), 'utf8');
  const row = (kind: string): string =>
    page.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`)) ?? '';
  const shared = page.split('\n').find((line) => line.startsWith('| every `tool.*` |')) ?? '';
  const { record } = await import('./recording.ts');
  const { recorder, done } = await record();
  await recorder.prompt('early');
  const session = await recorder.session();
  await session.tool('t', { path: 'a', content: 'x' }, () => 'ok', {
    exitCode: () => 0,
    file: { path: 'a', members: ['content'] },
  });
  await session.response('done');
  const marks = ['redacted', 'lossy', 'buffered', 'repeated'];
  for (const { kind, payload } of await done())
    for (const member of Object.keys(payload))
      if (!marks.includes(member))
        expect(`${row(kind)} ${kind.startsWith('tool.') ? shared : ''}`, `${kind} ${member}`).toContain(
          `\`${member}\``,
        );
});
