// Programs that start the words behind their own: `env A=1 npm test`, `sudo -u ann ls`, `docker compose exec db psql`. Where
// their own words end is known only if each of them is.
import type { CommandWords } from './authority/found-needs.ts';
import { isPlainVariable, steers } from './steering-variables.ts';

export interface Started {
  /** What is started, its program first; empty where nothing is. */
  readonly words: CommandWords;
  /** So many words before it are the starter's own. */
  readonly own: number;
  /** Its words are joined to a line for a shell. */
  readonly isText: boolean;
  /** Why something else may run; null where nothing does. */
  readonly hides: string | null;
}

interface Starter {
  readonly flags: RegExp;
  /** Options with a value in the next word. */
  readonly valued: RegExp;
  /** So many words behind the options are its own, too. */
  readonly own: number;
  readonly setsVariables: boolean;
  readonly isText: boolean;
  /** It adds words that it reads. */
  readonly adds: boolean;
}

const NEVER = /^(?!)/;
const PLAIN: Starter = {
  flags: NEVER,
  valued: NEVER,
  own: 0,
  setsVariables: false,
  isText: false,
  adds: false,
};
/** Options of containers that say nothing of files on this machine. */
const CONTAINER: Starter = {
  ...PLAIN,
  flags:
    /^(?:-[itdTP]+|--(?:rm|interactive|tty|detach|no-TTY|no-deps|quiet|build|init|privileged|pull=\w+|name=.*|user=.*|env=.*|workdir=.*|network=.*|platform=.*|volume=.*|mount=.*|env-file=.*|publish=.*|stdin|container=.*|namespace=.*))$/,
  valued:
    /^(?:-[uewpvnlhcm]|--(?:user|env|workdir|name|network|platform|publish|volume|mount|env-file|memory|cpus|hostname|label|index|container|namespace|context|add-host|pull|shm-size|ulimit))$/,
  own: 1,
};

const STARTERS: ReadonlyMap<string, Starter> = new Map<string, Starter>([
  [
    'env',
    {
      ...PLAIN,
      flags: /^(?:-i|-0|-|--ignore-environment|--null|--unset=\w+)$/,
      valued: /^(?:-u|--unset)$/,
      setsVariables: true,
    },
  ],
  ['cross-env', { ...PLAIN, setsVariables: true }],
  ['sudo', { ...PLAIN, flags: /^-[EnHSkb]+$/, valued: /^-[ug]$/, setsVariables: true }],
  ['doas', { ...PLAIN, flags: /^-n$/, valued: /^-u$/ }],
  ['exec', { ...PLAIN, flags: /^-[cl]+$/ }],
  ...['c8', 'nyc'].map((name) => [name, { ...PLAIN, flags: /^--[\w-]+(?:=.*)?$/ }] as const),
  ['setsid', { ...PLAIN, flags: /^-[fwc]+$/ }],
  ['caffeinate', { ...PLAIN, flags: /^-[dims]+$/ }],
  ['xvfb-run', { ...PLAIN, flags: /^(?:-a|--auto-servernum)$/ }],
  ['watch', { ...PLAIN, flags: /^-[dtgcbe]+$/, valued: /^-n$/, isText: true }],
  ['ssh', { ...PLAIN, flags: /^-[tTqAvNf46C]+$/, valued: /^-[pil]$/, own: 1, isText: true }],
  [
    'xargs',
    {
      ...PLAIN,
      flags: /^(?:-[0rt]+|-[nPL]\d+|-I\S+|--(?:null|no-run-if-empty|max-args=\d+|max-procs=\d+))$/,
      valued: /^-[nPLIds]$/,
      adds: true,
    },
  ],
  ...['docker exec', 'docker run', 'docker compose exec', 'docker compose run', 'kubectl exec'].map(
    (name) => [name, CONTAINER] as const,
  ),
]);

/** Null where it is none of these, or its own words are not all known. */
export function startedBy(name: string, words: CommandWords): Started | null {
  const starter = STARTERS.get(name);
  if (starter === undefined) return null;
  let [at, own, hides]: [number, number, string | null] = [0, starter.own, null];
  for (; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null) return null;
    const [, variable, value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    if (starter.flags.test(word)) {
      if (word.startsWith('--env=')) hides ??= steeredBySetting(word.slice('--env='.length));
      continue;
    }
    if (word === '--') {
      // Of kubectl, what is started stands behind it.
      [at, own] = [at + 1, 0];
      break;
    }
    if (starter.valued.test(word)) {
      if (words[at + 1] === null || at + 1 >= words.length) return null;
      at++;
      if (/^(?:-e|--env)$/.test(word)) hides ??= steeredBySetting(words[at] ?? '');
    } else if (word.startsWith('-')) return null;
    else if (starter.setsVariables && variable !== undefined) {
      if (!isPlainVariable(variable, value)) hides ??= steers(variable);
    } else if (own > 0) own--;
    else break;
  }
  const rest = words.slice(at);
  return {
    words: starter.adds ? added(words.slice(0, at), rest) : rest,
    own: at,
    isText: starter.isText,
    hides: hides ?? (name === 'ssh' && rest.length === 0 ? 'ssh runs the code that it reads' : null),
  };
}

/** `NAME=value`, or `NAME` with the value that it has. */
function steeredBySetting(setting: string): string | null {
  const [name = '', value = null] = setting.split(/=(.*)/s);
  return isPlainVariable(name, value) ? null : steers(name);
}

/** What `xargs` reads stands behind its words, or in the place of the text that `-I` names. */
function added(own: CommandWords, words: CommandWords): CommandWords {
  const at = own.findIndex((word) => word !== null && /^-I/.test(word));
  if (at < 0) return words.length === 0 ? [] : [...words, null];
  const place = own[at]?.slice(2) || own[at + 1] || '';
  return words.map((word) => (word?.includes(place) === true ? null : word));
}
