// A ledger whose entries name agents, branches, keys and models with words for the terminal. Every command that shows
// sessions, branches or anchors shows them harmless, and none of them is taken for good.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_KEY } from '../../src/format/index.ts';
import { encodeBlock, type NewEntry } from '../../src/ledger/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { Sandbox } from '../cli/foil.ts';

const WORDS = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e';
const hash = (): string => randomBytes(32).toString('hex');

let sandbox: Sandbox;
let session = '';
beforeEach(async () => {
  sandbox = new Sandbox();
  sandbox.ledger();
  session = hash();
  const entries: readonly [string, NewEntry['payload']][] = [
    [
      'session.start',
      {
        agent: WORDS,
        agent_session: WORDS,
        workspace_root: WORDS,
        trigger: WORDS,
        resumes: null,
        interaction: WORDS,
        interaction_kind: 'response',
        auth_key: NO_KEY,
        block: null,
        branch: WORDS,
        mode: WORDS,
        content: WORDS,
        hashes: WORDS,
        pid: null,
      },
    ],
    ['auth.ok', { key: hash(), name: WORDS, at: 'start' }],
    ['branch.create', { branch: WORDS }],
    ['branch.switch', { from: WORDS, to: `${WORDS}x` }],
    ['auth.fail', { reason: WORDS, key: WORDS, at: WORDS }],
    ['prompt', { prompt_hash: WORDS, sequence: 1 }],
    ['response', { prompt_hash: null, response_hash: null, chain_hash: hash(), sequence: 7, model: WORDS }],
    ['model.result', { model: WORDS, chain_hash: WORDS, sequence: 1 }],
    ['anchor.block', { height: 1, hash: WORDS, time: 1, header: WORDS }],
    [
      'anchor.stamp',
      { size: 3, digest: hash(), state: 'pending', calendars: [WORDS], block: null, proof_sha256: hash() },
    ],
    [
      'session.cut',
      { reason: WORDS, pid: 1, pid_started: WORDS, boot_id: WORDS, interactions: 1, chain_hash: WORDS },
    ],
    [
      'session.end',
      {
        reason: WORDS,
        exit_code: null,
        counts: {},
        block: null,
        interactions: 9,
        chain_hash: null,
        final_hash: hash(),
      },
    ],
  ];
  const store = openFileStore(sandbox.path('.foil'));
  try {
    const drafts = entries.map(([kind, payload]) => ({ kind, payload, source: 'cli', session_id: session }));
    await store.append((head) => encodeBlock(drafts, head, Date.now()));
  } finally {
    await store.close();
  }
});
afterEach(() => sandbox.remove());

describe('words for the terminal in a ledger', () => {
  it.each([
    ['session', 'list'],
    ['session', 'show', 'ID'],
    ['audit', 'session', 'ID'],
    ['audit', 'verify'],
    ['verify'],
    ['verify', '--format', 'gently'],
    ['log'],
    ['log', '--format', 'gently'],
    ['log', '--format', 'watchdog'],
    ['anchor', 'status'],
    ['session', 'end', 'ID'],
    ['status'],
  ])('G11 are shown harmless: %s', (...given) => {
    const words = given.filter((word) => word !== undefined).map((word) => (word === 'ID' ? session : word));
    const { stdout, stderr } = sandbox.run(words);
    // A gently line escapes what ends a line, and controls; the rest of a text is as it is.
    const shown = words.includes('gently') ? (stdout + stderr).replaceAll('\u202e', '') : stdout + stderr;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(shown).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    expect((stdout + stderr).length).toBeGreaterThan(0);
  });
});
