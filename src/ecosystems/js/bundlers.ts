// Bundlers and frameworks of JavaScript.
import type { Table, Tool } from '../tool.ts';
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
    dev: served(`${name} dev`),
    start: served(`${name} start`),
    serve: served(`${name} serve`),
    preview: served(`${name} preview`),
    ...more,
  },
});

export const programs = (): Table => ({
  webpack: framework('webpack', { '*': build('webpack') }),
  vite: framework('vite', { optimize: null, '*': served('vite') }),
  rollup: build('rollup'),
  rolldown: build('rolldown'),
  esbuild: build('esbuild'),
  tsup: build('tsup'),
  tsdown: build('tsdown'),
  unbuild: build('unbuild'),
  microbundle: build('microbundle'),
  swc: build('swc'),
  babel: build('babel'),
  parcel: framework('parcel'),
  next: framework('next', { lint: jsLint('next lint'), info: null, telemetry: null }),
  nuxt: framework('nuxt', {
    generate: build('nuxt generate'),
    typecheck: { kind: 'types', runner: 'nuxt typecheck' },
  }),
  nuxi: framework('nuxi', {
    generate: build('nuxi generate'),
    typecheck: { kind: 'types', runner: 'nuxi typecheck' },
  }),
  astro: framework('astro', { check: { kind: 'types', runner: 'astro check', bare: 'nothing' } }),
  remix: framework('remix', { 'vite:build': build('remix build') }),
  'react-router': framework('react-router', { typegen: null }),
  gatsby: framework('gatsby'),
  rspack: framework('rspack'),
  rsbuild: framework('rsbuild'),
  storybook: framework('storybook'),
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
    generate: null,
    g: null,
    new: null,
    add: null,
  }),
  ncc: framework('ncc'),
  'electron-builder': build('electron-builder'),
});
