// The tokens that say what they are: a prefix, an alphabet, a length. Facts about formats come from the providers and
// from the published rule sets of gitleaks, trufflehog, Nosey Parker, Kingfisher, secretlint and GitHub's secret
// scanning. A length is a minimum: a longer token is taken to its end. A prefix that identifiers share needs a value
// that looks random (`mixed`) or has the token's exact form. Keys that are meant to be public (`pk_live_`, `phc_`) stay.
import { ALNUM, BASE64, DASHED, HEX, UPPER, WORD } from './char-set.ts';

export interface TokenOptions {
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
  /** Only a run that looks random is a token. */
  readonly mixed?: boolean;
  /** Only a run of this form is a token. Comes with `max`. */
  readonly form?: RegExp;
}

export type TokenRow = readonly [
  id: string,
  prefixes: string,
  set: string,
  min: number,
  options?: TokenOptions,
];

const CUT = { cut: 16 };
const DOTTED = { dotted: true, cut: 16 };
const MIXED = { mixed: true };
const KEEP = { keep: true };
const PATH = 'A-Za-z0-9_/@-';
const PADDED = 'A-Za-z0-9_=-';
const ANY64 = 'A-Za-z0-9_+/=-';
const LOWER = 'a-z0-9';
const UUID = 'a-fA-F0-9-';
const CRYPT = 'A-Za-z0-9./$=';
const CRYPT_FORM = /^(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{2,24}\$[A-Za-z0-9./$]{20,}$/;

const of = (length: number, options: TokenOptions = {}): TokenOptions => ({ ...options, max: length });

export const TOKEN_ROWS: readonly TokenRow[] = [
  // Code hosts, registries, builds
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', WORD, 36, DOTTED],
  ['github-token', 'github_pat_', WORD, 40, CUT],
  [
    'gitlab-token',
    'glpat- gldt- glrt- glrtr- glcbt- glft- glsoat- glffct- glptt- glimt- glagent- glwt- gloas-',
    DASHED,
    20,
    DOTTED,
  ],
  ['gitlab-token', 'GR1348941', DASHED, 20],
  ['npm-token', 'npm_', ALNUM, 36, { cut: 20 }],
  ['pypi-token', 'pypi-AgE', DASHED, 40, CUT],
  ['docker-token', 'dckr_pat_ dckr_oat_', DASHED, 20],
  ['docker-token', 'SWMTKN-1- SWMKEY-1-', ANY64, 40],
  ['docker-token', 'eyJhdXRocyI6', BASE64, 24],
  ['rubygems-key', 'rubygems_', HEX, 48],
  ['clojars-token', 'CLOJARS_', LOWER, 60],
  ['openvsx-token', 'ovsxp_ ovsxat_', DASHED, 30, MIXED],
  ['atlassian-token', 'ATATT3 ATCTT3', PADDED, 60],
  ['atlassian-token', 'ATBB', ALNUM, 32, { max: 32 }],
  ['atlassian-token', 'BBDC-', 'A-Za-z0-9+/@_-', 40, of(60, MIXED)],
  ['artifactory-token', 'AKCp cmVmd', ALNUM, 59],
  ['circleci-token', 'CCIPAT_ CCIPRJ_ CCIBAT_', WORD, 40],
  ['buildkite-token', 'bkua_ bkaj_ bkct_ bkpt_ bkps_ bkpr_', ALNUM, 40],
  ['sonar-token', 'squ_ sqp_ sqa_ sqb_', HEX, 40],
  ['sonar-token', 'sqco_', ALNUM, 50],
  ['sourcegraph-token', 'sgp_ sgph_ sgd_', WORD, 40, MIXED],
  ['sourcegraph-token', 'slk_', HEX, 64, of(64)],
  ['octopus-key', 'API-', UPPER, 25, of(36, MIXED)],
  [
    'harness-token',
    'pat. sat.',
    DASHED,
    60,
    of(200, { dotted: true, form: /^[\w-]{22}\.[0-9a-f]{24}\.\w{20}(?![\w-])/i }),
  ],
  ['infracost-key', 'ico-', ALNUM, 32, of(32, MIXED)],
  ['dependency-track-key', 'odt_', WORD, 32, MIXED],
  ['bitrise-token', 'bitpat_ bitwat_', DASHED, 40],
  ['prefect-key', 'pnu_ pnb_', ALNUM, 36, MIXED],
  ['pulumi-token', 'pul-', HEX, 40],
  ['scalr-token', 'tk-us-', DASHED, 40, MIXED],
  ['spectral-token', 'spu-', LOWER, 32, of(32, MIXED)],
  ['stackhawk-key', 'hawk.', DASHED, 41, of(200, { dotted: true, form: /^[\w-]{20}\.[\w-]{20}(?![\w-])/ })],
  ['snyk-token', 'snyk_uat. snyk_sat.', DASHED, 30, { dotted: true }],
  ['socket-token', 'sktsec_', DASHED, 30],
  [
    'infisical-token',
    'st.',
    'a-f0-9-',
    60,
    of(240, { dotted: true, form: /^[0-9a-f-]{24,36}\.[0-9a-f]{20,}\.[0-9a-f]{20,}/ }),
  ],
  ['dnsimple-token', 'dnsimple_a_ dnsimple_u_', ALNUM, 24],
  ['endor-key', 'endr+', 'A-Za-z0-9-', 16, of(40, MIXED)],
  ['zenhub-key', 'zh_', HEX, 64, of(64)],

  // Clouds and hosting
  ['aws-access-key', 'AKIA ASIA ABIA ACCA', UPPER, 16, { max: 16 }],
  ['aws-access-key', 'A3T', UPPER, 17, of(17)],
  ['aws-api-key', 'ABSK bedrock-api-key-', BASE64, 60, { cut: 32 }],
  ['aws-api-key', 'da2-', LOWER, 26, of(26, MIXED)],
  ['aws-api-key', 'amzn.mws. amzn1.oa2-cs.v1.', UUID, 36],
  ['aws-session-token', 'IQoJb3JpZ2 FwoGZXIvYXdz FQoGZXIvYXdz AQoDYXdz', BASE64, 60],
  ['google-api-key', 'AIza', DASHED, 35, { cut: 24 }],
  ['google-api-key', 'AQ.Ab', DASHED, 40, MIXED],
  ['google-oauth', 'ya29.', DASHED, 20, DOTTED],
  ['google-oauth', 'GOCSPX- 1//0', DASHED, 24],
  ['google-oauth', '4/0A', DASHED, 50],
  ['google-hmac', 'GOOG1', UPPER, 50, MIXED],
  ['azure-secret', 'Q~', 'A-Za-z0-9_~.-', 31, { back: { set: 'A-Za-z0-9_~.', min: 4, max: 4 } }],
  ['azure-key', 'JQQJ99', ALNUM, 20, { back: { set: ALNUM, min: 52, max: 52 } }],
  ['azure-key', 'AzSe', ALNUM, 6, of(10, { back: { set: ALNUM, min: 42, max: 42 } })],
  ['azure-key', 'AzFu', ALNUM, 6, of(10, { back: { set: DASHED, min: 44, max: 44 } })],
  ['azure-key', '+ACR', ALNUM, 6, of(10, { back: { set: 'A-Za-z0-9+/', min: 42, max: 42 } })],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_ dos_v1_', HEX, 40],
  ['alibaba-key', 'LTAI', ALNUM, 12, of(24, MIXED)],
  ['tencent-key', 'AKID', ALNUM, 32, of(36, MIXED)],
  ['yandex-key', 'AQVN', DASHED, 35, of(40, MIXED)],
  ['yandex-key', 'y0_ y1_', DASHED, 50, MIXED],
  ['yandex-key', 't1.', PADDED, 90, { dotted: true, mixed: true }],
  ['naver-key', 'ncp_iam_', ALNUM, 20],
  ['volcengine-key', 'AKLT', ALNUM, 40, MIXED],
  ['heroku-key', 'HRKU-', DASHED, 32],
  ['fly-token', 'fo1_', DASHED, 40],
  ['fly-token', 'fm1r_ fm1a_ fm2_', BASE64, 60],
  ['netlify-token', 'nfp_ nfc_ nfo_ nfu_ nfb_', WORD, 36, MIXED],
  ['vercel-token', 'vercel_blob_rw_', WORD, 30],
  ['vercel-token', 'vcp_ vci_ vca_ vcr_ vck_', ALNUM, 24, MIXED],
  ['cloudflare-key', 'v1.0-', 'a-f0-9-', 100],
  ['cloudflare-key', 'cfut_ cfat_ cfk_ cfoat_', ALNUM, 40],
  ['render-key', 'rnd_', ALNUM, 28, MIXED],
  ['deno-token', 'ddp_ ddw_ ddo_', ALNUM, 36, MIXED],
  ['supabase-key', 'sbp_ sb_secret_', DASHED, 30],
  ['val-town-token', 'vtwn_', ALNUM, 24],
  ['modal-token', 'wk- ws- ak- as-', ALNUM, 22, of(22, MIXED)],
  ['runpod-key', 'rpa_', ALNUM, 36, MIXED],
  ['trigger-key', 'tr_dev_ tr_prod_ tr_stg_ tr_pat_', ALNUM, 16],
  ['inngest-key', 'signkey-prod- signkey-test- signkey-branch-', HEX, 32],
  ['unkey-key', 'unkey_', ALNUM, 20, MIXED],
  ['zuplo-key', 'zpka_', WORD, 40],
  ['daytona-key', 'dtn_', HEX, 40],
  ['salad-key', 'salad_cloud_', WORD, 24, MIXED],
  ['wundergraph-key', 'cosmo_', HEX, 32],
  ['tailscale-key', 'tskey-', DASHED, 20],
  ['cfx-key', 'cfxk_', WORD, 20, MIXED],
  ['openshift-token', 'sha256~', DASHED, 43],
  ['defined-key', 'dnkey-', PADDED, 60],

  // Databases and search
  ['mongodb-secret', 'mdb_sa_sk_', DASHED, 36],
  ['aiven-password', 'AVNS_', DASHED, 16, MIXED],
  ['neon-key', 'napi_', ALNUM, 40, MIXED],
  ['planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', PADDED, 32],
  ['databricks-token', 'dapi', 'a-f0-9-', 32, { max: 34 }],
  ['clickhouse-key', '4b1d', ALNUM, 38, of(38, MIXED)],
  ['pinecone-key', 'pcsk_', WORD, 40, MIXED],
  ['datastax-token', 'AstraCS:', 'A-Za-z0-9:', 50],
  ['xata-key', 'xau_', ALNUM, 30, MIXED],
  [
    'airtable-token',
    'oaa',
    DASHED,
    14,
    of(160, { dotted: true, form: /^\w{14}\.v1\.[\w-]{20,}\.[0-9a-f]{64}(?!\w)/ }),
  ],
  ['pganalyze-key', 'pgar_', ALNUM, 27, of(32, MIXED)],

  // Models
  ['openai-key', 'sk-proj- sk-svcacct- sk-service- sk-admin- sk-None-', DASHED, 20],
  ['openai-key', 'sk-', ALNUM, 40, { cut: 20 }],
  ['anthropic-key', 'sk-ant-', DASHED, 20],
  ['model-key', 'sk-or-v1- sk-kimi- sk-hc-v1- pplx- gsk_ csk- xai- r8_ jina_', WORD, 32, MIXED],
  [
    'model-key',
    'llx- sk-lf- sk-helicone- nvapi- lsv2_pt_ lsv2_sk_ tgp_v1_ tvly- wandb_v1_ ctx7sk-',
    DASHED,
    30,
    MIXED,
  ],
  ['model-key', 'fw_', ALNUM, 20, of(40, MIXED)],
  ['model-key', 'fc- e2b_', HEX, 32, of(40, MIXED)],
  ['model-key', 'pa-', DASHED, 43, of(43, MIXED)],
  ['elevenlabs-key', 'sk_', 'a-f0-9', 48, of(48)],
  ['huggingface-token', 'hf_ api_org_', ALNUM, 30, { cut: 20 }],
  ['browserbase-key', 'bb_live_ bb_test_', DASHED, 20, MIXED],
  ['scrapfly-key', 'scp-live- scp-test-', HEX, 32],
  ['brave-key', 'BSA', DASHED, 28, of(28, MIXED)],
  ['cursor-key', 'crsr_', HEX, 40],
  ['sourcegraph-token', 'sgamp_', WORD, 40, MIXED],

  // Mail, messages, people
  ['slack-token', 'xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-', 'A-Za-z0-9_%-', 10],
  [
    'slack-webhook',
    'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/',
    PATH,
    20,
    KEEP,
  ],
  ['discord-webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', PATH, 40, KEEP],
  ['teams-webhook', '.webhook.office.com/webhookb2/ outlook.office.com/webhook/', PATH, 40, KEEP],
  ['webhook', 'hooks.zapier.com/hooks/catch/ .tines.com/webhook/ /with/key/', PATH, 12, KEEP],
  ['webhook', '.make.com/', ALNUM, 30, KEEP],
  ['telegram-token', ':AA', DASHED, 32, { back: { set: '0-9', min: 8, max: 10 }, anywhere: true }],
  ['twilio-key', 'SK', HEX, 32, { max: 32 }],
  ['twitch-token', 'oauth:', LOWER, 30, of(30, MIXED)],
  ['twitter-token', 'AAAAAAAAAAAAAAAAAAAAAA', 'A-Za-z0-9%', 60, of(120, MIXED)],
  ['facebook-token', 'EAA', ALNUM, 80, MIXED],
  ['sendgrid-key', 'SG.', DASHED, 40, { dotted: true }],
  ['mailgun-key', 'key-', HEX, 32, { max: 32 }],
  ['mailersend-token', 'mlsn.', HEX, 40],
  ['brevo-key', 'xkeysib- xsmtpsib-', DASHED, 64],
  ['resend-key', 're_', WORD, 24, of(48, { mixed: true, form: /^[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}$/ })],
  ['telnyx-key', 'KEY0', DASHED, 40, MIXED],
  ['onesignal-key', 'os_v2_', WORD, 60],
  ['intercom-token', 'dG9rO', BASE64, 40, MIXED],
  ['hubspot-token', 'pat-na1- pat-na2- pat-eu1- pat-ap1-', UUID, 36],
  ['clickup-token', 'pk_', 'A-Z0-9_', 40, of(42, { form: /^\d{7,9}_[0-9A-Z]{32}$/ })],
  ['klaviyo-key', 'pk_', 'a-f0-9', 34, of(34, MIXED)],
  ['linear-token', 'lin_api_ lin_oauth_ lin_wh_', WORD, 32, CUT],
  ['notion-token', 'ntn_', ALNUM, 40, { cut: 24 }],
  ['notion-token', 'secret_', ALNUM, 43, { max: 43 }],
  ['typeform-token', 'tfp_', 'A-Za-z0-9_.=-', 40, MIXED],
  ['figma-token', 'figd_ figo_ figu_ figor_ figoh_ figp_', PADDED, 36, MIXED],
  ['frameio-token', 'fio-u-', PADDED, 60],
  ['contentful-token', 'CFPAT-', DASHED, 43],
  ['dropbox-token', 'sl.', DASHED, 100, { dotted: true, mixed: true }],
  ['mapbox-token', 'sk.eyJ tk.eyJ', DASHED, 40, { dotted: true }],
  ['readme-key', 'rdme_', LOWER, 60],
  [
    'voiceflow-key',
    'VF.',
    DASHED,
    41,
    of(200, { dotted: true, form: /^(?:(?:DM|WS)\.)?[0-9a-f]{24}\.\w{16}(?!\w)/i }),
  ],
  ['pinterest-token', 'pina_ pinr_', WORD, 40, MIXED],
  ['lichess-token', 'lip_ lio_', ALNUM, 16, of(32, MIXED)],
  ['persona-key', 'persona_production_ persona_sandbox_', DASHED, 30],
  ['onfido-token', 'api_live. api_sandbox. api_live_us. api_live_ca.', DASHED, 24, { dotted: true }],
  ['wakatime-key', 'waka_ waka_sec_ waka_tok_', UUID, 36],
  ['teamwork-token', 'tkn.v1_', BASE64, 50],

  // Money and shops
  ['stripe-key', 'sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_', ALNUM, 16],
  ['stripe-key', 'whsec_', BASE64, 24, CUT],
  ['stripe-key', '_secret_', ALNUM, 20, of(40, { mixed: true, back: { set: WORD, min: 20, max: 48 } })],
  ['checkout-key', 'sk_ sk_live_ sk_test_', UUID, 36, { form: /^[0-9a-f]{8}-[0-9a-f]{4}-/i, max: 100 }],
  ['checkout-key', 'sk_sbox_', LOWER, 20],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_ prtapi_', ALNUM, 32, CUT],
  ['braintree-token', 'access_token$production$ access_token$sandbox$', 'a-z0-9$', 40],
  ['square-token', 'sq0atp- sq0csp- sq0acp- sq0csb-', DASHED, 22],
  ['square-token', 'EAAA', DASHED, 60, of(60, MIXED)],
  ['plaid-token', 'access-sandbox- access-development- access-production-', UUID, 36],
  ['flutterwave-key', 'FLWSECK- FLWSECK_TEST-', 'A-Za-z0-9-', 12],
  ['pagarme-key', 'ak_live_ ak_test_', ALNUM, 28],
  ['razorpay-key', 'rzp_live_', ALNUM, 14],
  ['paddle-key', 'pdl_live_apikey_ pdl_sdbx_apikey_', WORD, 30],
  ['polar-token', 'polar_oat_ polar_pat_ polar_at_u_ polar_at_o_ polar_rt_ polar_cs_', WORD, 20],
  ['mercury-token', 'mercury_production_ mercury_sandbox_', WORD, 30, MIXED],
  ['midtrans-key', 'Mid-server-', DASHED, 20],
  ['asaas-key', '$aact_', 'A-Za-z0-9_+/=:$-', 40],
  ['duffel-token', 'duffel_test_ duffel_live_', PADDED, 40],
  ['easypost-key', 'EZAK EZTK', ALNUM, 54, of(58, MIXED)],
  ['shippo-token', 'shippo_live_ shippo_test_', HEX, 40],
  ['lob-key', 'live_ test_', 'a-f0-9', 35, of(35, MIXED)],
  ['gocardless-token', 'live_ sandbox_', DASHED, 40, of(48, MIXED)],
  ['ramp-key', 'ramp_sec_ ramp_tok_', ALNUM, 40],
  ['photoroom-key', 'sk_pr_', WORD, 40],
  ['flexport-token', 'shltm_', DASHED, 40],
  ['fleetbase-key', 'flb_live_ flb_test_', ALNUM, 20],
  ['robinhood-key', 'rh-api-', UUID, 36],
  ['wallet-key', 'xprv yprv zprv tprv', ALNUM, 100, of(112, MIXED)],

  // Watching and flags
  ['grafana-token', 'glc_ glsa_', 'A-Za-z0-9_+/=', 32],
  ['grafana-token', 'eyJrIjo', BASE64, 60],
  ['newrelic-key', 'NRAK- NRII- NRJS- NRIQ- NRBR- NRAA- NRRA- NRSP-', DASHED, 19],
  ['newrelic-key', 'px-api- px-dep-', UUID, 36],
  ['sentry-token', 'sntrys_ sntryu_ sntrya_ sntryi_', 'A-Za-z0-9_+/=', 40],
  ['axiom-token', 'xaat- xapt-', UUID, 36],
  ['honeycomb-key', 'ik_ lk_ mk_', LOWER, 32, { mixed: true, back: { set: 'a-z', min: 3, max: 3 } }],
  ['datadog-key', 'ddapp_ ddpat_ ddsat_', ALNUM, 30],
  [
    'dynatrace-token',
    'dt0a01. dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16.',
    ALNUM,
    60,
    { dotted: true },
  ],
  ['posthog-key', 'phx_ pha_ phr_ phs_', WORD, 36, MIXED],
  [
    'launchdarkly-key',
    'sdk- api-',
    'a-f0-9-',
    36,
    of(36, { form: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-/ }),
  ],
  ['devcycle-key', 'dvc_server_ dvc_mobile_', DASHED, 20, MIXED],
  ['rootly-key', 'rootly_', HEX, 64],
  ['pagerduty-key', 'pdus+ pdeu+', DASHED, 20, MIXED],
  ['nightfall-key', 'NF-', ALNUM, 32, of(32, MIXED)],
  ['trufflehog-key', 'thog-key- thog-secret-', HEX, 16],
  ['fullstory-key', 'na1. eu1.', BASE64, 80, MIXED],
  ['pubnub-key', 'sec-c-', 'A-Za-z0-9+/=-', 36, MIXED],
  ['postman-key', 'PMAK-', 'a-f0-9-', 50],
  ['postman-key', 'PMAT-', UPPER, 24, MIXED],
  ['salesforce-token', '!AQ !AR', 'A-Za-z0-9_.', 80, { back: { set: ALNUM, min: 15, max: 15 } }],
  ['salesforce-token', '3MVG9 5AEP861', 'A-Za-z0-9._+/=', 70],
  ['adobe-secret', 'p8e-', DASHED, 32, MIXED],
  ['adafruit-key', 'aio_', ALNUM, 28, of(28, MIXED)],
  ['apify-token', 'apify_api_ apify_proxy_ apify_ui_', 'A-Za-z0-9-', 30],
  ['authress-key', 'scauth_ authress_', ANY64, 60, { dotted: true }],
  ['intra42-secret', 's-s4t2ud- s-s4t2af-', HEX, 60],
  ['ionic-token', 'ion_', ALNUM, 40, of(48, MIXED)],
  ['settlemint-token', 'sm_aat_ sm_pat_ sm_sat_', ALNUM, 16],
  ['tines-token', 'tines_', DASHED, 40, MIXED],
  ['ubidots-token', 'BBFF- BBUS-', ALNUM, 30],

  // Secrets of programs, not of providers
  ['vault-token', 'hvs. hvb. hvr.', DASHED, 20],
  ['vault-token', '.atlasv1.', PADDED, 60, { back: { set: ALNUM, min: 14, max: 14 } }],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', 'A-Za-z0-9_.', 40],
  ['onepassword-token', 'ops_eyJ', ANY64, 60],
  ['onepassword-token', 'A3-', 'A-Z0-9-', 30, { max: 36 }],
  // Our own, so wherever it stands, in the middle of a word as well.
  ['foil-key', 'foilkey_', DASHED, 16, { anywhere: true }],
  ['nats-seed', 'SUA SAA SOA SNA SCA SXA', 'A-Z2-7', 55, of(55, MIXED)],
  ['note-key', 'PRIVATE+KEY+', 'A-Za-z0-9+/=._-', 40],
  ['age-key', 'AGE-SECRET-KEY-1 AGE-PLUGIN-', 'A-Z0-9-', 32],
  ['portainer-token', 'ptr_', ANY64, 36, of(64, MIXED)],
  ['jwt', 'ZXlKaGJHY2lPaU ZXlKMGVYQWlPaU ZXlKcmFXUWlPaU', BASE64, 40],
  ['password-hash', '$2a$ $2b$ $2y$', CRYPT, 50, of(64, { form: /^\d\d\$[A-Za-z0-9./]{45,}$/ })],
  ['password-hash', '$1$ $5$ $6$ $8$ $9$ $y$ $apr1$', CRYPT, 24, of(200, { form: CRYPT_FORM })],
  ['password-hash', '$argon2id$ $argon2i$ $scrypt$', 'A-Za-z0-9./$=,+', 40],
];
