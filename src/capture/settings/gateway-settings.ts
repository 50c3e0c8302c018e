// How an agent is pointed at the gateway for one run: by what it honours, a variable or an argument, and no file of the
// user's. Where the user points it elsewhere already there is no way: that place would have to be the gateway's upstream.
// Claude Code's and Codex's ways were seen; the others are documented.
import type { Places } from './host.ts';
import type { RunSettings } from './run-settings.ts';

export interface GatewayRun {
  /** The gateway's address, with the session in it. */
  readonly base: string;
  readonly env: Places['env'];
}

export type GatewaySettings = Pick<RunSettings, 'args' | 'env' | 'notes'>;

/** Of an agent, or of a program that nobody knows: then of what the SDKs of the providers honour. */
export function gatewaySettings(agent: string | null, run: GatewayRun): GatewaySettings | string {
  const make = agent === null ? ofPrograms : Object.hasOwn(WAYS, agent) ? WAYS[agent] : undefined;
  return make === undefined ? `${agent} has no setting for a gateway.` : make(run);
}

const WAYS: Readonly<Record<string, (run: GatewayRun) => GatewaySettings | string>> = {
  'claude-code': (run) => variables(run, { ANTHROPIC_BASE_URL: `${run.base}/anthropic` }),

  /** It does not look at OPENAI_BASE_URL. */
  codex: ({ base }) => ({
    args: ['-c', `openai_base_url=${JSON.stringify(`${base}/openai/v1`)}`],
    env: {},
    notes: [
      "If Codex is signed in with ChatGPT, it uses a different server, and the gateway doesn't see those calls.",
    ],
  }),

  gemini(run) {
    const settings = variables(run, { GOOGLE_GEMINI_BASE_URL: `${run.base}/gemini` });
    if (typeof settings === 'string') return settings;
    const notes = [
      "If Gemini CLI is signed in with Google, it uses a different server, and the gateway doesn't see those calls.",
    ];
    return { ...settings, notes };
  },

  /** A layer of settings over the user's own. */
  opencode(run) {
    const options = (place: string): unknown => ({ options: { baseURL: `${run.base}/${place}` } });
    const provider = {
      anthropic: options('anthropic/v1'),
      openai: options('openai/v1'),
      google: options('gemini/v1beta'),
    };
    return variables(run, { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider }) });
  },
};

function ofPrograms(run: GatewayRun): GatewaySettings | string {
  return variables(run, {
    ANTHROPIC_BASE_URL: `${run.base}/anthropic`,
    OPENAI_BASE_URL: `${run.base}/openai/v1`,
    GOOGLE_GEMINI_BASE_URL: `${run.base}/gemini`,
  });
}

function variables({ env }: GatewayRun, set: Readonly<Record<string, string>>): GatewaySettings | string {
  const taken = Object.keys(set).find((name) => env[name] !== undefined && env[name] !== '');
  if (taken !== undefined)
    return `${taken} is already set. Unset it, and pass that address to \`foil serve --upstream NAME=URL\`.`;
  return { args: [], env: set, notes: [] };
}
