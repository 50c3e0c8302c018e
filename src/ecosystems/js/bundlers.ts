// Bundlers and frameworks of JavaScript.
import { each, type Table, type Tool, types, whole } from '../tool.ts';
import { jest } from './jest.ts';
import { jsLint } from './linters.ts';

const build = (runner: string): Tool => whole('build', runner, { dry: '-h -v' });

/** Bundlers and frameworks: `x build`, `x dev`. */
const framework = (name: string, more: Tool['subs'] = {}): Tool =>
  whole('run', name, {
    values: '-c --config --mode -p --port --host',
    subs: {
      build: build(`${name} build`),
      ...each('dev start serve preview', (sub) => whole('run', `${name} ${sub}`)),
      ...more,
    },
  });

export const programs = (): Table => ({
  webpack: framework('webpack', { '*': build('webpack') }),
  vite: framework('vite', { optimize: null, '*': whole('run', 'vite') }),
  ...each('rollup rolldown esbuild tsup tsdown unbuild microbundle swc babel electron-builder', build),
  ...each('parcel gatsby rspack rsbuild storybook ncc', (name) => framework(name)),
  next: framework('next', { lint: jsLint('next lint'), info: null, telemetry: null }),
  ...each('nuxt nuxi', (name) =>
    framework(name, {
      generate: build(`${name} generate`),
      typecheck: types(`${name} typecheck`),
    }),
  ),
  astro: framework('astro', { check: whole('types', 'astro check') }),
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
