// foil fork: a new run that begins with the state that another run had after an event, with something changed. The
// parent's record answers the calls that touch the world, so nothing is done twice.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Json, ParseError, parsePatchOperations, UsageError } from '../../core/index.ts';
import { harmless } from '../../report/index.ts';
import { type Forked, operatedState } from '../../runtime/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { withParent } from '../fork-run.ts';
import { place } from '../place.ts';
import { eventNumber, notDone, TIMEOUT_OPTION } from '../run-place.ts';

export const fork: Command = {
  name: 'fork',
  summary: 'start a new run from the state that another run had after an event, with something changed',
  usage: 'RUN --at N [options]',
  arguments: [1, 1],
  options: {
    at: { type: 'string', value: 'N', help: 'the event after which the fork begins' },
    model: { type: 'string', value: 'M', help: 'set the parameter `model`, which the agent must read' },
    input: {
      type: 'string',
      value: 'FILE',
      help: "a JSON array of observations, instead of the parent's after event N",
    },
    agent: {
      type: 'string',
      value: 'FILE',
      help: "use this agent's module, instead of the parent's code",
    },
    patch: {
      type: 'string',
      value: 'FILE',
      help: 'JSON Patch (RFC 6902) operations on `/state`, as in `foil patch`',
    },
    live: { type: 'boolean', help: "really make the calls that the parent's record doesn't have" },
    timeout: {
      ...TIMEOUT_OPTION.timeout,
      help: 'how long the code may work before foil stops it: first in the sandbox, then as the fork',
    },
  },
  examples: [
    'foil fork 9d5e --at 12 --model small',
    'foil fork 9d5e --at 12 --agent ./agent.mjs && foil diff 9d5e 77ab',
    'foil fork 9d5e --at 12 --input told.json --live',
  ],
  notes: [
    "A call that touches the world gets its answer from the parent's record, if that has the same call after event",
    "N. Any other such call ends the fork, unless you give --live. Pure tools run again. The agent's code runs in a",
    "process on this machine without a sandbox, just as it did in the parent's run.",
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd, progress } = context;
  const [text = ''] = context.arguments;
  const atText = values.text('at');
  if (atText === undefined)
    throw new UsageError('Which event does the fork begin after? Use --at N. `foil log` shows the events.');
  const at = eventNumber(atText, 'at');
  const [model, agent] = [values.text('model'), values.text('agent')];
  const inputs = await readInputs(cwd, values.text('input'));
  const patch = values.text('patch');
  const operations = patch === undefined ? null : parsePatchOperations(await readJson(cwd, patch), patch);
  const located = place(context);
  progress('forking');
  try {
    return await withParent(context, located, { run: text, at }, async ({ state, run: parent }, begin) => {
      const start = operations === null ? state : operatedState(state, operations);
      const forked = await begin({
        replay: 'evaluation',
        start,
        isStateChanged: operations !== null,
        agent: agent === undefined ? null : resolve(cwd, agent),
        parameters: model === undefined ? null : { model },
        inputs,
        live: values.flag('live'),
      });
      return outcomeOf(parent, at, forked);
    });
  } catch (error) {
    return notDone(error, 'forked');
  } finally {
    progress('');
  }
}

function outcomeOf(
  parent: string,
  at: number,
  { run: id, status, isComplete, observed, inputs }: Forked,
): Outcome {
  const ended = status === null || status.status === 'waiting' ? null : status;
  const { reason = null, result = null } = ended ?? {};
  const how = ended?.status ?? 'waiting';
  return {
    exit: isComplete ? EXIT.FINE : EXIT.FAILED,
    json: { run: id, parent: `${parent}:${at}`, status: how, reason, result, observed, inputs },
    text: `Run ${id} started from the state of ${parent.slice(0, 16)} after event ${at}.\nIt received ${observed} of ${inputs} observations, and ${how}${reason === null ? '' : `: ${harmless(reason)}`}.\nTo compare them: foil diff ${parent.slice(0, 16)} ${id.slice(0, 16)}\n`,
  };
}

async function readInputs(cwd: string, path: string | undefined): Promise<readonly Json[] | null> {
  if (path === undefined) return null;
  const value = await readJson(cwd, path);
  if (!Array.isArray(value)) throw new ParseError('BAD_MEMBER', 'not an array of observations', path);
  return value as readonly Json[];
}

async function readJson(cwd: string, path: string): Promise<Json> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ParseError('MALFORMED', 'not JSON', path);
  }
}
