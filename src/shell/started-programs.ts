// What a line starts, put down for those who ask what it may do: each program with its folder, variables and input, and
// each file that output is sent to.
import type { Command } from 'unbash';
import { lookup } from './lookup.ts';
import { inWorkspace, resolvePath } from './places.ts';
import { forget, type State } from './shell-state.ts';
import type { Frame, Walk } from './walk.ts';
import { assignmentText, type Lookup, wordValue } from './words.ts';
import type { Unwrapped } from './wrappers.ts';

/** Variables that say where something is, or what is to be run for a program. */
const HANDED = /^(?:FOIL|GIT_|EDITOR=|VISUAL=|(?:MAN)?PAGER=|BROWSER=|\w+_(?:EDITOR|COMMAND|PAGER)=)/;

/** What is put down of a program, for those who ask what the line may do. */
export function started(
  walk: Walk,
  node: Command,
  words: readonly string[],
  step: Unwrapped,
  state: State,
  at: Frame,
): void {
  const look = lookup(walk, state, at);
  const [first = ''] = words;
  const set = [...state.variables].map(([name, { text }]) => `${name}=${text ?? ''}`);
  for (const item of node.prefix) if (item.type === 'Assignment') set.push(assignmentText(item, look));
  const env = [...set, ...step.assignments].filter((text) => HANDED.test(text));
  const seen = { cwd: state.cwd, env, input: inputOf(node, look) };
  // What stands in a wrapper's own words (`ssh`, `at`) is told by these; what it runs, by the others.
  walk.started.push({ ...seen, argv: words });
  if (step.argv.length > 0 && step.argv !== words && !step.elsewhere)
    walk.started.push({ ...seen, argv: step.argv });
  const alias = /^alias \S+?=(.*)$/s.exec(walk.shadows.names.get(first) ?? '')?.[1];
  if (alias !== undefined) walk.started.push({ ...seen, argv: [...alias.split(/\s+/), ...words.slice(1)] });
}

export function inputOf({ redirects }: Pick<Command, 'redirects'>, look: Lookup): readonly string[] {
  return redirects.flatMap((redirect) =>
    redirect.type === 'HereDoc'
      ? [redirect.body.text]
      : redirect.type === 'HereString' && redirect.target !== undefined
        ? [wordValue(redirect.target, look)]
        : [],
  );
}

export function redirections(walk: Walk, node: Command, before: State, look: Lookup): State {
  let state = before;
  for (const redirect of node.redirects) {
    if (redirect.descriptor?.type === 'FileDescriptorVariable')
      state = forget(state, redirect.descriptor.name);
    if (redirect.type !== 'Redirect' || !redirect.operator.includes('>') || redirect.target === undefined)
      continue;
    const target = wordValue(redirect.target, look);
    walk.started.push({ argv: ['>', target], cwd: state.cwd, env: [], input: [] });
    if (/^(?:\d+|-|nul:?)$|^\/dev\/(?!shm\/)/i.test(target)) continue;
    walk.noteWrite({ path: target, op: redirect.operator === '>>' ? 'edit' : 'write' }, state.cwd);
    const path = resolvePath(target, state.cwd);
    const inside = path === null ? target : inWorkspace(path, walk.where.root);
    // Outside of the workspace nothing of it changes.
    if (inside === null && walk.where.root !== null) continue;
    walk.overtake(`> ${target}`.slice(0, 120));
    if (inside !== null && walk.written.size < 64) walk.written.add(inside);
  }
  return state;
}
