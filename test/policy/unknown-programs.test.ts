// C9: a program that the reader of lines does not know is not taken for one that keeps to the rules, and known ones are not
// trusted with words by which they do something else.
import { describe, expect, it } from 'vitest';
import { deniedByClaude } from '../../src/harness/denied-by-claude.ts';
import { judgeTool, type ToolJudgement } from '../../src/policy/index.ts';
import { ROOT } from './everyday-calls.ts';

const USUAL = deniedByClaude({
  permissions: {
    deny: [
      'Bash(curl:*)',
      'Bash(rm -rf:*)',
      'Read(.env)',
      'Read(./secrets/**)',
      'Bash(git push:*)',
      'WebFetch(domain:evil.example)',
    ],
  },
});

const judged = (command: string): ToolJudgement =>
  judgeTool(USUAL, 'Bash', { args: { command }, named: { paths: [], root: ROOT }, cwd: ROOT });
const why = (command: string): string => {
  const found = judged(command);
  return found.allowed === true ? '' : found.why;
};

describe('C9 ways around a usual policy by programs', () => {
  it.each<string>([
    // Programs that nobody knows.
    "duckdb -c \"select content from read_text('.e' || 'nv')\"",
    'terraform console <<< \'file(join("", [".e", "nv"]))\'',
    'http --offline x < list',
    'ls -A | fzf --preview "cat {}"',
    'jar cf x.jar .',
    'find . | cpio -o > x',
    "rpm --eval '%(cu''rl y)'",
    'as - <<< ".incbin \\"secr\\" "',
    'foo bar',
    '/opt/x/foo',
    '/tmp/k y',
    '~/bin/k y',
    'npx some-tool x',
    'uvx some-tool x',
    // Known programs, and words by which they do something else.
    'yq -n \'load_str("secr" + "ets/key")\'',
    'gcc -E - <<< \'#include "x"\'',
    'gcc -xc /dev/stdin',
    'gcc -Wl,-plugin=x a.c',
    'zip -@ x.zip < names',
    'zip x.zip -@ < names',
    'tar -cT names -f x.tar',
    'tar cf x.tar --files-from=names',
    'rsync --files-from=names / x',
    'docker build -f - . < x',
    'docker build - < x',
    'docker compose config',
    'docker compose -f - up < x',
    'docker run --entrypoint x alpine',
    'kubectl cp . pod:/x',
    'kubectl create configmap x --from-file=.',
    "java -XX:OnError='cu''rl y' A",
    'java -javaagent:x.jar A',
    'java @list',
    'cargo --config \'build.rustc-wrapper="x"\' build',
    'cargo build --config x',
    'cargo clippy -- -Clinker=x',
    'cargo foo',
    'go build -toolexec x ./...',
    'go test -exec x ./...',
    'go env -w GOFLAGS=x',
    'nix run nixpkgs#hello',
    'split --filter=x a',
    'bat --pager=x a',
    "less '+!x' a",
    'gzip -r .',
    'openssl dgst -engine x a',
    'cmake -P x',
    'mvn exec:exec -Dexec.executable=x',
    'pytest -p x -c /dev/stdin',
    'prettier --plugin=/tmp/x.js src',
    'python3 -m zipfile -c x.zip .',
    'python3 -mzipfile -l x.zip',
    'python3 -m http.server',
    'python3 -i a.py < x',
    "python3 -c 'x' --help",
    "node --test -e 'x'",
    "perl '-Mx;system(1)' a",
    'awk -f - < x',
    'awk -f /dev/stdin < x',
    'bash -O extglob x',
    'bash --rcfile x -i',
    'bash -i < x',
    'nix-shell -p x --run y',
    'env tar czf x.tgz .',
    'sudo tar czf x.tgz .',
    'env grep -r KEY .',
    'uv run grep -r KEY .',
    'busybox tar c .',
    'echo x | xargs env',
    'hyperfine x',
    'wget -e use_askpass=x y',
    'ssh -o ProxyCommand=x host',
    'terraform foo',
    'brew ruby x',
    // git and its own ways to the same files.
    'git cat-file --batch <<< x',
    'git cat-file --batch-check < x',
    'git diff --no-index /dev/null .',
    'git archive HEAD | tar x -C /tmp/y',
    'git clone . y',
    'git clone file:///home/ann/work y',
    'git clone ../work y',
    'git worktree add ../y',
    'git --work-tree=/tmp/y checkout HEAD -- .',
    'git --git-dir=x log',
    'git checkout-index -a --prefix=/tmp/y/',
    'git bundle create x HEAD',
    'git log --stdin < x',
    'git add --pathspec-from-file=x',
    'git apply x.patch',
    'git submodule foreach x',
    'git p',
    'git difftool -x y',
    'git diff --ext-diff',
    'git -C secrets show HEAD:./key',
    'git hash-object --stdin-paths < x',
    // Variables that name programs, options or files.
    'RUSTC=./x cargo build',
    'RUSTC_WRAPPER=x cargo build',
    'GOFLAGS=-toolexec=x go build',
    'CC=./x make',
    'env RUSTC=./x cargo build',
    'export CC=./x; make',
    'CC=./x; export CC; make',
    'set -a; CC=./x; make',
    'make CC=./x',
    'PERL5LIB=x perl a.pl',
    'KUBECONFIG=x kubectl get pods',
    'npm_config_script_shell=x npm test',
    'GLOBIGNORE=x; cat *',
    'XDG_CONFIG_HOME=/tmp/x git status',
    // Wildcards that find hidden files.
    'shopt -s dotglob; cat dist/*',
    'cat dist/@(.env)',
    'cat dist/.*',
    // What find finds goes to a command.
    'find secrets -exec cat {} +',
    'find . -type f -exec cat {} +',
    'find . -name "*.ts" -o -name x -exec cat {} +',
    'find . -exec sh -c "curl $1" _ {} \\;',
    'find -files0-from x',
  ])('not known: %j', (command) => {
    expect(judged(command).allowed).toBe(null);
  });

  it.each<string>([
    "bun exec 'curl y'",
    'env curl y',
    'env -i curl y',
    'env cat .env',
    'sudo -u ann cat .env',
    'sudo -n rm -r -f x',
    'env sh -c "true; curl y"',
    'bash -o pipefail -c "curl y"',
    'docker compose exec db curl y',
    'docker exec -it x sh -c "curl y"',
    'kubectl exec pod -- curl y',
    'kubectl exec pod -c main -- sh -c "curl y"',
    'ln .env x',
    'cp -l .env x',
    'find . -name x -exec curl {} +',
    'find . -exec rm -rf {} +',
    "find . -exec sh -c 'curl $1' _ {} \\;",
    'yarn curl y',
    'git -C . push',
    'git --work-tree=/tmp/y push',
    'xargs -I{} curl {}',
    'xargs -0 -n 1 rm -rf',
  ])('denied: %j', (command) => {
    expect(judged(command).allowed).toBe(false);
  });
});

describe('C9 lines that are known to keep to the rules', () => {
  it.each<string>([
    'docker compose down -v',
    'docker compose exec db psql -c "select 1"',
    'docker compose exec -T db psql -U app -c "select * from users where id = 1; "',
    'docker compose run --rm app npm test',
    'docker run --rm -it node:20 node --version',
    'docker exec -it app ls',
    'docker build -t work:dev .',
    'find . -name "*.pyc" -delete',
    'find dist -type f -delete',
    'find src -name "*.ts" -exec wc -l {} +',
    'jq ".a = 1" package.json > t && mv t package.json',
    'cat dist/*',
    'cat src/*/*.ts',
    'command -v curl',
    'env NODE_ENV=test npm test',
    'sudo apt-get install -y jq',
    'foo --version',
    './scripts/release.sh --dry-run',
    'node_modules/.bin/vitest run',
    `${ROOT}/node_modules/.bin/tsc --noEmit`,
    'python3 -m app.main --port 3000',
    'python3 -m json.tool package.json',
    'python3 -m venv .venv && source .venv/bin/activate && pip install -e .',
    'yarn dev',
    'pnpm run build:prod',
    'kubectl get pods -n app -o wide',
    'kubectl logs deploy/app --tail 50',
    'terraform plan',
    'git submodule update --init --recursive',
    'git clone https://github.com/a/b.git /tmp/b',
    'git -C packages/core log --oneline -5',
  ])('%j', (command) => {
    expect([judged(command).allowed, why(command)]).toEqual([true, '']);
  });
});

describe('C9 the words of a judgement', () => {
  it.each<[string, string]>([
    ['true; curl y', 'the pack denies Bash with an argument like curl *: it runs "curl y"'],
    ['cat a/.env', 'the pack denies Bash reading files like **/.env: it names "a/.env"'],
    ['duckdb x', 'duckdb is no program that a reader of lines knows'],
    ['cargo foo', 'cargo foo is no command that a reader of lines knows'],
    ['RUSTC=./x cargo build', 'it sets RUSTC, which may name a program, its options or a file'],
    ['git bisect run x; cp src x -r', 'git bisect run starts a program'],
    ['tar czf x.tgz src', '"src" may be one, or may hold one'],
    ['make curl y', '"curl y" has the words of one'],
    ["docker compose exec db psql -c '\\\\! x'", 'psql may do anything by the word'],
    ['echo "x', 'its syntax is not understood'],
    [`cat .env${'x'.repeat(200)}/../.env`, 'it names ".env"'],
  ])('%j: %s', (command, words) => {
    expect(why(command)).toContain(words);
  });
});
