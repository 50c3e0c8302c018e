// Blocks of Bitcoin's main chain that a verifier takes for granted. Each was taken from its 80 bytes, which hash to what
// stands here; they are in spec/vectors/bitcoin-header.json with where they come from. Whoever adds one adds its header
// there: a test compares the two. The newest should not be much older than the release, since past it only work counts.

export interface BlockCheckpoint {
  readonly height: number;
  /** In display order. */
  readonly hash: string;
  readonly bits: number;
  readonly time: number;
}

/** What is known of a chain beforehand. */
export interface BitcoinChain {
  /** The easiest target that any block may have, in compact form. */
  readonly limit: number;
  /** By height, lowest first. */
  readonly checkpoints: readonly BlockCheckpoint[];
  /**
   * No ledger is older than this block. A header of the first years takes seconds to make, so one that is only said to be
   * at such a height says nothing of when a ledger was there. It stays when checkpoints are added.
   */
  readonly ledgersSince: number;
}

export const MAINNET: BitcoinChain = {
  // The limit is 2^224 − 1; this is the largest target with a compact form below it, and the genesis block's.
  limit: 0x1d00ffff,
  ledgersSince: 900_000,
  // biome-ignore format: one block a row
  checkpoints: [
    { height: 0, hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f', bits: 0x1d00ffff, time: 1_231_006_505 },
    { height: 100_000, hash: '000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506', bits: 0x1b04864c, time: 1_293_623_863 },
    { height: 125_552, hash: '00000000000000001e8d6829a8a21adc5d38d0a473b144b6765798e61f98bd1d', bits: 0x1a44b9f2, time: 1_305_998_791 },
    { height: 358_391, hash: '000000000000000003e892881a8cdcdc117c06d444057c98b6f04a9ee75a2319', bits: 0x181686f5, time: 1_432_827_678 },
    { height: 420_000, hash: '000000000000000002cce816c0ab2c5c269cb081896b7dcb34b8422d6b74ffa1', bits: 0x180526fd, time: 1_468_082_773 },
    { height: 630_000, hash: '000000000000000000024bead8df69990852c202db0e0097c1a12ea637d7e96d', bits: 0x17117a39, time: 1_589_225_023 },
    { height: 800_000, hash: '00000000000000000002a7c4c1e48d76c5a37902165a270156b7a8d72728a054', bits: 0x17053894, time: 1_690_168_629 },
    { height: 840_000, hash: '0000000000000000000320283a032748cef8227873ff4872689bf23f1cda83a5', bits: 0x17034219, time: 1_713_571_767 },
    { height: 900_000, hash: '000000000000000000010538edbfd2d5b809a33dd83f284aeea41c6d0d96968a', bits: 0x17023774, time: 1_749_188_499 },
  ],
};

/**
 * A chain that anybody makes on one machine, for trying things out. Its limit lets nearly every hash pass, and it has no
 * checkpoints: a header of it proves nothing of time. Never the default.
 */
export const REGTEST: BitcoinChain = { limit: 0x207fffff, checkpoints: [], ledgersSince: 0 };
