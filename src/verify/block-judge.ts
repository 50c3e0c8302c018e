// Is a block that an entry names one of Bitcoin's chain? Its header says, not the entry: hash, work, place and time are
// held against what is claimed. Sessions share blocks, so verdicts are remembered, up to a bound.
import { type HeaderReason, MAINNET, parseHeader, parseHex, REGTEST, verifyHeader } from '../core/index.ts';
import type { BlockFact } from '../format/index.ts';
import { oldestKeyOf } from './oldest-key.ts';

/** Which chain a verifier goes by. The test network is for trying things out: its blocks cost nothing. */
export type Network = 'main' | 'regtest';

export interface BlockVerdict {
  /** `regtest`: of the test network, where the main one was asked for. */
  readonly status: 'pass' | 'fail' | 'unknown' | 'regtest';
  readonly reason: HeaderReason | 'TIME_MISMATCH';
  /** Nobody asked about this block before. */
  readonly isNew: boolean;
}

const MOST = 4096;

export class BlockJudge {
  readonly #network: Network;
  readonly #known = new Map<string, BlockVerdict>();
  readonly #oldest = oldestKeyOf(this.#known);

  constructor(network: Network) {
    this.#network = network;
  }

  judge(fact: BlockFact): BlockVerdict {
    const name = `${fact.height} ${fact.time} ${fact.hash} ${fact.header}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const verdict = this.#look(fact);
    if (this.#known.size >= MOST) this.#known.delete(this.#oldest() ?? '');
    this.#known.set(name, { ...verdict, isNew: false });
    return { ...verdict, isNew: true };
  }

  #look({ height, hash, time, header }: BlockFact): Omit<BlockVerdict, 'isNew'> {
    const bytes = parseHex(header);
    const claim = { hash, height };
    const chain = this.#network === 'regtest' ? REGTEST : MAINNET;
    const { status, reason } = verifyHeader(bytes, claim, { chain });
    const isTimely = parseHeader(bytes).time === time;
    if (status === 'fail' && reason === 'TARGET_TOO_EASY') {
      const easy = verifyHeader(bytes, claim, { chain: REGTEST });
      if (easy.status === 'pass' && isTimely) return { status: 'regtest', reason };
    }
    if (status !== 'fail' && !isTimely) return { status: 'fail', reason: 'TIME_MISMATCH' };
    return { status, reason };
  }
}
