/** A growing buffer of variable-length integers (LEB128, up to 2^53), texts and columns. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A non-negative safe integer. */
  unsigned(value: number): void {
    this.#reserve(8);
    while (value >= 0x80) {
      this.#buffer[this.#length++] = (value % 0x80) | 0x80;
      value = Math.floor(value / 0x80);
    }
    this.#buffer[this.#length++] = value;
  }

  /** Any integer below 2^52 either way; small ones are short. */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(value: string): void {
    const bytes = Buffer.from(value);
    this.unsigned(bytes.length);
    this.#reserve(bytes.length);
    this.#length += bytes.copy(this.#buffer, this.#length);
  }

  /** Non-negative integers whose number the reader knows: run lengths where that is shorter. */
  column(values: readonly number[]): void {
    const runs = runsOf(values);
    if (runs.length * 2 <= values.length) {
      this.byte(COLUMN_RUNS);
      for (const { value, length } of runs) {
        this.unsigned(value);
        this.unsigned(length);
      }
      return;
    }
    this.byte(COLUMN_PLAIN);
    for (const value of values) this.unsigned(value);
  }

  /** What was written; valid until the next write. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + count));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

const COLUMN_PLAIN = 0;
const COLUMN_RUNS = 1;

function runsOf(values: readonly number[]): { value: number; length: number }[] {
  const runs: { value: number; length: number }[] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last?.value === value) last.length += 1;
    else runs.push({ value, length: 1 });
  }
  return runs;
}

/** Reads what `ByteWriter` wrote. @throws RangeError where the bytes end too early. */
export class ByteReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  byte(): number {
    const value = this.#buffer[this.#at++];
    if (value === undefined) throw new RangeError('record ends too early');
    return value;
  }

  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const length = this.unsigned();
    const end = this.#at + length;
    if (end > this.#buffer.length) throw new RangeError('record ends too early');
    const value = this.#buffer.toString('utf8', this.#at, end);
    this.#at = end;
    return value;
  }

  column(count: number): number[] {
    if (this.byte() === COLUMN_PLAIN) return Array.from({ length: count }, () => this.unsigned());
    const values: number[] = [];
    while (values.length < count) {
      const value = this.unsigned();
      const length = this.unsigned();
      if (length < 1 || values.length + length > count) throw new RangeError('run is too long');
      for (let index = 0; index < length; index += 1) values.push(value);
    }
    return values;
  }

  /** Everything not read yet. */
  rest(): Buffer {
    return this.#buffer.subarray(this.#at);
  }
}
