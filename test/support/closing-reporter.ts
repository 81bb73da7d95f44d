import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** After vitest's own summary: what did not run and why, and one plain line that scripts can read. */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, _reason: TestRunEndReason): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const notRun = new Map<string, number>();
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'pending') continue;
        count[result.state] += 1;
        if (result.state !== 'skipped') continue;
        const reason = result.note ?? `${test.fullName}, without a named reason`;
        notRun.set(reason, (notRun.get(reason) ?? 0) + 1);
      }
    }
    // The default reporter writes its summary in the same turn; this comes after it.
    process.nextTick(() => {
      for (const [reason, tests] of notRun) console.log(`not run: ${reason} (${tests} test${tests === 1 ? '' : 's'})`);
      console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    });
  }
}
