// What `foil show` says of content that it can't show: here and not checkable, here and changed, erased, or not kept.
// Each is something else, and "not kept" is said only of what is not here.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tidyUp } from '../../src/app/upkeep/upkeep.ts';
import { show } from '../../src/cli/commands/show.ts';
import { DAY } from '../../src/ledger/index.ts';
import { type HookedLedger, hookedLedger } from './hooked-ledger.ts';

async function recorded(): Promise<{ ledger: HookedLedger; seq: string; session: string }> {
  const ledger = await hookedLedger();
  await ledger.hook(ledger.prompt('write me a poem'));
  await ledger.hook({ hook_event_name: 'SessionEnd', reason: 'exit' });
  const entry = ledger.entries().find(({ kind }) => kind === 'prompt');
  return { ledger, seq: String(entry?.seq), session: entry?.session_id ?? '' };
}

const stateOf = async (ledger: HookedLedger, seq: string) => {
  const { json, text } = await ledger.run(show, seq);
  const { content } = json as { content: { text: { state: string } } };
  return { state: content.text.state, line: /^text .*$/m.exec(text)?.[0] };
};

it('a salt that is gone with the content still here: here, not checkable', async () => {
  const { ledger, seq, session } = await recorded();
  expect((await stateOf(ledger, seq)).state).toBe('kept');
  const salt = join(ledger.directory, 'salts', session);
  for (const spoil of [() => writeFileSync(salt, 'short\n'), () => rmSync(salt)]) {
    spoil();
    expect(await stateOf(ledger, seq)).toEqual({
      state: 'unsalted',
      line: expect.stringContaining("here, but its salt is gone, so it can't be checked"),
    });
  }
});

it('content that was changed, or a pack that was cut: here, and not what was recorded', async () => {
  for (const change of [(bytes: Buffer) => bytes.subarray(0, -4), (bytes: Buffer) => flipped(bytes)]) {
    const { ledger, seq, session } = await recorded();
    const pack = join(ledger.directory, 'blobs', session, 'pack');
    writeFileSync(pack, change(readFileSync(pack)));
    expect(await stateOf(ledger, seq)).toMatchObject({ state: 'damaged' });
  }
});

it('content that is gone while its salt is here: not kept', async () => {
  const { ledger, seq, session } = await recorded();
  rmSync(join(ledger.directory, 'blobs', session), { recursive: true });
  expect(readdirSync(join(ledger.directory, 'salts'))).toContain(session);
  expect(await stateOf(ledger, seq)).toMatchObject({
    state: 'gone',
    line: expect.stringContaining('not kept'),
  });
});

it('B13d content under a tombstone: erased', async () => {
  const { ledger, seq } = await recorded();
  await tidyUp(ledger.located, { roots: [], now: Date.now() + 400 * DAY, automatic: false });
  expect(await stateOf(ledger, seq)).toMatchObject({
    state: 'erased',
    line: expect.stringContaining('erased'),
  });
});

function flipped(bytes: Buffer): Buffer {
  const at = bytes.indexOf('poem');
  bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
  return bytes;
}
