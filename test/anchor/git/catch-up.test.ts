import { describe, expect, it } from 'vitest';
import { expectSound, git, newScene, updated } from './repository.ts';

describe('the git repository', () => {
  it('G6 tells of a session, interaction by interaction, to plain git', async () => {
    const scene = await newScene();
    const { sessions } = scene;
    const session = await sessions.begin(930_226);
    await sessions.interact(session, 'hello', 'world');
    await sessions.interact(session, 'more', 'of it');
    const final = await sessions.end(session, 930_227);
    const result = await updated(scene);
    expect(result).toMatchObject({ commits: 4, end: 'merge' });
    expectSound(scene.git);
    expect(git(scene.git, 'log', '--format=%s %an', 'branch-4').split('\n')).toEqual([
      `session_end:${final.slice(0, 16)}:btc-930227 ${session.slice(0, 16)}`,
      `interaction-2 ${session.slice(0, 16)}`,
      `interaction-1 ${session.slice(0, 16)}`,
    ]);
  });
});
