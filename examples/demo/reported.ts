// The demo's last act: the session of the gate as one HTML file. It stays behind, so that the reader can open it.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gatedProject } from './gating.ts';
import { type Ended, foilWords, runProgram, type Stage } from './stage.ts';

export async function* reportedAct({ base, paint, told }: Stage): AsyncGenerator<string> {
  const { project, env } = gatedProject(base);
  const foil = (...words: string[]): Promise<Ended> =>
    runProgram([...foilWords(), ...words], { cwd: project, env });
  const file = join(mkdtempSync(join(tmpdir(), 'foil-report-')), 'report.html');
  yield `${paint.bold('The session of the gate becomes one HTML file,')} with \`foil report\`. It checks itself in any browser, without a network.\n`;
  const made = await foil('report', '-o', file);
  if (made.exit !== 0) throw new Error(made.stderr);
  const whole = await judged(foil('verify', file, '--json'));
  yield told({ name: 'report', verdict: whole.verdict, held: whole.verdict === 'PASS' }, [
    `\`foil verify report.html\` checks the session and the page: ${whole.verdict}.`,
  ]);

  yield `${paint.bold('One byte of the session in the file is changed.')}\n`;
  const changed = join(base, 'changed.html');
  writeFileSync(changed, readFileSync(file, 'utf8').replace('"verdict":"block"', '"verdict":"blocc"'));
  const broken = await judged(foil('verify', changed, '--json'));
  const entry = broken.findings.find(({ seq }) => seq !== null)?.seq;
  yield told(
    {
      name: 'changed report',
      verdict: broken.verdict,
      held: broken.verdict === 'FAIL' && entry !== undefined,
    },
    [`${broken.verdict}: entry ${entry} was changed.`],
  );
  yield `Open the report: ${paint.bold(pathToFileURL(file).href)}\n\n`;
}

interface Judged {
  readonly verdict: string;
  readonly findings: readonly { readonly seq: number | null }[];
}

async function judged(running: Promise<Ended>): Promise<Judged> {
  return JSON.parse((await running).stdout) as Judged;
}
