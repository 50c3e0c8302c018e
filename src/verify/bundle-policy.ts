// The pack by whose rules a run is judged again, from the entries alone.
import { encodeBase64Url, type Json, type JsonObject, parseHex } from '../core/index.ts';
import {
  BUNDLE_PARTS,
  type Bundle,
  type Entry,
  type HarnessPack,
  PackError,
  type ToolPolicy,
  toolPolicyOf,
} from '../format/index.ts';
import { judgeTool, type NamedPaths, type RecordedCall } from '../policy/index.ts';
import { argumentsOf, type Disclosed } from './bundle-content.ts';
import type { BundledEntries } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';
import { asksInVain } from './bundle-model-calls.ts';
import { mcpToolName, serverOf } from './completeness-check.ts';

/** Where the pack comes from. */
export interface PackSource {
  /** One that the verifier has, for a bundle without it or with an encrypted one. */
  readonly pack?: HarnessPack | undefined;
  /** An archive from where the bundle says that its pack is: what a stranger sent. */
  readonly fetched?: Uint8Array | undefined;
  /** Opens a pack: gzip is not the same everywhere. Throws PackError. Without it, a pack is not looked into. */
  readonly openPack?: ((archive: Uint8Array) => HarnessPack) | undefined;
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
    findings.add('PACK_WRONG', null, `the pack ${whence(source)} is not the one that the bundle names`);
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
  {
    pack,
    attested,
    shown,
  }: {
    readonly pack: ReturnType<typeof packOfBundle>;
    readonly attested: boolean;
    readonly shown: Disclosed;
  },
  findings: BundleFindings,
): void {
  if (pack === undefined) return;
  if (pack === null) {
    const why = parts.has(BUNDLE_PARTS.secretPack) ? 'is encrypted' : 'is not here';
    if (!attested) findings.add('PACK_MISSING', null, `the pack ${payload.harness.packRoot} ${why}`);
    return;
  }
  checkCalls(toolPolicyOf(pack), run, shown, findings);
}

function whence({ pack, fetched }: PackSource): string {
  if (pack !== undefined) return 'that was given';
  return fetched === undefined ? 'in the bundle' : 'that was fetched';
}

function checkCalls(
  policy: ToolPolicy,
  run: BundledEntries['run'],
  content: Disclosed,
  findings: BundleFindings,
): void {
  if (policy.deny.length === 0 && policy.arguments.length === 0) return;
  const isCall = callsOf(run);
  for (const { entry } of run) {
    const { tool, mcp } = entry.payload;
    if (asksInVain(entry) && entry.payload.understood !== 'whole')
      findings.add('TOOL_UNDISCLOSED', entry.seq, 'the model asked for tools that are not recorded');
    if (entry.kind === 'observation' && typeof entry.payload.problem === 'string')
      findings.add('TOOL_UNDISCLOSED', entry.seq, "an event of the agent can't be read, and may be a call");
    if (!isCall(entry)) continue;
    if (typeof tool !== 'string' || tool === '') {
      findings.add('TOOL_UNDISCLOSED', entry.seq, "the call doesn't say which tool it uses");
      continue;
    }
    const { args, isHeld } = argumentsOf(entry.payload, content);
    const names = namesOf(tool, mcp);
    const hidden = whyHidden(entry, isHeld);
    const call = { args, hidden, named: pathsOf(entry.payload), cwd: textIn(entry.payload.cwd) };
    const said = judgeNames(policy, names, call);
    // What nothing holds can speak against a run, and never for it.
    const judged = said.allowed && !isHeld ? judgeNames(policy, names, { ...call, args: undefined }) : said;
    if (judged.allowed === false) findings.add('TOOL_DENIED', entry.seq, judged.why);
    if (judged.allowed === null) findings.add('TOOL_UNDISCLOSED', entry.seq, judged.why);
  }
}

/** Undefined where the arguments are kept, and only not disclosed. */
function whyHidden({ kind, payload: { args = null } }: Entry, isHeld: boolean): string | undefined {
  if (args !== null) return isHeld ? undefined : "the arguments in the entry don't match its args_hash";
  return kind === 'tool.call'
    ? 'the arguments were hashed and not kept'
    : 'it names another tool or other arguments than the call that it follows, and these are not recorded';
}

/**
 * Which entries show that a tool was called: calls; results, refusals and questions to a person that no call of the run
 * stands for; and what the model asked for without one. A call stands for what names the same tool, and the same arguments
 * where both name any.
 */
function callsOf(run: BundledEntries['run']): (entry: Entry) => boolean {
  const calls = run.filter(({ entry }) => entry.kind === 'tool.call').map(({ entry }) => entry);
  const bySeq = new Map(calls.map((call) => [call.seq, call.payload]));
  const questions = new Map(
    run.flatMap(({ entry }) => (entry.kind === 'approval' ? [[entry.seq, entry.payload]] : [])),
  );
  const known = new Set(calls.map(({ payload }) => sameCall(payload)));
  const asked = new Set(
    calls.flatMap(({ payload: { tool, mcp, tool_use_id: id } }) =>
      typeof tool === 'string' && typeof id === 'string'
        ? namesOf(tool, mcp).map((name) => JSON.stringify([id, name]))
        : [],
    ),
  );
  return ({ kind, cause, payload }) => {
    if (kind === 'tool.result') return !isResultOf(payload, bySeq.get(cause ?? 0));
    if (kind === 'tool.denied' || kind === 'approval') {
      const before = bySeq.get(cause ?? 0) ?? questions.get(cause ?? 0);
      const isSame = typeof payload.args_hash === 'string' && known.has(sameCall(payload));
      return !isSame && !isResultOf(payload, before);
    }
    if (kind === 'model.tool_use')
      return !asked.has(JSON.stringify([payload.tool_use_id ?? null, payload.tool ?? null]));
    return kind === 'tool.call';
  };
}

const sameCall = ({ tool, args_hash: hash }: JsonObject): string =>
  JSON.stringify([tool ?? null, hash ?? null]);

function isResultOf(result: JsonObject, call: JsonObject | undefined): boolean {
  if (call === undefined || call.tool !== result.tool) return false;
  const hashes = [call.args_hash ?? null, result.args_hash ?? null];
  return hashes.includes(null) || hashes[0] === hashes[1];
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
  call: RecordedCall,
): ReturnType<typeof judgeTool> {
  const all = names.map((name) => judgeTool(policy, name, call));
  return (
    all.find(({ allowed }) => allowed === false) ??
    all.find(({ allowed }) => allowed === null) ??
    judgeTool(policy, names[0] ?? '', call)
  );
}

/** Undefined where the entry does not say which files the call names. */
function pathsOf({ paths, workspace_root: root }: JsonObject): NamedPaths | undefined {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) return undefined;
  return { paths: paths as readonly string[], root: textIn(root) };
}

function textIn(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function openedPack(archive: Uint8Array | undefined, { openPack }: PackSource): HarnessPack | undefined {
  return archive === undefined ? undefined : openPack?.(archive);
}
