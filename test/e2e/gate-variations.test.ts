// What only the work tree and the recorded events can show: a file that was removed by a command, what was read by one, a
// page that a tool did not get, a target that is not there.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { newProject } from './recorded-project.ts';
import { makePackage, WorkingAgent } from './working-agent.ts';

async function working(prompt: string): Promise<WorkingAgent> {
  const project = await newProject();
  makePackage(project.work);
  const agent = new WorkingAgent(project, 'guard');
  await agent.start();
  await agent.prompt(prompt);
  return agent;
}

async function call(
  agent: WorkingAgent,
  tool: string,
  input: JsonObject,
  response: JsonObject,
): Promise<void> {
  const told = { tool_name: tool, tool_input: input, tool_use_id: `toolu_${tool}` };
  await agent.event('PreToolUse', told);
  await agent.event('PostToolUse', { ...told, tool_response: response });
}

it('B3c a file that was written and removed by a command backs nothing that says it is there', async () => {
  const agent = await working('Add a helper in `new.js`');
  const path = join(agent.project.work, 'new.js');
  const written = { file_path: path, content: 'export const one = 1;\n' };
  await call(agent, 'Write', written, { type: 'create', filePath: path });
  await agent.run("echo 'export const one = 1;' > new.js");
  await agent.run('rm new.js');
  expect((await agent.stop('Added `new.js`.')).reason).toContain('Nothing is left of the change to new.js');
  expect((await agent.stop('Removed `new.js` again.')).reason).toBeNull();
});

it('B5 what a command put back is said to be restored', async () => {
  const agent = await working('Try a sum in `src/sum.js`, and put it back');
  await agent.run("sed -i 's/a - b/a + b/' src/sum.js");
  await agent.run('git checkout src/sum.js');
  expect((await agent.stop('Restored `src/sum.js`.')).reason).toBeNull();
  expect((await agent.stop('Added a guard to `src/sum.js`.')).reason).toContain('Nothing was changed');
});

it('B5 what a command has shown was had, and is not advised again', async () => {
  const agent = await working('Explain `src/sum.js`');
  await agent.run('cat src/sum.js');
  for (const message of ['Please paste the contents of `src/sum.js`.', "I can't access `src/sum.js`."]) {
    const { reason } = await agent.stop(message);
    expect(reason).toContain('This session already has src/sum.js');
    expect(reason).toContain('Continue with it');
    expect(reason).not.toContain('Run: ');
  }
});

it.each([404, 500])('B5 a page that answers %d was not had', async (code) => {
  const agent = await working('Summarise https://example.com/notes');
  const url = 'https://example.com/notes';
  await call(agent, 'WebFetch', { url, prompt: 'read it' }, { bytes: 9, code, result: 'none', url });
  const { reason } = await agent.stop('Please paste the page.');
  expect(reason).toContain('known to have failed in 1 of 3 ways (WebFetch)');
  expect(reason).toContain('such as curl or wget.');
  expect((await agent.stop(`I can't reach ${url}.`)).reason).toBeNull();
});

it('B4 tests of a file that is not there pass nothing', async () => {
  const agent = await working('Fix `src/sum.js`');
  await agent.edit('src/sum.js', 'a - b', 'a + b');
  await agent.run('node --test');
  const validate = (target: string) =>
    agent.project.foil([
      ...['validate', '--ledger', agent.project.directory, '--claim', 'tested', '--validator', 'test_pass'],
      ...['--args', JSON.stringify({ target })],
    ]);
  expect(await validate('other/src/sum.js')).toMatchObject({ code: 3 });
  expect(await validate('src/sum.js')).toMatchObject({ code: 0 });
});
