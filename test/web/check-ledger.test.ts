// Whole ledgers and proofs of entries, as the viewer's page checks them.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { encodeVerifierKey, makeVerifierKey, parseHex } from '../../src/core/index.ts';
import { checkLedger } from '../../web/check-ledger.ts';
import { answerLines, type LineThread, lineHelper } from '../../web/line-helper.ts';
import { ledgerFiles } from '../../web/model/ledger-folder.ts';
import { wordsOf } from '../../web/view/ledger-words.ts';
import { readEntries } from '../read-log.ts';
import { SmallLedger } from '../view/small-ledger.ts';

async function sealedLedger(): Promise<SmallLedger> {
  const small = await SmallLedger.make();
  await small.session('one', ['first words', 'second words']);
  await small.ledger.seal();
  return small;
}

/** As a browser gives a folder that was dropped. */
function dropped(directory: string): [string, File][] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [`shop/${relative(directory, path)}`, new File([readFileSync(path)], 'x')]);
}

it('X9 the folder of a ledger is verified from its files, and a changed byte is named', async () => {
  const { located } = await sealedLedger();
  const files = dropped(located.directory);
  const good = await checkLedger({ what: 'ledger', files: ledgerFiles(files), keys: [] });
  expect(good.report).toMatchObject({ verdict: 'INTACT', marks: { signed: null } });
  const changed = files.map(([path, file]): [string, File] => {
    if (!/ledger\/\d+\.jsonl$/.test(path)) return [path, file];
    const bytes = readFileSync(join(located.directory, path.slice('shop/'.length)));
    const at = bytes.indexOf('"kind":"prompt"');
    bytes[at + 9] = 0x71;
    return [path, new File([bytes], 'x')];
  });
  const bad = await checkLedger({ what: 'ledger', files: ledgerFiles(changed), keys: ['no key'] });
  expect(bad).toMatchObject({ unread: ['no key'], report: { verdict: 'BROKEN' } });
  expect(() => ledgerFiles([['x/readme.txt', new File([], 'x')]])).toThrow(
    /There is no ledger in this folder/,
  );
});

it('X9 another key is told apart from a changed ledger, and a proof from one that is confirmed', async () => {
  const { located, ledger } = await sealedLedger();
  const files = ledgerFiles(dropped(located.directory));
  const { origin } = await ledger.identity();
  const keyOf = (publicKey: Uint8Array) => [encodeVerifierKey(makeVerifierKey(origin, publicKey))];
  const [first] = await readEntries(ledger.store, 1, 1);
  const own = keyOf(parseHex(String(first?.payload.public_key)));
  const other = keyOf(new Uint8Array(32).fill(7));
  const asked = async (keys: string[]) => wordsOf(await checkLedger({ what: 'ledger', files, keys })).title;
  expect(await asked([])).toBe('Intact, signer not confirmed');
  expect(await asked(own)).toBe('This ledger passes the check');
  expect(await asked(other)).toBe('Intact, but another key signed it');
  const cut = new Map(
    [...files].map(([path, file]) => [path, path.endsWith('.jsonl') ? file.slice(0, 500) : file]),
  );
  const broken = await checkLedger({ what: 'ledger', files: cut, keys: other });
  expect(wordsOf(broken).title).toBe('This ledger was changed, or is not whole');
  const proof = await ledger.prove(3);
  const proven = async (keys: string[]) => wordsOf(await checkLedger({ what: 'proof', proof, keys })).title;
  expect(await proven([])).toBe('Nothing is confirmed yet: enter the key');
  expect(await proven(own)).toBe('This proof passes the check');
  expect(await proven(other)).toBe('This proof doesn’t hold');
});

it('X9 the proof of an entry is verified, and passes only under a key that was confirmed', async () => {
  const { ledger } = await sealedLedger();
  const proof = await ledger.prove(3);
  const { origin } = await ledger.identity();
  const [first] = await readEntries(ledger.store, 1, 1);
  const keys = [encodeVerifierKey(makeVerifierKey(origin, parseHex(String(first?.payload.public_key))))];
  expect((await checkLedger({ what: 'proof', proof, keys: [] })).report.verdict).toBe('UNKNOWN');
  expect((await checkLedger({ what: 'proof', proof, keys })).report).toMatchObject({ valid: true });
  const broken = Uint8Array.from(proof);
  broken[60] = (broken[60] ?? 0) ^ 1;
  expect((await checkLedger({ what: 'proof', proof: broken, keys })).report.valid).toBe(false);
});

it('X9 a second thread that checks the lines of a large ledger changes nothing of what is found', async () => {
  let questions = 0;
  const thread: LineThread = {
    onmessage: null,
    onerror: null,
    postMessage(question, moved) {
      questions++;
      const [answer, back] = answerLines(structuredClone(question, { transfer: moved }));
      const data = structuredClone({ answer }, { transfer: back });
      setTimeout(() => thread.onmessage?.({ data }));
    },
  };
  const helper = () => lineHelper(thread);
  const { ledger, located } = await sealedLedger();
  const note = { kind: 'note', payload: { text: 'x'.repeat(30_000) }, source: 'foil' };
  for (let i = 0; i < 30; i++) await ledger.append(Array.from({ length: 10 }, () => note));
  await ledger.seal();
  const good = dropped(located.directory);
  const spoilt = good.map(([path, file]): [string, File] => {
    if (!/ledger\/\d+\.jsonl$/.test(path)) return [path, file];
    const bytes = readFileSync(join(located.directory, path.slice('shop/'.length)));
    bytes[bytes.length - 20_000] = 0x79;
    return [path, new File([bytes], 'x')];
  });
  for (const [files, verdict] of [
    [good, 'INTACT'],
    [spoilt, 'BROKEN'],
  ] as const) {
    questions = 0;
    const question = { what: 'ledger', files: ledgerFiles(files), keys: [] } as const;
    const [alone, helped] = [await checkLedger(question), await checkLedger(question, helper)];
    expect(questions).toBeGreaterThan(5);
    expect(helped).toEqual(alone);
    expect(helped.report.verdict).toBe(verdict);
  }
});
