// Runners of a Python project's own scripts.
import { goal, passedOn, scriptKind } from '../tasks/scripts.ts';
import { found, type Reader, type Table } from '../tool.ts';

/** `hatch run test`, `hatch run env:test`, `hatch test`. */
const hatch: Reader = (args) => {
  const [sub = '', ...rest] = args;
  if (sub === 'test') return passedOn('test', 'hatch test', rest);
  if (sub === 'build') return found('build', 'hatch build');
  if (sub === 'fmt') return found('lint', 'hatch fmt', { rewrites: !rest.includes('--check') });
  if (sub === 'publish') return found('ship', 'hatch publish');
  if (sub !== 'run') return null;
  const name = (rest[0] ?? '').replace(/^.*:/, '');
  return passedOn(scriptKind(name), `hatch run ${name}`, rest.slice(1));
};

/** `pixi run test`: only with `run` is it a script. */
const running =
  (name: string, values = ''): Reader =>
  (args) =>
    args[0] === 'run' ? goal(`${name} run`, { values })(args.slice(1), name) : null;

export const programs = (): Table => ({
  poetry: running('poetry'),
  pipenv: running('pipenv'),
  pdm: running('pdm'),
  rye: running('rye'),
  pixi: running('pixi', '-e --environment --manifest-path'),
  hatch,
  invoke: goal('invoke', { dry: '-l --list' }),
  inv: goal('invoke', { dry: '-l --list' }),
  doit: goal('doit'),
  poe: goal('poe'),
});
