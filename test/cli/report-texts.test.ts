// What a report still shows when its content is left out: texts that the entries hold themselves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Entry, parseReport } from '../../src/format/index.ts';
import { HeldTextCount, heldTextWords } from '../../src/report/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { newProject } from '../e2e/recorded-project.ts';

it('X4 foil report says which texts stay readable in the entries, whatever is left out', async () => {
  const project = await newProject();
  const host = new ClaudeSession('one', project.work);
  const url = 'https://partner.example/merger/plan?client=Wayne';
  const [curl, commit] = [{ command: `curl -s ${url}` }, { command: 'git commit -q -m "Lay off Bob"' }];
  for (const event of [
    host.start(),
    host.prompt('Look at the plan.'),
    host.call('c1', curl),
    host.result('c1', curl),
    host.call('c2', commit),
    host.result('c2', commit),
    host.stop('I looked at it.'),
    host.end(),
  ])
    await project.tell('claude-code', event);
  const ledger = ['--ledger', project.directory, '-o', 'r.html'];
  const made = async (...words: string[]) => (await project.foil(['report', ...words, ...ledger])).stdout;
  const said = await made('--only', 'none');
  const html = readFileSync(join(project.work, 'r.html'), 'utf8');
  expect(html).not.toContain('Look at the plan.');
  // They are signed with the entry, so they are there.
  for (const text of [url, 'Lay off Bob']) expect(html).toContain(text);
  expect(said).toContain('no content beside the entries is shown');
  expect(said).toMatch(/\d commands(, | and )1 URL.* part of the record itself and stay readable, whatever/);
  const { held } = JSON.parse(await made('--only', 'none', '--json')) as { held: Record<string, number> };
  expect(held).toMatchObject({ commands: 2, urls: 1, commits: 0 });
  const prompt = project.entries().find(({ kind }) => kind === 'prompt')?.seq;
  expect(await made('--redact', String(prompt))).toContain('stay readable');
  // Who leaves out nothing knows that it is there.
  expect(await made()).not.toContain('stay readable');
  expect((await project.foil(['report', '--help'])).stdout).toContain(
    'What the entries themselves hold always stays',
  );
});

it('X4 redacting a prompt or an answer leaves out the words that the gate took from it', async () => {
  const project = await newProject();
  const host = new ClaudeSession('two', project.work);
  for (const event of [
    host.start(),
    host.prompt('Fix the invoice of Kowalski'),
    host.stop('Fixed the invoice of Kowalski. All tests pass.'),
    host.end(),
  ])
    await project.tell('claude-code', event);
  const seqOf = (kind: string) => project.entries().find((entry) => entry.kind === kind)?.seq;
  const shown = async (...redacted: (number | undefined)[]): Promise<string> => {
    const words = redacted.flatMap((seq) => ['--redact', String(seq)]);
    await project.foil(['report', ...words, '--ledger', project.directory, '-o', 'r.html']);
    const parts = parseReport(readFileSync(join(project.work, 'r.html'), 'utf8')).parts;
    return parts.map(({ bytes }) => Buffer.from(bytes).toString()).join('\n');
  };
  expect(await shown()).toMatch(/kowalski/i);
  expect(await shown(seqOf('response'))).not.toContain('Fixed the invoice');
  expect(await shown(seqOf('prompt'), seqOf('response'))).not.toMatch(/kowalski/i);
});

it('counts each text once, and takes whatever it does not know for a text if it has a space', () => {
  const count = new HeldTextCount();
  const add = (payload: Entry['payload']): void => count.add({ payload } as Entry);
  add({ tool: 'Bash of mine', path: 'a b.js', text: { $content: 'sha256:00', type: 'text/plain' } });
  expect(heldTextWords(count.total(0))).toBeNull();
  add({ checks: [{ command: 'npm test', url: null, runner: 'npm test' }] });
  expect(heldTextWords(count.total(0))).toBe('1 command is part of the record itself and stays readable');
  add({
    attempts: [
      { capability: 'run', target: 'npm test' },
      { capability: 'fetch', target: 'http://a.b/' },
    ],
  });
  add({
    attempts: [
      { capability: 'search', target: 'salary' },
      { capability: 'read', target: 'a c.js' },
    ],
  });
  add({ command: ['node', 'x y'], made_up: 'see http://a.b/ and http://c.d/' });
  expect(count.total(1)).toEqual({ commands: 2, urls: 2, commits: 1, others: 2 });
  expect(heldTextWords(count.total(1))).toBe(
    '2 commands, 2 URLs, 1 commit message and 2 other texts are part of the record itself and stay readable',
  );
});
