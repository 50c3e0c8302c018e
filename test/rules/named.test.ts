// What a claim names must be what was done: files, acts, runs; and what nothing can have made is held.
import { describe, expect, it } from 'vitest';
import { isCode } from '../../src/ecosystems/file-kinds.ts';
import { leadingClaim } from '../../src/rules/index.ts';
import { missingAct } from '../../src/rules/named-acts.ts';
import { namesOthers } from '../../src/rules/named-files.ts';
import { check, claim, edit, evidence, judged, ran } from './cases.ts';

describe('B3c files that a claim names', () => {
  it.each([
    ['Added a guard in `src/mul.js`', ['src/sum.js'], ['src/mul.js']],
    ['Added a guard in `src/sum.js`', ['src/sum.js'], []],
    ['`server.py` — replaced the table', ['app/client.py'], ['server.py']],
    ['**a.ts, b.ts** — switched to the helper', ['src/a.ts'], ['b.ts']],
    [
      'Added `Stock.has(sku)` and wrote tests for it in `tests/test_stock.py`',
      ['stock.py'],
      ['tests/test_stock.py'],
    ],
    ['Renamed it, including `src/cart.js`', ['src/price.js'], ['src/cart.js']],
    ['It goes through `round()` like everything else in `price.js`', ['src/cart.js'], []],
    ['All keys that existed only in `en.json` have a text', ['de.json'], []],
    ['Moved the parser from `a.ts` to `b.ts`', ['b.ts'], []],
    ['Updated the docs in `README.md`', ['src/a.ts'], []],
    ['`--out FILE` – added to `app/cli.py`', ['app/ics.py'], ['app/cli.py']],
    ['`--out FILE` – added to `app/cli.py`', ['app/cli.py'], []],
    ['Changed `lib/a.js` and `lib/b.js`.', ['lib/a.js'], ['lib/b.js']],
    ['Changed `lib/a.js`, `lib/b.js` and `lib/c.js`.', ['lib/a.js', 'lib/c.js'], ['lib/b.js']],
    ['Renamed the constant in `lib/a.js` and `lib/b.js`.', ['lib/b.js'], ['lib/a.js']],
    ['Changed `lib/a.js` and `lib/b.js`.', ['lib/a.js', 'lib/b.js'], []],
    ['Renamed the constant in `lib/sum.js`.', ['sum.js'], ['lib/sum.js']],
  ])('%s, where %j changed', (quote, changed, expected) => {
    expect(namesOthers({ quote }, changed, isCode, {}).map(({ name }) => name)).toEqual(expected);
  });
});

describe('B3c acts that a claim names', () => {
  const only = (command: string) => evidence({ runs: [ran(2, check(command))] });
  it.each([
    ['checked', 'Grepped the sources: no occurrences left', 'npm test', 'a search'],
    ['checked', 'Grepped the sources: no occurrences left', 'grep -rn old src', null],
    ['checked', 'The image no longer installs curl', 'docker build .', null],
    ['tested', 'All tests pass with the race detector', 'go test ./...', 'a run with the race detector'],
    ['tested', 'All tests pass with the race detector', 'go test -race ./...', null],
    ['checked', 'Opened it in the browser, and it looks right', 'npm test', 'a look through a browser'],
    ['checked', 'The benchmark is 30 % faster', 'go test ./...', 'a benchmark'],
    ['tested', 'I ran the suite ten times, and it passed', 'go test ./...', 'ten runs of it'],
    ['tested', 'I ran the suite ten times, and it passed', 'go test -count=10 ./...', null],
    ['checked', 'The search index holds 1204 documents', 'npm test', null],
    ['tested', 'All tests pass', 'go test ./...', null],
    ['checked', '`golint` has no complaints', 'go test ./...', 'a run of golint'],
    ['checked', '`golint` has no complaints', 'golint ./...', null],
    ['checked', 'verified it with doctest', 'pytest', 'a run of doctest'],
    ['checked', 'verified it with doctest', 'python3 -m doctest a.py', null],
    ['checked', 'The eslint config is valid', 'npm test', null],
    ['done', 'TypeScript is upgraded and installed', 'npm test', 'an install'],
    ['done', 'TypeScript is upgraded and installed', 'npm install', null],
    ['done', 'The hook is installed in your home', 'npm test', null],
    ['changed', 'I have installed it.', 'npm test', 'an install'],
    ['changed', 'I have installed it.', 'npm install', null],
    ['changed', 'Installed the missing packages', 'npm test', 'an install'],
    ['changed', 'Installed a guard in the router', 'npm test', null],
  ] as const)('%s: %s, after %s', (type, quote, command, expected) => {
    expect(missingAct(claim(type, quote), only(command))).toBe(expected);
  });
});

describe('B3b what nothing can have made', () => {
  const said = claim('done', 'Fixed.');
  it.each([
    [
      'nothing but tests ran',
      [said],
      'fix it',
      { runs: [ran(2, check('npm test'))] },
      'block: done unbacked',
    ],
    [
      'nothing ran, a file was made',
      [claim('changed', 'I’ve created the file.')],
      'go on',
      {},
      'block: changed unbacked',
    ],
    ['nothing was asked for', [said], 'how are you', {}, 'silent: nothing-changed'],
    [
      'blocked, nothing tried',
      [claim('blocked', "I can't reach it.")],
      'fix it',
      {},
      'block: blocked not-tried',
    ],
    [
      'blocked, something failed',
      [claim('blocked', "I can't reach it.")],
      'fix it',
      { runs: [ran(2, check('ping db'), { code: 1 })] },
      'pass',
    ],
    [
      'a style sheet, and no test of it',
      [said],
      'darken the button',
      { changes: [edit(1, 'app/button.css')] },
      'pass',
    ],
    [
      'a revert, by a command',
      [claim('done', 'Reverted: `a.ts` is back to what is committed.')],
      'undo it',
      { changes: [{ ...edit(1, 'src/a.ts'), by: 'command' as const }] },
      'pass',
    ],
    [
      'a fix of what is called a branch, by a command',
      [claim('done', 'Fixed the merge of branch names.')],
      'fix it',
      {
        changes: [{ ...edit(1, 'src/a.ts'), by: 'command' as const }],
        attempts: [{ seq: 2, capability: 'read' as const, way: 'Read', target: 'a.ts', ok: true }],
      },
      'block: done unbacked',
    ],
    [
      'code, and no test of it',
      [said],
      'fix it',
      { changes: [edit(1, 'app/button.ts')] },
      'block: done unbacked',
    ],
  ] as const)('%s', (_, claims, prompt, found, expected) => {
    const judgement = judged([...claims], prompt, found);
    const leading = leadingClaim(judgement);
    const word = leading === null ? '' : `: ${leading.claim.type} ${leading.status}`;
    expect(`${judgement.verdict}${judgement.why === null ? word : `: ${judgement.why}`}`).toBe(expected);
  });
});
