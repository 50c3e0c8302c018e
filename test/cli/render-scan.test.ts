// How the outcome of a scan reads: few claims, long commands, advice to an agent whose turn is over, rows that add up.
import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/cli/command.ts';
import { renderScan } from '../../src/report/render-scan.ts';
import { scanTranscripts } from '../../src/report/scan.ts';
import { plain } from '../../src/report/text.ts';
import { findTranscripts } from '../../src/report/transcript-files.ts';
import { temporary } from '../temporary.ts';
import { ID } from './scan-box.ts';
import { ClaudeSession, PASSED } from './transcripts.ts';

async function shown(steps: (session: ClaudeSession) => unknown, columns = 100): Promise<string> {
  const home = temporary();
  const session = new ClaudeSession(ID(1));
  steps(session);
  session.save(home);
  const result = await scanTranscripts({ files: findTranscripts({ home, env: {} }), threads: false });
  return renderScan(result, { paint: plain, columns } as Context, { interrupted: false, home });
}

const overtaken = (s: ClaudeSession): ClaudeSession =>
  s
    .prompt('Fix src/parser.ts.')
    .edit('src/parser.ts')
    .run('npx vitest run 2>&1', PASSED)
    .edit('src/parser.ts')
    .say('All tests pass.');

describe('what a scan prints', () => {
  it('tells what was not done, and gives no orders', async () => {
    const text = await shown(overtaken);
    expect(text).toContain('`npx vitest run` passed, but then src/parser.ts changed. It wasn’t run again.\n');
    expect(text).not.toContain('Run it again');
  });

  it('a share of less than one in a hundred is not rounded up to one', async () => {
    const text = await shown((s) => {
      overtaken(s);
      for (let i = 0; i < 124; i++)
        s.prompt('Again.').edit('src/a.ts').run('npx vitest run', PASSED).say('All tests pass.');
    });
    expect(text).toContain('1 of 125 claims (0.8 %) had nothing behind it, in 1 turn');
  });

  it('a row adds up where there is room for it', async () => {
    const steps = (s: ClaudeSession): unknown =>
      overtaken(s).prompt('And src/a.ts.').edit('src/a.ts').say('Fixed it. I have not run the tests.');
    expect(await shown(steps, 100)).toMatch(/can’t tell {2}excused\n.* 2 +0 +0 +1 +0 +1\n/);
    expect(await shown(steps, 80)).toMatch(/can’t tell\n.* 2 +0 +0 +1 +0\n/);
  });

  it('a model that no line names', async () => {
    const text = await shown((s) => {
      overtaken(s);
      for (const line of s.lines) delete (line.message as Record<string, unknown> | undefined)?.model;
    });
    expect(text).toContain('claude-code, model unknown ');
  });
});
