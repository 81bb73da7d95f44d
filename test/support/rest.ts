export interface Answer<T> {
  status: number;
  body: T;
}

/** A client of the REST API with one key. */
export interface Rest {
  baseUrl: string;
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>>;
  /** The points of a monitor in `[from, to)`, unix seconds; of one region where `region` is given. */
  points(tag: string, from: number, to: number, region?: string): Promise<Point[]>;
}

export interface Point {
  timestamp: number;
  status: string;
  latency: number;
  type: string;
}

export function restClient(baseUrl: string, apiKey: string): Rest {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const response = await fetch(`${baseUrl}/api/v4${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    });
    // The caller names the shape it expects of the contract.
    return { status: response.status, body: (await response.json()) as T };
  };
  return {
    baseUrl,
    call,
    async points(tag, from, to, region) {
      const only = region === undefined ? '' : `&region=${region}`;
      const { status, body } = await call<{ data: Point[] }>(
        'GET',
        `/monitors/${tag}/data?start_ts=${from}&end_ts=${to}${only}`,
      );
      if (status !== 200) throw new Error(`data of ${tag}: ${status} ${JSON.stringify(body)}`);
      return body.data;
    },
  };
}
