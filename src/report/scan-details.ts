// A claim of a transcript, looked up by its id, with what the session had to show by then: for `foil why`.
import type { ScannedTurn } from '../gate/index.ts';
import { claimsIn, type FoundClaim, redacted, scanFile, redactedText as text } from './scan-file.ts';
import { idWithin, namedFirst, stemIn } from './scan-ids.ts';
import type { TranscriptFile } from './transcript-files.ts';

/** A claim with what the session had to show by then. */
export interface ScannedDetails extends FoundClaim {
  readonly message: string;
  /** Commands that were checks, oldest first. */
  readonly ran: readonly {
    readonly command: string;
    readonly exit: number | null;
    readonly flaw: string | null;
  }[];
  readonly changed: readonly string[];
  readonly weakened: readonly {
    readonly path: string;
    readonly what: string;
    readonly lines: readonly string[];
  }[];
}

/** Undefined where no transcript has it. Files that are named after the session are looked at first. */
export function findScannedClaim(id: string, files: readonly TranscriptFile[]): ScannedDetails | undefined {
  const session = stemIn(id);
  if (session === '') return undefined;
  for (const file of namedFirst(files, session)) {
    try {
      for (const found of scanFile(file)) {
        if (found === null) continue;
        for (const claim of claimsIn(found, file))
          if (claim.id === id || idWithin(claim.id, file.path) === id)
            return detailsOf({ ...claim, id }, found.turn);
      }
    } catch {
      // Another may have it.
    }
  }
  return undefined;
}

function detailsOf(claim: FoundClaim, { message, evidence }: ScannedTurn): ScannedDetails {
  return {
    ...redacted(claim),
    message: text(message),
    ran: evidence.runs.flatMap(({ checks, exit }) =>
      checks.map(({ command, flaw }) => ({
        command: text(command),
        exit: exit.code,
        flaw: flaw === null ? null : text(`${flaw.code}: ${flaw.detail}`),
      })),
    ),
    changed: [...new Set(evidence.changes.map(({ path }) => path))],
    weakened: (evidence.weakened ?? []).map(({ path, what, lines }) => ({
      path,
      what,
      lines: lines.map((line) => text(line)),
    })),
  };
}
