// How fast redaction is on what agents really send, what it costs in a fresh process, and whether any hostile text
// makes it worse than linear. Bundles src/redact as the hook's bundle does. `node bench/redact.mjs` prints the figures.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MEGABYTE = 1_000_000;

/** Shell commands, source files, JSON and a build's log, each about as often as a session has them. */
function mix() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'));
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8').slice(0, 300_000);
  const commands = Array.from(
    { length: 400 },
    (_, i) =>
      `cd /home/dev/project && git log --oneline -n ${i} && npm test -- --run test/core/${i}.test.ts 2>&1 | tail -${i}`,
  );
  const log = Array.from(
    { length: 2000 },
    (_, i) =>
      `2026-01-02T03:04:05.${i}Z [info] build: compiled src/module-${i}.ts in ${i % 90} ms (cache: hit=${i})\n`,
  ).join('');
  const json = JSON.stringify(
    Array.from({ length: 1500 }, (_, i) => ({
      id: i,
      tool: 'Bash',
      path: `/src/${i}.ts`,
      ok: true,
      max_tokens: i,
    })),
  );
  return [...sources, lock, ...commands, log, json, JSON.stringify(json)];
}

/** Each repeated to fill the size asked for. */
const HOSTILE = [
  ...['a', 'A', '0', '-', '_', '.', '=', ':', '/', '\\', '"', "'", ' ', '<', '>', '[', '@', '\n', '\u00e9'],
  ...[
    'ghp_',
    'ghp_a',
    '-ghp_',
    'glpat-',
    'sk-',
    '-sk-',
    'AKIA',
    'A3-',
    'eyJ',
    '.eyJ',
    'eyJhbGciOiJub25lIn0.',
    'SG.',
    'Q~',
    ':AA',
    '1//0',
  ],
  ...[
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----',
    'x.',
    '://',
    '://a:',
    '://a:b@',
    'a@',
  ],
  ...[
    'password=',
    'password= ',
    'password="',
    "password='",
    'password=\\"',
    'key=',
    'key="',
    'token=',
    'token=(',
    'token: ',
    'value:',
    'name: key value: ',
  ],
  ...[
    '\\"',
    '\\\\"',
    '"password":',
    '\\"password\\":\\"',
    'Authorization: ',
    'Authorization: Bearer ',
    'Cookie: ',
    'cookie: a=',
    'Bearer ',
    'Basic ',
  ],
  ...[
    '--password ',
    '--password',
    ' -u ',
    ' -u a:',
    ' -p',
    'mysql -p',
    'login a password ',
    'login   ',
    ':5432:',
    'a:5432:b:',
    '[REDACTED:',
    '[REDACTED:a]',
    '<password>',
    '?sig=',
    '&token=',
  ],
  ...[
    'Ab1+',
    'Ab1/Cd2_',
    'MTIzNDU2Nzg5MDEyMzQ1Njc4.',
    'aB3'.repeat(22),
    `${'aB3d'.repeat(16)}\n`,
    '0123456789abcdef',
    `AKIA${'AB12'.repeat(4)} `,
  ],
];

/** Of this process, so that a busy machine does not show. */
function seconds(work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

const best = (times, work) => Math.min(...Array.from({ length: times }, () => seconds(work)));

function bundle(directory) {
  const file = join(directory, 'redact.cjs');
  buildSync({
    entryPoints: [join(root, 'src/redact/index.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['start'],
    minify: true,
    outfile: file,
  });
  return file;
}

/**
 * Milliseconds of processor time in a fresh process for making a redactor and its first 2 kB, from the compiled form that the hook's
 * start-up uses too: the median of several.
 */
function coldCost(file, directory) {
  const script = join(directory, 'cold.cjs');
  const sample = JSON.stringify({
    session_id: 'a0b1c2d3-0000-4000-8000-000000000000',
    tool_name: 'Bash',
    tool_input: {
      command: `npm test -- --run && echo "done: $?" ${'# src/core/merkle.ts: 12 lines\n'.repeat(55)}`,
    },
  });
  writeFileSync(
    script,
    `const { readFileSync, writeFileSync } = require('node:fs');
    const sample = JSON.parse(${JSON.stringify(sample)});
    const source = '(function(module){' + readFileSync(${JSON.stringify(file)}, 'utf8') + '})';
    const makes = process.argv[2] === 'make';
    const cachedData = makes ? undefined : readFileSync(__filename + '.cache');
    const script = new (require('node:vm').Script)(source, { cachedData, filename: 'redact.js' });
    const start = process.cpuUsage();
    const own = { exports: {} };
    script.runInThisContext()(own);
    own.exports.makeRedactor().value(sample, {});
    const { user, system } = process.cpuUsage(start);
    process.stdout.write(String((user + system) / 1000));
    if (makes) writeFileSync(__filename + '.cache', script.createCachedData());`,
  );
  const env = { ...process.env };
  delete env.NODE_EXTRA_CA_CERTS;
  execFileSync(process.execPath, [script, 'make'], { env });
  const times = Array.from({ length: 15 }, () => Number(execFileSync(process.execPath, [script], { env })));
  return times.toSorted((a, b) => a - b)[7];
}

/** `hostileRatio` is the worst time for four times the text, divided by four: 1 is linear, 4 is quadratic. */
export async function redaction({ hostileMegabytes = 5 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'foil-bench-'));
  try {
    const file = bundle(directory);
    const { makeRedactor } = createRequire(pathToFileURL(file))(file);
    const redactor = makeRedactor();
    const texts = mix();
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const all = () => {
      for (const text of texts) redactor.text(text, {});
    };
    const mbPerSecond = bytes / MEGABYTE / best(8, all);
    let hostileRatio = 0;
    let hostileWorst = '';
    let slowest = 0;
    let slowestPiece = '';
    for (const piece of HOSTILE) {
      const large = piece.repeat(Math.ceil((hostileMegabytes * MEGABYTE) / piece.length));
      const small = large.slice(0, large.length / 4);
      redactor.text(small.slice(0, 100_000));
      const few = best(2, () => redactor.text(small));
      let many = seconds(() => redactor.text(large));
      if (many > 6 * few)
        many = Math.min(
          many,
          seconds(() => redactor.text(large)),
        );
      const ratio = many / 4 / Math.max(few, 0.01);
      if (ratio > hostileRatio) [hostileRatio, hostileWorst] = [ratio, piece];
      const perMegabyte = many / hostileMegabytes;
      if (perMegabyte > slowest) [slowest, slowestPiece] = [perMegabyte, piece];
    }
    return {
      mbPerSecond,
      coldMs: coldCost(file, directory),
      hostileRatio,
      hostileWorst,
      hostileSlowestMbPerSecond: 1 / slowest,
      slowestPiece,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await redaction());
