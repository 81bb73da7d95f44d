import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACE = ['\u0008', '\u007f'];

/**
 * Reads a password, never from the command line, which others on the machine can see: typed twice without echo at a
 * terminal, else the first line of the input. Returns null where it was typed in two ways, or not at all.
 */
export async function readPassword(input: ReadStream, say: (text: string) => void): Promise<string | null> {
  if (!input.isTTY) return firstLine(input);
  const first = await typed(input, say, 'password: ');
  if (first === null) return null;
  return (await typed(input, say, 'again: ')) === first ? first : null;
}

async function firstLine(input: ReadStream): Promise<string | null> {
  let text = '';
  for await (const chunk of input.setEncoding('utf8')) text += String(chunk);
  return text.split(/\r?\n/, 1)[0] || null;
}

async function typed(input: ReadStream, say: (text: string) => void, prompt: string): Promise<string | null> {
  say(prompt);
  input.setRawMode(true).setEncoding('utf8').resume();
  try {
    return await new Promise((resolve) => {
      let text = '';
      const take = (chunk: string): void => {
        for (const character of chunk) {
          if (BACKSPACE.includes(character)) text = [...text].slice(0, -1).join('');
          else if ([CTRL_C, CTRL_D].includes(character)) return end(null);
          else if (character === '\r' || character === '\n') return end(text);
          else text += character;
        }
      };
      const end = (result: string | null): void => {
        input.off('data', take);
        resolve(result);
      };
      input.on('data', take);
    });
  } finally {
    input.setRawMode(false).pause();
    say('\n');
  }
}
