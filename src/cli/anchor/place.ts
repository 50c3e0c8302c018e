// What `foil anchor` works on: the ledger found from here, and what counterfoil.yaml or the command line says of calendars
// and blocks. Whoever runs the command asks for the network; so where the project says nothing, the public ones are asked.
import { type BlockSources, openBlocks } from '../../anchor/blocks/index.ts';
import { calendarAddress, type StampPorts } from '../../anchor/calendars/index.ts';
import { anchorInForce, isLocked, openStampPorts, withLedger } from '../../app/index.ts';
import {
  ANCHOR_NOT_ACCEPTED,
  DEFAULT_CALENDARS,
  DEFAULT_ESPLORA,
  isAnchorAccepted,
  parseYaml,
  readConfig,
} from '../../config/index.ts';
import { parseHex, StoreError, UsageError } from '../../core/index.ts';
import { type Ledger, type Located, workspaceRoot } from '../../ledger/index.ts';
import type { AnchorConfig } from '../../session/index.ts';
import type { Context } from '../command.ts';
import { place } from '../place.ts';

/** So long another process that stamps is waited for. */
const PATIENCE = 30_000;

export interface AnchorPlace {
  readonly located: Located;
  readonly ledger: Ledger;
  /** As counterfoil.yaml has it. */
  readonly config: AnchorConfig;
  /** Sources that counterfoil.yaml names are not asked, because nobody accepted them yet. */
  readonly waiting: boolean;
  readonly ports: StampPorts;
}

/** NOT_FOUND where there is no ledger. */
export async function withAnchorPlace<T>(
  context: Context,
  work: (place: AnchorPlace) => Promise<T>,
  open: typeof withLedger = withLedger,
): Promise<T> {
  const located = place(context);
  const { directory } = located;
  const project = readConfig(workspaceRoot(context.cwd), parseYaml).anchor;
  // No others are asked instead of those that somebody wrote down, which may be private. `status` tells all the same.
  const asks = open === withLedger && context.values.all('calendar').length === 0;
  const waiting = !isLocked(directory) && !isAnchorAccepted(project, directory);
  if (asks && waiting)
    throw new StoreError('DENIED', `${ANCHOR_NOT_ACCEPTED}, or name calendars with --calendar.`);
  const config = anchorInForce(directory, () => project);
  const calendars = calendarsOf(context, config);
  return open(located, (ledger) => {
    const blocks = blocksByHand(config, located);
    const ports = openStampPorts({
      directory: located.directory,
      use: (work) => work(ledger),
      config: { ...config, stamps: calendars },
      async headerAt(height) {
        const block = await blocks.at(height);
        return block === null ? null : parseHex(block.header);
      },
      now: () => context.now(),
    });
    return work({ located, ledger, config, waiting, ports });
  });
}

/** Alone in stamps/. */
export async function alone<T>({ files }: StampPorts, work: () => Promise<T>): Promise<T> {
  const done = await files.exclusive(async () => ({ value: await work() }), PATIENCE);
  if (done === undefined)
    throw new StoreError('LOCK_TIMEOUT', 'another process is stamping this ledger. Try again in a minute.');
  return done.value;
}

function calendarsOf({ values }: Context, { stamps, network }: AnchorConfig): readonly string[] {
  const given = values.all('calendar').map((text) => {
    const address = calendarAddress(text);
    if (address === undefined)
      throw new UsageError(
        `--calendar: ${JSON.stringify(text)} isn't the address of a calendar. Use https://HOST.`,
      );
    return address;
  });
  if (given.length > 0) return [...new Set(given)];
  if (stamps.length > 0 || network === 'regtest') return stamps;
  return DEFAULT_CALENDARS;
}

function blocksByHand(config: AnchorConfig, { directory }: Located): BlockSources {
  const blocks =
    config.blocks.length > 0 || config.network === 'regtest'
      ? config.blocks
      : DEFAULT_ESPLORA.map((esplora) => ({ esplora }));
  return openBlocks({ ...config, blocks }, { directory, brief: true });
}
