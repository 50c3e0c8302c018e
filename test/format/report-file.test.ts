// The file of a report, from spec/report.md: what is written is read back byte for byte, and what a browser would see
// otherwise than we do is refused.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { utf8Decode, utf8Encode } from '#platform';
import { canonicalize, ParseError } from '../../src/core/index.ts';
import { encodeReport, parseReport, REPORT_SLOT, type TreeFile } from '../../src/format/index.ts';

const PAGE = `<!doctype html>\n<p>before</p>\n${REPORT_SLOT}<script>after()</script>\n`;
const OPEN = '<script type="application/vnd.counterfoil.part" data-path="';

const text = (path: string, value: string): TreeFile => ({ path, bytes: utf8Encode(value) });
const report = (...parts: readonly TreeFile[]): string => encodeReport({ page: PAGE, parts });
const withPart = (part: string): string => PAGE.replace(REPORT_SLOT, () => part);

function problem(html: string): string {
  try {
    parseReport(html);
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
  return 'none';
}

const SAID = [
  '<',
  '</script>',
  '</SCRIPT ><!--',
  '\\u003c',
  '\\\\u003c',
  '\\',
  '\\<\\\\<',
  '\u2028\u2029',
  '\r',
  '\r\n',
  '\u0000',
  '\ufeff',
  '\u202e',
  REPORT_SLOT,
  `${OPEN}entries.jsonl">`,
  '$& $1 $$',
];

describe('a report', () => {
  it('X4 is written as spec/report.md shows it', () => {
    const spec = readFileSync(join(import.meta.dirname, '../../spec/report.md'), 'utf8');
    const [, example = ''] = /^```html\n(.*?)^```$/ms.exec(spec) ?? [];
    const { page, parts } = parseReport(example);
    expect(parts.map(({ path }) => path)).toEqual(['bundle.json', 'checkpoint', 'entries.jsonl']);
    expect(utf8Decode(parts[2]?.bytes ?? new Uint8Array())).toContain('say <b>hello</b>');
    expect(encodeReport({ page, parts })).toBe(example);
  });

  it.each(SAID.map((said): [string] => [said]))('gives back lines that say %j', (said) => {
    const parts = [text('entries.jsonl', `${canonicalize({ said })}\n${canonicalize([said])}\n`)];
    const html = report(...parts);
    expect(parseReport(html)).toEqual({ page: PAGE, parts });
    // A browser finds the end of the part where we find it.
    expect(html.split(/<\/script/i)).toHaveLength(3);
  });

  it.each(SAID.map((said): [string] => [said]))('gives back content that is %j', (said) => {
    const parts = [text('content/sha256-ab', said)];
    expect(parseReport(report(...parts))).toEqual({ page: PAGE, parts });
  });

  it('gives back empty content, and bytes that are no text', () => {
    const parts = [
      text('bundle.json', '{}'),
      { path: 'content/sha256-00', bytes: new Uint8Array(0) },
      { path: 'content/sha256-01', bytes: Uint8Array.from({ length: 256 }, (_, i) => 255 - i) },
    ];
    expect(parseReport(report(...parts)).parts).toEqual(parts);
  });

  it('has 100,000 parts if somebody writes so many', () => {
    const html = report(...Array.from({ length: 100_000 }, (_, i) => text(`content/${i}.json`, '{}')));
    expect(parseReport(html).parts.length).toBe(100_000);
  });

  it('needs a page with a place for its parts', () => {
    expect(() => encodeReport({ page: '<p>', parts: [] })).toThrow(RangeError);
  });

  it('is refused wherever it is cut, or has a page that is another one', () => {
    const html = report(text('entries.jsonl', '{"a":"<"}\n'), text('checkpoint', 'three\nlines\n'));
    for (let end = 0; end < html.length; end++) {
      const cut = html.slice(0, end);
      if (problem(cut) === 'none') expect(parseReport(cut).page, cut).not.toBe(PAGE);
    }
  });

  it.each([
    ['no parts', '<!doctype html><p>', 'it has no parts of a run'],
    ['parts in two places', `${report(text('a.json', '{}'))}${OPEN}b.json">{}</script>\n`, 'in two places'],
    ['a part that does not end', withPart(`${OPEN}a.json">{}`), 'part 1, a.json, does not end as it must'],
    ['a part cut off', `${OPEN}a.json">{}`, 'does not end as it must'],
    ['an end in front of the beginning', `</script>\n${OPEN}a.json">{}`, 'does not end as it must'],
    ['a part that ends otherwise', withPart(`${OPEN}a.json">{}</script >\n`), 'does not end as it must'],
    [
      'markup that only a browser sees',
      withPart(`${OPEN}a.json">"</SCRIPT><meta http-equiv=refresh content='0;url=x'>"</script>\n`),
      'does not end as it must',
    ],
    ['a path that is empty', withPart(`${OPEN}">{}</script>\n`), 'part 1 has no path'],
    ['a path that a browser reads otherwise', withPart(`${OPEN}&#97;">e30=</script>\n`), 'has no path'],
    ['more attributes', withPart(`${OPEN}a" src="b">e30=</script>\n`), 'has no path'],
    ['a head that does not end', withPart(`${OPEN}a.json"`).replaceAll('>', ''), 'has no path'],
    ['lines as base64', withPart(`${OPEN}a.jsonl" data-base64>e30=</script>\n`), 'is not written as it must'],
    ['content as text', withPart(`${OPEN}content/a">e30=</script>\n`), 'is not written as it must'],
    ['base64 with a space', withPart(`${OPEN}a" data-base64>e3 0=</script>\n`), 'a is not base64'],
    ['base64 without its end', withPart(`${OPEN}a" data-base64>e30</script>\n`), 'a is not base64'],
    ['base64 with bits left over', withPart(`${OPEN}a" data-base64>e31=</script>\n`), 'a is not base64'],
    [
      'parts out of order',
      withPart(`${OPEN}b.json">{}</script>\n${OPEN}a.json">{}</script>\n`),
      'its parts are not in order',
    ],
    ['a part twice', withPart(`${OPEN}a.json">{}</script>\n`.repeat(2)), 'its parts are not in order'],
    ['a byte order mark', `\ufeff${report(text('a.json', '{}'))}`, 'a byte order mark'],
    ['line ends of another system', report(text('a.json', '{}')).replaceAll('\n', '\r\n'), 'its line ends'],
  ])('is refused with %s', (_, html, why) => {
    expect(problem(html)).toContain(why);
  });
});
