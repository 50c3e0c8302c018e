// The tools of foil mcp serve: what each is called, takes and does, once the session has begun.
import { sha256Hex } from '#platform';
import type { ServeAuthority } from '../app/index.ts';
import {
  knownPlans,
  makeDefence,
  planJson,
  reading,
  readWorkspaceFile,
  resolveInWorkspace,
  type Workspace,
  withLedger,
  writeWorkspaceFile,
} from '../app/index.ts';
import { ToolFailure } from '../capture/mcp/index.ts';
import { parseYaml, readConfig } from '../config/index.ts';
import type { Json, JsonObject } from '../core/index.ts';
import { verifyDirectory } from '../entry/index.ts';
import { type Located, proposePlan } from '../ledger/index.ts';
import { isAuthEnforced, refusalOf, type Session, type ToolOptions } from '../record/index.ts';
import { makeRedactor, type Redactor } from '../redact/index.ts';
import { type Command, type Context, Values } from './command.ts';
import { titleOf } from './commands/plan.ts';
import { prove } from './commands/prove.ts';
import { validate } from './commands/validate.ts';

export const ROLES = ['planner', 'executor'] as const;
export type Role = (typeof ROLES)[number];

const PROMPTS: Readonly<Record<Role, string>> = {
  planner: `You make plans and don't write files. Read what you need with read_file, then pass the whole plan to propose_plan: what
will change, in which files, and how it will be checked. The first plan of a project is made with
bootstrap_create_foundation_plan. A plan counts once an operator has approved it. list_plans shows which ones are approved.`,
  executor: `You do what an approved plan says, and nothing more. list_plans shows the plans. Give the plan_hash of an approved
one to every write_file. When you are done, prove it with validate. A claim without a validation proves nothing.`,
};

/** What the argument of that name is for, in every tool that does something. */
const NOTES = 'anything else to put on record';
const MOST_LINES = 500;
const MOST_READ = 256 * 1024;

export interface Begun {
  readonly role: Role;
  readonly workspace: Workspace;
  readonly session: Session;
  /** Null where no grants were in force. */
  readonly authority: ServeAuthority | null;
}

/** What a tool does once the session has begun. */
export interface Work {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  readonly readOnly: boolean;
  readonly role?: Role;
  /** What else the entry says of the call. */
  readonly about?: (args: JsonObject) => ToolOptions;
  /** `recorded` is what the entry keeps, where that is not the answer itself. */
  run(args: JsonObject, begun: Begun): Promise<{ readonly answer: Json; readonly recorded?: Json }>;
}

export function worksOf(context: Context, located: Located): readonly Work[] {
  const { env, cwd, now } = context;
  const redactor = (begun: Begun): Redactor =>
    makeRedactor(readConfig(begun.workspace.root, parseYaml).redact);
  const plans = (): ReturnType<typeof knownPlans> => reading(located, ({ store }) => knownPlans(store, env));
  /** What writing there would do to the recording itself; null where it is let through. */
  const defend = (workspace: Workspace, path: string): string | null => {
    if (!isAuthEnforced(located.directory)) return null;
    const paths = [path, resolveInWorkspace(workspace, path)];
    return makeDefence(located, env)({ commands: [], paths }, { agent: null, cwd: workspace.root });
  };
  const propose = async (
    given: string,
    begun: Begun,
    about: { readonly title: string; readonly foundation: boolean; readonly signature: string | null },
  ): Promise<{ answer: Json }> =>
    withLedger(located, async ({ store }) => {
      const clean = redactor(begun);
      const plan = clean.value(given, {}) as string;
      const title = clean.value(about.title, {}) as string;
      const more = { ...about, title, role: begun.role, session: begun.session.id, source: 'mcp' };
      const { planHash, seq } = await proposePlan({ store, now }, plan, more);
      return { answer: { plan_hash: planHash, seq, approved: false } };
    });
  const ask = async (
    command: Command,
    words: readonly string[],
    values: Record<string, string>,
  ): Promise<Json> => {
    const given = new Map(
      Object.entries({ ...values, ledger: located.directory }).map(([name, value]) => [name, [value]]),
    );
    const { json } = await command.run({ ...context, cwd, arguments: words, values: new Values(given) });
    return json as Json;
  };
  return [
    {
      name: 'read_file',
      description: 'Reads a file in the workspace.',
      properties: { path: 'within the workspace', intent: 'why', notes: NOTES },
      required: ['path'],
      readOnly: true,
      async run(args, { workspace }) {
        const path = text(args, 'path');
        const bytes = readWorkspaceFile(workspace, path);
        const recorded = { path, content_bytes: bytes.length };
        return { answer: bytes.toString('utf8'), recorded };
      },
    },
    {
      name: 'write_file',
      description: 'Writes a file in the workspace, under a plan that an operator has approved.',
      properties: {
        path: 'within the workspace',
        content: 'the whole file',
        plan_hash: 'the hash of an approved plan',
        phase_id: 'the phase of the plan',
        intent: 'why',
        notes: NOTES,
      },
      required: ['path', 'content', 'plan_hash'],
      readOnly: false,
      role: 'executor',
      about: (args) => {
        const path = said(args, 'path');
        return path === undefined ? {} : { file: { path, members: ['content'] } };
      },
      async run(args, { workspace }) {
        const [path, content, plan] = [text(args, 'path'), text(args, 'content'), text(args, 'plan_hash')];
        const act = defend(workspace, path);
        if (act !== null) throw new ToolFailure('CALL_REFUSED', refusalOf(act).reason);
        const approved = (await plans()).some((each) => each.planHash === plan && each.approved);
        if (!approved)
          throw new ToolFailure(
            'PLAN_NOT_APPROVED',
            `no operator has approved the plan ${plan.slice(0, 64)}.`,
          );
        return { answer: { path, content_bytes: writeWorkspaceFile(workspace, path, content) } };
      },
    },
    {
      name: 'read_prompt',
      description: 'Says what this role is expected to do.',
      properties: { name: ROLES.join(' or ') },
      required: [],
      readOnly: true,
      async run(args, { role }) {
        const name = optional(args, 'name') ?? role;
        if (!isRole(name)) throw new ToolFailure('NOT_FOUND', `there is no prompt ${name}.`);
        return { answer: PROMPTS[name] };
      },
    },
    {
      name: 'list_plans',
      description: 'Lists all plans, and says which of them an operator has approved.',
      properties: {},
      required: [],
      readOnly: true,
      run: async () => ({ answer: { plans: (await plans()).map(planJson) as Json[] } }),
    },
    {
      name: 'propose_plan',
      description: 'Puts a plan on record. It counts once an operator has approved it.',
      properties: { plan: 'all of it', title: 'its name', intent: 'why', notes: NOTES },
      required: ['plan'],
      readOnly: false,
      async run(args, begun) {
        const plan = text(args, 'plan');
        const title = optional(args, 'title') ?? titleOf(plan);
        return propose(plan, begun, { title, foundation: false, signature: null });
      },
    },
    {
      name: 'bootstrap_create_foundation_plan',
      description:
        'Puts the first plan of a project on record, with its signature. Only works if the project has no plan yet.',
      properties: {
        payload: 'the plan',
        signature: 'the signature of whoever made it',
        title: 'its name',
        intent: 'why',
        notes: NOTES,
      },
      required: ['payload', 'signature'],
      readOnly: false,
      role: 'planner',
      async run(args, begun) {
        const [payload, signature] = [text(args, 'payload'), text(args, 'signature')];
        if ((await plans()).some(({ foundation }) => foundation))
          throw new ToolFailure(
            'PLAN_EXISTS',
            'the project already has a foundation plan. Use propose_plan.',
          );
        const title = optional(args, 'title') ?? titleOf(payload);
        return propose(payload, begun, { title, foundation: true, signature });
      },
    },
    {
      name: 'read_audit_log',
      description: 'Lists entries of the ledger, by default the newest.',
      properties: { from: 'first seq', limit: `at most ${MOST_LINES}` },
      required: [],
      readOnly: true,
      async run(args) {
        const limit = Math.min(number(args, 'limit') ?? 50, MOST_LINES);
        return reading(located, async ({ store }) => {
          const { seq: last } = await store.head();
          const from = Math.max(1, number(args, 'from') ?? last - limit + 1);
          const entries: Json[] = [];
          let bytes = 0;
          for await (const piece of store.read(from, Math.min(last, from + limit - 1))) {
            bytes += piece.length;
            if (bytes > MOST_READ && entries.length > 0) break;
            for (const line of Buffer.from(piece).toString('utf8').trimEnd().split('\n'))
              entries.push(JSON.parse(line) as Json);
          }
          const answer = { entries, last };
          return {
            answer,
            recorded: { from, entries: entries.length, sha256: sha256Hex(JSON.stringify(entries)) },
          };
        });
      },
    },
    {
      name: 'verify_audit_log',
      description: 'Verifies the whole ledger and reports every failure.',
      properties: {},
      required: [],
      readOnly: true,
      async run() {
        const { valid, status, entries, failures, verdict } = await verifyDirectory(located.directory);
        return { answer: { valid, status, entries, failures: failures as unknown as Json, verdict } };
      },
    },
    {
      name: 'validate',
      description: 'Asks a validator about a claim, like foil validate.',
      properties: {
        claim: 'type or seq',
        validator: 'its id',
        args: 'an object',
        session: 'a session other than the newest',
      },
      required: ['claim', 'validator'],
      readOnly: false,
      async run(args) {
        const session = optional(args, 'session');
        const answer = await ask(validate, [], {
          claim: String(args.claim),
          validator: text(args, 'validator'),
          args: JSON.stringify(args.args ?? {}),
          ...(session === undefined ? {} : { session }),
        });
        return { answer };
      },
    },
    {
      name: 'prove',
      description: 'Makes a proof of one entry, which anyone can check without the ledger.',
      properties: { seq: 'of the entry' },
      required: ['seq'],
      readOnly: true,
      run: async (args) => ({ answer: await ask(prove, [String(number(args, 'seq') ?? '')], {}) }),
    },
  ];
}

/** What a call says of itself in every tool's entry. */
export function aboutOf(args: JsonObject): ToolOptions {
  const names = ['intent', 'notes', 'plan_hash', 'phase_id'];
  const [intent, notes, planHash, phaseId] = names.map((name) => said(args, name));
  return {
    ...(intent === undefined ? {} : { intent }),
    ...(notes === undefined ? {} : { notes }),
    ...(planHash === undefined ? {} : { planHash }),
    ...(phaseId === undefined ? {} : { phaseId }),
  };
}

/** What is not a text says nothing: the tool itself refuses it, on record. */
export function said(args: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

const NUMBERS: ReadonlySet<string> = new Set(['from', 'limit', 'seq']);

export function schemaOf(
  properties: Readonly<Record<string, string>>,
  required: readonly string[],
): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, description]) => [
        name,
        name === 'args'
          ? { type: 'object', description }
          : name === 'claim'
            ? { type: ['string', 'number'], description }
            : { type: NUMBERS.has(name) ? 'number' : 'string', description },
      ]),
    ),
    required: [...required],
  };
}

export function isRole(word: string): word is Role {
  return ROLES.some((role) => role === word);
}

function optional(args: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new ToolFailure('INVALID_ARGUMENT', `${name} must be a text.`);
  return value;
}

export function text(args: JsonObject, name: string): string {
  const value = optional(args, name);
  if (value === undefined) throw new ToolFailure('INVALID_ARGUMENT', `${name} is missing.`);
  return value;
}

function number(args: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new ToolFailure('INVALID_ARGUMENT', `${name} must be a number, 1 or more.`);
  return value;
}
