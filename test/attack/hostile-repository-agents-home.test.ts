// In locked the service is another user than the agent. It protects the settings in the agent's home, too.
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { oursOf } from '../../src/app/hook/defence.ts';
import { homeOfOwner } from '../../src/app/hook/home-of.ts';
import { locate } from '../../src/ledger/index.ts';
import { attackByCommand, attackByFile } from '../../src/rules/index.ts';
import { temporary } from '../temporary.ts';

const NOBODY = 65_534;

it('the home of whoever owns a directory is what the system’s list says', () => {
  const folder = temporary();
  const users = join(folder, 'passwd');
  const uid = process.getuid?.();
  writeFileSync(users, `x:x:${uid}1:0::/home/x:/bin/sh\nbad\nme:x:${uid}:0:,,:/home/me:/bin/sh\n`);
  expect(homeOfOwner(folder, users)).toBe('/home/me');
  writeFileSync(users, `me:x:${uid}:0:::/bin/sh\n`);
  expect(homeOfOwner(folder, users)).toBeUndefined();
  expect(homeOfOwner(join(folder, 'gone'), users)).toBeUndefined();
});

it.runIf(process.getuid?.() === 0)('a write to the agent’s own settings is an attack', () => {
  const cwd = temporary();
  chownSync(cwd, NOBODY, NOBODY);
  const home = homeOfOwner(cwd);
  if (home === undefined) return;
  const env = { HOME: '/home/foil' };
  const ours = oursOf(locate({ ledger: join(cwd, 'ledger'), env }), { agent: 'claude-code', cwd, env });
  expect(attackByFile(`${home}/.claude/settings.json`, cwd, ours)).not.toBeNull();
  expect(attackByCommand(`echo '{}' > ${home}/.claude/settings.json`, cwd, ours)).not.toBeNull();
  expect(attackByFile(`${home}/notes.txt`, cwd, ours)).toBeNull();
});
