// Plans and what becomes of them on disk: real files, links, owners and permissions, and programs that change a file at
// the wrong moment.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opencodePlugin } from '../../../src/capture/hooks/index.ts';
import {
  applyPlan,
  detectAgents,
  findInstalled,
  HOSTS,
  type Places,
  type Plan,
  planInstall,
  planUninstall,
  SCOPES,
  type Scope,
  type Wiring,
} from '../../../src/capture/settings/index.ts';
import { ParseError, StoreError } from '../../../src/core/index.ts';
import { temporary } from '../../temporary.ts';

const TOKEN = 'a'.repeat(64);
const isRoot = process.getuid?.() === 0;

function placesIn(root: string): Places {
  const places = { project: join(root, 'project'), home: join(root, 'home'), env: { PATH: '' } };
  mkdirSync(places.project);
  mkdirSync(places.home);
  return places;
}

function wiring(scope: Scope, mode: Wiring['mode'] = 'observe'): Wiring {
  const service = scope === 'local' && mode !== 'locked' ? { port: 4711, token: TOKEN } : null;
  return {
    scope,
    mode,
    node: '/bin/node',
    foil: '/lib/foil.cjs',
    ledger: scope === 'local' ? '/ledger' : null,
    service,
  };
}

function plan(places: Places, agent: string, scope: Scope = 'local', mode: Wiring['mode'] = 'observe'): Plan {
  return planInstall({ agent, places, wiring: wiring(scope, mode), plugin: opencodePlugin });
}

/** Every file and folder, with bytes and permissions. Links are listed and not followed: one leads back to the root. */
function tree(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    paths.map((path) => {
      const name = relative(root, path);
      const { mode } = lstatSync(path);
      const isFile = lstatSync(path).isFile();
      return [name, `${(mode & 0o7777).toString(8)} ${isFile ? readFileSync(path, 'latin1') : ''}`];
    }),
  );
}

const FOREIGN: Record<string, string> = {
  'claude-code':
    '{\n  "permissions": {"allow": ["Bash"]},\n  "hooks": {\n    "PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "mine"}]}]\n  }\n}',
  codex: '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}',
  gemini: '{\r\n\t// theme\r\n\t"ui": {"theme": "x"},\r\n}\r\n',
  copilot: '{ "version": 1, "hooks": { "PreToolUse": [ { "type": "command", "bash": "mine" } ] } }\n',
  cursor: '{\n    "version": 1,\n    "hooks": {\n        "stop": [{ "command": "mine" }]\n    }\n}\n',
};

describe('B15 install, then uninstall', () => {
  const cases = HOSTS.flatMap(({ agent }) => SCOPES.map((scope) => [agent, scope] as const));

  it.each(cases)('%s in %s scope leaves nothing behind where there was nothing', (agent, scope) => {
    const root = temporary();
    const places = placesIn(root);
    const before = tree(root);
    const first = plan(places, agent, scope);
    expect(first.change).toBe('create');
    expect(applyPlan(first)).toBe(true);
    const installed = tree(root);
    expect(plan(places, agent, scope)).toMatchObject({ change: 'none' });
    expect(applyPlan(plan(places, agent, scope))).toBe(true);
    expect(tree(root)).toEqual(installed);
    expect(applyPlan(plan(places, agent, scope, 'guard'))).toBe(true);
    expect(applyPlan(planUninstall(agent, scope, places))).toBe(true);
    expect(tree(root)).toEqual(before);
    expect(planUninstall(agent, scope, places).change).toBe('none');
  });

  it.each(cases.filter(([agent]) => agent !== 'opencode'))(
    '%s in %s scope leaves a file with foreign hooks as it was, with its permissions',
    (agent, scope) => {
      const root = temporary();
      const places = placesIn(root);
      const path = HOSTS.find((host) => host.agent === agent)?.file(scope, places).path ?? '';
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, FOREIGN[agent] ?? '');
      chmodSync(path, 0o640);
      const before = tree(root);
      expect(applyPlan(plan(places, agent, scope))).toBe(true);
      expect(readFileSync(path, 'utf8')).toContain('hook');
      expect(statSync(path).mode & 0o777).toBe(0o640);
      expect(applyPlan(plan(places, agent, scope, 'locked'))).toBe(true);
      expect(applyPlan(planUninstall(agent, scope, places))).toBe(true);
      expect(tree(root)).toEqual(before);
    },
  );

  it.each(HOSTS.map(({ agent }) => agent))('%s keeps folders that were there, though empty', (agent) => {
    for (const level of [1, 2]) {
      const root = temporary();
      const places = placesIn(root);
      const file = HOSTS.find((host) => host.agent === agent)?.file('project', places);
      const folder = level === 1 ? dirname(file?.path ?? '') : dirname(dirname(file?.path ?? ''));
      mkdirSync(folder, { recursive: true });
      const before = tree(root);
      expect(applyPlan(plan(places, agent, 'project'))).toBe(true);
      expect(applyPlan(plan(places, agent, 'project', 'guard'))).toBe(true);
      expect(applyPlan(planUninstall(agent, 'project', places))).toBe(true);
      expect(tree(root)).toEqual(before);
    }
  });

  it('keeps the token from others in a new file, and warns of an old one', () => {
    const places = placesIn(temporary());
    const first = plan(places, 'claude-code');
    applyPlan(first);
    expect(statSync(first.path).mode & 0o777).toBe(0o600);
    expect(first.warnings).toEqual([]);
    unlinkSync(first.path);
    writeFileSync(first.path, '{}', { mode: 0o644 });
    expect(plan(places, 'claude-code').warnings).toEqual([expect.stringContaining('chmod 600')]);
  });

  it.each([
    ['claude-code', '{"disableAllHooks": true}', 'disableAllHooks'],
    ['copilot', '{"disableAllHooks": true}', 'disableAllHooks'],
    ['gemini', '{"hooksConfig": {"enabled": false}}', 'hooksConfig.enabled'],
    ['gemini', '{"tools": {"enableHooks": false}}', 'tools.enableHooks'],
    ['gemini', '{"hooks": {"disabled": ["counterfoil"]}}', 'hooks.disabled'],
    ['gemini', '{"hooksConfig": {"disabled": ["other"]}, "tools": null}', undefined],
  ])('says where %s is told to run no hooks: %s', (agent, text, member) => {
    const places = placesIn(temporary());
    const path = HOSTS.find((host) => host.agent === agent)?.file('local', places).path ?? '';
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    const expected = member === undefined ? [] : [expect.stringContaining(`hooks off with ${member}`)];
    expect(plan(places, agent).warnings).toEqual(expected);
  });

  it('says where a version is missing, and adds none', () => {
    const places = placesIn(temporary());
    mkdirSync(join(places.project, '.cursor'));
    writeFileSync(join(places.project, '.cursor/hooks.json'), '{"hooks":{}}');
    expect(plan(places, 'cursor').warnings).toEqual([expect.stringContaining('"version": 1')]);
  });
});

describe('what is installed is found', () => {
  it('with its mode, ledger and port', () => {
    const places = placesIn(temporary());
    expect(findInstalled(places)).toEqual([]);
    for (const { agent } of HOSTS) applyPlan(plan(places, agent, 'local', 'guard'));
    applyPlan(plan(places, 'claude-code', 'project'));
    applyPlan(plan(places, 'codex', 'user', 'guard'));
    const found = findInstalled(places);
    expect(found.map(({ agent, scope, mode, ledger, port }) => [agent, scope, mode, ledger, port])).toEqual([
      ['claude-code', 'local', null, '/ledger', 4711],
      ['claude-code', 'project', null, null, null],
      ['codex', 'local', null, '/ledger', null],
      ['codex', 'user', 'guard', null, null],
      ['gemini', 'local', null, '/ledger', null],
      ['copilot', 'local', null, '/ledger', null],
      ['cursor', 'local', null, '/ledger', null],
      ['opencode', 'local', null, '/ledger', null],
    ]);
    expect(found[0]?.groups.map(({ event }) => event)).toContain('PreToolUse');
    const locked = { ...wiring('local', 'locked'), socket: '/run/foil/socket' };
    for (const agent of ['codex', 'opencode'])
      applyPlan(planInstall({ agent, places, wiring: locked, plugin: opencodePlugin }));
    expect(findInstalled(places).filter(({ mode }) => mode === 'locked')).toMatchObject([
      { agent: 'codex', scope: 'local', ledger: null, socket: '/run/foil/socket' },
      { agent: 'opencode', scope: 'local', ledger: null, socket: '/run/foil/socket' },
    ]);
    writeFileSync(join(places.project, '.codex/hooks.json'), 'nonsense');
    expect(findInstalled(places)).toHaveLength(7);
  });

  it('as the agents are, by folder or program', () => {
    const places = placesIn(temporary());
    expect(detectAgents(places)).toEqual([]);
    mkdirSync(join(places.home, '.gemini'));
    writeFileSync(join(places.home, 'codex'), '', { mode: 0o755 });
    writeFileSync(join(places.home, 'opencode'), '', { mode: 0o644 });
    expect(detectAgents({ ...places, env: { PATH: `.:${places.home}` } }).map(({ agent }) => agent)).toEqual([
      'codex',
      'gemini',
    ]);
  });
});

describe('a file that can’t be edited is left as it is', () => {
  function refused(prepare: (path: string, root: string) => void, agent = 'claude-code'): Error {
    const root = temporary();
    const places = placesIn(root);
    const path = HOSTS.find((host) => host.agent === agent)?.file('local', places).path ?? '';
    mkdirSync(dirname(path), { recursive: true });
    prepare(path, root);
    const before = tree(root);
    let thrown: unknown;
    try {
      applyPlan(plan(places, agent));
    } catch (error) {
      thrown = error;
    }
    expect(tree(root)).toEqual(before);
    expect(thrown).toBeInstanceOf(Error);
    const error = thrown as Error;
    expect(error instanceof ParseError || error instanceof StoreError, error.stack).toBe(true);
    expect(error.message).toContain(path);
    return error;
  }

  it.each<[string, string, (path: string, root: string) => void]>([
    ['not JSON', 'not JSON', (path) => writeFileSync(path, 'hooks = 1')],
    ['not UTF-8', 'not UTF-8', (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))],
    ['hooks that are no object', 'hooks: not an object', (path) => writeFileSync(path, '{"hooks":[]}')],
    [
      'an event that is no list',
      'hooks.Stop: not a list',
      (path) => writeFileSync(path, '{"hooks":{"Stop":{}}}'),
    ],
    ['a directory', 'not a plain file', (path) => mkdirSync(path)],
    ['20 MB', 'larger than 4 MB', (path) => [writeFileSync(path, '{}'), truncateSync(path, 20 << 20)]],
    ['read-only', 'read-only', (path) => writeFileSync(path, '{}', { mode: 0o444 })],
    ['a link that leads nowhere', 'broken link', (path) => symlinkSync('/nowhere/at/all', path)],
    ['a link to itself', 'ELOOP', (path) => symlinkSync(path, path)],
    ['a link to a directory', 'not a plain file', (path, root) => symlinkSync(root, path)],
    ['a pipe', 'not a plain file', (path) => spawnSync('mkfifo', [path])],
  ])('%s', (_, message, prepare) => {
    expect(refused(prepare).message).toContain(message);
  });

  it.skipIf(!isRoot)('another’s', () => {
    const error = refused((path) => {
      writeFileSync(path, '{}');
      chownSync(path, 12_345, 12_345);
    });
    expect(error.message).toContain('belongs to another user');
  });

  it('a plugin that somebody wrote or changed', () => {
    expect(refused((path) => writeFileSync(path, 'export {}'), 'opencode').message).toContain(
      'not written by foil',
    );
    const places = placesIn(temporary());
    const made = plan(places, 'opencode');
    applyPlan(made);
    writeFileSync(made.path, `${made.after}// mine`);
    expect(() => plan(places, 'opencode', 'local', 'guard')).toThrow('changed since foil wrote it');
    expect(() => planUninstall('opencode', 'local', places)).toThrow('changed since foil wrote it');
    expect(readFileSync(made.path, 'utf8')).toContain('// mine');
    writeFileSync(made.path, 'export {}');
    expect(planUninstall('opencode', 'local', places).change).toBe('none');
  });
});

describe('writing', () => {
  it('follows a link and keeps it', () => {
    const root = temporary();
    const places = placesIn(root);
    const [dotfile, link] = [join(root, 'dotfile'), join(places.project, '.claude/settings.local.json')];
    mkdirSync(dirname(link));
    writeFileSync(dotfile, '{"a":1}\n');
    symlinkSync('../../dotfile', link);
    applyPlan(plan(places, 'claude-code'));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(dotfile, 'utf8')).toContain('/v1/hook/claude-code');
    applyPlan(planUninstall('claude-code', 'local', places));
    expect(readFileSync(dotfile, 'utf8')).toBe('{"a":1}\n');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it.each<[string, (path: string) => void]>([
    ['was written by another', (path) => writeFileSync(path, '{"theirs":true}')],
    ['went away', (path) => unlinkSync(path)],
  ])('does nothing where the file %s since the plan was made', (_, meanwhile) => {
    const root = temporary();
    const places = placesIn(root);
    const path = join(places.project, '.claude/settings.local.json');
    mkdirSync(dirname(path));
    writeFileSync(path, '{}');
    const stale = plan(places, 'claude-code');
    meanwhile(path);
    const before = tree(root);
    expect(applyPlan(stale)).toBe(false);
    expect(tree(root)).toEqual(before);
    expect(applyPlan(plan(places, 'claude-code'))).toBe(true);
  });

  it('does not replace a file that was made since the plan was made, nor remove one that changed', () => {
    const root = temporary();
    const places = placesIn(root);
    const stale = plan(places, 'claude-code');
    mkdirSync(dirname(stale.path));
    writeFileSync(stale.path, '{"theirs":true}');
    expect(applyPlan(stale)).toBe(false);
    expect(readFileSync(stale.path, 'utf8')).toBe('{"theirs":true}');
    applyPlan(plan(places, 'claude-code'));
    const removal = planUninstall('claude-code', 'local', places);
    writeFileSync(stale.path, '{"theirs":2}');
    expect(applyPlan(removal)).toBe(false);
    expect(readFileSync(stale.path, 'utf8')).toBe('{"theirs":2}');
  });

  it('leaves no folder behind where it fails', () => {
    const root = temporary();
    const places = placesIn(root);
    const made = plan(places, 'copilot');
    const before = tree(root);
    const broken = { ...made, snapshot: { ...made.snapshot, path: join(root, 'project/other') } };
    writeFileSync(join(root, 'project/other'), 'x');
    expect(applyPlan(broken)).toBe(false);
    unlinkSync(join(root, 'project/other'));
    expect(tree(root)).toEqual(before);
    expect(existsSync(dirname(made.path))).toBe(false);
  });
});
