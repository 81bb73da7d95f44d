import type { Echo } from './packet.ts';

const SEQUENCES = 65_536;
/** Identifiers in use, one after the other: 262,144 packets may be outstanding at once. */
const IDENTIFIERS = 4;
export const CAPACITY = SEQUENCES * IDENTIFIERS;
/** Random bytes are drawn in blocks: one draw a packet would cost more than the packet's checksum. */
const RANDOM_BLOCK = 8192;

/** Fills a buffer with random bytes. */
export type FillRandom = (buffer: Buffer) => void;

/**
 * The packets in the air, found again by (identifier, sequence). The first of both is random, sequences are used in
 * turn, so that one comes back as late as possible; each packet has a random cookie of its own besides.
 */
export class Flights<T> {
  readonly #slots: (T | undefined)[] = new Array<T | undefined>(CAPACITY).fill(undefined);
  readonly #random = Buffer.alloc(RANDOM_BLOCK);
  readonly #fillRandom: FillRandom;
  readonly #firstId: number;
  #randomAt = 0;
  #next: number;
  #size = 0;

  constructor(fillRandom: FillRandom) {
    this.#fillRandom = fillRandom;
    fillRandom(this.#random);
    this.#firstId = this.#random.readUInt16BE(0);
    this.#next = this.#random.readUInt16BE(2);
    this.#randomAt = 4;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a free number for what `make` makes of it; null where all of them are in the air. */
  launch(make: (echo: Echo, slot: number) => T): T | null {
    // Ends: with fewer than CAPACITY outstanding, one slot is free.
    if (this.#size >= CAPACITY) return null;
    while (this.#slots[this.#next] !== undefined) this.#next = (this.#next + 1) % CAPACITY;
    const slot = this.#next;
    this.#next = (slot + 1) % CAPACITY;
    const flight = make(this.#echoOf(slot), slot);
    this.#slots[slot] = flight;
    this.#size += 1;
    return flight;
  }

  find(id: number, sequence: number): T | undefined {
    const index = (id - this.#firstId) & 0xffff;
    return index < IDENTIFIERS ? this.#slots[index * SEQUENCES + sequence] : undefined;
  }

  land(slot: number): void {
    if (this.#slots[slot] === undefined) return;
    this.#slots[slot] = undefined;
    this.#size -= 1;
  }

  #echoOf(slot: number): Echo {
    if (this.#randomAt + 8 > RANDOM_BLOCK) {
      this.#fillRandom(this.#random);
      this.#randomAt = 0;
    }
    const at = this.#randomAt;
    this.#randomAt = at + 8;
    return {
      id: (this.#firstId + Math.floor(slot / SEQUENCES)) & 0xffff,
      sequence: slot % SEQUENCES,
      cookieHigh: this.#random.readInt32BE(at),
      cookieLow: this.#random.readInt32BE(at + 4),
    };
  }
}
