// What a user does around a session: changes the mode, or records one run without installing anything.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { play } from '../host.ts';
import { callsOf, endedByItself, entriesOf, type Scenario } from './scenario.ts';

export const modes: Scenario = {
  name: 'foil mode, there and back',
  async run(host, place) {
    await place.foil('install', host.agent);
    await host.setUp(place);
    const ask = () => play(host, place, 'What is in sum.js?', [{ say: 'A function that adds two numbers.' }]);
    const file = () => readFileSync(join(place.project, host.hooksFile), 'utf8');
    const before = file();
    const observed = await ask();
    await place.foil('mode', 'guard');
    const guardedOnce = await ask();
    await place.foil('mode', 'observe');
    place.write('hooks-changed', before === file() ? '' : 'changed');
    const observedAgain = await ask();
    await place.foil('mode', 'guard');
    return [observed, guardedOnce, observedAgain, await ask()];
  },
  cells: {
    'recording goes on, in the mode that was set': ({ log }) => {
      const starts = entriesOf(log, 'session.start').map(({ payload }) => payload.mode);
      expect(starts, 'modes of the sessions').toEqual(['observe', 'guard', 'observe', 'guard']);
      expect(entriesOf(log, 'prompt').length, 'prompts').toBe(4);
      expect(entriesOf(log, 'response').length, 'responses').toBe(4);
    },
    'the hooks are as they were': ({ place }) => {
      expect(readFileSync(join(place.root, 'hooks-changed'), 'utf8')).toBe('');
    },
    'the host ends by itself': endedByItself,
  },
};

export const foilRun: Scenario = {
  name: 'foil run, and no hooks in files',
  applies: ({ headless }) => headless,
  async run(host, place) {
    await host.setUp(place);
    const steps = [{ run: 'node --test' }, { say: 'I ran all the tests and they all pass.' }];
    return [await play(host, place, 'Run the tests of sum.js.', steps, { under: ['foil', 'run', '--'] })];
  },
  cells: {
    'the session is on record, or its user is told that it is not': async (left) => {
      const { stderr = '' } = left.played[0] ?? {};
      if (/not recorded|nothing (?:was|is) recorded|no way to hook/i.test(stderr)) return;
      expect(entriesOf(left.log, 'prompt').length, `prompts\n${stderr}`).toBe(1);
      expect(await callsOf(left), 'calls').toContain('node --test');
    },
    'the exit code is the one of the host': ({ played }) => {
      expect(played[0]?.code, 'exit code').toBe(0);
    },
    "no file of the project's is left behind": ({ host, place }) => {
      expect(place.has(host.hooksFile), host.hooksFile).toBe(false);
    },
    'the host ends by itself': endedByItself,
  },
};
