// What a bundle shows besides its entries: content that its owner chose to disclose, and the pack by whose rules the run is
// judged again, from the entries alone.
import { hmacSha256, sha256Hex, utf8Decode } from '#platform';
import { encodeBase64Url, encodeHex, isHash, type Json, ParseError, parseHex } from '../core/index.ts';
import {
  asContentRef,
  BUNDLE_PARTS,
  type Bundle,
  type HarnessPack,
  PackError,
  parseBlobName,
  toolPolicyOf,
} from '../format/index.ts';
import { judgeTool } from '../policy/index.ts';
import type { BundledEntries } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';

/** Where the pack comes from. */
export interface PackSource {
  /** One that the verifier has, for a bundle without it or with an encrypted one. */
  readonly pack?: HarnessPack | undefined;
  /** Opens a pack: gzip is not the same everywhere. Throws PackError. Without it, a pack is not looked into. */
  readonly openPack?: ((archive: Uint8Array) => HarnessPack) | undefined;
}

/** Content that is shown and is what its name commits to, by its commitment. */
function disclosed(
  { parts }: Pick<Bundle, 'parts'>,
  findings: BundleFindings,
): ReadonlyMap<string, Uint8Array> {
  const shown = new Map<string, Uint8Array>();
  const keys = keysOf(parts.get(BUNDLE_PARTS.keys));
  for (const [path, bytes] of parts) {
    if (!path.startsWith('content/')) continue;
    try {
      const { algorithm, hash } = parseBlobName(path.slice('content/'.length));
      const name = `${algorithm}:${hash}`;
      const key = keys.get(name);
      const is =
        algorithm === 'sha256' ? sha256Hex(bytes) : key && encodeHex(hmacSha256(parseHex(key, 32), bytes));
      if (is !== hash) throw new ParseError('MALFORMED', 'not what its name commits to', path);
      shown.set(name, bytes);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      findings.add('CONTENT_WRONG', null, `${path}: ${error.message}`);
    }
  }
  return shown;
}

function keysOf(part: Uint8Array | undefined): ReadonlyMap<string, string> {
  try {
    const value: unknown = part === undefined ? {} : JSON.parse(utf8Decode(part));
    return new Map(Object.entries(value ?? {}).filter((each): each is [string, string] => isHash(each[1])));
  } catch {
    // Then nothing is opened by them, and content that needs them is wrong.
    return new Map();
  }
}

/**
 * No tool that the pack denies, no argument that its rules catch. `attested`: an attester who is trusted had the pack, and
 * attests no run that does not keep to it.
 */
export function checkPolicy(
  { parts, payload }: Bundle,
  { run }: BundledEntries,
  { attested, ...source }: PackSource & { readonly attested: boolean },
  findings: BundleFindings,
): void {
  const content = disclosed({ parts }, findings);
  if (payload.harness.packRoot === null) return;
  let pack: HarnessPack | undefined;
  try {
    pack = source.pack ?? openedPack(parts.get(BUNDLE_PARTS.pack), source);
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    findings.add('PACK_WRONG', null, error.message);
    return;
  }
  if (pack === undefined) {
    const why = parts.has(BUNDLE_PARTS.secretPack) ? 'is encrypted' : 'is not here';
    if (!attested) findings.add('PACK_MISSING', null, `the pack ${payload.harness.packRoot} ${why}`);
    return;
  }
  const { root, packHash, configHash } = pack.hashes;
  const { harness } = payload;
  const isAsSaid = (said: string | null, is: string): boolean => said === null || said === is;
  if (
    root !== harness.packRoot ||
    packHash !== harness.packHash ||
    !isAsSaid(harness.configHash, encodeBase64Url(parseHex(configHash, 32))) ||
    !isAsSaid(harness.id, pack.manifest.id)
  ) {
    findings.add('PACK_WRONG', null, 'the pack in the bundle is another one than it names');
    return;
  }
  const policy = toolPolicyOf(pack);
  for (const { entry } of run) {
    if (entry.kind !== 'tool.call' || typeof entry.payload.tool !== 'string') continue;
    const { allowed, ...why } = judgeTool(
      policy,
      entry.payload.tool,
      argumentsOf(entry.payload.args, content),
    );
    if (allowed === false) findings.add('TOOL_DENIED', entry.seq, 'why' in why ? why.why : '');
    if (allowed === null) findings.add('TOOL_UNDISCLOSED', entry.seq, 'why' in why ? why.why : '');
  }
}

function openedPack(archive: Uint8Array | undefined, { openPack }: PackSource): HarnessPack | undefined {
  return archive === undefined ? undefined : openPack?.(archive);
}

/** Undefined where they are not shown. */
function argumentsOf(args: Json | undefined, content: ReadonlyMap<string, Uint8Array>): Json | undefined {
  const ref = asContentRef(args);
  if (ref === undefined) return args;
  const bytes = content.get(`${ref.algorithm}:${ref.hash}`);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(utf8Decode(bytes)) as Json;
  } catch {
    return undefined;
  }
}
