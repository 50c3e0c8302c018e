import { describeScan } from './entry-scan.ts';

describeScan(500);
