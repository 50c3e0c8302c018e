// Code of the agent's own, on the line (`node -e`, `python3 -c`) or in a script of the session: evidence of the work only
// if it loads what changed, or asks a server that the session started.
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/format/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { readContract, VALIDATORS } from '../../src/rules/index.ts';
import { loadedIn, readCommand } from '../../src/shell/index.ts';
import { ask, claim, edit, evidence, ran, said } from './cases.ts';

const DONE = claim('done', 'Fixed. It works now.');
const WORKS = claim('checked', 'Verified that it works.');
const HERE = { root: '/work/project', cwd: '/work/project', changed: [] };

const ASKS = 'node -e "fetch(\'http://localhost:3000/sum\').then((r) => process.exit(r.ok ? 0 : 1))"';

function checkOf(command: string, changed: string[] = []) {
  const [check] = readCommand(command, { ...HERE, changed }).checks;
  if (check === undefined) throw new Error(`no check: ${command}`);
  return check;
}

function told(of: Claim, command: string, path: string, tree?: { treeBefore: string; tree: string }) {
  const run = ran(2, checkOf(command), { tests: null, ...tree });
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
    ['node -e "1 // localhost"', 'src/sum.js'],
    ['python3 -c "1 # 127.0.0.1"', 'calc.py'],
    ['node -e "1 // src/sum.js"', 'src/sum.js'],
    ['node -e "1 /* import(\'./src/sum.js\') */"', 'src/sum.js'],
    ['node -e "\'src/sum.js\'"', 'src/sum.js'],
    ['python3 -c "print(\'calc.py\')"', 'calc.py'],
    ['python3 -c "1\n# from calc import add"', 'calc.py'],
    ['node -e "const f = \'./src/sum.js\'"', 'src/sum.js'],
    ['node -e "const f = \'./src/sum.js\'; console.log(1)"', 'src/sum.js'],
    ['node -e "if (\'./src/sum.js\') process.exit(0)"', 'src/sum.js'],
    ["node -e \"const all = ['./src/sum.js', 'b.js']\"", 'src/sum.js'],
    ['node -e "void \'src/sum.js\'; process.exit(0)"', 'src/sum.js'],
    ['python3 -c "f = \'calc.py\'"', 'calc.py'],
    ['node -e "const f=\'./src/sum.js\'; console.log(f)"', 'src/sum.js'],
    ["node -e \"const p='./src/sum.js'; if (p==='./src/sum.js') console.log('sum ok')\"", 'src/sum.js'],
    ['python3 -c "n = len(\'calc.py\'); print(n)"', 'calc.py'],
    ['python3 -c "assert \'calc.py\'"', 'calc.py'],
    ['ruby -e "f = \'lib/calc.rb\'; puts 1"', 'lib/calc.rb'],
    [ASKS, 'src/sum.js'],
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
    ['python3 -c "\n# one and two\nfrom calc import add\nassert add(1, 2) == 3 # not 2"', 'calc.py'],
    ['node -e "const f = \'./src/sum.js\'; import(f)"', 'src/sum.js'],
    ['node -e "const f = \'./src/sum.js\'; console.log(f); import(f)"', 'src/sum.js'],
    ['node -e "const { sum } = require(\'./src/sum.js\')"', 'src/sum.js'],
    ["node -e \"require('child_process').execSync('node src/sum.js')\"", 'src/sum.js'],
    ['node -e "for (const f of [\'./src/sum.js\']) import(f)"', 'src/sum.js'],
    ['node -e "const all = [\'./src/sum.js\']; all.map((f) => require(f))"', 'src/sum.js'],
    ["python3 -c \"import subprocess; subprocess.run(['python3', 'calc.py'], check=True)\"", 'calc.py'],
    ['python3 -c "import json; print(json.load(open(\'data/calc.py\')))"', 'data/calc.py'],
    ["python3 -c \"from pathlib import Path; compile(Path('calc.py').read_text(), 'x', 'exec')\"", 'calc.py'],
    ['ruby -e "system \'ruby lib/calc.rb\'"', 'lib/calc.rb'],
    ["ruby -e 'out = `ruby lib/calc.rb`'", 'lib/calc.rb'],
    ['lua -e "dofile(\'lib/calc.lua\')"', 'lib/calc.lua'],
    ['node -e "const n = 7 / 2; // half\nrequire(\'./src/sum.js\')"', 'src/sum.js'],
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
    const scope = { named: [], changed: ['src/sum.js'] };
    const contract = readContract('Fix it', DEFAULT_POLICY);
    const judged = (version: number, command: string) => {
      const runs = [ran(2, checkOf(command), { tests: null })];
      const all = evidence({ changes: [edit(1, 'src/sum.js')], runs });
      const context = { evidence: all, contract, claim: DONE, scope, version };
      return said(VALIDATORS.command_zero_exit.judge({}, context));
    };
    expect(judged(3, 'node -e 1')).toBe('pass');
    expect(judged(4, 'node -e 1')).toBe('fail nothing-ran');
    expect(judged(4, 'node -e "1 // localhost"')).toBe('pass');
    expect(judged(5, 'node -e "1 // localhost"')).toBe('fail nothing-ran');
  });
});

describe('B3a B4a a script of the session', () => {
  /** Run after `src/cart.js` and the script were written. */
  function run(command: string, text: string, more: string[] = [], before: string[] = []) {
    const changed = ['src/cart.js', 'scratch.mjs', ...more];
    const check = checkOf(command, changed);
    const targets = [...check.targets, ...loadedIn(text, check.runner)];
    const runs = [...before.map((line) => checkOf(line, changed)), { ...check, targets }].map((each, at) =>
      ran(5 + at, each, { tests: null }),
    );
    const changes = changed.map((path, at) => edit(1 + at, path, 'write'));
    return said(ask('command_zero_exit', DONE, 'Fix total', { changes, runs }));
  }

  it.each([
    ['it does nothing', 'process.exit(0)\n'],
    ['it loads something else', "import { readFileSync } from 'node:fs'\nreadFileSync('README.md')\n"],
    ['it loads what changed in a comment', "// import './src/cart.js'\nprocess.exit(0)\n"],
    ['it asks a server that the session did not start', "await fetch('http://localhost:3000/')\n"],
  ])('is no evidence of the work where %s', (_, text) => {
    expect(run('node scratch.mjs', text)).toBe('fail nothing-ran');
  });

  it.each([
    ['it imports what changed', "import { total } from './src/cart.js'\nif (total([1]) !== 1) throw 1\n"],
    ['it runs what changed', "execFileSync('node', ['src/cart.js'])\n"],
    ['it imports what holds it', "import app from './src/index.js'\n"],
  ])('counts where %s', (_, text) => {
    expect(run('node scratch.mjs', text)).toBe('pass');
  });

  it('counts where all that was made was run', () => {
    expect(run('node scratch.mjs', 'work()\n', [], ['node src/cart.js'])).toBe('pass');
  });

  it('counts where it asks a server that the session started', () => {
    const asks = "await fetch('http://localhost:3000/')\n";
    expect(run('node scratch.mjs', asks, [], ['npm start &'])).toBe('pass');
    expect(run('node scratch.mjs', asks, [], ['docker compose up -d'])).toBe('pass');
    expect(run('node scratch.mjs', asks, [], ['python3 /tmp/answers.py &'])).toBe('fail nothing-ran');
    expect(run('node scratch.mjs', asks, [], ['node -e "serve()" &'])).toBe('fail nothing-ran');
  });

  it('needs nothing else where it is the work', () => {
    const runs = [ran(2, checkOf('node scratch.mjs', ['scratch.mjs']), { tests: null })];
    const changes = [edit(1, 'scratch.mjs', 'write')];
    expect(said(ask('command_zero_exit', DONE, 'Write a script', { changes, runs }))).toBe('pass');
  });
});

describe('B4a a page on this machine', () => {
  const page = 'curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:3000/cart';
  const asked = (before: string[]) => {
    const lines = [...before, page].map((line) => checkOf(line));
    const runs = lines.map((check, at) =>
      ran(2 + at, { ...check, status: check.kind === 'http' ? 200 : null }, { tests: null }),
    );
    return said(ask('http_2xx', DONE, 'Fix total', { changes: [edit(1, 'src/cart.js')], runs }));
  };

  it('shows the work only where the session started a server', () => {
    expect(asked([])).toBe('fail not-served');
    expect(asked(['python3 /tmp/answers.py &'])).toBe('fail not-served');
    expect(asked(['npm run dev > dev.log 2>&1 &'])).toBe('pass');
    expect(asked(['node bin/www &'])).toBe('pass');
  });
});
