export { indexPath } from './index-place.ts';
export type { IndexOptions } from './ledger-index.ts';
export { type LedgerToView, startView, type View, type ViewPage } from './server.ts';
