// A block source that gives real blocks under heights that are wrong by as much as the rules let pass. It is somebody
// else's machine: what it says must not be able to break a ledger that an honest recorder wrote and honest calendars stamped.
import { describe, expect, it } from 'vitest';
import { codesOf, verify } from '../verify/expect.ts';
import { SessionMaker, testBlock } from '../verify/make-sessions.ts';

const START = 1_763_200_000;

function stampedAfter(named: number, found: number): SessionMaker {
  const made = new SessionMaker();
  const id = made.start({ block: testBlock(named, found) });
  made.turns(id, 1).end(id);
  made.seal();
  made.stamp(103, START + 3600);
  return made;
}

describe('a source that lies about a height', () => {
  it('G12 breaks nothing: the header has the time, and that is not too late', async () => {
    const made = stampedAfter(1100, START);
    const report = await verify(made.files, { network: 'regtest', keys: [made.signer] });
    expect(codesOf(report, ['time'])).toEqual(['BLOCK_UNSURE@5']);
    expect(report.verdict).toBe('INTACT');
    expect(report.marks.anchored).toMatchObject({ to: 5, height: 103 });
  });

  it('but a block that was found later than the stamp can’t have been named before it', async () => {
    const made = stampedAfter(1100, START + 4 * 3600);
    const report = await verify(made.files, { network: 'regtest', keys: [made.signer] });
    expect(codesOf(report, ['time'])).toContain('INTERVAL_IMPOSSIBLE@5');
    expect(report.verdict).toBe('BROKEN');
  });
});
