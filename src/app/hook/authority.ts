// What agents may do on this machine: the grants in force, and what a call needs just now. For hooks this is
// authority.script, which start.script loads where a session has grants.
import { sha256Hex } from '#platform';
import { isObject } from '../../core/index.ts';
import type { GrantTexts } from '../../format/index.ts';
import { MachineFiles } from '../../gate/index.ts';
import {
  type Environment,
  GRANTS_STATE,
  type GrantsStanding,
  type Located,
  parseGrantsNote,
} from '../../ledger/index.ts';
import {
  type CallNeeds,
  encodeNeed,
  Grants,
  isPowerShell,
  needsAt,
  parseGrants,
  startsOf,
  toolNeeds,
  UNREAD,
} from '../../policy/index.ts';
import { type Authority, type HostCall, type HostEvent, runsLine, shellLine } from '../../record/index.ts';
import type { RecordStore } from '../../store/files/index.ts';
import { homeOfOwner } from './home-of.ts';
import type { WholeLedger } from './whole-ledger.ts';
import { homeOf, realOf } from './work-place.ts';

export interface AuthorityOptions {
  readonly store: Pick<RecordStore, 'readState'>;
  /** Called when something is first asked of the whole ledger. */
  readonly whole: () => Pick<WholeLedger, 'grantsStanding'>;
  /** Says where the user's trust.yaml is. */
  readonly env: Environment;
  /** The work tree of the event at hand. */
  readonly root: string | null;
}

export type AuthorityMaker = (located: Located, options: AuthorityOptions) => Pick<Authority, 'judge'>;

export const makeAuthority: AuthorityMaker = (located, { store, whole, env, root }) => ({
  async judge(call, { cwd, grants, root: begun }) {
    const texts = await grantsOf(grants, store, () => whole().grantsStanding(located, env));
    const here = realOf(rootOf(begun, root) ?? cwd ?? '/');
    const { allow, deny } = parseGrants(texts);
    const decide = new Grants(allow, deny, here);
    const { needs, unread, ambient } = callNeeds(call, cwd ?? here, call);
    const missing = needs.filter((need) => !decide.decide(need).allowed);
    const written = (list: typeof needs): string[] => [...new Set(list.map(encodeNeed))];
    return { grants, root: here, needs: written(needs), missing: written(missing), more: 0, unread, ambient };
  },
});

/** Where the session began; the event's own work tree if that isn't known. Throws if only its hash is, and it is another one. */
function rootOf(begun: string | null, root: string | null): string | null {
  if (begun?.startsWith('sha256:') !== true) return begun ?? root;
  if (root !== null && begun === `sha256:${sha256Hex(root)}`) return root;
  throw new Error(
    "the session began in another work tree. Its path looks like a secret, so it isn't kept, and calls from elsewhere are refused.",
  );
}

/** What a call needs on this machine, just now, and as its host names tools. */
export function callNeeds(
  call: HostCall,
  cwd: string,
  { agent, facts }: Partial<Pick<HostEvent, 'agent' | 'facts'>> = {},
): CallNeeds {
  const home = homeOfOwner(cwd) ?? homeOf();
  const { HOME: told = home } = process.env;
  const place = { cwd, home: told === home ? home : null, view: new MachineFiles() };
  const server = facts?.mcp_context;
  const use = {
    ...useOf(call),
    ...(agent === undefined ? {} : { agent }),
    ...(server === undefined ? {} : { server }),
  };
  const starts = runsLine(call)
    ? startsOf(call.args, cwd, { agent, view: place.view }).flatMap((start) => namesOf(start, place.view))
    : [cwd];
  return needsAt(starts, call.startsUntold === true, place, (at) => toolNeeds(use, at));
}

/** A shell that is begun in a folder under another name, by a link, keeps that name: `cd ..` leads above the link. */
function namesOf(start: string, view: MachineFiles): readonly string[] {
  const { PWD: told } = process.env;
  if (told?.startsWith('/') !== true || start === told || start.startsWith(`${told}/`)) return [start];
  const [real, led] = [view.real(start), view.real(told)];
  if (led === told || !(real === led || real.startsWith(`${led}/`))) return [start];
  return [start, `${told}${real.slice(led.length)}`];
}

/** Those of the note, or, where others were accepted since the session began, of the entries. */
async function grantsOf(
  hash: string,
  store: AuthorityOptions['store'],
  standing: () => Promise<GrantsStanding>,
): Promise<GrantTexts> {
  const noted = parseGrantsNote(await store.readState(GRANTS_STATE));
  if (noted?.grantsHash === hash) return noted.grants;
  const found = (await standing()).counted.find(({ grantsHash }) => grantsHash === hash);
  if (found === undefined)
    throw new Error(
      'no operator in your trust.yaml accepted the grants of this session. See `foil grants explain` and `foil verify`.',
    );
  return found.grants;
}

function useOf(call: HostCall): Parameters<typeof toolNeeds>[0] {
  const { tool, args, files = [], sought } = call;
  const url = sought?.capability === 'fetch' ? sought.target : null;
  return { tool, args, line: runsLine(call) ? lineOf(call) : null, files, url };
}

/** A line that was put together from several members counts for none: the host may take one of them alone. */
function lineOf({ tool, args }: HostCall): string | typeof UNREAD {
  // What PowerShell would do is not read: it is a shell that runs what it is told.
  if (isPowerShell(tool)) return 'pwsh';
  const line = shellLine({ tool, args, shell: true });
  const written: readonly unknown[] = isObject(args) ? [args.command ?? args.cmd] : [args];
  return line !== null && written.includes(line) ? line : UNREAD;
}
