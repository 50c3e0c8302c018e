// A command line as evidence: which checks it holds, whether the exit code of the line is theirs, what it tried, what
// it may have changed. The line is an agent's and may be made to mislead or to be slow: it is parsed as bash, within
// bounds, and what can't be parsed is good for nothing.
import { type ParsedScript, parse } from 'unbash';
import { isCode, isDocument } from '../ecosystems/index.ts';
import type { Check } from '../format/index.ts';
import { printsReport } from './decoys.ts';
import { list } from './exit-flow.ts';
import {
  type CommandFacts,
  clip,
  MAX_CHECKS,
  MAX_COMMAND,
  type View,
  type Way,
  type Where,
} from './facts.ts';
import { resolvePath } from './places.ts';
import { withoutPowerShell } from './powershell.ts';
import { namedRunner } from './runner-names.ts';
import { ALL, assign, type Bits, bitsOf, type Result, startState } from './shell-state.ts';
import { frame, type Seen, type Started, TooMuch, Walk } from './walk.ts';
import { isHeavy } from './weight.ts';

const UNPARSED: CommandFacts = {
  checks: [],
  views: new Map(),
  reached: new Set(),
  after: new Map(),
  told: [],
  single: false,
  foreign: MAX_CHECKS,
  attempts: [],
  feedsHooks: false,
  background: false,
  writes: true,
  wrote: [],
  unparsed: true,
  pasted: null,
  says: false,
};

/** Never throws. */
export function readCommand(command: string, where: Where): CommandFacts {
  const hooks = /\/v1\/hook(?:\/|\b)|\bfoil(?:\.[cm]?js)?["']?\s+hook\b/.test(command.slice(0, MAX_COMMAND));
  const unparsed = { ...UNPARSED, feedsHooks: hooks };
  try {
    const line = withoutPowerShell(command);
    const script = parsed(line);
    if (script === null) return unparsed;
    const facts = read(line, script, where);
    return hooks ? { ...facts, feedsHooks: true } : facts;
  } catch {
    // Nested too deeply for the stack, or too much to walk.
    return unparsed;
  }
}

/** Null where it is too much, or not all of it can be read. */
function parsed(command: string): ParsedScript | null {
  if (command.length > MAX_COMMAND || isHeavy(command)) return null;
  const script = parse(command);
  return (script.errors?.length ?? 0) === 0 && isWhole(command, script) ? script : null;
}

export interface Programs {
  readonly started: readonly Started[];
  /** The words that a loop goes through, by its variable. */
  readonly loops: ReadonlyMap<string, readonly string[]>;
  /** The line has more parts, or deeper ones, than are walked: something that it starts is missing here. */
  readonly cut: boolean;
}

/**
 * Everything that a line starts, whatever comes of it. `variables` are those that the shell has from the beginning, `HOME`
 * among them. Null where the line can't be read. Never throws.
 */
export function readPrograms(
  command: string,
  where: Where,
  variables: Readonly<Record<string, string>> = {},
): Programs | null {
  try {
    const script = parsed(command);
    if (script === null) return null;
    const walk = new Walk(command, where, list, true);
    try {
      follow(walk, script, variables);
    } catch (cause) {
      if (!(cause instanceof TooMuch)) throw cause;
      walk.cut = true;
    }
    return { started: walk.started, loops: walk.loops, cut: walk.cut };
  } catch {
    return null;
  }
}

const MUTES = /[2&]>(?!&[12])|>&(?![12]\b)|\bexec\b/;

function follow(walk: Walk, script: ParsedScript, variables: Readonly<Record<string, string>> = {}): Result {
  const { cwd } = walk.where;
  let state = startState(cwd === null ? null : resolvePath(cwd, null));
  for (const [name, text] of Object.entries(variables)) {
    state = assign(state, name, { zero: 0, text });
    walk.exports.add(name);
  }
  return walk.inSubshell((own) => list(walk, script.commands, state, own), frame());
}

function read(command: string, script: ParsedScript, where: Where): CommandFacts {
  const walk = new Walk(command, where, list, false);
  const { zero } = follow(walk, script);
  const owned = bitsOf(zero);
  const found = walk.seen.map((seen, bit) =>
    checkOf(seen, bit < 31 && zero !== null && (owned & (1 << bit)) !== 0, swappedAround(walk, bit)),
  );
  // What was checked and is not what stays is told of by nothing.
  const noted = <T>(of: (seen: Seen) => T | null): Map<Check, T> =>
    new Map(
      walk.seen.flatMap((seen, bit): [Check, T][] => {
        const [check, note] = [found[bit], of(seen)];
        return note === null || check === undefined || swappedAround(walk, bit) !== null
          ? []
          : [[check, note]];
      }),
    );
  const checksOf = (bits: Bits): Check[] =>
    found.filter(
      (_, bit) => bits !== ALL && bit < 31 && (bits & (1 << bit)) !== 0 && walk.seen[bit]?.flaw === null,
    );
  return {
    checks: few(found.length > 0 ? found : decoy(walk, command, script)),
    views: noted(({ view }): View | null => view),
    reached: new Set(found.filter((_, bit) => walk.seen[bit]?.reached === true)),
    after: noted(({ after }) => checksOf(after)),
    told: walk.told
      // Where a text is shown that nobody knows, words alone may stand in it.
      .filter(({ zero }) => zero !== 0 || !walk.showsText)
      .map(({ absent = 0, ...each }) => ({
        ...each,
        zero: checksOf(each.zero),
        known: checksOf(each.known),
        ...(absent !== 0 && { absent: checksOf(absent) }),
      })),
    single: walk.programs <= 1,
    foreign: walk.foreign,
    firstForeign: walk.firstForeign,
    heads: walk.heads,
    attempts: [...walk.ways, ...documentsIn(walk)],
    feedsHooks: walk.feedsHooks,
    background: walk.background,
    writes: walk.writes,
    wrote: walk.wrote.map(({ effect, checks }) => ({ ...effect, last: checks === walk.seen.length })),
    unparsed: false,
    pasted: walk.pasted,
    says: walk.says,
    mutes: MUTES.test(command),
    opens: walk.opens,
    changed: where.changed,
  };
}

/** What no fingerprint of the code would show. */
function documentsIn({ wrote }: Walk): Way[] {
  const paths = new Set(
    wrote.map(({ effect }) => effect.path).filter((path) => path === '' || isDocument(path)),
  );
  return [...paths]
    .slice(0, MAX_CHECKS)
    .map((path) => ({ capability: 'run', way: 'write', target: path || '$' }));
}

/**
 * Code that the line changes before the check and again after it: what was checked is not what stays, though the work
 * tree is the same before the line and after it. The later change, as far as it has a name.
 */
function swappedAround({ wrote }: Walk, bit: number): string | null {
  const isCodeHere = (path: string): boolean =>
    path !== '' && !path.startsWith('/') && isCode(path) && isCode(`${path}/x`);
  const here = wrote.filter(({ effect, whole }) => whole || isCodeHere(effect.path));
  const before = new Set(here.filter(({ checks }) => checks <= bit).map(({ effect }) => effect.path));
  if (before.size === 0) return null;
  const after = here.find(
    ({ effect, checks }) => checks > bit && (effect.path === '' || before.has('') || before.has(effect.path)),
  );
  return after === undefined ? null : after.effect.path || 'the work tree';
}

function checkOf({ check, flaw, reason, overtaken }: Seen, owns: boolean, swapped: string | null): Check {
  const lost = !owns
    ? (reason ?? { code: 'masked' as const, detail: 'the line does not end as it did' })
    : swapped === null
      ? null
      : { code: 'masked' as const, detail: clip(`${swapped}, changed before it and again after it`, 120) };
  const late = overtaken === null ? null : { code: 'overtaken' as const, detail: overtaken };
  // What ships and was itself changed is a run of the work: whether its end can be known comes first.
  const isWork = check.kind === 'ship' && flaw?.code === 'shadowed';
  return { ...check, flaw: (isWork ? (lost ?? late) : null) ?? flaw ?? lost ?? late, status: null };
}

/** What counts is kept first; the order stays. */
function few(checks: readonly Check[]): readonly Check[] {
  if (checks.length <= MAX_CHECKS) return checks;
  const kept = new Set(
    [...checks].sort((a, b) => Number(a.flaw !== null) - Number(b.flaw !== null)).slice(0, MAX_CHECKS),
  );
  return checks.filter((check) => kept.has(check));
}

/** A line that runs no check, yet speaks of one: the reason for its refusal names it. */
function decoy(walk: Walk, command: string, script: ParsedScript): Check[] {
  const spoken = [...walk.texts, ...comments(command, script)];
  for (const text of spoken) {
    const named =
      namedRunner(text) ?? (printsReport(text) ? { runner: 'none', kind: 'test' as const } : null);
    if (named === null) continue;
    const detail = clip(text.replace(/\s+/g, ' ').trim(), 120);
    return [
      {
        ...named,
        command: clip(command.replace(/\s+/g, ' ').trim()),
        targets: [],
        selectors: [],
        directory: null,
        flaw: { code: 'not-a-check', detail },
        url: null,
        status: null,
      },
    ];
  }
  return [];
}

/** The parser is tolerant: what it left out without a word makes the line another one. */
function isWhole(command: string, script: ParsedScript): boolean {
  // The bodies of here-documents stand between statements, too.
  if (command.includes('<<')) return true;
  const shebang = script.shebang === undefined ? 0 : command.indexOf('\n');
  if (shebang < 0) return false;
  return gaps(command, script, shebang).every((gap) =>
    /^[\s;&]*$/.test(gap.replace(/#.*/g, '').replaceAll('\\\n', '')),
  );
}

function gaps(command: string, script: ParsedScript, from: number): string[] {
  const found: string[] = [];
  let end = from;
  for (const statement of [...script.commands, { pos: command.length, end: command.length }]) {
    found.push(command.slice(end, Math.max(end, statement.pos)));
    end = Math.max(end, statement.end);
  }
  return found;
}

/** What stands between statements after a `#`; beside here-documents that may be a line of theirs. */
function comments(command: string, script: ParsedScript): string[] {
  if (command.includes('<<')) return [];
  return gaps(command, script, 0)
    .filter((gap) => gap.includes('#'))
    .slice(0, 8)
    .map((gap) => gap.slice(gap.indexOf('#')).slice(0, 512));
}
