// A new ledger in the project must not stand in for the one that it has: not made by `init --here`, and where there are
// two, commands say so and `verify` never hides the broken one.
import { appendFileSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { init } from '../../src/cli/commands/init.ts';
import { install } from '../../src/cli/commands/install.ts';
import { log } from '../../src/cli/commands/log.ts';
import { status } from '../../src/cli/commands/status.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import { createLedger } from '../../src/entry/index.ts';
import { locate, locateHere } from '../../src/ledger/index.ts';
import { Machine } from './hostile-clone.ts';

/** A line that does not follow. */
function spoil(ledger: string): void {
  const [name = ''] = readdirSync(join(ledger, 'ledger'));
  const path = join(ledger, 'ledger', name);
  appendFileSync(path, '{"not":"an entry"}\n');
  writeFileSync(join(ledger, 'head'), 'nonsense');
  renameSync(join(ledger, 'checkpoint'), join(ledger, 'checkpoint.gone'));
  writeFileSync(join(ledger, 'checkpoint'), 'nonsense');
}

describe('foil init --here in a project that has a ledger', () => {
  it('is refused, and verify still says BROKEN', async () => {
    const machine = new Machine();
    const { directory } = (await machine.run(init)).json;
    spoil(directory);
    expect((await machine.run(verify)).exit).toBe(4);
    await expect(machine.run(init, ['--here'])).rejects.toMatchObject({
      code: 'EXISTS',
      message: expect.stringContaining(`this project already has a ledger, ${directory}`),
    });
    expect(await machine.run(verify)).toMatchObject({ exit: 4, json: { verdict: 'BROKEN' } });
  });

  it('is refused where only its hooks name one, and in a directory below', async () => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    const elsewhere = join(machine.root, 'elsewhere');
    await machine.run(init, ['--ledger', elsewhere]);
    await machine.run(install, ['claude-code', '--ledger', elsewhere]);
    await expect(machine.run(init, ['--here'])).rejects.toThrow(elsewhere);
    const below = join(machine.project, 'src');
    mkdirSync(below);
    await expect(machine.run(init, ['--here'], below)).rejects.toThrow(elsewhere);
    // That one is meant, since it is the only one.
    expect((await machine.run(status)).json.ledger).toBe(elsewhere);
    spoil(elsewhere);
    expect((await machine.run(verify)).exit).toBe(4);
  });
});

describe('a project with two ledgers', () => {
  const two = async () => {
    const machine = new Machine();
    const { directory: old } = (await machine.run(init)).json as { directory: string };
    const here = locateHere(machine.project, machine.env);
    await (await createLedger(here, machine)).close();
    return { machine, old, here: here.directory };
  };

  it('status, log and verify say that there are two, and which one was looked at', async () => {
    const { machine, old, here } = await two();
    for (const command of [status, log, verify]) {
      const { warnings } = await machine.run(command);
      expect(warnings).toEqual([expect.stringContaining('more than one ledger')]);
      expect(warnings[0]).toContain(`This is about ${here}. For the other one, use --ledger ${old}`);
    }
    expect((await machine.run(status)).json).toMatchObject({ ledger: here, others: [old] });
  });

  it('verify is BROKEN where either of them is, and INTACT where both are', async () => {
    const { machine, old } = await two();
    expect(await machine.run(verify)).toMatchObject({
      exit: 0,
      json: { verdict: 'INTACT', others: [{ directory: old, verdict: 'INTACT' }] },
    });
    spoil(old);
    const { exit, json, text } = await machine.run(verify);
    expect(exit).toBe(4);
    expect(json).toMatchObject({ verdict: 'INTACT', others: [{ directory: old, verdict: 'BROKEN' }] });
    expect(text).toContain(`BROKEN  ${old}`);
  });

  it('whoever names one is told of that one alone', async () => {
    const { machine, old, here } = await two();
    spoil(old);
    expect(await machine.run(verify, [here])).toMatchObject({ exit: 0, warnings: [] });
    expect(await machine.run(verify, ['--ledger', here])).toMatchObject({ exit: 0, warnings: [] });
    expect(locate({ ledger: here, env: machine.env }).notice).toBeUndefined();
  });

  it('one that is registered and spoiled is still the one that is looked at', async () => {
    const machine = new Machine();
    const { directory } = (await machine.run(init, ['--here'])).json;
    spoil(directory);
    expect(await machine.run(verify)).toMatchObject({ exit: 4, json: { verdict: 'BROKEN' } });
  });
});
