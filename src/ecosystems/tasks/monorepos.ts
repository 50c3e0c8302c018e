// Runners over the packages of a workspace: Nx, Turborepo, Lerna, Rush, moon.
import type { Traits } from '../runner.ts';
import { each, type Found, found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';
import { goal, goals, passedOn, scriptKind } from './scripts.ts';

/** `nx test app`, `nx run app:test`, `nx run-many -t test -p a,b`, `nx affected -t test`. */
const nx: Reader = (args) => {
  const [sub = '', ...rest] = args.filter((arg) => arg !== '--');
  const tool: Tool = {
    kind: 'run',
    runner: 'nx',
    values: '--configuration -c --parallel --base --head --output-style --runner --maxParallel',
    packages: '-p --projects --project',
    selectors: '-t --target --targets --testNamePattern --grep',
    targets: '--testFile --test-file --testPathPattern',
    excludes: '--exclude',
    dry: '--graph',
    rewrites: '--fix',
  };
  const read = readOptions(tool, rest);
  const of = (target: string, more: Partial<Found>): Found => ({
    ...read,
    kind: scriptKind(target),
    runner: `nx ${target}`,
    ...more,
  });
  const [first = '', ...targets] = read.targets;
  if (sub === 'run') {
    const [project = '', target = ''] = first.split(':');
    return target === '' ? null : of(target, { targets, packages: [project] });
  }
  if (sub === 'run-many' || sub === 'affected' || sub.startsWith('affected:')) {
    const target = sub.startsWith('affected:') ? sub.slice(9) : (read.selectors[0] ?? '');
    const narrowed = sub === 'run-many' ? [] : ['affected'];
    const packages = read.packages.flatMap((word) => word.split(',')).filter((word) => word !== '');
    const selectors = [...narrowed, ...read.selectors.slice(sub.startsWith('affected:') ? 0 : 1)];
    return of(target, { targets: [], packages, selectors });
  }
  if (!/^(?:test|build|lint|e2e|serve|typecheck|type-check|vite:test|format|check)/.test(sub)) return null;
  if (sub.startsWith('format')) return found('format', `nx ${sub}`, { rewrites: sub !== 'format:check' });
  return of(sub, { targets, packages: read.targets.slice(0, 1) });
};

/** `turbo run test --filter=a`, `lerna run test --scope a`. */
const monorepo =
  (name: string): Reader =>
  (args) => {
    const end = args.indexOf('--');
    const mine = (end < 0 ? args : args.slice(0, end)).filter(
      (arg, at) => !(at === 0 && (arg === 'run' || arg === 'exec')),
    );
    const read = readOptions(
      {
        kind: 'run',
        runner: name,
        values: '--concurrency --cache-dir --output-logs --log-order --since',
        packages: '--filter -F --scope --to --from',
        excludes: '--ignore',
        narrowing: '--affected',
        dry: '--dry --graph --summarize_',
        directory: '--cwd',
        flags: '--force --parallel --continue --no-cache --stream',
      },
      mine,
    );
    if (args[0] === 'publish') return found('ship', `${name} publish`);
    const words = read.targets.filter(
      (word) =>
        !/^(?:bootstrap|prune|login|link|ls|list|init|gen|clean|changed|diff|version|watch)$/.test(word),
    );
    if (words.length === 0) return null;
    const picked = goals(name, { ...read, targets: words }, 'run');
    return (
      picked && {
        ...picked,
        ...(end < 0
          ? {}
          : { selectors: [...picked.selectors, ...passedOn(picked.kind, '', args.slice(end + 1)).targets] }),
      }
    );
  };

export const programs = (): Table => ({
  nx,
  ...each('turbo lerna', monorepo),
  rush: goal('rush', {}, 'install update add remove init purge change check list'),
  moon: (args) => {
    const name = (args.find((arg) => arg.includes(':')) ?? '').split(':')[1] ?? '';
    return name === '' ? null : found(scriptKind(name), `moon ${name}`);
  },
});

export const traits: readonly Traits[] = [
  {
    name: 'turbo',
    good: /^ *Tasks: +(\d+) successful, \1 total$/m,
    bad: /^ *Failed: +\S+#\S+|\brun failed: command +exited\b/m,
    failing: [
      ['Failed:    web#build', ' Tasks:    1 successful, 2 total', ' ERROR  run failed: command  exited (1)'],
    ],
  },
  {
    name: 'nx',
    good: /^ *NX +Successfully ran targets? /m,
    bad: /^ *NX +(?:Running|Ran) targets? .+ failed$|^ *✖ +[1-9]\d*\/\d+ failed\b|^Failed tasks:$/m,
    failing: [[' NX   Running target build for project web failed', 'Failed tasks:']],
  },
  {
    name: 'lerna',
    good: /^lerna success run Ran npm script /m,
    bad: /^lerna ERR! /m,
    failing: ["lerna ERR! npm run build exited 1 in 'web'"],
  },
];
