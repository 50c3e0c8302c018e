// foil fork over a real run: what is answered from the record, what is made, and that a fork is a run like any other.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { recoverRun } from '../../src/entry/runtime.ts';
import { Sandbox } from '../cli/foil.ts';
import { removeDirectory } from '../temporary.ts';
import { askedRun, type Foil, foilAt } from './command-line.ts';
import { sandboxProblem } from './replayed.ts';
import { agentAt, eventsOf, grantedPlace, optionsAt, type Place, verified } from './run-ledger.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

async function asked(): Promise<{ place: Place; parent: string; foil: Foil }> {
  const place = await grantedPlace();
  return { place, parent: await askedRun(place), foil: foilAt(sandbox, place) };
}

async function forkEvents(place: Place, run: string) {
  return (await eventsOf(place)).filter((event) => event.run === run);
}

describe.skipIf(sandboxProblem !== null)('foil fork', () => {
  it('O8 O9 comes to the same state from every event that it can begin behind', async () => {
    const { place, parent, foil } = await asked();
    const events = await eventsOf(place);
    for (const { sequence } of events) {
      const next = events[sequence + 1];
      const { code, json } = foil('fork', parent, '--at', String(sequence));
      if (next?.kind === 'MemoryWrite') {
        expect(code, `at ${sequence}`).toBe(3);
        continue;
      }
      const { run } = json as { run: string };
      expect({ code, diff: foil('diff', parent, run).code }, `at ${sequence}`).toEqual({ code: 0, diff: 0 });
    }
    const report = await verified(place);
    const codes = ['replay', 'authority'].flatMap((name) =>
      report.facets[name as 'replay'].findings.map(({ code }) => code),
    );
    expect(new Set(codes)).toEqual(new Set(['RUN_NOT_REPLAYED']));
  });

  it('O8 is replayed, forked and replayed again, and remembers who wrote what', async () => {
    const { place, parent, foil } = await asked();
    const { run } = foil('fork', parent, '--at', '11').json as { run: string };
    expect(foil('replay', run, '--execute')).toMatchObject({ code: 0, json: { outcome: 'matches' } });
    expect(foil('replay', run, '--from', 'last').code).toBe(0);
    const grandchild = foil('fork', run, '--at', '1').json as { run: string };
    expect(foil('replay', grandchild.run).code).toBe(0);
    const { json } = foil('replay', grandchild.run, '--to', '12');
    const { state } = json as {
      state: { memory: { documents: { causal_event: string; version: object }[] } };
    };
    expect(state.memory.documents.map(({ causal_event }) => causal_event.slice(0, 64))).toEqual([
      parent,
      grandchild.run,
    ]);
    expect(state.memory.documents.map(({ version }) => version)).toEqual([
      { node_id: 0, counter: 1 },
      { node_id: 2, counter: 1 },
    ]);
    expect((await forkEvents(place, run))[0]?.payload).toMatchObject({
      parent: {
        event: `${parent}:11`,
        replay: 'evaluation',
        changed: [],
        live: false,
        decides: false,
        node: 1,
      },
    });
  });

  it('O8 really makes calls with --live alone', async () => {
    const { parent, foil } = await asked();
    const made = foil('fork', parent, '--at', '2', '--model', 'small', '--live');
    expect(made).toMatchObject({ code: 0, json: { status: 'finished', observed: 2 } });
    const { result } = made.json as { result: string[] };
    expect(result.map((text) => text.slice(0, 5))).toEqual(['SMALL', 'SMALL']);
  });

  it('O8 takes other observations, another state and another agent', async () => {
    const { place, parent, foil } = await asked();
    const write = (name: string, value: unknown): string => sandbox.write(name, JSON.stringify(value));
    const input = foil('fork', parent, '--at', '11', '--input', write('told.json', [{ end: true }]));
    expect(input).toMatchObject({ code: 0, json: { status: 'finished', inputs: 1 } });
    expect((input.json as { result: unknown[] }).result).toHaveLength(1);

    const operations = [{ op: 'replace', path: '/state/kept', value: ['patched'] }];
    const patched = foil('fork', parent, '--at', '11', '--patch', write('patch.json', operations));
    expect((patched.json as { result: string[] }).result[0]).toBe('patched');
    const outside = [{ op: 'replace', path: '/capabilities', value: [] }];
    expect(foil('fork', parent, '--at', '11', '--patch', write('outside.json', outside)).code).toBe(1);
    const { run } = patched.json as { run: string };
    expect(foil('diff', parent, run).json).toMatchObject({ began_with: { initial_state: 'different' } });
    expect(foil('replay', run).code).toBe(0);

    const text = readFileSync(agentAt('asker.mjs'), 'utf8').replace('toUpperCase', 'toLowerCase');
    const agent = foil('fork', parent, '--at', '11', '--agent', sandbox.write('other.mjs', text));
    expect((agent.json as { result: string[] }).result[1]).toMatch(/^big on b/);
    const other = (agent.json as { run: string }).run;
    expect(foil('diff', parent, other).json).toMatchObject({ began_with: { code: 'different' } });
    expect((await forkEvents(place, other))[0]?.payload).toMatchObject({ parent: { changed: ['code'] } });
  });

  it('O8 is refused where there is no such event or run, or the wish is none', async () => {
    const { parent, foil } = await asked();
    expect(foil('fork', parent).code).toBe(2);
    expect(foil('fork', parent, '--at', '-1').code).toBe(2);
    expect(foil('fork', parent, '--at', '999')).toMatchObject({ code: 3, json: { code: 'NO_EVENT' } });
    expect(foil('fork', 'f'.repeat(64), '--at', '1').code).toBe(3);
    expect(foil('fork', parent, '--at', '2', '--input', sandbox.write('bad.json', '{}')).code).not.toBe(0);
  });

  it('O8 is not gone on with: an evaluation that a crash ended is made again', async () => {
    const { place, parent, foil } = await asked();
    const { run } = foil('fork', parent, '--at', '11').json as { run: string };
    const copy = `${place.directory}-cut`;
    onTestFinished(() => removeDirectory(copy));
    cpSync(place.directory, copy, { recursive: true });
    cutBehind(copy, run);
    const options = { ...optionsAt({ directory: copy, keyDirectory: join(copy, 'keys') }, 'asker.mjs'), run };
    await expect(recoverRun(options)).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('O8 is ended when its time is up, and says how to give it more', async () => {
    const { parent, foil } = await asked();
    const source = readFileSync(agentAt('asker.mjs'), 'utf8');
    const hangs = sandbox.write(
      'hangs.mjs',
      source.replace(/\n {2}decide/, '\n  decide() { for (;;); },\n  never'),
    );
    const { code, json } = foil('fork', parent, '--at', '2', '--agent', hangs, '--timeout', '10s');
    expect(code).toBe(1);
    expect(json).toMatchObject({
      message: expect.stringContaining('the fork was stopped after 10 seconds.'),
    });
  });
});

/** As if the process had died after the run's first snapshot. */
function cutBehind(directory: string, run: string): void {
  const path = join(directory, 'ledger', '0000000000000001.jsonl');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const at = lines.findIndex((line) => line.includes(`"id":"${run}:1"`));
  writeFileSync(path, `${lines.slice(0, at + 1).join('\n')}\n`);
  for (const name of ['head', 'checkpoint', 'checkpoints', 'tile']) removeDirectory(join(directory, name));
}
