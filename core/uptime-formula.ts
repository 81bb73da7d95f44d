/**
 * Uptime formulas (reference §6): sums of how many minutes were what, with `+ - * /`, parentheses, decimal numbers and
 * the names of the four counts. They are parsed and computed here, never run as code.
 */

/** How many minutes were what. */
export interface MinuteCounts {
  up: number;
  down: number;
  degraded: number;
  maintenance: number;
}

/** A parsed formula. What has no finite value (a division by zero) is NaN or infinite. */
export type Formula = (counts: MinuteCounts) => number;

const MAX_LENGTH = 500;
/** Of parentheses and signs inside each other: a parser by recursive descent holds a frame for each. */
const MAX_DEPTH = 32;

/** What is said of a text that is no formula. */
export const FORMULA_FAULT = `must be a formula of up, down, degraded, maintenance, numbers, + - * / and parentheses, at most ${MAX_LENGTH} characters long and ${MAX_DEPTH} levels deep`;

/** The formula that a text is; null where it is none, or longer or deeper than is taken. */
export function parseFormula(text: string): Formula | null {
  const tokens = text.length <= MAX_LENGTH ? tokensOf(text) : null;
  if (tokens === null) return null;
  const reader: Reader = { tokens, at: 0, depth: 0 };
  const formula = readSum(reader);
  return reader.at === tokens.length ? formula : null;
}

type Name = keyof MinuteCounts;
type Token = { number: number } | { name: Name } | { sign: string };

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

const TOKEN = /\s*(?:(\d+(?:\.\d*)?|\.\d+)|(up|down|degraded|maintenance)\b|([-+*/()]))/y;

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  const trimmed = text.trimEnd();
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < trimmed.length) {
    const found = pattern.exec(trimmed);
    if (found === null) return null;
    const [, number, name, sign = ''] = found;
    // The pattern lists the names.
    if (name !== undefined) tokens.push({ name: name as Name });
    else tokens.push(number === undefined ? { sign } : { number: Number(number) });
  }
  return tokens;
}

const readProduct = chainOf(readOperand, { '*': (a, b) => a * b, '/': (a, b) => a / b });
const readSum = chainOf(readProduct, { '+': (a, b) => a + b, '-': (a, b) => a - b });

/** Operands joined by signs of one rank, from left to right. */
function chainOf(
  readPart: (reader: Reader) => Formula | null,
  operations: Partial<Record<string, (a: number, b: number) => number>>,
) {
  return (reader: Reader): Formula | null => {
    let formula = readPart(reader);
    for (;;) {
      const operation = operations[signAt(reader)];
      if (formula === null || operation === undefined) return formula;
      reader.at += 1;
      const left = formula;
      const right = readPart(reader);
      formula = right && ((counts) => operation(left(counts), right(counts)));
    }
  };
}

function readOperand(reader: Reader): Formula | null {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  if (token === undefined) return null;
  if ('number' in token) return () => token.number;
  if ('name' in token) return (counts) => counts[token.name];
  if (reader.depth === MAX_DEPTH) return null;
  reader.depth += 1;
  const formula = readSigned(reader, token.sign);
  reader.depth -= 1;
  return formula;
}

function readSigned(reader: Reader, sign: string): Formula | null {
  if (sign === '(') {
    const inner = readSum(reader);
    if (signAt(reader) !== ')') return null;
    reader.at += 1;
    return inner;
  }
  const operand = sign === '-' || sign === '+' ? readOperand(reader) : null;
  return operand && sign === '-' ? (counts) => -operand(counts) : operand;
}

function signAt({ tokens, at }: Reader): string {
  const token = tokens[at];
  return token && 'sign' in token ? token.sign : '';
}
