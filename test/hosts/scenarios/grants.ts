// An agent that may read src/ with cat, and tries every other way to a file.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'vitest';
import { play } from '../host.ts';
import type { Place } from '../place.ts';
import type { Step } from '../stand-in/script.ts';
import { endedByItself, entriesOf, guarded, type Left, type Scenario } from './scenario.ts';

const INSIDE = 'words of the file inside';
const OUTSIDE = 'words of the file outside';
const FILES_SERVER = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);

/** What each needs beyond its grants, and what the model asks for. */
const around = ({ root, project }: Place): readonly (readonly [need: string, step: Step])[] => [
  [`fs:read:${root}/b`, { run: 'cat ../b' }],
  [`fs:read:${root}/b`, { call: { name: 'Read', args: { file_path: join(root, 'b') } } }],
  [
    `fs:write:${project}/src/written`,
    { call: { name: 'Write', args: { file_path: join(project, 'src/written'), content: 'x' } } },
  ],
  ['process:exec:cp', { run: 'cp ../b src/copied' }],
  [`fs:write:${project}/src/redirected`, { run: 'cat src/a > src/redirected' }],
  ['process:exec:**', { run: 'cat "$(cat ../b)"' }],
  ['process:exec:**', { run: 'echo ../b | xargs cat' }],
  ['process:exec:**', { run: `python3 -c 'print(open("../b").read())'` }],
  [
    'mcp:call:files/read_text_file',
    { call: { name: 'mcp__files__read_text_file', args: { path: join(root, 'b') } } },
  ],
];

interface Judged {
  readonly missing: readonly string[];
  readonly verdict: string;
}

const judged = ({ log }: Left): Judged[] =>
  entriesOf(log, 'tool.call').map(({ payload }) => payload.authority as Judged);

export const grants: Scenario = {
  name: 'an agent with grants, which it tries to get around',
  applies: ({ agent }) => agent === 'claude-code',
  async run(host, place) {
    place.write('project/src/a', `${INSIDE}\n`);
    place.write('b', `${OUTSIDE}\n`);
    place.write('project/counterfoil.yaml', 'grants:\n  allow: [fs:read:src/**, process:exec:cat]\n');
    const files = { command: process.execPath, args: [FILES_SERVER, place.root] };
    place.write('home/.claude.json', JSON.stringify({ mcpServers: { files } }));
    await guarded(host, place);
    await place.foil('operator', 'init', '--no-passphrase');
    await place.foil('grants', 'accept');
    const steps = [
      { run: 'cat src/a' },
      ...around(place).map(([, step]) => step),
      { say: 'I looked around.' },
    ];
    return [await play(host, place, 'Look around.', steps)];
  },
  cells: {
    'what is granted runs': (left) => {
      expect(judged(left)[0]).toMatchObject({ verdict: 'allow', missing: [] });
      expect(left.played[0]?.model.told(INSIDE), 'requests that tell of the file').not.toEqual([]);
      expect(entriesOf(left.log, 'tool.result').map(({ payload }) => payload.exit_code)).toEqual([0]);
    },
    'every way around is refused, and had no effect': ({ place, played }) => {
      expect(played[0]?.model.told(OUTSIDE), 'requests that tell of the file outside').toEqual([]);
      for (const name of ['written', 'copied', 'redirected'])
        expect(place.has(`src/${name}`), name).toBe(false);
    },
    'each refusal is on record with what it needed': (left) => {
      const [, ...refused] = judged(left);
      expect(refused.map(({ verdict }) => verdict)).toEqual(around(left.place).map(() => 'deny'));
      for (const [i, [need]] of around(left.place).entries()) expect(refused[i]?.missing).toContain(need);
      expect(entriesOf(left.log, 'tool.denied')).toHaveLength(refused.length);
    },
    'the model is told of each refusal': ({ place, played }) => {
      const told = JSON.stringify(played[0]?.model.turns.at(-1)?.body);
      expect(told.split("which the grants of this session don't allow").length - 1).toBe(
        around(place).length,
      );
    },
    'foil verify says that all stayed within the grants': async ({ place }) => {
      const { code, stdout } = await place.tryFoil('verify', '--json');
      expect(code, stdout).toBe(0);
      const { facets } = JSON.parse(stdout) as { facets: { authority: { status: string; findings: [] } } };
      expect(facets.authority).toMatchObject({ status: 'pass', findings: [] });
    },
    'the host ends by itself': endedByItself,
  },
};
