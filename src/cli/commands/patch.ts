// foil patch: changes the state of a run, or a module of its agent, from outside. Anybody proposes; tests and an audit come
// before an operator's signature, and only then it takes effect. spec/patch.md.

import { openOperator } from '../../app/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import { type PatchId, runEventId } from '../../format/index.ts';
import { listText, patchJson, patchName, showText, stepsOf, suggest } from '../../report/index.ts';
import {
  applyPatch,
  dueFor,
  isClean,
  type RunPatches,
  revertPatch,
  type TakenStep,
  takeStep,
} from '../../runtime/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { audit, gate, testPatch } from '../patch-gates.ts';
import { propose } from '../patch-propose.ts';
import {
  type LookedAt,
  onRun,
  type PatchRun,
  parsePatchName,
  payloadOf,
  readingPatches,
} from '../patch-run.ts';
import { TIMEOUT_OPTION } from '../run-place.ts';

export const patch: Command = {
  name: 'patch',
  summary: "change a run's state or code from outside: propose, test, audit, approve, apply, reject, revert",
  usage:
    'propose RUN | test ID | audit ID | approve ID | apply ID | reject ID | revert ID | list RUN | show ID',
  arguments: [2, 2],
  options: {
    operations: {
      type: 'string',
      value: 'FILE',
      help: 'propose: RFC 6902 operations on the state that `foil replay RUN --to N` shows; - for standard input',
    },
    module: {
      type: 'string',
      value: 'PATH=FILE',
      help: "propose: a module of the run's code, and the file to replace it with",
    },
    reverse: {
      type: 'string',
      value: 'ID',
      help: 'propose: the operations that undo this patch in the current state',
    },
    test: {
      type: 'string',
      multiple: true,
      value: 'NAME=COMMAND',
      help: 'propose: a program and its arguments, which must exit with 0 in the sandbox (repeatable)',
    },
    reason: { type: 'string', value: 'TEXT', help: 'propose, reject: why' },
    ...TIMEOUT_OPTION,
    'as-operator': {
      type: 'boolean',
      help: "propose: sign with your operator key instead of the ledger's; another operator must then approve it",
    },
  },
  examples: [
    `foil patch propose 9d5e --operations fix.json --test 'total=jq -e ".state.total > 0" state.json' --reason 'wrong total'`,
    'foil patch test 9d5e:0',
    'foil patch audit 9d5e:0',
    'foil patch approve 9d5e:0',
    'foil patch apply 9d5e:0',
    'foil patch revert 9d5e:0',
    'foil patch list 9d5e',
  ],
  notes: [
    'The work directory of a test has state.json (the patched state), base.json (the state before), code/ (the patched',
    'code), events.jsonl and patch.json. After a patch is applied, a program that has the run open must recover it.',
  ],
  run,
};

type Action = (open: PatchRun, id: PatchId, context: Context) => Promise<Outcome>;
const ACTIONS: Readonly<Record<string, Action>> = {
  test: testPatch,
  audit,
  approve,
  apply,
  reject,
  revert,
};
const NAMES = ['propose', ...Object.keys(ACTIONS), 'list', 'show'];

async function run(context: Context): Promise<Outcome> {
  const [name = '', word = ''] = context.arguments;
  if (name === 'propose') return propose(context, word);
  if (name === 'list') return readingPatches(context, word, list);
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined && name !== 'show')
    throw new UsageError(`Unknown subcommand "${name}". Use ${NAMES.join(', ')}${suggest(name, NAMES)}`);
  const { prefix, number } = parsePatchName(word);
  if (action === undefined)
    return readingPatches(context, prefix, (id, patches) => show({ run: id, number }, patches));
  return onRun(context, prefix, (open) => action(open, { run: open.run, number }, context));
}

async function approve(open: PatchRun, id: PatchId, { env }: Context): Promise<Outcome> {
  const { hash } = dueFor(open, id, 'approved');
  const signer = await openOperator(env);
  const { seq } = await takeStep(open.step, {
    kind: 'patch.approved',
    payload: () => ({ id: runEventId(id.run, id.number), patch_hash: hash }),
    signed: { member: 'by', signer },
  });
  return gate(seq, id, 'approved', 'apply', '', {});
}

async function apply(open: PatchRun, id: PatchId): Promise<Outcome> {
  dueFor(open, id, 'applied');
  const taken = await applyPatch(inForce(open, await open.look(), id));
  return effect(taken, id, 'applied', String(taken.payload.state_hash_after));
}

async function reject(open: PatchRun, id: PatchId, { values }: Context): Promise<Outcome> {
  const reason = values.text('reason');
  if (reason === undefined) throw new UsageError('Why? Give a reason with --reason TEXT.');
  return rejected(open, id, reason, '');
}

async function revert(open: PatchRun, id: PatchId, { env }: Context): Promise<Outcome> {
  const failed = stepsOf(open.patches, id).findLast(
    ({ entry, step }) => entry.kind === 'patch.applied' && step === null,
  );
  const status = open.patches.judge.course.patch(id)?.status;
  if (failed !== undefined && status !== 'applied' && status !== 'reverted')
    return rejected(
      open,
      id,
      `entry ${failed.entry.seq} says that it was applied, but it doesn't count: ${failed.problem?.code}`,
      'It never took effect. The run still has the state from before, so there is nothing to revert.\n',
    );
  const { proposal } = dueFor(open, id, 'reverted');
  const looked = await open.look();
  const signer = await openOperator(env);
  const taken = await revertPatch(inForce(open, looked, id), { member: 'by', signer });
  return effect(taken, id, 'reverted', proposal.base);
}

/** For good: no step can follow. */
async function rejected(open: PatchRun, id: PatchId, reason: string, told: string): Promise<Outcome> {
  dueFor(open, id, 'rejected');
  if (!isClean(open.recording.intake, reason))
    throw new UsageError('the reason seems to contain a secret. Write it without the secret.');
  const { seq } = await takeStep(open.step, {
    kind: 'patch.rejected',
    payload: () => ({ id: runEventId(id.run, id.number), reason }),
  });
  return {
    json: { id: runEventId(id.run, id.number), seq, status: 'rejected', reason },
    text: `${told}Entry ${seq}: patch ${patchName(id)} is rejected.\n`,
  };
}

function list(run: string, patches: RunPatches): Outcome {
  const loose = patches.steps.filter(({ step }) => step === null);
  return {
    json: {
      run,
      patches: patches.judge.course.patches.map((known) => patchJson(known, patches)),
      refused: loose.map(({ entry, problem }) => ({ seq: entry.seq, kind: entry.kind, ...problem })),
    },
    text: listText(patches),
  };
}

function show(id: PatchId, patches: RunPatches): Outcome {
  const known = patches.judge.course.patch(id);
  if (known === undefined)
    throw new StoreError('NOT_FOUND', `there is no patch ${patchName(id)}. See \`foil patch list\`.`);
  return {
    json: { ...patchJson(known, patches), proposal: payloadOf(patches, id) },
    text: showText(known, patches),
  };
}

function inForce(
  { step: place, recording }: PatchRun,
  { found, hash, state }: LookedAt,
  id: PatchId,
): Parameters<typeof applyPatch>[0] {
  return { place, intake: recording.intake, found, id, hash, state };
}

function effect({ seq }: TakenStep, id: PatchId, status: string, state: string): Outcome {
  return {
    json: { id: runEventId(id.run, id.number), seq, status, state_hash: state },
    text: `Entry ${seq}: patch ${patchName(id)} is ${status}. The state of the run is ${state}.\nA program that has the run open must recover it.\n`,
  };
}
