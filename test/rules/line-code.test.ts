// Code on the line, `node -e`, `python3 -c`: evidence of the work only if it loads or names what changed.
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/format/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { readCommand, readContract, VALIDATORS } from '../../src/rules/index.ts';
import { ask, claim, edit, evidence, ran, said } from './cases.ts';

const DONE = claim('done', 'Fixed. It works now.');
const WORKS = claim('checked', 'Verified that it works.');
const HERE = { root: '/work/project', cwd: '/work/project', changed: [] };

function told(of: Claim, command: string, path: string, tree?: { treeBefore: string; tree: string }) {
  const [check] = readCommand(command, HERE).checks;
  if (check === undefined) throw new Error(`no check: ${command}`);
  const run = ran(2, check, { tests: null, ...tree });
  const now = tree === undefined ? {} : { tree: tree.tree };
  return said(ask('command_zero_exit', of, `Fix ${path}`, { changes: [edit(1, path)], runs: [run], ...now }));
}

describe('B3a B4a code on the line', () => {
  it.each([
    ['node -e 1', 'src/sum.js'],
    ['node -p "1 + 1"', 'src/sum.js'],
    ['python3 -c pass', 'calc.py'],
    ['uv run python -c "import os, sys; print(1/2)"', 'calc.py'],
    ['perl -e 1', 'lib/Calc.pm'],
    ['ruby -e "puts 1"', 'lib/calc.rb'],
    ['php -r "echo 1;"', 'src/Calc.php'],
    ['Rscript -e 1', 'R/calc.R'],
    ["node -e \"require('fs').readFileSync('README.md')\"", 'src/sum.js'],
  ])('is no evidence if it has nothing to do with the change: %s', (command, path) => {
    expect(told(DONE, command, path)).toBe('fail nothing-ran');
    expect(told(WORKS, command, path)).toBe('fail nothing-ran');
  });

  it.each([
    ['node -e "import(\'./src/sum.js\').then((m) => console.log(m.sum(1, 2)))"', 'src/sum.js'],
    ['node -e "require(\'.\')"', 'src/sum.js'],
    ['node --input-type=module -e "import { sum } from \'./src/sum.js\'"', 'src/sum.js'],
    ['python3 -c "from calc import add; assert add(1, 2) == 3"', 'calc.py'],
    ['python3 -c "import json, calc; calc.add(1, 2)"', 'src/calc.py'],
    ['python3 -c "from app import create_app; create_app()"', 'app/routes.py'],
    ['python3 -c "import shop.cart.total"', 'src/shop/cart/total.py'],
    ['perl -Ilib -MCalc -e "print Calc::add(1, 2)"', 'lib/Calc.pm'],
    ['ruby -e "require_relative \'lib/calc\'; puts add(1, 2)"', 'lib/calc.rb'],
    ['php -r "require \'src/Calc.php\'; echo add(1, 2);"', 'src/Calc.php'],
    ['node -e "fetch(\'http://localhost:3000/sum\').then((r) => process.exit(r.ok ? 0 : 1))"', 'src/sum.js'],
  ])('counts if it loads what changed: %s', (command, path) => {
    expect(told(DONE, command, path)).toBe('pass');
    expect(told(WORKS, command, path)).toBe('pass');
  });

  it('is no evidence of the change that it made itself', () => {
    const writes = "python3 -c \"open('src/sum.js', 'a').write('// x')\"";
    const moved = { treeBefore: 'a'.repeat(64), tree: 'b'.repeat(64) };
    expect(told(DONE, writes, 'src/sum.js', moved)).toBe('fail nothing-ran');
    expect(told(WORKS, writes, 'src/sum.js', moved)).toBe('fail nothing-ran');
  });

  it('is judged as before where an earlier version signed', () => {
    const [check] = readCommand('node -e 1', HERE).checks;
    if (check === undefined) throw new Error('no check');
    const all = evidence({ changes: [edit(1, 'src/sum.js')], runs: [ran(2, check, { tests: null })] });
    const scope = { named: [], changed: ['src/sum.js'] };
    const contract = readContract('Fix it', DEFAULT_POLICY);
    const judged = (version: number) =>
      said(VALIDATORS.command_zero_exit.judge({}, { evidence: all, contract, claim: DONE, scope, version }));
    expect(judged(3)).toBe('pass');
    expect(judged(4)).toBe('fail nothing-ran');
  });
});
