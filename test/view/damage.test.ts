// What the viewer says when the files of a ledger are changed under it, and what it doesn't mistake for that.
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { encodeContentRef, parseEntry, parseTar } from '../../src/format/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import type { HealthReport, Prompts, Sessions } from '../../src/view/answers.ts';
import { LedgerWatch } from '../../src/view/ledger-watch.ts';
import { type CheckedRun, checkRun } from '../../web/check-run.ts';
import { contentText } from '../../web/model/session.ts';
import { wordsFor } from '../../web/view/verdict-words.ts';
import { archive } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';
import { idOf, SmallLedger } from './small-ledger.ts';
import { viewing } from './viewing.ts';

async function sealedLedger(): Promise<SmallLedger & { readonly segment: string }> {
  const small = await SmallLedger.make();
  await small.session('one', ['first words', 'second words', 'third words']);
  await small.ledger.seal();
  const [name = ''] = readdirSync(join(small.located.directory, 'ledger'));
  return Object.assign(small, { segment: join(small.located.directory, 'ledger', name) });
}

async function archived({ ledger, located: { directory } }: SmallLedger): Promise<void> {
  const store = openFileStore(directory);
  await archive({ ledger, store });
  await store.close();
}

/** The same length, another byte. */
function changeByte(path: string): void {
  const bytes = readFileSync(path);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

it('X9 growth, sealing and archiving are no damage', async () => {
  const small = await sealedLedger();
  const watch = new LedgerWatch(small.located.directory);
  expect(watch.look()).toEqual([]);
  await small.session('two', ['more words']);
  expect(watch.look()).toEqual([]);
  await small.ledger.seal();
  expect(watch.look()).toEqual([]);
  await archived(small);
  expect(watch.look()).toEqual([]);
  expect(watch.look()).toEqual([]);
});

it('X9 files that were changed, cut or removed are named', async () => {
  const harm: [what: RegExp, (segment: string, directory: string) => void][] = [
    [/jsonl of this ledger was changed/, changeByte],
    [/jsonl of this ledger was cut/, (segment) => truncateSync(segment, 500)],
    [/jsonl of this ledger was removed/, (segment) => rmSync(segment)],
    [/checkpoint of this ledger was changed/, (_, directory) => changeByte(join(directory, 'checkpoint'))],
    [/checkpoint of this ledger was removed/, (_, directory) => rmSync(join(directory, 'checkpoint'))],
  ];
  const small = await sealedLedger();
  for (const [what, harmed] of harm) {
    const directory = join(small.located.directory, '..', `copy ${what.source.slice(-12)}`);
    cpSync(small.located.directory, directory, { recursive: true });
    const watch = new LedgerWatch(directory);
    expect(watch.look()).toEqual([]);
    harmed(join(directory, 'ledger', String(small.segment.split('/').at(-1))), directory);
    // An append may be on its way when the file is only newer: it is told at the second look.
    expect([...watch.look(), ...watch.look()].join(), what.source).toMatch(what);
    expect(watch.look(), what.source).toEqual([]);
  }
});

it('X9 a change that is told once stays in the list, and the tail brings it', async () => {
  const small = await sealedLedger();
  const { json } = await viewing([small.toView]);
  const { head, notices } = await json<Sessions>('/api/sessions');
  expect(notices).toEqual([]);
  const tail = json<{ notices: number }>(`/api/tail?after=${head}&notices=0`);
  truncateSync(small.segment, readFileSync(small.segment).length - 10);
  expect(await tail).toMatchObject({ notices: 1 });
  expect((await json<Sessions>('/api/sessions')).notices.join()).toMatch(/was cut while the viewer was open/);
});

it('X9 of several ledgers, one whose folder is removed says so, and its sessions are not listed', async () => {
  const [one, two] = [await sealedLedger(), await sealedLedger()];
  const { json } = await viewing([{ ...one.toView, name: 'shop' }, two.toView], true);
  const { head, sessions } = await json<Sessions>('/api/sessions');
  expect(sessions).toHaveLength(2);
  rmSync(one.located.directory, { recursive: true });
  expect(await json(`/api/tail?after=${head}&notices=0`)).toMatchObject({ notices: 1 });
  const after = await json<Sessions>('/api/sessions');
  expect(after.sessions).toHaveLength(1);
  expect(after.notices.join()).toMatch(/^shop can't be read: .* was removed/);
});

it('X9 a ledger whose file is gone is told by that, and nobody is told to make a new one', async () => {
  const small = await sealedLedger();
  const { json } = await viewing([small.toView]);
  const { head } = await json<Sessions>('/api/sessions');
  const tail = json(`/api/tail?after=${head}&notices=0`);
  rmSync(small.segment);
  await tail;
  // Whether the rest can still be opened depends on the lock file.
  const said = [JSON.stringify(await json('/api/sessions'))];
  rmSync(join(small.located.directory, 'lock'));
  said.push(JSON.stringify(await json('/api/sessions')));
  for (const each of said) {
    expect(each).toMatch(/jsonl of this ledger was removed while the viewer was open. Run `foil verify`/);
    expect(each).not.toMatch(/foil (?:init|install)/);
  }
});

it('X9 a session whose ledger is shorter than its checkpoint is not called intact', async () => {
  const small = await sealedLedger();
  const lines = readFileSync(small.segment, 'utf8').split('\n');
  writeFileSync(small.segment, `${lines.slice(0, 4).join('\n')}\n`);
  const { json, ask } = await viewing([small.toView]);
  expect((await json<Sessions>('/api/sessions')).notices.join()).toMatch(
    /checkpoint of this ledger says that it has 5 entries, but only 4 of them can be read/,
  );
  const { body } = await ask(`/api/run?session=${idOf('one')}`);
  const answer = await checkRun({ parts: parseTar(body), isServed: true, keys: [], now: Date.now() });
  expect(answer).toMatchObject({ isSound: false, missing: expect.stringContaining('only 4 of them') });
});

it('X9 the ledger of the benchmark passes, and a call without a hash of its arguments was not changed by anybody', async () => {
  const { makeLedger } = await import(join(import.meta.dirname, '../../bench/view-ledger.mjs'));
  const root = temporary();
  const located = {
    directory: join(root, 'ledger'),
    keyDirectory: join(root, 'keys'),
    how: 'option' as const,
  };
  await makeLedger(located, 1);
  const { json, ask } = await viewing([{ name: 'p', located }]);
  const id = (await json<Sessions>('/api/sessions')).sessions[0]?.id;
  const { body } = await ask(`/api/run?session=${id}`);
  const answer = await checkRun({ parts: parseTar(body), isServed: true, keys: [], now: Date.now() });
  expect(answer.broken).toEqual([]);
  expect(answer.report?.findings.filter(({ code }) => code === 'CONTENT_WRONG')).toEqual([]);

  const small = await SmallLedger.make();
  const ref = await small.ledger.store.putContent(idOf('one'), Buffer.from('{}'), {
    type: 'application/json',
  });
  await small.session('one', ['words']);
  await small.ledger.append({
    kind: 'tool.call',
    payload: { tool: 'Bash', args: encodeContentRef(ref) },
    source: 'hook',
    session_id: idOf('one'),
  });
  await small.ledger.seal();
  const other = await viewing([small.toView]);
  const { body: run } = await other.ask(`/api/run?session=${idOf('one')}`);
  const judged = await checkRun({ parts: parseTar(run), isServed: true, keys: [], now: Date.now() });
  expect(judged.report?.findings).toContainEqual(
    expect.objectContaining({ code: 'CONTENT_WRONG', message: expect.stringContaining('has no args_hash') }),
  );
  expect(judged.isSound).toBe(true);
  expect(judged.shown.size).toBe(2);
  expect(wordsFor(judged).words).not.toBe('was changed');
});

/** As long as before, with other words in it. */
function changeWords({ located: { directory } }: SmallLedger, name: string): void {
  const pack = join(directory, 'blobs', idOf(name), 'pack');
  const text = readFileSync(pack, 'latin1');
  writeFileSync(pack, text.replace('second words', 'other  words'), 'latin1');
}

it.each(['salted', 'plain', 'encrypted'] as const)(
  'X9 %s content that is not what its entry commits to is a finding, and its session is not called intact',
  async (kept) => {
    const small = await SmallLedger.make();
    await small.session('one', ['first words', 'second words'], kept);
    const { ask } = await viewing([small.toView]);
    const checked = async () => {
      const { body } = await ask(`/api/run?session=${idOf('one')}`);
      return checkRun({ parts: parseTar(body), isServed: true, keys: [], now: Date.now() });
    };
    // Not sealed at first, and what is decrypted for the page can't be compared there.
    expect(await checked()).toMatchObject({ report: null, isSound: true, uncompared: 0 });
    const pack = join(small.located.directory, 'blobs', idOf('one'), 'pack');
    const bytes = readFileSync(pack);
    const changed = Buffer.from(bytes);
    changed[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
    for (const state of ['open', 'sealed']) {
      if (state === 'sealed') await small.ledger.seal();
      writeFileSync(pack, bytes);
      expect(await checked(), state).toMatchObject({ isSound: true, uncompared: 0 });
      expect(wordsFor(await checked()).words).toBe(state === 'sealed' ? 'intact' : 'not sealed yet');
      writeFileSync(pack, changed);
      const answer = await checked();
      expect(answer, state).toMatchObject({ isSound: false, broken: [{ code: 'CONTENT_WRONG', seq: 4 }] });
      expect(answer.shown.size, state).toBe(1);
      expect(wordsFor(answer), state).toMatchObject({ words: 'was changed', tone: 'bad' });
    }
    // What isn't here was not compared with anything.
    rmSync(pack);
    const answer = await checked();
    expect(answer).toMatchObject({ isSound: true, uncompared: 2 });
    expect(wordsFor(answer).words).toBe('entries intact');
  },
);

it('X9 content that is kept encrypted is shown opened where its key is, and its ciphertext is what is compared', async () => {
  const small = await SmallLedger.make();
  await small.session('one', ['secret words'], 'encrypted');
  const ref = await small.encrypted('one', JSON.stringify({ command: 'ls' }), 'application/json');
  const args_hash = sha256Hex(Buffer.from(JSON.stringify({ command: 'ls' })));
  await small.ledger.append({
    kind: 'tool.call',
    payload: { tool: 'Bash', args: encodeContentRef(ref), args_hash },
    source: 'hook',
    session_id: idOf('one'),
  });
  await small.ledger.seal();
  const { ask } = await viewing([small.toView]);
  const checked = async () => {
    const { body } = await ask(`/api/run?session=${idOf('one')}`);
    return checkRun({ parts: parseTar(body), isServed: true, keys: [], now: Date.now() });
  };
  const textsOf = ({ lines, shown }: CheckedRun): (string | null)[] =>
    lines
      .map(parseEntry)
      .flatMap(({ payload: { prompt, args } }) => contentText(prompt ?? args, shown) ?? []);
  const answer = await checked();
  expect(answer).toMatchObject({ isSound: true, broken: [], uncompared: 0 });
  expect(textsOf(answer)).toEqual(['secret words', '{"command":"ls"}']);
  rmSync(small.located.keyDirectory, { recursive: true });
  const closed = await checked();
  expect(closed).toMatchObject({ isSound: true, broken: [], uncompared: 0 });
  expect(textsOf(closed)).toEqual([]);
});

it('X9 a pack that can’t be read as one is damage, and its session is not called intact', async () => {
  const small = await sealedLedger();
  const { ask } = await viewing([small.toView]);
  const pack = join(small.located.directory, 'blobs', idOf('one'), 'pack');
  const bytes = readFileSync(pack);
  // In the word, in the algorithm, and in the hash, where it stays a header.
  const hash = bytes.indexOf(':') + 1;
  for (const at of [1, 8, hash, hash + 3, hash + 30, hash + 63]) {
    const changed = Buffer.from(bytes);
    changed[at] = at < hash ? (changed[at] ?? 0) ^ 1 : changed[at] === 0x30 ? 0x31 : 0x30;
    writeFileSync(pack, changed);
    const { body } = await ask(`/api/run?session=${idOf('one')}`);
    const answer = await checkRun({ parts: parseTar(body), isServed: true, keys: [], now: Date.now() });
    expect(answer.isSound, `byte ${at}`).toBe(false);
  }
});

it('X9 content that is changed, cut or removed is told while the viewer is open, and what is erased is not', async () => {
  const small = await sealedLedger();
  await small.session('two', ['second words'], 'plain');
  const { directory } = small.located;
  const watch = new LedgerWatch(directory);
  const told = (): string => [...watch.look(), ...watch.look()].join();
  expect(told()).toBe('');
  await small.session('one', ['more words']);
  expect(told()).toBe('');
  for (const name of ['one', 'two']) {
    const what = `Content of session ${idOf(name).slice(0, 12)} was`;
    changeWords(small, name);
    expect(told()).toBe(`${what} changed while the viewer was open. Run \`foil verify\`.`);
    expect(told()).toBe('');
    truncateSync(join(directory, 'blobs', idOf(name), 'pack'), 30);
    expect(told()).toContain(`${what} cut`);
    rmSync(join(directory, 'blobs', idOf(name)), { recursive: true });
    expect(told()).toContain(`${what} removed`);
    expect(told()).toBe('');
  }
  await small.session('three', ['third words']);
  expect(told()).toBe('');
  await small.ledger.store.eraseContent(idOf('three'));
  expect(told()).toBe('');
  // Between the two steps of an erasure: the salt is gone, and the content goes later.
  await small.session('four', ['fourth words']);
  expect(told()).toBe('');
  rmSync(join(directory, 'salts', idOf('four')));
  expect(told()).toBe('');
  rmSync(join(directory, 'blobs', idOf('four')), { recursive: true });
  expect(told()).toBe('');
});

it('X9 one more line in an old file is a change', async () => {
  const small = await sealedLedger();
  const watch = new LedgerWatch(small.located.directory);
  await archived(small);
  await small.session('two', ['more']);
  expect(watch.look()).toEqual([]);
  const [gzipped = ''] = readdirSync(join(small.located.directory, 'ledger'));
  appendFileSync(join(small.located.directory, 'ledger', gzipped), 'x');
  expect(watch.look().join()).toMatch(/was changed/);
});

it('X9 a ledger whose end was cut still tells the prompts that it has, and counts no more than can be read', async () => {
  const small = await SmallLedger.make();
  await small.session('one', []);
  const text = encodeContentRef(await small.ledger.putContent(idOf('one'), Buffer.from('first words'), {}));
  const said = { kind: 'prompt', payload: { text }, source: 'hook', session_id: idOf('one') };
  await small.ledger.append(said);
  await small.session('two', ['other words']);
  await small.ledger.seal();
  const [name = ''] = readdirSync(join(small.located.directory, 'ledger'));
  const segment = join(small.located.directory, 'ledger', name);
  const lines = readFileSync(segment, 'utf8').split('\n');
  truncateSync(segment, Buffer.byteLength(`${lines.slice(0, 3).join('\n')}\n`));
  const { json } = await viewing([small.toView]);
  const { sessions } = await json<Sessions>('/api/sessions');
  expect(sessions.map(({ id }) => id)).toEqual([idOf('one')]);
  const { prompts } = await json<Prompts>(`/api/prompts?session=${idOf('one')}`);
  expect(prompts).toEqual([[idOf('one'), 'first words']]);
  const { ledgers } = await json<HealthReport>('/api/health');
  expect(ledgers[0]).toMatchObject({ entries: 3 });
});
