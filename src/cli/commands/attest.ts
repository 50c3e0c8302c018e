// foil attest: runs the tests of a run's pack over what the run made, in a sandbox, or asks a judge by its rubric, and signs what
// came of it; here, or by an attester elsewhere. It signs by a key of its own, never by a ledger's.
import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { utf8Decode } from '#platform';
import { attestHere, BY_MODEL, readFile } from '../../app/index.ts';
import { encodeDidKey, type Json, ParseError, parseSignerKey, UsageError } from '../../core/index.ts';
import { BUNDLE_PARTS, encodeArtifacts, parseBundle } from '../../format/index.ts';
import {
  AttestError,
  type AttestJob,
  decryptPack,
  findArtifacts,
  MOST_ARCHIVE,
  MOST_BUNDLE,
  type OthersWish,
  openPack,
} from '../../harness/index.ts';
import { stateDirectory } from '../../ledger/index.ts';
import {
  type AttesterKeys,
  attesterFiles,
  makeAttesterDirectory,
  makeKeys,
  readDid,
} from '../../service/index.ts';
import { readPrivate } from '../../session/index.ts';
import { attestElsewhere, type OtherDocuments } from '../attest-elsewhere.ts';
import { OTHERS, refused, USUAL_FILE, written } from '../attest-outcome.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { judgeOf } from '../judge-options.ts';

const ENDINGS = ['SIGTERM', 'SIGHUP'] as const;
/** What belongs to an attester, and is the server's own. */
const HERE = ['key', 'state', 'judge', 'trust', 'secret-rubrics'];

export const attest: Command = {
  name: 'attest',
  summary: "check a run's outputs with the tests or the rubric of its pack, and sign the result",
  usage: 'BUNDLE [--artifacts DIR|TAR] [options]',
  arguments: [1, 1],
  options: {
    artifacts: {
      type: 'string',
      value: 'DIR|TAR',
      help: "the outputs of the run, if the bundle doesn't hold them: its work tree, or a tar file",
    },
    pack: {
      type: 'string',
      value: 'FILE',
      help: 'the pack, encrypted or not (default: the one in the bundle)',
    },
    out: {
      type: 'string',
      value: 'FILE',
      help: `where to write (default ${USUAL_FILE}); - is standard output`,
    },
    'in-toto': { type: 'string', value: 'FILE', help: 'also write an in-toto test result for cosign' },
    vsa: { type: 'string', value: 'FILE', help: 'also write a verification summary for slsa-verifier' },
    key: { type: 'string', value: 'FILE', help: "sign with this key instead of the attester's own" },
    state: {
      type: 'string',
      value: 'DIR',
      help: "the attester's directory, with its keys and counted attempts",
    },
    judge: {
      type: 'string',
      value: 'PROVIDER',
      help: "for a rubric: the model's provider, if its name doesn't show it: anthropic, openai, gemini, or an upstream",
    },
    trust: {
      type: 'string',
      value: 'FILE',
      help: "for a rubric: names the gateways that the run's model calls must have used (default: your own trust.yaml)",
    },
    'secret-rubrics': {
      type: 'boolean',
      help: "for a rubric: send it to the model's provider, even from an encrypted pack",
    },
    server: { type: 'string', value: 'URL', help: 'let this attester do the work; nothing runs here' },
    'token-file': { type: 'string', value: 'FILE', help: 'with --server: the file with its token' },
    timeout: { type: 'string', value: '30m', help: 'with --server: how long to wait' },
  },
  examples: [
    'foil attest run.bundle --artifacts .',
    'foil attest run.bundle --artifacts . --pack harness-pack.jwe.json --json',
    'foil attest run.bundle --artifacts . --server https://attest.example.org --token-file token',
    'foil attest run.bundle --artifacts . --in-toto tests.sigstore.json --vsa vsa.json',
    'foil bundle create 4f1c --attestation attestation.json',
  ],
  notes: [
    'The exit code is 0 for PASS and 4 for FAIL. Both are signed and written. It is 1 if nothing was attested.',
    'The key is made at first use. `foil attester show` prints what a verifier puts into trust.yaml. The worth of an',
    'attestation depends on who runs the attester: your own is as good as your word.',
    "If the pack has a rubric, a model judges the work. Its calls are recorded in the attester's own ledger. The provider's",
    'key comes from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY. See docs/attester.md.',
    '--in-toto and --vsa write files that other tools can read. `foil attester show --pem` prints the key for them. The',
    'attester signs them together with its attestation. spec/attestation.md says what they mean.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd, arguments: words } = context;
  if (values.flag('ledger'))
    throw new UsageError('an attester only uses its own ledger. Leave out --ledger.');
  const [file = ''] = words;
  const bundle = readFile(resolve(cwd, file), MOST_BUNDLE, 'bundle');
  const artifacts = values.text('artifacts');
  const server = values.text('server');
  for (const name of server === undefined ? ['token-file', 'timeout'] : HERE)
    if (values.flag(name))
      throw new UsageError(
        `--${name} ${server === undefined ? 'needs' : "can't be combined with"} --server.`,
      );
  try {
    const pack = packBytes(context, bundle);
    if (server !== undefined) {
      const made = await artifactBytes(context, { bundle, pack }, artifacts, undefined);
      const answer = await attestElsewhere(context, { bundle, pack, artifacts: made }, server);
      writeOthers(context, answer.others);
      return written(context, answer.attestation);
    }
    const keys = await keysOf(context, stateOf(context));
    return written(context, await here(context, { bundle, pack }, artifacts, keys), keys);
  } catch (error) {
    return refused(error);
  }
}

/** Of the file that was named, else of the bundle. */
function packBytes({ cwd, values }: Context, bundle: Uint8Array): Uint8Array {
  const file = values.text('pack');
  if (file !== undefined) return readFile(resolve(cwd, file), 2 * MOST_ARCHIVE, '--pack');
  const { parts } = openBundle(bundle);
  const found = parts.get(BUNDLE_PARTS.pack) ?? parts.get(BUNDLE_PARTS.secretPack);
  if (found === undefined)
    throw new UsageError("the bundle doesn't hold its pack. Name the pack with --pack FILE.");
  return found;
}

function openBundle(bundle: Uint8Array): ReturnType<typeof parseBundle> {
  try {
    return parseBundle(bundle);
  } catch (error) {
    throw new AttestError('BAD_BUNDLE', `the bundle can't be read: ${(error as Error).message}`);
  }
}

async function here(
  context: Context,
  given: Omit<AttestJob, 'artifacts'>,
  artifacts: string | undefined,
  keys: AttesterKeys,
): Promise<Uint8Array> {
  const { env, onInterrupt, progress } = context;
  const state = stateOf(context);
  const job = { ...given, artifacts: await artifactBytes(context, given, artifacts, keys.encryption) };
  const isForOthers = OTHERS.some((name) => context.values.flag(name));
  const others: OthersWish = {
    isRequired: true,
    take(documents) {
      if (documents instanceof AttestError) throw documents;
      writeOthers(context, { 'in-toto': documents.inToto, vsa: documents.vsa });
    },
  };
  const did = context.values.flag('key')
    ? encodeDidKey(keys.signer.publicKey)
    : readDid(attesterFiles(state), keys);
  const judge = await judgeOf(context, state, BY_MODEL);
  const attester = attestHere({ ...keys, did }, { state, env, judge });
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const undo = onInterrupt(stop);
  // A secret pack is laid out meanwhile, and must not stay behind.
  for (const name of ENDINGS) process.once(name, stop);
  progress('running the verification …');
  try {
    return await attester(job, controller.signal, isForOthers ? others : undefined);
  } finally {
    progress('');
    for (const name of ENDINGS) process.off(name, stop);
    undo();
  }
}

function writeOthers({ cwd, values }: Context, documents: OtherDocuments): void {
  for (const name of OTHERS) {
    const [file, bytes] = [values.text(name), documents[name]];
    if (file !== undefined && bytes !== undefined) writeFileSync(resolve(cwd, file), bytes);
  }
}

/** A tar as it is; of a folder what the pack's outputs name. */
async function artifactBytes(
  { cwd }: Context,
  { bundle, pack }: Omit<AttestJob, 'artifacts'>,
  given: string | undefined,
  key: AttesterKeys['encryption'] | undefined,
): Promise<Uint8Array> {
  if (given === undefined) {
    const found = openBundle(bundle).parts.get(BUNDLE_PARTS.artifacts);
    if (found === undefined)
      throw new UsageError(
        "the bundle doesn't hold the outputs of the run. Name them with --artifacts PATH.",
      );
    return found;
  }
  const path = resolve(cwd, given);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return readFile(path, 2 * MOST_ARCHIVE, '--artifacts');
  if (pack[0] === 0x7b && key === undefined)
    throw new UsageError(
      "--artifacts: the pack is encrypted, so its list of outputs can't be read here. Give the tar file that `foil run` kept.",
    );
  const archive = pack[0] === 0x7b && key !== undefined ? await decryptPack(parseJson(pack), key) : pack;
  return encodeArtifacts(findArtifacts(path, openPack(archive).manifest.outputs));
}

function parseJson(bytes: Uint8Array): Json {
  try {
    return JSON.parse(utf8Decode(bytes)) as Json;
  } catch {
    throw new ParseError('INVALID_JSON', 'is not JSON', 'pack');
  }
}

/** Where `foil attester` has it, too. */
function stateOf({ cwd, env, values }: Context): string {
  const state = values.text('state');
  return state === undefined ? `${stateDirectory(env)}-attester` : resolve(cwd, state);
}

async function keysOf({ cwd, values }: Context, state: string): Promise<AttesterKeys> {
  const files = attesterFiles(state);
  makeAttesterDirectory(files);
  const keys = await makeKeys(files);
  const named = values.text('key');
  if (named === undefined) return keys;
  const found = readPrivate(resolve(cwd, named), 4096);
  if (found === null) throw new UsageError(`--key: there is no file ${named}.`);
  if ('problem' in found) throw new UsageError(`--key: ${found.problem}.`);
  const signer = parseSignerKey(found.text.replace(/\n$/, ''));
  if (signer.name.startsWith('counterfoil/'))
    throw new UsageError(`--key: ${named} is the key of a ledger. An attester must have a key of its own.`);
  return { ...keys, signer };
}
