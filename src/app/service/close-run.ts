// The end of a run whose model calls went through an independent gateway: that gateway closes it, and what it signs then is kept in
// the run. Asked for when `foil run` ends, and again by `foil bundle create` where it is missing.
import { isHash, ParseError } from '../../core/index.ts';
import { entriesOf, type Ledger } from '../../ledger/index.ts';
import { askClosing, GatewayUnusable } from '../../service/index.ts';
import { gatewayAccess } from './gateway-access.ts';

export interface RunToClose {
  readonly id: string;
  /** Where it begins in the log. */
  readonly first: number;
  /** Who writes the entry. */
  readonly source: string;
}

interface Found {
  readonly pack: string | null;
  readonly end: { readonly seq: number; readonly hash: string };
  /** URLs of the gateways that its calls went through. */
  readonly through: ReadonlySet<string>;
}

/** Why a run could not be closed. */
export interface Unclosed {
  /** A sentence for the user. */
  readonly why: string;
  /** The gateway may close it when it is asked again. */
  readonly mayYet: boolean;
}

/** Undefined where there is nothing to close, or it is closed now. */
export async function closeRun(
  ledger: Ledger,
  directory: string,
  run: RunToClose,
): Promise<Unclosed | undefined> {
  const found = await unclosed(ledger, run);
  if (found === undefined) return undefined;
  const { pack, end, through } = found;
  const [url = '', ...others] = through;
  if (others.length > 0)
    return {
      why: "The run's calls went through several gateways, so no gateway can vouch for all of them.",
      mayYet: false,
    };
  try {
    const access = gatewayAccess(directory, url);
    if (access === null) return undefined;
    const payload = await askClosing(access, { client: { run: run.id, pack }, end: end.hash });
    const { source, id: session_id } = run;
    await ledger.append({ kind: 'gateway.closing', source, session_id, cause: end.seq, payload });
    return undefined;
  } catch (error) {
    const isTheirs = error instanceof GatewayUnusable || error instanceof ParseError;
    if (!isTheirs && (error as Error).name !== 'GatewayFailed') throw error;
    const why = (error as Error).message.replace(/\.$/, '');
    return {
      why: `The independent gateway didn't close the run, so its tier can't be \`gateway\`: ${why}.`,
      // A gateway closes a run once, and gives the same closing to whoever asks for it again.
      mayYet: !(error instanceof ParseError),
    };
  }
}

/** Undefined where the run is open, or closed already, or no call of it went through a gateway. */
async function unclosed({ store }: Ledger, { id, first }: RunToClose): Promise<Found | undefined> {
  const { seq: to } = await store.head();
  const kinds = ['session.start', 'session.end', 'model.call', 'gateway.closing'];
  const through = new Set<string>();
  let pack: string | null = null;
  let end: Found['end'] | undefined;
  for await (const entry of entriesOf(store, first, to, kinds)) {
    if (entry.session_id !== id) continue;
    const { kind, payload } = entry;
    if (kind === 'gateway.closing') return undefined;
    if (kind === 'session.start') pack = isHash(payload.pack) ? payload.pack : null;
    else if (kind === 'session.end') end ??= { seq: entry.seq, hash: entry.entry_hash };
    else if (typeof payload.through === 'string') through.add(payload.through);
  }
  return end === undefined || through.size === 0 ? undefined : { pack, end, through };
}
