// A program that records itself in the session that its environment names, with turns side by side, until it is told to
// end or is killed. Arguments: the package's module, and a name for what it says.
const [, , module, name] = process.argv;
const { openRecorder } = await import(module);
const recorder = await openRecorder({ cwd: process.cwd() });
const session = await recorder.session();
let over = false;
process.on('SIGTERM', () => {
  over = true;
});
process.stdout.write('ready\n');
for (let i = 0; !over && i < 400; i++) {
  await session.prompt(`question ${i} of ${name}`);
  await Promise.all([
    session.response(`answer ${i} of ${name}`),
    session.tool('look', { i }, () => i),
    session.response(`and more ${i} of ${name}`),
  ]);
}
await session.end();
await recorder.close();
