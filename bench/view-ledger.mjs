// A ledger for the viewer: so many sessions of 200 entries each, as hooks record them, with prompts, answers, arguments
// and results kept as content. Written in batches through the library, and sealed.
import { createHash } from 'node:crypto';
import { createLedger } from '../dist/index.js';

export const PER_SESSION = 200;
const TURNS = 10;
const AT_ONCE = 40;
/** What people and agents say, so that some words are common and some are rare. */
const WORDS =
  'the a fix test cart total price order user login token session cache index query table column route handler error retry timeout queue worker batch stream parse encode decode hash tree proof sign verify ledger entry claim evidence prompt answer model tool call result denied granted file folder path module import export build deploy release branch merge commit review comment docs example config option flag default value number string object array'.split(
    ' ',
  );

/** The same numbers in every run. */
function dice(seed) {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

function sentence(roll, length) {
  const words = [];
  for (let i = 0; i < length; i++)
    words.push(
      roll(12) === 0 ? `name${roll(20_000)}` : WORDS[Math.min(roll(WORDS.length), roll(WORDS.length))],
    );
  return words.join(' ');
}

export async function makeLedger(located, sessions, progress = () => undefined) {
  const ledger = await createLedger(located);
  let now = Date.parse('2026-01-01T08:00:00Z');
  for (let first = 0; first < sessions; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, sessions - first);
    const made = await Promise.all(
      Array.from({ length: count }, (_, i) => sessionEntries(ledger, first + i)),
    );
    // Sessions run side by side, four at a time.
    for (let i = 0; i < made.length; i += 4) {
      const together = made.slice(i, i + 4);
      const { seq } = await ledger.store.head();
      const entries = Array.from({ length: PER_SESSION }, (_, n) =>
        together.map((each, at) => withClaim(each[n], (place) => seq + place * together.length + at + 1)),
      ).flat();
      now += 3_600_000;
      const dated = entries.map((entry, at) => ({ ...entry, ts: new Date(now + at * 2000).toISOString() }));
      for (let at = 0; at < dated.length; at += 400) await ledger.append(dated.slice(at, at + 400));
    }
    progress(first + count);
  }
  await ledger.seal();
  await ledger.close();
}

const ZEROS = '0'.repeat(64);

/** What the gate says of the answer before it: of a claim that nothing backs, or of none. */
function gate(claimAt, verdict) {
  return {
    verdict: claimAt === null ? 'silent' : verdict,
    why: claimAt === null ? 'no claim' : null,
    // By its place in the session, until all of them are in a row.
    claims:
      claimAt === null ? [] : [{ claim: claimAt, status: 'unbacked', code: 'change-only', validation: null }],
    blocks: verdict === 'block' && claimAt !== null ? 1 : 0,
    extraction: 'ok',
    text_from: 'message',
    stop_hook_active: false,
    tree: null,
    policy_hash: ZEROS,
    mode: 'observe',
    background: [],
    forged: [],
  };
}

function withClaim(entry, seqOf) {
  if (entry.kind !== 'gate') return entry;
  const claims = entry.payload.claims.map((each) => ({ ...each, claim: seqOf(each.claim) }));
  return { ...entry, payload: { ...entry.payload, claims } };
}

async function sessionEntries(ledger, number) {
  const roll = dice(number + 1);
  const session = createHash('sha256').update(`session ${number}`).digest('hex');
  const kept = async (text, type = 'text/plain') => {
    const { algorithm, hash, bytes } = await ledger.store.putContent(session, Buffer.from(text), { type });
    return { $content: `${algorithm}:${hash}`, bytes, type };
  };
  const model = ['fast-1', 'large-2', 'small-3'][number % 3];
  const agent = ['claude-code', 'codex', 'gemini'][number % 3];
  const drafts = [
    {
      kind: 'session.start',
      payload: {
        agent,
        agent_session: `s-${number}`,
        mode: 'observe',
        workspace_root: `/home/u/p${number % 40}`,
      },
    },
  ];
  const calls = (PER_SESSION - 2 - TURNS * 4) / TURNS / 2;
  for (let turn = 0; turn < TURNS; turn++) {
    drafts.push({ kind: 'prompt', payload: { text: kept(sentence(roll, 24)) } });
    for (let call = 0; call < Math.floor(calls); call++) {
      const args = `{"command":"npm test -- ${sentence(roll, 2)}","description":"${sentence(roll, 6)}"}`;
      const ref = call % 3 === 0 ? kept(args, 'application/json') : null;
      drafts.push({
        kind: 'tool.call',
        payload: {
          call_id: `c-${number}-${turn}-${call}`,
          tool: 'Bash',
          args: ref ?? args,
          args_hash:
            ref === null
              ? createHash('sha256').update(args).digest('hex')
              : ref.then(({ $content }) => $content.split(':')[1]),
        },
      });
      drafts.push({
        kind: roll(60) === 0 ? 'tool.denied' : 'tool.result',
        payload: {
          call_id: `c-${number}-${turn}-${call}`,
          exit_code: 0,
          result: 'ok',
          output: call % 3 === 0 ? kept(sentence(roll, 60)) : null,
        },
      });
    }
    drafts.push({ kind: 'response', payload: { model, text: kept(`Done: ${sentence(roll, 40)}`) } });
    const verdict = roll(5) === 0 ? 'block' : 'unproven';
    const claimAt = roll(3) === 0 ? drafts.length : null;
    if (claimAt !== null) {
      const quote = kept(`All of ${sentence(roll, 4)} is done.`);
      drafts.push({
        kind: 'claim',
        payload: {
          claim: 'done',
          about: null,
          whole: true,
          quote,
          quote_hash: quote.then(({ $content }) => $content.split(':')[1]),
          names: [],
          agent_id: null,
        },
      });
    }
    drafts.push({ kind: 'gate', payload: gate(claimAt, verdict) });
  }
  while (drafts.length < PER_SESSION - 1)
    drafts.push({ kind: 'observation', payload: { event: 'Notification', text: sentence(roll, 8) } });
  drafts.push({ kind: 'session.end', payload: { reason: 'other' } });
  return Promise.all(
    drafts.map(async ({ kind, payload }) => ({
      kind,
      source: 'hook',
      session_id: session,
      payload: Object.fromEntries(
        await Promise.all(Object.entries(payload).map(async ([name, value]) => [name, await value])),
      ),
    })),
  );
}
