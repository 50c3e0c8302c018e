// What a bundle shows besides its entries: content that its owner chose to disclose, and the pack by whose rules the run is
// judged again, from the entries alone.
import { hmacSha256, sha256Hex, utf8Decode } from '#platform';
import {
  type ContentAlgorithm,
  canonicalize,
  encodeBase64Url,
  encodeHex,
  isHash,
  type Json,
  type JsonObject,
  ParseError,
  parseCanonicalJson,
  parseHex,
} from '../core/index.ts';
import {
  asContentRef,
  BUNDLE_PARTS,
  type Bundle,
  contentRefs,
  type HarnessPack,
  PackError,
  parseBlobName,
  type ToolPolicy,
  toolPolicyOf,
} from '../format/index.ts';
import { judgeTool, type NamedPaths } from '../policy/index.ts';
import type { BundledEntries } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';
import { mcpToolName, serverOf } from './completeness-check.ts';

const CONTENT = 'content/';

/** Where the pack comes from. */
export interface PackSource {
  /** One that the verifier has, for a bundle without it or with an encrypted one. */
  readonly pack?: HarnessPack | undefined;
  /** An archive from where the bundle says that its pack is: what a stranger sent. */
  readonly fetched?: Uint8Array | undefined;
  /** Opens a pack: gzip is not the same everywhere. Throws PackError. Without it, a pack is not looked into. */
  readonly openPack?: ((archive: Uint8Array) => HarnessPack) | undefined;
}

/** Content that is shown, is what its name commits to, and is named by an entry of the run; by its commitment. */
function disclosed(
  { parts }: Pick<Bundle, 'parts'>,
  run: BundledEntries['run'],
  findings: BundleFindings,
): ReadonlyMap<string, Uint8Array> {
  const shown = new Map<string, Uint8Array>();
  const [keys, named] = [keysOf(parts.get(BUNDLE_PARTS.keys), findings), namedIn(run)];
  for (const [path, bytes] of parts) {
    if (!path.startsWith(CONTENT)) continue;
    try {
      const { algorithm, hash } = parseBlobName(path.slice(CONTENT.length));
      const name = `${algorithm}:${hash}`;
      if (commitmentOf(algorithm, keys.get(name), bytes) !== hash)
        throw new ParseError('MALFORMED', 'not what its name commits to', path.slice(CONTENT.length));
      if (!named.has(name))
        throw new ParseError('MALFORMED', 'no entry of the run names it', path.slice(CONTENT.length));
      shown.set(name, bytes);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      findings.add('CONTENT_WRONG', null, `${CONTENT}${error.message}`);
    }
  }
  for (const name of keys.keys())
    if (!parts.has(`${CONTENT}${name.replace(':', '-')}`))
      findings.add('CONTENT_WRONG', null, `${BUNDLE_PARTS.keys}: ${name} is not shown`);
  return shown;
}

/** Undefined where it can't be computed. Under the older algorithm a key would be the salt, which opens everything. */
function commitmentOf(
  algorithm: ContentAlgorithm,
  key: string | undefined,
  bytes: Uint8Array,
): string | undefined {
  if (algorithm === 'sha256') return sha256Hex(bytes);
  if (algorithm !== 'keyed-sha256' || key === undefined) return undefined;
  return encodeHex(hmacSha256(parseHex(key, 32), bytes));
}

function namedIn(run: BundledEntries['run']): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { entry } of run) {
    try {
      for (const { algorithm, hash } of contentRefs(entry.payload)) names.add(`${algorithm}:${hash}`);
    } catch (error) {
      // A malformed reference names nothing.
      if (!(error instanceof ParseError)) throw error;
    }
  }
  return names;
}

function keysOf(part: Uint8Array | undefined, findings: BundleFindings): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  if (part === undefined) return keys;
  try {
    const value = parseCanonicalJson(part);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ParseError('BAD_MEMBER', 'not an object');
    for (const [name, key] of Object.entries(value)) {
      if (!isHash(key)) throw new ParseError('BAD_MEMBER', 'not 64 hex digits', name);
      keys.set(name, key);
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    findings.add('CONTENT_WRONG', null, `${BUNDLE_PARTS.keys}: ${error.message}`);
  }
  return keys;
}

/** The pack that the run names. Null where it is not here; undefined where there is none, or what is here is another. */
export function packOfBundle(
  { parts, payload }: Bundle,
  source: PackSource,
  findings: BundleFindings,
): HarnessPack | null | undefined {
  if (payload.harness.packRoot === null) return undefined;
  let pack: HarnessPack | undefined;
  try {
    pack = source.pack ?? openedPack(source.fetched ?? parts.get(BUNDLE_PARTS.pack), source);
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    findings.add('PACK_WRONG', null, `the pack ${whence(source)} can't be opened: ${error.message}`);
    return undefined;
  }
  if (pack === undefined) return null;
  const { root, packHash, configHash } = pack.hashes;
  const { harness } = payload;
  const isAsSaid = (said: string | null, is: string): boolean => said === null || said === is;
  if (
    root !== harness.packRoot ||
    packHash !== harness.packHash ||
    !isAsSaid(harness.configHash, encodeBase64Url(parseHex(configHash, 32))) ||
    !isAsSaid(harness.id, pack.manifest.id)
  ) {
    findings.add('PACK_WRONG', null, `the pack ${whence(source)} is another one than the bundle names`);
    return undefined;
  }
  return pack;
}

/**
 * No tool that the pack denies, no argument that its rules catch. `attested`: an attester who is trusted had the pack, and
 * attests no run that does not keep to it.
 */
export function checkPolicy(
  { parts, payload }: Bundle,
  { run }: BundledEntries,
  { pack, attested }: { readonly pack: ReturnType<typeof packOfBundle>; readonly attested: boolean },
  findings: BundleFindings,
): void {
  const content = disclosed({ parts }, run, findings);
  if (pack === undefined) return;
  if (pack === null) {
    const why = parts.has(BUNDLE_PARTS.secretPack) ? 'is encrypted' : 'is not here';
    if (!attested) findings.add('PACK_MISSING', null, `the pack ${payload.harness.packRoot} ${why}`);
    return;
  }
  checkCalls(toolPolicyOf(pack), run, content, findings);
}

function whence({ pack, fetched }: PackSource): string {
  if (pack !== undefined) return 'that was given';
  return fetched === undefined ? 'in the bundle' : 'that was fetched';
}

function checkCalls(
  policy: ToolPolicy,
  run: BundledEntries['run'],
  content: ReadonlyMap<string, Uint8Array>,
  findings: BundleFindings,
): void {
  if (policy.deny.length === 0 && policy.arguments.length === 0) return;
  const calls = run.filter(({ entry }) => entry.kind === 'tool.call');
  const seqs = new Set(calls.map(({ entry }) => entry.seq));
  const ids = new Set(calls.map(({ entry }) => entry.payload.tool_use_id));
  for (const { entry } of run) {
    const { kind, cause, payload } = entry;
    const { tool, args, mcp } = payload;
    // A result without its call, or what the model asked for without one, shows a tool just as well.
    const isCall =
      kind === 'tool.call' ||
      (kind === 'tool.result' && !seqs.has(cause ?? 0)) ||
      (kind === 'model.tool_use' && !ids.has(payload.tool_use_id ?? ''));
    if (!isCall) continue;
    if (typeof tool !== 'string') {
      findings.add('TOOL_UNDISCLOSED', entry.seq, 'the call does not say which tool it is of');
      continue;
    }
    const judged = judgeNames(policy, namesOf(tool, mcp), argumentsOf(args, content), pathsOf(payload));
    if (judged.allowed === false) findings.add('TOOL_DENIED', entry.seq, judged.why);
    if (judged.allowed === null) findings.add('TOOL_UNDISCLOSED', entry.seq, judged.why);
  }
}

/** A call that was seen at the server itself has the server's name for the tool; policies know the host's name, too. */
function namesOf(tool: string, mcp: Json | undefined): readonly string[] {
  const server = serverOf(mcp);
  return server === undefined ? [tool] : [tool, mcpToolName(server, tool)];
}

/** Denied under one of its names is denied; not known under one of them is not known. */
function judgeNames(
  policy: ToolPolicy,
  names: readonly string[],
  args: Json | undefined,
  named: NamedPaths | undefined,
): ReturnType<typeof judgeTool> {
  const all = names.map((name) => judgeTool(policy, name, args, named));
  return (
    all.find(({ allowed }) => allowed === false) ??
    all.find(({ allowed }) => allowed === null) ??
    judgeTool(policy, names[0] ?? '', args, named)
  );
}

/** Undefined where the entry does not say which files the call names. */
function pathsOf({ paths, workspace_root: root }: JsonObject): NamedPaths | undefined {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) return undefined;
  return { paths: paths as readonly string[], root: typeof root === 'string' ? root : null };
}

function openedPack(archive: Uint8Array | undefined, { openPack }: PackSource): HarnessPack | undefined {
  return archive === undefined ? undefined : openPack?.(archive);
}

/** Undefined where they are not shown, not all of them, or in no form that a recorder keeps them in. */
function argumentsOf(args: Json | undefined, content: ReadonlyMap<string, Uint8Array>): Json | undefined {
  // Null stands where arguments were hashed and not kept.
  if (args === undefined || args === null) return undefined;
  const ref = asContentRef(args);
  if (ref === undefined) return canonicalize(args).includes('"$content":') ? undefined : args;
  const bytes = content.get(`${ref.algorithm}:${ref.hash}`);
  if (bytes === undefined) return undefined;
  try {
    if (ref.type === 'text/plain') return utf8Decode(bytes);
    // One form alone: a member that is there twice, or deeper than anybody looks, would hide something.
    return ref.type === 'application/json' ? parseCanonicalJson(bytes) : undefined;
  } catch {
    return undefined;
  }
}
