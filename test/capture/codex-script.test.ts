// Scripts of Codex's tool `exec`: which commands and patches stand in them, and what they hand on.
import { describe, expect, it } from 'vitest';
import { patchedFiles } from '../../src/capture/hooks/tool-shape.ts';
import { codex } from '../../src/capture/transcripts/codex.ts';
import { callsIn, resultIn, resultsIn } from '../../src/capture/transcripts/codex-script.ts';

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

describe('several commands of a script', () => {
  const calls =
    'await Promise.all([ tools.exec_command({cmd:"make check"}), tools.exec_command({cmd:"npm run lint"}) ])';
  const texts = (...parts: string[]) =>
    ['Script completed\nWall time 3.0 seconds\nOutput:\n', ...parts].map((text) => ({
      type: 'input_text',
      text,
    }));
  const LOOP = `const r = ${calls};\nfor (const [i, x] of r.entries()) {\n  text(\`RUN \${i} (exit \${x.exit_code})\`);\n  text(x.output);\n}`;
  const WHOLE = `const r = ${calls}; for (const x of r) text(x);`;

  it('each has its own end, where a loop hands them on one after the other', () => {
    const printed = texts('RUN 0 (exit 0)', '5 passed (exit 1)', 'RUN 1 (exit 2)', 'bad');
    expect(resultsIn(LOOP, printed, 2)).toMatchObject([
      { exit: 0, output: 'RUN 0 (exit 0)\n5 passed (exit 1)' },
      { exit: 2 },
    ]);
    const numbered = LOOP.replaceAll('x.', 'r[i].').replace(
      'const [i, x] of r.entries()',
      'let i = 0; i < 2; i++',
    );
    expect(resultsIn(numbered, printed, 2)).toMatchObject([{ exit: 0 }, { exit: 2 }]);
    const objects = texts('{"output":"5 passed","exit_code":0}', '{"output":"","session_id":7}');
    expect(resultsIn(WHOLE, objects, 2)).toMatchObject([
      { output: '5 passed', exit: 0, session: null },
      { exit: null, session: '7' },
    ]);
  });

  it.each([
    ['fewer texts than turns of the loop', WHOLE, texts('{"output":"5 passed","exit_code":0}')],
    ['a text of its own', WHOLE.replace('; for', '; text("5 passed"); for'), texts('a', 'b', 'c')],
    ['another tool', WHOLE.replace('make check"})', 'make check"}), tools.other({})'), texts('a', 'b')],
    ['no loop', `const [a, b] = ${calls}; text(b.output); text(a.output);`, texts('a', 'b')],
    [
      'one after the other',
      'const a = await tools.exec_command({cmd:"x"}); for (const x of [a]) text(x);',
      texts('a', 'b'),
    ],
    [
      'a script that failed',
      WHOLE,
      texts('a', 'b').map((part, at) =>
        at === 0 ? { ...part, text: part.text.replace('completed', 'failed') } : part,
      ),
    ],
  ])('nobody can say what is whose: %s', (_, script, output) => {
    expect(resultsIn(script, output, 2)).toBeNull();
  });
});

describe('a patch', () => {
  it('O4 touches what Codex reads in it: blanks before a head are passed over', () => {
    const patch = '*** Begin Patch\n*** Delete File: src/a\n  *** Add File: ../b\n+1\n*** End Patch';
    expect(patchedFiles(patch)).toEqual([
      { path: 'src/a', op: 'delete' },
      { path: '../b', op: 'write' },
    ]);
  });

  it.each([
    ['*** Add File:/etc/x', 'write'],
    ['*** Update File:/etc/x', 'edit'],
    ['*** Delete File:/etc/x', 'delete'],
    ['*** Move to:/etc/x', 'write'],
    ['*** Move to: /etc/x\r', 'write'],
  ])('O4 touches what OpenCode reads in it, beside other heads: %j', (head, op) => {
    const patch = `*** Begin Patch\n*** Update File: src/a\n${head}\n+1\n*** End Patch`;
    expect(patchedFiles(patch)).toEqual([
      { path: 'src/a', op: 'edit' },
      { path: '/etc/x', op },
    ]);
  });

  it.each([
    '*** Delete File:\t/etc/x',
    '*** Add File:  /etc/x',
    '*** Add File:',
    '*** Add File: src/.env\u0085',
    '***Add File: /etc/x',
    '*** add file: /etc/x',
    '*** Rename to: /etc/x',
    '*** Copy File: /etc/x',
    ' ***  Delete File: /etc/x',
  ])('O4 may touch any file if a line of it only looks like a head: %j', (line) => {
    const patch = `*** Begin Patch\n*** Update File: src/a\n${line}\n+1\n*** End Patch`;
    expect(patchedFiles(patch)).toContainEqual({ path: '', op: 'edit' });
  });

  it('O4 touches no more for asterisks in what it writes', () => {
    const lines = ' ***/\n+*** Add File: x\n ******\n*** End of File';
    const patch = `*** Begin Patch\n*** Update File: src/a\n@@\n${lines}\n*** End Patch\n`;
    expect(patchedFiles(patch)).toEqual([{ path: 'src/a', op: 'edit' }]);
  });
});

describe('where a command ran', () => {
  const place = (args: object): unknown => {
    const reader = codex.open('/sessions/rollout-a.jsonl');
    const item = (type: string, payload: object) => Buffer.from(JSON.stringify({ type, payload }));
    const call = {
      type: 'function_call',
      name: 'exec_command',
      call_id: 'c',
      arguments: JSON.stringify(args),
    };
    const told = [
      item('session_meta', { id: 's', cwd: '/work/a' }),
      item('response_item', call),
      item('response_item', { type: 'function_call_output', call_id: 'c', output: 'ok\n' }),
    ].flatMap((line) => [...reader.line(line)]);
    return told.map(({ input }) => input.cwd);
  };

  it('is the place that the call names, which may be one of the session’s folder', () => {
    expect(place({ cmd: 'ls' })).toEqual(['/work/a']);
    expect(place({ cmd: 'ls', workdir: '/work/b' })).toEqual(['/work/b']);
    expect(place({ cmd: 'ls', workdir: 'ui' })).toEqual(['/work/a/ui']);
    expect(place({ cmd: 'ls', workdir: 'C:\\b' })).toEqual(['C:\\b']);
  });
});
