// A command that only reads: it looks at files, or asks a service how things stand. Whatever it showed, it is no deed: a list
// of issues opens none, and the text of a server starts none.

import { HARMLESS, programName } from '../shell/index.ts';
import { ASKS, PARSES } from './validators/aside.ts';

/** They may act, whatever else they do. */
const ACT =
  / (?:open|xdg-open|eval|kill|java|nc|telnet|redis-cli|etcdctl|consul|gh|glab|notify-send|logger) /;
const CLIENTS = /^(?:curl|wget|https?|xh)$/;
const SENDS =
  /\s(?:-X ?|--request[ =])(?:POST|PUT|PATCH|DELETE)\b|\s(?:-d|-F|-T|--data\S*|--form\S*|--json|--upload-file|--post-\S+)\b|\b(?:POST|PUT|PATCH|DELETE)\b/;
const TELLS_ITSELF = /\s--?(?:help|version)$/;
const GIT_LOOKS =
  /^git (?:-\S+ )*(?:status|diff|log|show|blame|ls-\w+|rev-\w+|describe|grep|shortlog|reflog|(?:remote|branch|tag|config|stash list)(?= -|$| (?:show|get))(?!.* -[dDfmMa]\b))/;
/** A program of the project that is told to show something: `python3 -m kit stats`. */
const SHOWS = /^[\w./-]+(?: [\w./-]+){0,2} (?:stats|summary|version|count|help|search|find)\b/;

export function onlyReads(command: string): boolean {
  const name = programName(command.split(' ', 1)[0] ?? '');
  if (CLIENTS.test(name)) return !SENDS.test(command);
  return [PARSES, ASKS, SHOWS, TELLS_ITSELF].some((form) => form.test(command)) || looks(command);
}

/** No program of the project's that is told to show something, but one that looks at files or at git. */
export function looks(command: string): boolean {
  const name = programName(command.split(' ', 1)[0] ?? '');
  return GIT_LOOKS.test(command) || (HARMLESS.includes(` ${name} `) && !ACT.test(` ${name} `));
}
