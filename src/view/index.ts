export { startView, type View, type ViewedLedger, type ViewPage } from './server.ts';
