// foil bundle: puts one run into one file that somebody who has nothing else can verify: its entries with their proof, the
// pack that shaped the agent, attestations, and what its owner chooses to show.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findSession, makeBundle, readFile, unfetchable, withLedger } from '../../app/index.ts';
import { ParseError, parseCanonicalJson, parseDsse, UsageError } from '../../core/index.ts';
import { MOST_ARCHIVE } from '../../harness/index.ts';
import { counted } from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { disclosures } from '../disclosures.ts';
import { place } from '../place.ts';

const MAX_ATTESTATION = 1 << 20;

export const bundle: Command = {
  name: 'bundle',
  summary: 'put a run into one file that anyone can verify',
  usage: 'create [RUN] [options]',
  arguments: [1, 2],
  options: {
    out: {
      type: 'string',
      value: 'FILE',
      help: 'where to write (default run-ID.bundle); - is standard output',
    },
    disclose: {
      type: 'string',
      multiple: true,
      value: 'WHAT',
      help: 'content to show: needed (default), none, arguments, prompts, responses, results, all',
    },
    attestation: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: "add an attester's answer to the bundle (repeatable)",
    },
    artifacts: { type: 'boolean', help: 'include what the run made: the files that its outputs name' },
    'no-pack': { type: 'boolean', help: 'leave out the pack and only name its hashes' },
    'encrypted-pack': {
      type: 'string',
      value: 'FILE',
      help: 'include this pack from `foil pack encrypt`, instead of the pack itself',
    },
    'pack-uri': { type: 'string', value: 'URL', help: 'where anyone can fetch the pack' },
  },
  examples: [
    'foil bundle create',
    'foil bundle create 4f1c --disclose arguments --disclose prompts',
    'foil bundle create 4f1c --attestation attestation.json --out run.bundle',
    'foil verify run.bundle',
  ],
  notes: [
    'RUN is the id of a session, or the beginning of one. The default is the newest session of this project that has ended.',
    'The bundle has every entry of the run, with hashes of what was said and done. It only has the content itself if you',
    "disclose it. By default it shows the arguments that the pack's rules look at. With an encrypted pack it shows nothing.",
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const [action, given] = context.arguments;
  if (action !== 'create')
    throw new UsageError(`Unknown subcommand "${action}". Use \`foil bundle create\`.`);
  const { values, cwd } = context;
  const attestations = values.all('attestation').map((file) => attestation(resolve(cwd, file), file));
  const secret = values.text('encrypted-pack');
  // What a secret rule looks at would be told by what is shown.
  const disclosed = disclosures(
    values.all('disclose'),
    '--disclose',
    secret === undefined ? 'needed' : 'none',
  );
  if (secret !== undefined && values.flag('no-pack'))
    throw new UsageError('--no-pack and --encrypted-pack contradict each other. Choose one.');
  const packUri = values.text('pack-uri') ?? null;
  const unusable = packUri === null ? undefined : unfetchable(packUri);
  if (unusable !== undefined)
    throw new UsageError(`--pack-uri: nobody could fetch the pack from there: ${unusable}`);
  const located = place(context);
  return withLedger(located, async (ledger) => {
    const session = await findSession(ledger, context, given, { newest: 'that ended' });
    const { id } = session;
    const { made, bytes, unclosed } = await makeBundle(
      ledger,
      located,
      session,
      () => findSession(ledger, context, id, { newest: 'that ended' }),
      {
        disclosed,
        withoutContent: '--disclose none',
        packAs:
          secret === undefined
            ? values.flag('no-pack')
              ? 'left out'
              : 'shown'
            : readFile(resolve(cwd, secret), 2 * MOST_ARCHIVE, '--encrypted-pack'),
        packUri,
        artifacts: values.flag('artifacts'),
        attestations,
        created: new Date(context.now()).toISOString(),
      },
    );
    const shown = [...made.parts.keys()].filter((path) => path.startsWith('content/')).length;
    const file = values.text('out') ?? `run-${id.slice(0, 12)}.bundle`;
    const { entries, receipts, harness, outputs } = made.payload;
    const json = {
      run: id,
      file,
      bytes: bytes.length,
      entries,
      receipts,
      disclosed: shown,
      pack_root: harness.packRoot,
      artifact_hash_b64u: outputs.artifactHash,
      ...(unclosed === undefined ? {} : { unclosed }),
    };
    if (file === '-') return { json, text: bytes };
    writeFileSync(resolve(cwd, file), bytes);
    const content = shown === 0 ? 'no content is shown' : `${counted(shown, 'piece')} of content shown`;
    return {
      json,
      text: `${file}: ${counted(entries, 'entry', 'entries')}, ${content}, ${bytes.length} bytes\n${unclosed === undefined ? '' : `${unclosed}\n`}`,
    };
  });
}

function attestation(path: string, file: string): Uint8Array {
  const bytes = readFile(path, MAX_ATTESTATION, '--attestation');
  try {
    parseDsse(parseCanonicalJson(bytes));
    return bytes;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new UsageError(`--attestation: ${file} isn't an attester's answer: ${error.message}.`);
  }
}
