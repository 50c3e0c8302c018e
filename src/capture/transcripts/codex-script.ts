// Codex 0.145 and later runs everything through its tool `exec`: a script in JavaScript that calls `tools.exec_command({cmd,
// workdir})`, `tools.write_stdin({session_id})` and `tools.apply_patch(patch)`, and hands on what it likes of the results with
// `text(…)`. Only calls whose arguments are written out are read: what a script computes is not known. Nothing is run.
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import { parsed } from './transcript.ts';

export interface ScriptCall {
  readonly tool: 'Bash' | 'write_stdin' | 'apply_patch';
  readonly args: JsonObject;
}

const MOST_CALLS = 16;
const LONGEST_SCRIPT = 1024 * 1024;
const CALL = /\btools\.(exec_command|write_stdin|apply_patch)\s*\(/g;
const LITERAL =
  /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|-?\d[\d_.]*|true|false|null/y;
const KEY = /\s*(?:([\w$]+)|"([^"\\]*)"|'([^'\\]*)')\s*:\s*/y;

export function callsIn(script: string): ScriptCall[] {
  if (script.length > LONGEST_SCRIPT) return [];
  const calls: ScriptCall[] = [];
  for (const { 0: whole, 1: name, index } of script.matchAll(CALL)) {
    if (calls.length >= MOST_CALLS) break;
    if (name === 'apply_patch') {
      const input = patchIn(script);
      if (input !== undefined) calls.push({ tool: 'apply_patch', args: { input } });
      continue;
    }
    const args = objectAt(script, index + whole.length);
    if (name === 'exec_command' && typeof args.cmd === 'string') calls.push({ tool: 'Bash', args });
    if (name === 'write_stdin' && args.session_id !== undefined) calls.push({ tool: 'write_stdin', args });
  }
  return calls;
}

/** The members of an object literal, up to the first whose value is not written out. */
function objectAt(script: string, start: number): JsonObject {
  const found: Record<string, Json> = {};
  let at = /^\s*\{/.test(script.slice(start, start + 64)) ? script.indexOf('{', start) + 1 : script.length;
  while (at < script.length) {
    KEY.lastIndex = at;
    const key = KEY.exec(script);
    if (key === null) break;
    LITERAL.lastIndex = KEY.lastIndex;
    const value = literalValue(LITERAL.exec(script)?.[0]);
    if (value === undefined) break;
    found[key[1] ?? key[2] ?? key[3] ?? ''] = value;
    const comma = /^\s*,/.exec(script.slice(LITERAL.lastIndex, LITERAL.lastIndex + 256));
    if (comma === null) break;
    at = LITERAL.lastIndex + comma[0].length;
  }
  return found;
}

/** Undefined of what is not written out: nothing, or a text with something to fill in. */
function literalValue(literal: string | undefined): Json | undefined {
  if (literal === undefined) return undefined;
  const quote = literal.charAt(0);
  if (quote === '"') return parsed(literal.replace(/\\\n/g, '').replace(/\\(['`$0])/g, plainEscape));
  if (quote === "'" || quote === '`') {
    if (quote === '`' && /(?:^|[^\\])\$\{/.test(literal)) return undefined;
    return literal.slice(1, -1).replace(/\\(u[\da-fA-F]{4}|x[\da-fA-F]{2}|[\s\S])/g, unescaped);
  }
  return parsed(literal.replaceAll('_', ''));
}

/** JSON knows fewer escapes. */
function plainEscape(_: string, character: string): string {
  return character === '0' ? '\\u0000' : character;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '\n': '',
  '0': '\0',
};

function unescaped(_: string, sequence: string): string {
  if (sequence.length > 1) return String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
  return ESCAPES[sequence] ?? sequence;
}

/** A patch is a text of the script, wherever it is put. */
function patchIn(script: string): string | undefined {
  const start = script.indexOf('*** Begin Patch');
  if (start < 1) return undefined;
  LITERAL.lastIndex = start - 1;
  const value = literalValue(LITERAL.exec(script)?.[0]);
  return typeof value === 'string' ? value : undefined;
}

export interface ScriptResult {
  readonly output: string;
  /** Null where the script does not hand it on. */
  readonly exit: number | null;
  /** Of a command that goes on. */
  readonly session: string | null;
  /** The script itself goes on, under this number. */
  readonly cell: string | null;
}

const HEAD = /^Script (completed|failed|running with cell ID (\d{1,20}))\nWall time [^\n]*\nOutput:\n?/;

function textsIn(output: Json): string[] {
  const parts = Array.isArray(output) ? output : [output];
  return parts.map((part) => (isObject(part) ? part.text : part)).filter((part) => typeof part === 'string');
}

/** What a script handed on of one command. */
export function resultIn(script: string, output: Json): ScriptResult {
  const whole = textsIn(output).join('\n');
  const head = HEAD.exec(whole);
  const printed = head === null ? whole : whole.slice(head[0].length).replace(/^\n/, '');
  return { ...resultOf(script, printed, printed), cell: head?.[2] ?? null };
}

/**
 * What a script handed on of several commands that it ran side by side, one after the other in a loop: each turn of the loop
 * hands on as many texts as there are `text(…)` in it. Null where nobody can say what is whose.
 */
export function resultsIn(script: string, output: Json, commands: number): ScriptResult[] | null {
  const [head = '', ...texts] = textsIn(output);
  const [before = '', after, ...more] = script.split(/\]\s*\);\s*(?=for\b|\w+\.forEach\b)/);
  const said = after?.split(/\btext\s*\(/).slice(1) ?? [];
  const isPlain =
    /=\s*await Promise\.all\(\s*\[/.test(before) &&
    before.match(/\btools\.\w+\s*\(/g)?.length === commands &&
    !/\btext\s*\(/.test(before) &&
    !/\btools\./.test(after ?? '');
  const told = HEAD.exec(head);
  if (!isPlain || more.length > 0 || told?.[0] !== head || told[1] !== 'completed') return null;
  if (said.length === 0 || texts.length !== commands * said.length) return null;
  const teller = Math.max(
    0,
    said.findIndex((call) => call.includes('.exit_code}')),
  );
  return Array.from({ length: commands }, (_, index) => {
    const own = texts.slice(index * said.length, (index + 1) * said.length);
    return resultOf(script, own.join('\n'), own[teller] ?? '');
  });
}

/** `told` is where its end stands. */
function resultOf(script: string, printed: string, told: string): ScriptResult {
  const whole = parsed(printed.trim());
  if (isObject(whole) && typeof whole.output === 'string') {
    const { exit_code: exit, session_id: session } = whole;
    return {
      output: whole.output,
      exit: typeof exit === 'number' ? exit : null,
      session: session === undefined || session === null ? null : String(session),
      cell: null,
    };
  }
  const exit = filledIn(script, 'exit_code', told);
  return {
    output: printed,
    exit: exit === null ? null : Number(exit),
    session: filledIn(script, 'session_id', told),
    cell: null,
  };
}

/** What stands in the output in the place of `${r.exit_code}` in a text of the script. */
function filledIn(script: string, member: string, printed: string): string | null {
  // Most scripts hand on none of it, and a long one takes long to look through.
  if (!script.includes(`.${member}}`)) return null;
  const place = new RegExp(`([^\`\\n}]{1,40})\\$\\{\\w{1,40}(?:\\[\\w{1,20}\\])?\\??\\.${member}\\}`).exec(
    script,
  );
  const before = place?.[1]?.replace(/\\n/g, '\n').trimStart();
  if (before === undefined || before === '') return null;
  const at = printed.lastIndexOf(before);
  return at < 0 ? null : (/^-?\d{1,20}/.exec(printed.slice(at + before.length))?.[0] ?? null);
}
