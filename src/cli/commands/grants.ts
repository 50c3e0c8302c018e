// foil grants: what agents may do. counterfoil.yaml proposes, an operator's signature puts it in force for the sessions that
// begin from then on.
import { realpathSync } from 'node:fs';
import { callNeeds, grantsFor, openOperator, reading, withLedger } from '../../app/index.ts';
import { parseYaml, readConfig, trustedOperators } from '../../config/index.ts';
import { type JsonObject, ParseError, UsageError } from '../../core/index.ts';
import type { GrantTexts } from '../../format/index.ts';
import { MachineFiles } from '../../gate/index.ts';
import {
  acceptGrants,
  grantsHashOf,
  grantsStanding,
  isBeforeEnrolment,
  type RecordedGrants,
  readOperators,
  readOperatorTrail,
  workspaceRoot,
} from '../../ledger/index.ts';
import {
  assertProposal,
  encodeNeed,
  Grants,
  parseGrants,
  remarksOn,
  suggestGrants,
} from '../../policy/index.ts';
import { counted, harmless, moment, suggest } from '../../report/index.ts';
import { searchViolations } from '../authority-search.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { suggestionJson, suggestionText } from '../render-suggestion.ts';
import { sessionNeeds } from '../session-needs.ts';
import { assertKnownOperator, unknownOperatorText } from '../unknown-operator.ts';

export const grants: Command = {
  name: 'grants',
  summary:
    'decide what agents may do: check proposed grants, accept them, or derive them from a recorded session',
  usage: 'check [COMMAND | --all] | accept | explain | suggest RUN',
  arguments: [1, 2],
  options: {
    all: { type: 'boolean', help: 'check: search every run and session for calls outside their grants' },
  },
  examples: [
    'foil grants check',
    "foil grants check 'cat src/a.ts > out.txt'",
    'foil grants check --all',
    'foil grants accept',
    'foil grants explain',
    'foil grants suggest 3f9a',
  ],
  run,
};

const ACTIONS: Readonly<Record<string, (context: Context) => Promise<Outcome>>> = {
  check,
  accept,
  explain,
  suggest: suggestFor,
};

async function run(context: Context): Promise<Outcome> {
  const [name = '', word] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use check, accept, explain or suggest${suggest(name, Object.keys(ACTIONS))}`,
    );
  if (word !== undefined && name !== 'check' && name !== 'suggest')
    throw new UsageError(
      'this subcommand takes no argument. Only `foil grants check` takes a command, and `foil grants suggest` takes a session.',
    );
  if (context.values.flag('all')) {
    if (name !== 'check' || word !== undefined)
      throw new UsageError('Only `foil grants check`, without a command, takes --all.');
    return searchViolations(context, place(context));
  }
  return action(context);
}

/** As counterfoil.yaml proposes them; null where it proposes nothing. */
function proposed(cwd: string): GrantTexts | null {
  const { grants: texts } = readConfig(workspaceRoot(cwd), parseYaml);
  if (texts !== null) assertProposal(texts);
  return texts;
}

const notesOn = (texts: GrantTexts, cwd: string): string[] =>
  remarksOn(texts, realpathSync(workspaceRoot(cwd)), new MachineFiles());
const noteLines = (notes: readonly string[]): string =>
  notes.map((note) => `Note: ${harmless(note)}.\n`).join('');

async function check({ cwd, arguments: [, line] }: Context): Promise<Outcome> {
  const texts = proposed(cwd);
  if (texts === null)
    return {
      json: { grants: null },
      text: 'counterfoil.yaml proposes no grants. List capabilities under grants: allow:, such as fs:read:src/**.\n',
    };
  const hash = grantsHashOf(texts);
  if (line === undefined) {
    const notes = notesOn(texts, cwd);
    return {
      json: { grants: { ...texts }, grants_hash: hash, notes },
      text: `counterfoil.yaml proposes ${counted(texts.allow.length, 'grant')} and ${counted(texts.deny.length, 'denial')}: ${hash}. They are valid.\n${noteLines(notes)}`,
    };
  }
  const root = realpathSync(workspaceRoot(cwd));
  const { needs, unread, ambient } = callNeeds(
    { tool: 'Bash', id: null, args: { command: line }, shell: true },
    cwd,
  );
  const { allow, deny } = parseGrants(texts);
  const decide = new Grants(allow, deny, root);
  const decided = needs.map((need) => ({ need: encodeNeed(need), ...decide.decide(need) }));
  const allowed = decided.every((each) => each.allowed);
  const rows = decided.map(
    ({ need, allowed: isAllowed, by }) =>
      `  ${isAllowed ? '✓' : '✗'} ${harmless(need)}${by === null ? '' : `  by ${harmless(by)}`}\n`,
  );
  return {
    json: { allowed, needs: decided, unread, ambient, grants_hash: hash },
    text: `${allowed ? 'Allowed' : 'Not allowed'} by what counterfoil.yaml proposes.\n${rows.join('')}${unread === null ? '' : `It needs process:exec:** because ${harmless(unread)}.\n`}${ambient.length === 0 ? '' : `What ${ambient.map(harmless).join(', ')} does by itself is unknown.\n`}`,
    exit: allowed ? 0 : 1,
  };
}

async function accept(context: Context): Promise<Outcome> {
  const { cwd, env, now } = context;
  const texts = proposed(cwd);
  if (texts === null)
    throw new ParseError(
      'BAD_MEMBER',
      'it proposes no grants. First write them under grants: allow:',
      'counterfoil.yaml',
    );
  const hash = grantsHashOf(texts);
  return withLedger(place(context), async ({ store }) => {
    const trail = await readOperatorTrail(store);
    const { inForce: before } = await grantsStanding(trail, () => trustedOperators(env));
    const operators = await readOperators(store, await trustedOperators(env));
    if (
      before?.grantsHash === hash &&
      !operators.revoked.has(before.accepted.by) &&
      !isBeforeEnrolment(trail, before.seq, before.accepted.by)
    )
      return {
        json: { grants_hash: hash, seq: before.seq, changed: false },
        text: `Nothing to accept: ${hash} has been in force since entry ${before.seq}.\n`,
      };
    const operator = await openOperator(env);
    assertKnownOperator(operators, operator, 'the grants');
    const { seq, accepted } = await acceptGrants({ store, now }, texts, operator);
    const notes = notesOn(texts, cwd);
    return {
      json: { grants_hash: hash, seq, accepted_by: accepted.by, changed: true, notes },
      text: `Entry ${seq}: ${hash} is in force for sessions that begin from now on.\n${noteLines(notes)}`,
    };
  });
}

async function explain(context: Context): Promise<Outcome> {
  return reading(place(context), async ({ store }) => {
    const { inForce, unknown: strangers, isRevoked } = await grantsFor(store, context.env);
    const stranger = strangers.at(-1);
    const unknown = stranger === undefined ? null : unknownJson(stranger, isRevoked);
    const aside = stranger === undefined ? '' : unknownText(stranger, isRevoked);
    if (inForce === null)
      return {
        json: { in_force: null, unknown },
        text: `No grants are in force. Calls are recorded, and no call is refused for lack of a grant.\n${aside}`,
      };
    const { grants: texts, grantsHash, seq, ts, accepted } = inForce;
    const lines = [
      ...texts.allow.map((text) => `  allow ${harmless(text)}\n`),
      ...texts.deny.map((text) => `  deny  ${harmless(text)}\n`),
    ];
    return {
      json: {
        in_force: { grants_hash: grantsHash, seq, since: ts, accepted_by: accepted.by, ...texts },
        unknown,
      },
      text: `In force: ${grantsHash}\nSince ${moment(ts)}, entry ${seq}, accepted by ${harmless(accepted.by)}\n${lines.join('')}${aside}`,
    };
  });
}

function unknownJson(
  { grantsHash, seq, accepted, grants: texts }: RecordedGrants,
  isRevoked: boolean,
): JsonObject {
  return { grants_hash: grantsHash, seq, accepted_by: accepted.by, revoked: isRevoked, ...texts };
}

function unknownText({ grantsHash, seq, accepted }: RecordedGrants, isRevoked: boolean): string {
  const what = `Entry ${seq} has different grants (${grantsHash}), which aren't in force. They were`;
  return unknownOperatorText(what, accepted.by, isRevoked);
}

async function suggestFor(context: Context): Promise<Outcome> {
  const [, run] = context.arguments;
  if (run === undefined)
    throw new UsageError('Which session? Use `foil grants suggest RUN`. `foil session list` shows them.');
  const located = place(context);
  return reading(located, async (ledger) => {
    const found = await sessionNeeds(ledger, located, run);
    const { allow, left } = suggestGrants(found.needs, found.root, found.refusedNeeds);
    return { json: suggestionJson(found, allow, left), text: suggestionText(found, allow, left) };
  });
}
