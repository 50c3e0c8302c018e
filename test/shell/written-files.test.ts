// Which files a line writes by its own words: a table of both sides, in the order in which the line does it.
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../src/shell/index.ts';

/** `op path`, with `…` behind what a check of the line comes after. */
function written(command: string): string[] {
  return readCommand(command, { cwd: '/w', root: '/w' }).wrote.map(
    ({ op, path, to, last }) => `${op} ${path}${to === undefined ? '' : ` → ${to}`}${last ? '' : ' …'}`,
  );
}

describe('files that a command writes', () => {
  it.each<[string, readonly string[]]>([
    ['sed -i s/a/b/ src/a.ts src/b.ts', ['edit src/a.ts', 'edit src/b.ts']],
    ['sed -i.bak -e s/a/b/ -e s/c/d/ src/a.ts', ['edit src/a.ts']],
    ["sed -i '' s/a/b/ src/a.ts", ['edit src/a.ts']],
    ['sed --in-place s/a/b/ src/a.ts', ['edit src/a.ts']],
    ['sed -n 1,9p src/a.ts', []],
    ['sed s/a/b/ src/a.ts > src/b.ts', ['write src/b.ts']],
    ['perl -0pi -e s/a/b/ src/a.ts', ['edit src/a.ts']],
    ['perl -Ilib t/a.t', []],
    ['grep -rl a src | xargs sed -i s/a/b/', ['edit ']],
    ['for f in src/*.ts; do sed -i s/a/b/ "$f"; done', ['edit ']],
    ['echo x > src/a.ts; echo y >> src/a.ts', ['write src/a.ts', 'edit src/a.ts']],
    ['{ echo a; echo b; } > src/a.ts', ['write src/a.ts']],
    ['cat > src/a.ts <<EOF\nx\nEOF', ['write src/a.ts']],
    ['echo x | tee -a src/a.ts src/b.ts', ['write src/a.ts', 'write src/b.ts']],
    ['npm test 2>&1 >/dev/null', []],
    ['mv a.ts b.ts', ['delete a.ts → b.ts', 'write b.ts']],
    [
      'mv a.ts c.ts src/',
      ['delete a.ts → src/a.ts', 'write src/a.ts', 'delete c.ts → src/c.ts', 'write src/c.ts'],
    ],
    ['cp -r a.ts src/b.ts', ['write src/b.ts']],
    ['cp a.ts b.ts -t src', ['write src/a.ts', 'write src/b.ts']],
    ['rm -rf src/a.ts test', ['delete src/a.ts', 'delete test']],
    ['cd src && rm a.ts', ['delete src/a.ts']],
    ['rm /etc/x ../y', ['delete /etc/x', 'delete /y']],
    ['git checkout -- src/a.ts', ['edit src/a.ts']],
    ['git checkout HEAD~1 src/a.ts', ['edit src/a.ts']],
    ['git checkout .', ['edit ']],
    ['git checkout main', ['edit ']],
    ['git checkout -b topic', []],
    ['git switch -c topic', []],
    ['git -C packages/a rm x.ts', ['delete packages/a/x.ts']],
    ['git rm --cached x.ts', []],
    ['git mv a.ts b.ts', ['delete a.ts → b.ts', 'write b.ts']],
    ['git restore --staged a.ts', []],
    ['git restore a.ts', ['edit a.ts']],
    ['git stash && git stash pop', ['edit ', 'edit ']],
    ['git stash list', []],
    ['git reset HEAD a.ts', []],
    ['git reset --hard', ['edit ']],
    ['git status && git diff && git log && git commit -m x && git push', []],
    ['git apply --check x.patch', []],
    ['git apply x.patch', ['edit ']],
    ['patch -p1 < x.patch', ['edit ']],
    ['patch src/a.ts x.patch', ['edit src/a.ts']],
    ['sed -i s/a/b/ a.ts && npm test', ['edit a.ts …']],
    ['npm test && sed -i s/a/b/ a.ts', ['edit a.ts']],
    ['false && rm a.ts', []],
    ['ssh host rm a.ts', []],
    ['bash -c "rm a.ts"', ['delete a.ts']],
    ['echo "rm a.ts"', []],
  ])('%s', (command, wanted) => {
    expect(written(command)).toEqual(wanted);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 500 }, (_, i) => `f${i}.ts`).join(' ');
    expect(readCommand(`rm ${many}`, { cwd: '/w', root: '/w' }).wrote).toHaveLength(64);
  });
});
