// How strict a hook is where it records, by its command line and by the ledger's settings.
import { ParseError } from '../../core/index.ts';
import {
  DEFAULT_SETTINGS,
  type Environment,
  type Located,
  type Mode,
  readSettings,
  type Settings,
  strictest,
} from '../../ledger/index.ts';
import { modeHere } from './hook-line.ts';

export interface ModeAsking {
  readonly located: Pick<Located, 'directory'>;
  readonly env: Environment;
  readonly pinned: Mode;
  /** The mode where the system does not let it be read. */
  readonly assumed?: Mode;
}

/**
 * Settings that are damaged say nothing about how strict they were, so they count as guard; what can be recorded still
 * is. Where they can't be read or are gone, recording is as strict as it is known to have been.
 */
export function modeInPlace({ located, env, pinned, assumed = pinned }: ModeAsking): {
  readonly mode: Mode;
  readonly settings: Settings;
  readonly problem: string | null;
} {
  try {
    const { directory } = located;
    const settings = readSettings(directory, env);
    return { mode: modeHere(directory, { pinned, assumed }, env, settings), settings, problem: null };
  } catch (error) {
    if (!(error instanceof ParseError))
      return { mode: strictest(pinned, assumed), settings: DEFAULT_SETTINGS, problem: null };
    const problem = `${error.message}. Guard applies until you run \`foil mode observe\` or \`foil mode guard\`.`;
    return { mode: strictest(pinned, 'guard'), settings: DEFAULT_SETTINGS, problem };
  }
}
