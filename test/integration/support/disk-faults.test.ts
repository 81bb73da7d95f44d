import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFailingDisk, type FailingDisk } from '../../support/disk-faults.ts';

const program = fileURLToPath(new URL('../../support/fixtures/disk-program.mjs', import.meta.url));
const CHANGES = ['create', 'write', 'pwrite', 'writev', 'sync', 'datasync', 'truncate', 'rename', 'remove', 'folder'];

const WRITER = `
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int fd = open(argv[1], O_CREAT | O_WRONLY, 0600);
  struct iovec parts[2] = {{"012", 3}, {"3456789", 7}};
  long whole = write(fd, "0123456789", 10), two = writev(fd, parts, 2), byte = write(fd, "0", 1);
  printf("%ld %ld %ld", whole, two, byte);
}`;

let parent: string;
let folder: string;
let disk: FailingDisk;
let child: ChildProcessByStdio<Writable, Readable, null>;
let answers: AsyncIterator<string>;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'farwatch-disk-'));
  folder = join(parent, 'disk');
  disk = openFailingDisk(folder);
  child = spawn(process.execPath, [program], {
    env: { ...process.env, ...disk.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  answers = createInterface(child.stdout)[Symbol.asyncIterator]();
});

afterEach(async () => {
  const exited = once(child, 'exit');
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await exited;
  }
  disk.close();
  rmSync(parent, { recursive: true, force: true });
});

/** What the program says of an action, and how long that took it. */
async function act(what: string, name: string, under = folder): Promise<{ answer: string; ms: number }> {
  child.stdin.write(`${what} ${join(under, name)}\n`);
  const line = await answers.next();
  const [answer = '', ms] = String(line.value).split(' ');
  return { answer, ms: Number(ms) };
}

/** The answers of several actions on one file, or on new ones where they make them. */
async function answersOf(actions: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [index, what] of actions.entries()) {
    const isNew = what === 'create' || what === 'folder';
    found[what] = (await act(what, isNew ? `${what}-${index}` : 'file')).answer;
  }
  return found;
}

function all(actions: readonly string[], answer: string): Record<string, string> {
  return Object.fromEntries(actions.map((what) => [what, answer]));
}

describe('a disk that fails on demand', () => {
  it('takes everything while it is well, and again once it is mended', async () => {
    await act('create', 'file');
    disk.fail({ kind: 'EIO' });
    expect((await act('write', 'file')).answer).toBe('EIO');
    disk.mend();
    expect(await answersOf(['write', 'pwrite', 'writev', 'sync', 'read', 'rename', 'remove', 'folder'])).toEqual({
      ...all(['write', 'pwrite', 'writev'], '100'),
      ...all(['sync', 'rename', 'remove', 'folder'], 'done'),
      read: '200',
    });
  });

  it('that is read-only refuses every change and can be read', async () => {
    await act('create', 'file');
    disk.fail({ kind: 'EROFS' });
    expect(await answersOf(CHANGES)).toEqual(all(CHANGES, 'EROFS'));
    expect((await act('read', 'file')).answer).toBe('0');
  });

  it('that is broken refuses everything', async () => {
    await act('create', 'file');
    disk.fail({ kind: 'EIO' });
    expect(await answersOf([...CHANGES, 'read', 'reopen'])).toEqual(all([...CHANGES, 'read', 'reopen'], 'EIO'));
  });

  it('that is full takes nothing more, but lets go of what it has', async () => {
    await act('create', 'file');
    disk.fail({ kind: 'ENOSPC' });
    const refused = ['create', 'write', 'pwrite', 'writev', 'folder'];
    expect(await answersOf(refused)).toEqual(all(refused, 'ENOSPC'));
    const allowed = ['reopen', 'sync', 'truncate', 'rename', 'remove'];
    expect(await answersOf(allowed)).toEqual(all(allowed, 'done'));
  });

  it('takes what it has room for, down to the byte', async () => {
    await act('create', 'file');
    disk.fail({ kind: 'room', bytes: 250 });
    const written = ['write', 'writev', 'write', 'write', 'create'];
    const found: string[] = [];
    for (const what of written) found.push((await act(what, what === 'create' ? 'other' : 'file')).answer);
    expect(found).toEqual(['100', '100', '50', 'ENOSPC', 'ENOSPC']);
    expect(statSync(join(folder, 'file')).size).toBe(250);
  });

  it('writes half of what it is given, of several parts too', () => {
    // libuv writes on by itself: seen by a program that does not.
    const writer = join(parent, 'writer');
    execFileSync('cc', ['-x', 'c', '-o', writer, '-'], { input: WRITER });
    disk.fail({ kind: 'short' });
    const told = execFileSync(writer, [join(folder, 'file')], {
      env: { ...process.env, ...disk.env },
      encoding: 'utf8',
    });
    expect(told).toBe('5 5 1');
    expect(statSync(join(folder, 'file')).size).toBe(11);
  });

  it('fails only the calls that are named', async () => {
    await act('create', 'file');
    disk.fail({ kind: 'EIO' }, ['sync', 'rename']);
    expect(await answersOf(['write', 'sync', 'datasync', 'rename', 'remove'])).toEqual({
      ...all(['sync', 'datasync', 'rename'], 'EIO'),
      write: '100',
      remove: 'done',
    });
  });

  it('takes its time', async () => {
    await act('create', 'file');
    disk.fail({ kind: 'slow', ms: 300 }, ['sync']);
    expect((await act('datasync', 'file')).ms).toBeGreaterThanOrEqual(300);
    expect((await act('write', 'file')).ms).toBeLessThan(300);
  });

  it.each([
    { at: 2, size: 100, of: 'before a call is done' },
    { at: 3, size: 150, of: 'in the middle of a write' },
  ])('kills the process at a call: $of', async ({ at, size }) => {
    await act('create', 'file');
    disk.fail({ kind: 'kill', call: at });
    const exited = once(child, 'exit');
    await act('write', 'file');
    for (const what of ['sync', 'write']) child.stdin.write(`${what} ${join(folder, 'file')}\n`);
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(statSync(join(folder, 'file')).size).toBe(size);
  });

  it('is one folder: what lies beside it is well', async () => {
    const beside = `${folder}-beside`;
    mkdirSync(beside);
    disk.fail({ kind: 'EIO' });
    for (const what of ['create', 'write', 'sync', 'read', 'remove'])
      expect((await act(what, 'file', beside)).answer).not.toBe('EIO');
  });
});
