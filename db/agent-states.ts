import { agentState, type AgentState } from '../core/agent-state.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import { readMinuteBooks, type MinuteBook } from './minute-books.ts';

/** Agents are heard every ten seconds: who was silent longer than this is not there. */
const CONNECTED = '30 seconds';

/** An agent as it is seen from here, and as it sees itself. Times are ISO 8601, UTC. */
export interface AgentStateRow {
  id: number;
  name: string;
  region: string;
  version: string | null;
  created_at: string;
  revoked_at: string | null;
  last_seen: string | null;
  connected: boolean;
  /** Until when the last credentials it was given are good. */
  credentials_until: string | null;
  /** Null: it has never said. */
  state: AgentState | null;
  /** The database's clock, unix seconds. */
  now: number;
}

/** All agents, oldest first, revoked ones included. */
export async function listAgentStates(db: Queryable): Promise<AgentStateRow[]> {
  const { rows } = await db.query<Omit<AgentStateRow, 'state'> & { status: unknown }>(
    `select agents.id, agents.name, regions.name as region, version, ${isoText('agents.created_at')},
       ${isoText('revoked_at')}, ${isoText('last_seen')}, ${isoText('credentials_until')},
       revoked_at is null and coalesce(agents.last_seen > service_now() - interval '${CONNECTED}', false) as connected,
       agents.status, extract(epoch from service_now())::float8 as now
     from agents join regions on regions.id = region_id order by agents.id`,
  );
  // What an older collector has written may have another form: then nothing is known until the agent is heard again.
  return rows.map(({ status, ...row }) => ({ ...row, state: agentState.safeParse(status).data ?? null }));
}

/** A region, how many agents it has, and what became of its minutes in the last day. */
export interface RegionStateRow {
  id: number;
  name: string;
  created_at: string;
  /** Not revoked. */
  agents: number;
  connected_agents: number;
  minutes: Omit<MinuteBook, 'region'>;
}

/** All regions, by name. */
export async function listRegionStates(db: Queryable): Promise<RegionStateRow[]> {
  const { rows } = await db.query<Omit<RegionStateRow, 'minutes'>>(
    `select r.id, r.name, ${isoText('r.created_at')}, count(a.id) filter (where a.revoked_at is null) as agents,
       count(a.id) filter (where a.revoked_at is null and a.last_seen > service_now() - interval '${CONNECTED}')
         as connected_agents
     from regions r left join agents a on a.region_id = r.id group by r.id order by r.name`,
  );
  const { books } = await readMinuteBooks(db, 24);
  // A region that was made between the two statements is there the next time.
  return rows.flatMap((row) =>
    books.filter(({ region }) => region === row.name).map(({ region: _, ...minutes }) => ({ ...row, minutes })),
  );
}
