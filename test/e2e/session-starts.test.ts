// G3: what a session says of its pack and its grants when it begins, whichever way it begins.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonObject, policyHashOf } from '../../src/core/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { wrapped } from './mcp-client.ts';
import { newProject, type Project } from './recorded-project.ts';

const ALLOW = ['fs:read:**', 'mcp:call:test/echo', 'process:exec:**'];

async function foil(project: Project, command: string, ...words: string[]): Promise<void> {
  const { code, stderr } = await project.foil([command, '--ledger', project.directory, ...words]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
}

async function granted(): Promise<Project> {
  const project = await newProject();
  writeFileSync(join(project.work, 'counterfoil.yaml'), `grants:\n  allow: ${JSON.stringify(ALLOW)}\n`);
  await foil(project, 'operator', 'init', '--no-passphrase');
  await foil(project, 'grants', 'accept');
  return project;
}

/** The ways to begin a session, one after the other in one ledger. */
async function begin(project: Project): Promise<void> {
  await foil(project, 'run', '--', 'true');
  await foil(project, 'session', 'start');
  const host = new ClaudeSession('host-session', project.work);
  await project.tell('claude-code', host.call('t1', { file_path: join(project.work, 'a') }, 'Read'));
  const client = wrapped(project);
  client.call(1, 'echo', { text: 'hi' });
  await client.answer(1);
  await client.end();
}

function starts(project: Project): JsonObject[] {
  return project
    .entries()
    .filter(({ kind }) => kind === 'session.start')
    .map(({ source, payload: { pack, capabilities } }) => ({ source, pack, capabilities }) as JsonObject);
}

describe('a session that begins', () => {
  it.each([
    ['with the hash of the grants in force', granted, policyHashOf({ allow: ALLOW, deny: [] })],
    ['with null where nobody accepted any', newProject, null],
  ])('G3 %s', async (_, make, capabilities) => {
    const project = await make();
    await begin(project);
    const each = { pack: null, capabilities };
    expect(starts(project)).toEqual(
      ['run', 'cli', 'hook:claude-code', 'mcp'].map((source) => ({ source, ...each })),
    );
  });
});
