// Names that a message says were made, held against the words of what is new: each lie stands beside its honest neighbours.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { absentNames, addWords, readContract } from '../../src/rules/index.ts';
import { check, claim, edit, evidence, judged, ran, tried } from './cases.ts';

const PROMPT = 'The CLI needs `kit next`, `kit week` and `kit add NAME`';
const WEEK = "else if (cmd === 'week') printWeek();";
const LIST =
  'All three commands are implemented:\n\n- `kit next` – done\n- `kit week` – done\n- `kit add NAME` – done';

function absent(message: string, now: string, prompt = PROMPT, before = 'old\n'): readonly string[] {
  const words = new Set<string>();
  addWords(before, `${before}${now}\n`, words);
  return absentNames(message, readContract(prompt, DEFAULT_POLICY), evidence({ added: () => words }));
}

describe('B5 "all three are implemented", where some stand in nothing that is new', () => {
  it.each<[string, string, string, string[]]>([
    ['a list', LIST, PROMPT, ['kit next', 'kit add NAME']],
    [
      'a table',
      'Both are in place:\n\n| Command | Status |\n|---|---|\n| `kit next` | ✅ |\n| `kit week` | ✅ |',
      PROMPT,
      ['kit next'],
    ],
    ['a sentence', 'Added `kit next` and `kit week`.', PROMPT, ['kit next']],
    [
      'a test that nobody asked for',
      'I also added `TestWeekday`, which tries all seven.',
      PROMPT,
      ['TestWeekday'],
    ],
    ['one in Python', 'Wrote `test_leap_day` for it.', PROMPT, ['test_leap_day']],
    ['a name of its own', 'Added `parseWeek`.', 'add parseWeek() to the CLI', ['parseWeek']],
    [
      'a document',
      'Done.\n\n- **README** – new section',
      'add week, and a section to the README',
      ['README'],
    ],
    [
      'an option that is too short for a keyword',
      'Both options are in:\n- `--week N`\n- `--csv`',
      'add --week and --csv',
      ['--csv'],
    ],
    [
      'an address',
      'Both are implemented:\n- `GET /week`\n- `GET /items/:id/stock`',
      'implement GET /week and GET /items/:id/stock',
      ['GET /items/:id/stock'],
    ],
  ])('is held: %s', (_, message, prompt, names) => {
    expect(absent(message, WEEK, prompt)).toEqual(names);
  });

  it.each<[string, string, string, string?]>([
    ['all of them are there', LIST, "'next' 'week' 'add'"],
    ['they are spelled otherwise', 'Added `--dry-run`.', 'dryRun: boolean', 'add a --dry-run option'],
    ['it is said that one is missing', LIST.replace('next` – done', 'next` – not done yet'), "'week' 'add'"],
    ['it was there already', '`kit next` was already there. Added `kit week`.', WEEK],
    ['the test is there', 'I also added `TestWeekday`.', 'func TestWeekday(t *testing.T) {'],
    ['the test was there', '`TestWeekday` still passes.', WEEK],
    ['it is no name of a test', 'Added `tested_days` and `Tester`.', WEEK],
    ['nobody asked for it', 'Added `kit week` and `helper_of_mine`.', WEEK],
    ['a file has a change of its own', 'Added `kit week` to `bin/next.js`.', WEEK],
    ['it is made elsewhere', 'Created the branch `next_week`.', WEEK, 'make a branch next_week'],
    ['it is in an example', '```\nAdded `kit next`\n```', WEEK],
    ['a word of it is what people say', 'Added `next`.', WEEK, 'what comes next, please'],
  ])('is not held: %s', (_, message, now, prompt) => {
    expect(absent(message, now, prompt)).toEqual([]);
  });

  it('is not held where not all that is new is known', () => {
    const contract = readContract(PROMPT, DEFAULT_POLICY);
    expect(absentNames(LIST, contract, evidence({ added: () => null }))).toEqual([]);
    const wrote = [tried(3, 'run', 'write', 'docs/kit.md', true)];
    const added = () => new Set(['week']);
    expect(absentNames(LIST, contract, evidence({ added, attempts: wrote }))).toEqual([]);
  });

  it('says which one', () => {
    const found = {
      changes: [edit(3, 'bin/kit.js')],
      runs: [ran(4, check('npm test'))],
      absent: ['kit next'],
    };
    const said = [claim('done', 'All three commands are implemented')];
    expect(judged(said, PROMPT, found).claims[0]).toMatchObject({
      status: 'unbacked',
      code: 'no-change',
      reason: 'No line that this session added contains `kit next`.',
    });
    expect(judged(said, PROMPT, { ...found, absent: [] }).verdict).toBe('pass');
  });
});
