// The page of a report that somebody sent, compared with the one that this program would write: see spec/report.md. Its run has
// a verdict of its own.
import { reportVersion } from '../../src/format/index.ts';

export interface PageVerdict {
  readonly tone: 'good' | 'bad' | 'doubt';
  readonly code: 'REPORT_PAGE_WRONG' | 'REPORT_PAGE_UNKNOWN' | null;
  readonly text: string;
}

export function judgeReportPage(page: string, own: string): PageVerdict {
  const version = reportVersion(page);
  if (page === own)
    return {
      tone: 'good',
      code: null,
      text: `The page of this report is unchanged. It is the page of counterfoil ${version}.`,
    };
  if (version !== null && version === reportVersion(own))
    return {
      tone: 'bad',
      code: 'REPORT_PAGE_WRONG',
      text: `The page of this report was changed. It says that it is the page of counterfoil ${version}, and it isn’t. What it shows in a browser may be a lie. What you see here is made from its data, by this viewer.`,
    };
  return {
    tone: 'doubt',
    code: 'REPORT_PAGE_UNKNOWN',
    text: `The page of this report comes from ${version === null ? 'an unknown program' : `counterfoil ${version}`}, so this viewer can’t check it. To check it, verify the file with that version. What you see here is made from its data, by this viewer.`,
  };
}
