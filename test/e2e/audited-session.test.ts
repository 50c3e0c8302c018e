// Whole sessions, by hooks as processes with a repository beside the ledger, and through the gateway: `foil audit session`
// makes every hash again from what is kept, and plain git and the session logs tell the same.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { real, serveEsplora, TIP } from '../anchor/blocks/servers.ts';
import { ends, FOIL, Sandbox } from '../cli/foil.ts';
import { ask, stage, upstream } from '../service/gateway/stage.ts';

const BEGUN = real(900_001);
const TURNS = [
  ['add a test', 'I added one.'],
  ['and run it', 'It passes, I think. Not verified.'],
] as const;

const lineOf = (text: string, name: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

describe('foil audit session', () => {
  it('G11b, G11d: of a session by hooks, and git log agrees, interaction by interaction', async () => {
    const sandbox = new Sandbox();
    onTestFinished(() => sandbox.remove());
    sandbox.ledger();
    const esplora = await serveEsplora(BEGUN, [TIP]);
    sandbox.write('counterfoil.yaml', `anchor:\n  blocks: [${esplora.url}]\n  git: true\n`);
    sandbox.ok(['anchor', 'accept']);
    /** Not synchronously: the block source is in this process. */
    const run = async (words: readonly string[], input = ''): Promise<string> => {
      const child = sandbox.start(words);
      let text = '';
      child.stdout.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      child.stdin.end(input);
      expect(await ends(child), words.join(' ')).toMatchObject({ code: 0 });
      return text;
    };
    const hook = (event: string, more: Record<string, unknown> = {}): Promise<string> =>
      run(
        ['hook', 'claude-code'],
        JSON.stringify({
          session_id: 'host-1',
          cwd: sandbox.work,
          hook_event_name: event,
          transcript_path: '',
          ...more,
        }),
      );
    await hook('SessionStart', { source: 'startup' });
    for (const [prompt, answer] of TURNS) {
      await hook('UserPromptSubmit', { prompt });
      await hook('Stop', { last_assistant_message: answer, stop_hook_active: false });
    }
    esplora.tip = TIP;
    await hook('SessionEnd', { reason: 'exit' });
    await run(['anchor', 'git']);

    const { sessions } = sandbox.json(['session', 'list']) as { sessions: { id: string }[] };
    const id = sessions[0]?.id ?? '';
    const text = sandbox.ok(['audit', 'session', id.slice(0, 8)]);
    const branch = `branch-${(BEGUN.height % 7) + 1}`;
    expect(text.split('\n').slice(0, 8)).toEqual([
      `Session: ${id}`,
      `Start BTC: ${BEGUN.height}`,
      `End BTC: ${TIP.height}`,
      'Interactions: 2',
      `Branch: ${branch}`,
      'Chain integrity: VALID',
      'All hashes verified: YES',
      'Git: agrees (3 commits)',
    ]);
    const git = (...words: string[]): string =>
      execFileSync('git', ['--git-dir', sandbox.path('.foil/git'), ...words], { encoding: 'utf8' });
    const { turns } = sandbox.json(['audit', 'session', id]) as { turns: Record<string, string>[] };
    const [, ...ids] = git('rev-list', branch).trim().split('\n');
    expect(ids.reverse().map((commit) => git('show', `${commit}:chain_entry`).trim())).toEqual(
      turns.map(({ chain_hash }) => chain_hash),
    );
    const log = sandbox.ok(['log', '--format', 'gently']);
    const judged = sandbox.run(['verify', '--format', 'gently', '-', '--json'], { input: log });
    expect(JSON.parse(judged.stdout)).toMatchObject({
      valid: true,
      counts: { interactions: 2, sessions: 1 },
      facets: { sessions: { status: 'pass' } },
    });
  });

  it('G11b: of a session through the gateway, whose calls of a model are its interactions', async () => {
    const to = await upstream((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-x-1',
          content: [{ type: 'text', text: 'hello yourself' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 1, output_tokens: 2 },
        }),
      );
    });
    const at = await stage({ upstream: to });
    const messages: unknown[] = [];
    // One connection is one session.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const content of ['hello', 'and again']) {
      messages.push({ role: 'user', content });
      const body = JSON.stringify({ model: 'claude-x', max_tokens: 9, messages });
      const headers = { 'content-type': 'application/json' };
      expect(await ask(`${at.url}/anthropic/v1/messages`, body, { headers, agent })).toMatchObject({
        status: 200,
      });
      messages.push({ role: 'assistant', content: 'hello yourself' });
    }
    agent.destroy();
    await at.stop();
    const id = at.entries('session.start')[0]?.session_id ?? '';
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [FOIL, ...words, '--ledger', at.directory], { encoding: 'utf8' });
    const { stdout, status } = run('audit', 'session', id);
    expect(existsSync(join(at.directory, 'git'))).toBe(false);
    expect(status, stdout).toBe(0);
    expect(lineOf(stdout, 'Interactions')).toBe('2');
    expect(lineOf(stdout, 'Chain integrity')).toBe('VALID');
    expect(lineOf(stdout, 'All hashes verified')).toBe('YES');
    const log = run('log', '--format', 'gently').stdout;
    expect(log.split('\n').map((line) => line.split('|')[3])).toEqual([
      'session_start',
      'prompt',
      'response',
      'prompt',
      'response',
      'session_end',
      undefined,
    ]);
    expect(log).toContain(',seq:2,model:claude-x-1,prompt:');
  });
});
