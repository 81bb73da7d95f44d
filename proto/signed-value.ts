import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/**
 * Values of a bucket, signed (Ed25519, RFC 8032) over bucket, key and content; the content names epoch and revision. A
 * value is one line with the signature, base64url, and after it the content.
 */
const SIGNATURE = /^[\w-]{86}$/;

/** Tells what a value says, if whoever may sign has signed it for this very place. */
export interface ValueVerifier {
  /**
   * The content; null where it is unsigned, signed by another, or signed for another place. Works beside the event
   * loop: ten thousand values are about a second of work.
   */
  open(bucket: string, key: string, value: string): Promise<string | null>;
}

/** Signs what stands in buckets. */
export interface ValueSigner extends ValueVerifier {
  /** The value for a content under this key. The same content has the same value. */
  seal(bucket: string, key: string, content: string): string;
}

/** `privateKey`: Ed25519, PKCS #8 in PEM. */
export function createValueSigner(privateKey: string): ValueSigner {
  const key = createPrivateKey(privateKey);
  return {
    ...createValueVerifier(verifyingKeyOf(privateKey)),
    seal(bucket, name, content) {
      const signature = sign(null, message(bucket, name, content), key).toString('base64url');
      return `${signature}\n${content}`;
    },
  };
}

/** `publicKey`: Ed25519, SPKI in PEM. */
export function createValueVerifier(publicKey: string): ValueVerifier {
  const key = createPublicKey(publicKey);
  return {
    async open(bucket, name, value) {
      const end = value.indexOf('\n');
      const [signature, content] = [value.slice(0, Math.max(end, 0)), contentOf(value)];
      if (!SIGNATURE.test(signature)) return null;
      return (await verifies(key, message(bucket, name, content), signature)) ? content : null;
    },
  };
}

/** What a value says, whoever signed it. */
export function contentOf(value: string): string {
  return value.slice(value.indexOf('\n') + 1);
}

/** The public half (SPKI, PEM) of a signer's key. */
export function verifyingKeyOf(privateKey: string): string {
  return createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' }).toString();
}

function verifies(key: KeyObject, signed: Buffer, signature: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, signed, key, Buffer.from(signature, 'base64url'), (error, isGood) =>
      error === null ? resolve(isGood) : reject(error),
    );
  });
}

/** Bucket and key hold no line ends: no two places have one message. */
function message(bucket: string, key: string, content: string): Buffer {
  return Buffer.from(`farwatch definition\n${bucket}\n${key}\n${content}`);
}
