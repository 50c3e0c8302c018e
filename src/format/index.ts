// The room's door: what is stored, and in which one form.
export {
  type ContentRef,
  contentRefs,
  encodeContentRef,
  MAX_CONTENT,
  NO_SESSION,
  parseContentRef,
} from './content.ts';
export {
  type Draft,
  type Entry,
  encodeEntry,
  GENESIS,
  hashOfEntry,
  isTimestamp,
  LineWriter,
  MAX_DEPTH,
  MAX_LINE,
  parseEntry,
} from './entry.ts';
export { EntryScan } from './entry-scan.ts';
export { encodeHead, HEAD_SIZE, type Head, type Position, parseHead } from './head.ts';
export { isKind, isKnownKind, isUserKind } from './kinds.ts';
export {
  BLOB_DIR,
  CHECKPOINT_DIR,
  CHECKPOINT_FILE,
  compareSegments,
  encodeCheckpointName,
  encodeSegmentName,
  HEAD_FILE,
  KEY_DIR,
  LOCK_FILE,
  PACK_FILE,
  parseCheckpointName,
  parseSegmentName,
  SALT_DIR,
  SEGMENT_DIR,
  type Segment,
  TILE_DIR,
} from './layout.ts';
export {
  blobPath,
  type Commitment,
  encodeBlobName,
  encodePackRecord,
  encodeSalt,
  isPackHeaderStart,
  MAX_PACK_HEADER,
  MAX_PACKED,
  type PackHeader,
  packPath,
  parseBlobName,
  parseSalt,
  saltPath,
  scanPackHeader,
} from './pack.ts';
export {
  type Archive,
  encodeArchive,
  encodeGap,
  encodeKeyRotate,
  encodeLedgerOpen,
  FORMAT,
  type Gap,
  type KeyRotate,
  type LedgerOpen,
  originOf,
  parseArchive,
  parseGap,
  parseKeyRotate,
  parseLedgerOpen,
} from './payloads.ts';
