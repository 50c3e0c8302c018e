// The member `anchor` of counterfoil.yaml: every form it may have, and every typing error, which must never quietly
// switch something off or send something elsewhere.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG, parseConfig, parseYaml, readConfig } from '../../src/config/index.ts';
import { ParseError } from '../../src/core/index.ts';
import { temporary } from '../temporary.ts';

const anchor = (yaml: string) => parseConfig(parseYaml(yaml), 'x', '/project/counterfoil.yaml').anchor;
const OFF = { blocks: [], git: null, stamps: [], network: 'main' };

describe('anchor in counterfoil.yaml', () => {
  it('is nothing unless it is there', () => {
    expect(DEFAULT_CONFIG.anchor).toEqual(OFF);
    for (const yaml of ['', 'content: keep', 'anchor:', 'anchor: {}'])
      expect(anchor(yaml), yaml).toEqual(OFF);
    expect(anchor('anchor: {blocks: false, git: false, stamps: false}')).toEqual(OFF);
  });

  it('knows public servers', () => {
    expect(anchor('anchor: {blocks: true, git: true, stamps: true}')).toEqual({
      blocks: [{ esplora: 'https://blockstream.info/api' }, { esplora: 'https://mempool.space/api' }],
      git: { end: 'merge' },
      stamps: ['https://a.pool.opentimestamps.org', 'https://b.pool.opentimestamps.org'],
      network: 'main',
    });
  });

  it('takes every kind of source', () => {
    const yaml = `
anchor:
  blocks:
    - https://esplora.example/api/
    - http://127.0.0.1:3000
    - esplora: http://[::1]:3000/regtest/api
    - rpc: http://me:secret@node.example:8332
    - {rpc: "http://127.0.0.1:8332", cookie: node/.cookie}
    - {file: ../headers.bin}
    - {file: /var/headers.json}
  git: {end: archive}
  stamps: [https://calendar.example]
  network: regtest
`;
    expect(anchor(yaml)).toEqual({
      blocks: [
        { esplora: 'https://esplora.example/api' },
        { esplora: 'http://127.0.0.1:3000' },
        { esplora: 'http://[::1]:3000/regtest/api' },
        { rpc: 'http://me:secret@node.example:8332/', cookie: null },
        { rpc: 'http://127.0.0.1:8332/', cookie: '/project/node/.cookie' },
        { file: '/headers.bin' },
        { file: '/var/headers.json' },
      ],
      git: { end: 'archive' },
      stamps: ['https://calendar.example'],
      network: 'regtest',
    });
  });

  it('is documented as it is', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/recording.md'), 'utf8');
    const shown = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = '']) => anchor(yaml));
    expect(shown).toMatchObject([
      anchor('anchor: {blocks: true, git: true, stamps: true}'),
      {
        blocks: [
          { esplora: 'http://127.0.0.1:3000' },
          { rpc: 'http://127.0.0.1:8332/', cookie: expect.any(String) },
          { rpc: 'http://user:password@node.example:8332/', cookie: null },
          { file: '/project/headers.bin' },
        ],
      },
    ]);
  });

  it('finds files from the directory of counterfoil.yaml, and from home', () => {
    const directory = join(temporary(), 'project');
    mkdirSync(directory);
    const yaml =
      'anchor: {blocks: [{file: headers}, {rpc: "http://localhost:1", cookie: ~/.bitcoin/.cookie}]}';
    writeFileSync(join(directory, 'counterfoil.yaml'), yaml);
    expect(readConfig(directory, parseYaml).anchor.blocks).toEqual([
      { file: join(directory, 'headers') },
      { rpc: 'http://localhost:1/', cookie: join(process.env.HOME ?? '', '.bitcoin/.cookie') },
    ]);
  });

  it.each([
    ['anchor: true', 'anchor: must be a mapping'],
    ['anchor: [blocks]', 'anchor: must be a mapping'],
    ['anchor: {block: true}', 'anchor.block: unknown'],
    ['anchor: {blocks: yes}', 'anchor.blocks: must be true, false or a list'],
    ['anchor: {blocks: https://x.example}', 'anchor.blocks: must be true, false or a list'],
    ['anchor: {blocks: []}', 'anchor.blocks: must be true, false or a list of 1 to 8'],
    ['anchor: {blocks: [1,2,3,4,5,6,7,8,9]}', 'anchor.blocks: must be true, false or a list of 1 to 8'],
    ['anchor: {blocks: [blockstream.info/api]}', 'anchor.blocks[0]: must be a URL'],
    ['anchor: {blocks: [localhost:3000]}', 'anchor.blocks[0]: must be a URL'],
    ['anchor: {blocks: [ftp://x.example]}', 'anchor.blocks[0]: must be a URL'],
    ['anchor: {blocks: ["file:///etc/passwd"]}', 'anchor.blocks[0]: must be a URL'],
    ['anchor: {blocks: ["https://x.example/api?key=1"]}', 'anchor.blocks[0]: must end with its path'],
    ['anchor: {blocks: ["https://me:pw@x.example"]}', 'anchor.blocks[0]: must have no user'],
    ['anchor: {blocks: [null]}', 'anchor.blocks[0]: must be a mapping'],
    ['anchor: {blocks: [{}]}', 'anchor.blocks[0]: must be a URL, or a mapping with one of'],
    ['anchor: {blocks: [{url: https://x.example}]}', 'anchor.blocks[0].url: unknown'],
    [
      'anchor: {blocks: [{rpc: "http://x.example", file: y}]}',
      'anchor.blocks[0]: must be a URL, or a mapping',
    ],
    ['anchor: {blocks: [{file: y, cookie: z}]}', 'anchor.blocks[0].cookie: only works with rpc'],
    ['anchor: {blocks: [{file: ""}]}', 'anchor.blocks[0].file: must be the name of a file'],
    ['anchor: {blocks: [{file: "a\\0b"}]}', 'anchor.blocks[0].file: must be the name of a file'],
    ['anchor: {blocks: [{rpc: "127.0.0.1:8332"}]}', 'anchor.blocks[0].rpc: must be a URL'],
    ['anchor: {blocks: [{rpc: "http://a:%zz@127.0.0.1"}]}', 'anchor.blocks[0].rpc: write %25 for a %'],
    ['anchor: {blocks: [{rpc: "http://a:b@127.0.0.1", cookie: c}]}', 'anchor.blocks[0]: write either'],
    [
      'anchor: {blocks: [{rpc: "http://127.0.0.1", cookie: true}]}',
      'anchor.blocks[0].cookie: must be the name',
    ],
    ['anchor: {git: merge}', 'anchor.git: must be true, false or a mapping'],
    ['anchor: {git: {end: keep}}', 'anchor.git.end: must be one of merge, archive'],
    ['anchor: {git: {ends: merge}}', 'anchor.git.ends: unknown'],
    ['anchor: {stamps: on}', 'anchor.stamps: must be true, false or a list'],
    ['anchor: {stamps: [a.pool.opentimestamps.org]}', 'anchor.stamps[0]: must be a URL'],
    ['anchor: {network: test}', 'anchor.network: must be one of main, regtest'],
    ['anchor: {network: regtest, blocks: true}', 'anchor.blocks: there are no public ones for regtest'],
    ['anchor: {network: regtest, stamps: true}', 'anchor.stamps: there are no public ones for regtest'],
  ])('is refused: %s', (yaml, message) => {
    expect(() => anchor(yaml)).toThrow(ParseError);
    expect(() => anchor(yaml)).toThrow(`/project/counterfoil.yaml: ${message}`);
  });

  it.each([
    'node.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '[::2]',
    '10.0.0.1',
    'localhost.evil.example',
  ])('sends no cookie to another machine: %s', (host) => {
    expect(() => anchor(`anchor: {blocks: [{rpc: "http://${host}:8332", cookie: c}]}`)).toThrow(
      'a cookie only works for a node on this machine',
    );
  });
});
