// The tokens that say what they are: a prefix, an alphabet, a length. Facts about formats come from the providers and
// from the rule sets of gitleaks, trufflehog and secretlint; the engine is our own, because it must rewrite and not
// only report, must be linear on any input, and runs in a hook, where loading a scanner would cost more than the call.
// A length is a minimum: what is longer is taken to its end, and a token cut short is taken when it still looks random.
import {
  ALNUM,
  BASE64,
  type CharSet,
  charSet,
  DASHED,
  dottedRunEnd,
  HEX,
  runEnd,
  UPPER,
  WORD,
} from './char-set.ts';
import { markerEnd } from './marker.ts';
import { askAtPair, beginsWord, type Dispatch, type Probe, type Scan, take } from './scan.ts';
import { mixOf } from './secret-shape.ts';

interface Options {
  /** Longer than this is something else. */
  readonly max?: number;
  /** The run goes over single dots. */
  readonly dotted?: boolean;
  /** What must stand before the prefix, and is taken too. */
  readonly back?: { readonly set: string; readonly min: number; readonly max: number };
  /** The prefix stays: it is an address. */
  readonly keep?: boolean;
  /** It may begin in the middle of a word. */
  readonly anywhere?: boolean;
  /** A shorter run that looks random is taken from this length on. */
  readonly cut?: number;
}

type Row = readonly [id: string, prefixes: string, set: string, min: number, options?: Options];

const NO_OPTIONS: Options = {};
const CUT = { cut: 16 };
const DOTTED = { dotted: true, cut: 16 };
const PATH = 'A-Za-z0-9_/@-';

const ROWS: readonly Row[] = [
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', WORD, 36, DOTTED],
  ['github-token', 'github_pat_', WORD, 40, CUT],
  [
    'gitlab-token',
    'glpat- gldt- glrt- glcbt- glft- glsoat- glffct- glptt- glimt- glagent- gloas-',
    DASHED,
    20,
    DOTTED,
  ],
  ['gitlab-token', 'GR1348941', DASHED, 20],
  ['aws-access-key', 'AKIA ASIA ABIA ACCA', UPPER, 16, { max: 16 }],
  ['aws-api-key', 'ABSK bedrock-api-key-', BASE64, 60],
  ['google-api-key', 'AIza', DASHED, 35, { cut: 24 }],
  ['google-oauth', 'ya29.', DASHED, 20, DOTTED],
  ['google-oauth', 'GOCSPX- 1//0', DASHED, 24],
  ['azure-secret', 'Q~', 'A-Za-z0-9_~.-', 31, { back: { set: 'A-Za-z0-9_~.', min: 4, max: 4 } }],
  ['slack-token', 'xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-', 'A-Za-z0-9_%-', 10],
  [
    'slack-webhook',
    'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/',
    PATH,
    20,
    { keep: true },
  ],
  ['discord-webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', PATH, 40, { keep: true }],
  ['teams-webhook', '.webhook.office.com/webhookb2/', PATH, 40, { keep: true }],
  ['stripe-key', 'sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_', ALNUM, 16],
  ['stripe-key', 'whsec_', BASE64, 24, CUT],
  ['openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-None-', DASHED, 20],
  ['openai-key', 'sk-', ALNUM, 40, { cut: 20 }],
  ['anthropic-key', 'sk-ant-', DASHED, 20],
  ['model-key', 'sk-or-v1- sk-lf- sk-kimi- pplx- gsk_ csk- xai- r8_', ALNUM, 32],
  ['model-key', 'nvapi- lsv2_pt_ lsv2_sk_', DASHED, 40],
  ['npm-token', 'npm_', ALNUM, 36, { cut: 20 }],
  ['pypi-token', 'pypi-AgE', DASHED, 40, CUT],
  ['docker-token', 'dckr_pat_ dckr_oat_', DASHED, 20],
  ['huggingface-token', 'hf_ api_org_', ALNUM, 30, { cut: 20 }],
  ['sendgrid-key', 'SG.', DASHED, 40, { dotted: true }],
  ['twilio-key', 'SK', HEX, 32, { max: 32 }],
  ['telegram-token', ':AA', DASHED, 32, { back: { set: '0-9', min: 8, max: 10 } }],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_', ALNUM, 32, CUT],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', HEX, 40],
  ['linear-token', 'lin_api_ lin_oauth_', WORD, 32, CUT],
  ['notion-token', 'ntn_', ALNUM, 40, { cut: 24 }],
  ['notion-token', 'secret_', ALNUM, 43, { max: 43 }],
  ['vault-token', 'hvs. hvb. hvr.', DASHED, 20],
  ['vault-token', '.atlasv1.', 'A-Za-z0-9_=-', 60, { back: { set: ALNUM, min: 14, max: 14 } }],
  ['databricks-token', 'dapi', 'a-f0-9-', 32, { max: 34 }],
  ['mailgun-key', 'key-', HEX, 32, { max: 32 }],
  ['cloudflare-key', 'v1.0-', 'a-f0-9-', 100],
  ['heroku-key', 'HRKU-', DASHED, 32],
  // Our own, so wherever it stands, in the middle of a word as well.
  ['foil-key', 'foilkey_', DASHED, 16, { anywhere: true }],
  ['note-key', 'PRIVATE+KEY+', 'A-Za-z0-9+/=._-', 40],
  ['age-key', 'AGE-SECRET-KEY-1 AGE-PLUGIN-', 'A-Z0-9-', 32],
  ['onepassword-token', 'ops_eyJ', BASE64, 60],
  ['onepassword-token', 'A3-', 'A-Z0-9-', 30, { max: 36 }],
  ['atlassian-token', 'ATATT3 ATCTT3', 'A-Za-z0-9_=-', 60],
  ['atlassian-token', 'ATBB', ALNUM, 32, { max: 32 }],
  ['artifactory-token', 'AKCp cmVmd', ALNUM, 59],
  ['grafana-token', 'glc_ glsa_', 'A-Za-z0-9_+/=', 32],
  ['newrelic-key', 'NRAK- NRII- NRJS-', DASHED, 19],
  ['sentry-token', 'sntrys_ sntryu_', 'A-Za-z0-9_+/=', 40],
  ['postman-key', 'PMAK-', 'a-f0-9-', 50],
  ['pulumi-token', 'pul-', HEX, 40],
  ['rubygems-key', 'rubygems_', HEX, 48],
  ['dynatrace-token', 'dt0c01. dt0s01.', ALNUM, 60, { dotted: true }],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa.', 'A-Za-z0-9_.', 40],
  ['planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', 'A-Za-z0-9_=-', 32],
  ['fly-token', 'fo1_', DASHED, 40],
  ['fly-token', 'fm1r_ fm1a_ fm2_', BASE64, 60],
  ['supabase-key', 'sbp_ sb_secret_', DASHED, 30],
  ['square-token', 'sq0atp- sq0csp-', DASHED, 22],
  ['facebook-token', 'EAAC EAAM EAAG', ALNUM, 80],
  ['figma-token', 'figd_', DASHED, 36],
  ['netlify-token', 'nfp_', ALNUM, 36],
  ['circleci-token', 'CCIPAT_ CCIPRJ_', WORD, 40],
  ['buildkite-token', 'bkua_', HEX, 40],
  ['tailscale-key', 'tskey-', DASHED, 20],
  ['brevo-key', 'xkeysib- xsmtpsib-', DASHED, 64],
  ['contentful-token', 'CFPAT-', DASHED, 43],
  ['openshift-token', 'sha256~', DASHED, 43],
  ['sonar-token', 'squ_ sqp_ sqa_', HEX, 40],
  ['alibaba-key', 'LTAI', ALNUM, 16, { max: 24 }],
];

/** Every id of the table, once. */
export function tokenIds(): string[] {
  return [...new Set(ROWS.map(([id]) => id))];
}

/** A probe for each row that is on, asked at the end of each of its prefixes. */
export function addTokenProbes(dispatch: Dispatch, isOn: (id: string) => boolean): void {
  for (const row of ROWS) {
    if (!isOn(row[0])) continue;
    const prefixes = row[1].split(' ');
    const probe = rowProbe(row, prefixes, isOn);
    for (const prefix of prefixes) askAtPair(dispatch, prefix, probe);
  }
}

function rowProbe(
  [id, , spec, min, options]: Row,
  prefixes: readonly string[],
  isOn: (id: string) => boolean,
): Probe {
  const {
    max = Number.POSITIVE_INFINITY,
    dotted = false,
    keep = false,
    anywhere = keep,
    cut = min,
    back,
  } = options ?? NO_OPTIONS;
  let set: CharSet | undefined;
  return (scan, at) => {
    const { text } = scan;
    const from = at + 1;
    set ??= charSet(spec);
    if (set[text.charCodeAt(from)] !== 1) return;
    for (const prefix of prefixes) {
      const prefixAt = from - prefix.length;
      if (prefixAt < scan.floor || !text.startsWith(prefix, prefixAt)) continue;
      const start = back === undefined ? prefixAt : backStart(scan, prefixAt, back);
      if (start < 0 || (!anywhere && !beginsWord(scan, start))) continue;
      // A run that is refused may be walked again by the next prefix in it; it is no longer than `min` or `max`.
      const end = dotted ? dottedRunEnd(text, from, set) : runEnd(text, from, set, from + max + 1);
      const length = end - from;
      if (length > max || length < cut) continue;
      // A run cut off by a marker may have been longer than `max` before.
      if (max !== Number.POSITIVE_INFINITY && markerEnd(text, end) > 0) continue;
      if (length < min && !isMixed(text, from, end)) continue;
      take(scan, keep ? from : start, end, id);
      if (id === 'aws-access-key' && isOn('aws-secret-key')) awsSecretAfterId(scan);
      return;
    }
  };
}

function backStart(scan: Scan, from: number, back: NonNullable<Options['back']>): number {
  const set = charSet(back.set);
  let start = from;
  while (start > scan.floor && from - start < back.max && set[scan.text.charCodeAt(start - 1)] === 1) start--;
  return from - start >= back.min ? start : -1;
}

function isMixed(text: string, from: number, to: number): boolean {
  const { upper, lower, digits } = mixOf(text, from, to);
  return digits >= 2 && upper + lower >= 2;
}

/** Behind an access key's id, on the same line, comes its secret: forty characters of base64. */
function awsSecretAfterId(scan: Scan): void {
  const { text } = scan;
  const separators = charSet(' \t,;:|"\'=');
  const start = runEnd(text, scan.floor, separators, scan.floor + 8);
  if (start === scan.floor) return;
  const end = runEnd(text, start, charSet('A-Za-z0-9+/'), start + 41);
  if (end - start === 40 && isMixed(text, start, end) && mixOf(text, start, end).upper > 0)
    take(scan, start, end, 'aws-secret-key');
}
