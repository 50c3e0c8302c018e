// Ledgers with sessions, blocks and stamps in them, made step by step as recorders leave them. The hashes are computed here
// once more, from the words of the specification: what the verifier is tested on must not come from what it is made of.
import { readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { sha256, sha256Hex, utf8Encode } from '#platform';
import { encodeHex, encodeOpenTimestamp, type JsonObject, parseHex } from '../../src/core/index.ts';
import { type Draft, type Entry, encodeStampHeaders, parseEntry } from '../../src/format/index.ts';
import { join, LedgerMaker } from './make-ledger.ts';

export const ZEROS = '0'.repeat(64);
export const KEY = 'a1'.repeat(32);
export const HOOKS = 'hook:claude-code';

const PROCESS = { pid: 4711, pid_started: '815', boot_id: '00000000-0000-4000-8000-000000000000' };

export interface Block {
  readonly height: number;
  readonly hash: string;
  readonly time: number;
  readonly header: string;
}

interface BlockVector extends Block {
  readonly prev_hash: string;
}

const vectors = JSON.parse(
  readFileSync(joinPath(import.meta.dirname, '../../spec/vectors/bitcoin-header.json'), 'utf8'),
) as { headers: BlockVector[] };

/** A real block of the main chain. */
export function realBlock(height: number): Block {
  const found = vectors.headers.find((each) => each.height === height);
  if (found === undefined) throw new RangeError(`no block ${height} in the vectors`);
  const { hash, time, header } = found;
  return { height, hash, time, header };
}

/** SHA-256 of three times 32 bytes; null stands for zeros. */
export function hashOf(a: string | null, b: string | null, c: string | null): string {
  return sha256Hex(parseHex((a ?? ZEROS) + (b ?? ZEROS) + (c ?? ZEROS)));
}

/** A block of the test network over this root: every second hash will do. */
export function testBlock(height: number, time: number, merkleRoot: Uint8Array = new Uint8Array(32)): Block {
  const header = new Uint8Array(80);
  const view = new DataView(header.buffer);
  view.setInt32(0, 0x20000000, true);
  header.set(merkleRoot, 36);
  view.setUint32(68, time, true);
  view.setUint32(72, 0x207fffff, true);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    const hash = sha256(sha256(header)).reverse();
    if ((hash[0] ?? 255) < 0x7f) return { height, hash: encodeHex(hash), time, header: encodeHex(header) };
  }
}

export type Attestation = { readonly height: number } | { readonly uri: string };

/** An OpenTimestamps proof: a byte is appended, hashed, and attested. */
export function makeProof(digest: Uint8Array, ...attested: readonly Attestation[]): Uint8Array {
  const operation = { op: 'append', argument: new Uint8Array([7]) } as const;
  const next = attested.map((each) =>
    'uri' in each
      ? { attestation: { kind: 'pending', uri: each.uri } as const }
      : { attestation: { kind: 'bitcoin', height: each.height } as const },
  );
  return encodeOpenTimestamp({
    hash: 'sha256',
    digest,
    tree: [{ operation, next: [{ operation: { op: 'sha256' }, next }] }],
  });
}

/** What such a proof ends in. */
export function rootOf(digest: Uint8Array): Uint8Array {
  return sha256(join(digest, new Uint8Array([7])));
}

interface Chain {
  sequence: number;
  hash: string;
}

export interface StartOptions {
  readonly authKey?: string;
  readonly block?: Block;
  readonly branch?: string | null;
  readonly resumes?: string;
  /** In place of the one that follows. */
  readonly id?: string;
  readonly source?: string;
  readonly more?: JsonObject;
}

export class SessionMaker extends LedgerMaker {
  readonly chains = new Map<string, Chain>();

  /** Begins a session and gives its id. */
  start(options: StartOptions = {}): string {
    const { authKey = ZEROS, block, source = HOOKS } = options;
    const branch = options.branch ?? (block === undefined ? null : `branch-${(block.height % 7) + 1}`);
    const prev = this.hashes.at(-1) as string;
    const id = options.id ?? hashOf(authKey, block?.hash ?? null, prev);
    this.append(
      'session.start',
      {
        agent: 'claude-code',
        resumes: options.resumes ?? null,
        interaction: source,
        interaction_kind: source === 'gateway' ? 'model.result' : 'response',
        auth_key: authKey,
        block: block === undefined ? null : { ...block },
        branch,
        ...PROCESS,
        ...options.more,
      },
      { session_id: id, source },
    );
    this.chains.set(id, { sequence: 0, hash: id });
    return id;
  }

  of(session: string, kind: string, payload: JsonObject, more: Partial<Draft> = {}): this {
    this.append(kind, payload, { session_id: session, source: HOOKS, ...more });
    return this;
  }

  prompt(session: string, hash: string, more: JsonObject = {}): this {
    const { sequence } = this.chains.get(session) as Chain;
    return this.of(session, 'prompt', { prompt_hash: hash, sequence: sequence + 1, ...more });
  }

  response(session: string, prompt: string | null, response: string, more: JsonObject = {}): this {
    const payload = { ...this.step(session, prompt, response), response_hash: response, model: null };
    return this.of(session, 'response', { ...payload, ...more });
  }

  /** The members of the next interaction. */
  step(session: string, prompt: string | null, response: string | null): JsonObject {
    const chain = this.chains.get(session) as Chain;
    chain.hash = hashOf(chain.hash, prompt, response);
    chain.sequence++;
    return { sequence: chain.sequence, prompt_hash: prompt, chain_hash: chain.hash };
  }

  /** So many turns, each with its own hashes. */
  turns(session: string, count: number): this {
    for (let i = 0; i < count; i++) {
      const prompt = sha256Hex(utf8Encode(`prompt ${this.size}`));
      this.prompt(session, prompt).response(session, prompt, sha256Hex(utf8Encode(`answer ${this.size}`)));
    }
    return this;
  }

  end(session: string, block?: Block, more: JsonObject = {}): this {
    const { sequence, hash } = this.chains.get(session) as Chain;
    const chain = sequence === 0 ? null : hash;
    return this.of(session, 'session.end', {
      reason: 'exit',
      block: block === undefined ? null : { ...block },
      interactions: sequence,
      chain_hash: chain,
      final_hash: hashOf(session, block?.hash ?? null, chain),
      ...more,
    });
  }

  cut(session: string, more: JsonObject = {}): this {
    const { sequence, hash } = this.chains.get(session) as Chain;
    const chain = sequence === 0 ? null : hash;
    const reason = 'process-gone';
    return this.of(session, 'session.cut', {
      reason,
      ...PROCESS,
      interactions: sequence,
      chain_hash: chain,
      ...more,
    });
  }

  /** What stands of a session so far, as the end of a session says it. */
  summed(session: string): { readonly entries: number; readonly entries_root: string } {
    const lines = this.lines.filter((line) => parseEntry(utf8Encode(line)).session_id === session);
    return { entries: lines.length, entries_root: encodeHex(merkleRoot(lines)) };
  }

  /** The same, as an entry of its own. */
  sum(session: string, more: JsonObject = {}): this {
    const { entries, entries_root: root } = this.summed(session);
    return this.of(session, 'session.sum', { entries, root, ...more }, { source: 'cli' });
  }

  /** What a stamp of the checkpoint of `size` entries is of. The note has the one signature. */
  digest(size = this.size): Uint8Array {
    return sha256(this.checkpoint(size));
  }

  /** Stamps the checkpoint of `size` entries into a block of the test network, and keeps it. Gives the proof. */
  stamp(height: number, time: number, size = this.size): Uint8Array {
    const digest = this.digest(size);
    const block = testBlock(height, time, rootOf(digest));
    const proof = makeProof(digest, { height });
    this.files.set(stampPath(size, 'ots'), proof);
    const headers = encodeStampHeaders([{ height, header: parseHex(block.header) }]);
    this.files.set(stampPath(size, 'headers.json'), headers);
    return proof;
  }
}

/** RFC 6962, section 2.1, word for word. */
export function merkleRoot(lines: readonly string[]): Uint8Array {
  const [only = ''] = lines;
  if (lines.length === 0) return sha256(new Uint8Array(0));
  if (lines.length === 1) return sha256(join(new Uint8Array([0]), utf8Encode(only)));
  let k = 1;
  while (2 * k < lines.length) k *= 2;
  return sha256(join(new Uint8Array([1]), merkleRoot(lines.slice(0, k)), merkleRoot(lines.slice(k))));
}

export function stampPath(size: number, part: string): string {
  return `stamps/${String(size).padStart(16, '0')}.${part}`;
}

/**
 * A ledger that somebody who has its keys wrote anew: each entry is what `edit` makes of it, or left out, chained and
 * sealed as it should be.
 */
export function rewritten(
  made: LedgerMaker,
  edit: (entry: Entry) => JsonObject | null,
  seals: readonly number[] = [],
): SessionMaker {
  const copy = new SessionMaker();
  for (const line of made.lines.slice(1)) {
    const entry = parseEntry(utf8Encode(line));
    const payload = edit(entry);
    if (payload === null) continue;
    const { kind, session_id, source, ts } = entry;
    const cause = entry.cause !== null && entry.cause <= copy.size ? entry.cause : null;
    copy.append(kind, payload, { session_id, source, ts, cause });
    if (seals.includes(copy.size)) copy.seal();
  }
  copy.seal();
  return copy;
}
