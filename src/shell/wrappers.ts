// Programs that run another: env, sudo, timeout, npx, uv run, docker exec … What they run is the command; what they
// change about it (its directory, its variables, whether its exit code is handed on) is kept.
import { each, firstBare, isBinary, own } from '../ecosystems/index.ts';
import { programName } from './programs.ts';
import {
  behind,
  dashes,
  env,
  inside,
  only,
  program,
  shell,
  text,
  type Unwrapped,
  verb,
  type Wrapper,
} from './wrapper-forms.ts';

export type { Unwrapped } from './wrapper-forms.ts';

const MAX_LAYERS = 12;

/** A package that is a folder: its programs stand before all others, as with a PATH of its own. */
const fromFolder =
  (inner: Wrapper, option: RegExp): Wrapper =>
  (args, name) => {
    const step = inner(args, name);
    const at = args.findIndex((arg) => option.test(arg));
    const [, value = args[at + 1] ?? ''] = /^[^=]*=(.*)$/s.exec(args[at] ?? '') ?? [];
    const isFolder = at >= 0 && /^(?:file:|\.{0,2}\/|~)/.test(value);
    return step && { ...step, assignments: isFolder ? [`PATH=${value}`] : [] };
  };

const NPX = '-p --package -w --workspace --prefix --registry --cache';

/** What stands behind the program's name is the program's: `npx jest -c jest.config.js`. */
const npx: Wrapper = (args, name) =>
  text('-c --call')(args.slice(0, firstBare({ values: `${NPX} -c --call` }, args)), name) ??
  fromFolder(behind(NPX), /^(?:-p|--package)(?:=|$)/)(args, name);

/** npm exec, pnpm exec, yarn exec, bun x: only then a wrapper. */
const exec: Wrapper = (args, name) => {
  const values = '-p --package -w --workspace --filter -F -C --dir --cwd --prefix';
  const at = firstBare({ values }, args);
  const word = args[at] ?? '';
  const rest = args.slice(at + 1);
  const place = args.slice(0, at).findIndex((arg) => /^(?:-C|--dir|--cwd|--prefix)$/.test(arg));
  const inside = place < 0 ? {} : { directory: args[place + 1] ?? null };
  if (/^(?:exec|x|dlx)$/.test(word)) return { ...(npx(rest, name) ?? { argv: rest }), ...inside };
  // yarn and pnpm run a program of node_modules by its name alone.
  const named = word === 'run' ? rest : args.slice(at);
  if (name !== 'npm' && isProgram(named[0] ?? '')) return { argv: named, ...inside };
  if (name === 'yarn' && word === 'node') return { argv: args.slice(at) };
  return null;
};
const BINARIES = /^(?:turbo|nx|lerna|tsx|ts-node|prisma|drizzle-kit|cross-env|nyc|c8)$/;
const isProgram = (name: string): boolean => isBinary(name) || BINARIES.test(name);

const CONTAINER =
  '-e --env --env-file -u --user -v --volume --mount -w --workdir --name --network --entrypoint -p --publish -l --label -f --file --project-name --profile --index --platform --memory -m --cpus --add-host -h --hostname --ipc --shm-size --ulimit --tmpfs --gpus --pull --restart --project-directory --ansi';

/** A container that is told its mounts, or was started for this project, works on the work tree; another does not. */
const docker: Wrapper = (args, name) => {
  const tool = { values: CONTAINER };
  let at = firstBare(tool, args);
  const composed = name === 'docker-compose' || args[at] === 'compose';
  if (args[at] === 'compose' || args[at] === 'container') at += 1 + firstBare(tool, args.slice(at + 1));
  const sub = args[at];
  if (sub !== 'run' && sub !== 'exec') return null;
  const rest = args.slice(at + 1);
  const options = rest.slice(0, firstBare(tool, rest));
  const command = rest.slice(options.length + 1);
  if (options.some((arg) => arg === '-d' || arg === '--detach' || /^-[a-z]*d[a-z]*$/.test(arg)))
    return { argv: command, masked: `${name} ${sub} -d`, detached: true };
  const mounts = options.some((arg) => /(?:\$PWD|\$\{PWD\}|\$\(pwd\)|^\.|^\/[^:]+):\/|type=bind/.test(arg));
  const known = composed || sub === 'exec' || mounts;
  return { argv: command, ...(known ? {} : { directory: null }) };
};

const script: Wrapper = (args) => {
  const at = args.findIndex((arg) => arg === '-c' || arg === '--command' || /^-[a-z]*c$/.test(arg));
  const hands = args.some((arg) => arg === '--return' || /^-[a-z]*e/.test(arg));
  const text = at < 0 ? null : (args[at + 1] ?? '');
  if (text !== null) return { argv: [], script: text, masked: hands ? null : 'script without --return' };
  const bare = args.findIndex((arg) => !arg.startsWith('-'));
  return { argv: args.slice(bare + 1), masked: 'script' };
};

/** `find -exec cmd {} \;`: the program's exit code is dropped. */
const find: Wrapper = (args) => {
  const at = args.findIndex((arg) => arg === '-exec' || arg === '-execdir' || arg === '-ok');
  if (at < 0) return null;
  const end = args.findIndex((arg, index) => index > at && (arg === ';' || arg === '+'));
  return { argv: args.slice(at + 1, end < 0 ? undefined : end), masked: `find ${args[at]}` };
};

const gone: Wrapper = (args) => ({ argv: args, elsewhere: true });
/** It runs its command again and again, and ends when it is stopped. */
const endless =
  (values: string): Wrapper =>
  (args, name) => ({ argv: [], ...behind(values)(args, name), masked: name });
const plain = behind();

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  ...each('env cross-env cross-env-shell', () => env),
  ...each('nohup unbuffer chronic catchsegv prlimit', () => plain),
  ...each('timeout gtimeout', () => behind('-s --signal -k --kill-after', 1)),
  sudo: behind('-u --user -g --group -h --host -p --prompt -C -D --chdir -R -T -U -r -t'),
  doas: behind('-u -C'),
  time: behind('-f --format -o --output'),
  nice: behind('-n --adjustment'),
  ionice: behind('-c -n -p'),
  stdbuf: behind('-i -o -e'),
  caffeinate: behind('-t -w'),
  setsid: (args, name) => {
    const detached = args.includes('-f') || args.includes('--fork');
    return { argv: [], ...plain(args, name), masked: detached ? 'setsid --fork' : null, detached };
  },
  'xvfb-run': behind('-s --server-args -n --server-num -e --error-file -f --auth-file -p -w'),
  ...each('dbus-run-session numactl', () => dashes(plain)),
  valgrind: behind('--suppressions --log-file_'),
  taskset: behind('', 1),
  faketime: behind('-f', 1),
  'systemd-inhibit': behind('--what --who --why --mode'),
  fvm: (args) => (args[0] === 'exec' ? { argv: args.slice(1) } : only('flutter dart')(args, 'fvm')),
  puro: only('flutter dart'),
  // A compiled simulation is a program.
  vvp: (args) => {
    const [file, ...rest] = args.slice(firstBare({ values: '-M -m -l' }, args));
    return file === undefined ? null : { argv: [file.includes('/') ? file : `./${file}`, ...rest] };
  },
  strace: behind('-o -e -p -s -E'),
  flock: behind('-w --timeout -E', 1),
  xargs: (args, name) => {
    const values = '-n --max-args -I -i_ -L -P --max-procs -d --delimiter -s -a --arg-file -E';
    const inner = behind(values)(args, name)?.argv ?? [];
    // The words it adds are not known, so the run is narrowed to something that is not known.
    return { argv: inner.length === 0 ? [] : [...inner, '$(xargs)'] };
  },
  command: (args) =>
    args[0] === '-v' || args[0] === '-V'
      ? { argv: [], elsewhere: true }
      : { argv: args.filter((arg, at) => !(at === 0 && arg === '-p')), past: true },
  builtin: (args) => ({ argv: args, past: true }),
  exec: (args, name) => ({ argv: [], ...behind('-a')(args, name), ends: true, past: true }),
  eval: (args) => ({ argv: [], script: args.join(' '), options: 'here' }),
  ...each('source .', (): Wrapper => (args) => ({ argv: [], sourced: args[0] ?? '' })),
  ...each('bash sh zsh dash ksh ash', () => shell),
  busybox: (args) => ({ argv: args }),
  su: text('-c'),
  ...each('npx pnpx bunx', () => npx),
  ...each('npm pnpm yarn bun', () => exec),
  corepack: only('yarn pnpm npm'),
  uv: verb(
    'run',
    '--with --with-editable --with-requirements --python -p --extra --group --only-group --no-group --package --env-file --index-url --config-file --cache-dir',
    '--directory --project',
  ),
  uvx: fromFolder(behind('--with --from --python -p'), /^--(?:from|with)(?:=|$)/),
  pipx: fromFolder(verb('run', '--spec --python'), /^--spec(?:=|$)/),
  poetry: program(verb('run', '', '-C --directory --project -P')),
  ...each('pipenv rye', () => program(verb('run'))),
  pdm: program(verb('run', '', '-p --project')),
  pixi: program(verb('run', '-e --environment --manifest-path')),
  conda: verb('run', '-n --name -p --prefix --cwd'),
  ...each('mamba micromamba', () => verb('run', '-n --name -p --prefix')),
  bundle: verb('exec', '--gemfile'),
  ...each('rbenv asdf pyenv nodenv goenv', () => verb('exec')),
  volta: verb('run', '--node --npm --yarn --pnpm'),
  spring: only('rspec rails rake testunit'),
  // `devbox run test` is a script of its own; with `--` it is a command.
  devbox: inside('run'),
  ...each('devenv guix', () => inside('shell')),
  flox: inside('activate'),
  ...each('chamber aws-vault', () => dashes(verb('exec'))),
  teller: dashes(verb('run')),
  fnm: (args, name) => (args[0] === 'exec' ? dashes(verb('exec', '--using'))(args, name) : null),
  mise: (args, name) => (/^(?:exec|x)$/.test(args[0] ?? '') ? dashes(verb('exec x'))(args, name) : null),
  direnv: (args) => (args[0] === 'exec' ? { argv: args.slice(2) } : null),
  nix: (args) => {
    const at = args.findIndex((arg) => arg === '-c' || arg === '--command');
    return at < 0 || (args[0] !== 'develop' && args[0] !== 'shell') ? null : { argv: args.slice(at + 1) };
  },
  'nix-shell': text('--run --command'),
  dotenv: dashes(behind('-e -c -v -p -f --file')),
  dotenvx: dashes(verb('run', '-f -fk')),
  'env-cmd': dashes(behind('-f --file -e --environments -r')),
  doppler: dashes(verb('run', '-p -c')),
  op: dashes(verb('run', '--env-file')),
  infisical: dashes(verb('run', '--env')),
  nyc: behind('-r --reporter --include --exclude --check-coverage_ -t --temp-dir --report-dir --cwd'),
  c8: behind('-r --reporter --include --exclude -n -x --src -o --reports-dir --lines --branches --functions'),
  'start-server-and-test': (args) => ({ argv: [], script: `npm run ${args.at(-1) ?? ''}` }),
  ...each('docker podman nerdctl docker-compose', () => docker),
  sail: (args) => {
    const step = only('php artisan composer test pest phpunit npm npx bin')(args, 'sail');
    const own = { test: ['php', 'artisan', 'test'], artisan: ['php', 'artisan'] }[args[0] ?? ''];
    return own === undefined ? step : { argv: [...own, ...args.slice(1)] };
  },
  ddev: verb('exec', '-s --service -d --dir'),
  lando: only('php composer phpunit npm npx pest drush'),
  devcontainer: verb('exec', '--workspace-folder --container-id --config --remote-env --id-label'),
  script,
  find,
  watch: endless('-n --interval'),
  nodemon: endless('-w --watch -e --ext -x --exec'),
  watchexec: endless('-e --exts -w --watch'),
  entr: endless(''),
  ...each('ssh mosh sshpass man which type whereis', () => gone),
  vagrant: (args) => (args[0] === 'ssh' ? gone(args, 'vagrant') : null),
  kubectl: (args) => (args.includes('exec') || args[0] === 'run' ? gone(args, 'kubectl') : null),
};

export function unwrap(words: readonly string[]): Unwrapped {
  let step: Unwrapped = {
    argv: words,
    assignments: [],
    directory: undefined,
    script: null,
    options: '',
    elsewhere: false,
    masked: null,
    detached: false,
    ends: false,
    past: false,
    sourced: null,
  };
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const [first, ...args] = step.argv;
    if (first === undefined || step.script !== null || step.elsewhere) return step;
    const name = programName(first);
    const wrapper = own(WRAPPERS, name);
    const next = wrapper?.(args, name) ?? null;
    if (next === null) return step;
    step = {
      ...step,
      ...next,
      assignments: [...step.assignments, ...(next.assignments ?? [])],
      masked: step.masked ?? next.masked ?? null,
      detached: step.detached || next.detached === true,
      ends: step.ends || next.ends === true,
      past: step.past || next.past === true,
    };
  }
  return { ...step, argv: [], elsewhere: true };
}
