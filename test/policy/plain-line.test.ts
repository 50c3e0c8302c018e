// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
// Only plain lines are read before they run. What isn't plain needs leave to run anything, also where no trick of it is known; and
// the reason says what to write in another way.
import fc from 'fast-check';
import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { oddityOf } from '../../src/policy/authority/plain-line.ts';
import { shellNeeds } from '../../src/policy/authority/shell-needs.ts';
import { readWholeLine } from '../../src/policy/read-line.ts';
import { fileView } from './file-view.ts';

const unreadOf = (line: string): string | null =>
  shellNeeds(line, { cwd: '/w', home: '/home/me', view: fileView(['/w/', '/w/a', '/w/b']) }).unread;

describe('O4 a line that is not plain', () => {
  it.each([
    ['git diff @{u}', 'it has a { outside quotes (quote it)'],
    ['{ echo a; }', 'it has a { outside quotes (quote it)'],
    ['echo a &> b', 'it has &>, which shells read in different ways (write > FILE 2>&1)'],
    ['echo a |& cat', 'it has |&, which shells read in different ways (write 2>&1 |)'],
    ['echo a >| b', 'it has >|, which shells read in different ways'],
    ['cat <<< a', 'it has <<<, which shells read in different ways'],
    ['diff <(cat a) <(cat b)', 'it has <(, which shells read in different ways'],
    ['cat <<-E\n\ta\n\tE', 'it has <<, which shells read in different ways'],
    ['cat <<"A B"\nx\nA B', 'it has <<, which shells read in different ways'],
    ['cat <<E\n$HOME\nE', 'it has a document with expansions'],
    ['cat <<E\na \\\n b\nE', 'it has a document with expansions'],
    ['cat <<E\nx', 'it has a document without an end'],
    ['echo `pwd`', 'it has a backtick'],
    ['echo ${x:-none}', 'it has an expansion that is more than $NAME'],
    ['echo ${#x} $# $1 $@ $!', 'it has an expansion that is more than $NAME'],
    ['echo $((1 + 2))', 'it has an expansion that is more than $NAME'],
    ["echo $'a'", 'it has an expansion that is more than $NAME'],
    ['echo "$x[1]"', 'it has an expansion that is more than $NAME'],
    ['echo $x:h', 'it has an expansion that is more than $NAME'],
    ['((1 > 2))', 'it has a parenthesis out of place'],
    ['f() { echo a; }', 'it has a parenthesis out of place'],
    ['ls *(N)', 'it has a parenthesis out of place'],
    ['case x in x) echo a;; esac', 'it has a parenthesis out of place'],
    ['ls a[0-9]', 'it has brackets or ! outside quotes (quote them; a test is written [ … ])'],
    ['[[ -f a ]]', 'it has brackets or ! outside quotes (quote them; a test is written [ … ])'],
    ['echo !x', 'it has brackets or ! outside quotes (quote them; a test is written [ … ])'],
    ['=ls', 'it has a word that begins with ='],
    ['cat a=~/x', 'it has a ~ that may stand for another folder'],
    ['cat ~root/x', 'it has a ~ that may stand for another folder'],
    ['echo a\u00a0b', 'it has a \u00a0 outside quotes (quote it)'],
    ['echo a\u200bb', 'it has a character that cannot be seen'],
    ['echo "a\rb"', 'it has a character that cannot be seen'],
    ['echo a # don’t', 'it has a comment with quotes or signs in it'],
    ["echo a # it's", 'it has a comment with quotes or signs in it'],
    ['echo a # (b); c', 'it has a comment with quotes or signs in it'],
    ['echo "a \\\n b"', 'it has a backslash at the end of a line'],
    ['cat \\\\\\\n', 'it has a backslash at the end of a line'],
    ['while true; do cat a; done', 'it has a while loop'],
    ['for f in a; do for g in b; do cat $g; done; done', 'it has more than one loop'],
    ['time ls', 'it has the word time'],
    ['echo a && echo b & cat a', 'it has & behind several commands'],
    ['cat a 3> b', 'it has digits before a redirection'],
    ['cat 1< a', 'it has digits before a redirection'],
    ['cat 01> a', 'it has digits before a redirection'],
    ['cat 02>&1', 'it has digits before a redirection'],
    ['cat 10<<E\nx\nE', 'it has digits before a redirection'],
    ["cat ''~/x", 'it has empty quotes within a word'],
    ['cat ""=ls', 'it has empty quotes within a word'],
    ["ls *''*/x", 'it has empty quotes within a word'],
    ["ls a''", 'it has empty quotes within a word'],
    ['cat "$X"~/x', 'it has a ~ behind quotes or an expansion'],
    ['cat $X~/x', 'it has a ~ behind quotes or an expansion'],
    ['ls *"$X"*/x', 'it has a * behind quotes or an expansion'],
    ['ls "$(cat <<E\nE\n)"*', 'it has a * behind quotes or an expansion'],
    ['true <<A; true <<B\nA)\nB\ncat a\nA\nB', 'it has a document that may end early'],
    ['echo "!#:1"', 'it has ! in double quotes (write single quotes)'],
    ['echo "hi!" "; cat a; echo \'" \' \\\'', 'it has ! in double quotes (write single quotes)'],
    ['cat "a\\!b"', 'it has ! in double quotes (write single quotes)'],
    ['!; cat a', 'it has brackets or ! outside quotes (quote them; a test is written [ … ])'],
    ['echo "a中\\$(cat b)"', 'it has a backslash behind a letter beyond ASCII (write single quotes)'],
    ['echo "a–\\"; cat b"', 'it has a backslash behind a letter beyond ASCII (write single quotes)'],
    ['echo "x\n^a^b^"', 'it has a tab, or a ^ at the beginning of a row'],
    ['^a^b', 'it has a tab, or a ^ at the beginning of a row'],
    ["echo x \\\n ^';' cat a", 'it has a tab, or a ^ at the beginning of a row'],
    ['tr K L <a\t../b', 'it has a tab, or a ^ at the beginning of a row'],
    ['cat "a\tb"', 'it has a tab, or a ^ at the beginning of a row'],
    ["cat <<'E'\nx\nE\ncat a\t", 'it has a tab, or a ^ at the beginning of a row'],
    ['echo "x\n!-1"', 'it has ! in double quotes (write single quotes)'],
    ['2>&1 while cat a', 'it has a word of the shell out of place'],
    ['<<E until cat a\nx\nE', 'it has a word of the shell out of place'],
    ['2>&1 function cat', 'it has a word of the shell out of place'],
    ["(cat <<'E'\nE)\ncat a\nE\n)", 'it has a document that may end early'],
    ['cat à/x', 'it has a à outside quotes (quote it)'],
    ['2= cat a', 'it has a program whose name is not written plainly'],
    ['z: cat a', 'it has a program whose name is not written plainly'],
    ["c'a't a", 'it has a program whose name is not written plainly'],
    ['> a', 'it has a redirection without a command'],
    ['cat a | 2> b', 'it has a redirection without a command'],
  ])('%j: %s', (line, why) => expect(unreadOf(line)).toBe(why));

  it('is still read for the rules of a pack, which are about what was run', () => {
    expect(
      readWholeLine('echo {a,b} ${x:-none}; while true; do ls; done', { cwd: '/w' }).hidesCommands,
    ).toBeNull();
  });
});

describe('O4 a line that is plain', () => {
  it.each([
    'npm test',
    'npm test 2>&1 | tail -20',
    'npm run build > out.log 2>&1 || true',
    'cat a && cat b; ls -la',
    '(cd src && npm test)',
    'if [ -f a ]; then cat a; else echo none; fi',
    'if [ "$A" != b ]; then cat a; fi',
    'for f in a b; do cat "$f"; done',
    'for f in *.ts\ndo\n  echo "$f"\ndone',
    'git commit -m "Fix: it\'s \\"quoted\\" and costs 5$"',
    'git commit -m "$(cat <<\'EOF\'\nFix (all) of it\n\nCo-Authored-By: A <a@b.c>\nEOF\n)"',
    "cat > a <<'EOF'\nwhile (x) { y[0] = `z`; } # $HOME\nEOF\nnpm test",
    'cat <<EOF\nplain\nEOF',
    'npm test \\\n  -- --run',
    'echo a &&\\\n  echo b',
    'git log HEAD~3..HEAD^ --format=%H',
    'ls *.ts src/a?',
    'cat ~/notes ~',
    '# what it does: first, the tests\nnpm test # then go on',
    'npm start & sleep 1',
    '! grep -q x a',
    'grep -rn "foo[0-9]\\+$" a',
    "grep -E '^(a|b)\\.c$' a",
    'echo $HOME "${HOME}/x" "$(git rev-parse HEAD)" $?',
    'find . -name \\*.ts',
    'echo "Straße" \'à\'',
    "git commit -m \"Done! a != b\" && echo 'Done!' '!!' && ! [ a != b ]",
    'git commit -m "Größe: the \\"a\\" of it costs 5 \\$"',
    'git log main ^feature HEAD^',
    "cat > Makefile <<'EOF'\nall:\n\techo\n^x\nEOF\nmake",
    'ls "$DIR"/*.ts --x="$Y" a"b"c HEAD~2 $X/~',
    'grep -r "" a',
    ": '' && [ -n '' ]",
  ])('%j', (line) => expect(oddityOf(line, parse(line))).toBeNull());
});

it('O4 whatever the line is, an answer comes', () => {
  const piece = fc.constantFrom(
    ...'a b$ { } ( ) [ ] \\ \' " ` ~ ! # & | ; < > = : * ? \n'.split(' '),
    ' ',
    'for',
    'in',
    'do',
    '<<E',
    '$(',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const line = pieces.join('');
      const found = oddityOf(line, parse(line));
      expect(found === null || found.length > 0).toBe(true);
    }),
  );
});
