// foil validate: asks one validator about one claim of a session. Exit 0 for a pass, which is signed and recorded; 2 where
// what there is does not show it; 3 where the question itself is refused; 1 where it could not be asked, wrong usage too.

import { currentPolicy, findSession, sessionIntake, treeNow, withLedger } from '../../app/index.ts';
import type { Json } from '../../core/index.ts';
import { UsageError } from '../../core/index.ts';
import { validate as ask, readSessionRecord, type Validated } from '../../gate/index.ts';
import { VALIDATOR_IDS } from '../../policy/index.ts';
import { harmless, weakenedWords } from '../../report/index.ts';
import { parseDuration } from '../arguments.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { place } from '../place.ts';
import { runExecute } from '../validate-execute.ts';

export const validate: Command = {
  name: 'validate',
  summary: 'ask a validator about a claim (exit 0: pass, 2: fail, 3: refused, 1: not asked)',
  answers: true,
  usage: '--claim TYPE|SEQ --validator ID [--session S] [--args JSON | --execute]',
  arguments: [0, 0],
  options: {
    session: { type: 'string', value: 'HEX', help: 'the session (default: the newest one of this project)' },
    claim: {
      type: 'string',
      value: 'TYPE|SEQ',
      help: 'done, changed, tested, checked, shipped, blocked, delegation, or an entry',
    },
    validator: { type: 'string', value: 'ID', help: `${VALIDATOR_IDS.slice(0, 3).join(', ')} …` },
    args: { type: 'string', value: 'JSON', help: 'what to validate; the prompt must name it' },
    execute: {
      type: 'boolean',
      help: 'run the check again in a sandbox (default: for the newest claim)',
    },
    command: {
      type: 'string',
      value: 'LINE',
      help: 'with --execute: run this command, instead of the one that the gate names',
    },
    socket: { type: 'string', value: 'PATH', help: 'with --execute: use the service of a locked ledger' },
    network: { type: 'boolean', help: 'with --execute: let it reach the network' },
    timeout: { type: 'string', value: '10m', help: 'with --execute: stop it after this long' },
  },
  examples: [
    `foil validate --claim tested --validator test_pass --args '{"target":"src/sum.js"}'`,
    `foil validate --session 3f9a --claim 42 --validator command_zero_exit --args '{"command":"npm run build"}'`,
  ],
  run,
};

const EXITS = { pass: EXIT.FINE, fail: 2, refused: 3 } as const;

async function run(context: Context): Promise<Outcome> {
  const { values, cwd } = context;
  if (values.flag('execute')) return runAgain(context);
  const [claim, validator] = [values.text('claim'), values.text('validator')];
  if (claim === undefined || validator === undefined)
    throw new UsageError(`--claim and --validator are required. Usage: foil validate ${validate.usage}`);
  const located = place(context);
  const validated = await withLedger(located, async (ledger) => {
    const session = await findSession(ledger, context, values.text('session'));
    const { start } = await readSessionRecord(ledger.store, session.id);
    const intake = await sessionIntake(ledger, start, cwd);
    return ask(
      {
        store: ledger.store,
        intake,
        policy: await currentPolicy(ledger, context),
        moment: treeNow(located, session, intake),
        signer: () => ledger.validator(),
        now: context.now,
      },
      {
        session: session.id,
        claim: /^[1-9]\d{0,15}$/.test(claim) ? Number(claim) : claim,
        validator,
        args: parseArgs(values.text('args') ?? '{}'),
      },
    );
  });
  return { exit: EXITS[validated.outcome], json: validated, text: `${harmless(render(validated))}\n` };
}

/** Ctrl-C ends the run, and what it has come to is told. */
async function runAgain(context: Context): Promise<Outcome> {
  const { values } = context;
  const [claim, timeout] = [values.text('claim') ?? null, values.text('timeout')];
  const abort = new AbortController();
  const undo = context.onInterrupt(() => abort.abort());
  try {
    return await runExecute({
      located: place(context),
      request: {
        session: values.text('session') ?? null,
        claim: claim !== null && /^[1-9]\d{0,15}$/.test(claim) ? Number(claim) : claim,
        validator: values.text('validator') ?? null,
        command: values.text('command') ?? null,
        network: values.flag('network'),
        timeoutMs: timeout === undefined ? null : parseDuration(timeout, '--timeout'),
      },
      socket: values.text('socket'),
      signal: abort.signal,
    });
  } finally {
    undo();
  }
}

/** What is no JSON is refused like every other bad argument. */
function parseArgs(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function render(validated: Validated): string {
  switch (validated.outcome) {
    case 'pass':
      return `pass: entry ${validated.validation} records it for claim ${validated.claim}, based on ${validated.evidence.join(', ') || 'the work tree'} (${validated.grade}).${validated.weakened === null ? ' It is unknown whether this session weakened tests.' : ` Tests in this session: ${harmless(weakenedWords(validated.weakened))}.`}`;
    case 'fail':
      return `fail (${validated.code}): ${validated.reason}`;
    case 'refused':
      return `refused (${validated.code}): ${validated.reason}`;
  }
}
