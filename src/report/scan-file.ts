// One transcript, judged turn by turn, with what its subagents did in files of their own; and a claim of one, looked up
// by its id. Texts come from transcripts, where anything may stand: what is handed out to be shown is redacted.
import { adapterOf } from '../capture/hooks/index.ts';
import type { Told } from '../capture/transcripts/index.ts';
import {
  type QuietDeed,
  resultMatters,
  type ScannedClaim,
  type ScannedTurn,
  type SeenClaim,
  SessionScan,
} from '../gate/index.ts';
import { DEFAULT_POLICY } from '../policy/index.ts';
import { makeRedactor } from '../redact/index.ts';
import { idOf } from './scan-ids.ts';
import { readPieces, type TranscriptFile } from './transcript-files.ts';

export interface FileTurn {
  readonly turn: ScannedTurn;
  readonly project: string;
  readonly session: string;
  readonly model: string | null;
  /** The same for a turn that is told in several files. */
  readonly key: string;
}

export interface FileOptions {
  /** Only sessions that worked here, or further down. */
  readonly project?: string | undefined;
  readonly read?: (bytes: number) => void;
}

/** Which turn of which transcript something was found in. */
interface Place {
  readonly agent: string;
  /** As the transcript names it. */
  readonly model: string | null;
  readonly project: string;
  readonly session: string;
  readonly path: string;
  readonly turn: number;
  readonly at: string | null;
}

export interface FoundClaim extends ScannedClaim, Place {
  /** What `foil why` takes. */
  readonly id: string;
  /** Its beginning. */
  readonly prompt: string;
}

/** What a turn did without a word. */
export interface FoundDeed extends QuietDeed, Place {}

/** A turn as it is counted: plain data, which can be handed from thread to thread. */
export interface FoundTurn {
  readonly key: string;
  readonly at: string | null;
  readonly verdict: ScannedTurn['verdict'];
  readonly claims: readonly FoundClaim[];
  /** All that was found, where that is asked for. */
  readonly listed: readonly ListedClaim[];
  readonly deeds: readonly FoundDeed[];
}

/** The turns of one file, to be counted; null every now and then. Throws what the system says. */
export function* foundIn(
  file: TranscriptFile,
  { list, ...options }: FileOptions & { readonly list: boolean },
): Iterable<FoundTurn | null> {
  const { path, kind } = file;
  for (const found of scanFile(file, options)) {
    if (found === null) {
      yield null;
      continue;
    }
    const { turn, key, project, session, model } = found;
    const place = { agent: kind.agent, model, project, session, path, turn: turn.turn, at: turn.at };
    yield {
      key,
      at: turn.at,
      verdict: turn.verdict,
      claims: [...claimsIn(found, file)],
      listed: list ? [...listedIn(found, file)] : [],
      deeds: turn.unmentioned.map((deed) => ({ ...deed, ...place })),
    };
  }
}

/** The turns of one file; null every now and then, so that who waits can breathe. Throws what the system says. */
export function* scanFile(file: TranscriptFile, options: FileOptions = {}): Iterable<FileTurn | null> {
  const { kind, path } = file;
  const adapter = adapterOf(kind.agent);
  if (adapter === undefined) return;
  const scan = new SessionScan(DEFAULT_POLICY);
  let session = '';
  let fresh = 0;
  const read = (bytes: number): void => {
    fresh += bytes;
    options.read?.(bytes);
  };
  for (const told of toldBy(file, read)) {
    if (told === null) {
      if (fresh >= BREATH) {
        fresh = 0;
        yield null;
      }
      continue;
    }
    for (const event of adapter.read(told.input, null)) {
      session = event.session ?? session;
      const turn = scan.take(event, told.at);
      if (options.project !== undefined && !isWithin(scan.root, options.project)) return;
      if (turn === undefined) continue;
      const project = scan.root === null || scan.root === '/' ? placeOf(path) : scan.root;
      const key = told.id ?? `${session} ${turn.turn} ${turn.before} ${told.at}`;
      yield { turn, project, session, model: told.model, key };
    }
    let isShown = !IS_AGENT.test(String(told.input.tool_name));
    if (told.subagent !== undefined)
      for (const side of sideOf(file, session, told.subagent)) {
        isShown = true;
        for (const event of adapter.read(side.input, null)) scan.take(event, side.at);
      }
    if (!isShown) scan.missed(!LOOKS.test(JSON.stringify(told.input.tool_input ?? '').slice(0, 2000)));
  }
}

const IS_AGENT = /^(?:Task|Agent)$/;
const LOOKS =
  /"subagent_type":"[^"]*(?:explor|plan|review|research|search|audit|analy|guide|general|statusline|document)/i;
const BREATH = 4 * 1024 * 1024;

/** Null between lines. */
function* toldBy({ kind, path }: TranscriptFile, read: (bytes: number) => void): Iterable<Told | null> {
  const reader = kind.open(path, { wants: resultMatters });
  for (const piece of readPieces(path, kind.whole, read)) {
    yield* reader.line(piece);
    yield null;
  }
  yield* reader.end();
}

/** What a subagent did, where its file is there to be read. */
function* sideOf({ kind, path }: TranscriptFile, session: string, subagent: string): Iterable<Told> {
  for (const place of kind.subagents?.(path, session, subagent) ?? []) {
    try {
      const reader = kind.open(place, { side: true, wants: resultMatters });
      for (const piece of readPieces(place, kind.whole)) yield* reader.line(piece);
      return;
    } catch {
      // It is not here.
    }
  }
}

function isWithin(root: string | null, project: string): boolean {
  return (
    root !== null && (root === project || root.startsWith(project.endsWith('/') ? project : `${project}/`))
  );
}

/** Of a session that does not say where it worked. */
function placeOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')).replace(/\/chats$/, '');
}

/** As they are shown: the nth claim of the turn. */
export function* claimsIn(
  { turn, project, session, model }: FileTurn,
  file: TranscriptFile,
): Iterable<FoundClaim> {
  for (const [index, claim] of turn.claims.entries()) {
    const id = idOf(session, turn.turn, turn.before + index + 1);
    const { at, prompt } = turn;
    yield {
      ...claim,
      id,
      agent: file.kind.agent,
      model,
      project,
      session,
      turn: turn.turn,
      at,
      prompt,
      path: file.path,
    };
  }
}

/** What `--claims` lists: a claim as it was found, in the turn that ended with `verdict`. */
export interface ListedClaim extends SeenClaim, Place {
  /** Null where it was not judged. */
  readonly id: string | null;
  readonly verdict: ScannedTurn['verdict'];
}

export function* listedIn(found: FileTurn, file: TranscriptFile): Iterable<ListedClaim> {
  const { turn, project, session, model } = found;
  const { text } = redactor();
  const { at, verdict } = turn;
  let judged = turn.before;
  for (const claim of turn.found)
    yield {
      ...claim,
      quote: text(claim.quote),
      reason: claim.reason === null ? null : text(claim.reason),
      restsOn: claim.restsOn.map((name) => text(name)),
      id: claim.status === null ? null : idOf(session, turn.turn, ++judged),
      agent: file.kind.agent,
      model,
      project,
      session,
      path: file.path,
      turn: turn.turn,
      at,
      verdict,
    };
}

/** No secret of a prompt, a command or a message is shown. */
export function redacted<T extends FoundClaim>(claim: T): T {
  const { text } = redactor();
  const { quote, prompt, reason, command } = claim;
  return {
    ...claim,
    quote: text(quote),
    prompt: text(prompt),
    reason: reason === null ? null : text(reason),
    command: command === null ? null : text(command),
  };
}

export function redactedText(text: string): string {
  return redactor().text(text);
}

let made: ReturnType<typeof makeRedactor> | undefined;
function redactor(): ReturnType<typeof makeRedactor> {
  made ??= makeRedactor();
  return made;
}
