import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They wait for minutes to pass; whichever of them began last would keep a worker alone with it at the end. */
const LONGEST = [
  'test/system/kill.test.ts',
  'test/system/faults.test.ts',
  'test/system/division.test.ts',
  'test/system/monitor-life.test.ts',
  'test/system/agent-faults.test.ts',
  'test/integration/metrics.test.ts',
  'test/integration/agent/spool/outage.test.ts',
];

/** The order that lets a run end soonest on a fresh clone, where no earlier run has left its durations. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((path) => moduleId.endsWith(path));
      return place === -1 ? LONGEST.length : place;
    };
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return sorted.sort((one, other) => group(one) - group(other) || rank(one) - rank(other));
  }
}
