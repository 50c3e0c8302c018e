// Scripts of Codex's tool `exec`: which commands and patches stand in them, and what they hand on.
import { describe, expect, it } from 'vitest';
import { callsIn, resultIn } from '../../src/capture/transcripts/codex-script.ts';

const HEAD = { type: 'input_text', text: 'Script completed\nWall time 0.1 seconds\nOutput:\n' };
const output = (text: string) => [HEAD, { type: 'input_text', text }];

describe('commands of a script', () => {
  it.each([
    [
      'const r = await tools.exec_command({"cmd":"go test ./...","workdir":"/a"}); text(r.output)',
      'go test ./...',
    ],
    ["const r=await tools.exec_command({ cmd: 'echo \\'a\\'\\nls', workdir: '/a' });", "echo 'a'\nls"],
    ['await tools.exec_command({\n  workdir: "/a",\n  cmd: `git commit -m "x"`,\n})', 'git commit -m "x"'],
  ])('%s', (script, cmd) => {
    expect(callsIn(script)).toEqual([
      { tool: 'Bash', args: expect.objectContaining({ cmd, workdir: '/a' }) },
    ]);
  });

  it.each([
    'await tools.exec_command({ cmd })',
    `await tools.exec_command({ cmd: \`rm \${file}\` })`,
    'await tools.exec_command(options)',
    'await tools.exec_command({ cmd: "a" + b })  // not written out, yet its first half is',
    'tools.exec_command(',
    'tools.exec_command({"cmd":"unended',
  ])('what is computed is not known: %s', (script) => {
    const [call] = callsIn(script);
    expect(call === undefined || call.args.cmd === 'a').toBe(true);
  });

  it('finds patches, and what is sent to a command that goes on', () => {
    const patch = '*** Begin Patch\n*** Add File: a.ts\n+1\n*** End Patch';
    expect(callsIn(`const patch = ${JSON.stringify(patch)};\ntext(await tools.apply_patch(patch));`)).toEqual(
      [{ tool: 'apply_patch', args: { input: patch } }],
    );
    expect(callsIn('await tools.write_stdin({session_id:12,chars:""})')).toEqual([
      { tool: 'write_stdin', args: { session_id: 12, chars: '' } },
    ]);
  });
});

describe('what a script hands on', () => {
  it('the output, and the exit code where the script prints it', () => {
    expect(resultIn('text(r.output)', output('ok\n'))).toMatchObject({ output: 'ok\n', exit: null });
    expect(resultIn('text(JSON.stringify(r))', output('{"exit_code":1,"output":"no\\n"}'))).toMatchObject({
      output: 'no\n',
      exit: 1,
    });
    expect(resultIn(`text(r.output); text(\`EXIT=\${r.exit_code}\`)`, output('ok\nEXIT=0'))).toMatchObject({
      exit: 0,
    });
  });

  it('the number of what goes on', () => {
    expect(resultIn(`text(\`SESSION=\${r.session_id}\`)`, output('a\nSESSION=77'))).toMatchObject({
      session: '77',
    });
    expect(
      resultIn('text(r.output)', 'Script running with cell ID 37\nWall time 1.0 seconds\nOutput:\n'),
    ).toMatchObject({ cell: '37' });
  });
});
