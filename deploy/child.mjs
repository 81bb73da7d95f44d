// Runs a program to its end on behalf of set-up; a signal to set-up ends the program too.
import { spawn } from 'node:child_process';

/** Resolves with the exit code (1 where the program could not be started or was ended by a signal). */
export function runToEnd(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'inherit', ...options });
    const onSignal = (signal) => {
      child.kill(signal);
      child.once('exit', () => process.exit(signal === 'SIGINT' ? 130 : 143));
    };
    const done = (code) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
      resolve(code);
    };
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal);
    child.once('error', () => done(1));
    child.once('exit', (code) => done(code ?? 1));
  });
}
