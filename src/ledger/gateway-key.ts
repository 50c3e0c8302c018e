// The key that signs receipts and closings of the gateway: certified-key.ts for that one role.
import { gatewayKeyMessage, type JsonObject, receiptMessage, runClosingMessage } from '../core/index.ts';
import { encodeReceipt, encodeRunClosing, type Receipt, type RunClosing } from '../format/index.ts';
import {
  type CertifiedEpoch,
  type CertifiedKeyOptions,
  type CertifiedRotated,
  openCertified,
  type Role,
  readCertified,
  roleName,
  rotateCertified,
} from './certified-key.ts';
import type { LogReader } from './ports.ts';

/** What speaks for the gateway of a ledger. */
export interface ReceiptSigner {
  readonly version: number;
  /** 64 hex digits. */
  readonly publicKey: string;
  /** The payload of a `receipt` entry, signed. It may be written only where assertCurrent, inside `build`, is fine with it. */
  sign(receipt: Receipt): Promise<JsonObject>;
  /** The payload of a `run.closing` entry. Call it inside `build`: only there is it known how many calls there were. */
  signClosing(closing: RunClosing): JsonObject;
  /** Throws StoreError KEY when the key was rotated meanwhile: open it again. */
  assertCurrent(): void;
}

const GATEWAY: Role = {
  name: 'gateway',
  kind: 'gateway.key',
  state: 'foil.gateway',
  certificate: gatewayKeyMessage,
  signs: 'receipts',
  rotate: 'foil key rotate --gateway',
};

export function gatewayName(origin: string): string {
  return roleName(origin, GATEWAY);
}

/** The current one; made where there is none yet. Throws StoreError KEY where it is not here and can't be made. */
export async function openReceiptSigner(options: CertifiedKeyOptions): Promise<ReceiptSigner> {
  const certified = await openCertified(GATEWAY, options);
  const { origin, version, publicKey, sign, signAside, assertCurrent } = certified;
  return {
    version,
    publicKey,
    async sign(receipt) {
      const message = receiptMessage({ origin, payload: encodeReceipt(receipt, version) });
      return encodeReceipt(receipt, version, await signAside(message));
    },
    signClosing(closing) {
      const message = runClosingMessage({ origin, payload: encodeRunClosing(closing, version) });
      return encodeRunClosing(closing, version, sign(message));
    },
    assertCurrent,
  };
}

export function rotateGateway(options: CertifiedKeyOptions): Promise<CertifiedRotated> {
  return rotateCertified(GATEWAY, options);
}

export function readGatewayKeys(store: LogReader): Promise<CertifiedEpoch[]> {
  return readCertified(GATEWAY, store);
}
