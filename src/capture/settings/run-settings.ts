// Hooks for one run of an agent, without touching a file of the user's: what to put behind the agent's name on its command
// line, into its environment, and into files of our own. Only Claude Code's way is documented to add to what the user
// has; what each of the others would replace is said beside it. Null where there is no way.
import { join } from 'node:path';
import { mergeSettings } from './given-settings.ts';
import { installHooks } from './hook-block.ts';
import { hookLine, type Places, readHook, type Wiring } from './host.ts';
import { encodePlugin, type PluginText } from './opencode.ts';
import { hostOf, keptOn } from './plan.ts';

export interface RunOptions {
  readonly wiring: Wiring;
  /** A folder for this run's files, private to the user. The caller makes it, writes the files and removes it after. */
  readonly folder: string;
  readonly env: Places['env'];
  readonly plugin: PluginText;
  /** For Claude Code: the text of the settings that the user hands to it, which ours are put into. */
  readonly givenSettings?: string | null;
  /** For Gemini: the text of the system's settings, whose place ours take; null where there are none. */
  readonly systemSettings: string | null;
}

export interface RunSettings {
  /** Right behind the agent's name, before its own arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** What the user must know. */
  readonly notes: readonly string[];
}

export const GEMINI_SYSTEM_SETTINGS = '/etc/gemini-cli/settings.json';

export function runSettings(agent: string, options: RunOptions): RunSettings | null {
  const make = Object.hasOwn(WAYS, agent) ? WAYS[agent] : undefined;
  return make === undefined ? null : make(options);
}

const WAYS: Readonly<Record<string, (options: RunOptions) => RunSettings | null>> = {
  /**
   * --settings adds a layer above the files of the project: hooks of all layers run (documented, and reported by users who
   * wished otherwise), and a project can neither switch them off nor put a program before them. The user can.
   */
  'claude-code'({ wiring, folder, env, givenSettings = null }) {
    const path = join(folder, 'claude-code.json');
    const kept = keptOn(hostOf('claude-code'), { project: folder, home: env.HOME ?? '', env });
    const members = kept.map(({ path: [first, second], value }) => [
      first,
      second === undefined ? value : { [second]: value },
    ]);
    const ours = { hooks: listsOf('claude-code', wiring), ...Object.fromEntries(members) };
    const settings = givenSettings === null ? ours : mergeSettings(ours, givenSettings);
    const text = `${JSON.stringify(settings, null, 2)}\n`;
    return { args: ['--settings', path], env: {}, files: [{ path, text }], notes: [] };
  },

  /** The variable replaces the path of the system's settings, so ours carry what those said. Hooks of all layers run. */
  gemini({ wiring, folder, systemSettings }) {
    const path = join(folder, 'gemini.json');
    const hooks = hostOf('gemini').hooks?.(wiring) ?? {};
    const isOurs = (hook: unknown): boolean => readHook(hook, 'gemini') !== undefined;
    const text = installHooks(systemSettings, hooks, { isOurs, besides: {} }, GEMINI_SYSTEM_SETTINGS);
    return { args: [], env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: path }, files: [{ path, text }], notes: [] };
  },

  /** A layer of its own on the command line, from the host's sources. It is trusted by its text, once for all runs. */
  codex({ wiring }) {
    const hook = `{type="command",command=${JSON.stringify(hookLine('codex', wiring))},timeout=30}`;
    const events = Object.keys(hostOf('codex').hooks?.(wiring) ?? {});
    return {
      args: events.flatMap((event) => ['-c', `hooks.${event}=[{hooks=[${hook}]}]`]),
      env: {},
      files: [],
      notes: [
        'Codex runs these hooks once you trust them: type /hooks in Codex. Until then it silently skips them.',
      ],
    };
  },

  /** A further folder of plugins and settings. Where the user has set one, ours would take its place: no way then. */
  opencode({ wiring, folder, env, plugin }) {
    if (env.OPENCODE_CONFIG_DIR) return null;
    const home = join(folder, 'opencode');
    const path = join(home, 'plugins/counterfoil.js');
    const text = encodePlugin(plugin, wiring, 0);
    return { args: [], env: { OPENCODE_CONFIG_DIR: home }, files: [{ path, text }], notes: [] };
  },
};

function listsOf(agent: string, wiring: Wiring): Record<string, unknown> {
  const hooks = hostOf(agent).hooks?.(wiring) ?? {};
  return Object.fromEntries(Object.entries(hooks).map(([event, value]) => [event, [value]]));
}
