// OpenCode takes a program instead of settings: a plugin of our own among its plugins. Seen at work. The plugin's
// text is given; in front of it stands a line that says whose it is, in which mode, and the hash of the rest, so that a
// plugin that somebody changed is neither replaced nor removed.
import { join } from 'node:path';
import { sha256Hex } from '#platform';
import { StoreError } from '../../core/index.ts';
import { isMode, type Mode } from '../../ledger/index.ts';
import { DROPPED, type Host, hookWords, option, type Wiring } from './host.ts';

/** Gives the plugin's text. `command` is the words of the hook command, `dropped` what it starts without. */
export type PluginText = (options: {
  readonly strict: boolean;
  readonly command: readonly string[];
  readonly dropped: readonly string[];
}) => string;

export const opencode: Host = {
  agent: 'opencode',
  title: 'OpenCode',
  seen: true,
  file(scope, { project, home, env }) {
    const folder =
      scope === 'user'
        ? join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
        : join(project, '.opencode');
    return { path: join(folder, 'plugins/counterfoil.js'), folders: scope === 'user' ? 3 : 2, besides: {} };
  },
  next: ['Restart OpenCode: it loads its plugins when it starts.'],
  signs: { programs: ['opencode'], folders: ['.opencode', '.config/opencode'] },
};

const HEAD = /^\/\/ Written by foil install; foil uninstall removes it\. (\{.*\})\n/;

export interface Plugin {
  /** As pinned in its command; null where it is left to the ledger's settings. */
  readonly mode: Mode | null;
  readonly words: readonly string[];
  /** How many of its outermost folders were there, empty, before it. */
  readonly keep: number;
  /** Somebody changed it since. */
  readonly edited: boolean;
}

export function encodePlugin(text: PluginText, wiring: Wiring, keep: number): string {
  const command = hookWords('opencode', wiring);
  const body = text({ command, dropped: DROPPED, strict: wiring.mode !== 'observe' });
  const head = { command, keep, sha256: sha256Hex(body) };
  return `// Written by foil install; foil uninstall removes it. ${JSON.stringify(head)}\n${body}`;
}

/** Undefined where it is not ours. */
export function readPlugin(text: string): Plugin | undefined {
  const found = HEAD.exec(text);
  if (found === null) return undefined;
  try {
    const { command, keep, sha256 } = JSON.parse(found[1] ?? '') as Record<string, unknown>;
    const words = Array.isArray(command) ? command.map(String) : [];
    const mode = option(words, '--mode');
    return {
      mode: isMode(mode) ? mode : null,
      words,
      keep: keep === 1 || keep === 2 || keep === 3 ? keep : 0,
      edited: sha256 !== sha256Hex(text.slice(found[0].length)),
    };
  } catch {
    return undefined;
  }
}

/** Throws where the file is somebody's. */
export function assertOurs(text: string, path: string): Plugin {
  const plugin = readPlugin(text);
  if (plugin === undefined || plugin.edited) {
    const whose = plugin === undefined ? 'was not written by foil' : 'has changed since foil wrote it';
    throw new StoreError('EXISTS', `${path} ${whose}. Move it away, then try again.`);
  }
  return plugin;
}
