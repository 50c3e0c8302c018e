// May a tool be called with this input? What it needs there, and which grants cover that. Its code is not trusted to say so.
import { canonicalize, type Json } from '../core/index.ts';
import { LONGEST_CAPABILITY, MOST_NEEDS, type ToolRequest } from '../format/index.ts';
import { type Decision, type Grants, parseToolNeed } from '../policy/index.ts';
import { LONG_PATH, MANY_NEEDS, unsaidNeeds } from '../rules/index.ts';
import type { Tool } from './define.ts';
import { messageOf } from './machine.ts';
import { asNeeds, namesPassword } from './needs-form.ts';
import { needsHere, needsOrCall } from './tool-needs.ts';

const MOST_JUDGED = 256;

/** The grants of a run, which never change: what a need was answered is kept, since calls need the same again and again. */
export class Authority {
  readonly #grants: Grants;
  readonly #root: string;
  readonly #isClean: (need: string) => boolean;
  readonly #judged = new Map<string, Decision>();
  /** Needs that hold no secret. */
  readonly #clean = new Set<string>();

  /** `isClean` says whether a text may be written as it is. */
  constructor(grants: Grants, root: string, isClean: (need: string) => boolean) {
    this.#grants = grants;
    this.#root = root;
    this.#isClean = isClean;
  }

  /** `missing` is what it lacks; null where it may be called. */
  authorised(tool: Tool, input: Json): { request: ToolRequest; missing: string | null } {
    const { capabilities, name } = tool;
    const plain = { tool: name, input, required: [], granted: [] };
    let declared: readonly string[];
    try {
      declared =
        typeof capabilities === 'function'
          ? this.#said(capabilities(JSON.parse(canonicalize(input))))
          : asNeeds(capabilities);
    } catch (error) {
      return { request: plain, missing: unsaidNeeds(messageOf(error)) };
    }
    const required = needsHere(needsOrCall(name, declared).slice(0, MOST_NEEDS + 1), this.#root);
    const granted = new Set<string>();
    // Links may lead to a longer path than was declared.
    if (required.some((text) => text.length > LONGEST_CAPABILITY))
      return { request: plain, missing: LONG_PATH };
    let missing: string | null = required.length > MOST_NEEDS ? MANY_NEEDS : null;
    for (const text of required) {
      const { allowed, by } = this.#judge(text);
      if (!allowed) missing ??= text;
      else if (by !== null) granted.add(by);
    }
    return {
      request: { tool: name, input, required: required.slice(0, MOST_NEEDS), granted: [...granted] },
      missing,
    };
  }

  /** What code gives for an input. Redacted, it would no longer be what is judged, so a secret in it is refused. */
  #said(given: unknown): readonly string[] {
    const needs = asNeeds(given);
    for (const need of needs) {
      if (this.#clean.has(need)) continue;
      if (namesPassword(need) || !this.#isClean(need))
        throw new TypeError('capabilities gave what looks like a secret');
      if (this.#clean.size >= MOST_JUDGED) this.#clean.clear();
      this.#clean.add(need);
    }
    return needs;
  }

  #judge(need: string): Decision {
    const known = this.#judged.get(need);
    if (known !== undefined) return known;
    const parsed = parseToolNeed(need);
    const decision = parsed === null ? { allowed: false, by: null } : this.#grants.decide(parsed);
    if (this.#judged.size >= MOST_JUDGED) this.#judged.clear();
    this.#judged.set(need, decision);
    return decision;
  }
}
