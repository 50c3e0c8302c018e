// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
// Lines whose `$(…)` ends elsewhere in bash 3.2, 4.2 or 4.4, so that they run what others take for a text: `evil`. And what people
// write every day, which ends alike in all of them.
import { describe, expect, it } from 'vitest';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { shellNeeds } from '../../src/policy/authority/shell-needs.ts';
import { fileView } from './file-view.ts';

const view = fileView(['/w/', '/w/src/', '/w/src/a']);
const GRANTS = parseGrants({
  allow: ['fs:read:src/**', ...['cat', 'echo', 'git', 'gh', 'sort'].map((name) => `process:exec:${name}`)],
  deny: [],
});

function isAllowed(line: string): boolean {
  const { needs } = shellNeeds(line, { cwd: '/w', home: '/home/me', view });
  const grants = new Grants(GRANTS.allow, GRANTS.deny, '/w');
  return needs.every((need) => grants.decide(need).allowed);
}

const document = (body: string, delimiter = "'E'"): string => `"$(cat <<${delimiter}\n${body}\nE\n)"`;

describe('O4 what an older bash ends elsewhere', () => {
  it.each([
    'echo "$(case a in a) echo "; evil; " ;; esac)"',
    'echo $(case a in a) echo b;; esac)',
    'echo `case a in a) echo b;; esac`',
    'cat <(case a in a) cat src/a;; esac)',
    'echo "$(echo "$(case a in a) echo b;; esac)")"',
    'echo $(echo case)',
    'echo "$(echo a;#)\necho "; evil; ")"',
    'echo $(echo a # it is)\n)',
    'cat <(sort src/a #)\n)',
    'cat <<E\n$(echo a # b)\n)\nE',
    'echo "$(cat <<E | sort\na\nE\n)"',
    "echo $(sort <<'E'\na\nE\n)",
    "echo `cat <<'E'\na\nE\n`",
    "cat <(cat <<'E'\na\nE\n)",
    `echo "$(echo ${document('a')})"`,
  ])('%j', (line) => expect(isAllowed(line)).toBe(false));

  it.each([
    'it) "; evil; "',
    'a\nE\\\n\nevil',
    '))\nevil\n((',
    ')"; evil; "(',
    "$'\\nE\\nevil\\n'",
    '$"a"',
    '${',
    '$((',
    'E and more\n) "; evil; "',
    '\tE',
    '\'a) "; evil; "',
    '# (it',
    "# it's\n) evil (",
    'a\\',
  ])('a document with %j', (body) => {
    expect(isAllowed(`echo ${document(body)}; echo 'x' "y" \`echo z\``)).toBe(false);
    expect(isAllowed(`echo ${document(body, 'E')}; echo 'x' "y" \`echo z\``)).toBe(false);
  });

  it('one quote that another one closes behind the document', () => {
    expect(isAllowed(`git commit -m ${document("It's")}`)).toBe(true);
    expect(isAllowed(`git commit -m ${document("It's")} && git log '; evil; '`)).toBe(false);
    expect(isAllowed(`git commit -m ${document('a " b')}`)).toBe(false);
  });
});

describe('O4 what everybody writes', () => {
  it.each([
    `git commit -m ${document('fix: the thing\n\nCo-Authored-By: A <a@b.c>')}`,
    `git commit -m ${document('fix: the thing', 'E')}`,
    `git add -A && git commit -m ${document("It's done (really).")} && git status`,
    `git commit -m ${document('Use "quotes", `ticks` (#12) and $x in case it is # needed')}`,
    `gh pr create --title "a" --body ${document("## Summary\n- doesn't call `curl` (any more)\n\n- [ ] test {a}")}`,
    'git commit -m "$(cat << \'EOF\'\na\nEOF\n  )"',
    'git log --grep "$(cat src/a)" && echo "$(git rev-parse --short HEAD)"',
    'echo "$(git log --grep "fix #12")" $(echo a#b)',
    "cat <<'E'\ncase a in a) # it's\nE",
    'echo a # it is\ncat src/a',
  ])('%j', (line) => expect(isAllowed(line)).toBe(true));
});
