// Does a call keep to the tool policy of its pack?
import { type Json, matchesText, mayMatchText } from '../core/index.ts';
import { type ArgumentRule, commandText, type ToolPolicy } from '../format/index.ts';
import { startOf } from './authority/tool-needs.ts';
import { isAtHost } from './domain-rules.ts';
import { type ReadLine, readWholeLine, runsCommand } from './line-rules.ts';
import { looksByPattern, type NamedPaths, namesFile, touchesFile } from './path-rules.ts';

/** Texts within one call's arguments that are looked at; what has more is not known to be allowed. */
const MOST_TEXTS = 100_000;
/** What a recorder puts in the place of a secret. */
const SHELLS = /^(?:bash|shell|local_shell|run_shell_command|exec_command|run_in_terminal|powershell|pwsh)$/i;
const OTHER_SHELL = /^(?:powershell|pwsh)$/i;
const HIDDEN = /\[REDACTED:[a-z][a-z0-9-]{0,63}\]/;

export type ToolJudgement =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly why: string }
  /** The arguments would have to be known, and are not. */
  | { readonly allowed: null; readonly why: string };

/** What an entry says of a call. */
export interface RecordedCall {
  /** Undefined where they are not disclosed. */
  readonly args: Json | undefined;
  /** Undefined where no paths are recorded. */
  readonly named?: NamedPaths | undefined;
  /** Where a shell was started; null where that is not recorded. */
  readonly cwd?: string | null;
}

export function judgeTool(policy: ToolPolicy, tool: string, call: RecordedCall): ToolJudgement {
  const denied = policy.deny.find((pattern) => matchesText(pattern, tool));
  if (denied !== undefined)
    return { allowed: false, why: `the pack denies ${tool}${denied === tool ? '' : ` (${denied})`}` };
  const rules = rulesFor(policy, tool);
  if (rules.length === 0) return { allowed: true };
  const shown = shownOf(tool, call);
  const judged = rules.map((rule) => judgeRule(rule, tool, call, shown));
  return (
    judged.find(({ allowed }) => allowed === false) ??
    judged.find(({ allowed }) => allowed === null) ?? { allowed: true }
  );
}

/** Must the arguments of that tool be known? The files that a call names are recorded apart from them. */
export function needsArguments(policy: ToolPolicy, tool: string): boolean {
  return rulesFor(policy, tool).some(
    (rule) => !('unjudged' in rule) && (!('path' in rule) || SHELLS.test(tool) || looksByPattern(tool)),
  );
}

function rulesFor(policy: ToolPolicy, tool: string): readonly ArgumentRule[] {
  return policy.arguments.filter((rule) => matchesText(rule.tool, tool));
}

/** The arguments of a call, taken apart once for all rules. */
interface Shown {
  /** Undefined where they are not disclosed, null where they are too many. */
  readonly texts: readonly string[] | null | undefined;
  /** Of a file that is written recorders keep the hash alone. */
  readonly hasHashes: boolean;
  /** Null where the call gives nothing to a shell. */
  readonly line: ReadLine | null;
}

function shownOf(tool: string, { args, cwd = null }: RecordedCall): Shown {
  if (args === undefined) return { texts: undefined, hasHashes: false, line: null };
  const texts: string[] = [];
  const isWhole = collect(args, texts);
  const text = isShell(tool, args) ? commandText(args) : null;
  const start = cwd === null ? null : startOf(args, cwd);
  const line = text === null ? null : readWholeLine(OTHER_SHELL.test(tool) ? 'pwsh' : text, { cwd: start });
  return { texts: isWhole ? texts : null, hasHashes: hasHash(args), line };
}

/** Tools that take a line for a shell, by their names or by what they are given. */
function isShell(tool: string, args: Json): boolean {
  return SHELLS.test(tool) || typeof args !== 'string';
}

function judgeRule(rule: ArgumentRule, tool: string, call: RecordedCall, shown: Shown): ToolJudgement {
  const judged = (isDenied: boolean | null, denied: string, unknown: string): ToolJudgement =>
    isDenied === true
      ? { allowed: false, why: `the pack denies ${tool} ${denied}` }
      : isDenied === null
        ? { allowed: null, why: unknown }
        : { allowed: true };
  const { texts, line } = shown;
  if ('unjudged' in rule)
    return judged(null, '', `the pack has a rule that can't be judged: ${rule.tool}(${rule.unjudged})`);
  if ('path' in rule && !SHELLS.test(tool))
    return judged(
      namesFile(rule.path, tool, call.named, call.args),
      `on files like ${rule.path}`,
      `the pack denies ${tool} on files like ${rule.path}, and the call does not show which files it names`,
    );
  if (texts === undefined)
    return { allowed: null, why: `the pack has rules for the arguments of ${tool}, which are not disclosed` };
  if (texts === null) return { allowed: null, why: `the arguments of ${tool} are too many to look at` };
  if ('path' in rule || 'reads' in rule || 'writes' in rule)
    return judged(...fileJudgement(rule, call, shown));
  if ('matches' in rule) {
    const told = line === null ? false : runsCommand(rule.matches, line);
    const like = `an argument like ${rule.matches}`;
    if (texts.some((text) => matchesText(rule.matches, text)) || told === true)
      return judged(true, `with ${like}`, '');
    const isHidden = texts.some((text) => HIDDEN.test(text) && mayMatchText(rule.matches, piecesOf(text)));
    if (isHidden)
      return judged(
        null,
        '',
        `an argument of ${tool} was redacted, and may have been like ${rule.matches}, which the pack denies`,
      );
    if (shown.hasHashes)
      return judged(
        null,
        '',
        `the pack denies ${tool} with ${like}, and of what the call writes only a hash is recorded`,
      );
    const why = line?.hidesCommands ?? 'it has the words of one';
    return judged(told, '', `the pack denies ${tool} with ${like}, and the line may run one: ${why}`);
  }
  const hosts = texts.map((text) => (HIDDEN.test(text) ? null : isAtHost(rule.domain, text)));
  return judged(
    hosts.includes(true) ? true : hosts.includes(null) ? null : false,
    `at ${rule.domain}`,
    `the pack denies ${tool} at ${rule.domain}, and the host of an address can't be read`,
  );
}

/** A rule about files, held against a line: is it denied, and the words for that and for not knowing. */
function fileJudgement(
  rule: Extract<ArgumentRule, { path: string } | { reads: string } | { writes: string }>,
  { named = { paths: [], root: null } }: RecordedCall,
  { line }: Shown,
): [boolean | null, string, string] {
  const [glob, does, uses] =
    'path' in rule
      ? ([rule.path, 'on', ['read', 'write']] as const)
      : 'reads' in rule
        ? ([rule.reads, 'reading', ['read']] as const)
        : ([rule.writes, 'writing', ['write']] as const);
  const touched = line === null ? null : touchesFile(glob, uses, line.files, named.root);
  // The recorder adds where links lead.
  const isLed = named.paths.length > 0 && namesFile(glob, '', named, undefined) !== false;
  const hidden = line === null ? 'it is no line for a shell' : line.hidesFiles;
  return [
    touched === false && (hidden !== null || isLed) ? null : touched,
    `${does} files like ${glob}`,
    `the pack denies ${does} files like ${glob}, and the line may be doing that: ${hidden ?? 'it names one, or a folder that may hold one'}`,
  ];
}

/** A text with null in the place of what was taken out of it. */
function piecesOf(text: string): (string | null)[] {
  return text.split(HIDDEN).flatMap((piece, i) => (i === 0 ? [piece] : [null, piece]));
}

/** In the place of what is written to a file. */
function hasHash(value: Json): boolean {
  if (Array.isArray(value)) return value.some((each: Json) => hasHash(each));
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, 'content_hash') || Object.values(value).some((each) => hasHash(each));
}

/** Every text of it, and every number and flag as a text. False where there are too many. */
function collect(value: Json, texts: string[]): boolean {
  if (texts.length > MOST_TEXTS) return false;
  if (Array.isArray(value)) return value.every((each: Json) => collect(each, texts));
  if (typeof value === 'object' && value !== null)
    return Object.values(value).every((each) => collect(each, texts));
  if (value !== null) texts.push(String(value));
  return true;
}
