// What the hooks here will really do: a hook goes by the stricter of the ledger's settings and the mode that is pinned in
// its own command line. Hooks in a project's file pin theirs, because no other machine has this ledger's settings.
import { type Mode, readSettings, strictest } from '../../ledger/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { findInstalledHooks, type InstalledHooks } from './installed.ts';

export interface ModeInForce {
  readonly mode: Mode;
  /** The ledger's own settings. */
  readonly settings: Mode;
  /** Hooks that pin a stricter mode than the settings have. */
  readonly stricter: readonly InstalledHooks[];
}

/** Throws ParseError where the settings can't be understood. */
export function modeInForce(directory: string, { cwd, env }: Surroundings): ModeInForce {
  const { mode: settings } = readSettings(directory, env);
  const stricter = findInstalledHooks({ cwd, env }).filter(
    ({ mode, ledger }) =>
      mode !== null && strictest(settings, mode) !== settings && (ledger === null || ledger === directory),
  );
  const mode = stricter.reduce((strict, each) => strictest(strict, each.mode ?? strict), settings);
  return { mode, settings, stricter };
}

/** One sentence for each file that pins a stricter mode. */
export function pinnedText({ settings, stricter }: ModeInForce): readonly string[] {
  return stricter.map(
    ({ agent, path, mode }) =>
      `The hooks of ${agent} pin ${mode} in ${path}. The ledger's settings say ${settings}.`,
  );
}
