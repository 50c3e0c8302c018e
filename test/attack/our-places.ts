// What is ours in a made-up project of a made-up user: enough to judge command lines without a disk.
import { expect, it } from 'vitest';
import { attackByCommand, type GitView, looksLikeAttack, type Ours } from '../../src/rules/index.ts';

export const ROOT = '/home/ann/shop';
export const HOME = '/home/ann';
export const LEDGER = `${HOME}/.local/state/counterfoil/shop-0123456789abcdef`;
export const LOCAL = `${ROOT}/.claude/settings.local.json`;
export const SHARED = `${ROOT}/.claude/settings.json`;

export function ourPlaces(more: Partial<Ours> = {}): Ours {
  return {
    directories: [
      LEDGER,
      `${HOME}/.local/state/counterfoil`,
      `${HOME}/.config/counterfoil`,
      '/run/user/1000/counterfoil',
      '/usr/lib/node_modules/counterfoil/dist',
    ],
    files: [SHARED, LOCAL, `${HOME}/.claude/settings.json`, `${ROOT}/.codex/hooks.json`],
    root: ROOT,
    ledger: LEDGER,
    variables: { HOME, XDG_RUNTIME_DIR: '/run/user/1000', CLAUDE_PROJECT_DIR: ROOT },
    service: { pid: 4242, port: 40123 },
    hosts: [{ pid: 777_777, name: 'claude', line: 'claude --resume' }],
    real: (path) => path,
    ...more,
  };
}

/** A repository in which one file of ours is in this state, and all others are not there. */
export function repository(file: string, state: ReturnType<GitView['state']>, tree = ''): GitView {
  return {
    state: (path) => (path === file ? state : path.startsWith(`${ROOT}/`) ? 'absent' : null),
    holds: (commit, path) => commit === tree && path === file,
  };
}

export function refuses(lines: readonly string[], ours: Ours = ourPlaces(), cwd = ROOT): void {
  it.each(lines)('refuses: %s', (line) => {
    expect(attackByCommand(line, cwd, ours)).not.toBeNull();
    expect(looksLikeAttack(line, ['shop-0123456789abcdef'])).toBe(true);
  });
}

export function allows(lines: readonly string[], ours: Ours = ourPlaces(), cwd = ROOT): void {
  it.each(lines)('allows: %s', (line) => expect(attackByCommand(line, cwd, ours)).toBeNull());
}
