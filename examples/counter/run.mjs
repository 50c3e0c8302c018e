// Counts to a number, or goes on with a run that was killed: `node run.mjs 1000`, `node run.mjs --recover RUN`.
// An operator must have granted the tool: see docs/runs.md.
import { recoverRun, startRun } from 'counterfoil/runtime';

const agent = new URL('./agent.mjs', import.meta.url);
const [word = '100', id] = process.argv.slice(2);

if (word === '--recover') {
  const run = await recoverRun({ agent, run: id });
  if (run === null) console.log(`run ${id} has ended`);
  else {
    // A run that was killed before it was told anything waits for its first observation.
    let end = await run.resume();
    if (end.status === 'waiting') end = await run.observe({ last: Number(process.env.LAST ?? 100) });
    console.log(JSON.stringify({ run: run.id, ...end }));
    await run.close();
  }
} else {
  const run = await startRun({ agent });
  console.log(JSON.stringify({ run: run.id, status: 'started' }));
  const end = await run.observe({ last: Number(word) });
  console.log(JSON.stringify({ run: run.id, ...end }));
  await run.close();
}
