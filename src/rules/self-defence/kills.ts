// Commands that would stop our service, a hook of ours at its work, or the host whose session is recorded. A number or a
// name is held against what is known of them. Where the numbers come from another part of the line, what that part was
// asked for is held against them instead.

import { programName, programOf, type Started } from '../../shell/index.ts';
import { hasLetter } from './given-words.ts';
import { isGlob, matchesText } from './glob.ts';
import { namesOurs, type Ours } from './ours.ts';

const CONTROL =
  /^(?:stop|kill|disable|mask|restart|bootout|unload|remove|delete|down|shutdown|revert|edit|set-property|freeze|isolate)$/;
/** Of everything: the system, the user's session, or what all of it hangs on. */
const ALL_UNITS =
  /^(?:poweroff|reboot|halt|exit|isolate|kexec|soft-reboot|rescue|emergency|(?:user@.*|session\.slice|app\.slice|background\.slice|user\.slice|default\.target|graphical-session\.target|basic\.target|-\.slice)(?:\.service)?)$/;
const OURS = /(?:counter)?foil/i;
const ENDS_ALL = /^(?:killall5|reboot|poweroff|halt|shutdown|telinit)$/;
const SERVICES = /^(?:systemctl|launchctl|service|sv|rc-service|supervisorctl|initctl)$/;

export function killsOurs(argv: readonly string[], cwd: string | null, ours: Ours): boolean {
  const { name, args } = programOf(argv);
  const has = (form: RegExp): boolean => args.some((arg) => form.test(arg));
  if (name === 'kill') return killed(args, ours);
  if (/^(?:skill|snice)$/.test(name)) return killed(args, ours) || selects('killall', args, ours);
  if (/^(?:pkill|killall)$/.test(name)) return selects(name, args, ours);
  if (/^(?:gdb|lldb)$/.test(name)) return args.some((arg) => isOurNumber(arg.replace(/^.*=/, ''), ours));
  if (ENDS_ALL.test(name)) return !has(/^(?:--help|--version|-c|-w|--wtmp-only)$/);
  if (SERVICES.test(name)) return has(ALL_UNITS) || (has(CONTROL) && args.some(isOurUnit));
  if (name === 'init') return has(/^[016]$/);
  if (name === 'fuser') return has(/^-[a-zA-Z]*k|^--kill$/) && holds(args, cwd, ours);
  if (/^(?:kill-port|fkill)$/.test(name))
    return args.some((arg) => namesOurPort(arg, ours) || OURS.test(arg) || isOurNumber(arg, ours));
  return name === 'loginctl' && has(/^(?:terminate|kill)-/);
}

/** `pgrep -f serve | xargs kill`: a kill whose numbers stand nowhere, and a search in the same line that finds ours. */
export function killsFound(started: readonly Started[], ours: Ours): boolean {
  const kills = started.some(({ argv }) => {
    const at = argv.findIndex((word) => /^(?:kill|skill)$/.test(programName(word)));
    const isRun = at === 0 || (at > 0 && /^(?:xargs|parallel)$/.test(programName(argv[0] ?? '')));
    const numbers = argv.slice(at + 1).filter((word) => !word.startsWith('-'));
    return isRun && (numbers.length === 0 || numbers.some((word) => !/^%?\d+$/.test(word)));
  });
  if (!kills) return false;
  const listed = started.some(({ argv }) => /^(?:ps|top|lsof|ss|netstat)$/.test(programName(argv[0] ?? '')));
  const isFiltered = started.some(({ argv }) => FILTERS.test(programName(argv[0] ?? '')));
  return started.some(({ argv, cwd }) => {
    const { name, args } = programOf(argv);
    if (/^(?:pgrep|pidof)$/.test(name)) return selects(name, args, ours);
    if (name === 'lsof' || name === 'fuser') return holds(args, cwd, ours);
    if (name === 'ps') return isListed(args, ours) || (!isFiltered && isAll(args));
    // Which of the listed processes are meant.
    if (listed && /^(?:[ef]?grep|rg)$/.test(name))
      return (
        !hasLetter(args, 'v') &&
        args.filter((arg) => !arg.startsWith('-')).some((word) => isFound(word, shown(true, ours), true))
      );
    if (listed && /^[gm]?awk$/.test(name))
      return [...args.join(' ').matchAll(/\/([^/]+)\/|"([^"]+)"/g)].some(([, word, text = '']) =>
        isFound(word ?? text, shown(true, ours), true),
      );
    return false;
  });
}

const FILTERS = /^(?:[ef]?grep|rg|[gm]?awk|sed|head|tail|fzf|sort|xargs)$/;

/** `ps -C node` */
function isListed(args: readonly string[], ours: Ours): boolean {
  const at = args.indexOf('-C');
  return at >= 0 && (args[at + 1] ?? '').split(',').some((word) => isFound(word, shown(false, ours), false));
}

/** Numbers alone, of everything: `ps -u ann -o pid=`. */
function isAll(args: readonly string[]): boolean {
  return args.some((arg) => /^-?o?pid/.test(arg)) && args.some((arg) => /^-?[a-zA-Z]*[eAaxu]/.test(arg));
}

/** Requests to the service that end it; those of hooks are another matter. */
export function asksServiceToStop(argv: readonly string[]): boolean {
  return argv.some((word) => /\/v1\/stop\b/.test(word));
}

function killed(args: readonly string[], ours: Ours): boolean {
  if (args.some((arg) => /^-[lL]/.test(arg))) return false;
  // What a command prints is not known, but what it was asked for is.
  if (args.some((arg) => !/^[-%\d]/.test(arg) && speaksOfOurs(arg, ours))) return true;
  const at = args.findIndex((arg) => /^-(?:s|n|-signal)$/.test(arg));
  const rest = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const [signal = ''] = rest;
  const pids = /^-/.test(signal) && rest.length > 1 ? rest.slice(1) : rest;
  // The parent of the shell that the host starts is the host.
  return pids.some(
    (pid) =>
      pid === '-1' ||
      /^-?\$\{?PPID\}?$/.test(pid) ||
      isOurNumber(pid.replace(/^-/, '').replace(/^\$\(\((\d+)\)\)$/, '$1'), ours),
  );
}

function isOurNumber(word: string, { service, hosts = [] }: Ours): boolean {
  return /^\d+$/.test(word) && [service?.pid, ...hosts.map(({ pid }) => pid)].includes(Number(word));
}

function speaksOfOurs(text: string, ours: Ours): boolean {
  return OURS.test(text) || text.includes(ours.ledger) || namesOurPort(text, ours);
}

function namesOurPort(text: string, { service }: Ours): boolean {
  return service?.port != null && new RegExp(`(?<!\\d)${service.port}(?!\\d)`).test(text);
}

function isOurUnit(word: string): boolean {
  return (
    OURS.test(word) ||
    (isGlob(word) && ['counterfoil.service', 'foil.service'].some((unit) => matchesText(word, unit)))
  );
}

/** Whoever holds a port or a file: we hold ours, and a host works in the workspace. */
function holds(args: readonly string[], cwd: string | null, ours: Ours): boolean {
  return args.some((arg) => {
    if (namesOurPort(arg, ours)) return true;
    if (arg.startsWith('-') || /^\d+(?:\/\w+)?$/.test(arg)) return false;
    return (
      namesOurs(arg, cwd, args.some((each) => /^-[a-zA-Z]*[mcD]/.test(each)) ? 'above' : 'inside', ours) !==
        null ||
      arg === '.' ||
      arg === ours.root
    );
  });
}

const TAKES_WORD =
  /^(?:-[uUGgstPFdy]|--(?:signal|euid|uid|group|pgroup|session|terminal|parent|pidfile|ns|nslist|older-than|younger-than|user|older|younger|queue|runstates))$/;
/** They say whose processes are meant, and by themselves mean all of them. */
const ALL_OF = /^-[uUGt]|^--(?:euid|uid|group|terminal|user)|^-[a-zA-Z]*v|^--inverse/;

/** The pattern is held against what the system would show of our processes. */
function selects(name: string, args: readonly string[], ours: Ours): boolean {
  const flags = args.filter((arg) => arg.startsWith('-'));
  const ignoresCase = flags.some((flag) => /^-[a-z]*i|^-I$|^--ignore-case$/.test(flag));
  const words = args
    .filter((arg, at) => !arg.startsWith('-') && (name === 'pidof' || !TAKES_WORD.test(args[at - 1] ?? '')))
    .map((word) => (ignoresCase ? word.toLowerCase() : word));
  if (words.length === 0)
    return flags.some(
      (flag) => ALL_OF.test(flag) && !/^-(?:USR|URG|TERM|TSTP|TTIN|TTOU|TRAP|SIG)/.test(flag),
    );
  if (flags.some((flag) => /^--inverse|^-[a-z]*v/.test(flag)) && name !== 'killall') return true;
  const isPattern =
    name === 'pkill' || name === 'pgrep' || flags.some((flag) => /^-[a-zA-Z]*r|^--regexp$/.test(flag));
  const whole = isPattern && flags.some((flag) => /^-[a-z]*f|^--full$/.test(flag));
  const lines = shown(whole, ours);
  return words.some((word) =>
    /[$`]/.test(word) ? speaksOfOurs(word, ours) : isFound(word, lines, isPattern),
  );
}

/** What a process list shows of us and of the hosts. */
function shown(whole: boolean, { service, ledger, hosts = [], directories }: Ours): string[] {
  // The installed package is the one directory of ours that a process is started from.
  const program = directories.find((each) => each.endsWith('/dist'));
  const script = program === undefined ? 'foil.cjs' : `${program}/foil.cjs`;
  return [
    'foil',
    ...(service === null ? [] : ['node']),
    ...hosts.map(({ name }) => name),
    ...(whole ? [`node ${script} hook`, ...hosts.map(({ line }) => line)] : []),
    ...(whole && service !== null ? [`node ${script} serve --ledger ${ledger}`] : []),
  ].filter((line) => line !== '');
}

function isFound(word: string, lines: readonly string[], isPattern: boolean): boolean {
  if (OURS.test(word)) return true;
  if (!isPattern) return lines.includes(programName(word));
  return word.split('|').some((part) => {
    // Not run as a pattern, which could take for ever: what of it is plain text must be there.
    const plain = part.split(/\[[^\]]*\]|\\.|[.*+?^${}()[\]]/).filter((text) => text !== '');
    return lines.some((line) => plain.every((text) => line.includes(text)));
  });
}
