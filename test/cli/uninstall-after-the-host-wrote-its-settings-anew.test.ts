// Claude Code writes its settings file anew, as plain JSON, when a user allows something. What `foil install` put there
// beside the hooks still goes with them, and what the user wrote stays, however it is spaced. A file that nobody touched
// comes back byte for byte, also from an earlier version's install.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opencodePlugin } from '../../src/capture/hooks/index.ts';
import {
  applyPlan,
  type Places,
  planInstall,
  planUninstall,
  type Wiring,
} from '../../src/capture/settings/index.ts';
import { temporary } from '../temporary.ts';

const WIRING: Wiring = {
  scope: 'local',
  mode: 'guard',
  node: '/usr/bin/node',
  foil: '/opt/counterfoil/dist/foil.cjs',
  ledger: '/ledger',
  service: null,
};

class Settings {
  readonly places: Places;
  readonly path: string;

  constructor(text: string | null) {
    const root = temporary();
    this.places = { project: join(root, 'work'), home: join(root, 'home'), env: {} };
    this.path = join(root, 'work/.claude/settings.local.json');
    mkdirSync(dirname(this.path), { recursive: true });
    if (text !== null) writeFileSync(this.path, text);
  }

  get text(): string {
    return readFileSync(this.path, 'utf8');
  }

  install(): string {
    const { places } = this;
    const plan = planInstall({ agent: 'claude-code', places, wiring: WIRING, plugin: opencodePlugin });
    applyPlan(plan);
    return plan.change;
  }

  uninstall(): string | null {
    const plan = planUninstall('claude-code', 'local', this.places);
    applyPlan(plan);
    return plan.after;
  }

  /** As the host does it. */
  rewrite(change: (settings: Record<string, unknown>) => void = () => {}): void {
    const settings = JSON.parse(this.text) as Record<string, unknown>;
    change(settings);
    writeFileSync(this.path, JSON.stringify(settings, null, 2));
  }

  /** As an earlier version wrote it. */
  makeOld(): void {
    const text = this.text.replaceAll(/ --keeps [^; "]+/g, '');
    writeFileSync(
      this.path,
      text
        .replace(/("disableAllHooks":) ?(?=false)/, '$1  ')
        .replace(/("CLAUDE_CODE_SHELL_PREFIX":) ?(?="")/, '$1  '),
    );
  }
}

const OWN = '"disableAllHooks":  false,\n  "env": {\n    "CLAUDE_CODE_SHELL_PREFIX":  ""\n  }';
const ORIGINALS: [string, string][] = [
  ['nothing in it', '{}\n'],
  ['a permission', '{\n  "permissions": {"allow": ["Bash"]}\n}\n'],
  ['an environment', '{\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n'],
  ['an empty environment', '{"env":{}}'],
  [
    'hooks of others',
    '{\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}\n',
  ],
  ['the same members, spaced as ours once were', `{\n  ${OWN}\n}\n`],
  ['one of the members', '{\n  "disableAllHooks":  false\n}\n'],
];

describe('after the host wrote the file anew', () => {
  it('nothing of ours is left beside what the user allowed', () => {
    const settings = new Settings(null);
    settings.install();
    settings.rewrite((each) => void Object.assign(each, { permissions: { allow: ['Bash'] } }));
    expect(settings.uninstall()).toBe(`{\n  "permissions": {\n    "allow": [\n      "Bash"\n    ]\n  }\n}`);
  });

  it.each(ORIGINALS)('a file with %s says what it said', (_, original) => {
    const settings = new Settings(original);
    settings.install();
    settings.rewrite();
    expect(settings.install()).toBe('none');
    // An empty object that stood there may go with what was put into it.
    const { env = {}, ...rest } = JSON.parse(settings.uninstall() ?? '{}');
    const { env: before = {}, ...others } = JSON.parse(original);
    expect({ env, ...rest }).toEqual({ env: before, ...others });
  });
});

describe('a file that nobody touched', () => {
  it.each(ORIGINALS)('with %s comes back byte for byte', (_, original) => {
    const settings = new Settings(original);
    settings.install();
    expect(JSON.parse(settings.text)).toMatchObject({
      disableAllHooks: false,
      env: { CLAUDE_CODE_SHELL_PREFIX: '' },
    });
    expect(settings.install()).toBe('none');
    expect(settings.uninstall()).toBe(original);
  });

  it.each(ORIGINALS.slice(0, 5))('with %s comes back from an earlier version’s install', (_, original) => {
    const settings = new Settings(original);
    settings.install();
    settings.makeOld();
    expect(settings.text).toMatch(/"disableAllHooks": {2}false/);
    expect(settings.uninstall()).toBe(original);
    settings.install();
    settings.makeOld();
    expect(settings.install()).toBe('update');
    expect(settings.text).not.toMatch(/: {2}(?:false|"")/);
    expect(settings.uninstall()).toBe(original);
  });
});

it('a file without hooks of ours is not ours, however it is spaced', () => {
  const settings = new Settings(`{\n  ${OWN}\n}\n`);
  expect(settings.uninstall()).toBe(settings.text);
});
