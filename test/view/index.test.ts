// The viewer's index: it answers as the ledger does, follows it, and is made anew where it is no good. What was erased, and
// what is kept encrypted, is not in its files.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Found, Sessions } from '../../src/view/answers.ts';
import { IndexDatabase } from '../../src/view/index-database.ts';
import { LedgerIndex } from '../../src/view/ledger-index.ts';
import { search } from '../../src/view/search.ts';
import { type CountedSession, SessionRows } from '../../src/view/session-rows.ts';
import { temporary } from '../temporary.ts';
import { idOf, SmallLedger, sqlite } from './small-ledger.ts';
import { viewing } from './viewing.ts';

const stateOf = (path: string) => {
  const database = IndexDatabase.openToRead(sqlite, path);
  const state = database.state();
  const numbers = database.match('"prompt"', Number.MAX_SAFE_INTEGER, 1000).map(({ seq }) => seq);
  database.close();
  return { ...state, numbers };
};

const filesHave = (made: SmallLedger, word: string): boolean =>
  readdirSync(dirname(made.index)).some((name) =>
    readFileSync(join(dirname(made.index), name)).includes(word),
  );

const searched = (
  made: SmallLedger,
  index = new LedgerIndex(made.located, { path: made.index, program: null }),
) => ({
  ledger: made.ledger,
  located: made.located,
  index,
});

async function found(made: SmallLedger, query: string): Promise<number[]> {
  const index = new LedgerIndex(made.located, { path: made.index, program: null });
  const { hits } = await search(searched(made, index), query);
  await index.close();
  return hits.map(({ seq }) => seq);
}

describe('X9 the index of the viewer', () => {
  it('gives the rows that counting gives, and finds what a scan finds', async () => {
    const made = await SmallLedger.make();
    await made.session('one', ['Fix the cart', 'Größe prüfen "quoted" OR NEAR(x)', 'src/cart.test.js']);
    await made.session('two', ['cartography']);
    await made.look();
    const rows = new SessionRows(made.ledger.store);
    await rows.refresh();
    const index = new LedgerIndex(made.located, { path: made.index, program: null });
    const saved = index.saved();
    expect(saved?.state.seq).toBe(rows.read);
    const taken = new SessionRows(made.ledger.store, rows.read, saved?.rows);
    expect(taken.rows()).toEqual(rows.rows());
    const [row] = rows.rows() as [CountedSession];
    expect(taken.placesOf(row)).toEqual(rows.placesOf(row));
    expect(rows.placesOf(row).unowned).toEqual([1]);
    const none = { ...searched(made), index: undefined };
    for (const query of [
      'cart',
      'FIX cart',
      'größe',
      '"quoted"',
      'or near(x)',
      'src/cart.test.js',
      'nowhere',
      '"',
      '*',
    ]) {
      const [byIndex, byScan] = [await search(searched(made, index), query), await search(none, query)];
      expect(byIndex.hits, query).toEqual(byScan.hits);
    }
    await index.close();
    expect(statSync(made.index).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(made.index)).mode & 0o777).toBe(0o700);
  });

  it('goes on where it stopped, and what is newer than it is found as well', async () => {
    const made = await SmallLedger.make();
    await made.session('one', ['first words']);
    await made.look();
    const before = stateOf(made.index);
    const { ino } = statSync(made.index);
    await made.session('two', ['second words']);
    expect(await found(made, 'words')).toEqual([5, 3]);
    expect(stateOf(made.index)).toEqual(before);
    await made.look();
    expect(stateOf(made.index)).toMatchObject({ seq: 5, numbers: [5, 3] });
    expect(statSync(made.index).ino).toBe(ino);
    expect(await found(made, 'words')).toEqual([5, 3]);
  });

  it('leaves out what is kept encrypted, also where the key is here', async () => {
    const made = await SmallLedger.make();
    await made.session('one', ['unheardof'], 'encrypted');
    const none = { ...searched(made), index: undefined };
    expect((await search(none, 'unheardof')).hits).toHaveLength(1);
    await made.look();
    expect(filesHave(made, 'unheardof')).toBe(false);
  });

  it('forgets what was erased: at once in answers, with the next look in its files', async () => {
    const made = await SmallLedger.make();
    await made.session('one', ['xylophones everywhere', 'more xylophones']);
    await made.session('two', ['plainwords'], 'plain');
    await made.session('three', ['remaining xylophonists']);
    const builder = made.builder();
    await builder.look();
    expect(filesHave(made, 'xylophones')).toBe(true);
    const { json } = await viewing([made.toView]);
    expect((await json<Found>('/api/search?q=xylophones')).hits).toHaveLength(2);
    await made.ledger.store.eraseContent(idOf('one'));
    expect((await json<Found>('/api/search?q=xylophones')).hits).toHaveLength(0);
    await builder.look();
    expect(filesHave(made, 'xylophones')).toBe(false);
    expect(filesHave(made, 'everywhere')).toBe(false);
    expect(await found(made, 'xylophonists')).toHaveLength(1);
    expect(await found(made, 'plainwords')).toHaveLength(1);
    expect(stateOf(made.index).numbers).toHaveLength(4);
  });

  const DAMAGE: readonly [string, (made: SmallLedger) => void][] = [
    ['deleted', ({ index }) => rmSync(index)],
    ['empty', ({ index }) => truncateSync(index)],
    ['no database', ({ index }) => writeFileSync(index, 'x'.repeat(10_000))],
    ['cut short', ({ index }) => truncateSync(index, 4096)],
    ['of another version', ({ index }) => withDatabase(index, 'PRAGMA user_version = 99')],
    ['without a table', ({ index }) => withDatabase(index, 'DROP TABLE session')],
    [
      'of another ledger',
      ({ index }) => withDatabase(index, "UPDATE state SET origin = 'counterfoil/0000000000000000'"),
    ],
    ['of lines that were rewritten', ({ index }) => withDatabase(index, "UPDATE state SET hash = '00'")],
    ['of lines that are gone', ({ index }) => withDatabase(index, 'UPDATE state SET seq = 99')],
  ];
  it.each(DAMAGE)('is built again where it is %s', async (_, damage) => {
    const made = await SmallLedger.make();
    await made.session('one', ['first words', 'more words']);
    await made.look();
    const whole = stateOf(made.index);
    damage(made);
    expect(await found(made, 'words')).toEqual([4, 3]);
    await made.look();
    expect(stateOf(made.index)).toEqual(whole);
  });

  it('is built again by a process that has it open, where it was deleted or found damaged', async () => {
    const made = await SmallLedger.make();
    await made.session('one', ['words']);
    const builder = made.builder();
    await builder.look();
    const whole = stateOf(made.index);
    rmSync(made.index);
    await builder.look();
    expect(stateOf(made.index)).toEqual(whole);
    withDatabase(made.index, 'DELETE FROM entry');
    builder.discard();
    await builder.look();
    expect(stateOf(made.index)).toEqual(whole);
  });

  it('says that entries are read one by one where there is no SQLite', async () => {
    const made = await SmallLedger.make();
    await made.session('one', ['words']);
    const without = new LedgerIndex(made.located, { path: made.index, program: null }, null);
    const { hits, notices } = await search(searched(made, without), 'words');
    expect(hits).toHaveLength(1);
    expect(notices.join()).toContain('@photostructure/sqlite');
  });
});

describe('X9 a ledger that changes while it is looked at', () => {
  it('is said to have been changed when another one lies in its place, and the new one is shown', async () => {
    const [made, other] = [await SmallLedger.make(), await SmallLedger.make()];
    await made.session('one', ['words', 'words']);
    await other.session('two', ['others']);
    const { json } = await viewing([made.toView]);
    expect((await json<Sessions>('/api/sessions')).notices).toEqual([]);
    for (const folder of ['ledger', 'salts', 'blobs', 'head'])
      replace(join(other.located.directory, folder), join(made.located.directory, folder));
    const { sessions, notices } = await json<Sessions>('/api/sessions');
    expect(sessions.map(({ id }) => id)).toEqual([idOf('two')]);
    expect(notices.join()).toContain('foil verify');
  });

  it('is said to be gone when it is gone', async () => {
    const made = await SmallLedger.make();
    const { ask } = await viewing([made.toView]);
    expect((await ask('/api/sessions')).status).toBe(200);
    rmSync(made.located.directory, { recursive: true });
    const { status, body } = await ask('/api/sessions');
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(body.toString()).error).not.toBe('');
  });
});

it('X9 several ledgers are one list, and one that is gone says so without stopping the others', async () => {
  const [one, two] = [await SmallLedger.make(), await SmallLedger.make()];
  await one.session('one', ['common words']);
  await two.session('two', ['common words']);
  const gone = { name: 'gone', located: { ...one.located, directory: join(temporary(), 'nowhere') } };
  const { json, ask } = await viewing(
    [{ ...one.toView, name: 'a' }, gone, { ...two.toView, name: 'b' }],
    true,
  );
  const { sessions, notices } = await json<Sessions>('/api/sessions?ledger=0');
  const listed = sessions.map(({ id, ledger, ledger_name }) => [ledger, ledger_name, id]);
  expect(listed.sort()).toEqual([
    [1, 'a', idOf('one')],
    [3, 'b', idOf('two')],
  ]);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatch(/^gone can't be read: /);
  const { hits } = await json<Found>('/api/search?ledger=0&q=common');
  expect(hits.map(({ ledger }) => ledger).sort()).toEqual([1, 3]);
  expect((await json<Sessions>('/api/sessions?ledger=3')).sessions).toHaveLength(1);
  expect((await ask('/api/sessions?ledger=2')).status).toBe(410);
});

function withDatabase(path: string, sql: string): void {
  const database = sqlite(path);
  database.exec(sql);
  database.close();
}

function replace(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}
