// O10 from the command line: a log that was cut off, the loss accepted, and a run that goes on from what is left.
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { Sandbox } from '../cli/foil.ts';
import { foilAt } from './command-line.ts';
import { alterLines, cutOff, forgedNote, replaceLine } from './cut-ledger.ts';
import { sandboxProblem } from './replayed.ts';
import { eventsOf, grantedPlace, optionsAt } from './run-ledger.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

describe.skipIf(sandboxProblem !== null)('foil recover', () => {
  it.each([
    ['garbage', ['\0garbage']],
    ['nothing', []],
  ])(
    'O10 names no command where %s stands in the middle of the log, since none would work',
    async (_, lines) => {
      const place = await grantedPlace();
      const run = await startRun(optionsAt(place));
      await run.observe({ times: 3 });
      await run.close();
      replaceLine(place, 6, () => lines);
      const told = sandbox.run(['recover', run.id, '--ledger', place.directory]);
      expect(told.code).toBe(5);
      expect(told.stdout).toContain("The run can't be continued here");
      expect(told.stdout).not.toMatch(/--continue|--accept-loss/);
      const foil = foilAt(sandbox, place);
      const json = { continue_at: null, continued_by: null };
      expect(foil('recover', run.id, '--continue')).toMatchObject({ code: 5, json });
    },
  );

  it('O10 tells of a loss, and a continued run goes on from what is left', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 2 });
    await run.close();
    const lastGood = (await eventsOf(place)).length - 5;
    cutOff(place, 4);
    const foil = foilAt(sandbox, place);
    const told = { last_good: lastGood, continue_at: lastGood, lost_entries: [{}] };
    expect(foil('recover', run.id)).toMatchObject({ code: 5, json: told });
    expect(foil('recover', run.id, '--continue')).toMatchObject({ code: 5, json: { continued_by: null } });
    const { stdout } = sandbox.run(['recover', run.id, '--ledger', place.directory]);
    expect(stdout).toContain('past its head, and nothing shows how many');
    const advice = [...stdout.matchAll(/: foil (recover (?:--accept-loss|[0-9a-f]+ --continue))/g)];
    expect(advice.map(([, words]) => words)).toEqual([
      'recover --accept-loss',
      `recover ${run.id.slice(0, 16)} --continue`,
    ]);
    expect(foil('recover', '--accept-loss').code).toBe(0);
    expect(foil('recover', run.id)).toMatchObject({ code: 5, json: told });
    const { code, json } = foil('recover', run.id, '--continue');
    expect(code).toBe(0);
    const { continued_by: continued } = json as { continued_by: string };
    const again = await recoverRun({ ...optionsAt(place), run: continued });
    await again?.resume();
    expect(await again?.observe({ times: 0, end: true })).toMatchObject({ status: 'finished', result: 2 });
    await again?.close();
    expect(foil('recover', continued)).toMatchObject({ code: 0, json: { flaw: null, lost_entries: [] } });
  });

  it('O10 names the run that continues even where so much is unsealed that the damage is met', async () => {
    const place = await grantedPlace();
    const checkpoint = join(place.directory, 'checkpoint');
    const sealed = readFileSync(checkpoint);
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 150 });
    await run.close();
    writeFileSync(checkpoint, sealed);
    for (const name of readdirSync(`${checkpoint}s`).slice(1)) rmSync(join(`${checkpoint}s`, name));
    replaceLine(place, 20, (line) => [line.replace('"kind":"run.event"', '"kind":"run.evens"')]);
    const foil = foilAt(sandbox, place);
    const { code, json } = foil('recover', run.id, '--continue');
    const { continued_by: continued } = json as { continued_by: string };
    expect(continued).toMatch(/^[0-9a-f]{64}$/);
    expect(code).toBe(0);
    // A second one would make the calls of the first one again.
    expect(foil('recover', run.id, '--continue')).toMatchObject({
      code: 5,
      json: { continued_by: continued },
    });
    const { stdout } = sandbox.run(['recover', run.id, '--ledger', place.directory]);
    expect(stdout).toContain(`Run ${continued} already continues it.`);
    expect(stdout).not.toContain('--continue');
  });

  it('O10 continues a run whose session has no beginning any more, by the beginning of its id', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 2 });
    await run.close();
    alterLines(place, `"session_id":"${run.id}"`, '"kind":"session.start"', '"kind":"session.stars"');
    const foil = foilAt(sandbox, place);
    const flaw = expect.stringContaining('session.start');
    expect(foil('recover', run.id.slice(0, 16))).toMatchObject({ code: 5, json: { flaw } });
    const { code, json } = foil('recover', run.id.slice(0, 16), '--continue');
    expect(code).toBe(0);
    const { continued_by: continued } = json as { continued_by: string };
    const again = await recoverRun({ ...optionsAt(place), run: continued });
    expect(await again?.observe({ times: 1 })).toEqual({ status: 'waiting' });
    await again?.close().catch(() => undefined);
  });

  it('O10 says plainly that a run without its first event can not be continued', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 2 });
    await run.close();
    alterLines(place, `"id":"${run.id}:0"`, '"kind":"AgentInit"', '"kind":"AgentInis"');
    const { code, stdout } = sandbox.run(['recover', run.id, '--continue', '--ledger', place.directory]);
    expect(code).toBe(5);
    expect(stdout).toContain('Last good event: none');
    expect(stdout).toContain("The run can't be continued");
    expect(foilAt(sandbox, place)('recover', run.id)).toMatchObject({
      code: 5,
      json: { last_good: null, continue_at: null, may_have_happened: [{}, {}] },
    });
  });

  it('O10 begins one run where two are asked for at the same time, and names it to the other', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 3 });
    await run.close();
    replaceLine(place, 6, (line) => [line.replace('"kind":"run.event"', '"kind":"run.evens"')]);
    const words = ['recover', run.id, '--continue', '--ledger', place.directory, '--json'];
    const env = { XDG_CONFIG_HOME: process.env.XDG_CONFIG_HOME };
    const told = await Promise.all([sandbox.foil(words, { env }), sandbox.foil(words, { env })]);
    expect(told.map(({ code }) => code).sort()).toEqual([0, 5]);
    const [one, other] = told.map(({ stdout }) => JSON.parse(stdout).continued_by);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(other).toBe(one);
    const begun = (await eventsOf(place)).filter(({ kind }) => kind === 'AgentInit');
    expect(begun.map((event) => event.run)).toEqual([run.id, one]);
  });

  it('O10 counts events that a crash left behind the head, and a run continues from them', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    const head = readFileSync(join(place.directory, 'head'));
    await run.observe({ times: 3 });
    await run.close();
    const events = await eventsOf(place);
    writeFileSync(join(place.directory, 'head'), head);
    const foil = foilAt(sandbox, place);
    expect(foil('recover', run.id)).toMatchObject({ code: 0, json: { last_good: events.length - 1 } });
    // The result of the second call, so that the last good event is past the head as well.
    replaceLine(place, 6, (line) => [line.replace('"kind":"run.event"', '"kind":"run.evens"')]);
    const told = foil('recover', run.id);
    expect(told.code).toBe(5);
    expect(told.json).toMatchObject({ last_good: events.length - 7 });
  });

  it('O10 tells that entries may be missing where a log ends in the middle of a line', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    const head = readFileSync(join(place.directory, 'head'));
    await run.observe({ times: 3 });
    await run.close();
    writeFileSync(join(place.directory, 'head'), head);
    const [name = ''] = readdirSync(join(place.directory, 'ledger'));
    truncateSync(
      join(place.directory, 'ledger', name),
      statSync(join(place.directory, 'ledger', name)).size - 9,
    );
    const { code, stdout } = sandbox.run(['recover', run.id, '--ledger', place.directory]);
    expect(stdout).toContain('1 line at the end of the log');
    expect(code).toBe(5);
  });

  it('O10 tells that nothing can be written where a forged entry is the last one', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 1 });
    await run.close();
    replaceLine(place, 1, (line) => [forgedNote(line)]);
    const { code, stdout } = sandbox.run(['recover', run.id, '--ledger', place.directory]);
    expect(code).toBe(5);
    expect(stdout).toContain('nothing can be written to this ledger. Restore a copy');
    expect(stdout).not.toMatch(/--continue|--accept-loss/);
  });
});
