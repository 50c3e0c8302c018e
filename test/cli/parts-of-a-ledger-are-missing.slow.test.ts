// Somebody removed a part of a ledger, or something else lies in its place. Every command says so in a sentence: what could
// not be read, and what to do. None prints what the system said, or a stack.
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { init } from '../../src/cli/commands/init.ts';
import { loadCommands } from '../../src/cli/main.ts';
import { describe as described } from '../../src/cli/rim.ts';
import { openRecorder } from '../../src/entry/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { storeError } from '../../src/store/files/failure.ts';
import { Machine } from '../attack/hostile-clone.ts';

/** Those that only read come first. */
const COMMANDS = [
  'status',
  'log',
  'show 1',
  'doctor',
  'verify',
  'crashes',
  'session list',
  'key list',
  'evidence',
  'prove 1',
  'archive --dry-run',
  'mode',
  'checkpoint',
  'archive',
  'mode guard',
  'recover',
];
const SEGMENT = 'ledger/0000000000000001.jsonl';
const DIRECTORIES = ['', 'keys', 'ledger', 'checkpoints', 'tile'];
const PARTS = [...DIRECTORIES, SEGMENT, 'head', 'checkpoint', 'lock', 'settings'];
const RAW =
  /\bE(?:NOENT|NOTDIR|ISDIR|LOOP|EXIST|ACCES|BADF|INVAL)\b|no such file|illegal operation|TypeError|\n {4}at /;

/** It starts processes, so it looks at fewer parts. */
const WITH_DOCTOR = ['', 'keys', 'ledger', SEGMENT, 'lock'];

const HOW: Readonly<Record<string, (path: string, isDirectory: boolean) => void>> = {
  'is gone': () => {},
  'is something else': (path, isDirectory) => (isDirectory ? writeFileSync(path, 'x') : mkdirSync(path)),
  'is a link to nowhere': (path) => symlinkSync('/nowhere/at/all', path),
};

async function recorded(): Promise<{ machine: Machine; ledger: string; keys: string }> {
  const machine = new Machine();
  machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
  const { directory: ledger } = (await machine.run(init)).json;
  const place = locate({ ledger, env: machine.env });
  const recorder = await openRecorder({ place, cwd: machine.project, agent: 'x', source: 'sdk' });
  await (await recorder.session({})).end({ reason: 'done', exitCode: 0 });
  await recorder.close();
  return { machine, ledger, keys: place.keyDirectory };
}

/** What a person reads. */
async function said(machine: Machine, words: string): Promise<string> {
  const [name, ...rest] = words.split(' ');
  const command = (await loadCommands()).find((each) => each.name === name);
  if (command === undefined) throw new Error(`no ${name}`);
  try {
    const { text, json = null, warnings } = await machine.run(command, rest);
    return [text, JSON.stringify(json), ...warnings].join('\n');
  } catch (error) {
    const { code, message } = described(error);
    return code === 'INTERNAL' ? `TypeError ${(error as Error).stack}` : message;
  }
}

describe.each(Object.entries(HOW))('where a part of the ledger %s', (_, replace) => {
  it('every command says what is wrong in words', async () => {
    const { machine, ledger, keys } = await recorded();
    const whole = join(machine.root, 'whole');
    cpSync(ledger, join(whole, 'ledger'), { recursive: true });
    cpSync(keys, join(whole, 'keys'), { recursive: true });
    const raw: string[] = [];
    for (const part of PARTS) {
      for (const [name, place] of Object.entries({ ledger, keys })) {
        rmSync(place, { recursive: true, force: true });
        cpSync(join(whole, name), place, { recursive: true });
      }
      const path = part === 'keys' ? keys : join(ledger, part);
      rmSync(path, { recursive: true });
      replace(path, DIRECTORIES.includes(part));
      for (const words of COMMANDS) {
        if (words === 'doctor' && !WITH_DOCTOR.includes(part)) continue;
        const text = await said(machine, words);
        if (text.trim() === '' || RAW.test(text)) raw.push(`${part}: foil ${words}: ${text.slice(0, 500)}`);
      }
    }
    expect(raw).toEqual([]);
  });
});

it('foil status says which directory is not there', async () => {
  const { machine, ledger } = await recorded();
  rmSync(join(ledger, 'ledger'), { recursive: true });
  expect(await said(machine, 'status')).toBe(
    `could not read ${join(ledger, 'ledger')}: it no longer exists. Restore the directory, then try again.`,
  );
});

it('what the system says is put into words once, and our own words stay', () => {
  const system = Object.assign(new Error('ENOENT: no such file or directory, open "/x"'), {
    code: 'ENOENT',
    syscall: 'open',
    path: '/x',
  });
  const { code, message } = described(system);
  expect({ code, message }).toEqual({ code: 'REMOVED', message: storeError(system, 'read', '/x').message });
  expect(described(new Error('our own words')).message).toBe('our own words');
  expect(described('thrown')).toMatchObject({ code: 'INTERNAL', message: 'thrown' });
});
