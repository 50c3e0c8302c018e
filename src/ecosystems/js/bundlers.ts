// Bundlers and frameworks of JavaScript.
import type { Traits } from '../runner.ts';
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
  webpack: { ...framework('webpack', { '*': build('webpack') }), kind: 'build' },
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

export const traits: readonly Traits[] = [
  {
    name: 'next',
    // What compiled may still have types that don't fit; the legend of its pages comes last.
    good: /^[○●ƒλ◐] +\((?:Static|SSG|Dynamic|Server|Partial Prerender|ISR)\)/m,
    bad: /^Type error: |\bBuild error occurred|^(?:> )?Build failed because of /m,
    failing: [['Failed to compile.', './src/a.ts:1:1', 'Type error: 1']],
  },
  {
    name: 'vite',
    good: /^✓ built in \d/m,
    bad: /^(?:\[vite\]: |error during build)|^[✗x] Build failed in /m,
    failing: [['error during build:', '✗ Build failed in 12ms']],
  },
  {
    name: 'webpack',
    good: /^webpack [\d.]+ compiled (?:successfully|with \d+ warnings?) in \d/m,
    bad: /\bcompiled with [1-9]\d* errors?\b|^ERROR in /m,
    failing: [['webpack 5.90.0 compiled with 1 error in 1234 ms', 'ERROR in ./src/a.js 1:1']],
  },
  {
    name: 'rollup',
    good: /^created \S.* in [\d.]+m?s$/m,
    bad: /^\[!\] /m,
    failing: [['[!] RollupError: Could not resolve "./a" from "src/b.js"', '[!] Error: x']],
  },
  {
    name: 'esbuild',
    good: /^⚡ Done in \d+m?s/m,
    bad: /^✘ \[ERROR\] /m,
    failing: [['1 error', '✘ [ERROR] Could not resolve "./a"']],
  },
  ...['tsup', 'tsdown'].map((name) => ({
    name,
    good: /\bBuild (?:success|complete) in \d/m,
    bad: /\b(?:Build|DTS) (?:failed|error)\b|\berror occurred in dts build/m,
    failing: [['ESM Build failed', 'DTS Build error', 'Error: error occurred in dts build']],
  })),
  {
    name: 'ng',
    good: /^Application bundle generation complete\. \[/m,
    bad: /^Application bundle generation failed\. \[/m,
    failing: [
      [
        'Application bundle generation failed. [1.2 seconds]',
        '✘ [ERROR] TS2322: 1 [plugin angular-compiler]',
      ],
    ],
  },
  { name: 'astro', good: /\[build\] Complete!$/m },
];
