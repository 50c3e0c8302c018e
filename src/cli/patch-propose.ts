// A patch as a person writes it down: operations, a module, or the reversal of another patch; its tests; and who signs.
import { sha256Hex } from '#platform';
import { openOperator, readBounded, readFile } from '../app/index.ts';
import {
  applyPatch,
  canonicalize,
  encodeHex,
  type Json,
  type JsonObject,
  ParseError,
  type PatchOperation,
  parsePatchOperations,
  type Signer,
  StoreError,
  UsageError,
} from '../core/index.ts';
import { encodeContentRef, type PatchChange, type PatchTest, runEventId } from '../format/index.ts';
import { readEpochs } from '../ledger/index.ts';
import { harmless, patchName } from '../report/index.ts';
import { codeVersions, isClean, PatchError, takeStep, wordsIn } from '../runtime/index.ts';
import { openKeyring } from '../store/files/index.ts';
import type { Context, Outcome } from './command.ts';
import { type LookedAt, onRun, type PatchRun, parsePatchName } from './patch-run.ts';
import { splitWords } from './split-words.ts';

const MOST_OPERATIONS = 1024 * 1024;
/** A number that JSON readers take for another one would be signed, and mean something else. */
function assertWritable(told: Json): void {
  try {
    canonicalize(told, { safeIntegers: true });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new UsageError(
      `the patch can't be recorded: ${error.message}. Write a number beyond 9007199254740991 as a string.`,
    );
  }
}

const MOST_MODULE = 4 * 1024 * 1024;

export async function propose(context: Context, prefix: string): Promise<Outcome> {
  const { values, env } = context;
  const reason = values.text('reason');
  if (reason === undefined) throw new UsageError('Why? Give a reason with --reason TEXT.');
  const tests = values.all('test').map(testOf);
  return onRun(context, prefix, async (open) => {
    const { run, recording, step } = open;
    const looked = await open.look();
    const { found } = looked;
    if (found.isClosed || found.sessionEnded)
      throw new PatchError('RUN_PATCH', "the run has ended, so its state can't be patched any more.");
    const change = await changeOf(context, open, looked);
    const told = wordsIn({ change, tests, reason });
    assertWritable(told);
    if (!isClean(recording.intake, told))
      throw new UsageError(
        'the patch seems to contain a secret, which must not go into a ledger. Nothing was written.',
      );
    const words = {
      change: encodeChange(change),
      tests: tests.map(({ name, command }) => ({ name, command: [...command] })),
      reason,
    };
    const signer = values.flag('as-operator') ? await openOperator(env) : await ledgerSigner(open);
    const { seq, step: taken } = await takeStep(step, {
      kind: 'patch.created',
      payload: (patches) => ({
        id: runEventId(run, patches.judge.course.next),
        base: found.judge.state,
        ...words,
      }),
      signed: { member: 'proposed_by', signer },
    });
    const id = { run, number: taken.step === 'created' ? taken.patch.id.number : 0 };
    const name = patchName(id);
    const next =
      tests.length > 0
        ? `Next: foil patch test ${name}\n`
        : "It names no test, so it can't pass. Propose it again with --test.\n";
    return {
      json: { id: runEventId(id.run, id.number), seq, status: 'proposed', tests: tests.length },
      text: `Entry ${seq}: patch ${name} is proposed.\n${next}`,
    };
  });
}

async function changeOf(context: Context, open: PatchRun, looked: LookedAt): Promise<PatchChange> {
  const { values } = context;
  const [operations, module, reverse] = ['operations', 'module', 'reverse'].map((name) => values.text(name));
  const given = [operations, module, reverse].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw new UsageError(
      'What does it change? Give one of --operations FILE, --module PATH=FILE or --reverse ID.',
    );
  if (operations !== undefined) return stateChange(open, looked, await operationsOf(context, operations));
  if (module !== undefined) return moduleChange(open, looked, module);
  return reversal(open, looked, reverse ?? '');
}

async function operationsOf({ stdin }: Context, path: string): Promise<PatchOperation[]> {
  const what = 'operations';
  const bytes =
    path === '-' ? await readBounded(stdin(), MOST_OPERATIONS, what) : readFile(path, MOST_OPERATIONS, what);
  let value: Json;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8')) as Json;
  } catch (cause) {
    throw new UsageError(`${path} isn't JSON. Write a list of JSON Patch (RFC 6902) operations.`, { cause });
  }
  return parsePatchOperations(value);
}

/** With the inverse, which follows from the state as it is. */
async function stateChange(
  open: PatchRun,
  looked: LookedAt,
  operations: readonly PatchOperation[],
): Promise<PatchChange> {
  if (open.recording.config.content !== 'keep')
    throw new UsageError(
      "this project doesn't store content unencrypted, and the ledger would show a patch of the state. Only modules can be patched here.",
    );
  const state = JSON.parse(await looked.state()) as Json;
  const { inverse } = applyPatch(state, operations);
  return { target: 'state', operations, inverse };
}

async function moduleChange(open: PatchRun, looked: LookedAt, text: string): Promise<PatchChange> {
  const at = text.indexOf('=');
  const [path, file] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || file === '') throw new UsageError('Write a module as `--module PATH=NEWFILE`.');
  return putModule(open, looked, path, readFile(file, MOST_MODULE, 'a module'));
}

async function putModule(
  { recording, run }: PatchRun,
  looked: LookedAt,
  path: string,
  bytes: Uint8Array,
): Promise<PatchChange> {
  const { files } = await looked.code();
  const before = Object.hasOwn(files, path) ? files[path] : undefined;
  if (before === undefined)
    throw new UsageError(
      `the run has no module ${path}. It has ${Object.keys(files).slice(0, 20).join(', ')}.`,
    );
  if (!isClean(recording.intake, Buffer.from(bytes).toString('utf8')))
    throw new UsageError(`${path} would seem to contain a secret, and foil keeps the code of a run.`);
  const to = await recording.store.putContent(run, bytes, { plain: true, type: 'text/javascript' });
  return { target: 'module', path, from: sha256Hex(before), to };
}

/** What takes another patch back, in the state as it is now. */
async function reversal(open: PatchRun, looked: LookedAt, name: string): Promise<PatchChange> {
  const { prefix, number } = parsePatchName(name);
  const known = open.run.startsWith(prefix)
    ? open.patches.judge.course.patch({ run: open.run, number })
    : undefined;
  if (known === undefined) throw new UsageError(`this run has no patch ${name} to revert.`);
  const { change } = known.proposal;
  if (change.target === 'state') return stateChange(open, looked, change.inverse);
  const text = await textBefore(looked, change.path, change.from);
  return putModule(open, looked, change.path, Buffer.from(text));
}

async function textBefore({ found, replay }: LookedAt, path: string, hash: string): Promise<string> {
  const versions = await codeVersions(found.init, [...found.patches.effects.values()], replay.read);
  const text = versions
    .map(({ code }) => code.files[path])
    .find((each) => each !== undefined && sha256Hex(each) === hash);
  if (text === undefined)
    throw new StoreError('NOT_FOUND', `the module ${harmless(path)} from before the patch is missing.`);
  return text;
}

/** The ledger's own key: what was proposed was proposed on this machine. */
async function ledgerSigner({ recording: { store }, located }: PatchRun): Promise<Signer> {
  const { key } = (await readEpochs(store, (await store.head()).seq)).at(-1) ?? {};
  const signer =
    key === undefined
      ? undefined
      : await openKeyring(located.keyDirectory).load(key.name, encodeHex(key.publicKey));
  if (signer === undefined)
    throw new StoreError(
      'KEY',
      "the ledger's key isn't here, and a proposal needs a signature. Propose it with --as-operator, and let another operator approve it.",
    );
  return signer;
}

function testOf(text: string): PatchTest {
  const at = text.indexOf('=');
  const command = at < 1 ? [] : splitWords(text.slice(at + 1));
  if (command.length === 0)
    throw new UsageError(`${JSON.stringify(text)} isn't a test. Write --test 'NAME=PROGRAM ARGUMENT…'.`);
  return { name: text.slice(0, at), command };
}

function encodeChange(change: PatchChange): JsonObject {
  const plain = (operations: readonly PatchOperation[]): JsonObject[] =>
    operations.map((operation) => ({ ...operation }) as JsonObject);
  if (change.target === 'module') return { ...change, to: encodeContentRef(change.to) };
  return { ...change, operations: plain(change.operations), inverse: plain(change.inverse) };
}
