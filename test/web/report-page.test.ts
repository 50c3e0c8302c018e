// Whether the page of a report that was dropped into the viewer is the one that this program writes.
import { expect, it } from 'vitest';
import { judgeReportPage } from '../../web/view/report-page.ts';

const page = (version: string, more = ''): string =>
  `<!doctype html><meta name="generator" content="counterfoil ${version}">${more}`;

it('X4 the viewer tells a changed page of a report from an unchanged one, and from one that it can’t know', () => {
  const own = page('1.2.3');
  const judged = (given: string) => {
    const { tone, code } = judgeReportPage(given, own);
    return [tone, code];
  };
  expect(judged(own)).toEqual(['good', null]);
  for (const changed of [
    page('1.2.3', '<script>'),
    `\u{feff}${own}`,
    `${own} `,
    own.replace('<!d', '<!\ufffd'),
  ])
    expect(judged(changed)).toEqual(['bad', 'REPORT_PAGE_WRONG']);
  expect(judged(page('1.2.4'))).toEqual(['doubt', 'REPORT_PAGE_UNKNOWN']);
  expect(judged('<!doctype html>')).toEqual(['doubt', 'REPORT_PAGE_UNKNOWN']);
});
