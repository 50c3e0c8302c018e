// A session on one screen. Names of tools, files and agents are what a host said: made harmless here.

import { summarizeGap, summarizeTests } from './entry-summary.ts';
import type { Look } from './render-entry.ts';
import type { SessionSummary } from './session-summary.ts';
import type { Session } from './sessions.ts';
import { counted, harmless, lasted, moment, shorten, sized, table } from './text.ts';

/** Lines of one list, so that all of them fit on a screen. */
const SHOWN = 8;
const DEFAULT_WIDTH = 120;

export function renderSession(
  session: Session,
  summary: SessionSummary,
  { paint, columns }: Look,
  now: number,
): string {
  const width = columns ?? DEFAULT_WIDTH;
  const lines: string[] = [`${paint.bold('session')} ${session.id}`];
  const fact = (name: string, value: string): void =>
    void lines.push(`  ${name.padEnd(10)} ${shorten(harmless(value), Math.max(20, width - 13))}`);
  const list = (title: string, rows: readonly string[], all = rows.length): void => {
    if (rows.length === 0) return;
    lines.push('', paint.bold(title));
    for (const row of rows.slice(0, SHOWN))
      lines.push(`  ${shorten(harmless(row), Math.max(20, width - 2))}`);
    if (all > SHOWN) lines.push(`  … and ${all - SHOWN} more`);
  };

  fact(
    'agent',
    `${session.agent ?? 'unknown'}${session.agent_session === null ? '' : ` (${session.agent_session})`}`,
  );
  if (session.workspace_root !== null) fact('in', session.workspace_root);
  fact('time', span(session, summary, now));
  fact(
    'recorded',
    [
      `mode ${session.mode ?? 'unknown'}`,
      `content ${summary.content ?? 'unknown'}`,
      `hashes ${summary.hashes ?? 'unknown'}`,
    ].join(', '),
  );
  if (summary.bound !== null) {
    const { auth_key: key, branch, start, end } = summary.bound;
    fact('key', key === null ? 'none: unauthenticated' : `${key.slice(0, 16)}`);
    if (branch !== null) {
      const blocks = [start, end].map((block) => (block === null ? 'none' : String(block.height)));
      fact(
        'blocks',
        `began at ${blocks[0]}, ${session.end === null ? 'not ended' : `ended at ${blocks[1]}`}; ${branch}`,
      );
    }
  }
  if (summary.interactions > 0 || summary.final_hash !== null)
    fact(
      'chain',
      `${counted(summary.interactions, 'interaction')}${summary.final_hash === null ? '' : `, final hash ${summary.final_hash.slice(0, 16)}`}`,
    );
  fact('entries', `${session.entries}, from ${session.first_seq} to ${session.last_seq}`);
  const kinds = Object.entries(summary.kinds).map(([kind, count]) => `${count} ${kind}`);
  wrapped(kinds, Math.max(40, width - 14)).forEach((row, i) => void fact(i === 0 ? 'kinds' : '', row));
  const redacted = Object.entries(summary.redacted);
  if (redacted.length > 0) fact('redacted', redacted.map(([rule, count]) => `${count} ${rule}`).join(', '));

  list(
    'models',
    Object.entries(summary.models).map(
      ([name, { calls, input, output }]) => `${name}  ${counted(calls, 'call')}, ${input} → ${output} tokens`,
    ),
  );
  const tools = Object.entries(summary.tools);
  if (tools.length > 0) {
    const rows = tools
      .slice(0, SHOWN)
      .map(([name, { calls, failed, denied, ms }]) => [
        shorten(harmless(name), 40),
        String(calls),
        String(failed),
        String(denied),
        lasted(ms),
      ]);
    const [heading, ...body] = table([['tools', 'calls', 'failed', 'denied', 'time'], ...rows], [1, 2, 3, 4]);
    lines.push('', paint.bold(heading ?? ''), ...body);
    if (tools.length > SHOWN) lines.push(`… and ${tools.length - SHOWN} more`);
  }
  list(
    'tests',
    summary.tests.slice(-SHOWN).map(({ seq, tests }) => `${seq}  ${summarizeTests(tests)}`),
    summary.tests.length,
  );
  list(
    'approvals',
    summary.approvals.map(
      ({ seq, tool, state, waited_ms }) =>
        `${seq}  ${tool}  ${state === 'asked' ? 'asked, never answered' : state}${waited_ms === null ? '' : ` after ${lasted(waited_ms)}`}`,
    ),
  );
  list(
    'denied',
    summary.denials.map(
      ({ seq, tool, by, reason }) =>
        `${seq}  ${tool}  by ${by ?? 'somebody'}${reason === null ? '' : `: ${reason}`}`,
    ),
  );
  list(
    'files written',
    Object.entries(summary.files).map(
      ([path, { op, writes, bytes }]) =>
        `${relative(session, path)}  ${op}${writes > 1 ? ` × ${writes}` : ''}${bytes === null ? '' : `, ${sized(bytes)}`}`,
    ),
  );
  list(
    'subagents',
    summary.subagents.map(({ id, type, calls, ended }) =>
      [type ?? 'subagent', id, calls === null ? null : counted(calls, 'call'), ended ? null : 'not ended']
        .filter((part) => part !== null)
        .join('  '),
    ),
  );
  list(
    'unfinished calls',
    summary.unfinished.map(({ seq, tool, ts }) => `${seq}  ${tool}  since ${moment(ts)}`),
  );
  list(
    'gaps',
    summary.gaps.map(({ seq, payload }) => `${seq}  ${summarizeGap(payload)}`),
  );
  return `${lines.join('\n')}\n`;
}

/** Items in lines of at most `width`. */
function wrapped(items: readonly string[], width: number): string[] {
  const rows: string[] = [];
  for (const item of items) {
    const last = rows.at(-1);
    if (last === undefined || last.length + item.length + 2 > width) rows.push(item);
    else rows[rows.length - 1] = `${last}, ${item}`;
  }
  return rows;
}

function relative({ workspace_root: root }: Session, path: string): string {
  return root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

function span(session: Session, { reason, exit_code }: SessionSummary, now: number): string {
  const { start, end, state, last } = session;
  if (end === null) {
    const since = now - Date.parse(last);
    return `${moment(start)}, open; last entry ${since >= 0 ? `${lasted(since)} ago` : moment(last)}`;
  }
  const why = [
    ...(reason === null ? [] : [reason]),
    ...(exit_code === null ? [] : [`exit ${exit_code}`]),
  ].join(', ');
  return `${moment(start)} to ${moment(end)} (${lasted(Date.parse(end) - Date.parse(start))}), ${state}${why === '' ? '' : `: ${why}`}`;
}

export function renderSessions(sessions: readonly Session[], { paint, columns }: Look): string {
  if (sessions.length === 0) return 'No sessions.\n';
  const [heading, ...rows] = table(
    [
      ['session', 'agent', 'start', 'end', 'prompts', 'calls', 'denied', 'in'],
      ...sessions.map(({ id, agent, start, end, state, prompts, calls, denied, workspace_root }) => [
        columns === undefined ? id : id.slice(0, 12),
        shorten(harmless(agent ?? '-'), 20),
        moment(start),
        end === null ? 'open' : `${moment(end)}${state === 'cut' ? ' (cut)' : ''}`,
        String(prompts),
        String(calls),
        String(denied),
        harmless(workspace_root ?? '-'),
      ]),
    ],
    [4, 5, 6],
  );
  const fitted = (line: string): string => (columns === undefined ? line : shorten(line, columns));
  return `${[paint.bold(fitted(heading ?? '')), ...rows.map(fitted)].join('\n')}\n`;
}
