// The failures of a run, each on a ledger that is really broken, and the command that finds and repairs it. Patches have tests
// of their own.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { Sandbox } from '../cli/foil.ts';
import { removeDirectory, temporary } from '../temporary.ts';
import { askedRun, foilAt } from './command-line.ts';
import { sandboxProblem } from './replayed.ts';
import { rewritten } from './rewritten-ledger.ts';
import { eventsOf, grantedPlace, optionsAt, type Place } from './run-ledger.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

function copied({ directory }: Place): Place {
  const copy = join(temporary(), 'ledger');
  cpSync(directory, copy, { recursive: true });
  return { directory: copy, keyDirectory: join(copy, 'keys') };
}

/** Changes a word in the entry of an event, and no hash. */
function damage({ directory }: Place, event: string, from: string, to: string): void {
  for (const name of readdirSync(join(directory, 'ledger'))) {
    const path = join(directory, 'ledger', name);
    const lines = readFileSync(path, 'utf8').split('\n');
    const changed = lines.map((line) => (line.includes(`"id":"${event}"`) ? line.replace(from, to) : line));
    writeFileSync(path, changed.join('\n'));
  }
}

describe.skipIf(sandboxProblem !== null)('a failure of a run', () => {
  it('O10 corrupted log: names the last good event, and a continued run goes on from there', async () => {
    const whole = await grantedPlace();
    const run = await askedRun(whole);
    const kinds = (await eventsOf(whole)).map(({ kind }) => kind);
    const result = kinds.lastIndexOf('ToolResult');
    const place = copied(whole);
    damage(place, `${run}:${result}`, 'BIG', 'BAG');
    const foil = foilAt(sandbox, place);
    expect(foil('recover', run, '--accept-loss').code).toBe(2);
    const told = foil('recover', run);
    expect(told.code).toBe(5);
    expect(told.json).toMatchObject({
      last_good: result - 1,
      continue_at: result - 1,
      snapshot: expect.any(Number),
      may_have_happened: [{ event: `${run}:${result - 1}`, tool: 'shout' }],
    });
    const { code, json } = foil('recover', run, '--continue');
    expect(code).toBe(0);
    const { continued_by: continued } = json as { continued_by: string };
    const again = await recoverRun({ ...optionsAt(place, 'asker.mjs'), run: continued });
    expect(await again?.resume()).toEqual({ status: 'waiting' });
    const end = await again?.observe({ end: true });
    await again?.close();
    expect(end).toMatchObject({ status: 'finished' });
    expect(end).toMatchObject({ result: [expect.any(String), expect.any(String)] });
    expect(foil('replay', continued).code).toBe(0);
    expect(foilAt(sandbox, whole)('recover', run)).toMatchObject({ code: 0, json: { flaw: null } });
  });

  it('O10 corrupted log: a result that was forged with all its hashes is found by its state', async () => {
    const whole = await grantedPlace();
    const run = await askedRun(whole);
    const result = (await eventsOf(whole)).findIndex(({ kind }) => kind === 'ToolResult');
    const forged = await rewritten(whole, run, (event) =>
      event.sequence === result ? { ...event.payload, output: 'forged' } : null,
    );
    const { code, json } = foilAt(sandbox, forged)('recover', run);
    expect(code).toBe(5);
    expect(json).toMatchObject({ last_good: result - 1, continue_at: result - 1 });
  });

  it('O10 divergent replay: the tool is marked impure on record, and then taken from the record', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place, 'liar.mjs'));
    await run.observe(1);
    await run.close();
    const foil = foilAt(sandbox, place);
    expect(foil('replay', run.id, '--execute')).toMatchObject({ code: 5, json: { replay_id: null } });
    const found = foil('replay', run.id, '--execute', '--verify');
    expect(found.code).toBe(5);
    expect(found.json).toMatchObject({ impure: ['roll'], divergence: { what: 'output' } });
    const { replay_id: id, divergence } = found.json as { replay_id: string; divergence: { event: number } };
    expect(foil('diff', run.id, id)).toMatchObject({
      code: 5,
      json: { divergence: { event: divergence.event } },
    });
    expect(foil('audit', 'run', run.id, '--full-report').json).toMatchObject({
      impure_tools: [{ tool: 'roll', replay: id }],
    });
    const later = foil('replay', run.id, '--execute', '--verify');
    expect(later).toMatchObject({ code: 0, json: { outcome: 'matches', taken_from_record: { roll: id } } });
    const copy = copied(place);
    removeDirectory(copy.keyDirectory);
    const before = (await eventsOf(copy)).length;
    expect(foilAt(sandbox, copy)('replay', run.id, '--verify').json).toMatchObject({ replay_id: null });
    expect((await eventsOf(copy)).length).toBe(before);
  });

  it('O10 capability violation: every run is searched for calls outside of its grants', async () => {
    const place = await grantedPlace();
    await askedRun(place);
    const run = await askedRun(place);
    expect(foilAt(sandbox, place)('grants', 'check', '--all')).toMatchObject({
      code: 0,
      json: { violations: [], runs: 2, calls: 8 },
    });
    const call = (await eventsOf(place)).find((event) => event.run === run && event.kind === 'ToolCall');
    const forged = await rewritten(place, run, (event) =>
      event.run === run && event.sequence === call?.sequence
        ? { ...event.payload, required_capabilities: ['fs:write:/etc/passwd'] }
        : null,
    );
    const { code, json } = foilAt(sandbox, forged)('grants', 'check', '--all');
    expect(code).toBe(5);
    const codes = (json as { violations: { session: string; code: string }[] }).violations;
    expect(codes.map(({ session, code: each }) => [session, each])).toContainEqual([
      run,
      'RUN_CALL_NOT_GRANTED',
    ]);
    const twice = await rewritten(place, run, (event) =>
      event.run === run && event.sequence === call?.sequence
        ? { ...event.payload, required_capabilities: [], granted_capabilities: ['fs:write:/etc/**'] }
        : null,
    );
    const words = ['grants', 'check', '--all', '--ledger', twice.directory];
    expect(sandbox.run(words).stdout).toContain('1 call outside the grants');
    const needless = await rewritten(place, run, (event) =>
      event.run === run && event.sequence === call?.sequence
        ? { ...event.payload, required_capabilities: [], granted_capabilities: [] }
        : null,
    );
    expect(foilAt(sandbox, needless)('grants', 'check', '--all')).toMatchObject({
      code: 5,
      json: { violations: [{ session: run, code: 'RUN_TOOL_UNDECLARED' }] },
    });
    expect(foilAt(sandbox, place)('session', 'list').json).toMatchObject({
      sessions: [{ calls: 4 }, { calls: 4 }],
    });
  });

  it('O10 missing snapshot: a replay begins at an earlier one, then at event 0, and says so', async () => {
    const place = await grantedPlace();
    const run = await askedRun(place);
    const snapshots = (await eventsOf(place)).filter(({ kind }) => kind === 'Snapshot');
    const foil = foilAt(sandbox, place);
    const missing: number[] = [];
    const pack = join(place.directory, 'blobs', run, 'pack');
    for (const [at, { sequence }] of [...snapshots.entries()].toReversed()) {
      // A byte of it is another, and so it is not what was recorded.
      const text = `"sequence":${sequence - 1},"state"`;
      const bytes = readFileSync(pack, 'latin1');
      expect(bytes).toContain(text);
      writeFileSync(pack, bytes.replace(text, text.replace('state', 'stale')), 'latin1');
      missing.unshift(sequence);
      const { code, json } = foil('replay', run, '--from', String(snapshots.at(-1)?.sequence));
      expect(code).toBe(0);
      expect(json).toMatchObject({
        from: at === 0 ? null : snapshots[at - 1]?.sequence,
        missing_snapshots: missing.toReversed(),
      });
    }
    expect(foil('replay', run, '--from', '2')).toMatchObject({ code: 3, json: { code: 'NO_EVENT' } });
  });
});
