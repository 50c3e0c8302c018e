// Linters and formatters of Go.
import type { Checker, Traits } from '../runner.ts';
import { formatter, lint, type Table, withVerbs } from '../tool.ts';

/** `-l` lists files, `-d` prints what would change. */
const SHOWS = /^(?:[\w./-]+\.go|diff (?:-u )?\S+\.go(?:\.orig)? .*)$/m;

export const programs = (): Table => ({
  'golangci-lint': withVerbs('lint', 'golangci-lint', {
    run: lint('golangci-lint', '-c --config -E -D --timeout --enable --disable --out-format', {
      rewrites: '--fix',
    }),
    fmt: { kind: 'format', runner: 'golangci-lint fmt' },
  }),
  staticcheck: lint('staticcheck', '-checks -f -go -tags'),
  govulncheck: lint('govulncheck'),
  revive: lint('revive', '-config'),
  gofmt: formatter('gofmt', { writes: '-w' }),
  goimports: formatter('goimports', { writes: '-w' }),
});

const COMPLAINS = /^\S+\.go(?::\d.*)?$|^diff |^stat |: command not found/m;

export const traits: readonly Traits[] = [
  {
    name: 'golangci-lint',
    failing: [['1 issues:', 'a.go:1:1: Error return value is not checked (errcheck)']],
  },
  {
    name: 'govulncheck',
    good: /^No vulnerabilities found\.$/m,
    bad: /^Vulnerability #\d/m,
    failing: [
      [
        'Vulnerability #1: GO-2024-0001',
        'Your code is affected by 1 vulnerability from the Go standard library.',
      ],
    ],
  },
  ...['staticcheck', 'revive'].map((name) => ({ name, silent: COMPLAINS })),
  { name: 'gofmt', silent: COMPLAINS, shows: SHOWS },
  { name: 'goimports', silent: COMPLAINS, shows: SHOWS },
];

export const checkers: readonly Checker[] = [
  {
    of: 'lint',
    names: '\\.golangci\\.(?:ya?ml|toml|json)',
    settings: [
      [/^run\.tests$/, 'holds'],
      [/^issues\.new(?:-from-\w+)?$/, 'loosens'],
      [/^linters\.enable$/, 'reaches'],
      [
        /^(?:linters\.disable|run\.skip-(?:dirs|files)|(?:issues|linters\.exclusions)\.(?:exclude|paths|presets|rules|skip)[\w.-]*)$/,
        'leaves-out',
      ],
    ],
    takesOut: [[/\.go$/, /^\/\/\s?nolint(?<rules>[^\n]*)(?=\n(?:(?:\/\/.*)?\n){0,30}package )/m]],
  },
  { of: 'types', takesOut: [[/\.go$/, /^\/\/(?:go:build|\s\+build) ignore\b/m]] },
];
