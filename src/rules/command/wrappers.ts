// Programs that run another: env, sudo, timeout, npx, uv run, docker exec … What they run is the command; what they
// change about it (its directory, its variables, whether its exit code is handed on) is kept.
import { firstBare, isBinary, own, type Tool } from '../../ecosystems/index.ts';
import { behind, dashes, env, program, shell, type Unwrapped, verb, type Wrapper } from './wrapper-forms.ts';

export type { Unwrapped } from './wrapper-forms.ts';

const MAX_LAYERS = 12;

const npx: Wrapper = (args) => {
  const at = args.findIndex((arg) => arg === '-c' || arg === '--call');
  if (at >= 0) return { argv: [], script: args[at + 1] ?? '' };
  const step = behind('-p --package -w --workspace --prefix --registry --cache')(args, 'npx');
  return step && { ...step, assignments: fromFolder(args, /^(?:-p|--package)(?:=|$)/) };
};

/** A package that is a folder: its programs stand before all others, as with a PATH of its own. */
function fromFolder(args: readonly string[], option: RegExp): string[] {
  const at = args.findIndex((arg) => option.test(arg));
  const arg = args[at] ?? '';
  const value = arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[at + 1] ?? '');
  return at >= 0 && /^(?:file:|\.{0,2}\/|~)/.test(value) ? [`PATH=${value}`] : [];
}

/** npm exec, pnpm exec, yarn exec, bun x: only then a wrapper. */
const exec: Wrapper = (args, name) => {
  const values = '-p --package -w --workspace --filter -F -C --dir --cwd --prefix';
  const at = firstBare({ kind: 'run', runner: '', values } as Tool, args);
  const word = args[at] ?? '';
  const rest = args.slice(at + 1);
  const place = args.slice(0, at).findIndex((arg) => /^(?:-C|--dir|--cwd|--prefix)$/.test(arg));
  const inside = place < 0 ? {} : { directory: args[place + 1] ?? null };
  if (/^(?:exec|x|dlx)$/.test(word)) return { ...(npx(rest, name) ?? { argv: rest }), ...inside };
  // yarn and pnpm run a program of node_modules by its name alone.
  if ((name === 'yarn' || name === 'pnpm' || name === 'bun') && isProgram(word))
    return { argv: args.slice(at), ...inside };
  if ((name === 'yarn' || name === 'pnpm' || name === 'bun') && word === 'run' && isProgram(rest[0] ?? ''))
    return { argv: rest, ...inside };
  if (name === 'yarn' && word === 'node') return { argv: args.slice(at) };
  return null;
};
const BINARIES = /^(?:turbo|nx|lerna|tsx|ts-node|prisma|drizzle-kit|cross-env|nyc|c8)$/;
const isProgram = (name: string): boolean => isBinary(name) || BINARIES.test(name);

const CONTAINER =
  '-e --env --env-file -u --user -v --volume --mount -w --workdir --name --network --entrypoint -p --publish -l --label -f --file --project-name --profile --index --platform --memory -m --cpus --add-host -h --hostname --ipc --shm-size --ulimit --tmpfs --gpus --pull --restart --project-directory --ansi';

/** A container that is told its mounts, or was started for this project, works on the work tree; another does not. */
const docker: Wrapper = (args, name) => {
  const tool = { kind: 'run', runner: '', values: CONTAINER } as Tool;
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
  (args, name) => ({ ...(behind(values)(args, name) ?? { argv: [] }), masked: name });
const plain = behind();

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env,
  'cross-env': env,
  'cross-env-shell': (args, name) => ({ ...(env(args, name) ?? { argv: [] }) }),
  sudo: behind('-u --user -g --group -h --host -p --prompt -C -D --chdir -R -T -U -r -t'),
  doas: behind('-u -C'),
  timeout: behind('-s --signal -k --kill-after', 1),
  gtimeout: behind('-s --signal -k --kill-after', 1),
  time: behind('-f --format -o --output'),
  nice: behind('-n --adjustment'),
  ionice: behind('-c -n -p'),
  nohup: plain,
  stdbuf: behind('-i -o -e'),
  unbuffer: plain,
  chronic: plain,
  caffeinate: behind('-t -w'),
  setsid: (args, name) => ({
    ...(plain(args, name) ?? { argv: [] }),
    masked: args.includes('-f') || args.includes('--fork') ? 'setsid --fork' : null,
    detached: args.includes('-f') || args.includes('--fork'),
  }),
  'xvfb-run': behind('-s --server-args -n --server-num -e --error-file -f --auth-file -p -w'),
  'dbus-run-session': dashes(plain),
  catchsegv: plain,
  valgrind: behind('--suppressions --log-file_'),
  taskset: behind('', 1),
  prlimit: behind(''),
  numactl: dashes(behind('')),
  faketime: behind('-f', 1),
  'systemd-inhibit': behind('--what --who --why --mode'),
  fvm: (args) =>
    /^(?:flutter|dart)$/.test(args[0] ?? '')
      ? { argv: args }
      : args[0] === 'exec'
        ? { argv: args.slice(1) }
        : null,
  puro: (args) => (/^(?:flutter|dart)$/.test(args[0] ?? '') ? { argv: args } : null),
  // A compiled simulation is a program.
  vvp: (args) => {
    const at = firstBare({ kind: 'run', runner: '', values: '-M -m -l' } as Tool, args);
    return args[at] === undefined ? null : { argv: [asPath(args[at] ?? ''), ...args.slice(at + 1)] };
  },
  strace: behind('-o -e -p -s -E'),
  flock: behind('-w --timeout -E', 1),
  xargs: (args, name) => {
    const inner =
      behind('-n --max-args -I -i_ -L -P --max-procs -d --delimiter -s -a --arg-file -E')(args, name)?.argv ??
      [];
    // The words it adds are not known, so the run is narrowed to something that is not known.
    return { argv: inner.length === 0 ? [] : [...inner, '$(xargs)'] };
  },
  command: (args) =>
    args[0] === '-v' || args[0] === '-V'
      ? { argv: [], elsewhere: true }
      : { argv: args.filter((arg, at) => !(at === 0 && arg === '-p')), past: true },
  builtin: (args) => ({ argv: args, past: true }),
  exec: (args, name) => ({ ...(behind('-a')(args, name) ?? { argv: [] }), ends: true, past: true }),
  eval: (args) => ({ argv: [], script: args.join(' '), options: 'here' }),
  source: (args) => ({ argv: [], sourced: args[0] ?? '' }),
  '.': (args) => ({ argv: [], sourced: args[0] ?? '' }),
  bash: shell,
  sh: shell,
  zsh: shell,
  dash: shell,
  ksh: shell,
  ash: shell,
  busybox: (args) => ({ argv: args }),
  su: (args) => {
    const at = args.indexOf('-c');
    return at < 0 ? null : { argv: [], script: args[at + 1] ?? '' };
  },
  npx,
  pnpx: npx,
  bunx: npx,
  npm: exec,
  pnpm: exec,
  yarn: exec,
  bun: exec,
  corepack: (args) => (/^(?:yarn|pnpm|npm)$/.test(args[0] ?? '') ? { argv: args } : null),
  uv: verb(
    'run',
    '--with --with-editable --with-requirements --python -p --extra --group --only-group --no-group --package --env-file --index-url --config-file --cache-dir',
    '--directory --project',
  ),
  uvx: (args, name) => ({
    ...(behind('--with --from --python -p')(args, name) ?? { argv: [] }),
    assignments: fromFolder(args, /^--(?:from|with)(?:=|$)/),
  }),
  pipx: (args, name) => {
    const step = verb('run', '--spec --python')(args, name);
    return step && { ...step, assignments: fromFolder(args, /^--spec(?:=|$)/) };
  },
  poetry: program(verb('run', '', '-C --directory --project -P')),
  pipenv: program(verb('run')),
  pdm: program(verb('run', '', '-p --project')),
  rye: program(verb('run')),
  pixi: program(verb('run', '-e --environment --manifest-path')),
  conda: verb('run', '-n --name -p --prefix --cwd'),
  mamba: verb('run', '-n --name -p --prefix'),
  micromamba: verb('run', '-n --name -p --prefix'),
  bundle: verb('exec', '--gemfile'),
  rbenv: verb('exec'),
  asdf: verb('exec'),
  pyenv: verb('exec'),
  nodenv: verb('exec'),
  goenv: verb('exec'),
  fnm: (args, name) => (args[0] === 'exec' ? dashes(verb('exec', '--using'))(args, name) : null),
  volta: verb('run', '--node --npm --yarn --pnpm'),
  proto: (args) =>
    args[0] === 'run' && args[2] === '--' ? { argv: [args[1] ?? '', ...args.slice(3)] } : null,
  spring: (args) => (/^(?:rspec|rails|rake|testunit)$/.test(args[0] ?? '') ? { argv: args } : null),
  // `devbox run test` is a script of its own; with `--` it is a command.
  devbox: (args) =>
    args[0] === 'run' && args.includes('--') ? { argv: args.slice(args.indexOf('--') + 1) } : null,
  devenv: (args) =>
    args[0] === 'shell' && args.includes('--') ? { argv: args.slice(args.indexOf('--') + 1) } : null,
  flox: (args) =>
    args[0] === 'activate' && args.includes('--') ? { argv: args.slice(args.indexOf('--') + 1) } : null,
  guix: (args) =>
    args[0] === 'shell' && args.includes('--') ? { argv: args.slice(args.indexOf('--') + 1) } : null,
  chamber: dashes(verb('exec')),
  teller: dashes(verb('run')),
  'aws-vault': dashes(verb('exec')),
  mise: (args, name) => (args[0] === 'exec' || args[0] === 'x' ? dashes(verb('exec x'))(args, name) : null),
  direnv: (args) => (args[0] === 'exec' ? { argv: args.slice(2) } : null),
  nix: (args) => {
    const at = args.findIndex((arg) => arg === '-c' || arg === '--command');
    return at < 0 || (args[0] !== 'develop' && args[0] !== 'shell') ? null : { argv: args.slice(at + 1) };
  },
  'nix-shell': (args) => {
    const at = args.findIndex((arg) => arg === '--run' || arg === '--command');
    return at < 0 ? null : { argv: [], script: args[at + 1] ?? '' };
  },
  dotenv: dashes(behind('-e -c -v -p -f --file')),
  dotenvx: dashes(verb('run', '-f -fk')),
  'env-cmd': dashes(behind('-f --file -e --environments -r')),
  doppler: dashes(verb('run', '-p -c')),
  op: dashes(verb('run', '--env-file')),
  infisical: dashes(verb('run', '--env')),
  nyc: behind('-r --reporter --include --exclude --check-coverage_ -t --temp-dir --report-dir --cwd'),
  c8: behind('-r --reporter --include --exclude -n -x --src -o --reports-dir --lines --branches --functions'),
  'start-server-and-test': (args) => ({ argv: [], script: `npm run ${args.at(-1) ?? ''}` }),
  docker,
  podman: docker,
  nerdctl: docker,
  sail: (args) =>
    /^(?:php|artisan|composer|test|pest|phpunit|npm|npx|bin)$/.test(args[0] ?? '')
      ? {
          argv:
            args[0] === 'test' || args[0] === 'artisan'
              ? ['php', 'artisan', ...args.slice(args[0] === 'test' ? 0 : 1)]
              : args,
        }
      : null,
  ddev: verb('exec', '-s --service -d --dir'),
  lando: (args) =>
    /^(?:php|composer|phpunit|npm|npx|pest|drush)$/.test(args[0] ?? '') ? { argv: args } : null,
  'docker-compose': docker,
  devcontainer: (args) =>
    args[0] === 'exec'
      ? behind('--workspace-folder --container-id --config --remote-env --id-label')(
          args.slice(1),
          'devcontainer',
        )
      : null,
  script,
  find,
  watch: endless('-n --interval'),
  nodemon: endless('-w --watch -e --ext -x --exec'),
  watchexec: endless('-e --exts -w --watch'),
  entr: endless(''),
  ssh: gone,
  mosh: gone,
  sshpass: gone,
  vagrant: (args) => (args[0] === 'ssh' ? gone(args, 'vagrant') : null),
  kubectl: (args) => (args.includes('exec') || args[0] === 'run' ? gone(args, 'kubectl') : null),
  'gcloud compute ssh': gone,
  man: gone,
  which: gone,
  type: gone,
  whereis: gone,
};

/** A file that is run by what runs it: a bare name is one of the work tree, not of PATH. */
function asPath(word: string): string {
  return word.includes('/') ? word : `./${word}`;
}

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

/** The program a path names: `/usr/bin/python3.12` is python3.12, `vitest.cmd` is vitest. */
export function programName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return base.replace(/\.(?:exe|cmd|bat|ps1)$/i, '').replace(/@[\w.^~-]+$/, '');
}
