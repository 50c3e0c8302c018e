// A whole session through hooks, gateway and MCP proxy, with a real service, SDK client and git: `foil audit session`
// recomputes every hash of it, `git log` tells the same story, and a branch that was moved is named.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { acceptAnchor } from '../accept-anchor.ts';
import { real, serveEsplora, TIP } from '../anchor/blocks/servers.ts';
import { SeenAgent } from './three-views.ts';

const TURNS = [
  { prompt: 'What is in here?', message: 'Two files, as far as I looked.' },
  { prompt: 'Say it again.', message: 'Two files. Not verified.' },
  { prompt: 'Thank you.', message: 'You are welcome.' },
];

function git(directory: string, ...words: string[]): string {
  return execFileSync('git', ['-C', join(directory, 'git'), ...words], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
}

describe('a session from beginning to end', () => {
  it('G6, G7, G11 is audited from its content, and git agrees, interaction by interaction', async () => {
    const began = real(900_001);
    const esplora = await serveEsplora(began, [TIP]);
    const agent = await SeenAgent.start({
      'a.txt': 'a\n',
      'counterfoil.yaml': `anchor:\n  blocks: [${esplora.url}]\n  git: true\n`,
    });
    const { project } = agent;
    acceptAnchor(project.directory, project.work);
    await agent.hook(agent.session.start());
    for (const turn of TURNS) await agent.turn({ ...turn, steps: [] });
    await agent.verified();
    const list = await project.foil(['session', 'list', '--ledger', project.directory, '--json']);
    const { sessions } = JSON.parse(list.stdout) as { sessions: { id: string; agent: string }[] };
    const session = sessions.find((each) => each.agent === 'claude-code')?.id ?? '';
    await project.foil(['anchor', 'git', '--ledger', project.directory]);

    const audit = await project.foil([
      'audit',
      'session',
      session.slice(0, 8),
      '--ledger',
      project.directory,
    ]);
    expect(audit.stdout.split('\n').slice(0, 7)).toEqual([
      `Session: ${session}`,
      expect.stringMatching(new RegExp(`^Start BTC: ${began.height}`)),
      expect.stringMatching(/^End BTC: \d+/),
      'Interactions: 3',
      `Branch: branch-${(began.height % 7) + 1}`,
      'Chain integrity: VALID',
      expect.stringMatching(/^All hashes verified: YES/),
    ]);
    expect(audit.code).toBe(0);

    const branch = `branch-${(began.height % 7) + 1}`;
    const log = git(project.directory, 'log', '--reverse', '--format=%an %s', branch).trim().split('\n');
    const own = log.filter((line) => line.startsWith(session.slice(0, 16)));
    expect(own.slice(0, 3)).toEqual([1, 2, 3].map((n) => `${session.slice(0, 16)} interaction-${n}`));
    expect(own[3]).toMatch(/ session_end:[0-9a-f]{16}:btc-\d+$/);
    const responses = project
      .entries()
      .filter(({ kind, session_id }) => kind === 'response' && session_id === session);
    const ids = git(
      project.directory,
      'log',
      '--reverse',
      '--format=%H',
      `--author=${session.slice(0, 16)}`,
      branch,
    )
      .trim()
      .split('\n');
    for (const [i, { payload }] of responses.entries()) {
      const file = (name: string): string => git(project.directory, 'show', `${ids[i]}:${name}`).trim();
      expect({
        prompt_hash: file('prompt_hash'),
        response_hash: file('response_hash'),
        chain_hash: file('chain_entry'),
        session: file('session'),
      }).toEqual({ ...hashesOf(payload), session });
    }
    git(project.directory, 'fsck', '--full', '--strict');
  });

  it('a branch that was moved back by hand is named', async () => {
    const esplora = await serveEsplora(TIP);
    const agent = await SeenAgent.start({
      'counterfoil.yaml': `anchor:\n  blocks: [${esplora.url}]\n  git: true\n`,
    });
    const { project } = agent;
    acceptAnchor(project.directory, project.work);
    for (const turn of TURNS) await agent.turn({ ...turn, steps: [] });
    await agent.verified();
    await project.foil(['anchor', 'git', '--ledger', project.directory]);
    const branch = `branch-${(TIP.height % 7) + 1}`;
    const verify = async (): Promise<JsonObject> =>
      JSON.parse(
        (await project.foil(['verify', '--ledger', project.directory, '--json'])).stdout,
      ) as JsonObject;
    expect(await verify()).toMatchObject({ facets: { sessions: { findings: [] } } });
    git(project.directory, 'update-ref', `refs/heads/${branch}`, `${branch}~2`);
    // Behind may be a repository that lags; one that holds something else is none.
    git(project.directory, 'update-ref', 'refs/heads/main', `${branch}`);
    const { verdict, facets } = (await verify()) as { verdict: string; facets: JsonObject };
    expect({ verdict, facets }).toMatchObject({
      verdict: 'BROKEN',
      facets: { sessions: { status: 'fail' } },
    });
  });
});

function hashesOf({ prompt_hash, response_hash, chain_hash }: JsonObject): JsonObject {
  return {
    prompt_hash: prompt_hash ?? null,
    response_hash: response_hash ?? null,
    chain_hash: chain_hash ?? null,
  };
}
