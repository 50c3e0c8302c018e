// What the settings of hosts say against our hooks, in words for `foil status` and `foil doctor`.
import { findOverrides, type Override } from '../capture/settings/index.ts';
import { isFoilOff, type Mode } from '../ledger/index.ts';
import type { Context } from './command.ts';
import { placesOf } from './hosts.ts';

export interface HostOverride extends Override {
  /** Does it keep agents that read this file from being recorded? */
  readonly silences: boolean;
  readonly text: string;
}

const FOREIGN_CODE = /^(?:PATH|NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*)$/;

/** `mode` null where it can't be told: then it counts as guard. */
export function hostOverrides(
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
  mode: Mode | null,
): readonly HostOverride[] {
  return findOverrides(placesOf({ cwd, env })).flatMap((found): HostOverride[] => {
    const { agent, path, name, value } = found;
    if (value === null)
      return [{ ...found, silences: true, text: `${path} switches the hooks of ${agent} off (${name})` }];
    if (name === 'FOIL') {
      if (!isFoilOff({ FOIL: value })) return [];
      const silences = mode === 'observe';
      const effect = silences
        ? `so ${agent} is not recorded here`
        : `which does not count in ${mode ?? 'guard'} mode`;
      return [{ ...found, silences, text: `${path} sets FOIL=${value}, ${effect}` }];
    }
    const effect = FOREIGN_CODE.test(name)
      ? 'which can put other code into every hook: look at it'
      : 'which hooks do not go by';
    return [{ ...found, silences: false, text: `${path} sets ${name}, ${effect}` }];
  });
}
