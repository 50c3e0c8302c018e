// Was each call of a run within the grants that it began with, and each denial one that they led to? Held against what
// `AgentInit` says of grants and tools. What a call says that it was granted must be what the grants give for its needs.
import { policyHashOf } from '../../core/index.ts';
import {
  type AgentInit,
  type DenialCode,
  MOST_NEEDS,
  type RunPayload,
  type RunToolFact,
  type ToolRequest,
} from '../../format/index.ts';
import { Grants, parseGrants, parseToolNeed } from '../../policy/index.ts';
import { areDeclared, grantTextsOf } from './capabilities.ts';
import { isDeniedSo } from './denial-reason.ts';
import type { TellFlaw } from './run-flaw.ts';

type Denied = Pick<Extract<RunPayload, { kind: 'Denial' }>, 'request' | 'code' | 'reason'>;

export class RunAuthority {
  readonly #flaw: TellFlaw;
  #init: AgentInit | undefined;
  #grants: Grants | undefined;
  #granted: ReadonlySet<string> = new Set();
  readonly #single = new Map<string, Grants>();
  #tools: ReadonlyMap<string, RunToolFact> = new Map();
  /** A patch put other code in place: what that says of its tools is not on record. */
  isRewritten = false;

  constructor(flaw: TellFlaw) {
    this.#flaw = flaw;
  }

  /** Undefined where the run did not declare it. */
  tool(name: string): RunToolFact | undefined {
    return this.#tools.get(name);
  }

  begin(init: AgentInit): void {
    this.#init = init;
    this.#granted = new Set(init.capabilities);
    this.#tools = new Map(init.tools.map((tool) => [tool.name, tool]));
    const texts = grantTextsOf(init.capabilities);
    const { allow, deny } = texts;
    const hash = policyHashOf({ allow: [...allow], deny: [...deny] });
    if (init.capabilitiesHash === null ? init.capabilities.length > 0 : init.capabilitiesHash !== hash)
      this.#flaw('RUN_CAPABILITIES', "the capabilities don't match the hash beside them");
    try {
      const parsed = parseGrants(texts);
      this.#grants = new Grants(parsed.allow, parsed.deny, init.root);
    } catch {
      this.#flaw('RUN_CAPABILITIES', 'the capabilities are malformed');
    }
  }

  /** `calls` are those before it. */
  call(request: ToolRequest, sequence: number, calls: number): void {
    const { tool, required } = request;
    const call = calls + 1;
    const most = this.#init?.limits.calls;
    if (most !== undefined && call > most)
      this.#flaw('RUN_LIMIT', `event ${sequence} is call ${call}, but the run may make only ${most}`);
    const undeclared = this.#undeclared(tool, required);
    if (undeclared !== null)
      this.#flaw('RUN_TOOL_UNDECLARED', `event ${sequence}: tool '${tool}' ${undeclared}`);
    const lacking = this.#lacking(required);
    if (lacking !== undefined)
      this.#flaw(
        'RUN_CALL_NOT_GRANTED',
        `event ${sequence}: tool '${tool}' required '${lacking}' but not granted`,
      );
    else if (undeclared === null) this.#resting(request, sequence);
    this.#foreign(request, sequence);
  }

  denial({ request, code, reason }: Denied, sequence: number, calls: number): void {
    const init = this.#init;
    const why =
      init === undefined
        ? null
        : (this.#deniedWrongly(request, code, init, calls) ?? this.#saysOtherwise(request, code, reason));
    if (why !== null) this.#flaw('RUN_DENIAL', `event ${sequence} is denied as ${code}, and ${why}`);
    // Of more needs than can be listed, one that is not may have had a grant.
    else if (request.required.length < MOST_NEEDS) this.#resting(request, sequence);
    this.#foreign(request, sequence);
  }

  #foreign({ granted }: ToolRequest, sequence: number): void {
    const foreign = granted.find((each) => !this.#granted.has(each));
    if (this.#init !== undefined && foreign !== undefined)
      this.#flaw('RUN_CAPABILITIES', `event ${sequence} rests on ${foreign}, which the run began without`);
  }

  /** Each grant that is named covers one of the needs, and each need that is allowed has one of them. */
  #resting({ required, granted }: ToolRequest, sequence: number): void {
    const init = this.#init;
    const grants = this.#grants;
    if (init === undefined || grants === undefined || granted.some((each) => !this.#granted.has(each)))
      return;
    const needs = required
      .flatMap((text) => parseToolNeed(text) ?? [])
      .filter((need) => grants.decide(need).allowed);
    const named = granted.map((text) => this.#alone(text, init.root));
    const idle = named.findIndex((grant) => !needs.some((need) => grant.decide(need).allowed));
    const isTwice = new Set(granted).size < granted.length || granted.length > needs.length;
    if (idle >= 0 || isTwice)
      this.#flaw(
        'RUN_CAPABILITIES',
        `event ${sequence} names '${granted[Math.max(idle, 0)]}' as granted to it, which covers nothing that it needs`,
      );
    else if (!needs.every((need) => named.some((grant) => grant.decide(need).allowed)))
      this.#flaw('RUN_CAPABILITIES', `event ${sequence} does not name what granted it all that it needs`);
  }

  /** One grant by itself. */
  #alone(text: string, root: string): Grants {
    const known = this.#single.get(text);
    if (known !== undefined) return known;
    const grant = new Grants(parseGrants(grantTextsOf([text])).allow, [], root);
    this.#single.set(text, grant);
    return grant;
  }

  /** Null where the call is as the run declared its tool. */
  #undeclared(tool: string, required: readonly string[]): string | null {
    if (required.length === 0) return 'required nothing, but every tool needs a grant';
    if (this.#init === undefined) return null;
    const fact = this.#tools.get(tool);
    if (fact === undefined) return 'is not one of those that the run declared';
    if (fact.required === null || this.isRewritten || areDeclared(required, fact.required)) return null;
    return `required '${required.join("', '")}', but declared '${fact.required.join("', '")}'`;
  }

  /** The first need that is not granted. Undefined, too, where the grants can't be read. */
  #lacking(required: readonly string[]): string | undefined {
    const grants = this.#grants;
    if (grants === undefined) return undefined;
    return required.find((text) => {
      const need = parseToolNeed(text);
      return need === null || !grants.decide(need).allowed;
    });
  }

  /** Null where the reason is the one that follows from the code. */
  #saysOtherwise({ tool, required }: ToolRequest, code: DenialCode, reason: string): string | null {
    if (this.#init === undefined || this.#grants === undefined) return null;
    const lacking = this.#lacking(required);
    const { calls } = this.#init.limits;
    return isDeniedSo(reason, code, { tool, calls, lacking, required: required.length })
      ? null
      : `gives another reason than follows from it: '${reason}'`;
  }

  /** Null where it can be so. Whether an input is bad only the code knows. */
  #deniedWrongly(
    { tool, required }: ToolRequest,
    code: DenialCode,
    { limits, parent }: AgentInit,
    calls: number,
  ): string | null {
    if (code === 'CALL_LIMIT' && calls < limits.calls)
      return `the run made ${calls} of ${limits.calls} calls`;
    if (code === 'NOT_RECORDED' && parent === null) return "the run isn't a fork";
    if (code === 'UNKNOWN_TOOL' && !this.isRewritten && this.#tools.has(tool))
      return `the run declared the tool '${tool}'`;
    const declared = this.isRewritten ? null : (this.#tools.get(tool)?.required ?? null);
    if (declared !== null && required.length > 0 && !areDeclared(required, declared))
      return `the tool declared '${declared.join("', '")}'`;
    // A tool that names nothing failed to say what it needs, and of more than can be listed the rest is not on record.
    const isListed = required.length > 0 && required.length < MOST_NEEDS;
    if (code !== 'NOT_GRANTED' || this.#grants === undefined || !isListed) return null;
    return this.#lacking(required) === undefined ? `'${required.join("', '")}' is granted` : null;
  }
}
