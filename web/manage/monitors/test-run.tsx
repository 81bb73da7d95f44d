import { useState } from 'preact/hooks';
import type { CheckAnswer } from '../../../core/check-answer.ts';
import type { Region } from '../agents/agent-resource.ts';
import { act } from '../client.ts';
import { Fault } from '../parts/notice.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import type { TypeData } from './type-data-form.tsx';

/** Runs the check at hand once, saved or not, and shows what came of it. */
export function TestRun({ type, typeData }: { type: string; typeData: TypeData }) {
  const { isBusy, error, run } = useChange();
  const [region, setRegion] = useState('');
  const [answer, setAnswer] = useState<CheckAnswer>();
  const { result: regions = [] } = useAction<Region[]>('getRegions');
  const start = (): void => {
    setAnswer(undefined);
    const data = { monitor_type: type, type_data: typeData, ...(region !== '' && { region }) };
    void run(async () => setAnswer(await act<CheckAnswer>('testMonitor', data)));
  };
  return (
    <div class="test-run stack">
      <div class="host-row">
        <label>
          Region{' '}
          <select value={region} onChange={(event) => setRegion(event.currentTarget.value)}>
            <option value="">Any</option>
            {regions.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button type="button" class="quiet" disabled={isBusy} onClick={start}>
          {isBusy ? 'An agent is measuring …' : 'Run this check once'}
        </button>
      </div>
      <Fault error={error} />
      {answer && (
        <div role="status">
          <p>
            <strong>{answer.status}</strong>
            {answer.latency !== null && ` in ${answer.latency} ms`}, measured by {answer.agent} in {answer.region}
            {answer.error_message && `: ${answer.error_message}`}
          </p>
          <details>
            <summary>What it measured</summary>
            <pre tabindex={0}>{JSON.stringify(answer.results, null, 2)}</pre>
          </details>
        </div>
      )}
    </div>
  );
}
