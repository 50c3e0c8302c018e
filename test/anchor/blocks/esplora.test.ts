// Esplora servers on this machine, good ones and every kind of bad one. Time is the test's own: the newest real header in
// the vectors is ten minutes old.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { NEWEST_BUDGET, type OpenBlocksOptions, openBlocks } from '../../../src/anchor/blocks/index.ts';
import { type AnchorConfig, NO_ANCHOR } from '../../../src/session/index.ts';
import { mine, NOW, nobody, real, serve, serveEsplora, serveRaw, TIP } from './servers.ts';

/** Long, so that a busy machine does not decide; a source that hangs costs the stagger alone. */
const PATIENT = 30_000;

function open(
  urls: readonly string[],
  options: Partial<OpenBlocksOptions> = {},
  more: Partial<AnchorConfig> = {},
) {
  const config = { ...NO_ANCHOR, blocks: urls.map((esplora) => ({ esplora })), ...more };
  return openBlocks(config, { directory: null, now: () => NOW, budgetMs: PATIENT, ...options });
}

const codes = (blocks: ReturnType<typeof openBlocks>): string[] => blocks.problems().map(({ code }) => code);

describe('a block from Esplora', () => {
  it('G12a is the newest, with its header', async () => {
    const server = await serveEsplora(TIP);
    const blocks = open([server.url]);
    expect(await blocks.newest()).toEqual(TIP);
    expect(blocks.problems()).toEqual([]);
    expect(server.asked).toEqual([
      '/blocks/tip/height',
      `/block-height/${TIP.height}`,
      `/block/${TIP.hash}/header`,
    ]);
  });

  it('is found under a path and by the name localhost', async () => {
    const server = await serveEsplora(TIP);
    expect(await open([`${server.url.replace('127.0.0.1', 'localhost')}/api`]).newest()).toEqual(TIP);
  });

  it('is found by its height, in whichever source has it', async () => {
    const [first, second] = [await serveEsplora(TIP), await serveEsplora(TIP, [real(800_000)])];
    const blocks = open([first.url, second.url]);
    expect(await blocks.at(800_000)).toEqual(real(800_000));
    expect(await blocks.at(840_000)).toBeNull();
    expect(await blocks.at(-1)).toBeNull();
  });

  it('is not asked for where no source is configured', async () => {
    const blocks = open([]);
    expect(await blocks.newest()).toBeNull();
    expect(blocks.known()).toBeNull();
    expect(await blocks.survey()).toEqual([]);
  });

  it('takes less than two seconds, whatever happens', () => {
    expect(NEWEST_BUDGET).toBeLessThan(2000);
  });
});

const other = real(900_001);
const head = (more: string): string => `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n${more}\r\n`;
const regtest = mine(1)[0] ?? TIP;

/** Every kind of source that can't be used, and what is said of it. `hangs`: only time ends it. */
const BAD: readonly {
  readonly what: string;
  readonly code: string;
  readonly hangs?: boolean;
  readonly make: () => Promise<{ url: string }>;
}[] = [
  {
    what: 'puts its block ten thousand too high',
    code: 'PACE_UNLIKELY',
    make: () => serveEsplora({ ...TIP, height: 910_002 }),
  },
  {
    what: 'puts its block where another stands',
    code: 'NOT_THE_CHECKPOINT',
    make: () => serveEsplora({ ...TIP, height: 900_000 }),
  },
  {
    what: 'puts the child of a checkpoint elsewhere',
    code: 'HEIGHT_MISMATCH',
    make: () => serveEsplora({ ...other, height: 900_002 }),
  },
  {
    what: 'gives a header that does not hash to its hash',
    code: 'HASH_MISMATCH',
    make: () => serveEsplora({ ...TIP, hash: other.hash }),
  },
  {
    what: 'gives a header with one bit flipped',
    code: 'HASH_MISMATCH',
    make: () =>
      serveEsplora({ ...TIP, header: `${TIP.header.slice(0, -1)}${TIP.header.endsWith('0') ? 1 : 0}` }),
  },
  {
    what: 'gives a header of regtest, whose target is easy',
    code: 'TARGET_TOO_EASY',
    make: () => serveEsplora({ ...regtest, height: TIP.height }),
  },
  {
    what: 'gives half a header',
    code: 'MALFORMED',
    make: () => serveEsplora({ ...TIP, header: TIP.header.slice(0, 80) }),
  },
  { what: 'has no block', code: 'REFUSED', make: () => serveEsplora(null) },
  {
    what: 'answers a page of HTML',
    code: 'MALFORMED',
    make: () => serve((_, response) => response.end('<!doctype html><title>Sign in to the hotel</title>')),
  },
  {
    what: 'answers a hash that leads elsewhere',
    code: 'MALFORMED',
    make: () => serve(({ url }, response) => response.end(url?.includes('tip') ? '900002' : '../../admin')),
  },
  {
    what: 'answers nothing',
    code: 'NO_ANSWER',
    hangs: true,
    make: () => serve(() => {}),
  },
  {
    what: 'answers the head and nothing more',
    code: 'NO_ANSWER',
    hangs: true,
    make: () => serveRaw((socket) => socket.write(head('content-length: 6\r\n'))),
  },
  {
    what: 'drips a byte now and then',
    code: 'NO_ANSWER',
    hangs: true,
    make: () =>
      serveRaw((socket) => {
        socket.write(head('transfer-encoding: chunked\r\n'));
        const drip = setInterval(() => socket.write('1\r\n9\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      }),
  },
  { what: 'is not there', code: 'UNREACHABLE', make: async () => ({ url: await nobody() }) },
  {
    what: 'fails',
    code: 'REFUSED',
    make: () => serve((_, response) => response.writeHead(503).end('900002')),
  },
  {
    what: 'answers a megabyte',
    code: 'TOO_LONG',
    make: () => serve((_, response) => response.end('9'.repeat(1024 * 1024))),
  },
  {
    what: 'answers without an end',
    code: 'TOO_LONG',
    make: () =>
      serveRaw((socket) => {
        const more = (): boolean => socket.write('400\r\n'.concat('0'.repeat(0x400), '\r\n'));
        socket.write(head('transfer-encoding: chunked\r\n'));
        socket.on('drain', more);
        while (more());
      }),
  },
  {
    what: 'has a head without an end',
    code: 'TOO_LONG',
    make: () => serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'0'.repeat(100_000)}`)),
  },
  {
    what: 'breaks off in the middle',
    code: 'UNREACHABLE',
    make: () => serveRaw((socket) => socket.end(`${head('content-length: 6\r\n')}900`)),
  },
  { what: 'hangs up', code: 'UNREACHABLE', make: () => serveRaw((socket) => socket.destroy()) },
  {
    what: 'speaks something else',
    code: 'UNREACHABLE',
    make: () => serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  },
  {
    what: 'changes the protocol',
    code: 'REFUSED',
    make: () =>
      serveRaw((socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      ),
  },
  {
    what: 'answers compressed, though not asked to',
    code: 'MALFORMED',
    make: () =>
      serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('900002'))),
  },
];

describe.each(BAD)('a source that $what', ({ code, hangs = false, make }) => {
  it('G12b is left for the next one, and what it did is kept', async () => {
    const [bad, good] = [await make(), await serveEsplora(TIP)];
    const blocks = open([bad.url, good.url]);
    expect(await blocks.newest()).toEqual(TIP);
    // Who only hangs was not found guilty of anything yet.
    if (!hangs)
      expect(blocks.problems()).toEqual([{ source: bad.url, code, message: expect.any(String), at: NOW }]);
  });

  it('G12b gives no block where there is no other', async () => {
    const bad = await make();
    const blocks = open([bad.url], hangs ? { budgetMs: 150 } : {});
    expect(await blocks.newest()).toBeNull();
    expect(codes(blocks)).toEqual([code]);
  });
});

describe('sources', () => {
  it('G12b that are all bad end in no block, each with what it did', async () => {
    const bad = await Promise.all(BAD.map(({ make }) => make()));
    const blocks = open(
      bad.map(({ url }) => url),
      { budgetMs: 3000 },
    );
    expect(await blocks.newest()).toBeNull();
    expect(blocks.problems().length).toBe(16); // as many as are kept
  });

  it('are not followed to where they point', async () => {
    const good = await serveEsplora(TIP);
    const bad = await serve(({ url }, response) =>
      response.writeHead(302, { location: `${good.url}${url}` }).end(),
    );
    const blocks = open([bad.url]);
    expect(await blocks.newest()).toBeNull();
    expect(codes(blocks)).toEqual(['REDIRECTED']);
    expect(good.asked).toEqual([]);
  });

  it('are asked one after the other: a good first one leaves the second in peace', async () => {
    const [first, second] = [await serveEsplora(TIP), await serveEsplora(TIP)];
    expect(await open([first.url, second.url]).newest()).toEqual(TIP);
    expect(second.asked).toEqual([]);
  });

  it('are asked without what the environment says of proxies', async () => {
    const [proxy, good] = [await serveEsplora(null), await serveEsplora(TIP)];
    process.env.http_proxy = proxy.url;
    process.env.HTTP_PROXY = proxy.url;
    try {
      expect(await open([good.url]).newest()).toEqual(TIP);
    } finally {
      delete process.env.http_proxy;
      delete process.env.HTTP_PROXY;
    }
    expect(proxy.asked).toEqual([]);
  });

  it('are all heard by a survey', async () => {
    const [first, gone, old] = [await serveEsplora(TIP), await nobody(), await serveEsplora(real(840_000))];
    const reports = await open([first.url, gone, old.url]).survey();
    expect(
      reports.map(({ source, block, problems }) => [source, block, problems.map(({ code }) => code)]),
    ).toEqual([
      [first.url, TIP, []],
      [gone, null, ['UNREACHABLE']],
      [old.url, real(840_000), ['STALE']],
    ]);
  });
});

describe('an old block', () => {
  const DAY = 86_400_000;

  it('makes the next source be asked', async () => {
    const [old, good] = [await serveEsplora(real(800_000)), await serveEsplora(TIP)];
    const blocks = open([old.url, good.url]);
    expect(await blocks.newest()).toEqual(TIP);
    expect(blocks.problems()).toMatchObject([{ source: old.url, code: 'STALE' }]);
  });

  it('counts where all are, the newest of them, and that is said', async () => {
    const old = await Promise.all([800_000, 900_002, 840_000].map((height) => serveEsplora(real(height))));
    const blocks = open(
      old.map(({ url }) => url),
      { now: () => NOW + DAY },
    );
    expect(await blocks.newest()).toEqual(TIP);
    expect(codes(blocks)).toEqual(['STALE', 'STALE', 'STALE']);
  });

  it('counts where the others never answer', async () => {
    const [old, silent] = [await serveEsplora(TIP), await serve(() => {})];
    const blocks = open([old.url, silent.url], { now: () => NOW + DAY, budgetMs: 1000 });
    expect(await blocks.newest()).toEqual(TIP);
    expect(codes(blocks)).toEqual(['STALE', 'NO_ANSWER']);
  });

  it('is one of more than six hours', async () => {
    const server = await serveEsplora(TIP);
    const age = async (seconds: number): Promise<string[]> => {
      const blocks = open([server.url], { now: () => (TIP.time + seconds) * 1000 });
      expect(await blocks.newest()).toEqual(TIP);
      return codes(blocks);
    };
    expect(await age(6 * 3600)).toEqual([]);
    expect(await age(6 * 3600 + 1)).toEqual(['STALE']);
  });
});

describe('a clock that is behind', () => {
  it('is told from a block that is more than two hours ahead, which still counts', async () => {
    const server = await serveEsplora(TIP);
    const ahead = async (seconds: number): Promise<string[]> => {
      const blocks = open([server.url], { now: () => (TIP.time - seconds) * 1000 });
      expect(await blocks.newest()).toEqual(TIP);
      return codes(blocks);
    };
    expect(await ahead(2 * 3600)).toEqual([]);
    expect(await ahead(2 * 3600 + 1)).toEqual(['CLOCK_BEHIND']);
  });
});

describe('regtest', () => {
  it('is a chain of its own: what is none of its headers is no block there', async () => {
    const chain = mine(5);
    const [tip] = chain.slice(-1);
    const server = await serveEsplora(tip ?? null, chain);
    const years = () => NOW + 1e12;
    const blocks = open([server.url], { now: years }, { network: 'regtest' });
    expect(await blocks.newest()).toEqual(tip);
    expect(blocks.problems()).toEqual([]); // its blocks are as old as somebody let them become
    expect(await blocks.at(2)).toEqual(chain[2]);
  });

  it('never passes for the main chain', async () => {
    const chain = mine(5);
    const server = await serveEsplora(chain[4] ?? null);
    const blocks = open([server.url]);
    expect(await blocks.newest()).toBeNull();
    expect(codes(blocks)).toEqual(['TARGET_TOO_EASY']);
  });
});
