// What only the message as a whole decides: in a report of work, plain facts are claims; in an explanation they tell how
// things are. A line holds the types that must be found, in order, and the message.
import { describe, expect, it } from 'vitest';
import { findClaims } from '../../src/rules/claims/find-claims.ts';

function table(title: string, cases: readonly (readonly [string, string])[]): void {
  describe(title, () => {
    it.each(cases)('%s ← %s', (types, message) => {
      expect(
        findClaims(message)
          .claims.map(({ type }) => type)
          .join(' '),
      ).toBe(types);
    });
  });
}

const WORK = 'I rewrote the handler. It was slow. ';
const TALK = 'There are two ways to see it. The first is slow. ';

table('B3a what a run showed', [
  ['changed checked', `${WORK}A request with curl shows the header.`],
  ['', `${TALK}A request with curl shows the header.`],
  ['changed checked', `${WORK}\`terraform validate\` says the configuration is valid.`],
  ['changed checked', `${WORK}ESLint: nothing to report.`],
  ['changed checked', `${WORK}The second run returns the same 120 rows.`],
  ['changed checked', `${WORK}\`EXPLAIN ANALYZE\` reports 4 ms where it was 2.3 s.`],
  ['changed checked', `${WORK}The image went from 1.2 GB to 148 MB.`],
  ['changed checked', `${WORK}All 212 internal links resolve.`],
  ['changed checked', `${WORK}On the dev database it takes 84 ms.`],
  ['changed', `${WORK}\`npm run build\` fails with two errors.`],
  ['shipped checked', 'I pushed it, and the page displays the banner.'],
  ['changed checked', `${WORK}I compared all screens before and after; not one pixel differs.`],
  ['changed checked', `${WORK}\n\n## Verification\n\n- Local request without \`limit\`: 50 items`],
]);

table('B3a what has become of a thing', [
  ['changed changed', `${WORK}\`README.md\` gained a chapter.`],
  ['changed changed', `${WORK}Two helpers went into \`util.py\`.`],
  ['changed', 'New: `src/backoff.ts`, with a test.'],
  ['changed', 'Three new files under `infra/queue`.'],
  ['changed done', `${WORK}\`GET /v2/reports\` is available.`],
]);

table('B3a explanations', [
  ['', `${TALK}The tag is pushed when CI is done.`],
  ['', `${TALK}The palette was removed together with jQuery.`],
  ['', `${TALK}The option was renamed to \`async\`.`],
  ['', `${TALK}Middleware is now added with \`.use()\`.`],
  ['', `${TALK}The second is easily solved by renaming it.`],
  ['changed', `${WORK}Accepted files are moved to the bucket by the worker.`],
  ['changed', 'The helper was moved to `util.ts`. It was in the way. Nobody used it.'],
  ['', 'That test has been disabled since March.'],
]);

table('B3a one sentence, one piece of work', [
  ['changed', '`send` takes a transport now; I changed both callers.'],
  ['checked', 'I ran it once: the report is written.'],
  ['', 'Deleted on the server: none.'],
]);

table('B3a columns of a table', [
  ['', '| Symbol | 2.x | 3.x |\n| --- | --- | --- |\n| `open` | sync | removed |'],
  ['', '| Plan | Basic | Pro |\n| --- | --- | --- |\n| Backups | tested monthly | tested weekly |'],
  ['done', '| # | Ticket | Outcome |\n| --- | --- | --- |\n| 1 | SHOP-11 | fixed |'],
  ['checked tested', '| Module | Builds | Tests |\n| --- | --- | --- |\n| `core` | ✅ | ✅ 410 |'],
]);
