// The page of a report that somebody sent, compared with the one that this build knows. A browser runs it blindly, so a reader
// must know whether it is ours before opening the file.
import { judgeReportPage, type PageMark, reportVersion } from '../../src/format/index.ts';

/** Of dist/report.html: scripts/build-web.mjs puts it here. */
declare const REPORT_PAGE: PageMark;

export interface JudgedPage extends PageMark {
  readonly verdict: ReturnType<typeof judgeReportPage>;
}

/** `page` as parseReport gives it. */
export async function judgePage(page: string): Promise<JudgedPage> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(page));
  const sha256 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const mark = { sha256, version: reportVersion(page) };
  return { ...mark, verdict: judgeReportPage(mark, REPORT_PAGE) };
}

export function ReportPageNote({ page: { verdict, version, sha256 } }: { readonly page: JudgedPage }) {
  if (verdict === 'PASS')
    return (
      <p class="verdict good" id="report-page" role="status">
        The report’s own page is the one of counterfoil {version}, unchanged.
      </p>
    );
  if (verdict === 'FAIL')
    return (
      <p class="verdict bad" id="report-page" role="alert">
        <strong>The report’s own page was changed.</strong> It says that it is the one of counterfoil{' '}
        {version}, and it isn’t. What the report shows in a browser may be a lie, so don’t open it. The run in
        it is checked below, by this page.
      </p>
    );
  return (
    <p class="verdict doubt" id="report-page" role="status">
      <strong>
        The report’s own page {version === null ? 'names no version' : `is of counterfoil ${version}`}, so
        this viewer doesn’t know it.
      </strong>{' '}
      What the report shows in a browser may be a lie. The run in it is checked below, by this page.{' '}
      {version === null ? (
        'Ask for a new copy.'
      ) : (
        <>
          To check the report’s page, run <code>foil verify</code> of that version. The page’s SHA-256 is{' '}
          <code>{sha256}</code>.
        </>
      )}
    </p>
  );
}
