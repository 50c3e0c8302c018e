// `foil mcp serve`, used through the official client: roles, plans, paths, and that all of it is on record.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyDirectory } from '../../src/entry/index.ts';
import { FOIL } from '../cli/foil.ts';
import { type AnyClient, connect } from './mcp-script.ts';
import { newProject, type Project } from './recorded-project.ts';

interface Called {
  readonly isError?: boolean;
  readonly content: { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

class Agent {
  readonly client: AnyClient;

  constructor(client: AnyClient) {
    this.client = client;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Called> {
    return (await this.client.callTool({ name, arguments: args })) as Called;
  }

  /** The code of a call that must come to nothing. */
  async code(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const { isError, structuredContent } = await this.call(name, args);
    expect(isError).toBe(true);
    return (structuredContent?.error as { code?: string } | undefined)?.code;
  }

  /** What a call that must succeed gives. */
  async json(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { isError, structuredContent, content } = await this.call(name, args);
    expect(isError, content[0]?.text).toBeUndefined();
    return structuredContent ?? {};
  }
}

async function serve(project: Project, words: readonly string[] = []): Promise<Agent> {
  const env = Object.fromEntries(Object.entries(project.env).map(([name, value]) => [name, String(value)]));
  const all = [process.execPath, FOIL, 'mcp', 'serve', '--ledger', project.directory, ...words];
  return new Agent(await connect('v2', { words: all, cwd: project.work, env }));
}

/** An operator's key in clear, as a test can use it. */
async function operator(project: Project): Promise<void> {
  const { code } = await project.foil(['operator', 'init', '--no-passphrase']);
  expect(code).toBe(0);
}

const results = (project: Project, tool: string) =>
  project
    .entries()
    .filter(({ kind, payload }) => kind === 'tool.result' && payload.tool === tool)
    .map(({ payload }) => [payload.result, payload.error_code]);

describe('foil mcp serve', () => {
  it('K11, K7: locks workspace and role once; calls before that are refused, and told when it has begun', async () => {
    const project = await newProject();
    const agent = await serve(project);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'begin_session',
      'read_file',
      'write_file',
      'read_prompt',
      'list_plans',
      'propose_plan',
      'bootstrap_create_foundation_plan',
      'read_audit_log',
      'verify_audit_log',
      'validate',
      'prove',
    ]);
    expect(await agent.code('read_file', { path: 'a' })).toBe('SESSION_NOT_BEGUN');
    expect(await agent.code('begin_session', { workspace_root: 'work', role: 'executor' })).toBe(
      'INVALID_PATH',
    );
    expect(await agent.code('begin_session', { workspace_root: project.work, role: 'root' })).toBe(
      'ROLE_NOT_ALLOWED',
    );
    const begun = await agent.json('begin_session', { workspace_root: project.work, role: 'executor' });
    expect(begun).toMatchObject({ workspace_root: project.work, role: 'executor' });
    const other = { workspace_root: project.root, role: 'planner' };
    expect(await agent.code('begin_session', other)).toBe('SESSION_LOCKED');
    await agent.client.close();
    const early = project
      .entries()
      .filter(({ kind, payload }) => kind === 'tool.call' && payload.buffered === true);
    expect(early.map(({ kind, payload }) => [kind, payload.tool])).toEqual([
      ['tool.call', 'read_file'],
      ['tool.call', 'begin_session'],
      ['tool.call', 'begin_session'],
    ]);
    expect(results(project, 'read_file')).toEqual([['error', 'SESSION_NOT_BEGUN']]);
    await project.expectIntact();
  });

  it('K11, K2, K4: lets an executor write under an approved plan, and under no other', async () => {
    const project = await newProject();
    await operator(project);
    const planner = await serve(project, ['--role', 'planner']);
    await planner.json('begin_session', { workspace_root: project.work, role: 'planner' });
    const foundation = { payload: '# Foundations\nwrite src/a.ts', signature: 'c2ln' };
    const { plan_hash: hash } = await planner.json('bootstrap_create_foundation_plan', foundation);
    expect(await planner.code('bootstrap_create_foundation_plan', foundation)).toBe('PLAN_EXISTS');
    const { plan_hash: second } = await planner.json('propose_plan', { plan: 'another', title: 'Two' });
    const write = {
      path: 'src/a.ts',
      content: 'export const a = "é";\n',
      plan_hash: hash,
      phase_id: 'p1',
      intent: 'why',
    };
    expect(await planner.code('write_file', write)).toBe('ROLE_NOT_ALLOWED');
    await planner.client.close();

    const executor = await serve(project);
    await executor.json('begin_session', { workspace_root: project.work, role: 'executor' });
    expect(await executor.code('bootstrap_create_foundation_plan', foundation)).toBe('ROLE_NOT_ALLOWED');
    expect(await executor.code('write_file', write)).toBe('PLAN_NOT_APPROVED');
    expect(existsSync(join(project.work, 'src/a.ts'))).toBe(false);
    const { code, stdout } = await project.foil([
      'plan',
      'approve',
      String(hash).slice(0, 10),
      '--ledger',
      project.directory,
    ]);
    expect(code, stdout).toBe(0);
    expect(await executor.code('write_file', { ...write, plan_hash: second })).toBe('PLAN_NOT_APPROVED');
    expect(await executor.json('write_file', write)).toEqual({ path: 'src/a.ts', content_bytes: 23 });
    expect(readFileSync(join(project.work, 'src/a.ts'), 'utf8')).toBe(write.content);
    expect((await executor.call('read_file', { path: 'src/a.ts' })).content[0]?.text).toBe(write.content);
    const { plans } = (await executor.json('list_plans')) as { plans: Record<string, unknown>[] };
    expect(plans.map(({ title, approved, foundation: first }) => [title, approved, first])).toEqual([
      ['Foundations', true, true],
      ['Two', false, false],
    ]);
    await executor.client.close();

    const written = project
      .entries()
      .filter(({ payload }) => payload.tool === 'write_file' && payload.result === 'ok');
    expect(written).toMatchObject([
      {
        payload: {
          role: 'executor',
          plan_hash: hash,
          phase_id: 'p1',
          intent: 'why',
          files: [{ path: 'src/a.ts', op: 'write', bytes: 23 }],
        },
      },
    ]);
    const proposed = project.entries().find(({ kind }) => kind === 'plan.propose');
    expect(proposed?.payload).toMatchObject({
      foundation: true,
      signature: 'c2ln',
      role: 'planner',
      plan_hash: hash,
    });
    expect(await project.content(proposed, 'plan')).toBe(foundation.payload);
    for (const { path, bytes } of project.files())
      if (path.startsWith(project.directory)) expect(bytes.includes('export const a'), path).toBe(false);
    await project.expectIntact();
  });

  it('O4 writes only what both a plan and the grants allow', async () => {
    const project = await newProject();
    await operator(project);
    const allow = ['mcp:call:counterfoil/*', 'fs:read:src/**', 'fs:write:src/**'];
    writeFileSync(join(project.work, 'counterfoil.yaml'), `grants:\n  allow: ${JSON.stringify(allow)}\n`);
    mkdirSync(join(project.work, 'src'));
    mkdirSync(join(project.work, 'docs'));
    symlinkSync(project.root, join(project.work, 'src/up'));
    const inLedger = ['--ledger', project.directory];
    expect((await project.foil(['grants', 'accept', ...inLedger])).code).toBe(0);
    const within = await serve(project);
    await within.json('begin_session', { workspace_root: join(project.work, 'docs'), role: 'executor' });
    await expect(within.call('read_file', { path: 'a.md' })).rejects.toThrow(/CALL_NOT_GRANTED/);
    await within.client.close();
    const agent = await serve(project);
    await agent.json('begin_session', { workspace_root: project.work, role: 'executor' });
    const { plan_hash: hash } = await agent.json('propose_plan', { plan: 'write files' });
    const write = (path: string) => ({ path, content: 'x', plan_hash: hash });
    expect(await agent.code('write_file', write('src/a'))).toBe('PLAN_NOT_APPROVED');
    expect((await project.foil(['plan', 'approve', String(hash), ...inLedger])).code).toBe(0);
    await agent.json('write_file', write('src/a'));
    for (const path of ['b', 'src/up/b'])
      await expect(agent.call('write_file', write(path)), path).rejects.toThrow(/CALL_NOT_GRANTED/);
    await expect(agent.call('read_file', { path: 'counterfoil.yaml' })).rejects.toThrow(/fs:read:/);
    await expect(agent.call('no_such_tool', {})).rejects.toThrow(/there is no tool/);
    await expect(agent.client.readResource({ uri: 'file:///x' })).rejects.toThrow(/CALL_NOT_GRANTED/);
    await agent.client.close();
    expect(existsSync(join(project.work, 'b'))).toBe(false);
    expect(existsSync(join(project.root, 'b'))).toBe(false);
    expect(project.entries().filter(({ kind }) => kind === 'tool.denied')).toHaveLength(5);
    const { facets } = await verifyDirectory(project.directory, { threads: 0 });
    expect(facets.authority).toMatchObject({ status: 'pass', findings: [] });
    for (const root of ['/', project.root]) {
      const elsewhere = await serve(project);
      const begin = { workspace_root: root, role: 'executor' };
      expect(await elsewhere.code('begin_session', begin), root).toBe('INVALID_PATH');
      await elsewhere.client.close();
    }
    await project.expectIntact();
  });

  it('K11 an approval that no trusted operator signed approves nothing', async () => {
    const project = await newProject();
    await operator(project);
    const agent = await serve(project);
    await agent.json('begin_session', { workspace_root: project.work, role: 'executor' });
    const { plan_hash: hash } = await agent.json('propose_plan', { plan: 'mine' });
    await project.foil(['plan', 'approve', String(hash), '--ledger', project.directory]);
    // Somebody else's trust: the key is not the one that signed.
    rmSync(join(project.root, 'config/counterfoil/trust.yaml'));
    rmSync(join(project.root, 'config/counterfoil/operator.key'));
    await operator(project);
    expect(await agent.code('write_file', { path: 'a', content: 'x', plan_hash: hash })).toBe(
      'PLAN_NOT_APPROVED',
    );
    await agent.client.close();
  });

  it('K11 no path leads out of the workspace, into the ledger, or through a link', async () => {
    const project = await newProject();
    await operator(project);
    writeFileSync(join(project.root, 'outside'), 'secret');
    symlinkSync(join(project.root, 'outside'), join(project.work, 'link'));
    symlinkSync(project.root, join(project.work, 'up'));
    mkdirSync(join(project.work, 'dir'));
    const agent = await serve(project);
    // The ledger lies in this workspace.
    await agent.json('begin_session', { workspace_root: project.root, role: 'executor' });
    expect(await agent.code('read_file', { path: join(project.directory, 'head') })).toBe('INVALID_PATH');
    await agent.client.close();
    const inner = await serve(project);
    await inner.json('begin_session', { workspace_root: project.work, role: 'executor' });
    const { plan_hash: hash } = await inner.json('propose_plan', { plan: 'p' });
    await project.foil(['plan', 'approve', String(hash), '--ledger', project.directory]);
    for (const path of [
      '../outside',
      join(project.root, 'outside'),
      'link',
      'up/outside',
      'dir/../../outside',
      'dir',
      '',
      'a\0b',
    ]) {
      expect(await inner.code('read_file', { path }), path).toBe('INVALID_PATH');
      expect(await inner.code('write_file', { path, content: 'x', plan_hash: hash }), path).toBe(
        'INVALID_PATH',
      );
    }
    expect(readFileSync(join(project.root, 'outside'), 'utf8')).toBe('secret');
    expect(await inner.code('read_file', { path: 'none' })).toBe('NOT_FOUND');
    await inner.client.close();
  });

  it('K11 reads, verifies and proves the ledger, and asks validators', async () => {
    const project = await newProject();
    const agent = await serve(project);
    await agent.json('begin_session', { workspace_root: project.work, role: 'planner' });
    const log = (await agent.json('read_audit_log', { limit: 3 })) as {
      entries: { seq: number }[];
      last: number;
    };
    expect(log.entries.map(({ seq }) => seq)).toEqual([log.last - 2, log.last - 1, log.last]);
    expect(await agent.json('verify_audit_log')).toMatchObject({
      valid: true,
      status: 'VALID',
      failures: [],
    });
    const proof = await agent.json('prove', { seq: 1 });
    expect(proof).toMatchObject({ seq: 1, proof: expect.stringContaining('c2sp.org/tlog-proof') });
    const asked = await agent.json('validate', {
      claim: 'tested',
      validator: 'test_pass',
      args: { target: 'a' },
    });
    expect(asked).toMatchObject({ outcome: 'refused' });
    expect((await agent.call('read_prompt')).content[0]?.text).toMatch(/^You make plans/);
    expect(await agent.code('read_audit_log', { limit: 'x' })).toBe('INVALID_ARGUMENT');
    expect(await agent.code('read_file', {})).toBe('INVALID_ARGUMENT');
    await agent.client.close();
    await project.expectIntact();
  });

  it('K11, K8a: does nothing that can not be recorded', async () => {
    const project = await newProject();
    writeFileSync(join(project.work, 'a'), 'x');
    const agent = await serve(project);
    await agent.json('begin_session', { workspace_root: project.work, role: 'planner' });
    rmSync(project.directory, { recursive: true });
    await expect(agent.call('read_file', { path: 'a' })).rejects.toThrow(/AUDIT_APPEND_FAILED/);
    await agent.client.close();
  });
});
