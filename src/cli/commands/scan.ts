// foil scan: what did the agents on this machine claim, and was it true? Reads the transcripts that agents keep by
// themselves; there is nothing to install, and nothing is written.
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { StoreError } from '../../core/index.ts';
import { parseTime } from '../arguments.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { renderScan, scanJson } from '../render-scan.ts';
import { scanTranscripts } from '../scan.ts';
import { sized } from '../text.ts';
import { findTranscripts } from '../transcript-files.ts';

export const scan: Command = {
  name: 'scan',
  summary: 'what did the agents on this machine claim, and was it true? (nothing to install)',
  usage: '[DIR …] [options]',
  arguments: [0, 64],
  options: {
    since: {
      type: 'string',
      value: 'TIME',
      help: 'only turns from a time on: 2026-11-01T00:00:00Z, or 7d, 24h ago',
    },
    agent: {
      type: 'string',
      value: 'NAME',
      help: 'only transcripts of this agent: claude-code, codex, gemini',
    },
  },
  examples: [
    'foil scan',
    'foil scan --since 7d',
    'foil scan ~/backup/claude-projects --json',
    'foil why 4f1a2b3c4d5e.3.1',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd, env, progress, now } = context;
  const given = values.text('since');
  const since = given === undefined ? undefined : parseTime(given, '--since', now());
  const home = env.HOME ?? homedir();
  const directories = context.arguments.map((directory) => resolve(cwd, directory));
  const agent = values.text('agent');
  const files = findTranscripts(directories, home).filter(
    ({ kind, changed }) =>
      (agent === undefined || kind.agent === agent) && (since === undefined || changed >= Date.parse(since)),
  );
  if (files.length === 0)
    throw new StoreError(
      'NOT_FOUND',
      directories.length > 0
        ? `no transcripts of Claude Code, Codex or Gemini under ${directories.join(', ')}${since === undefined ? '' : ', or none so new'}.`
        : `no transcripts of Claude Code, Codex or Gemini under ${home}${since === undefined ? '' : ', or none so new'}. Name the directory: \`foil scan DIR\`.`,
    );
  let interrupted = false;
  const undo = context.onInterrupt(() => {
    interrupted = true;
  });
  try {
    const result = await scanTranscripts({
      files,
      since,
      progress: (done, total) =>
        progress(`${Math.floor((100 * done) / Math.max(1, total))}%  ${sized(done)} of ${sized(total)}`),
      interrupted: () => interrupted,
    });
    progress('');
    const exit = interrupted ? EXIT.INTERRUPTED : EXIT.FINE;
    return { exit, text: renderScan(result, context, interrupted), json: scanJson(result, interrupted) };
  } finally {
    undo();
  }
}
