// The pages as they are in the package: compressed together, because the verifier is in several of them. The build writes the file:
// see scripts/build-web.mjs. The page of reports holds its script and its verifier compressed by themselves, which is done when it
// is asked for, with a compressor that gives the same bytes on every machine.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { gzip } from 'pako';
import { ownProgram } from '../app/index.ts';

/** What a page of reports is made of, in this order: text, and what is compressed in it. */
export const REPORT_PARTS = ['report/head', 'report/main.js', 'report/verifier.js', 'report/tail'] as const;

export type Pages = ReadonlyMap<string, Uint8Array>;

/** By their names in dist/, and REPORT_PARTS. */
export function readPages(): Pages {
  const whole = brotliDecompressSync(readFileSync(join(ownProgram(), 'pages.br')));
  const end = whole.indexOf('\n');
  const list: [name: string, length: number][] = JSON.parse(whole.toString('utf8', 0, end));
  let at = end + 1;
  return new Map(
    list.map(([name, length]) => {
      const bytes = whole.subarray(at, at + length);
      at += length;
      return [name, bytes];
    }),
  );
}

/** The page that every report of this version has. */
export function reportPage(pages: Pages = readPages()): string {
  const [head, main, verifier, tail] = REPORT_PARTS.map((name) => {
    const bytes = pages.get(name);
    if (bytes === undefined) throw new Error(`${name} is missing in pages.br. Reinstall foil.`);
    return bytes;
  }) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return `${text(head)}${packed('counterfoil-page', main)}
${packed('counterfoil-verifier', verifier)}
${text(tail)}`;
}

/** An element that no browser runs: see web/report/packed.ts, which reads it. */
function packed(id: string, content: Uint8Array): string {
  const bytes = gzip(content, { level: 9, memLevel: 9 });
  bytes[9] = 255; // no name of the system
  return `<script type="text/plain" id="${id}" data-bytes="${bytes.length}">${encodeBase85(bytes)}</script>`;
}

const DIGITS = Array.from({ length: 86 }, (_, i) => String.fromCharCode(0x28 + i)).filter(
  (char) => char !== '<',
);

/** Four bytes in five digits: see web/report/base85.ts, which reads it. The last four are filled up with zeros. */
function encodeBase85(bytes: Uint8Array): string {
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  whole.set(bytes);
  const view = new DataView(whole.buffer);
  const text: string[] = [];
  for (let at = 0; at < whole.length; at += 4) {
    let digits = '';
    for (let i = 0, word = view.getUint32(at); i < 5; i++, word = Math.floor(word / 85))
      digits = DIGITS[word % 85] + digits;
    text.push(digits);
  }
  return text.join('');
}
