// Claude Code's own transcript is held against what was recorded: calls that reached nobody, because the service was away,
// and turns whose end did not, because a program of a clone left that hook out, are told of by a gap. The transcript is the host's word, in a file that may be anything.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { makeProject, type Project } from './recorded-project.ts';

let project: Project;
let transcript: string;
let host: ClaudeSession;

beforeEach(async () => {
  project = await makeProject();
  transcript = join(project.directory, 'transcript.jsonl');
  host = new ClaudeSession('11111111-2222-4333-8444-555555555555');
});
afterEach(async () => {
  await project.expectIntact();
  await project.remove();
});

const tell = async (...events: readonly JsonObject[]): Promise<void> => {
  for (const event of events)
    expect(await project.tell('claude-code', { ...event, transcript_path: transcript })).toMatchObject({
      code: 0,
    });
};
const used = (...ids: readonly string[]): string =>
  `${JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    message: {
      role: 'assistant',
      content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
    },
  })}\n`;
const gaps = (): unknown[] =>
  project
    .entries()
    .filter(({ kind }) => kind === 'gap')
    .map(({ payload }) => payload.calls);

describe('the transcript at the end of a turn', () => {
  it('X3e names the calls that were never recorded, once', async () => {
    await tell(host.prompt('go'), host.call('seen'), host.result('seen'));
    writeFileSync(transcript, `${used('seen')}${used('lost-1', 'lost-2')}not JSON "tool_use"\n`);
    await tell(host.stop('Done.'));
    expect(gaps()).toEqual([['lost-1', 'lost-2']]);
    appendFileSync(transcript, used('lost-3'));
    await tell(host.prompt('more'), host.stop('Done.'), host.stop('Done.'), host.end());
    expect(gaps()).toEqual([['lost-1', 'lost-2'], ['lost-3']]);
  });

  it('says nothing of calls that are open, were denied, or came before the recording', async () => {
    writeFileSync(transcript, used('before-us'));
    await tell(host.prompt('go'), host.call('open'), host.call('refused'), host.batch('refused'));
    appendFileSync(transcript, used('open', 'refused'));
    appendFileSync(
      transcript,
      `${JSON.stringify({ type: 'assistant', isSidechain: true, message: { content: [{ type: 'tool_use', id: 'sub' }] } })}\n`,
    );
    appendFileSync(transcript, used('half').slice(0, -10));
    await tell(host.stop('Done.'));
    expect(gaps()).toEqual([]);
  });

  it.each([
    ['missing', () => undefined],
    ['a folder', () => mkdirSync(transcript)],
    ['a pipe that nobody writes to', () => execFileSync('mkfifo', [transcript])],
    ['full of other things', () => writeFileSync(transcript, Buffer.alloc(100_000, '"tool_use" \0\n'))],
    ['one line of 20 MB', () => writeFileSync(transcript, used('x').trim().padEnd(20_000_000))],
  ])('does not mind one that is %s', async (_, make) => {
    await tell(host.prompt('go'));
    make();
    await tell(host.stop('Done.'));
    expect(gaps()).toEqual([]);
    expect(
      project
        .entries()
        .slice(-2)
        .map(({ kind }) => kind),
    ).toEqual(['response', 'gate']);
  });

  it('begins again with one that became shorter', async () => {
    writeFileSync(transcript, used('a').repeat(50));
    await tell(host.prompt('go'), host.stop('Done.'));
    truncateSync(transcript, 0);
    appendFileSync(transcript, used('b'));
    await tell(host.stop('Done.'));
    expect(gaps()).toEqual([['b']]);
  });
});

describe('a turn whose Stop hook never ran', () => {
  /** The last message of a turn, written so many milliseconds from now. */
  const ended = (from = 0, more: JsonObject = {}): string =>
    `${JSON.stringify({
      type: 'assistant',
      isSidechain: false,
      timestamp: new Date(Date.now() + from).toISOString(),
      message: { role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: 'Fixed.' }] },
      ...more,
    })}\n`;
  const untold = (): unknown[] =>
    project
      .entries()
      .filter(({ kind }) => kind === 'gap')
      .map(({ payload }) => payload.why);
  const NOBODY = "the host's transcript shows a turn whose end was never recorded, so nobody judged it";

  it.each([
    ['at the end of the session', () => [host.end()]],
    [
      'at the next prompt, once',
      () => [host.prompt('more'), host.stop('Done.'), host.prompt('x'), host.end()],
    ],
  ])('is told of %s, and verify calls that time blind', async (_, then) => {
    await tell(host.prompt('go'));
    appendFileSync(transcript, ended());
    await tell(...then());
    expect(untold()).toEqual([NOBODY]);
    expect((await verifyDirectory(project.directory, { threads: 0 })).sentence).toContain('BLIND: ');
  });

  it('is told of where an earlier Stop of the same prompt came', async () => {
    await tell(host.prompt('go'), host.stop('Done.'));
    appendFileSync(transcript, ended());
    await tell(host.end());
    expect(untold()).toEqual([NOBODY]);
  });

  it('is told of although the transcript also tells of the future', async () => {
    await tell(host.prompt('go'));
    appendFileSync(transcript, ended() + ended(3_600_000));
    await tell(host.end());
    expect(untold()).toEqual([NOBODY]);
  });

  it.each([
    ['was recorded', () => ended(-3_600_000)],
    ['is a subagent’s', () => ended(0, { isSidechain: true })],
    ['has no time', () => ended(0, { timestamp: 'soon' })],
    ['was cut short', () => ended(0, { message: { stop_reason: null, content: [] } })],
    [
      'is an error that the host made up',
      () => ended(0, { message: { stop_reason: 'stop_sequence', content: [] } }),
    ],
  ])('is not seen in a message that %s', async (_, line) => {
    await tell(host.prompt('go'), host.stop('Done.'), host.prompt('more'));
    appendFileSync(transcript, line());
    await tell(host.end());
    expect(untold()).toEqual([]);
  });
});
