// Commands of ours that change what is recorded, how, or by whom it is judged. What only reads stays with everybody:
// an agent should look at its own record.
import { programName, resolvePath } from '../../shell/index.ts';

interface Rule {
  /** What it would do, behind "it would". */
  readonly act: string;
  /** It is about the ledger alone: aimed at another one, it is nobody's business here. */
  readonly ledgerOnly?: true;
  /** Words behind it, as they were given, by which it does nothing of the kind. */
  readonly harmless?: RegExp;
}

/**
 * Without a word they only say how they are used. Behind an option that takes a value, a word could be either: then it
 * counts as the worse.
 */
const only = (names: string): RegExp => new RegExp(`^(?:$|(?:${names.replaceAll(' ', '|')})(?: |$))`);
const NOTHING_NAMED = /^(?:-\S*(?: |$))*$/;
const DRY_RUN = /(?:^| )--dry-run(?: |$)/;

/** By the first word behind `foil`. Commands that are not here only read, or write what any program may write. */
export const OWN_COMMANDS: Readonly<Record<string, Rule>> = {
  pause: { act: 'pause the recording', ledgerOnly: true, harmless: /^off(?: |$)/ },
  mode: {
    act: 'change how strictly the session is recorded',
    ledgerOnly: true,
    harmless: NOTHING_NAMED,
  },
  uninstall: { act: 'remove the hooks that record the session', harmless: DRY_RUN },
  install: { act: 'change the hooks that record the session', harmless: DRY_RUN },
  init: { act: 'begin another ledger', ledgerOnly: true },
  key: { act: "change the ledger's keys", ledgerOnly: true, harmless: only('list') },
  auth: { act: 'change the auth keys', harmless: only('list') },
  policy: {
    act: 'change the policy that the session is judged by',
    harmless: only('check explain suggest'),
  },
  grants: { act: 'change what agents may do', harmless: only('check explain') },
  anchor: {
    act: 'choose which addresses this machine asks',
    harmless: only('stamp upgrade status git push'),
  },
  operator: { act: "make an operator's key", harmless: only('show') },
  plan: { act: 'approve a plan', harmless: only('list propose') },
  patch: { act: 'decide on a patch', harmless: only('list show propose test audit') },
  overrides: {
    act: 'acknowledge a notice that is meant for a person',
    harmless: /^(?!(?:.* )?ack(?: |$))/,
  },
  crashes: { act: 'acknowledge a notice that is meant for a person', harmless: NOTHING_NAMED },
  recover: { act: 'change what the ledger says was lost', ledgerOnly: true },
  archive: { act: 'archive or erase what is recorded', ledgerOnly: true, harmless: DRY_RUN },
  erase: { act: 'erase what is recorded', ledgerOnly: true },
  mcp: { act: 'change which MCP servers are recorded', harmless: /^(?!(?:.* )?(?:un)?install(?: |$))/ },
  // Hooks start the service by themselves, from inside. Where it sends what passes is another matter.
  serve: {
    act: 'change where the service sends model calls',
    ledgerOnly: true,
    harmless: /^(?!(?:.* )?--(?:upstream|save)(?:[= ]|$))/,
  },
  gateway: {
    act: 'change where the service sends model calls',
    ledgerOnly: true,
    harmless: only('show token'),
  },
  session: { act: 'end or cut a session', harmless: only('list show start') },
};

const PROGRAM = /^(?:counter)?foil$/;
const INTERPRETER = /^(?:node|nodejs|bun|deno|tsx|ts-node|electron)$/;
/** Of node and its kin: options that take the next word. */
const TAKES_WORD =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file|--title)$/;

/** The words behind `foil`; null where the program is another one. */
export function ownWords(argv: readonly string[]): readonly string[] | null {
  const [first = '', ...rest] = argv;
  const name = programName(first).replace(/\.[cm]?js$/, '');
  // `$(which foil)` is nobody else.
  if (PROGRAM.test(name) || (/[$`]/.test(first) && /\b(?:counter)?foil\b/.test(first))) return rest;
  // What a variable holds that nobody knows, with words that only we take.
  if (/^\$/.test(first) && /^(?:pause(?: \d+[smhd])?|mode (?:observe|guard|locked))$/.test(rest.join(' ')))
    return rest;
  if (!INTERPRETER.test(name)) return null;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (TAKES_WORD.test(word)) at++;
    else if (!word.startsWith('-') && !/^(?:run|x)$/.test(word))
      return isOwnScript(word) ? rest.slice(at + 1) : null;
  }
  return null;
}

function isOwnScript(word: string): boolean {
  return /(?:^|\/)foil(?:\.[cm]?js)?$|(?:^|\/)counterfoil(?:\/dist\/(?:foil|cli)\.cjs)?$/.test(word);
}

interface Aim {
  readonly ledger: string;
  readonly cwd: string | null;
  readonly env: readonly string[];
  /** Where links lead: a ledger has many names. */
  readonly real: (path: string) => string;
}

/** What the words behind `foil` would do to the recording; null where that is nothing. */
export function ownAct(words: readonly string[], aim: Aim): string | null {
  const [name = '', ...rest] = words;
  if (/[$`]/.test(name)) return "run a foil command that can't be read from here";
  const rule = Object.hasOwn(OWN_COMMANDS, name) ? OWN_COMMANDS[name] : undefined;
  if (rule === undefined || rest.some((word) => word === '--help' || word === '-h')) return null;
  const at = rest.indexOf('--ledger');
  const given = rest
    .filter(
      (word, index) =>
        !(at >= 0 && (index === at || index === at + 1)) && !/^--(?:ledger=.*|json)$/s.test(word),
    )
    // What stands within a word is no word.
    .map((word) => word.replace(/\s/g, '_'));
  if (rule.harmless?.test(given.join(' ')) === true) return null;
  return rule.ledgerOnly === true && isElsewhere(rest, at, aim) ? null : rule.act;
}

function isElsewhere(words: readonly string[], at: number, { ledger, cwd, env, real }: Aim): boolean {
  const inline = words.find((word) => word.startsWith('--ledger='))?.slice('--ledger='.length);
  const given = env.findLast((text) => text.startsWith('FOIL_LEDGER='))?.slice('FOIL_LEDGER='.length);
  const named = (at >= 0 ? words[at + 1] : inline) ?? given;
  if (named === undefined || named === '') return false;
  const path = resolvePath(named, cwd);
  return path !== null && !/[*?[]/.test(path) && real(path) !== real(ledger);
}
