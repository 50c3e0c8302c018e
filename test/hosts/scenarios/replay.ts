// A session that is kept, and replayed when its model is gone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { damageLast } from '../../replay/damage-last.ts';
import { runBounded } from '../bounded.ts';
import type { Host, Played } from '../host.ts';
import type { Place } from '../place.ts';
import { StandIn } from '../stand-in/server.ts';
import { endedByItself, entriesOf, type Left, type Scenario } from './scenario.ts';

/** How each is called so that the gateway alone says where its model is, and which provider that is to the gateway. */
const WAYS: Readonly<
  Record<string, { readonly provider: string; words(host: Host, prompt: string): readonly string[] }>
> = {
  'claude-code': {
    provider: 'anthropic',
    words: ({ model }, prompt) => [
      'claude',
      '-p',
      prompt,
      '--model',
      model,
      '--dangerously-skip-permissions',
    ],
  },
  codex: {
    provider: 'openai',
    words: ({ model }, prompt) => ['codex', 'exec', '--sandbox', 'danger-full-access', '-m', model, prompt],
  },
};
const SECONDS = 200;
const STEPS = [
  { run: 'cat sum.js' },
  {
    run: 'echo one more >> sum.js; git status --short; ls -l sum.js; git commit -am More; git log -1 --format=%an',
  },
  { say: 'I changed sum.js.' },
];

function envOf(host: Host, place: Place): Record<string, string> {
  const { ANTHROPIC_BASE_URL: _, ...own } = host.env('');
  return { ...place.env, ...own, CODEX_API_KEY: 'none' };
}

/** With the environment of the session, as its user has it. */
const replay = ({ host, place, log }: Left) =>
  runBounded('foil', ['replay', String(sessionOf(log))], {
    cwd: place.project,
    env: envOf(host, place),
    seconds: SECONDS,
  });

const sessionOf = (log: Left['log']): unknown =>
  (entriesOf(log, 'replay.start')[0] as unknown as { session_id: string } | undefined)?.session_id;

export const replayed: Scenario = {
  name: 'a session that is kept, replayed with its model gone',
  applies: ({ agent }) => Object.hasOwn(WAYS, agent),
  async run(host, place): Promise<readonly Played[]> {
    const way = WAYS[host.agent];
    if (way === undefined) throw new Error('it is not called here');
    place.write('project/counterfoil.yaml', 'replay: keep\n');
    await place.foil('install', host.agent);
    await place.foil('operator', 'init', '--no-passphrase');
    await place.foil('keep', 'accept');
    const model = new StandIn(STEPS, host.shell);
    const upstreams = [`${way.provider}=${await model.listen()}`];
    const ledger = await place.ledger();
    // The service reads its upstreams when it starts.
    place.killService(ledger);
    const file = join(ledger, 'settings');
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...settings, upstreams }));
    try {
      const words = ['run', '--gateway', '--', ...way.words(host, 'Change sum.js.')];
      const ran = await runBounded('foil', words, {
        cwd: place.project,
        env: envOf(host, place),
        seconds: SECONDS,
      });
      if (model.fault !== undefined) throw model.fault;
      return [{ ...ran, model }];
    } finally {
      model.close();
    }
  },
  cells: {
    'the session replays offline': async (left) => {
      expect(readFileSync(join(left.place.project, 'sum.js'), 'utf8')).toContain('one more');
      const { code, stdout, stderr } = await replay(left);
      expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
      expect(stdout).toMatch(/^✓ Replay successful: [0-9]+ model calls\n/);
      const calls = entriesOf(left.log, 'model.call').filter(({ payload }) => payload.api !== 'other');
      expect(calls.length).toBeGreaterThanOrEqual(STEPS.length);
    },
    'an answer that was changed where it is kept is named': async (left) => {
      const mend = damageLast(await left.place.ledger());
      const { code, stdout } = await replay(left);
      mend();
      expect(code, stdout).toBe(5);
      expect(stdout).toMatch(/the answer of call [0-9]+ differs from what was recorded/);
    },
    'the host ends by itself': endedByItself,
  },
};
