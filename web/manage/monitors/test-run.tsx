import { useState } from 'preact/hooks';
import type { Region } from '../../../core/agent-resource.ts';
import type { CheckAnswer } from '../../../core/check-answer.ts';
import { act } from '../client.ts';
import { Choice } from '../parts/field.tsx';
import { Fault, Working } from '../parts/notice.tsx';
import { StateMark } from '../parts/state-mark.tsx';
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
        <Choice
          label="Region"
          value={region}
          options={[['', 'Any'], ...regions.map(({ name }) => [name, name] as const)]}
          onChange={setRegion}
        />
        <button type="button" class="quiet" disabled={isBusy} onClick={start}>
          Run this check once
        </button>
      </div>
      {isBusy && <Working>{region === '' ? 'An agent is measuring' : `An agent of ${region} is measuring`}</Working>}
      <Fault error={error} />
      {answer && <Answer answer={answer} />}
    </div>
  );
}

function Answer({
  answer: { status, latency, agent, region, error_message: message, results },
}: {
  answer: CheckAnswer;
}) {
  return (
    <div role="status">
      <p>
        <StateMark status={status === 'UNKNOWN' ? 'NO_DATA' : status}>
          {status === 'UNKNOWN' ? 'Not measured' : undefined}
        </StateMark>
        {latency !== null && ` in ${latency} ms`}, by {agent} in {region}
        {message && `: ${message}`}
      </p>
      <details>
        <summary>What it measured</summary>
        <pre tabindex={0} aria-label="The raw result">
          {JSON.stringify(results, null, 2)}
        </pre>
      </details>
    </div>
  );
}
