// What only the message as a whole decides: in a report of work, plain facts are claims; in an explanation they tell how
// things are. A line holds the types that must be found, in order, and the message.
import { describe, expect, it } from 'vitest';
import { findByRules } from '../../src/rules/claims/find-claims.ts';

function table(title: string, cases: readonly (readonly [string, string])[]): void {
  describe(title, () => {
    it.each(cases)('%s ← %s', (types, message) => {
      expect(
        findByRules(message)
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

table('B3a what was measured, compared or not complained of', [
  ['changed checked', `${WORK}Memory stays flat at 80 MB over 1,000 requests.`],
  ['', `${TALK}Memory stays flat at 80 MB over 1,000 requests.`],
  ['changed checked', `${WORK}The row counts match.`],
  ['changed checked', `${WORK}No references to \`oldName\` remain.`],
  ['changed checked', `${WORK}The repro from the issue doesn't crash.`],
  ['changed', `${WORK}clippy has one warning in code that was there before.`],
  ['changed', `${WORK}\`tsc\` went from 188 errors to 40.`],
  ['changed changed', `${WORK}The timeout went from 5 s to 30 s.`],
  ['changed tested checked', `${WORK}\`yarn test\` passes, \`yarn lint\` too.`],
]);

table('B3a what is shipped and what only sounds so', [
  ['changed', 'I merged the two helpers into one.'],
  ['shipped', 'I merged the branch into `main`.'],
  ['changed', 'Pushed the filter down into the query.'],
  ['shipped', 'Pushed the branch.'],
  ['changed', 'Tagged the slow tests with `@slow`.'],
  ['shipped', 'Reverted `b77e0c1`.'],
  ['done', 'Offsets are now committed after processing.'],
  ['', 'Offsets are committed in batches.'],
]);

table('B3a that something could not be run', [
  ['blocked', "I can't run the GPU tests here: there is no GPU."],
  ['changed', "I rewrote the kernel. I can't run the GPU tests here."],
]);

table('B3a the parts of a sentence', [
  ['checked', '`npm run build` – succeeds'],
  ['tested', '`npm test` → 402 passed'],
  ['shipped shipped', 'I committed that as `41ac9d0` and pushed it to `main`.'],
  ['', '211 of 212 tests pass.'],
  ['', 'The nightly run failed; the unit tests passed.'],
  ['', 'It computed the delay in seconds but passed it to `setTimeout`.'],
  ['', 'Avatars uploaded before March have no suffix.'],
  ['', 'Prefetched tasks survive a restart.'],
  ['', 'When all rows are imported, the table is dropped.'],
  ['', 'A request is finished when it was answered (by default) or the context is done.'],
  ['checked', '**Verified**: the build succeeds.'],
]);

table('B3a clauses of a sentence', [
  ['done changed', '`send` takes a transport now; I changed both callers.'],
  ['checked', 'I ran it once: the report is written.'],
  ['', 'Deleted on the server: none.'],
]);

table('B3a columns of a table', [
  ['', '| Symbol | 2.x | 3.x |\n| --- | --- | --- |\n| `open` | sync | removed |'],
  ['', '| Plan | Basic | Pro |\n| --- | --- | --- |\n| Backups | tested monthly | tested weekly |'],
  ['done', '| # | Ticket | Outcome |\n| --- | --- | --- |\n| 1 | SHOP-11 | fixed |'],
  ['', '| State | Set when |\n| --- | --- |\n| `sent` | the row is written |'],
  ['', '| Task | Days |\n| --- | --- |\n| backfill, tested on a copy | 2 |'],
  ['checked tested', '| Module | Builds | Tests |\n| --- | --- | --- |\n| `core` | ✅ | ✅ 410 |'],
]);

describe('B3a messages that report no work of their own', () => {
  it.each([
    `The scheduler works in three stages. Jobs are read from the queue in batches of fifty, grouped by tenant and handed to a worker. A worker commits its offset after the batch was processed, so a crash leads to redelivery. Failed jobs are pushed to the dead-letter queue once the retry budget is used up. The status page shows a job as completed as soon as the row is written, even if the mail hasn't gone out yet.`,
    `I looked at the three failing builds. All of them failed in the same step: \`docker push\` was rejected with 403. The token was rotated on Monday, and the secret in the repository settings was not updated. Builds before Monday passed.

Nothing in the code is broken. Whoever has admin rights on the repository can replace the secret.`,
    `Here's the plan:

1. Move the session handling into middleware
2. Replace the in-memory store with Redis
3. Add integration tests
4. Deploy to staging and watch the error rate

Steps 1 and 2 can be done independently. After step 3 we know whether the timeouts are fixed.`,
    `The regression came in with \`4be1f02\`. That commit replaced the hand-written parser, added support for comments and moved the defaults into \`defaults.rs\`. The order of the merge was swapped in the process: user values are overwritten by defaults. It went unnoticed because the tests were updated in the same commit.`,
    `What the error means: the image was built for amd64 and your node is arm64. The registry has both, but the deployment pins a digest, and the digest that was pinned in March belongs to the amd64 build. Builds that were pushed later contain both platforms.`,
    `I went through the log. At 02:14 the primary was restarted by the kernel (OOM), the replica was promoted at 02:15, and the application reconnected at 02:16. Writes in between were rejected; none were lost. The alert was acknowledged at 02:40 and closed at 03:05.

So the failover worked as designed. What did not work is the alert: it was sent to the old channel.`,
    `## Findings

1. \`POST /orders\` accepts negative quantities. The validation was removed in #212 and never restored.
2. Passwords are hashed with bcrypt (cost 10). Fine.
3. Sessions are stored in Redis and expire after 30 days; tokens are rotated on login.
4. The admin routes are protected by a middleware that is registered after the router, so it is never run.

## Severity

Number 4 is critical, number 1 is high. Both are easy to fix.`,
    `It's a known limitation. SQLite takes a lock on the whole database for writes, so two processes that write at once wait for each other. WAL mode is enabled here (\`db.py:14\`), which lets readers continue. \`busy_timeout\` was set to 0 by the ORM, so the second writer gives up at once. Set it to 5000 and the error goes away.`,
  ])('%s', (message) => {
    expect(findByRules(message).claims).toEqual([]);
  });
});
