// Commands that would stop our service or a hook of ours at its work.
import { programName } from '../command/wrappers.ts';
import { namesOurs, type Ours } from './ours.ts';

const CONTROL =
  /^(?:stop|kill|disable|mask|restart|bootout|unload|remove|delete|down|shutdown|revert|edit|set-property)$/;
const OURS = /(?:counter)?foil/i;

export function killsOurs(argv: readonly string[], cwd: string | null, ours: Ours): boolean {
  const [first = '', ...args] = argv;
  switch (programName(first)) {
    case 'kill':
    case 'skill':
      return killed(args, ours);
    case 'pkill':
    case 'killall':
    case 'killall5':
    case 'pgrep':
      return programName(first) !== 'pgrep' && matched(args, programName(first) === 'pkill', ours);
    case 'fuser':
      return (
        args.some((arg) => /^-[a-zA-Z]*k|^--kill$/.test(arg)) &&
        args.some(
          (arg) => isOurPort(arg.replace(/\/tcp$/, ''), ours) || namesOurs(arg, cwd, 'inside', ours) !== null,
        )
      );
    case 'kill-port':
    case 'fkill':
      return args.some((arg) => isOurPort(arg.replace(/^:/, ''), ours) || OURS.test(arg));
    case 'systemctl':
    case 'launchctl':
    case 'service':
    case 'sv':
    case 'rc-service':
    case 'supervisorctl':
    case 'initctl':
      return args.some((arg) => CONTROL.test(arg)) && args.some((arg) => OURS.test(arg));
    case 'loginctl':
      return args.some((arg) => /^(?:terminate|kill)-/.test(arg));
    default:
      return false;
  }
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
  return pids.some((pid) => pid === '-1' || Number(pid.replace(/^-/, '')) === ours.service?.pid);
}

function speaksOfOurs(text: string, { ledger, service }: Ours): boolean {
  return (
    OURS.test(text) || text.includes(ledger) || (service?.port != null && isOurPortIn(text, service.port))
  );
}

function isOurPort(word: string, { service }: Ours): boolean {
  return service?.port != null && word === String(service.port);
}

function isOurPortIn(text: string, port: number): boolean {
  return new RegExp(`(?<!\\d)${port}(?!\\d)`).test(text);
}

/** The pattern is held against what the system would show of our processes. */
function matched(args: readonly string[], isPattern: boolean, ours: Ours): boolean {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const whole = args.some((arg) => /^-[a-zA-Z]*f|^--full$/.test(arg));
  const lines = [
    'foil',
    ...(ours.service === null ? [] : ['node']),
    ...(whole ? [`node foil.cjs serve --ledger ${ours.ledger}`, 'node foil.cjs hook'] : []),
  ];
  return words.some((word) => {
    if (/[$`]/.test(word)) return speaksOfOurs(word, ours);
    if (OURS.test(word)) return true;
    if (!isPattern && !args.some((arg) => /^-[a-zA-Z]*r|^--regexp$/.test(arg))) return lines.includes(word);
    // Not run as a pattern, which could take for ever: what of it is plain text must be there.
    const plain = word.split(/\[[^\]]*\]|\\.|[.*+?^${}()|[\]]/).filter((part) => part !== '');
    return lines.some((line) => plain.every((part) => line.includes(part)));
  });
}
