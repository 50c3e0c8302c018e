// Options by which a runner itself gives its exit code away, or has its work done by something else.
import type { Flaw } from '../../format/index.ts';
import { clip, type Found } from './facts.ts';

/** It ends with 0 whatever it finds. */
const ALWAYS_ZERO =
  /^(?:--exit-zero|--fail-never|-fn|--ignore-errors|--no-bail|--exit-status=0|--failure-exit-code=0|--issues-exit-code=0|--suppress-tests-failed-exit-code|-Dmaven\.test\.failure\.ignore(?:=true)?|--warn-only|--no-fail)$/;
const ZERO_NEXT = /^(?:--exit-status|--failure-exit-code|--issues-exit-code|--exit-code)$/;

/** Something else runs in place of the tests or of the shell. */
const STAND_IN =
  /^(?:--script-shell|-exec|-toolexec|-vettool|--shell)(?:=|$)|^--config=target\..*runner|^(?:SHELL|MAKE|\.SHELLFLAGS|MAKEFLAGS|CC|CXX|PYTHON|PYTEST|GO|CARGO|NODE|NPM|RUBY|PHP)\s*[:?]?=/;

/** What is loaded before the tests can end the run as it likes; from outside the project it is no part of it. */
const LOADS = /^(?:-r|--require|--import|--loader|--experimental-loader|--test-reporter)(?:=(.*))?$/s;

export function givenAway(words: readonly string[], found: Found): Flaw | null {
  for (const [at, word] of words.entries()) {
    if (ALWAYS_ZERO.test(word) || (ZERO_NEXT.test(word) && words[at + 1] === '0'))
      return { code: 'masked', detail: clip(word, 120) };
    if (word === '-i' && /^make\b/.test(found.runner)) return { code: 'masked', detail: 'make -i' };
    if (found.runner === 'docker compose up' && /^(?:-d|--detach|--wait)$/.test(word))
      return { code: 'background', detail: `docker compose up ${word}` };
    const loaded = found.runner === 'node:test' ? LOADS.exec(word) : null;
    const file = loaded === null ? '' : (loaded[1] ?? words[at + 1] ?? '');
    if (/^(?:data:|file:|\.\.\/|\/tmp\/|\/dev\/)/.test(file))
      return {
        code: 'shadowed',
        detail: clip(`${word} ${loaded?.[1] === undefined ? file : ''}`.trim(), 120),
      };
    // `go run -exec`, `just --shell` and the like run a program; only a check is replaced by one.
    if (found.kind !== 'run' && STAND_IN.test(word))
      return {
        code: 'shadowed',
        detail: clip(`${word}${word.includes('=') ? '' : ` ${words[at + 1] ?? ''}`}`, 120),
      };
  }
  return null;
}
