// Measures the gate on labelled real turns: `npm run measure -- DIR [--errors]`, where DIR holds `labels.jsonl` and
// `transcripts.tar.xz` (a home directory). Prints what was found, held and let through, by host and by type of claim, and
// with --errors each error. With --disputes FILE the claims are counted a second time, as if those labels were corrected
// (disputes.mjs). With --drive the real gate is driven with the same events, in guard, and compared (see
// drive.mjs); --only ID,… keeps to these labels. The turns stay outside of this repository: they are other people's sentences.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { grant, parseDisputes } from './disputes.mjs';
import { drive } from './drive.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The scanner of these sources, as a module. */
async function loadScanner(folder) {
  const outfile = join(folder, 'scanner.mjs');
  await build({
    stdin: {
      contents: `export { scanFile } from './src/report/scan-file.ts'; export { findTranscripts } from './src/report/transcript-files.ts';`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.url)});`,
    },
    outfile,
    logLevel: 'error',
  });
  // The reader looks for its weights beside the program.
  copyFileSync(join(root, 'src/claims/claims.weights'), join(folder, 'claims.weights'));
  return import(pathToFileURL(outfile).href);
}

/** Places of a text in a message: as it stands, or but for white space and marks. */
function placesOf(message, text) {
  const places = [];
  for (let at = message.indexOf(text); at >= 0 && places.length < 8; at = message.indexOf(text, at + 1))
    places.push([at, at + text.length]);
  if (places.length > 0) return places;
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return [];
  const found = new RegExp(words.join('[^\\p{L}\\p{N}]+'), 'u').exec(message);
  return found === null ? [] : [[found.index, found.index + found[0].length]];
}

function overlap(message, a, b) {
  const others = placesOf(message, b);
  return placesOf(message, a).some(([start, end]) => others.some(([from, to]) => start < to && from < end));
}

/** A label names a prompt of a session; of its ends, the one whose message holds what was labelled. */
function turnOf(label, turns) {
  const ends = turns.filter(({ turn }) => turn === label.turn);
  return ends[endOf(label, ends)];
}

/** Which of these ends it is; -1 of none. */
function endOf(label, ends) {
  const texts = [...label.claims, ...label.optional].map(({ text }) => text);
  const held = ({ message }) => texts.filter((text) => placesOf(message, text).length > 0).length;
  return ends.reduce((best, each, i) => (best < 0 || held(each) > held(ends[best]) ? i : best), -1);
}

export function compare(label, turn) {
  const { message, found } = turn;
  const meets = (claim, label) =>
    label.types.includes(claim.type) && overlap(message, claim.quote, label.text);
  const touches = (claim, label) => overlap(message, claim.quote, label.text);
  return {
    missed: label.claims.filter((each) => !found.some((claim) => meets(claim, each))),
    unseen: label.claims.filter((each) => !found.some((claim) => touches(claim, each))),
    unsure: label.claims.filter((each) => !found.some((claim) => claim.sure && meets(claim, each))),
    wrong: found.filter(
      (claim) =>
        !label.claims.some((each) => meets(claim, each)) &&
        !label.optional.some((each) => touches(claim, each)),
    ),
    astray: found.filter(
      (claim) => ![...label.claims, ...label.optional].some((each) => touches(claim, each)),
    ),
    found: found.filter((claim) => !label.optional.some((each) => touches(claim, each))),
    held: turn.verdict === 'block',
  };
}

function countsOf({ claims }, { missed, unseen, unsure, wrong, astray, found }) {
  return {
    labelled: claims.length,
    met: claims.length - missed.length,
    sure: claims.length - unsure.length,
    seen: claims.length - unseen.length,
    found: found.length,
    near: found.length - astray.length,
    right: found.length - wrong.length,
  };
}

class Table {
  rows = new Map();
  add(keys, counts) {
    for (const key of ['all', ...keys]) {
      const row = this.rows.get(key) ?? {};
      for (const [name, n] of Object.entries(counts)) row[name] = (row[name] ?? 0) + n;
      this.rows.set(key, row);
    }
  }
}

const share = (part = 0, all = 0) =>
  all === 0 ? '–' : `${part}/${all} ${((100 * part) / all).toFixed(1)} %`;

function print(title, rows, columns) {
  const cells = [...rows].map(([name, row]) => [name, ...columns.map(([, of]) => of(row))]);
  const all = [[title, ...columns.map(([head]) => head)], ...cells];
  const widths = all[0].map((_, i) => Math.max(...all.map((row) => row[i].length)));
  console.log(
    all
      .map((row) =>
        row
          .map((cell, i) => cell.padEnd(widths[i]))
          .join('  ')
          .trimEnd(),
      )
      .join('\n'),
    '\n',
  );
}

async function main(folder, { errors, drives, only, disputes }) {
  const labels = readFileSync(join(folder, 'labels.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ id }) => only === undefined || only.includes(id));
  const home = mkdtempSync(join(tmpdir(), 'measure-'));
  try {
    const tar = spawnSync('tar', ['xJf', join(folder, 'transcripts.tar.xz'), '-C', home]);
    if (tar.status !== 0) throw new Error(`tar: ${tar.stderr}`);
    const { scanFile, findTranscripts } = await loadScanner(home);
    const byFile = grouped(labels);
    const [byHost, byType, granted] = [new Table(), new Table(), new Table()];
    const lines = [];
    const jobs = [];
    const scanned = new Map();
    for (const file of findTranscripts({ home, env: {} })) {
      const wanted = byFile.get(file.path.slice(home.length + 1)) ?? [];
      if (wanted.length === 0) continue;
      const turns = [...scanFile(file)].flatMap((each) => (each === null ? [] : [each.turn]));
      jobs.push({ file, labels: wanted });
      for (const label of wanted) {
        const turn = turnOf(label, turns);
        if (turn === undefined) {
          lines.push(`${label.id}\tlost\t${label.path} has no turn ${label.turn}`);
          continue;
        }
        const compared = compare(label, turn);
        const { missed, unseen, unsure, wrong, astray, found, held } = compared;
        scanned.set(label.id, held);
        byHost.add([label.host], {
          ...countsOf(label, compared),
          [label.kind]: 1,
          [`${label.kind} held`]: Number(held),
        });
        const corrected = grant(label, disputes);
        granted.add([], countsOf(corrected, compare(corrected, turn)));
        for (const { types } of label.claims) byType.add([types[0]], { labelled: 1 });
        for (const each of label.claims)
          byType.add([each.types[0]], {
            met: Number(!missed.includes(each)),
            sure: Number(!unsure.includes(each)),
            seen: Number(!unseen.includes(each)),
          });
        for (const claim of found)
          byType.add([claim.type], {
            found: 1,
            right: Number(!wrong.includes(claim)),
            near: Number(!astray.includes(claim)),
          });
        for (const { types, text, evidence } of missed)
          lines.push(`${label.id}\tmissed\t${types.join('|')} ${evidence}\t${text}`);
        for (const { type, quote, sure } of wrong)
          lines.push(`${label.id}\twrong\t${type}${sure ? '' : '?'}\t${quote}`);
        if (held && label.kind === 'honest')
          for (const claim of turn.claims.filter(({ status }) => status !== 'backed' && status !== 'excused'))
            lines.push(
              `${label.id}\theld\t${claim.type} ${claim.status} ${claim.code}\t${claim.quote}\t${claim.reason}`,
            );
        if (!held && label.kind === 'dishonest')
          for (const { types, text, evidence } of label.claims.filter(({ evidence }) =>
            'USFW'.includes(evidence),
          ))
            lines.push(
              `${label.id}\tthrough\t${types.join('|')} ${evidence}\t${text}\t${statusOf(turn, text)}`,
            );
      }
    }
    const claims = [
      ['claims found', ({ met, labelled }) => share(met, labelled)],
      ['sure', ({ sure, labelled }) => share(sure, labelled)],
      ['right', ({ right, found }) => share(right, found)],
      ['found, of any type', ({ seen, labelled }) => share(seen, labelled)],
      ['right, of any type', ({ near, found }) => share(near, found)],
    ];
    print('host', byHost.rows, [
      ...claims,
      ['honest turns held', (row) => share(row['honest held'], row.honest)],
      ['edit-only held', (row) => share(row['edit-only held'], row['edit-only'])],
      [
        'dishonest turns through',
        (row) => share((row.dishonest ?? 0) - (row['dishonest held'] ?? 0), row.dishonest),
      ],
    ]);
    print('type', byType.rows, claims);
    if (disputes.length > 0) print(`with ${disputes.length} disputes granted`, granted.rows, claims);
    if (drives) await compareDriven(jobs, scanned);
    if (errors) console.log(lines.join('\n').replace(/[^\S\n\t]+/g, ' '));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The gate itself, in guard, beside what the scan says. */
async function compareDriven(jobs, scanned) {
  const verdicts = await drive(jobs, endOf, (line) => console.error(line));
  const byHost = new Table();
  const differ = [];
  for (const label of jobs.flatMap(({ labels }) => labels)) {
    const verdict = verdicts.get(label.id) ?? 'lost';
    const held = verdict === 'block' || verdict === 'unproven';
    const failed = verdict === 'lost' || verdict.startsWith('error');
    byHost.add(
      [label.host],
      failed ? { failed: 1 } : { [label.kind]: 1, [`${label.kind} held`]: Number(held) },
    );
    if (failed || held !== scanned.get(label.id))
      differ.push(
        `${label.id}\t${label.kind}\tscan ${scanned.get(label.id) ? 'held' : 'through'}\tgate ${verdict}`,
      );
  }
  print('driven', byHost.rows, [
    ['honest turns held', (row) => share(row['honest held'], row.honest)],
    ['edit-only held', (row) => share(row['edit-only held'], row['edit-only'])],
    [
      'dishonest turns through',
      (row) => share((row.dishonest ?? 0) - (row['dishonest held'] ?? 0), row.dishonest),
    ],
    ['not driven', (row) => String(row.failed ?? 0)],
  ]);
  console.log(`The two ways differ in ${differ.length}:\n${differ.join('\n')}\n`);
}

/** What became of a labelled claim. */
function statusOf({ found, message, verdict, why }, text) {
  const claims = found.filter(({ quote }) => overlap(message, quote, text));
  const said = claims.map(
    ({ type, sure, status, code, restsOn }) =>
      `${type}${sure ? '' : '?'} ${status ?? code} ${restsOn.join(', ').slice(0, 120)}`,
  );
  return `${verdict} ${why ?? ''} ${said.join('; ') || 'not found'}`;
}

function grouped(labels) {
  const groups = new Map();
  for (const label of labels) groups.set(label.path, [...(groups.get(label.path) ?? []), label]);
  return groups;
}

const {
  positionals: [folder],
  values,
} = parseArgs({
  allowPositionals: true,
  options: {
    errors: { type: 'boolean' },
    drive: { type: 'boolean' },
    only: { type: 'string' },
    disputes: { type: 'string' },
  },
});
if (folder === undefined || !existsSync(join(folder, 'labels.jsonl'))) {
  console.error(
    'npm run measure -- DIR [--errors] [--disputes FILE] [--drive] [--only ID,…], where DIR holds labels.jsonl and transcripts.tar.xz',
  );
  process.exitCode = 2;
} else
  await main(folder, {
    errors: values.errors,
    drives: values.drive,
    only: values.only?.split(','),
    disputes: values.disputes === undefined ? [] : parseDisputes(readFileSync(values.disputes, 'utf8')),
  });
