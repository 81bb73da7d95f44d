import type { AgentState } from '../core/agent-state.ts';
import type { Queryable } from './client.ts';

/** What an agent last said of itself. */
export interface AgentReport {
  agentId: number;
  version: string;
  /** Null where it has not said yet. */
  state: AgentState | null;
}

/** Records that these agents, each named once, were heard now by the database's clock. One statement. */
export async function recordAgentReports(db: Queryable, reports: readonly AgentReport[]): Promise<void> {
  // Ascending, so that two collectors that hear the same agents never wait for each other in a circle.
  const sorted = [...reports].sort((a, b) => a.agentId - b.agentId);
  await db.query(
    `with said as (select * from json_to_recordset($1) as r ("agentId" int, version text, state jsonb)),
       locked as (select id from agents where id in (select "agentId" from said) order by id for update)
     update agents set last_seen = service_now(), version = said.version, status = coalesce(said.state, agents.status)
     from said join locked on locked.id = said."agentId" where agents.id = said."agentId"`,
    [JSON.stringify(sorted)],
  );
}
