// foil report: one run as one HTML file, which shows the run and checks it in the browser of whoever opens it.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Disclosure,
  findSession,
  makeBundle,
  nextInFolder,
  sessionChanges,
  withLedger,
} from '../../app/index.ts';
import { isObject, UsageError } from '../../core/index.ts';
import {
  BUNDLE_PARTS,
  type Bundle,
  contentRefs,
  encodeBlobName,
  encodeChanges,
  encodeReport,
  parseEntry,
  parseTar,
} from '../../format/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import {
  counted,
  entriesFrom,
  HeldTextCount,
  type HeldTexts,
  harmless,
  heldTextWords,
  listSessions,
  type Session,
  sized,
} from '../../report/index.ts';
import { rawLines } from '../../verify/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { disclosures } from '../disclosures.ts';
import { reportPage } from '../pages.ts';
import { place } from '../place.ts';

const WHAT: readonly Disclosure[] = ['all', 'none', 'prompts', 'responses', 'arguments', 'results'];

export const report: Command = {
  name: 'report',
  summary: 'write a run as one HTML file that checks itself in a browser',
  usage: '[RUN] [options]',
  arguments: [0, 1],
  options: {
    out: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      help: 'where to write (default run-ID.html); - is standard output',
    },
    only: {
      type: 'string',
      multiple: true,
      value: 'WHAT',
      help: `content to show: ${WHAT.join(', ').replace('all', 'all (default)')}`,
    },
    redact: {
      type: 'string',
      multiple: true,
      value: 'ENTRY',
      help: "leave out this entry's content and what was derived from it, such as claims (repeatable)",
    },
    diff: {
      type: 'boolean',
      help: 'add the lines of the files that the run changed, from git; they are not part of the proof',
    },
  },
  examples: [
    'foil report',
    'foil report 4f1c -o report.html',
    'foil report 4f1c --only prompts,responses --redact 57',
    'foil report --diff',
    'foil verify report.html',
  ],
  notes: [
    'RUN is the id of a session, or the beginning of one. The default is the newest session of this project that has ended.',
    'The file shows everything that the ledger keeps of the run, without the secrets that were redacted when it was recorded.',
    '--diff reads the git repository that the run worked in. It shows only bytes that are committed or have a recorded hash.',
    'Use --only and --redact to show less. The entries still commit to what is left out, by its hash.',
    'What the entries themselves hold always stays, because they are signed: names of tools, paths, the folder, commands,',
    'URLs, searched words, reasons and messages of commits. With --only or --redact, the command counts what stays readable.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd } = context;
  const [given] = context.arguments;
  const disclosed = disclosures(values.all('only'), '--only', 'all', WHAT);
  const withheld = new Set(
    values
      .all('redact')
      .flatMap((each) => each.split(','))
      .map(entryNumber),
  );
  const located = place(context);
  return withLedger(located, async (ledger) => {
    const find = (id: string | undefined) => findSession(ledger, context, id, { newest: 'that ended' });
    const session = await find(given);
    const { id } = session;
    const hidden = await contentOf(ledger, session, withheld);
    const { made, bytes } = await makeBundle(ledger, located, session, () => find(id), {
      disclosed,
      withheld: (ref) => hidden.has(encodeBlobName(ref)),
      withoutContent: '--only none',
      packAs: 'shown',
      packUri: null,
      artifacts: false,
      attestations: [],
      created: new Date(context.now()).toISOString(),
    });
    const changes = values.flag('diff') ? await diffOf(ledger, located, session) : undefined;
    const html = encodeReport({ page: reportPage(), parts: parseTar(bytes), changes });
    const shown = [...made.parts.keys()].filter((path) => path.startsWith('content/')).length;
    const file = values.text('out') ?? `run-${id.slice(0, 12)}.html`;
    const { entries } = made.payload;
    const held = heldIn(made);
    const json = { run: id, file, bytes: Buffer.byteLength(html), entries, disclosed: shown, held };
    const showsLess = withheld.size > 0 || !disclosed.includes('all');
    const words = showsLess ? heldTextWords(held) : null;
    const stays =
      words === null ? '' : `${words}, whatever you leave out. Look at the file before you send it.\n`;
    if (file === '-') return { json, text: html, ...(stays === '' ? {} : { aside: stays }) };
    writeFileSync(resolve(cwd, file), html);
    const content =
      shown === 0 ? 'no content beside the entries is shown' : `${counted(shown, 'piece')} of content shown`;
    return {
      json,
      text: `${harmless(file)}: ${counted(entries, 'entry', 'entries')}, ${content}, ${sized(json.bytes)}\nOpen it in a browser. It needs no network. To check the file and its page: foil verify ${harmless(file)}\n${stays}`,
    };
  });
}

/** What a reader of the file sees although its content was left out. */
function heldIn({ parts }: Bundle): HeldTexts {
  const count = new HeldTextCount();
  for (const path of [BUNDLE_PARTS.run, BUNDLE_PARTS.ledger])
    for (const line of rawLines(parts.get(path))) count.add(parseEntry(line));
  return count.total([...parts.keys()].filter((path) => path.startsWith('commits/')).length);
}

/** Nothing of the work tree is handed over unless the ledger has its hash. */
async function diffOf(ledger: Ledger, located: Located, session: Session): Promise<Uint8Array> {
  const sessions = await listSessions(ledger.store, (await ledger.store.head()).seq);
  const next = nextInFolder(sessions, session);
  return Buffer.from(
    encodeChanges(await sessionChanges(ledger, located, session, { next, unrecorded: false })),
  );
}

/** What foil itself writes of a prompt, an answer or a call: in its content stand their words. */
const DERIVED: ReadonlySet<string> = new Set(['contract', 'claim', 'validation', 'gate', 'override']);

/**
 * Names of what these entries refer to, and what was derived from them. Another entry of the run may refer to the same, and must
 * not show it either.
 */
async function contentOf(
  { store }: Ledger,
  { id, first_seq: first, last_seq: last }: Session,
  seqs: ReadonlySet<number>,
): Promise<Set<string>> {
  const names = new Set<string>();
  if (seqs.size === 0) return names;
  const hidden = new Set<number>();
  for await (const entry of entriesFrom(store, first)) {
    const { seq, kind, cause, payload } = entry;
    if (seq > last) break;
    if (entry.session_id !== id) continue;
    const judged = Array.isArray(payload.claims) ? payload.claims : [];
    const isDerived =
      DERIVED.has(kind) &&
      ((cause !== null && hidden.has(cause)) ||
        judged.some((each) => isObject(each) && hidden.has(Number(each.claim))));
    if (!seqs.has(seq) && !isDerived) continue;
    hidden.add(seq);
    const refs = contentRefs(payload);
    if (refs.length === 0 && !isDerived)
      throw new UsageError(
        `--redact: entry ${seq} (${kind}) has no content, so there is nothing to leave out. Name the entry of a prompt, an answer, a call or a result.`,
      );
    for (const ref of refs) names.add(encodeBlobName(ref));
  }
  const other = [...seqs].find((seq) => !hidden.has(seq));
  if (other !== undefined)
    throw new UsageError(
      `--redact: entry ${other} isn't in run ${id.slice(0, 12)}. Its entries are among ${first} to ${last}; \`foil log\` shows them.`,
    );
  return names;
}

function entryNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new UsageError(
      `--redact: ${JSON.stringify(text)} isn't the number of an entry. \`foil log\` shows them.`,
    );
  return Number(text);
}
