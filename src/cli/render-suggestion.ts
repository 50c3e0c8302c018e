// Suggested grants as YAML that can be pasted into counterfoil.yaml. What is left out stands above it, as comments.
import type { JsonObject } from '../core/index.ts';
import { counted, harmless } from '../report/index.ts';
import type { SessionNeeds } from './session-needs.ts';

/** What YAML takes for a text without quotes, wherever it stands in a list. */
const PLAIN = /^[a-z][\w./:@*+-]*[\w/*+-]$/;

export function suggestionJson(
  { session, root, deny, calls, refused, derived, unread, ambient }: SessionNeeds,
  allow: readonly string[],
  left: readonly string[],
): JsonObject {
  return {
    session: session.id,
    root,
    grants: { allow: [...allow], deny: [...deny] },
    calls,
    refused,
    derived,
    unread: unread.map((each) => ({ ...each })),
    left: [...left],
    ambient: [...ambient],
  };
}

export function suggestionText(
  { session, deny, calls, refused, derived, unread, ambient }: SessionNeeds,
  allow: readonly string[],
  left: readonly string[],
): string {
  const notes = [
    `What ${counted(calls, 'call')} of session ${session.id.slice(0, 12)} needed. Read it before you accept it.`,
    ...(refused === 0
      ? []
      : [`Left out: ${counted(refused, 'call')} that ${refused === 1 ? 'was' : 'were'} refused.`]),
    ...(derived === 0
      ? []
      : [
          `${counted(derived, 'call')} read from kept arguments, with the files as they are now, from the root of the work tree.`,
        ]),
    ...unread.map(({ seq, tool, why }) => `Not covered: entry ${seq}, ${tool}: ${why}.`),
    ...left.map((need) => `Not covered: ${need} can't be written as a narrow grant.`),
    ...(ambient.length === 0 ? [] : [`It is unknown what these do by themselves: ${ambient.join(', ')}.`]),
  ];
  const denials = deny.length === 0 ? '' : listOf('deny', deny);
  return `${notes.map((note) => `# ${harmless(note)}\n`).join('')}grants:\n${listOf('allow', allow)}${denials}`;
}

function listOf(name: string, texts: readonly string[]): string {
  const lines = texts.map((text) => `    - ${PLAIN.test(text) ? text : JSON.stringify(text)}\n`);
  return lines.length === 0 ? `  ${name}: []\n` : `  ${name}:\n${lines.join('')}`;
}
