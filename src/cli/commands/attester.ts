// foil attester: the server that runs packs' verifications for others and signs what came of it, and its keys. It has a
// state directory of its own, and no ledger but that of its judges in there.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AttesterPlace, attestHere, openAttesterPlace, readFile } from '../../app/index.ts';
import {
  didWebUrl,
  encodeDidKey,
  encodePublicKeyPem,
  encodeVerifierKey,
  ParseError,
  UsageError,
} from '../../core/index.ts';
import { stateDirectory } from '../../ledger/index.ts';
import { harmless, suggest } from '../../report/index.ts';
import {
  type AttesterOptions,
  attesterFiles,
  publicEncryptionKey,
  type RunningAttester,
  readDid,
  readKeys,
  startAttester,
} from '../../service/index.ts';
import { parseCount, parseDuration } from '../arguments.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { judgeOf } from '../judge-options.ts';

export const attester: Command = {
  name: 'attester',
  summary: "run the checks of other people's packs in a sandbox, and sign the results",
  usage: 'serve | show [options]',
  arguments: [1, 1],
  options: {
    listen: { type: 'string', value: 'HOST:PORT', help: 'where to listen (default 127.0.0.1:8467)' },
    cert: { type: 'string', value: 'FILE', help: 'the certificate chain for TLS, as PEM' },
    'key-file': { type: 'string', value: 'FILE', help: 'its private key, as PEM' },
    pem: { type: 'boolean', help: 'show: print only its public key, as PEM, for cosign and other tools' },
    judge: {
      type: 'string',
      value: 'PROVIDER',
      help: 'also judge by rubrics: auto, anthropic, openai, gemini, or an upstream (you pay for the calls)',
    },
    trust: {
      type: 'string',
      value: 'FILE',
      help: 'with --judge: names the gateways that count (default: your own trust.yaml)',
    },
    'secret-rubrics': {
      type: 'boolean',
      help: "with --judge: send rubrics of encrypted packs to the model's provider too",
    },
    did: {
      type: 'string',
      value: 'DID',
      help: 'the name in attestations, such as did:web:HOST (default: a did:key)',
    },
    state: { type: 'string', value: 'DIR', help: 'the directory for keys, token, jobs and results' },
    'token-file': {
      type: 'string',
      value: 'FILE',
      help: 'the file with the token; it is made at the first start',
    },
    jobs: { type: 'string', value: '2', help: 'how many jobs run at a time' },
    queue: { type: 'string', value: '200', help: 'how many jobs may wait' },
    'max-bytes': { type: 'string', value: '67108864', help: 'the largest submission' },
    timeout: { type: 'string', value: '15m', help: 'the longest job' },
    keep: { type: 'string', value: '30d', help: 'how long results are kept' },
    drain: { type: 'string', value: '30s', help: 'how long jobs may still run when it is told to stop' },
  },
  examples: [
    'foil attester serve',
    'foil attester serve --listen 0.0.0.0:443 --cert fullchain.pem --key-file key.pem --did did:web:attest.example.org',
    'foil attester show',
    'foil attester show --pem > attester.pem',
  ],
  notes: [
    "Without TLS it only serves this machine. Submissions need the token; GET /healthz and /.well-known/did.json don't.",
    'It keeps accepted jobs on disk and resumes them after a crash. See docs/attester.md.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const [action = ''] = context.arguments;
  if (context.values.flag('ledger'))
    throw new UsageError(
      'an attester only uses its own ledger. Leave out --ledger, and name its directory with --state.',
    );
  if (action === 'serve') return serve(context);
  if (action === 'show') return show(context);
  throw new UsageError(
    `Unknown subcommand "${action}". Use serve or show${suggest(action, ['serve', 'show'])}`,
  );
}

async function serve(context: Context): Promise<Outcome> {
  const options = optionsOf(context);
  const judge = await judgeOf(context, options.state, undefined);
  let place: AttesterPlace | undefined;
  let running: RunningAttester;
  try {
    running = await startAttester({
      ...options,
      async attest(identity) {
        place = await openAttesterPlace(options.state);
        return attestHere(identity, {
          state: options.state,
          temporary: place.folder,
          judge,
          env: context.env,
        });
      },
    });
  } catch (error) {
    place?.remove();
    throw error;
  }
  const stop = (): void => running.stop();
  const undo = context.onInterrupt(stop);
  process.on('SIGTERM', stop).on('SIGHUP', stop);
  async function* text(): AsyncGenerator<string> {
    yield context.values.flag('json') ? `${JSON.stringify(ready(running))}\n` : greeting(running);
    try {
      await running.ended;
      yield context.values.flag('json') ? `${JSON.stringify({ event: 'left' })}\n` : 'left\n';
    } finally {
      place?.remove();
      undo();
      process.off('SIGTERM', stop).off('SIGHUP', stop);
    }
  }
  return { text: text() };
}

function ready({ url, identity, tokenFile }: RunningAttester): object {
  const vkey = encodeVerifierKey(identity.signer);
  return { event: 'ready', pid: process.pid, url, did: identity.did, vkey, token_file: tokenFile };
}

function greeting({ url, identity, tokenFile }: RunningAttester): string {
  return `serving at ${url}
signs as    ${identity.did}
key         ${encodeVerifierKey(identity.signer)}
token       in ${harmless(tokenFile)}
`;
}

function show(context: Context): Outcome {
  const { values } = context;
  const state = stateOf(context);
  const files = attesterFiles(state);
  const keys = readKeys(files);
  if (keys === undefined)
    return {
      exit: EXIT.NOT_FOUND,
      json: { error: { code: 'NOT_FOUND', message: 'no attester has been started here yet' } },
      text: `No attester has been started in ${harmless(state)} yet. Run \`foil attester serve\` to make its keys.\n`,
    };
  const pem = encodePublicKeyPem(keys.signer.publicKey);
  if (values.flag('pem')) return { json: { pem }, text: pem };
  const didKey = encodeDidKey(keys.signer.publicKey);
  const did = didOf(values.text('did')) ?? readDid(files, keys);
  const vkey = encodeVerifierKey(keys.signer);
  const { jwk } = publicEncryptionKey(keys);
  return {
    json: { did, did_key: didKey, vkey, pem, encryption_key: jwk },
    text: `Anyone who verifies puts this into trust.yaml:

attesters:
  - vkey: ${vkey}
    did: ${did}
${did === didKey ? '' : `\nThe same key as a did:key: ${didKey}\n`}
To encrypt packs for it (foil pack encrypt --to FILE):

${JSON.stringify(jwk)}
`,
  };
}

const MOST_PEM = 1 << 20;
const MOST_JOBS = 64;
const MOST_QUEUE = 100_000;
/** What one archive may hold. */
const LARGEST_BODY = 256 * 1024 * 1024;

function optionsOf(context: Context): Omit<AttesterOptions, 'attest'> {
  const { values, cwd, warn } = context;
  const state = stateOf(context);
  const [cert, key, token] = [values.text('cert'), values.text('key-file'), values.text('token-file')];
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--cert and --key-file need each other. Give both or neither.');
  const number = (name: string, most: number): number | undefined => {
    const text = values.text(name);
    const count = text === undefined ? undefined : parseCount(text, `--${name}`);
    if (count !== undefined && (count < 1 || count > most))
      throw new UsageError(`--${name}: write a number from 1 to ${most}.`);
    return count;
  };
  const duration = (name: string): number | undefined => {
    const text = values.text(name);
    return text === undefined ? undefined : parseDuration(text, `--${name}`);
  };
  const [jobs, waiting, timeoutMs] = [
    number('jobs', MOST_JOBS),
    number('queue', MOST_QUEUE),
    timer('timeout'),
  ];
  const [keep, drainMs] = [duration('keep'), timer('drain')];
  function timer(name: string): number | undefined {
    const length = duration(name);
    if (length !== undefined && length > 86_400_000) throw new UsageError(`--${name}: a day at most.`);
    return length;
  }
  return {
    state,
    tokenFile: token === undefined ? undefined : resolve(cwd, token),
    did: didOf(values.text('did')),
    listen: {
      ...parseAddress(values.text('listen') ?? '127.0.0.1:8467'),
      tls:
        cert === undefined || key === undefined
          ? null
          : {
              cert: readFile(resolve(cwd, cert), MOST_PEM, '--cert'),
              key: readPrivateKey(resolve(cwd, key)),
            },
    },
    maxBytes: number('max-bytes', LARGEST_BODY),
    limits: {
      ...(jobs === undefined ? {} : { jobs }),
      ...(waiting === undefined ? {} : { waiting }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(keep === undefined ? {} : { keepMs: keep }),
    },
    ...(drainMs === undefined ? {} : { drainMs }),
    log: warn,
  };
}

function stateOf({ cwd, env, values }: Context): string {
  const state = values.text('state');
  // Beside the ledgers and not among them.
  return state === undefined ? `${stateDirectory(env)}-attester` : resolve(cwd, state);
}

function didOf(did: string | undefined): string | undefined {
  if (did === undefined) return undefined;
  try {
    didWebUrl(did);
    return did;
  } catch (error) {
    if (error instanceof ParseError) throw new UsageError(`--did ${did}: ${error.message}.`);
    throw error;
  }
}

function parseAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, port = ''] =
    /^(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535)
    throw new UsageError(`--listen: ${JSON.stringify(text)} is not HOST:PORT, such as 127.0.0.1:8467.`);
  return { host, port: Number(port) };
}

function readPrivateKey(path: string): Uint8Array {
  const bytes = readFile(path, MOST_PEM, '--key-file');
  if ((statSync(path).mode & 0o007) !== 0)
    throw new UsageError(
      `--key-file: other users of this machine can read ${path}. Run \`chmod 600\` on it.`,
    );
  return bytes;
}
