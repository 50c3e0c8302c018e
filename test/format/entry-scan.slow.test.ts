import { describeScan } from './entry-scan.ts';

describeScan(5000);
