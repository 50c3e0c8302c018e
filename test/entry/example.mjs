// The example of the README, as a program of its own; the test beside it holds the two to the same words.
import { openRecorder } from 'counterfoil';

const recorder = await openRecorder({ agent: 'my-agent' }); // finds the project's ledger, or makes one
const session = await recorder.session();
await session.prompt('What is 6 times 7?');

const product = await session.tool('multiply', { a: 6, b: 7 }, async () => 6 * 7, {
  intent: 'answer the question', // on record before it runs; given back only once its result is
});

await session.response(`It is ${product}.`);
await session.end();
await recorder.close();
