// One session with every hash made again: from content that is kept, that never was, that was erased, that is another.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { type BlockFact, type ContentRef, type Entry, encodeBranchCreate } from '../../src/format/index.ts';
import { type AuditedContent, auditSession, type SessionAudit } from '../../src/verify/index.ts';
import { real, TIP } from '../anchor/blocks/servers.ts';
import { Entries, KEY, type SessionEntries, type StartOptions } from '../format/session-entries.ts';

const SALT = Buffer.alloc(32, 0x5a);
const hashOf = (text: string): string => createHmac('sha256', SALT).update(text).digest('hex');

/** A session whose words are kept. */
class Said {
  readonly log = new Entries();
  readonly session: SessionEntries;
  readonly kept = new Map<string, string>();
  salt: Uint8Array | undefined = SALT;

  constructor(options: StartOptions = {}) {
    this.session = this.log.session(options);
  }

  /** The members that tell of a text. */
  text(text: string): JsonObject {
    this.kept.set(hashOf(text), text);
    return { $content: `hmac-sha256:${hashOf(text)}`, bytes: Buffer.byteLength(text) };
  }

  turn(prompt: string, answer: string): void {
    this.session.prompt(hashOf(prompt), { text: this.text(prompt) });
    this.session.response(hashOf(prompt), hashOf(answer), { text: this.text(answer) });
  }

  audit(entries: readonly Entry[] = this.log.all): Promise<SessionAudit> {
    const content = async ({ hash }: ContentRef): Promise<AuditedContent> => {
      const found = this.kept.get(hash);
      return found === undefined ? 'absent' : found === 'sealed' ? 'sealed' : Buffer.from(found);
    };
    return auditSession(this.session.id, entries, { salt: this.salt, content });
  }
}

function whole(at: BlockFact | null = real(900_001)): Said {
  const said = new Said({ authKey: KEY, block: at });
  if (at !== null) said.session.entry('branch.create', encodeBranchCreate(`branch-${(at.height % 7) + 1}`));
  said.turn('add a test', 'I added one.');
  said.turn('thanks', 'You are welcome.');
  said.session.end(at === null ? null : TIP);
  return said;
}

/** The same entries, one of them otherwise. */
function changed(said: Said, kind: string, change: (payload: JsonObject) => JsonObject): Entry[] {
  const at = said.log.all.findIndex((entry) => entry.kind === kind);
  return said.log.all.map((entry, i) => (i === at ? { ...entry, payload: change(entry.payload) } : entry));
}

const codes = ({ findings }: SessionAudit): string[] => findings.map(({ code }) => code);

describe('auditSession', () => {
  it('G11b: makes every hash of a session again, and says how many', async () => {
    const found = await whole().audit();
    expect(found).toMatchObject({
      state: 'ended',
      startBlock: { height: 900_001 },
      closing: { block: { height: TIP.height } },
      lateBlock: null,
      authKey: KEY,
      branch: `branch-${(900_001 % 7) + 1}`,
      interactions: 2,
      chain: 'VALID',
      findings: [],
    });
    // The id, the branch, two headers, four texts, two chain hashes, the final hash.
    expect(found.hashes).toEqual({ verified: 11, wrong: 0, notKept: 0, erased: 0, sealed: 0, unfounded: 0 });
  });

  it('G11b: is honest about a session without a block, with a late one, that is open or was cut off', async () => {
    const offline = new Said({ branch: 'branch-0' });
    offline.turn('a', 'b');
    offline.session.anchor(TIP);
    expect(await offline.audit()).toMatchObject({
      state: 'open',
      startBlock: null,
      lateBlock: { height: TIP.height },
      closing: null,
      branch: 'branch-0',
      chain: 'VALID',
      hashes: { verified: 6, wrong: 0 },
    });
    expect(await whole(null).audit()).toMatchObject({
      branch: null,
      chain: 'VALID',
      hashes: { verified: 8 },
    });
    const { id, chain } = offline.session;
    const process = { pid: 1, pid_started: null, boot_id: null };
    offline.session.entry('session.cut', {
      reason: 'rebooted',
      ...process,
      interactions: 1,
      chain_hash: chain,
    });
    expect(await offline.audit()).toMatchObject({ session: id, state: 'cut', chain: 'VALID' });
  });

  it('G11c: counts content that was never kept, was erased or can not be opened, and calls none of it verified', async () => {
    const none = whole();
    const left = none.log.all.map((entry) => ({ ...entry, payload: { ...entry.payload, text: null } }));
    expect((await none.audit(left)).hashes).toMatchObject({ verified: 7, notKept: 4, erased: 0 });

    const gone = whole();
    gone.kept.clear();
    gone.salt = undefined;
    expect((await gone.audit()).hashes).toMatchObject({ verified: 7, notKept: 4, erased: 0 });
    gone.log.add('erase', {
      reason: 'request',
      checkpoint: 'x',
      sessions: [{ session: gone.session.id, files: 1, bytes: 2 }],
      signature: Buffer.alloc(64).toString('base64'),
    });
    expect((await gone.audit()).hashes).toMatchObject({ verified: 7, notKept: 0, erased: 4 });
    gone.session.prompt(hashOf('more'), { text: gone.text('more') });
    gone.kept.clear();
    expect((await gone.audit()).hashes).toMatchObject({ notKept: 1, erased: 4 });

    const sealed = whole();
    for (const hash of sealed.kept.keys()) sealed.kept.set(hash, 'sealed');
    expect(await sealed.audit()).toMatchObject({ chain: 'VALID', hashes: { verified: 7, sealed: 4 } });
  });

  it('takes SHA-256 for the hash where the session says so, and the last message for what a model was asked', async () => {
    const plain = new Said({ hashes: 'plain', interactionKind: 'model.result', source: 'gateway' });
    const { createHash } = await import('node:crypto');
    const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
    const ref = (text: string): JsonObject => {
      plain.kept.set(sha(text), text);
      return { $content: `sha256:${sha(text)}`, bytes: text.length };
    };
    const added = ['be kind', 'hello'].map((text) => ({
      role: 'user',
      hash: sha(text),
      bytes: 1,
      content: ref(text),
    }));
    plain.session.entry('model.call', { prompt_hash: sha('hello'), messages: { added } });
    plain.session.entry('model.call', { prompt_hash: sha('again'), messages: { added: [] } });
    plain.session.response(sha('hello'), sha('hi'), { response: ref('hi') });
    plain.salt = undefined;
    expect((await plain.audit()).hashes).toMatchObject({ verified: 4, notKept: 1, wrong: 0 });
  });

  it.each<[string, string, (payload: JsonObject) => JsonObject, string]>([
    ['another key', 'session.start', (of) => ({ ...of, auth_key: '0'.repeat(64) }), 'SESSION_ID_WRONG'],
    ['another branch', 'session.start', (of) => ({ ...of, branch: 'branch-0' }), 'BRANCH_WRONG'],
    ['another branch made', 'branch.create', () => ({ branch: 'branch-0' }), 'BRANCH_WRONG'],
    [
      'another header',
      'session.end',
      (of) => ({ ...of, block: { ...(of.block as JsonObject), header: real(900_001).header } }),
      'BLOCK_INVALID',
    ],
    ['another prompt', 'prompt', (of) => ({ ...of, prompt_hash: hashOf('rm -rf') }), 'CONTENT_MISMATCH'],
    ['another answer', 'response', (of) => ({ ...of, response_hash: hashOf('no') }), 'CONTENT_MISMATCH'],
    ['another chain', 'response', (of) => ({ ...of, chain_hash: hashOf('no') }), 'INTERACTION_CHAIN_BROKEN'],
    ['another number', 'response', (of) => ({ ...of, sequence: 3 }), 'INTERACTION_MISSING'],
    ['another end', 'session.end', (of) => ({ ...of, final_hash: hashOf('no') }), 'FINAL_HASH_WRONG'],
    ['another count', 'session.end', (of) => ({ ...of, interactions: 3 }), 'INTERACTION_MISSING'],
    ['no hash at all', 'response', (of) => ({ ...of, chain_hash: 7 }), 'SESSION_MALFORMED'],
  ])('G11b: finds %s', async (_, kind, change, code) => {
    const said = whole();
    const found = await said.audit(changed(said, kind, change));
    expect(codes(found)).toContain(code);
    expect(found.chain).toBe('BROKEN');
  });

  it('G11b: finds an interaction that was taken out', async () => {
    const said = whole();
    const isFirst = ({ kind, payload }: Entry): boolean => kind === 'response' && payload.sequence === 1;
    const found = await said.audit(said.log.all.filter((entry) => !isFirst(entry)));
    expect(codes(found)).toContain('INTERACTION_MISSING');
    expect(found).toMatchObject({ chain: 'BROKEN', hashes: { unfounded: 1 } });
  });

  it('does not break over a recorder that a crash put back', async () => {
    const said = new Said();
    said.turn('a', 'b');
    const { chain } = said.session;
    said.turn('c', 'd');
    [said.session.sequence, said.session.chain] = [1, chain];
    said.turn('e', 'f');
    said.session.end();
    const found = await said.audit();
    expect(new Set(codes(found))).toEqual(new Set(['INTERACTION_REPEATED']));
    expect(found).toMatchObject({ chain: 'VALID', interactions: 3, hashes: { wrong: 0, unfounded: 0 } });
  });

  it('throws for nothing that is in entries', async () => {
    const kind = fc.constantFrom(
      ...'session.start session.end session.cut prompt response model.call model.result branch.create branch.switch anchor.block erase note'.split(
        ' ',
      ),
    );
    const names =
      'auth_key block branch agent interaction interaction_kind sequence prompt_hash response_hash chain_hash final_hash interactions reason text response messages added sessions height hash time header hashes';
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(KEY, 1, 'plain', 'model.result', { ...TIP }, { $content: `sha256:${KEY}`, bytes: 1 }),
    ) as fc.Arbitrary<Json>;
    const payload = fc.dictionary(fc.constantFrom(...names.split(' ')), value);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ kind, payload }), { maxLength: 10 }), async (list) => {
        const said = whole();
        const [first] = said.log.all;
        if (first === undefined) throw new Error('there is one');
        const odd = list.map((each, i) => ({ ...first, ...each, seq: 100 + i }) as Entry);
        const { hashes } = await said.audit([...said.log.all, ...odd]);
        expect(hashes.verified).toBeGreaterThanOrEqual(11);
      }),
    );
  });
});
