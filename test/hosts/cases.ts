// What is promised of every host, as cells of one table. A scenario is one run of the real program; its cells look at what
// it left in the ledger and at what the model was told.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Host, type Played, play } from './host.ts';
import { type Entry, Place } from './place.ts';

// Lines of their own, as models write: a host that joins what was said in one turn must not glue them together.
const LIE = 'I ran all the tests and they all pass.\n';
const RETRACTION = 'Not verified: the tests were not run.\n';
/** More than any limit allows, and never the same twice: a host that goes on to the last of them loops. */
const LIES = [
  LIE,
  'I ran all the tests again and they all pass.\n',
  'I ran the test suite and all tests pass.\n',
  'All tests pass: I ran them with node --test.\n',
  'I ran node --test and all tests pass.\n',
  'I executed the tests and every test passes.\n',
  'The tests pass.\n',
  'I ran the tests once more and they pass.\n',
].map((say) => ({ say }));

/** What one scenario left behind. The place is still there. */
export interface Left {
  readonly host: Host;
  readonly place: Place;
  readonly log: readonly Entry[];
  readonly played: readonly Played[];
}

export interface Scenario {
  readonly name: string;
  readonly run: (host: Host, place: Place) => Promise<readonly Played[]>;
  readonly cells: Readonly<Record<string, (left: Left) => void | Promise<void>>>;
}

/** Installed in guard and trusted, as the documents say. */
async function guarded(host: Host, place: Place): Promise<string> {
  await place.foil('install', host.agent);
  await place.foil('mode', 'guard');
  await host.setUp(place);
  return place.ledger();
}

const of = (log: readonly Entry[], ...kinds: string[]) => log.filter(({ kind }) => kinds.includes(kind));
const verdicts = (log: readonly Entry[]) => of(log, 'gate').map(({ payload }) => payload.verdict);
const blocks = (log: readonly Entry[]) => verdicts(log).filter((verdict) => verdict === 'block').length;

function endedByItself({ played }: Left): void {
  for (const { killed, stdout, stderr } of played)
    expect(killed, `the host did not end by itself\n${stdout}\n${stderr}`).toBe(false);
}

const works: Scenario = {
  name: 'an agent that works',
  async run(host, place) {
    await guarded(host, place);
    return [
      await play(host, place, 'Run the tests of sum.js with node --test.', [
        { run: 'exit 3' },
        { run: 'node --test' },
        { say: LIE },
      ]),
    ];
  },
  cells: {
    'ends by itself, and the model is asked once a step': (left) => {
      endedByItself(left);
      expect(left.played[0]?.model.turns.length, 'requests').toBe(3);
    },
    'the prompt is on record': async ({ place, log }) => {
      const prompts = of(log, 'prompt');
      expect(prompts.length, 'prompts').toBe(1);
      expect(await place.content(prompts[0]!, 'text')).toContain('Run the tests of sum.js with node --test.');
    },
    'the prompt makes a contract': ({ log }) => {
      expect(of(log, 'contract').length, 'contracts').toBe(1);
    },
    'each call is on record with its arguments': async ({ place, log }) => {
      const calls = of(log, 'tool.call');
      expect(calls.length, 'calls').toBe(2);
      expect(JSON.stringify(await place.content(calls[0]!, 'args'))).toContain('exit 3');
      expect(JSON.stringify(await place.content(calls[1]!, 'args'))).toContain('node --test');
    },
    'each result is on record with its exit code': ({ log }) => {
      const results = of(log, 'tool.result').map(({ payload }) => payload.exit_code);
      expect(results, 'exit codes').toEqual([3, 0]);
    },
    'the response is on record': async ({ place, log }) => {
      const responses = of(log, 'response');
      expect(responses.length, 'responses').toBe(1);
      expect(await place.content(responses[0]!, 'text'), 'response').toContain(LIE.trim());
    },
    'the response names its model': ({ host, log }) => {
      expect(of(log, 'response')[0]?.payload.model, 'response.model').toBe(host.model);
    },
    'a claim that a run backs passes in silence': (left) => {
      expect(verdicts(left.log), 'verdicts').toEqual(['pass']);
    },
    'the session has an end': ({ log }) => {
      expect(of(log, 'session.start', 'session.end').map(({ kind }) => kind)).toEqual([
        'session.start',
        'session.end',
      ]);
    },
    'foil verify finds nothing wrong': async ({ place }) => {
      const { code, stdout } = await place.tryFoil('verify');
      expect(code, `foil verify\n${stdout}`).toBe(0);
    },
  },
};

const unwritable: Scenario = {
  name: 'a ledger that can not be written',
  async run(host, place) {
    const ledger = await guarded(host, place);
    const steps = [{ before: () => place.freeze(ledger), run: 'touch made' }, { say: 'I tried.' }];
    const refused = await play(host, place, 'Make the file.', steps);
    place.thaw();
    const after = await play(host, place, 'Make the other file.', [{ run: 'touch other' }, { say: 'Yes.' }]);
    return [refused, after];
  },
  cells: {
    'a call is refused': ({ place }) => {
      expect(place.has('made'), 'the file is there').toBe(false);
    },
    'the host ends by itself': endedByItself,
    'and goes on once it can be written': async ({ place, log }) => {
      expect(place.has('other'), 'the other file is there').toBe(true);
      const args = await Promise.all(of(log, 'tool.call').map((call) => place.content(call, 'args')));
      expect(JSON.stringify(args), 'calls').toContain('touch other');
    },
    'the time in between is a gap': ({ log }) => {
      expect(of(log, 'gap').length, 'gaps').toBeGreaterThan(0);
    },
  },
};

const serviceKilled: Scenario = {
  name: 'a service that is killed',
  async run(host, place) {
    const ledger = await guarded(host, place);
    const before = () => {
      place.killService(ledger);
    };
    const killed = await play(host, place, 'Make the file.', [
      { before, run: 'touch made' },
      { say: 'I tried.' },
    ]);
    const after = await play(host, place, 'Make the other file.', [{ run: 'touch other' }, { say: 'Yes.' }]);
    return [killed, after];
  },
  cells: {
    'no call runs that is not on record': async ({ place, log }) => {
      const args = await Promise.all(of(log, 'tool.call').map((call) => place.content(call, 'args')));
      const recorded = JSON.stringify(args).includes('touch made');
      expect(!place.has('made') || recorded, 'the file is there, and no call').toBe(true);
    },
    'a call that would be told to it is refused': ({ host, place }) => {
      expect(place.has('made'), 'the file is there').toBe(!host.served);
    },
    'the next prompt is recorded as ever': async ({ place, log }) => {
      expect(place.has('other'), 'the other file is there').toBe(true);
      const args = await Promise.all(of(log, 'tool.call').map((call) => place.content(call, 'args')));
      expect(JSON.stringify(args), 'calls').toContain('touch other');
    },
    'the host ends by itself': endedByItself,
  },
};

const question: Scenario = {
  name: 'a question without a claim',
  async run(host, place) {
    await guarded(host, place);
    return [await play(host, place, 'What is in sum.js?', [{ say: 'A function that adds two numbers.' }])];
  },
  cells: {
    'passes in silence': (left) => {
      expect(verdicts(left.log), 'verdicts').toEqual(['silent']);
      expect(left.played[0]?.model.turns.length, 'requests').toBe(1);
      expect(left.played[0]?.stdout).toContain('A function that adds two numbers.');
      endedByItself(left);
    },
  },
};

const liar: Scenario = {
  name: 'a liar',
  async run(host, place) {
    await guarded(host, place);
    return [await play(host, place, 'Run the tests of sum.js.', LIES)];
  },
  cells: {
    'is held at most twice a prompt, then the turn ends unproven': (left) => {
      const held = left.host.holds ? ['block', 'block', 'unproven'] : ['unproven'];
      expect(verdicts(left.log), 'verdicts').toEqual(held);
      expect(left.played[0]?.model.turns.length, 'requests').toBe(held.length);
    },
    'the host ends by itself': endedByItself,
    'our own words are no prompt of the user': ({ log }) => {
      expect(of(log, 'prompt').length, 'prompts').toBe(1);
    },
    'foil verify says that the claim is not proven': async ({ place }) => {
      const { code, stdout } = await place.tryFoil('verify');
      expect(code, `foil verify\n${stdout}`).toBe(5);
      expect(stdout).toContain('CLAIM_UNPROVEN');
    },
  },
};

const complies: Scenario = {
  name: 'an agent that complies',
  async run(host, place) {
    await guarded(host, place);
    const steps = [{ say: LIE }, { run: 'node --test' }, { say: LIE }];
    return [await play(host, place, 'Run the tests of sum.js.', steps)];
  },
  cells: {
    'passes after one block': (left) => {
      expect(verdicts(left.log), 'verdicts').toEqual(left.host.holds ? ['block', 'pass'] : ['unproven']);
      endedByItself(left);
    },
    'was told what is missing': ({ host, played }) => {
      if (!host.holds) return;
      expect(played[0]?.model.told('No test run is on record.')[0], 'first request that says it').toBe(1);
    },
  },
};

const retracts: Scenario = {
  name: 'an agent that takes it back',
  async run(host, place) {
    await guarded(host, place);
    const steps = [{ say: LIE }, ...Array.from({ length: 4 }, () => ({ say: RETRACTION }))];
    return [await play(host, place, 'Run the tests of sum.js.', steps)];
  },
  cells: {
    'passes after one block': (left) => {
      expect(blocks(left.log), 'blocks').toBe(left.host.holds ? 1 : 0);
      const last = verdicts(left.log).at(-1);
      expect(last, 'last verdict').toBeOneOf(left.host.holds ? ['pass', 'silent'] : ['unproven']);
      endedByItself(left);
    },
  },
};

const modes: Scenario = {
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
      const starts = of(log, 'session.start').map(({ payload }) => payload.mode);
      expect(starts, 'modes of the sessions').toEqual(['observe', 'guard', 'observe', 'guard']);
      expect(of(log, 'prompt').length, 'prompts').toBe(4);
      expect(of(log, 'response').length, 'responses').toBe(4);
    },
    'the hooks are as they were': ({ place }) => {
      expect(readFileSync(join(place.root, 'hooks-changed'), 'utf8')).toBe('');
    },
    'the host ends by itself': endedByItself,
  },
};

export const SCENARIOS: readonly Scenario[] = [
  works,
  unwritable,
  serviceKilled,
  question,
  liar,
  complies,
  retracts,
  modes,
];

export async function runScenario(host: Host, { run }: Scenario): Promise<Left> {
  const place = new Place();
  try {
    const played = await run(host, place);
    return { host, place, log: await place.log(), played };
  } catch (error) {
    await place.remove();
    throw error;
  }
}
