// Type checkers of JavaScript.
import type { Checker, Traits } from '../runner.ts';
import { each, type Reader, readOptions, type Table, type Tool, types, whole, withVerbs } from '../tool.ts';

/** `-p dir` and `-p dir/tsconfig.json` say where, and not what. */
const typeScript: Reader = (args, name) => {
  const read = readOptions(TSC, args);
  const project = read.packages[0];
  const builds = args.some((arg) => arg === '-b' || arg === '--build') && !args.includes('--noEmit');
  const directory = project === undefined ? null : project.endsWith('.json') ? folderOf(project) : project;
  const places = builds
    ? read.targets.map((path) => (path.endsWith('.json') ? folderOf(path) : path))
    : read.targets;
  const targets = places.filter((path) => path !== '.');
  return { ...read, kind: builds ? 'build' : 'types', runner: name, packages: [], directory, targets };
};

const TSC: Tool = {
  kind: 'types',
  runner: 'tsc',
  packages: '-p --project',
  values:
    '--target -t --module -m --moduleResolution --outDir --outFile --rootDir --lib --jsx --declarationDir --baseUrl --types --tsBuildInfoFile --pretty --incremental --maxNodeModuleJsDepth --generateTrace --customConditions --moduleDetection',
  flags:
    '--noEmit --strict --skipLibCheck -b --build -w --watch --force -f --verbose --allowJs --checkJs --esModuleInterop --declaration -d --noEmitOnError --resolveJsonModule --emitDeclarationOnly --isolatedModules --noUnusedLocals --composite',
  dry: '--showConfig --init --listFilesOnly --all --clean --dry -h -v',
};

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}

export const programs = (): Table => ({
  ...each('tsc vue-tsc tsgo ngc', () => typeScript),
  tsd: types('tsd', '-t --typings -f --files'),
  'svelte-check': whole('types', 'svelte-check', {
    directory: '--workspace',
    values: '--output --tsconfig --threshold --ignore --compiler-warnings --fail-on-warnings',
  }),
  flow: withVerbs('types', 'flow', { check: types('flow') }),
});

export const traits: readonly Traits[] = [
  ...['tsc', 'tsgo', 'vue-tsc'].map((name) => ({
    name,
    silent: /\berror TS\d|^error[: ]|: command not found|\bnpm (?:ERR!|error)|not the tsc command/m,
  })),
];

const STRICT =
  /^compilerOptions\.(?:strict\w*|alwaysStrict|checkJs|exactOptional\w+|noFallthrough\w+|noImplicit\w+|noProperty\w+|noUnchecked\w+|noUnused\w+|useUnknown\w+)$/;

export const checkers: readonly Checker[] = [
  {
    of: 'types',
    variant: /^[jt]sconfig[.-].+\.json$/,
    names: '[jt]sconfig(?:[.-][\\w.-]+)?\\.json',
    settings: [
      [STRICT, 'holds'],
      [/^compilerOptions\.(?:noCheck|skip(?:Default)?LibCheck|allowUnreachableCode|suppress\w+)$/, 'loosens'],
      [/^exclude$/, 'leaves-out'],
      [/^(?:include|files)$/, 'reaches'],
      [/^extends$/, 'extends'],
    ],
    takesOut: [[/\.(?:[cm]?[jt]sx?|vue|svelte)$/, /^[ \t]*\/[/*]\s*@ts-nocheck\b/m]],
  },
];
