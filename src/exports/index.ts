export { encodeGentlyLine, GENTLY_EVENTS, type GentlyFacts, parseGentlyLine } from './gently.ts';
export { exportGently } from './gently-export.ts';
export { GENTLY_CODES, type GentlyFinding, type GentlyReport, verifyGentlyLog } from './gently-log.ts';
export { parseKaizaEntry } from './kaiza.ts';
export { exportKaiza, uuidOf } from './kaiza-export.ts';
export { type KaizaFinding, type KaizaReport, verifyKaizaLog } from './kaiza-log.ts';
export { exportOtlp, type OtlpOptions } from './otlp-export.ts';
export { exportWatchdog } from './watchdog-export.ts';
