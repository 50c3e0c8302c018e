import { describeFlips } from './every-byte.ts';

// An odd step, so that both masks take part.
describeFlips(31);
