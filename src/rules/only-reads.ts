// A command that only reads: it looks at files, or asks a service how things stand. Whatever it showed, it is no deed: a list
// of issues opens none, and the text of a server starts none.

import { HARMLESS, programName } from './command/programs.ts';
import { ASKS, PARSES } from './validators/aside.ts';

/** They may act, whatever else they do. */
const ACT =
  / (?:open|xdg-open|eval|kill|java|nc|telnet|redis-cli|etcdctl|consul|gh|glab|notify-send|logger) /;
const CLIENTS = /^(?:curl|wget|https?|xh)$/;
const SENDS =
  /\s(?:-X ?|--request[ =])(?:POST|PUT|PATCH|DELETE)\b|\s(?:-d|-F|-T|--data\S*|--form\S*|--json|--upload-file|--post-\S+)\b|\b(?:POST|PUT|PATCH|DELETE)\b/;
const TELLS_ITSELF = /\s--?(?:help|version)$/;

export function onlyReads(command: string): boolean {
  const name = programName(command.split(' ', 1)[0] ?? '');
  if (CLIENTS.test(name)) return !SENDS.test(command);
  if (PARSES.test(command) || ASKS.test(command) || TELLS_ITSELF.test(command)) return true;
  return HARMLESS.includes(` ${name} `) && !ACT.test(` ${name} `);
}
