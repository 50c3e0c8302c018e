// Everything a verification can find, in one closed table: the question it answers (facet), how bad it is, and what
// it means. spec/verdict.md lists the same codes and a test holds the two together.

export type Facet =
  | 'integrity'
  | 'truncation'
  | 'identity'
  | 'time'
  | 'sessions'
  | 'evidence'
  | 'receipts'
  | 'completeness'
  | 'authority'
  | 'replay'
  | 'patches';
/**
 * A `fail` makes the record BROKEN, or in the last six tells of a VIOLATION that is soundly recorded; an `unknown` says
 * that the evidence at hand can't decide; a `note` is something that a reader should know and that decides nothing.
 */
export type Level = 'fail' | 'unknown' | 'note';

interface Meaning {
  readonly facet: Facet;
  readonly level: Level;
  readonly meaning: string;
}

const integrity = (meaning: string): Meaning => ({ facet: 'integrity', level: 'fail', meaning });
const truncation = (meaning: string): Meaning => ({ facet: 'truncation', level: 'fail', meaning });
const maybeCut = (meaning: string): Meaning => ({ facet: 'truncation', level: 'unknown', meaning });
const identity = (meaning: string): Meaning => ({ facet: 'identity', level: 'fail', meaning });
const time = (meaning: string): Meaning => ({ facet: 'time', level: 'fail', meaning });
const timeless = (meaning: string): Meaning => ({ facet: 'time', level: 'unknown', meaning });
const session = (meaning: string): Meaning => ({ facet: 'sessions', level: 'fail', meaning });
const unbound = (meaning: string): Meaning => ({ facet: 'sessions', level: 'unknown', meaning });
const evidence = (meaning: string): Meaning => ({ facet: 'evidence', level: 'fail', meaning });
const unjudged = (meaning: string): Meaning => ({ facet: 'evidence', level: 'unknown', meaning });
const receipt = (meaning: string): Meaning => ({ facet: 'receipts', level: 'fail', meaning });
const noReceipt = (meaning: string): Meaning => ({ facet: 'receipts', level: 'unknown', meaning });
const disagree = (meaning: string): Meaning => ({ facet: 'completeness', level: 'fail', meaning });
const unseen = (meaning: string): Meaning => ({ facet: 'completeness', level: 'unknown', meaning });
const breach = (meaning: string): Meaning => ({ facet: 'authority', level: 'fail', meaning });
const unsaid = (meaning: string): Meaning => ({ facet: 'authority', level: 'unknown', meaning });
const astray = (meaning: string): Meaning => ({ facet: 'replay', level: 'fail', meaning });
const unplayed = (meaning: string): Meaning => ({ facet: 'replay', level: 'unknown', meaning });
const patched = (meaning: string): Meaning => ({ facet: 'patches', level: 'fail', meaning });
const noted = (facet: Facet, meaning: string): Meaning => ({ facet, level: 'note', meaning });
const nobody = (meaning: string): Meaning => ({ facet: 'identity', level: 'unknown', meaning });

const TABLE = {
  EMPTY_LOG: integrity('There are no entries, so nothing is proven.'),
  NOT_A_LEDGER: integrity('The first entry does not open a ledger.'),
  INVALID_UTF8: integrity('The line is not UTF-8.'),
  INVALID_JSON: integrity('The line is not JSON.'),
  NOT_CANONICAL: integrity('The line is not in the one accepted encoding.'),
  BLANK_LINE: integrity('The line is empty.'),
  TOO_LONG: integrity('The line is longer than 65,535 bytes.'),
  TOO_DEEP: integrity('The entry is nested more than 32 levels deep.'),
  BAD_NUMBER: integrity("A number can't be written in one exact way."),
  BAD_MEMBER: integrity('A member is missing, unknown or malformed.'),
  UNKNOWN_VERSION: integrity("This verifier doesn't know the version of the entry."),
  MISSING_NEWLINE: integrity('The last line of a segment does not end in a newline.'),
  HASH_MISMATCH: integrity('The entry is not what its entry_hash says: its bytes were changed.'),
  SEQ_MISMATCH: integrity('The entry is not the next in sequence: lines were dropped, added or moved.'),
  CHAIN_BROKEN: integrity('prev_hash is not the hash of the entry before.'),
  GENESIS_MISMATCH: integrity('The first entry does not begin at the genesis hash.'),
  SEGMENT_NAME: integrity('A segment is not named after its first entry.'),
  SEGMENT_MISSING: integrity('Entries are missing between two segments.'),
  GAP_MISMATCH: integrity("A gap doesn't describe the bytes that a crash left behind."),
  HEAD_MISMATCH: integrity('The head names a different entry or place than the log has.'),
  TILE_MISMATCH: integrity('A tile of the Merkle tree is not what the entries give.'),
  TILE_MISSING: integrity('A tile that the newest checkpoint needs is missing.'),
  CHECKPOINT_INVALID: integrity('A checkpoint is malformed, or its name is not its size.'),
  CHECKPOINT_FOREIGN: integrity('A checkpoint of another ledger is here.'),
  ROOT_MISMATCH: integrity("The entries aren't the ones that a checkpoint covers."),
  ARCHIVE_MISMATCH: integrity('A gzipped segment is not the file that was archived.'),
  ARCHIVE_UNRECORDED: integrity('No entry records the archiving of a gzipped segment.'),
  ARCHIVE_FOREIGN: integrity('A gzipped file beside a segment does not hold the lines of that segment.'),
  FILE_UNKNOWN: noted('integrity', "A file among those of the ledger doesn't belong to it. It wasn't read."),
  CONTENT_MISMATCH: integrity('Content that is kept is not what its entry or its name commits to.'),
  CONTENT_REF_INVALID: integrity('A reference to content is malformed.'),
  PACK_DAMAGED: integrity('A pack of content holds bytes that neither a writer nor a crash leaves.'),
  SALT_DAMAGED: integrity("A session's salt is malformed."),
  SALT_MISSING: integrity(
    "Content of a session is here but its salt isn't, so it can't be checked, and no tombstone says that it was erased.",
  ),
  PROOF_INVALID: integrity('The proof is malformed.'),
  ENTRY_MISSING: integrity('There is no entry to check, because it was neither given nor in the proof.'),
  INDEX_MISMATCH: integrity("The proof is for a different place than the entry's."),
  NOT_INCLUDED: integrity("The entry is not in the checkpoint's tree at that place."),
  TRUNCATED: truncation('The log ends before the last entry of a checkpoint.'),
  HEAD_AHEAD: truncation('The log ends before its head: acknowledged entries are gone.'),
  TILE_BEYOND_LOG: truncation('The log ends before the last entry of a tile.'),
  KEPT_CHECKPOINT_MISMATCH: truncation("The log doesn't continue the one in the checkpoint that you kept."),
  ENTRIES_LOST: maybeCut('Storage lost acknowledged entries, and the ledger says so.'),
  TORN_TAIL: maybeCut(
    "The log ends in bytes that aren't an entry, because of a write in progress or a crash.",
  ),
  HEAD_MISSING: maybeCut('There is no head; the next append rebuilds it.'),
  HEAD_DAMAGED: maybeCut('The head does not match its checksum; the next append rebuilds it.'),
  CHECKPOINT_MISSING: maybeCut('A copy of a checkpoint is missing.'),
  UNSEALED: maybeCut('No checkpoint covers the last entries yet.'),
  SIGNATURE_INVALID: identity("A checkpoint's signature by the ledger's key does not verify."),
  SIGNATURE_UNKNOWN: noted(
    'identity',
    "A checkpoint also carries a signature by a key that is not this ledger's. It wasn't checked and doesn't count.",
  ),
  UNSIGNED: identity("A checkpoint is not signed by the ledger's key."),
  WRONG_EPOCH: identity('A checkpoint is signed by a key that was not valid at that place.'),
  ROTATION_INVALID: identity('A key rotation is not endorsed by the key before.'),
  ERASE_INVALID: identity(
    "An erasure is not signed by the ledger's key, or carries no checkpoint over all entries before it.",
  ),
  KEY_NOT_TRUSTED: identity('A key that you pinned is not a key of this ledger.'),
  NOT_SIGNED: identity(
    'You pinned a key and it signed nothing here, though a ledger is sealed from its first entry on.',
  ),
  NO_PINNED_KEY: nobody('You pinned no key for this ledger, so anyone may have signed it.'),
  BLOCK_INVALID: time("An entry names a header that isn't the header of its block."),
  STAMP_INVALID: time('A stamp is malformed, or does not lead to the block it names.'),
  STAMP_FOREIGN: time('A stamp belongs to a different checkpoint than it says.'),
  STAMP_NOT_KEPT: time(
    'A stamp that you kept matches no checkpoint of this ledger, so the ledger has been rewritten since.',
  ),
  INTERVAL_IMPOSSIBLE: time('Entries name a block that is newer than the one by which they were stamped.'),
  BLOCK_UNSURE: timeless('It is unknown whether a block belongs to the main chain.'),
  BLOCK_REGTEST: timeless('A block is from a test network, so it proves nothing about time.'),
  BLOCK_BEHIND: timeless('An entry names a block that is older than the ones named before it.'),
  CLOCK_WRONG: timeless('An entry says that it is older than the block it names.'),
  STAMP_PENDING: timeless('A stamp is still only a promise by calendars.'),
  STAMP_UNPROVEN: timeless("A stamp can't be followed to a block whose header this verifier has."),
  STAMP_UNMATCHED: timeless('There is a stamp, but no valid checkpoint of its size.'),
  STAMP_MISSING: timeless("The ledger names a stamp that isn't here."),
  STAMPS_TOO_MANY: timeless('There are more stamps than this verifier looks at.'),
  INTERVAL_OPEN: timeless('No block limits how early, or no stamp limits how late, the newest session was.'),
  INTERVAL_WIDE: timeless('The newest session may have been at any time within more than a day.'),
  SESSION_ID_WRONG: session('The id of a session does not follow from its key, its block and its place.'),
  SESSION_UNSTARTED: session('An entry belongs to a session that never began.'),
  SESSION_MALFORMED: session("An entry of a session's life is not in its one form."),
  SESSION_CUT_WRONG: session(
    "A session was cut because a process was gone, but that process wasn't its own.",
  ),
  SESSION_SUM_WRONG: session(
    "The entries of a session before its end, or before a later sum, aren't the ones that it counts.",
  ),
  INTERACTION_CHAIN_BROKEN: session('An interaction does not follow from the one before it.'),
  INTERACTION_MISSING: session('An interaction of a session is missing.'),
  PROMPT_MISSING: session('An interaction names a prompt that is missing.'),
  FINAL_HASH_WRONG: session('The final hash of a session does not follow from what it covers.'),
  BRANCH_WRONG: session(
    "A branch isn't the one that follows from the block, or isn't the one that was left.",
  ),
  AUTH_MISMATCH: session('A session began with a different key than the one that was checked.'),
  GIT_BRANCH_MOVED: session('A branch of the git repository is not where the ledger leads.'),
  GIT_COMMIT_DIFFERS: session('At one place, the git repository has a different commit than the ledger.'),
  GIT_EXTRA_COMMIT: session('The git repository has commits that the ledger does not know.'),
  GIT_COMMIT_MISSING: unbound('The git repository lags behind the ledger.'),
  GIT_UNREADABLE: unbound("The git repository, or a part of it, can't be read."),
  INTERACTION_REPEATED: unbound(
    "An interaction comes twice, or is not counted at the end: a recorder's memory fell back to an earlier state.",
  ),
  SESSION_INCOMPLETE: unbound('Storage may have lost what is missing from a session.'),
  SESSION_LATE: unbound('A session has an entry after its end.'),
  RESUMES_UNKNOWN: unbound("A session continues one that isn't here."),
  SESSIONS_TOO_MANY: unbound('There are more sessions than this verifier remembers.'),
  CLAIM_UNPROVEN: evidence('A turn ended on a claim that no validation proves.'),
  VALIDATION_FORGED: evidence('A validation is not signed by the validator key of its place.'),
  VALIDATION_MISPLACED: evidence(
    "A validation names a claim, contract or evidence that its session doesn't have.",
  ),
  VALIDATION_WRONG: evidence('A validation that passed does not follow from the entries.'),
  VALIDATOR_KEY_INVALID: evidence(
    "A validator key is not the next one, or not certified by the ledger's key.",
  ),
  GATE_MISMATCH: evidence('What a gate says about its claims differs from what the entries say.'),
  POLICY_INVALID: evidence(
    "A policy doesn't have its hash, or lacks the signature of the person who accepted it; or it isn't the first, and nobody accepted it.",
  ),
  POLICY_MISMATCH: evidence('A claim was judged under a different policy than the one on record.'),
  EVIDENCE_MALFORMED: evidence('An entry of the gate is not in its one form.'),
  VALIDATOR_UNKNOWN: unjudged(
    'A validation is by a validator, or a version of one, that this verifier does not know.',
  ),
  POLICY_UNSETTLED: unjudged(
    'It is unknown which policy was in force, and a claim was judged by one that asks for less than another.',
  ),
  EVIDENCE_TOO_MUCH: unjudged('There is more to judge again than this verifier can do.'),
  CLAIM_BLIND: unjudged('A claim rests on a time in which not everything could be seen.'),
  TURN_UNGATED: unjudged("A turn ended, but its claims couldn't be read."),
  NO_GATE: unjudged('Turns ended here, but no gate judged them.'),
  RECEIPT_FORGED: receipt("A receipt is not signed by the gateway's key of its place."),
  RECEIPT_MISBOUND: receipt(
    'A receipt names a different run, call, result or pack than the one it belongs to.',
  ),
  RECEIPT_MISMATCH: receipt('A receipt contradicts the entries about its call.'),
  RECEIPT_NONCE_REUSED: receipt('Two receipts have the same nonce.'),
  RECEIPT_MALFORMED: receipt('A receipt, or what it is about, is not in its one form.'),
  GATEWAY_KEY_INVALID: receipt("A gateway's key is not the next one, or not certified by the ledger's key."),
  RECEIPT_MISSING: noReceipt('A model call that went through the gateway has no receipt.'),
  RECEIPT_TOO_MANY: noReceipt('There are more nonces than this verifier compares.'),
  CALL_MISSED: disagree('The gateway or an MCP server saw a call that no hook reported.'),
  CALL_UNASKED: disagree('A hook reported a call that no model was seen to ask for.'),
  CALL_UNSENT: disagree('A hook reported an answer from an MCP server that never got the call.'),
  CALL_DIFFERS: disagree(
    'A hook reported a different tool than the model asked for, or than the server got.',
  ),
  RESULT_DIFFERS: disagree(
    'A hook says that a call succeeded, but the model or the server was told otherwise.',
  ),
  CALL_ARGUMENTS_DIFFER: unseen('A hook reported different arguments for a call than the model gave.'),
  CALL_UNSEEN: unseen('It is unknown whether a call was made or asked for.'),
  CALL_ENDLESS: unseen('A tool call has no result, although its turn has ended.'),
  CALL_BLIND: unseen('A recorder missed a call at a time when it could not record.'),
  BLIND: unseen('For some time not everything could be seen, and the ledger says so.'),
  BLIND_PAUSED: unseen('Recording was paused for a time, and nothing of that time could be seen.'),
  BLIND_UNTOLD: unseen('Recording was paused for a time, but no entry says that anyone paused it.'),
  MODE_RELAXED: unseen('The mode became laxer while a session was open.'),
  MODE_UNTOLD: unseen('A session was recorded less strictly than the newest entry that sets a mode says.'),
  HOOKS_MISSING: unseen(
    "Hooks disappeared from a host's settings, or were changed there, before its session began or while it was open.",
  ),
  HARNESS_CHANGED: unseen(
    'Files of the harness changed while a session was open, so not all of the session was done under the pack that it names.',
  ),
  COMPLETENESS_TOO_MUCH: unseen('There is more to compare than this verifier can do.'),
  GRANTS_INVALID: breach('Grants are malformed, or no operator signed them for their place.'),
  GRANTS_FOREIGN: breach('A session began with grants that no operator accepted, or that were not in force.'),
  CALL_NOT_GRANTED: breach('A call went outside the grants of its session.'),
  DENIED_CALL_RAN: breach('A call has a result although it was refused for lack of a grant.'),
  DENIAL_UNTOLD: breach('A call was refused for lack of a grant, but no entry records the refusal.'),
  AUTHORITY_INVALID: breach('What a call needs is malformed.'),
  OPERATOR_INVALID: breach(
    'An enrolment or revocation of an operator is malformed, or nobody signed it for its place.',
  ),
  OPERATOR_REVOKED: breach(
    'Somebody accepted grants, or enrolled or revoked an operator, after being revoked as one.',
  ),
  OPERATOR_UNKNOWN: unsaid(
    "Somebody accepted grants or a policy, or enrolled or revoked an operator, and this verifier doesn't know them as an operator.",
  ),
  GRANTS_PASSED_OVER: unsaid('A session began without the grants that were in force.'),
  CALL_UNJUDGED: unsaid('It is unknown whether a call was within the grants of its session.'),
  RUN_MALFORMED: astray('An event of a run is not in its one form.'),
  RUN_SEQUENCE: astray('The sequence of a run does not grow by exactly 1.'),
  RUN_PARENT: astray('The parent of an event is not the event before it.'),
  RUN_STATE_CHAIN: astray('The states of a run do not follow one another.'),
  RUN_PAYLOAD_HASH: astray("The payload of an event doesn't match its hash."),
  RUN_CAUSE: astray("An event names a cause that isn't there or can't be one, or contradicts its cause."),
  RUN_ORDER: astray("An event of a run is in a place where its kind isn't allowed."),
  RUN_MEMORY: astray('A memory write has no valid cause, or not the next version.'),
  RUN_SNAPSHOT: astray('A snapshot is missing, or is of another state than the run had there.'),
  RUN_PATCH: astray(
    'A patch was applied to a state that the run did not have there, or where no patch is allowed.',
  ),
  RUN_LIMIT: astray(
    'A run made more calls or decided more often than it was allowed, or a tool gave or consumed more than it may.',
  ),
  RUN_DENIAL: astray(
    'A call was decided and neither made nor denied, or denials are missing or contradict the record.',
  ),
  RUN_USAGE: astray(
    'A run or a call used something different than the record says, or reports what nobody can have measured.',
  ),
  RUN_PAYLOAD_UNKNOWN: unplayed('A payload of a run, or the key of its hashes, is missing.'),
  RUN_NOT_REPLAYED: unplayed('No replay on record rebuilt the states of a run from its events.'),
  RUN_CAPABILITIES: breach(
    'The capabilities of a run changed while it ran, or are not those of its session.',
  ),
  RUN_CALL_NOT_GRANTED: breach('A tool ran in a run without the capability that it needed.'),
  RUN_TOOL_UNDECLARED: breach(
    'A tool ran in a run that did not declare it, or needed nothing, or something other than it declared.',
  ),
  AMBIENT: unsaid('A program was allowed to run, but it is unknown what it did by itself.'),
  PATCH_INVALID: patched('A patch, or a step of one, is malformed or belongs to no run.'),
  PATCH_SIGNATURE: patched('A patch was proposed, approved or reverted with an invalid signature.'),
  PATCH_MISPLACED: patched(
    'A patch is not the next of its run, or a step names a patch that nobody proposed.',
  ),
  PATCH_ORDER: patched('A patch took a step out of order, or took it twice.'),
  PATCH_UNTESTED: patched('A patch passed its tests without a test, or without all that it names.'),
  PATCH_UNAUDITED: patched('A patch passed its audit although the audit found violations.'),
  PATCH_SELF_APPROVED: patched('A patch was approved by the key that proposed it.'),
  PATCH_ALTERED: patched('What was approved, applied or reverted is not the patch that was proposed.'),
  PATCH_SIGNER: patched('A patch was approved or reverted by an operator who had been revoked before.'),
  PATCH_SIGNER_UNKNOWN: {
    facet: 'patches',
    level: 'unknown',
    meaning: 'It is unknown whether the signer of a patch was an operator then.',
  },
} as const satisfies Record<string, Meaning>;

export type Code = keyof typeof TABLE;
export const CODES: Readonly<Record<Code, Meaning>> = TABLE;

export interface Finding {
  readonly code: Code;
  /** The entry it is about, where there is one. */
  readonly seq: number | null;
  readonly message: string;
  /** The file it is about, relative to the ledger's directory. */
  readonly file?: string;
}
