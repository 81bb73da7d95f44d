import { SECONDS_BUCKETS, type Metrics } from '../runtime/metrics.ts';
import { exposePools, type PoolFigures } from '../runtime/pool-metrics.ts';

/** The API's figures; docs/metrics.md lists them. */

/** A request that has been answered. */
export interface AnsweredRequest {
  /** The route's path with its names in braces; `none` where no route matched. */
  route: string;
  method: string;
  status: number;
}

/** Measures requests: called when one begins, what it returns when that one is over. */
export type MeasureRequest = () => (answered: AnsweredRequest) => void;

/** Everything else is one method: a client may call it what it likes. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/** Shows the API's figures, and returns what measures its requests. */
export function exposeApi(metrics: Metrics, pools: Readonly<Record<string, PoolFigures>>): MeasureRequest {
  const labels = ['route', 'method', 'status'] as const;
  const requests = metrics.count({ name: 'farwatch_api_requests_total', help: 'Requests answered', labels });
  const duration = metrics.histogram({
    name: 'farwatch_api_request_seconds',
    help: 'From the head of a request to the end of its answer',
    labels: ['route', 'method'],
    buckets: SECONDS_BUCKETS,
  });
  let running = 0;
  metrics.gauge({ name: 'farwatch_api_requests_running', help: 'Requests under way' }, () => running);
  exposePools(metrics, 'farwatch_api', pools);
  return () => {
    running += 1;
    const begun = performance.now();
    return ({ route, method: given, status }) => {
      running -= 1;
      const method = METHODS.includes(given) ? given : 'other';
      requests({ route, method, status: String(status) });
      duration((performance.now() - begun) / 1000, { route, method });
    };
  };
}
