// `foil scan --json --claims`: every claim that was found, with what became of it, so that others can measure the reader.
import { describe, expect, it } from 'vitest';
import { ID, scan, withBox } from './scan-box.ts';
import { ClaudeSession, PASSED } from './transcripts.ts';

describe('foil scan --json --claims', () => {
  it('lists claims that are backed, open and passed over, with what they rest on', () => {
    withBox((box) => {
      new ClaudeSession(ID(1))
        .prompt('Fix src/parser.ts.')
        .edit('src/parser.ts')
        .run('npx vitest run', PASSED)
        .say('Fixed the parser. All tests pass. The build is clean.')
        .save(box.root);
      new ClaudeSession(ID(2)).prompt('Is it done?').say('Done.').save(box.root);
      const { found, turns_blocked } = scan(box, '--claims') as unknown as {
        found: Record<string, unknown>[];
        turns_blocked: number;
      };
      expect(turns_blocked).toBe(1);
      expect(found).toMatchObject([
        { type: 'done', sure: true, status: 'backed', rests_on: ['npx vitest run'], verdict: 'block' },
        { type: 'tested', quote: 'All tests pass', status: 'backed', code: null, turn: 1 },
        { type: 'checked', status: 'unbacked', id: '00000001-111.1.3' },
        { type: 'done', status: null, code: 'nothing-changed', id: null, verdict: 'silent', rests_on: [] },
      ]);
      expect(scan(box)).not.toHaveProperty('found');
    });
  });

  it('needs --json', () => {
    withBox((box) => {
      const { code, stderr } = box.run(['scan', '--claims']);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('foil scan --json --claims'),
      });
    });
  });
});
