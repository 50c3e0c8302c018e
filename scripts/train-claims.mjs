// Learns the weights of the claim reader (src/claims/reader.ts) from the labelled messages in test/corpus and writes
// src/claims/claims.weights: networks with one hidden layer over the features of each piece of a sentence. While they
// learn, many of the features are left out at random, so that they rest on no single word. The same messages give the same
// bytes: chance comes from a fixed seed, and held-out messages are never read.
//
//   npm run train
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const corpus = join(root, 'test/corpus');
export const WEIGHTS = join(root, 'src/claims/claims.weights');

const EPOCHS = 10;
const RATE = 0.05;
const BIAS_RATE = 0.25;
const DECAY = 1e-4;
const NETWORKS = 4;
/** So many features of a piece are left out each time that it is learned from. */
const LEFT_OUT = 0.4;
/** So often nothing is seen of what stands around a piece: its own words must do. */
const ALONE = 0.3;
/** A feature that counts less is of what stands around. */
const OWN = 1;
/** How strongly a feature is felt by the units. */
const FELT = 3;
/** A feature that is seen less often says nothing of the next message. */
const LEAST_SEEN = 12;
/** Weights are bytes; features whose weights are all smaller than this are left out. */
const LEAST_WORTH = 3;
/** Marked messages were written after the manner of real ones, and count as much more than the older ones. */
const MARKED_COUNTS = 4;
/** A single line stands for a kind that was read wrongly. */
const LINES_COUNT = 3;

/** The files that are learned from: messages, marked messages, and single lines with the types of their claims. */
export function trainingFiles() {
  const named = (folder, pattern) =>
    readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort()
      .map((name) => join(folder, name));
  return [
    ...named(corpus, /^(?:turns|messages)[\w-]*\.jsonl$/),
    ...named(join(corpus, 'marked'), /\.txt$/),
    join(root, 'test/claims/claim-lines.txt'),
  ];
}

/** How sentences are seen, as one program. */
async function bundleReader() {
  const out = await build({
    stdin: {
      contents: `export { readSaid } from './src/claims/said.ts'; export { Looker } from './src/claims/features.ts'; export { piecesOf } from './src/claims/pieces.ts'; export { FIRSTS, KINDS, MARK, UNITS } from './src/claims/reader.ts';`,
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

/**
 * Every sentence of a message: the features of its pieces, and in which pieces each labelled claim lies. A label without
 * a type says that the place could be read either way: nothing is learned from it.
 */
export function samplesOf({ message, claims, counts }, { readSaid, Looker, piecesOf, KINDS }) {
  const { said } = readSaid(message);
  const looker = new Looker(said);
  const samples = said.map(() => ({ counts, pieces: [], spans: [], claims: [], open: new Set() }));
  for (const piece of piecesOf(said)) {
    const { pieces, spans } = samples[piece.sentence];
    const features = looker.featuresOf(piece);
    pieces.push({ hashes: Uint32Array.from(features.keys()), worths: Float32Array.from(features.values()) });
    spans.push([piece.tokens[0].start, piece.tokens.at(-1).end]);
  }
  for (const { types, places } of claims)
    for (const [start, end] of places)
      for (const { spans, claims: list, open } of samples) {
        const within = spans.flatMap(([from, to], at) => (start < to && from < end ? [at] : []));
        if (types.length === 0) for (const at of within) open.add(at);
        else if (within.length > 0) list.push({ kinds: types.map((type) => KINDS.indexOf(type)), within });
      }
  return samples;
}

/** Several small networks, each by its own chance, speak together: what one alone has got into its head counts less. */
export function learn(samples, { kinds, units }) {
  const seen = new Map();
  for (const { pieces } of samples)
    for (const { hashes } of pieces) for (const hash of hashes) seen.set(hash, (seen.get(hash) ?? 0) + 1);
  const ids = new Map();
  for (const hash of [...seen.keys()].sort((a, b) => a - b))
    if (seen.get(hash) >= LEAST_SEEN) ids.set(hash, ids.size);
  const inputs = samples.map(({ pieces }) => pieces.map((piece) => inputOf(piece, ids)));
  const networks = Array.from({ length: NETWORKS }, (_, at) =>
    learnOne(samples, inputs, new Network(ids.size, units / NETWORKS, kinds, at)),
  );
  return { hashes: [...ids.keys()], units, ...together(networks) };
}

function learnOne(samples, inputs, network) {
  const order = shuffled(samples.length, network.chance);
  for (let epoch = 0; epoch < EPOCHS; epoch++)
    for (const at of order) {
      const seen = inputs[at].map((input) => network.look(input, LEFT_OUT));
      const likely = seen.map((one) => one.likely);
      for (const [piece, wanted] of wantedOf(samples[at], likely, network.kinds))
        network.learn(seen[piece], wanted, samples[at].counts);
    }
  return network;
}

/** Side by side, as one network whose units each say their share. */
function together(networks) {
  const [{ units, kinds, weights }] = networks;
  const features = weights.values.length / units;
  const all = new Float32Array(features * units * networks.length);
  for (let id = 0; id < features; id++)
    for (const [at, one] of networks.entries())
      all.set(one.weights.values.subarray(id * units, (id + 1) * units), (id * networks.length + at) * units);
  return {
    weights: all,
    unitBiases: networks.flatMap((one) => [...one.unitBiases.values]),
    says: networks.flatMap((one) => [...one.says.values]).map((one) => one / networks.length),
    biases: Array.from({ length: kinds }, (_, kind) =>
      networks.reduce((sum, { biases }) => sum + biases.values[kind] / networks.length, 0),
    ),
  };
}

function inputOf({ hashes, worths }, ids) {
  const known = [...hashes.keys()].filter((at) => ids.has(hashes[at]));
  const norm =
    FELT /
    Math.sqrt(
      Math.max(
        1,
        worths.reduce((sum, one) => sum + one * one, 0),
      ),
    );
  return {
    ids: Int32Array.from(known, (at) => ids.get(hashes[at])),
    worths: Float32Array.from(known, (at) => worths[at] * norm),
    own: Uint8Array.from(known, (at) => Number(worths[at] >= OWN)),
  };
}

/** Numbers that learn by AdaGrad: a step is the smaller, the more they have moved. */
class Learned {
  constructor(values, rate, decay = 0) {
    this.values = values;
    this.squares = values.map(() => 1e-4);
    this.rate = rate;
    this.decay = decay;
  }
  step(at, slope) {
    const step = slope + this.decay * this.values[at];
    this.squares[at] += step * step;
    this.values[at] -= (this.rate * step) / Math.sqrt(this.squares[at]);
  }
}

class Network {
  constructor(features, units, kinds, seed) {
    this.chance = chances(seed);
    const around = (length, width) => Float32Array.from({ length }, () => (this.chance() - 0.5) * width);
    this.units = units;
    this.kinds = kinds;
    this.weights = new Learned(around(features * units, 0.1), RATE, DECAY);
    this.says = new Learned(around(units * kinds, 1), RATE, DECAY);
    this.unitBiases = new Learned(new Float32Array(units).fill(0.3), RATE);
    this.biases = new Learned(new Float32Array(kinds), BIAS_RATE);
  }

  /** How likely each kind is, and how that was seen, with a share of the features left out. */
  look({ ids, worths, own }, leftOut) {
    const { units, kinds } = this;
    const input = this.#keep({ ids, worths, own }, leftOut);
    const felt = Float32Array.from(this.unitBiases.values);
    const weights = this.weights.values;
    for (let n = 0; n < input.ids.length; n++)
      for (let unit = 0, at = input.ids[n] * units; unit < units; unit++, at++)
        felt[unit] += weights[at] * input.worths[n];
    const odds = Float64Array.from(this.biases.values);
    for (let unit = 0; unit < units; unit++) {
      felt[unit] = Math.max(0, felt[unit]);
      for (let kind = 0; kind < kinds; kind++)
        odds[kind] += felt[unit] * this.says.values[unit * kinds + kind];
    }
    const most = Math.max(...odds);
    const powers = odds.map((one) => Math.exp(one - most));
    const total = powers.reduce((sum, one) => sum + one, 0);
    return { input, felt, likely: powers.map((one) => one / total) };
  }

  #keep({ ids, worths, own }, leftOut) {
    const kept = { ids: new Int32Array(ids.length), worths: new Float32Array(ids.length) };
    let count = 0;
    const alone = this.chance() < ALONE;
    for (let n = 0; n < ids.length; n++) {
      if (this.chance() < leftOut || (alone && own[n] === 0)) continue;
      kept.ids[count] = ids[n];
      kept.worths[count++] = worths[n] / (1 - leftOut);
    }
    return { ids: kept.ids.subarray(0, count), worths: kept.worths.subarray(0, count) };
  }

  learn({ input: { ids, worths }, felt, likely }, wanted, counts) {
    const { units, kinds } = this;
    const errors = likely.map((one, kind) => counts * (one - wanted[kind]));
    if (errors.every((error) => Math.abs(error) < 2e-3)) return;
    const slopes = new Float32Array(units);
    for (let unit = 0; unit < units; unit++) {
      if (felt[unit] === 0) continue;
      for (let kind = 0; kind < kinds; kind++) {
        slopes[unit] += errors[kind] * this.says.values[unit * kinds + kind];
        this.says.step(unit * kinds + kind, errors[kind] * felt[unit]);
      }
      this.unitBiases.step(unit, slopes[unit]);
    }
    for (let kind = 0; kind < kinds; kind++) this.biases.step(kind, errors[kind]);
    for (let n = 0; n < ids.length; n++)
      for (let unit = 0, at = ids[n] * units; unit < units; unit++, at++)
        if (felt[unit] !== 0) this.weights.step(at, slopes[unit] * worths[n]);
  }
}

/** Numbers from 0 to 1 that look random, always the same. */
function chances(seed) {
  let state = 8018 + 7919 * seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * What each piece of a sentence should be. A label says in which pieces a claim lies, often in more than the one that makes
 * it: that is held to be the one that looks most like it so far, and of the others nothing is learned. Of several types
 * that are as good, each is wanted as far as it is likely.
 */
function wantedOf({ pieces, claims, open }, likely, size) {
  const wanted = new Map();
  const silent = new Set(open);
  for (const { kinds, within } of claims) {
    const scoreOf = (piece) => kinds.reduce((sum, kind) => sum + likely[piece][kind], 0);
    const maker = within.reduce((best, piece) => (scoreOf(piece) > scoreOf(best) ? piece : best));
    const share = wanted.get(maker) ?? new Float64Array(size);
    for (const kind of kinds) share[kind] += likely[maker][kind] / (scoreOf(maker) || 1);
    wanted.set(maker, share);
    for (const piece of within) silent.add(piece);
  }
  for (const share of wanted.values()) {
    const total = share.reduce((sum, one) => sum + one, 0);
    for (let kind = 0; kind < size; kind++) share[kind] /= total || 1;
  }
  for (const piece of pieces.keys())
    if (!silent.has(piece))
      wanted.set(
        piece,
        Float64Array.from({ length: size }, (_, kind) => +(kind === 0)),
      );
  return wanted;
}

/** 0 … n-1 in an order that mixes files and is always the same. */
function shuffled(n, chance) {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(chance() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** The file that parseWeights of reader.ts reads. */
export function encode(
  { hashes, units, weights, says, unitBiases, biases },
  digest,
  { MARK: mark, FIRSTS: firsts },
) {
  const most = weights.reduce((most, one) => Math.max(most, Math.abs(one)), 0) / 127;
  const bytes = Int8Array.from(weights, (one) => Math.round(one / most));
  const kept = [...hashes.keys()].filter((id) =>
    bytes.subarray(id * units, (id + 1) * units).some((worth) => Math.abs(worth) >= LEAST_WORTH),
  );
  const floats = [most * FELT, ...unitBiases, ...says, ...biases];
  const head = Buffer.alloc(4 * floats.length + 4);
  for (const [at, one] of floats.entries()) head.writeFloatLE(one, 4 * at);
  head.writeUInt32LE(kept.length, 4 * floats.length);
  const table = Buffer.alloc(firsts + 2 * kept.length);
  for (const [at, id] of kept.entries()) {
    const first = hashes[id] >>> 16;
    table.writeUInt8(table.readUInt8(first) + 1, first);
    table.writeUInt16LE(hashes[id] & 0xffff, firsts + 2 * at);
  }
  const worths = kept.map((id) => Buffer.from(bytes.slice(id * units, (id + 1) * units)));
  return Buffer.concat([Buffer.from(mark), Buffer.from(digest, 'hex'), head, table, ...worths]);
}

/** Of everything whose change asks for new weights: how sentences are seen, and the messages. */
export async function digestOf() {
  const hash = createHash('sha256').update(await bundleReader());
  for (const path of trainingFiles()) hash.update(readFileSync(path));
  return hash.digest('hex');
}

export function readMessages(path) {
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.jsonl'))
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ message, claims }) => ({
        message,
        counts: 1,
        claims: claims.map(({ type, or = [], quote }) => ({
          types: [type, ...or],
          places: placesOf(message, quote),
        })),
      }));
  return path.includes('/marked/') ? readMarked(text) : readLines(text);
}

function placesOf(message, quote) {
  const places = [];
  for (let at = message.indexOf(quote); at >= 0 && places.length < 16; at = message.indexOf(quote, at + 1))
    places.push([at, at + quote.length]);
  return places;
}

/** Messages behind lines `=== agent`, with their claims marked: `[[type|words]]`, `[[type/type|words]]`, `[[?|words]]`. */
export function readMarked(text) {
  return text
    .split(/^===.*$/m)
    .slice(1)
    .map((marked) => {
      const claims = [];
      let message = '';
      let from = 0;
      const body = marked.replace(/^\n+|\s+$/g, '');
      for (const { 0: whole, 1: types, 2: words, index } of body.matchAll(
        /\[\[([a-z?/]+)\|([\s\S]*?)\]\]/g,
      )) {
        message += body.slice(from, index);
        claims.push({
          types: types.split('/').filter((type) => type !== '?'),
          places: [[message.length, message.length + words.length]],
        });
        message += words;
        from = index + whole.length;
      }
      return { message: message + body.slice(from), claims, counts: MARKED_COUNTS };
    });
}

/** Lines `types|message`; `-` for none; `a/b` where both are as good. */
function readLines(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const at = line.indexOf('|');
      const message = line.slice(at + 1).replaceAll('\\n', '\n');
      const types = line.slice(0, at).split(/[ ,]+/);
      return {
        message,
        counts: LINES_COUNT,
        claims: types
          .filter((type) => /^[a-z]/.test(type) && type !== 'none')
          .map((type) => ({ types: type.split('/'), places: [[0, message.length]] })),
      };
    });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const reader = await loadReader();
  const messages = trainingFiles().flatMap(readMessages);
  const samples = messages.flatMap((message) => samplesOf(message, reader));
  const learned = learn(samples, { kinds: reader.KINDS.length, units: reader.UNITS });
  const bytes = encode(learned, await digestOf(), reader);
  writeFileSync(WEIGHTS, bytes);
  console.log(
    `${messages.length} messages, ${samples.length} sentences, ${(bytes.length / 1024).toFixed(0)} kB`,
  );
}
