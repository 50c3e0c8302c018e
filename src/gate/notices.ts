// What we ourselves tell a person: that there were too many overrides or crashes, or that the project's policy file is
// not what is on record. Each is an entry. A note beside the ledger says what was raised lately, so that nothing is raised
// twice, and what nobody was told yet, so that the next session tells it, once.
import { encodeNotice, type FoilNotice } from '../format/index.ts';
import { type Clock, DAY, type EntryLog, encodeBlock } from '../ledger/index.ts';

const STATE = 'foil.notices';
const MOST_UNTOLD = 16;
const MOST_RAISED = 64;
const STRANGER = "that key isn't an operator's here";

interface Note {
  /** When each was raised, by what it is about. */
  readonly raised: Readonly<Record<string, number>>;
  readonly untold: readonly FoilNotice[];
}

/** For a person, in a sentence. */
export function noticeText({ notice, about, count, since }: FoilNotice): string {
  const from = since === null ? '' : ` since ${since.slice(0, 16).replace('T', ' ')}Z`;
  switch (notice) {
    case 'overrides':
      return `${count ?? 'Several'} prompts${from} told the agent to bypass the gate. \`foil overrides\` lists them, and \`foil overrides ack\` confirms that you have seen them.`;
    case 'overrides.ack':
      return 'Somebody has seen the overrides.';
    case 'crashes':
      return `The hook "${about ?? '?'}" of Counterfoil failed ${count ?? 'several'} times within an hour${from}. \`foil crashes\` lists them, and \`foil crashes ack\` confirms that you have seen them.`;
    case 'crashes.ack':
      return 'Somebody has seen the crashes.';
    case 'policy':
      return 'The gate policy in counterfoil.yaml differs from the one on record, which stays in force. See `foil policy explain`. An operator can accept the new one with `foil policy accept`.';
    case 'policy.unknown':
      return `${about ?? 'Somebody'} accepted another gate policy, and ${STRANGER}. That policy isn't in force. See \`foil policy explain\`.`;
    case 'grants.unknown':
      return `${about ?? 'Somebody'} accepted grants, and ${STRANGER}. Those grants aren't in force. See \`foil grants explain\`.`;
  }
}

/** Raises it unless it was raised within a day. True where it was raised now. */
export async function raise(
  store: Pick<EntryLog, 'append'>,
  notice: FoilNotice,
  { source, now = Date.now }: { readonly source: string; readonly now?: Clock },
): Promise<boolean> {
  const key = `${notice.notice} ${notice.about ?? ''}`;
  const written = await store.append(
    (head, bytes) => {
      const at = now();
      const { raised, untold } = parseNote(bytes);
      const last = raised[key];
      if (last !== undefined && at - last < DAY && last <= at) return undefined;
      const fresh = Object.entries(raised).filter(([, time]) => at - time < DAY);
      const state = encodeNote({
        raised: { ...Object.fromEntries(fresh.slice(-MOST_RAISED)), [key]: at },
        untold: [...untold, notice].slice(-MOST_UNTOLD),
      });
      return {
        ...encodeBlock([{ kind: 'notice', payload: encodeNotice(notice), source }], head, at),
        state,
      };
    },
    { state: STATE },
  );
  return written !== undefined;
}

/**
 * Somebody has seen the overrides or the crashes: that is recorded, and they are not told again. Overrides are told once
 * a day in any case; new crashes may be told on the same day. Gives the seq of its entry.
 */
export async function acknowledge(
  store: Pick<EntryLog, 'append'>,
  what: 'overrides' | 'crashes',
  seen: Pick<FoilNotice, 'count' | 'since'>,
  { source, now = Date.now }: { readonly source: string; readonly now?: Clock },
): Promise<number> {
  const payload = encodeNotice({ ...seen, notice: `${what}.ack`, about: null });
  const written = await store.append(
    (head, bytes) => {
      const note = parseNote(bytes);
      const untold = note.untold.filter(({ notice }) => notice !== what);
      const raised =
        what === 'overrides'
          ? note.raised
          : Object.fromEntries(Object.entries(note.raised).filter(([key]) => !key.startsWith('crashes ')));
      return {
        ...encodeBlock([{ kind: 'notice', payload, source }], head, now()),
        state: encodeNote({ raised, untold }),
      };
    },
    { state: STATE },
  );
  return written?.seq ?? 0;
}

/** What nobody was told yet. From now on they were. */
export async function takeUntold(
  store: Pick<EntryLog, 'append' | 'readState'>,
): Promise<readonly FoilNotice[]> {
  if (parseNote(await store.readState(STATE)).untold.length === 0) return [];
  let taken: readonly FoilNotice[] = [];
  await store.append(
    (head, bytes) => {
      const note = parseNote(bytes);
      taken = note.untold;
      return { lines: new Uint8Array(0), head, state: encodeNote({ ...note, untold: [] }) };
    },
    { state: STATE },
  );
  return taken;
}

function encodeNote(note: Note): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(note));
}

/** It is derived and disposable: one that is not ours counts as none. */
function parseNote(bytes: Uint8Array | undefined): Note {
  try {
    const { raised, untold } = JSON.parse(new TextDecoder().decode(bytes)) as Note;
    const sound =
      typeof raised === 'object' &&
      raised !== null &&
      Object.values(raised).every(Number.isFinite) &&
      Array.isArray(untold) &&
      untold.every((each) => typeof each?.notice === 'string');
    if (sound) return { raised, untold };
  } catch {
    // None yet.
  }
  return { raised: {}, untold: [] };
}
