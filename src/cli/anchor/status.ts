// foil anchor status: how the ledger is bound to Bitcoin and to git, by its files. Only the block sources that counterfoil.yaml names
// are asked, each for a few seconds.
import { openBlocks, type SourceReport } from '../../anchor/blocks/index.ts';
import { listStamps, type StampInfo } from '../../anchor/calendars/index.ts';
import { type GitProblem, type GitStanding, gitStanding } from '../../anchor/git/index.ts';
import { reading } from '../../app/index.ts';
import { ANCHOR_NOT_ACCEPTED } from '../../config/index.ts';
import { columns, counted, harmless, lasted, moment, table, thousands } from '../../report/index.ts';
import type { Context, Outcome } from '../command.ts';
import { type AnchorPlace, withAnchorPlace } from './place.ts';

/** Rows of the table for people; --json has all. */
const MOST_ROWS = 20;

export const REGTEST_WORDS =
  "These blocks are from regtest, where anyone can make blocks. They don't prove any time.\n";

export function anchorStatus(context: Context): Promise<Outcome> {
  const look = async ({
    config,
    waiting,
    ports,
    ledger,
    located: { directory },
  }: AnchorPlace): Promise<Outcome> => {
    const stamps = await listStamps(ports);
    const { length: asked } = config.blocks;
    if (asked > 0) context.progress(`asking ${counted(asked, 'source')} for the newest block`);
    const sources = await openBlocks(config, { directory, brief: true }).survey();
    context.progress('');
    const git = gitStanding(directory);
    const { seq } = await ledger.store.head();
    const queue = stamps.filter(({ wanted }) => wanted !== null);
    const rows: [string, string][] = [
      ...(waiting ? WAITING : askedRows(sources, config.stamps, context.now())),
      ['queue', queue.length === 0 ? 'empty' : counted(queue.length, 'stamp')],
      ['git', gitWords(git, seq, config.git !== null)],
    ];
    return {
      json: {
        network: config.network,
        waiting,
        blocks: sources.map(({ source, block, problems }) => ({
          source,
          newest: block === null ? null : { height: block.height, hash: block.hash, time: block.time },
          problems: problems.map(({ code, message }) => ({ code, message })),
        })),
        calendars: config.stamps,
        stamps: stamps.map(stampJson),
        queue: queue.map(({ size, wanted }) => ({ size, since: wanted })),
        git: git ?? null,
      },
      text: `${columns(rows, '')}\n${renderStamps(stamps)}${config.network === 'regtest' ? REGTEST_WORDS : ''}`,
    };
  };
  return withAnchorPlace(context, look, reading);
}

const WAITING: readonly [string, string][] = [['sources', `waiting: ${ANCHOR_NOT_ACCEPTED}`]];

function askedRows(
  sources: readonly SourceReport[],
  calendars: readonly string[],
  now: number,
): readonly [string, string][] {
  return [
    ...sourceRows(sources, calendars.length > 0, now),
    ['stamps', calendars.length === 0 ? 'by hand' : `by ${calendars.map(harmless).join(', ')}`],
  ];
}

function sourceRows(sources: readonly SourceReport[], stamps: boolean, now: number): [string, string][] {
  if (sources.length === 0)
    return [
      ['blocks', stamps ? 'off: the service makes stamps, and `foil anchor upgrade` completes them' : 'off'],
    ];
  return sources.map(({ source, block, problems }, i) => [
    i === 0 ? 'blocks' : '',
    `${harmless(source)}: ${
      block === null
        ? harmless(problems.map(({ message }) => message).join(', ') || 'has none')
        : `${thousands(block.height)}, ${lasted(Math.max(0, now - block.time * 1000))} old`
    }`,
  ]);
}

function gitWords(git: GitStanding | GitProblem | undefined, head: number, isAsked: boolean): string {
  if (git === undefined)
    return isAsked ? 'no repository yet; the service or `foil anchor git` makes it' : 'off';
  if ('problem' in git) return `${git.problem}: ${harmless(git.message)}`;
  const { position, contradicting } = git;
  if (contradicting.length > 0)
    return `CONTRADICTION: ${contradicting.join(', ')}. Run \`foil verify\` to see what differs`;
  return `at entry ${thousands(position)} of ${thousands(head)}`;
}

function renderStamps(stamps: readonly StampInfo[]): string {
  if (stamps.length === 0) return 'Nothing is stamped yet. Run `foil anchor stamp`.\n';
  const shown = stamps.slice(-MOST_ROWS);
  const left = stamps.length - shown.length;
  const lines = table(
    shown.map((stamp) => [
      counted(stamp.size, 'entry', 'entries'),
      stamp.state,
      stamp.state === 'complete'
        ? blockWords(stamp)
        : (stamp.problem ?? stamp.verdict?.calendars.map(harmless).join(', ') ?? ''),
    ]),
    [0],
  );
  return `\n${left === 0 ? '' : `  ${counted(left, 'earlier stamp')}\n`}${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** `block 875,000, 2026-11-15 10:00:00Z`: they were there by then. */
export function blockWords({ verdict }: StampInfo): string {
  if (verdict?.block === undefined) return '';
  const { height, time } = verdict.block;
  return `block ${thousands(height)}, ${moment(new Date(time * 1000).toISOString())}`;
}

function stampJson({ size, state, problem, wanted, verdict }: StampInfo): object {
  const { height, hash, time } = verdict?.block ?? {};
  return {
    size,
    state,
    problem,
    queued: wanted !== null,
    block: height === undefined ? null : { height, hash, time },
    calendars: verdict?.calendars ?? [],
  };
}
