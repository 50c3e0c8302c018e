// The demo, which `foil demo` shows: everything in half a minute. Several real processes write one ledger, it is verified, and copies of it
// are attacked. Then an agent is recorded through real hooks, must prove its claims, is watched on its wires, and its
// session is bound to a key, a block and a branch and proven to somebody who was not there. A report of one session
// is kept. The demo succeeds only if every attack was named correctly, everything the agent did is on record, and
// nothing was claimed that can't be seen.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlace } from '../../src/app/index.ts';
import { encodeVerifierKey, type VerifierKey } from '../../src/core/index.ts';
import { createLedger, verifyDirectory } from '../../src/entry/index.ts';
import { harmless } from '../../src/report/index.ts';
import { type Attack, attacks } from './attacks.ts';
import { boundAct } from './bound.ts';
import { gatingAct } from './gating.ts';
import { provenAct } from './proven.ts';
import { recordingAct } from './recording.ts';
import { reportedAct } from './reported.ts';
import { type Audience, makeStage, type Stage, type Step } from './stage.ts';
import { wiresAct } from './wires.ts';

export type { Step } from './stage.ts';

const WRITERS = 4;
const LINES = 250;
const UNSEALED = 5;

/** Tells it piece by piece, and adds each expectation to `steps`. Leaves nothing but the report, wherever it is stopped. */
export async function* demoStory(audience: Audience, steps: Step[]): AsyncGenerator<string> {
  const { paint } = audience;
  const base = mkdtempSync(join(tmpdir(), 'foil-demo-'));
  const stage = makeStage(audience, base, steps);
  try {
    yield* ledgerAct(stage);
    yield* recordingAct(stage);
    yield* gatingAct(stage);
    yield* wiresAct(stage);
    yield* boundAct(stage);
    yield* provenAct(stage);
    yield* reportedAct(stage);
    const missed = steps.filter(({ held }) => !held);
    const count = `${steps.length - missed.length} of ${steps.length} expectations held`;
    yield missed.length === 0
      ? `${paint.green(paint.bold('Everything went as expected.'))} ${count}.\n`
      : `${paint.red(paint.bold("Something didn't go as expected."))} ${count}; not ${missed.map(({ name, verdict }) => `${name} (${harmless(verdict)})`).join(', ')}.\n`;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function* ledgerAct({ paint, base, now, told }: Stage): AsyncGenerator<string> {
  const place = {
    directory: join(base, 'ledger'),
    keyDirectory: join(base, 'keys'),
    how: 'option' as const,
  };
  const key = await create(place);
  yield `${paint.bold('foil makes a ledger.')} Anyone who checks it keeps its verifier key:\n   ${encodeVerifierKey(key)}\n\n`;

  yield `${paint.bold(`${WRITERS} processes write to it at once,`)} ${LINES} entries each.\n`;
  const started = now();
  const seqs = (
    await Promise.all(Array.from({ length: WRITERS }, (_, i) => writer(place.directory, i + 1)))
  ).flat();
  const seconds = ((now() - started) / 1000).toFixed(1);
  const distinct = new Set(seqs).size;
  const whole =
    distinct === WRITERS * LINES && Math.min(...seqs) === 2 && Math.max(...seqs) === WRITERS * LINES + 1;
  yield told({ name: 'many writers', verdict: `${distinct} acknowledged`, held: whole }, [
    `${distinct} entries acknowledged in ${seconds} s, each durable, each with its own number, in one chain.`,
  ]);

  const sealed = await seal(place);
  yield `${paint.bold('foil seals and verifies it')} with the pinned key.\n`;
  const clean = await verifyDirectory(place.directory, { keys: [key] });
  yield told(
    {
      name: 'verify',
      verdict: clean.verdict,
      held: clean.verdict === 'INTACT' && clean.marks.signed?.to === sealed,
    },
    [`${clean.verdict}: ${clean.sentence}`],
  );

  const entries = sealed + UNSEALED;
  await addUnsealed(place);
  yield `${UNSEALED} more entries follow, which no checkpoint covers yet. Now somebody who can write to every file of the ledger\nattacks copies of it.\n\n`;
  for (const [index, attack] of attacks(entries, sealed).entries()) {
    const copy = join(base, `copy-${index}`);
    cpSync(place.directory, copy, { recursive: true });
    yield `${paint.bold(`${index + 1}. ${attack.name}`)}: ${attack.done}.\n`;
    yield told(...(await judge(attack, copy, key)));
  }
}

async function judge(attack: Attack, copy: string, key: VerifierKey): Promise<[Step, string[]]> {
  const shown = await attack.apply(copy);
  const report = await verifyDirectory(shown, { keys: attack.pinned ? [key] : [] });
  const held = attack.expected(report);
  const said = Object.entries(report.facets)
    .filter(([, { status }]) => status !== 'pass')
    .flatMap(([name, { status, findings }]) =>
      findings.slice(0, 2).map(({ code, message }) => `${name} ${status}: ${code}: ${harmless(message)}`),
    );
  return [{ name: attack.name, verdict: report.verdict, held }, [report.verdict, ...said, attack.lesson]];
}

type Place = Parameters<typeof openPlace>[0];

async function create(place: Place): Promise<VerifierKey> {
  const ledger = await createLedger(place);
  try {
    return (await ledger.identity()).firstKey;
  } finally {
    await ledger.close();
  }
}

async function seal(place: Place): Promise<number> {
  const ledger = openPlace(place);
  try {
    return (await ledger.seal()).checkpoint.size;
  } finally {
    await ledger.close();
  }
}

async function addUnsealed(place: Place): Promise<void> {
  const ledger = openPlace(place);
  try {
    const step = (_: unknown, i: number) => ({
      kind: 'note',
      payload: { text: `unsealed ${i + 1}` },
      source: 'cli',
    });
    await ledger.append(Array.from({ length: UNSEALED }, step));
  } finally {
    await ledger.close();
  }
}

/** `foil append --lines` as a process of its own. Gives the seqs it acknowledged. */
function writer(directory: string, number: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const words = [process.argv[1] ?? '', 'append', 'x.demo', '--lines', '--ledger', directory];
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`writer ${number} ended with exit code ${code}`));
      else
        resolve(
          output
            .split('\n')
            .slice(0, -1)
            .map((line) => Number(line.split(' ')[0])),
        );
    });
    for (let i = 1; i <= LINES; i++) child.stdin.write(`{"text":"step ${i}","writer":${number}}\n`);
    child.stdin.end();
  });
}
