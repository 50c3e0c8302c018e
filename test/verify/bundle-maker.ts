// Bundles made as spec/bundle.md says, from ledgers that grow in memory: what the verifier is tested on must not come from
// the code that makes bundles. A bundle is kept in pieces, so that it can be changed and then signed again by the
// ledger's key: its signature is not what gives a change away. Everything is deterministic.
import { hmacSha256, sha256, sha256Hex, utf8Encode } from '#platform';
import {
  canonicalize,
  contentKey,
  dsseMessage,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  type Json,
  type JsonObject,
  leafHash,
  nodeHash,
  parseHex,
  type Signer,
} from '../../src/core/index.ts';
import {
  artifactRoot,
  buildPack,
  type Draft,
  type Entry,
  encodeEntry,
  encodeRunArtifacts,
  encodeRunBase,
  encodeSessionCut,
  encodeSessionEnd,
  encodeTar,
  encodeToolCall,
  encodeToolPolicy,
  encodeToolResult,
  type HarnessPack,
  parseEntry,
  type ToolFacts,
  type ToolPolicy,
  type TreeFile,
  type Verification,
} from '../../src/format/index.ts';
import { encodePack } from '../../src/harness/index.ts';
import { closingOf, newChain } from '../../src/session/index.ts';
import { join } from './make-ledger.ts';
import { Receipts } from './make-receipts.ts';

const SALT = new Uint8Array(32).fill(0x3c);
export const BUNDLE_TYPE = 'application/vnd.counterfoil.proof-bundle.v1+json';
const COUNTS = { prompts: 1, responses: 0, calls: 1, results: 1, denied: 0, redacted: 0 };
const LEDGER_KINDS = ['ledger.open', 'key.rotate', 'gateway.key', 'validator.key', 'policy'];
const MEANWHILE_KINDS = ['gap', 'crash', 'config.change'];

export const ARTIFACTS: readonly TreeFile[] = [{ path: 'src/a.mjs', bytes: utf8Encode('export {};\n') }];

export function packWith(
  policy: ToolPolicy,
  id = 'harness',
  verification: Verification | null = null,
  files: readonly TreeFile[] = [],
): HarnessPack {
  return buildPack({ id, templateVersion: 'none', outputs: ['src/**'], verification }, [
    ...files,
    { path: 'static/AGENTS.md', bytes: utf8Encode('Be brief.\n') },
    { path: 'config/tool-policy.json', bytes: utf8Encode(canonicalize(encodeToolPolicy([policy]))) },
  ]);
}

interface Content {
  readonly bytes: Uint8Array;
  /** 64 hex digits; undefined where anybody can compute the commitment. */
  readonly key: string | undefined;
}

export interface ToolOptions {
  /** Seen at this MCP server. */
  readonly server?: string;
  /** What the entry has in place of a reference. */
  readonly args?: Json;
  /** Kept content, in place of the canonical JSON of the arguments. */
  readonly bytes?: Uint8Array;
  readonly type?: string;
  /** Of other arguments than those that are kept. */
  readonly argsHash?: string;
  readonly toolUseId?: string;
  /** Other members of the entry. */
  readonly more?: JsonObject;
}

/** A ledger of runs, told step by step. `session` is the one that is told of. */
export class Runs extends Receipts {
  /** By `<algorithm>-<hash>`, as files of content are named. */
  readonly contents = new Map<string, Content>();
  readonly commits = new Map<string, Uint8Array>();

  of(kind: string, payload: JsonObject, more: Partial<Draft> = {}): number {
    return this.append(kind, payload, { session_id: this.session, source: 'sdk', ...more });
  }

  kept(bytes: Uint8Array, type = 'application/json'): { hash: string; bytes: number; ref: JsonObject } {
    const key = contentKey(SALT, sha256(bytes));
    const hash = encodeHex(hmacSha256(key, bytes));
    this.contents.set(`keyed-sha256-${hash}`, { bytes, key: encodeHex(key) });
    const ref = { $content: `keyed-sha256:${hash}`, bytes: bytes.length, type };
    return { hash, bytes: bytes.length, ref };
  }

  prompt(text: string): number {
    const { hash, bytes, ref } = this.kept(utf8Encode(text), 'text/plain');
    return this.of('prompt', { prompt_hash: hash, prompt: ref, prompt_bytes: bytes });
  }

  tool(tool: string, args: Json, options: ToolOptions = {}): number {
    const kept = this.kept(options.bytes ?? utf8Encode(canonicalize(args)), options.type);
    const payload = encodeToolCall(factsOf(tool, kept.hash), kept);
    const more = options.server === undefined ? {} : { mcp: { server: options.server } };
    return this.of('tool.call', {
      ...payload,
      ...('args' in options ? { args: options.args ?? null } : {}),
      ...(options.argsHash === undefined ? {} : { args_hash: options.argsHash }),
      ...(options.toolUseId === undefined ? {} : { tool_use_id: options.toolUseId }),
      ...more,
      ...options.more,
    });
  }

  toolResult(call: number, tool: string, argsHash: string | null = null): number {
    const payload = encodeToolResult(factsOf(tool, argsHash), {
      result: 'ok',
      errorCode: null,
      output: this.kept(utf8Encode(`output of ${tool}`), 'text/plain'),
      exit: { code: 0, origin: 'host' },
      durationMs: 5,
      tests: null,
      files: [],
    });
    return this.of('tool.result', payload, { cause: call });
  }

  base(): number {
    return this.of(
      'run.base',
      encodeRunBase({ commit: 'a'.repeat(40), tree: 'b'.repeat(40), dirty: 0, dirtyRoot: null }),
    );
  }

  artifacts(files: readonly TreeFile[] = ARTIFACTS): number {
    const artifactHash = artifactRoot(files);
    return this.of('run.artifacts', encodeRunArtifacts({ artifactHash, files: files.length, bytes: 11 }));
  }

  /** Names a commit whose object is kept. */
  commit(more: JsonObject = {}): number {
    const [tree, parent] = ['b'.repeat(64), 'a'.repeat(64)];
    const who = 'A <a@example.org> 1794700000 +0000';
    const object = utf8Encode(`tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nDone\n`);
    const commit = sha256Hex(join(utf8Encode(`commit ${object.length}\0`), object));
    this.commits.set(commit, object);
    return this.of('commit', { commit, tree, parents: [parent], ...more });
  }

  /** What stands of the session so far. */
  summed(session = this.session): { readonly entries: number; readonly root: string } {
    const lines = this.entries().filter(({ entry }) => entry.session_id === session);
    return { entries: lines.length, root: encodeHex(rootOf(lines.map(({ line }) => leafHash(line)))) };
  }

  end(sum: JsonObject = this.#members()): this {
    const closing = closingOf(newChain(this.session), null);
    this.of('session.end', {
      ...encodeSessionEnd({ reason: 'exit', exitCode: 0, counts: COUNTS }, closing),
      ...sum,
    });
    return this;
  }

  cut(): this {
    const { interactions, chainHash } = closingOf(newChain(this.session), null);
    const hostProcess = { pid: 4711, started: '815', boot: '00000000-0000-4000-8000-000000000000' };
    const cut = encodeSessionCut({ reason: 'process-gone', hostProcess, interactions, chainHash });
    this.of('session.cut', { ...cut, ...this.#members() });
    return this;
  }

  sum(): this {
    this.of('session.sum', this.summed(), { source: 'bundle' });
    return this;
  }

  #members(): JsonObject {
    const { entries, root } = this.summed();
    return { entries, entries_root: root };
  }

  entries(): Line[] {
    return this.lines.map((text) => {
      const line = utf8Encode(text);
      return { entry: parseEntry(line), line };
    });
  }

  /** Puts another entry in the place of this one, as if it had always been there: those behind it follow from it. */
  change(seq: number, change: (entry: Entry) => Partial<Entry>): this {
    this.changeAlone(seq, change);
    for (let next = seq + 1; next <= this.size; next++) {
      const { entry_hash: prev_hash } = parseEntry(utf8Encode(this.lines[next - 2] as string));
      this.changeAlone(next, () => ({ prev_hash }));
    }
    return this;
  }

  /** Those behind it stay as they are. The tree is that of the lines. */
  changeAlone(seq: number, change: (entry: Entry) => Partial<Entry>): this {
    const before = parseEntry(utf8Encode(this.lines[seq - 1] as string));
    const entry = { ...before, ...change(before) };
    this.lines[seq - 1] = encodeEntry(entry, seq, entry.prev_hash).line;
    return this;
  }
}

export interface Line {
  readonly entry: Entry;
  readonly line: Uint8Array;
}

function factsOf(tool: string, argsHash: string | null): ToolFacts {
  return {
    tool,
    toolUseId: null,
    agentId: null,
    workspaceRoot: null,
    role: null,
    intent: null,
    planHash: null,
    phaseId: null,
    invariantId: null,
    notes: null,
    argsHash,
    paths: [],
  };
}

/** RFC 6962, from its words. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array(0));
  if (leaves.length === 1) return leaves[0] as Uint8Array;
  const half = splitOf(leaves.length);
  return nodeHash(rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)));
}

function splitOf(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** Roots of the largest subtrees that hold none of the leaves which are shown. */
export function proofOf(leaves: readonly Uint8Array[], isShown: (index: number) => boolean): string[] {
  const hashes: string[] = [];
  const walk = (from: number, to: number): void => {
    const shown = leaves.slice(from, to).some((_, i) => isShown(from + i));
    if (!shown) hashes.push(encodeHex(rootOf(leaves.slice(from, to))));
    else if (to - from > 1) {
      const middle = from + splitOf(to - from);
      walk(from, middle);
      walk(middle, to);
    }
  };
  walk(0, leaves.length);
  return hashes;
}

/** A bundle in pieces. */
export interface Loose {
  readonly parts: Map<string, Uint8Array>;
  readonly payload: Record<string, Json>;
  signers: readonly Signer[];
  type: string;
}

export interface LooseOptions {
  /** Of another run than the last one. */
  readonly run?: string;
  readonly pack?: HarnessPack | null;
  /** Lines that are not shown. */
  readonly without?: (entry: Entry) => boolean;
  /** Lines that are shown besides, in `ledger.jsonl`. */
  readonly besides?: (entry: Entry) => boolean;
  readonly disclose?: 'none' | 'all' | 'arguments';
}

/** An honest bundle of what is shown. */
export function looseBundle(ledger: Runs, options: LooseOptions = {}): Loose {
  const { run = ledger.session, pack = null, without = () => false, besides = () => false } = options;
  const all = ledger.entries();
  const seqs = all.filter(({ entry }) => entry.session_id === run).map(({ entry }) => entry.seq);
  const isMeanwhile = ({ seq }: Entry): boolean => seq > (seqs[0] ?? 0) && seq < (seqs.at(-1) ?? 0);
  const shown = all.filter(({ entry }) => !without(entry));
  const ofRun = shown.filter(({ entry }) => entry.session_id === run);
  const ofLedger = shown.filter(
    ({ entry }) =>
      besides(entry) ||
      (entry.session_id === null &&
        (LEDGER_KINDS.includes(entry.kind) || (MEANWHILE_KINDS.includes(entry.kind) && isMeanwhile(entry)))),
  );
  const leaves = all.map(({ line }) => leafHash(line));
  const indexes = new Set([...ofRun, ...ofLedger].map(({ entry }) => entry.seq - 1));
  const proof = { hashes: proofOf(leaves, (index) => indexes.has(index)), size: leaves.length };
  const parts = new Map([
    ['entries.jsonl', linesOf(ofRun)],
    ['ledger.jsonl', linesOf(ofLedger)],
    ['checkpoint', ledger.checkpoint()],
    ['proof.json', utf8Encode(canonicalize(proof))],
  ]);
  if (pack !== null) parts.set('harness-pack.tar.gz', encodePack(pack));
  for (const { entry } of ofRun) {
    if (entry.kind !== 'commit') continue;
    const object = ledger.commits.get(String(entry.payload.commit));
    if (object !== undefined) parts.set(`commits/${entry.payload.commit}`, object);
  }
  disclose(ledger, ofRun, options.disclose ?? 'none', parts);
  const payload = payloadOf(ledger, run, ofRun, pack);
  return { parts, payload, signers: [ledger.signer], type: BUNDLE_TYPE };
}

export function linesOf(lines: readonly Line[]): Uint8Array {
  return join(...lines.flatMap(({ line }) => [line, Uint8Array.of(0x0a)]));
}

function disclose(
  ledger: Runs,
  lines: readonly Line[],
  what: 'none' | 'all' | 'arguments',
  parts: Map<string, Uint8Array>,
): void {
  const keys: Record<string, string> = {};
  for (const { entry } of lines) {
    if (what === 'none' || (what === 'arguments' && entry.kind !== 'tool.call')) continue;
    for (const [, hash] of canonicalize(entry.payload).matchAll(/"keyed-sha256:([0-9a-f]{64})"/g)) {
      const content = ledger.contents.get(`keyed-sha256-${hash}`);
      if (content === undefined) continue;
      parts.set(`content/keyed-sha256-${hash}`, content.bytes);
      if (content.key !== undefined) keys[`keyed-sha256:${hash}`] = content.key;
    }
  }
  if (Object.keys(keys).length > 0) parts.set('content-keys.json', utf8Encode(canonicalize(keys)));
}

function payloadOf(
  ledger: Runs,
  run: string,
  lines: readonly Line[],
  pack: HarnessPack | null,
): Record<string, Json> {
  const leavesOf = (some: readonly Line[]): Uint8Array[] => some.map(({ line }) => leafHash(line));
  const of = (kind: string): Line[] => lines.filter(({ entry }) => entry.kind === kind);
  const only = (kind: string, member: string): Json => {
    const [first, ...more] = of(kind);
    return first === undefined || more.length > 0 ? null : (first.entry.payload[member] ?? null);
  };
  const prompts = of('prompt').map(({ entry }) => entry.payload.prompt_hash as string);
  return {
    schema: 'proof_bundle.v1',
    run_id: run,
    origin: ledger.origin,
    created: '2026-11-16T09:00:00.000Z',
    metadata: {
      harness: {
        id: pack?.manifest.id ?? null,
        pack_hash_b64u: pack?.hashes.packHash ?? null,
        pack_root: pack?.hashes.root ?? null,
        pack_encryption_method: 'none',
        pack_uri: null,
        config_hash_b64u: pack === null ? null : encodeBase64Url(parseHex(pack.hashes.configHash, 32)),
      },
    },
    inputs: {
      prompt_hashes: prompts.slice(0, 256),
      more_prompts: prompts.length > 256,
      commit: only('run.base', 'commit'),
      tree: only('run.base', 'tree'),
    },
    outputs: { artifact_hash_b64u: only('run.artifacts', 'artifact_hash_b64u') },
    entries: lines.length,
    event_chain_root: encodeHex(rootOf(leavesOf(lines))),
    receipts: of('receipt').length,
    receipts_root: encodeHex(rootOf(leavesOf(of('receipt')))),
  };
}

/** The file: parts hashed as they are now, and signed again. `hashes: false` leaves the hashes that the payload has. */
export function signedBundle(loose: Loose, { hashes = true }: { hashes?: boolean } = {}): Uint8Array {
  const { parts, payload } = loose;
  if (hashes) payload.parts = Object.fromEntries([...parts].map(([path, bytes]) => [path, sha256Hex(bytes)]));
  return fileOf(loose, utf8Encode(canonicalize(payload)));
}

/** Likewise, of a payload in whatever form. */
export function fileOf({ parts, signers, type }: Loose, payload: Uint8Array): Uint8Array {
  const message = dsseMessage(type, payload);
  return withEnvelope(parts, {
    payload: encodeBase64(payload),
    payloadType: type,
    signatures: signers.map((signer) => ({
      keyid: signer.name,
      sig: encodeBase64(signer.sign(message)),
    })),
  });
}

export function withEnvelope(parts: ReadonlyMap<string, Uint8Array>, envelope: Json): Uint8Array {
  const files = [...parts].map(([path, bytes]) => ({ path, bytes }));
  return encodeTar([...files, { path: 'bundle.json', bytes: utf8Encode(canonicalize(envelope)) }]);
}
