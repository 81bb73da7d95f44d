import { useState } from 'preact/hooks';
import type { CheckAnswer } from '../../../core/check-answer.ts';
import { act } from '../client.ts';
import { Fault } from '../parts/notice.tsx';
import { useChange } from '../parts/use-action.ts';
import type { TypeData } from './type-data-form.tsx';

/** Runs the check at hand once, saved or not, and shows what came of it. */
export function TestRun({ type, typeData }: { type: string; typeData: TypeData }) {
  const { isBusy, error, run } = useChange();
  const [region, setRegion] = useState('');
  const [answer, setAnswer] = useState<CheckAnswer>();
  const start = (): void => {
    setAnswer(undefined);
    const wanted = region.trim();
    const data = { monitor_type: type, type_data: typeData, ...(wanted && { region: wanted }) };
    void run(async () => setAnswer(await act<CheckAnswer>('testMonitor', data)));
  };
  return (
    <div class="test-run stack">
      <div class="host-row">
        <label>
          Region <input value={region} placeholder="any" onInput={(event) => setRegion(event.currentTarget.value)} />
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
