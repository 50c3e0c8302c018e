// Options that make a runner's exit code worthless: it exits with 0 whatever it finds, or something else does its
// work.
import { checkersOf, isConfigName, traitsOf } from '../ecosystems/index.ts';
import type { Flaw } from '../format/index.ts';
import { clip, type Found } from './facts.ts';

/** It ends with 0 whatever it finds. */
const ALWAYS_ZERO =
  /^(?:--exit-zero|--fail-never|-fn|--ignore-errors|--no-bail|--exit-status=0|--failure-exit-code=0|--issues-exit-code=0|--suppress-tests-failed-exit-code|-Dmaven\.test\.failure\.ignore(?:=true)?|--warn-only|--no-fail)$/;
const ZERO_NEXT = /^(?:--exit-status|--failure-exit-code|--issues-exit-code|--exit-code)$/;

/** Something else runs in place of the tests or of the shell. */
const STAND_IN =
  /^(?:--script-shell|-exec|-toolexec|-vettool|--shell)(?:=|$)|^--config=target\..*runner|^(?:SHELL|MAKE|\.SHELLFLAGS|MAKEFLAGS|CC|CXX|PYTHON|PYTEST|GO|CARGO|NODE|NPM|RUBY|PHP)\s*[:?]?=/;

/** Code that is loaded before the tests, or told how they ended, can end the run as it likes. */
const LOADS =
  /^(?:-r|-p|--(?:require|import|preload|loader|experimental-loader|test-reporter|reporters?|testRunner|runner|setupFiles\w*|plugin|ui))(?:=(.*))?$/s;

/** Settings in a file that has no known name: what they say is compared with nothing. */
const SETTINGS = /^(?:-c|--config|--config-file|--rcfile)(?:=(.*))?$/s;

function isUnknownConfig(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1).toLowerCase();
  return /\.(?:ini|cfg|toml)$/.test(name) && !isConfigName(name) && checkersOf(name).length === 0;
}

/** The file that a runner is told to load, where `isForeign` says that it is none of the project's. */
function loaded(
  words: readonly string[],
  { runner }: Found,
  isForeign: (file: string) => boolean,
): string | null {
  for (const [at, word] of words.entries()) {
    const option = LOADS.exec(word) ?? SETTINGS.exec(word);
    if (option === null) continue;
    const value = option[1] ?? words[at + 1] ?? '';
    const isModule =
      traitsOf(runner)?.module !== undefined && word.startsWith('-p') && !value.startsWith('no:');
    const file = isModule ? `${value.replaceAll('.', '/')}.py` : value;
    const isFile = SETTINGS.test(word)
      ? isUnknownConfig(value)
      : isModule || /^(?:data:|file:|\/|\.|~)|\.[cm]?[jt]s$/.test(value);
    if (isFile && (/^(?:data|file):/.test(value) || isForeign(file)))
      return clip(`${word} ${option[1] === undefined ? value : ''}`.trim(), 120);
  }
  return null;
}

export function givenAway(
  words: readonly string[],
  found: Found,
  isForeign: (file: string) => boolean,
): Flaw | null {
  const file = found.kind === 'run' ? null : loaded(words, found, isForeign);
  if (file !== null) return { code: 'shadowed', detail: file };
  for (const [at, word] of words.entries()) {
    if (ALWAYS_ZERO.test(word) || (ZERO_NEXT.test(word) && words[at + 1] === '0'))
      return { code: 'masked', detail: clip(word, 120) };
    if (word === '-i' && /^make\b/.test(found.runner)) return { code: 'masked', detail: 'make -i' };
    if (found.runner === 'docker compose up' && /^(?:-d|--detach|--wait)$/.test(word))
      return { code: 'background', detail: `docker compose up ${word}` };
    // `go run -exec`, `just --shell` and the like run a program; only a check is replaced by one.
    if (found.kind !== 'run' && STAND_IN.test(word))
      return {
        code: 'shadowed',
        detail: clip(`${word}${word.includes('=') ? '' : ` ${words[at + 1] ?? ''}`}`, 120),
      };
  }
  return null;
}
