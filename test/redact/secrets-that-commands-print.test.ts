// A command whose purpose is to show a secret prints it with nothing around it. The command beside the output tells.
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { HostEvent } from '../../src/record/host/host-event.ts';
import { prepareEvent } from '../../src/record/host/prepare-event.ts';
import { Intake, Traces } from '../../src/record/intake.ts';
import { makeRedactor, type RedactionCounts } from '../../src/redact/index.ts';

const redactor = makeRedactor();
const secret = 'Hun'.concat('ter', 'Falcon', '7316!');
const printed = (command: string, stdout: string) =>
  JSON.stringify(redactor.printed({ stdout: `${stdout}\n`, stderr: '' }, { command, paths: [] }));

const SHOW = [
  'printenv DB_PASSWORD',
  'echo $API_KEY',
  'echo "key: $'.concat('{API_KEY}"'),
  'cd app && printf "%s" "$DB_PASSWORD"',
  'gh auth token',
  'pass show mail/bob',
  'pass mail/bob | head -1',
  'op read op://vault/item/password',
  'cat ~/.vault-token',
  'cat /run/secrets/db',
  'tail -n 1 /run/secrets/db_password',
  'aws secretsmanager get-secret-value --secret-id x --query SecretString --output text',
  'aws ecr get-login-password --region eu-west-1',
  "kubectl get secret x -o jsonpath='{.data.foo}' | base64 -d",
  'vault kv get -field=password secret/x',
  'gcloud secrets versions access latest --secret=x',
  'security find-generic-password -a bob -s x -w',
  'terraform output -raw db_password',
  "jq -r '.db.password' config.json",
  'gh auth token; git status',
];

const OTHER = [
  ['printenv HOME', '/home/bob1'],
  ['printenv MAX_TOKENS', '4096'],
  ["echo '$API_KEY'", '$API_KEY'],
  ['echo $'.concat('{#API_KEY}'), '40'],
  ['echo "set: $'.concat('{API_KEY:+yes}"'), 'set: yes'],
  ['gh auth token | wc -c', '41'],
  ['gh auth status', 'Logged in to github.com account bob7'],
  ['pass ls', 'mail7bob'],
  ['cat docs/secrets/README', 'abc123def'],
  ['cat src/tokenizer.ts', 'export1'],
  ['pass show nothing', 'Error: nothing is not in the password store.'],
  ['kubectl get secret', 'NAME TYPE DATA AGE'],
  ['gh auth token > /dev/null; git status', 'On branch main1, up to date'],
];

describe('the output of a command that shows a secret', () => {
  it.each(SHOW)('K3 is not kept: %s', (command) => {
    expect(printed(command, secret)).not.toContain(secret);
  });

  it('K3 is not kept of a file that is read, and is counted', () => {
    const counts: RedactionCounts = {};
    const output = { type: 'text', file: { filePath: '/run/secrets/db', content: secret, numLines: 1 } };
    const call = { command: null, paths: ['/run/secrets/db'] };
    expect(redactor.printed(output, call, counts)).toEqual({
      type: 'text',
      file: { filePath: '/run/secrets/db', content: '[REDACTED:secret]', numLines: 1 },
    });
    expect(counts).toEqual({ secret: 1 });
  });

  it('keeps what other commands of the line print', () => {
    expect(printed('gh auth token; git status', `${secret}\nOn branch main`)).toContain('On branch main');
  });
});

it.each(OTHER)('K3 %s keeps its output', (command, stdout) => {
  expect(printed(command, stdout)).toBe(JSON.stringify({ stdout: `${stdout}\n`, stderr: '' }));
});

it('K3 the recorder hands the command on with its output', async () => {
  const kept: string[] = [];
  const put = async (_session: string | null, bytes: Uint8Array) => {
    kept.push(Buffer.from(bytes).toString('utf8'));
    return { hash: 'a'.repeat(64), bytes: bytes.length, type: 'text/plain' };
  };
  const store = { putContent: put, commitContent: put } as unknown as ConstructorParameters<
    typeof Intake
  >[0]['store'];
  const event: HostEvent = {
    name: 'PostToolUse',
    agent: 'claude-code',
    session: 's',
    cwd: '/work',
    transcript: null,
    agentId: null,
    promptId: null,
    at: null,
    facts: {},
    type: 'tool.result',
    tool: 'Bash',
    id: 't',
    args: { command: 'gh auth token' },
    shell: true,
    outcome: 'ok',
    output: { stdout: secret, stderr: '' },
    durationMs: 1,
  };
  const intake = new Intake({ store, redactor, policy: DEFAULT_CONFIG });
  const traces = new Traces();
  const options = { intake, workspaceRoot: () => '/work', remembered: async () => null };
  await prepareEvent(options, event, 'a'.repeat(64), traces);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.join('\n')).not.toContain(secret);
  expect(traces.redacted).toEqual({ secret: 1 });
});
