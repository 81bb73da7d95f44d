import type { Reporter, SerializedError, TestModule } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** Reason → number of tests. */
  notRun: Map<string, number>;
}

/** After vitest's own summary: what did not run and why, and one plain line that scripts can read. */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tally: Tally = { passed: 0, failed: errors.length, skipped: 0, notRun: new Map() };
    for (const module of modules) addModule(tally, module);
    // The default reporter writes its summary in the same turn; this comes after it.
    process.nextTick(() => {
      for (const [reason, tests] of tally.notRun)
        console.log(`not run: ${reason} (${tests} test${tests === 1 ? '' : 's'})`);
      console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`);
    });
  }
}

function addModule(tally: Tally, module: TestModule): void {
  const before = tally.failed;
  for (const test of module.children.allTests()) {
    const result = test.result();
    const state = result.state === 'pending' ? 'skipped' : result.state;
    tally[state] += 1;
    if (state !== 'skipped') continue;
    const note = result.state === 'skipped' ? result.note : `the set-up of ${module.relativeModuleId} failed`;
    const reason = note ?? `${test.fullName}, without a named reason`;
    tally.notRun.set(reason, (tally.notRun.get(reason) ?? 0) + 1);
  }
  // A file that fails outside its tests, in a hook or while it is read.
  if (module.state() === 'failed' && tally.failed === before) tally.failed += 1;
}
