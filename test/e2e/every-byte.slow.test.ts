// The long form of every-byte.test.ts.
import { describe } from 'vitest';
import { flipEach, withSmallLedger } from './every-byte.ts';

withSmallLedger();

describe('K6a one byte of a ledger made by the command flipped, at every byte', () => flipEach(1));
