import { describeFlips } from './every-byte.ts';

describeFlips(1);
