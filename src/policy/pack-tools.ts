// Does a call keep to the tool policy of its pack?
import { type Json, matchesText, mayMatchText } from '../core/index.ts';
import { type ArgumentRule, commandText, type ToolPolicy } from '../format/index.ts';
import { startsOf } from './authority/shell-start.ts';
import { isAtHost } from './domain-rules.ts';
import { runsCommand } from './line-rules.ts';
import { deniedPath, hasPattern, type NamedPaths, namesFile, touchesFile } from './path-rules.ts';
import { type ReadLine, readWholeLine } from './read-line.ts';
import { isPowerShell, isShellTool } from './shell-tools.ts';

/** Texts within one call's arguments that are looked at; what has more is not known to be allowed. */
const MOST_TEXTS = 100_000;
/** The tool that rules for a shell name, whatever a host calls its own. */
const BASH = 'Bash';
/** So many doubts are told one by one. */
const MOST_TOLD = 4;
/** So much of a word or a line is told. */
const MOST_QUOTED = 80;
/** What a recorder puts in the place of a secret. */
const HIDDEN = /\[REDACTED:[a-z][a-z0-9-]{0,63}\]/;

export type ToolJudgement =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly why: string }
  /** The arguments would have to be known, and are not. */
  | { readonly allowed: null; readonly why: string };

const NOT_DISCLOSED = 'the arguments are not disclosed';
const DISCLOSE = 'Disclose them: foil bundle create --disclose arguments';
const OTHER_WAYS =
  'Have the agent use simpler calls, or replace such a rule with grants (foil grants) or a sandbox';

/** A rule that a call may break, and why nobody knows. */
interface Doubt {
  readonly allowed: null;
  readonly rule: string;
  readonly because: string;
}

type RuleJudgement = Exclude<ToolJudgement, { readonly allowed: null }> | Doubt;

/** What an entry says of a call. */
export interface RecordedCall {
  /** Undefined where they are not disclosed. */
  readonly args: Json | undefined;
  /** Why they are not known, where disclosing them would not help. */
  readonly hidden?: string | undefined;
  /** Undefined where no paths are recorded. */
  readonly named?: NamedPaths | undefined;
  /** Where a shell was started; null where that is not recorded. */
  readonly cwd?: string | null;
}

export function judgeTool(policy: ToolPolicy, tool: string, call: RecordedCall): ToolJudgement {
  const denied = policy.deny.find((pattern) => isAbout(pattern, tool));
  if (denied !== undefined)
    return { allowed: false, why: `the pack denies ${tool}${denied === tool ? '' : ` (${denied})`}` };
  const rules = rulesFor(policy, tool);
  if (rules.length === 0) return { allowed: true };
  const shown = shownOf(tool, call);
  const judged = rules.map((rule) => judgeRule(policy, rule, tool, call, shown));
  for (const each of judged) if (each.allowed === false) return each;
  const doubts = judged.flatMap((each) => (each.allowed === null ? [each] : []));
  return doubts.length === 0 ? { allowed: true } : { allowed: null, why: told(doubts) };
}

/** Rules that are in doubt for the same reason are told together. */
function told(doubts: readonly Doubt[]): string {
  const reasons = new Map<string, Set<string>>();
  for (const { rule, because } of doubts) reasons.set(because, (reasons.get(because) ?? new Set()).add(rule));
  const all = [...reasons].map(([because, rules]) => {
    // `curl` and `curl *` are one rule of the settings.
    const named = [...rules].filter((rule) => !rules.has(`${rule} *`));
    const more = named.length - MOST_TOLD;
    const listed = named.slice(0, MOST_TOLD).join(', ') + (more > 0 ? ` and ${more} more` : '');
    return `${listed}, and ${because}`;
  });
  const more = all.length - MOST_TOLD;
  const listed = `${all.slice(0, MOST_TOLD).join('; it denies ')}${more > 0 ? `; and ${more} more` : ''}`;
  return `the pack denies ${listed}. ${reasons.has(NOT_DISCLOSED) ? DISCLOSE : OTHER_WAYS}`;
}

/** Must the arguments of that tool be known? The files that a call names are recorded apart from them. */
export function needsArguments(policy: ToolPolicy, tool: string): boolean {
  return rulesFor(policy, tool).some(
    (rule) => !('unjudged' in rule) && (!('path' in rule) || isShellTool(tool) || hasPattern(tool)),
  );
}

function rulesFor(policy: ToolPolicy, tool: string): readonly ArgumentRule[] {
  return policy.arguments.filter((rule) => isAbout(rule.tool, tool));
}

function isAbout(pattern: string, tool: string): boolean {
  const isBash = isShellTool(tool) && !isPowerShell(tool);
  return matchesText(pattern, tool) || (isBash && matchesText(pattern, BASH));
}

/** A rule for reading of Claude Code: it stands for all tools that read, and is held by the host's own searches. */
function isOfClaude({ arguments: rules }: ToolPolicy, path: string): boolean {
  return rules.some((rule) => rule.tool === 'NotebookRead' && 'path' in rule && rule.path === path);
}

/** The arguments of a call, taken apart once for all rules. */
interface Shown {
  /** Undefined where they are not disclosed, null where they are too many. */
  readonly texts: readonly string[] | null | undefined;
  /** Those that rules about commands look at: of a tool that is known to take a line, this line alone. */
  readonly commands: readonly string[] | null | undefined;
  /** Of a file that is written recorders keep the hash alone. */
  readonly hasHashes: boolean;
  /** Null where the call gives nothing to a shell. */
  readonly line: ReadLine | null;
}

function shownOf(tool: string, { args, cwd = null }: RecordedCall): Shown {
  if (args === undefined) return { texts: undefined, commands: undefined, hasHashes: false, line: null };
  const all: string[] = [];
  const texts = collect(args, all) ? all : null;
  const text = isShell(tool, args) ? commandText(args) : null;
  const [start = null, ...others] = cwd === null ? [] : startsOf(args, cwd);
  const isOther = isPowerShell(tool) || hasOtherShell(args);
  const line =
    text === null ? null : readWholeLine(isOther ? 'pwsh' : text, { cwd: others.length > 0 ? null : start });
  const isKnown = text !== null && isShellTool(tool);
  return { texts, commands: isKnown ? [text] : texts, hasHashes: !isKnown && hasHash(args), line };
}

/** Some tools take the program that reads the line. */
function hasOtherShell(args: Json): boolean {
  if (typeof args !== 'object' || args === null || !('shell' in args)) return false;
  return typeof args.shell === 'string' && !/^(?:\/[\w/]+\/)?(?:ba|z|da|k)?sh$/.test(args.shell);
}

/** Tools that take a line for a shell, by their names or by what they are given. */
function isShell(tool: string, args: Json): boolean {
  return isShellTool(tool) || typeof args !== 'string';
}

function judgeRule(
  policy: ToolPolicy,
  rule: ArgumentRule,
  tool: string,
  call: RecordedCall,
  shown: Shown,
): RuleJudgement {
  /** `because`: what breaks the rule, or why nobody knows. */
  const judged = (isDenied: boolean | null, denied: string, because: string): RuleJudgement =>
    isDenied === true
      ? { allowed: false, why: `the pack denies ${tool} ${denied}: ${because}` }
      : isDenied === null
        ? { allowed: null, rule: `${tool} ${denied}`, because }
        : { allowed: true };
  const { texts, commands, line } = shown;
  if ('unjudged' in rule)
    return { allowed: null, rule: `${rule.tool}(${rule.unjudged})`, because: 'nobody can judge such a rule' };
  if ('path' in rule && !isShellTool(tool)) {
    const isDenied = namesFile(rule.path, tool, call.named, call.args, isOfClaude(policy, rule.path));
    const path = call.named === undefined ? null : deniedPath(rule.path, call.named);
    return judged(
      isDenied,
      `on files like ${rule.path}`,
      isDenied === true
        ? `it names ${quoted(path ?? '')}`
        : 'the call may name one, or does not show which files it names',
    );
  }
  const denied = deniedBy(rule);
  if (texts === undefined) return judged(null, denied, call.hidden ?? NOT_DISCLOSED);
  if (texts === null) return judged(null, denied, 'the arguments are too many to look at');
  if ('path' in rule || 'reads' in rule || 'writes' in rule) {
    const [isDenied, because] = fileJudgement(rule, call, shown);
    return judged(isDenied, denied, because);
  }
  if ('matches' in rule) {
    const runs = line === null ? { isBroken: false, by: '' } : runsCommand(rule.matches, line);
    if (runs.isBroken === true) return judged(true, denied, `it runs ${quoted(runs.by)}`);
    const text = commands?.find((each) => matchesText(rule.matches, each));
    if (text !== undefined) return judged(true, denied, `it has ${quoted(text)}`);
    const isHidden = commands?.some(
      (each) => HIDDEN.test(each) && mayMatchText(rule.matches, piecesOf(each)),
    );
    if (isHidden === true) return judged(null, denied, 'an argument was redacted, and may have been one');
    if (shown.hasHashes) return judged(null, denied, 'of what the call writes only a hash is recorded');
    const why = line?.hidesCommands ?? `${quoted(runs.by)} has the words of one`;
    return judged(runs.isBroken, denied, `the line may be doing that: ${why}`);
  }
  const hosts = texts.map((text) => (HIDDEN.test(text) ? null : isAtHost(rule.domain, text)));
  const at = hosts.indexOf(true);
  return at >= 0
    ? judged(true, denied, `it has ${quoted(texts[at] ?? '')}`)
    : judged(hosts.includes(null) ? null : false, denied, "the host of an address can't be read");
}

/** What a rule about arguments denies, in words. */
function deniedBy(rule: Exclude<ArgumentRule, { readonly unjudged: string }>): string {
  if ('matches' in rule) return `with an argument like ${rule.matches}`;
  if ('domain' in rule) return `at ${rule.domain}`;
  if ('path' in rule) return `on files like ${rule.path}`;
  return 'reads' in rule ? `reading files like ${rule.reads}` : `writing files like ${rule.writes}`;
}

/** A rule about files, held against a line: is it denied, and why nobody knows. */
function fileJudgement(
  rule: Extract<ArgumentRule, { path: string } | { reads: string } | { writes: string }>,
  { named = { paths: [], root: null } }: RecordedCall,
  { line }: Shown,
): [boolean | null, string] {
  const [glob, uses] =
    'path' in rule
      ? ([rule.path, ['read', 'write']] as const)
      : 'reads' in rule
        ? ([rule.reads, ['read']] as const)
        : ([rule.writes, ['write']] as const);
  const touched =
    line === null ? { isBroken: null, by: '' } : touchesFile(glob, uses, line.files, named.root);
  if (touched.isBroken === true) return [true, `it names ${quoted(touched.by)}`];
  // The recorder adds where links lead.
  const isLed = named.paths.length > 0 && namesFile(glob, '', named, undefined) !== false;
  const hidden = line === null ? 'it is no line for a shell' : line.hidesFiles;
  const led = isLed ? `it names ${quoted(named.paths.join(' '))}` : null;
  const name = `${quoted(touched.by)} may be one, or may hold one`;
  return [
    touched.isBroken === false && hidden === null && led === null ? false : null,
    `the line may be doing that: ${hidden ?? (touched.isBroken === null ? name : led)}`,
  ];
}

/** As a person reads it: signs that move a cursor are escaped. */
function quoted(text: string): string {
  return JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text);
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
