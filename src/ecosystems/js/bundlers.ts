// Bundlers and frameworks of JavaScript.
import { each, type Table, type Tool } from '../tool.ts';
import { jest } from './jest.ts';
import { jsLint } from './linters.ts';

const build = (runner: string, more: Partial<Tool> = {}): Tool => ({
  kind: 'build',
  runner,
  bare: 'nothing',
  dry: '-h -v',
  ...more,
});

const served = (runner: string): Tool => ({ kind: 'run', runner, bare: 'nothing' });

/** Bundlers and frameworks: `x build`, `x dev`. */
const framework = (name: string, more: Tool['subs'] = {}): Tool => ({
  kind: 'run',
  runner: name,
  bare: 'nothing',
  values: '-c --config --mode -p --port --host',
  subs: {
    build: build(`${name} build`),
    ...each('dev start serve preview', (sub) => served(`${name} ${sub}`)),
    ...more,
  },
});

export const programs = (): Table => ({
  webpack: framework('webpack', { '*': build('webpack') }),
  vite: framework('vite', { optimize: null, '*': served('vite') }),
  ...each('rollup rolldown esbuild tsup tsdown unbuild microbundle swc babel electron-builder', (name) =>
    build(name),
  ),
  ...each('parcel gatsby rspack rsbuild storybook ncc', (name) => framework(name)),
  next: framework('next', { lint: jsLint('next lint'), info: null, telemetry: null }),
  ...each('nuxt nuxi', (name) =>
    framework(name, {
      generate: build(`${name} generate`),
      typecheck: { kind: 'types', runner: `${name} typecheck` },
    }),
  ),
  astro: framework('astro', { check: { kind: 'types', runner: 'astro check', bare: 'nothing' } }),
  remix: framework('remix', { 'vite:build': build('remix build') }),
  'react-router': framework('react-router', { typegen: null }),
  'react-scripts': framework('react-scripts', {
    test: { ...jest, runner: 'react-scripts test' },
    eject: null,
  }),
  'vue-cli-service': framework('vue-cli-service', {
    lint: jsLint('vue-cli-service lint'),
    'test:unit': { ...jest, runner: 'vue-cli-service test:unit' },
  }),
  ng: framework('ng', {
    test: {
      kind: 'test',
      runner: 'ng test',
      targets: '--include',
      excludes: '--exclude',
      values: '--browsers -c --configuration',
      bare: 'packages',
    },
    e2e: { kind: 'test', runner: 'ng e2e', bare: 'packages' },
    lint: jsLint('ng lint', '', { bare: 'packages' }),
    ...each('generate g new add', () => null),
  }),
});
