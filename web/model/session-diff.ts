// Two sessions held against each other: how far they went the same way, and in what they differ.
import type { ClaimRow, SessionModel } from './session.ts';
import type { Step } from './steps.ts';

/** Prompts, calls and answers: what a reader would tell one course from another by. */
const TOLD: ReadonlySet<string> = new Set(['prompt', 'tool.call', 'response', 'agent.start']);

export interface SessionDiff {
  /** Steps that both began with. */
  readonly same: number;
  /** The last of them. */
  readonly before: Step | null;
  /** Subagents worked in one of them. */
  readonly hasAgents: boolean;
  /** What each did then, in order. */
  readonly after: readonly [readonly Step[], readonly Step[]];
  /** How often each called a tool, where that differs or not; the most used first. */
  readonly tools: readonly { readonly name: string; readonly counts: readonly [number, number] }[];
  readonly claims: readonly {
    readonly words: string;
    readonly claims: readonly [ClaimRow | null, ClaimRow | null];
  }[];
  /** What each did to a file; empty where nothing. */
  readonly files: readonly { readonly path: string; readonly did: readonly [string, string] }[];
}

export function diffOf(one: SessionModel, other: SessionModel): SessionDiff {
  const [all, others] = [one.steps, other.steps];
  // What subagents did is in the sums. Several work at once, so their steps have no order that could be the same.
  const [a, b] = [all, others].map((steps) =>
    steps.filter(({ row, agent }) => (agent === null || isBegin(row)) && TOLD.has(row.entry.kind)),
  ) as [Step[], Step[]];
  let same = 0;
  while (same < Math.min(a.length, b.length) && keyOf(a[same] as Step) === keyOf(b[same] as Step)) same++;
  return {
    same,
    before: a[same - 1] ?? null,
    hasAgents: [...all, ...others].some(({ agent }) => agent !== null),
    after: [a.slice(same), b.slice(same)],
    tools: joined(toolsOf(all), toolsOf(others))
      .map(([name, x = 0, y = 0]) => ({ name, counts: [x, y] as const }))
      .sort((x, y) => y.counts[0] + y.counts[1] - (x.counts[0] + x.counts[1])),
    claims: joined(claimsOf(one), claimsOf(other)).map(([words, x = null, y = null]) => ({
      words,
      claims: [x, y],
    })),
    files: joined(filesOf(one), filesOf(other))
      .map(([path, x = '', y = '']) => ({ path, did: [x, y] as const }))
      .sort((x, y) => Number(x.did[0] === x.did[1]) - Number(y.did[0] === y.did[1])),
  };
}

function isBegin({ entry }: Step['row']): boolean {
  return entry.kind === 'agent.start';
}

/** What must be the same for two steps to be. Outcomes may differ: that is told apart. */
function keyOf({ row, text }: Step): string {
  return `${row.entry.kind} ${row.title} ${text}`;
}

function toolsOf(steps: readonly Step[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { row } of steps)
    if (row.entry.kind === 'tool.call') counts.set(row.title, (counts.get(row.title) ?? 0) + 1);
  return counts;
}

function claimsOf({ claims }: SessionModel): Map<string, ClaimRow> {
  return new Map(claims.map((claim) => [claim.quote ?? `a claim of type ${claim.type}`, claim]));
}

function filesOf({ files }: SessionModel): Map<string, string> {
  return new Map(
    files.map(({ path, reads, writes, deletes }) => [
      path,
      deletes > 0 ? 'deleted' : writes > 0 ? 'written' : reads > 0 ? 'read' : '',
    ]),
  );
}

/** Every name of either, with what each has under it. */
function joined<T>(
  one: ReadonlyMap<string, T>,
  other: ReadonlyMap<string, T>,
): [string, T | undefined, T | undefined][] {
  return [...new Set([...one.keys(), ...other.keys()])].map((name) => [name, one.get(name), other.get(name)]);
}
