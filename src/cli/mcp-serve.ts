// foil mcp serve: an MCP server through which an agent works within limits. A session locks one workspace and a role; a
// planner proposes plans, an executor writes files under one that an operator approved; and both can read, validate,
// prove, and look at the record of it all. Every call goes through the recorder: not on record, not done.
import { constants } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { BEGIN, openWorkspace, serveAuthority } from '../app/index.ts';
import { serveTools, ToolFailure, type ToolOffer } from '../capture/mcp/index.ts';
import type { Json, JsonObject } from '../core/index.ts';
import { UsageError } from '../core/index.ts';
import { openRecorder } from '../entry/index.ts';
import { configDirectory, type Located } from '../ledger/index.ts';
import { noteDirectories, type ToolOptions } from '../record/index.ts';
import type { Context, Outcome } from './command.ts';
import { ensureLedger } from './hook-more.ts';
import {
  aboutOf,
  type Begun,
  isRole,
  ROLES,
  said,
  schemaOf,
  text,
  type Work,
  worksOf,
} from './mcp-serve-tools.ts';
import { place } from './place.ts';

/** After these, what waits is still recorded. */
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function serveMcp(context: Context): Promise<Outcome> {
  if (context.arguments.length > 0) throw new UsageError('`foil mcp serve` takes no command.');
  const fixed = context.values.text('role');
  if (fixed !== undefined && !isRole(fixed))
    throw new UsageError(`Unknown role "${fixed}". Use one of ${ROLES.join(', ')}.`);
  const located = place(context);
  await ensureLedger(located);
  const recorder = await openRecorder({
    place: located,
    cwd: context.cwd,
    agent: 'mcp-serve',
    source: 'mcp',
  });
  const stopping = new AbortController();
  let stopped: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    stopped ??= signal;
    stopping.abort();
  };
  for (const signal of STOPS) process.on(signal, stop);
  try {
    let begun: Begun | undefined;
    let beginning = false;
    const refused = (name: string, args: Json, why: Error): Promise<void> => {
      if (begun === undefined) return recorder.refused(name, args, why);
      const { role, session, authority } = begun;
      if (authority === null) return recorder.refused(name, args, why, { role });
      const options = { role, authority: authority.judge(name, undefined) };
      const fail = (): never => {
        throw why;
      };
      return session.tool(name, args, fail, options).catch((error: unknown) => {
        if (error !== why) throw error;
      });
    };
    const beginWith = async (args: JsonObject): Promise<Json> => {
      if (begun !== undefined || beginning)
        throw new ToolFailure(
          'SESSION_LOCKED',
          "the session has already begun, so its workspace and role can't change.",
        );
      const [root, role] = [text(args, 'workspace_root'), text(args, 'role')];
      if (!isRole(role) || (fixed !== undefined && role !== fixed))
        throw new ToolFailure('ROLE_NOT_ALLOWED', `the role is ${fixed ?? ROLES.join(' or ')}, not ${role}.`);
      if (!isAbsolute(root))
        throw new ToolFailure('INVALID_PATH', 'workspace_root must be an absolute path.');
      const workspace = openWorkspace(root, closedTo(located, context.env));
      beginning = true;
      try {
        const { cwd, env } = context;
        const authority = await serveAuthority(located, { workspace: workspace.root, cwd, env });
        const session = await recorder.session({
          trigger: BEGIN,
          ...(authority === null ? {} : { capabilities: authority.grants }),
        });
        const value = { workspace_root: workspace.root, role, session_id: session.id };
        await session.tool(BEGIN, args, () => value, {
          role,
          ...(authority === null ? {} : { authority: authority.judge(BEGIN, undefined) }),
        });
        begun = { role, workspace, session, authority };
        return value;
      } finally {
        beginning = false;
      }
    };
    const begin: ToolOffer = {
      name: BEGIN,
      description:
        'Begins the session, and locks its workspace and role. Call it once, before any other tool.',
      inputSchema: schemaOf({ workspace_root: 'absolute path', role: ROLES.join(' or ') }, [
        'workspace_root',
        'role',
      ]),
      readOnly: false,
      async run(args) {
        try {
          return await beginWith(args);
        } catch (error) {
          // The disk may be full just now: then it waits, as what came before it does.
          await refused(BEGIN, args, error as Error).catch(() => undefined);
          throw error;
        }
      },
    };
    const offers = worksOf(context, located).map(
      (work): ToolOffer => ({
        name: work.name,
        description: work.description,
        inputSchema: schemaOf(work.properties, work.required),
        readOnly: work.readOnly,
        async run(args) {
          if (begun !== undefined) return perform(work, args, begun);
          // Refused at once, and told when there is a session to tell it in.
          const refusal = new ToolFailure('SESSION_NOT_BEGUN', 'call begin_session first.');
          await refused(work.name, args, refusal);
          throw refusal;
        },
      }),
    );
    await serveTools({
      name: 'counterfoil',
      version: manifest.version,
      instructions:
        'Every call is recorded in a tamper-evident ledger. Begin with begin_session, then read_prompt.',
      tools: [begin, ...offers],
      refused,
      input: process.stdin,
      stop: stopping.signal,
      write: (line) => void process.stdout.write(line),
    });
  } finally {
    await recorder.close();
    for (const signal of STOPS) process.off(signal, stop);
  }
  return stopped === undefined ? {} : { exit: 128 + constants.signals[stopped] };
}

/** The ledger, all keys and the notes about it. */
function closedTo({ directory, keyDirectory }: Located, env: Context['env']): readonly string[] {
  const notes = noteDirectories(directory, env).map((path) => dirname(path));
  return [directory, keyDirectory, configDirectory(env), ...notes];
}

async function perform(work: Work, args: JsonObject, begun: Begun): Promise<Json> {
  const { session, role, authority } = begun;
  let answer: Json = null;
  const options: ToolOptions = {
    ...aboutOf(args),
    ...work.about?.(args),
    role,
    ...(authority === null ? {} : { authority: authority.judge(work.name, said(args, 'path')) }),
  };
  await session.tool(
    work.name,
    args,
    async () => {
      if (work.role !== undefined && work.role !== role)
        throw new ToolFailure('ROLE_NOT_ALLOWED', `only the ${work.role} may use ${work.name}.`);
      const done = await work.run(args, begun);
      answer = done.answer;
      return done.recorded ?? done.answer;
    },
    options,
  );
  return answer;
}
