// foil scan: what did the agents on this machine claim, and was it true? Reads the transcripts that agents keep by
// themselves; there is nothing to install, and nothing is written.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { TRANSCRIPTS } from '../../capture/transcripts/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import type { FoundClaim, ListedClaim } from '../../report/index.ts';
import {
  bar,
  findTranscripts,
  renderScan,
  scanJson,
  scanTranscripts,
  sized,
  suggest,
} from '../../report/index.ts';
import { parseTime } from '../arguments.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';

const AGENTS = TRANSCRIPTS.map(({ agent }) => agent);

export const scan: Command = {
  name: 'scan',
  summary: 'check whether what the agents on this machine claimed was true (nothing to install)',
  usage: '[PATH …] [options]',
  arguments: [0, 64],
  options: {
    since: {
      type: 'string',
      value: 'TIME',
      help: 'only turns from this time on: 2026-11-01T00:00:00Z, 2026-11-01, or an age such as 7d or 24h',
    },
    agent: { type: 'string', value: 'NAME', help: `only transcripts of this agent: ${AGENTS.join(', ')}` },
    project: { type: 'string', value: 'DIR', help: 'only sessions that worked in this directory' },
    claims: { type: 'boolean', help: 'with --json: list every claim, including backed ones' },
  },
  examples: ['foil scan', 'foil scan --since 7d --project .', 'foil scan ~/backup/claude-projects --json'],
  notes: [
    'foil scan looks in ~/.claude/projects, ~/.codex/sessions and ~/.gemini/tmp, or at the paths you give. It only reads, and',
    'needs no ledger. A claim is backed if the transcript shows a passing run after the last edit that covers the change. It is',
    'contradicted if a run says otherwise. "Nothing found" means the session did nothing that could back it, or edited a',
    'source file after the last run. For all others the transcript can’t tell: the exit code was hidden, a file other than',
    'source changed afterwards, or only part of it ran. Guard would block those too. A claim is excused if the message says it',
    'wasn’t verified. The exit code is 0 whatever is found, and 3 if there are no transcripts. foil can’t see commands that',
    'change files without naming them.',
    '',
    '--json prints one object:',
    '  claims, backed, contradicted, nothing_found, cant_tell, excused   counts; the last five add up to the first',
    '  statuses            the same by the status that the gate’s rules give',
    '  types, agents, models, projects, weeks               the same six counts for each',
    '  sessions, turns, turns_with_claims                   turns that came to an end',
    '  turns_blocked, turns_accused                         with an open claim; with one of the first two classes',
    '  files, bytes, unreadable, interrupted                what was read, and what could not be',
    '  open                every claim that is neither backed nor excused: {id, agent, model, project, session, turn, at,',
    '                      prompt, path, type, quote, sure, status, class, code, reason, command}; texts are redacted',
    '  worst               ids of the ten to look at first',
    '  unmentioned         what turns did but don’t mention: {what, detail, agent, model, project, session, path,',
    '                      turn, at}',
    '  found               with --claims, every claim in the order of files and turns: {type, quote, sure, status, class,',
    '                      code, reason, rests_on, id, agent, model, project, session, path, turn, at, verdict}. `status`',
    '                      is null if a claim wasn’t judged, and `code` says why; `class` is null if it isn’t',
    '                      open; `verdict` is that of its turn',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd, env, progress, now } = context;
  const given = values.text('since');
  const since = given === undefined ? undefined : parseTime(given, '--since', now());
  if (values.flag('claims') && !values.flag('json'))
    throw new UsageError('--claims needs --json: foil scan --json --claims');
  const agent = values.text('agent');
  if (agent !== undefined && !AGENTS.includes(agent))
    throw new UsageError(`--agent: foil can't read transcripts of ${agent}${suggest(agent, AGENTS)}`);
  const home = env.HOME || homedir();
  const paths = context.arguments.map((path) => resolve(cwd, path));
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new StoreError('NOT_FOUND', `there is no ${missing}.`);
  const named = values.text('project');
  const project = named === undefined ? undefined : resolve(cwd, named);
  const files = findTranscripts({ given: paths, home, env }).filter(
    ({ kind, changed }) =>
      (agent === undefined || kind.agent === agent) && (since === undefined || changed >= Date.parse(since)),
  );
  if (files.length === 0) throw noneFound(paths, agent, since !== undefined);
  let interrupted = false;
  const undo = context.onInterrupt(() => {
    interrupted = true;
  });
  const open: FoundClaim[] = [];
  const found: ListedClaim[] = [];
  let shown = '';
  try {
    const result = await scanTranscripts({
      files,
      since,
      project,
      progress(done, total) {
        const line = `${bar(done, total)}  ${sized(done)} of ${sized(total)}`;
        if (line !== shown) progress(line);
        shown = line;
      },
      interrupted: () => interrupted,
      ...(values.flag('json') ? { each: (claim: FoundClaim) => void open.push(claim) } : {}),
      ...(values.flag('claims') ? { list: (claim: ListedClaim) => void found.push(claim) } : {}),
    });
    progress('');
    return {
      exit: interrupted ? EXIT.INTERRUPTED : EXIT.FINE,
      text: renderScan(result, context, { interrupted, home }),
      json: scanJson(result, open, values.flag('claims') ? found : undefined, interrupted),
    };
  } finally {
    undo();
  }
}

function noneFound(paths: readonly string[], agent: string | undefined, isRecent: boolean): StoreError {
  const of = agent ?? 'Claude Code, Codex or Gemini';
  const where =
    paths.length > 0
      ? `in ${paths.join(', ')}`
      : 'where these agents keep them. If yours are elsewhere: foil scan PATH';
  return new StoreError('NOT_FOUND', `no ${isRecent ? 'such recent ' : ''}transcripts of ${of} ${where}.`);
}
