// What is said to stand in the way: was it tried, and can it be seen here at all? The gate loads this where a message says
// that something could not be done.

import { isPipeline, isPlain } from '../ecosystems/index.ts';
import type { Claim } from '../format/index.ts';
import { readCommand } from '../shell/index.ts';
import { speaksOf } from './attempt-match.ts';
import { evidenceSince, type Run } from './evidence.ts';
import type { Held, JudgeInput } from './judge-input.ts';
import { NOTHING_FAILED } from './validators/validator.ts';

/** "I can't reach the database", where nothing was tried. */
export function untriedHindrance(claim: Claim, input: JudgeInput): Held | null {
  const { quote } = claim;
  if (isElsewhere(claim, input) || hasFailure(input, quote) || isSought(quote, input)) return null;
  const program = NOT_HERE.exec(quote)?.slice(1).find(Boolean);
  const isUncalled = program !== undefined && !isCalled(program, input);
  if (input.contract.ladder.length > 0 && !isUncalled) return null;
  const reason = isUncalled
    ? `No command on record calls ${program}, so nothing shows that it is missing.`
    : NOTHING_FAILED;
  return { status: 'not-tried', code: 'not-tried', reason, validator: 'ladder_exhaustion_proof' };
}

const IS_LOST =
  /\b(?:can(?:no|['’])t|could(?: not|n['’]t)|unable to)\b[^.;]{0,40}\b(?:tell|find|locate|determine|identify|know|infer|proceed|continue|complete)\b/i;
/** What no agent has, and none could try. */
const OF_ITS_NATURE =
  /\b(?:previous|past|earlier|other) (?:conversations?|sessions?|chats?)\b|\bmemory of\b|\byour [\w ]{0,30}\b(?:console|dashboard|screen|phone|browser|desktop)\b/i;

/** That nothing fails shows it. */
const NOT_REPRODUCED =
  /\b(?:can(?:no|['’])t|could(?: not|n['’]t)|unable to)\b[^.;]{0,20}\b(?:reproduce\b|confirm (?:it|this|that|(?:the|that|this|his|her|your|their) (?:\w+ )?(?:reports?|bug|fail\w*|flak\w+|problem|issue|crash|leak|hang|race))\b(?= ?(?:[.,;:—–(]|here\b|locally\b|so far\b|on my\b|$)))/i;

/** "I can't tell which one you mean", where something was looked for; "I don't remember earlier conversations". */
export function isSought(quote: string, { evidence, contract, since = 0 }: JudgeInput): boolean {
  const { attempts, runs } = evidenceSince(evidence, since);
  if (NOT_REPRODUCED.test(quote) && runs.length > 0) return true;
  const isNamed = contract.ladder.some(({ target }) => speaksOf(quote, target));
  return (
    !isNamed && (OF_ITS_NATURE.test(quote) || (IS_LOST.test(quote) && attempts.length + runs.length > 0))
  );
}

/** "Docker is not available here", "`go` isn't installed". */
const NOT_HERE =
  /^(?:the )?(?:`([\w.+-]{2,30})`|(docker|podman|kubectl|helm|terraform|ansible|go|cargo|rustc|python3?|node|npm|java|maven|gradle|ruby|php|psql|redis|postgres\w*|mysql|chrom\w+|playwright))(?: (?:cli|daemon|toolchain|binary|compiler))? (?:is not|isn['’]t|was not|wasn['’]t) (?:available|installed|on (?:the )?path)\b/i;

/** Some command names that program, be it only to ask for it. */
function isCalled(program: string, { evidence: { runs, attempts } }: JudgeInput): boolean {
  const texts = [
    ...attempts.map(({ target }) => target),
    ...runs.flatMap(({ checks }) => checks.map(({ command }) => command)),
  ];
  return texts.some((text) =>
    text
      .toLowerCase()
      .split(/[\s'"`/;|&()]+/)
      .includes(program.toLowerCase()),
  );
}

const CANT_SEE =
  /\b(?:docker|podman)\b (?:is not|isn['’]t) (?:available|installed|running)\b|(?:\b(?:can(?:no|['’])t|couldn['’]t|could not|unable to|not (?:been )?able to|no way to)|n['’]t been able to)\b[^.;]{0,20}\b(?:run|test|try|check|verify|see|exercise|execute|trigger|confirm|reproduce|validate|build (?:the |an? |its )?(?:\w+ )?(?:image|container))\b/i;
const PIPELINES = /\b(?:workflows?|pipelines?|CI|GitHub Actions|jobs?)\b/;
const THINGS =
  /\b(?:in|on|against|with) (?:a |an |the |your |real |actual |physical |live ){0,3}(?:production|staging|devices?|hardware|phones?|iPhone|iPad|printers?|boards?)\b/i;
const PLATFORMS = /\b(?:Windows|macOS|Mac|Linux|darwin|iOS|Android|ARM|arm64|Safari)\b/;
const OF_LOOKING = /^(?:test|investigate|ship)$/;
const HAS_LOCAL_WAY =
  /\b(?:tests|suites?|specs|builds?(?! (?:the |an? |its )?(?:\w+ )?(?:image|container))|lint\w*|types|type.?check\w*|locally)\b/i;

/**
 * "I can't run the workflow from here": what was changed for the prompt shows only elsewhere, or is read by no test, and
 * the message says so. Who was asked to run it, or names what can be run here, must have tried.
 */
export function isElsewhere(
  { quote }: Claim,
  { evidence, contract, disclosures, since = 0 }: JudgeInput,
): boolean {
  if (!CANT_SEE.test(quote)) return false;
  const isBuilt = ({ seq, exit }: Run): boolean => seq > since && exit.code === 0;
  // Who was not asked to run it on another machine has said all there is once it was built or tested on this one.
  if (PLATFORMS.test(quote) && contract.intent !== 'test' && evidence.runs.some(isBuilt)) return true;
  if (HAS_LOCAL_WAY.test(quote) || disclosures.length === 0 || OF_LOOKING.test(contract.intent)) return false;
  const { urls, command_hints: hints, backtick_tokens: tokens } = contract.fields;
  // "A workflow that runs go test": what it is to run is not what can't be seen here.
  const isStep = (line: string): boolean =>
    PIPELINES.test(quote) &&
    readCommand(line, { cwd: null, root: null }).checks.some(({ kind }) => kind !== 'run' && kind !== 'ship');
  const others = [...hints, ...tokens.filter((token) => token.includes(' '))];
  if (urls.length > 0 || !others.every(isStep)) return false;
  const changes = evidence.changes.filter(({ seq }) => seq > since);
  return (
    (PIPELINES.test(quote) && changes.some(({ path }) => isPipeline(path))) ||
    (changes.length > 0 && (THINGS.test(quote) || changes.every(({ path }) => isPlain(path))))
  );
}

/**
 * Something that was tried for this prompt did not work. A text that was not found keeps nobody from running anything, and
 * another address than the one that the prompt names keeps nobody from reaching that.
 */
export function hasFailure({ evidence, contract, since = 0 }: JudgeInput, quote: string): boolean {
  const isOfRuns = TO_RUN.test(quote);
  const hosts = TO_REACH.test(quote) ? contract.fields.urls.map(hostOf) : [];
  const isIt = (...texts: readonly string[]): boolean =>
    hosts.length === 0 || texts.some((text) => hosts.some((host) => text.includes(host)));
  const { attempts, runs } = evidenceSince(evidence, since);
  const refused = (evidence.unmade ?? []).some(({ seq }) => seq > since);
  return (
    refused ||
    attempts.some(({ ok, way, target }) => !ok && isIt(target) && !(isOfRuns && TEXT_SEARCH.test(way))) ||
    runs.some(
      ({ exit, outcome, checks }) =>
        (exit.code !== 0 || outcome !== 'ok' || checks.some(({ summary }) => summary === 'failed')) &&
        isIt(...checks.flatMap(({ command, url }) => [command, url ?? ''])),
    )
  );
}

function hostOf(url: string): string {
  return url.replace(/^[a-z+]+:\/\//i, '').replace(/[/?#].*$/s, '');
}

const TO_REACH = /\b(?:access|reach|fetch|download|connect|load|get|retrieve|query|call)\w{0,3}\b/i;
const TO_RUN = /\b(?:run|exercised?|executed?|started?|launched?|invoked?|tested|tried)\b/i;
const TEXT_SEARCH = /^(?:[ef]?grep|git grep|rg|ag|ack|Grep|Search\w*)$/;
