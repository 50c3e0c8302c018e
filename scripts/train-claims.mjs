// Learns the weights of the second reader (src/rules/claims/second-reader.ts) from the labelled messages in test/corpus
// and writes src/rules/claims/weights.ts. Logistic regression, a type at a time, over the features of each piece of a
// sentence. The same messages give the same bytes: nothing here is random, and held-out messages are never read.
//
//   npm run train
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const corpus = join(root, 'test/corpus');
export const TYPES = ['done', 'changed', 'tested', 'checked', 'shipped', 'blocked', 'delegation'];

const EPOCHS = 12;
const RATE = 0.3;
const DECAY = 1e-4;
/** A feature that is seen once says nothing of the next message. */
const LEAST_SEEN = 5;
/** Worths are bytes; features that are worth less than this in every type are left out. */
const LEAST_WORTH = 6;

/** The files that are learned from: messages, and single lines with the types of their claims. */
export function trainingFiles() {
  return [
    ...readdirSync(corpus)
      .filter((name) => /^(?:turns|messages)[\w-]*\.jsonl$/.test(name))
      .sort()
      .map((name) => join(corpus, name)),
    join(root, 'test/rules/claim-lines.txt'),
  ];
}

/** How sentences are seen, as one program. */
async function bundleReader() {
  const out = await build({
    stdin: {
      contents: `export { readSaid } from './src/rules/claims/said.ts'; export { featuresOf, mannerOf } from './src/rules/claims/features.ts'; export { piecesOf } from './src/rules/claims/pieces.ts';`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    minifyWhitespace: true,
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  });
  return Buffer.from(out.outputFiles[0].contents);
}

export async function loadReader() {
  return import(`data:text/javascript;base64,${(await bundleReader()).toString('base64')}`);
}

/** Every sentence of a message: the features of its pieces and, by type, in which pieces each labelled claim lies. */
export function samplesOf(message, claims, { readSaid, featuresOf, mannerOf, piecesOf }) {
  const { said } = readSaid(message);
  const manner = mannerOf(said);
  const known = new Map();
  const samples = said.map(() => ({ pieces: [], spans: [], claims: TYPES.map(() => []) }));
  for (const piece of piecesOf(said)) {
    const { pieces, spans } = samples[piece.sentence];
    pieces.push(Uint32Array.from(featuresOf(piece, said.length, manner, known)));
    spans.push([piece.tokens[0].start, piece.tokens.at(-1).end]);
  }
  for (const { type, quote } of claims)
    for (const [start, end] of placesOf(message, quote))
      for (const { spans, claims: lists } of samples) {
        const within = spans.flatMap(([from, to], at) => (start < to && from < end ? [at] : []));
        if (within.length > 0) lists[TYPES.indexOf(type)].push(within);
      }
  return samples;
}

function placesOf(message, quote) {
  const places = [];
  for (let at = message.indexOf(quote); at >= 0 && places.length < 16; at = message.indexOf(quote, at + 1))
    places.push([at, at + quote.length]);
  return places;
}

export function learn(samples) {
  const seen = new Map();
  for (const { pieces } of samples)
    for (const features of pieces) for (const one of features) seen.set(one, (seen.get(one) ?? 0) + 1);
  const ids = new Map();
  for (const hash of [...seen.keys()].sort((a, b) => a - b))
    if (seen.get(hash) >= LEAST_SEEN) ids.set(hash, ids.size);
  const inputs = samples.map(({ pieces }) =>
    pieces.map((features) => ({
      ids: Int32Array.from([...features].filter((hash) => ids.has(hash)).map((hash) => ids.get(hash))),
      unit: 1 / Math.sqrt(Math.max(1, features.length)),
    })),
  );
  const order = shuffled(samples.length);
  const weights = TYPES.map((_, type) =>
    regress(
      inputs,
      samples.map(({ claims }) => claims[type]),
      ids.size,
      order,
    ),
  );
  return { hashes: [...ids.keys()], weights };
}

/**
 * AdaGrad over all samples in a fixed order. A label says in which pieces a claim lies, often in more than the one that makes
 * it: that is held to be the one that looks most like it so far, and of the others nothing is learned.
 */
function regress(inputs, answers, size, order) {
  const weights = new Float64Array(size);
  const squares = new Float64Array(size).fill(1e-8);
  let bias = 0;
  let biasSquare = 1e-8;
  const oddsOf = ({ ids, unit }) => {
    let sum = bias;
    for (const id of ids) sum += weights[id] * unit;
    return sum;
  };
  const learnFrom = ({ ids, unit }, odds, answer) => {
    const error = 1 / (1 + Math.exp(-odds)) - answer;
    if (Math.abs(error) < 1e-3) return;
    biasSquare += error * error;
    bias -= (RATE * error) / Math.sqrt(biasSquare);
    for (const id of ids) {
      const step = error * unit + DECAY * weights[id];
      squares[id] += step * step;
      weights[id] -= (RATE * step) / Math.sqrt(squares[id]);
    }
  };
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (const at of order) {
      const odds = inputs[at].map(oddsOf);
      const claims = answers[at];
      const claimed = new Set(claims.flat());
      const makers = new Set(claims.map((within) => within.reduce((a, b) => (odds[b] > odds[a] ? b : a))));
      for (const [piece, input] of inputs[at].entries()) {
        if (makers.has(piece)) learnFrom(input, odds[piece], 1);
        else if (!claimed.has(piece)) learnFrom(input, odds[piece], 0);
      }
    }
  }
  return { weights, bias };
}

/** 0 … n-1 in an order that mixes files and is always the same. */
function shuffled(n) {
  const order = Array.from({ length: n }, (_, i) => i);
  let state = 1;
  for (let i = n - 1; i > 0; i--) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

export function encode({ hashes, weights }, digest) {
  let most = 0;
  for (const { weights: list } of weights) for (const one of list) most = Math.max(most, Math.abs(one));
  const scale = most / 127;
  const records = [];
  for (const [id, hash] of hashes.entries()) {
    const worths = weights.map(({ weights: list }) => Math.round(list[id] / scale));
    if (worths.every((worth) => Math.abs(worth) < LEAST_WORTH)) continue;
    const record = Buffer.alloc(4 + TYPES.length);
    record.writeUInt32BE(hash);
    for (const [i, worth] of worths.entries()) record.writeInt8(worth, 4 + i);
    records.push(record);
  }
  const table = Buffer.concat(records).toString('base64');
  return `// Made by scripts/train-claims.mjs. Not to be edited.
import type { ClaimType } from '../../format/index.ts';

/** The SHA-256 of what it was learned from: the messages, and how sentences are seen. */
export const LEARNED_FROM = '${digest}';
export const TYPES: readonly ClaimType[] = [${TYPES.map((type) => `'${type}'`).join(', ')}];
export const BIASES: readonly number[] = [${weights.map(({ bias }) => bias.toFixed(4)).join(', ')}];
export const SCALE = ${scale.toPrecision(8)};
export const TABLE: string =
  '${table}';
`;
}

/** Of everything whose change asks for new weights: how sentences are seen, and the messages. */
export async function digestOf() {
  const hash = createHash('sha256').update(await bundleReader());
  for (const path of trainingFiles()) hash.update(readFileSync(path));
  return hash.digest('hex');
}

export function readMessages(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  if (path.endsWith('.jsonl')) return lines.map((line) => JSON.parse(line));
  return lines.map((line) => {
    const at = line.indexOf('|');
    const message = line.slice(at + 1).replaceAll('\\n', '\n');
    const types = line.slice(0, at).split(/[ ,]+/);
    return {
      message,
      claims: TYPES.filter((type) => types.includes(type)).map((type) => ({ type, quote: message })),
    };
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const reader = await loadReader();
  const messages = trainingFiles().flatMap(readMessages);
  const samples = messages.flatMap(({ message, claims }) => samplesOf(message, claims, reader));
  const text = encode(learn(samples), await digestOf());
  writeFileSync(join(root, 'src/rules/claims/weights.ts'), text);
  console.log(
    `${messages.length} messages, ${samples.length} sentences, ${(text.length / 1024).toFixed(0)} kB`,
  );
}
